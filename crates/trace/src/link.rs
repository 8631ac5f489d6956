//! Which method a linked call entered. Where one recorded method calls another directly, the log has neither the call nor
//! its arguments nor its result: the method follows from the code, and where it depends on the receiver, from that
//! object's class, as the JVM selects it (JVMS 5.4.6). The recorder links less than it could, so that little is enough
//! here: default methods of interfaces and methods above a class without code in the recording are never linked.

use classfile::access;

use crate::class_model::{Method, Mode};
use crate::event::Callee;
use crate::ids::{MethodId, TypeId};
use crate::program::{Class, MAX_SUPERS, Program};

/// How a call is linked, if it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// It is not announced.
    Never,
    /// To this method: it is static, private, or a constructor. None if it is not in the recording.
    Exact(Option<MethodId>),
    /// By the receiver's class.
    Virtual,
}

impl Program {
    /// The method that a link by these names means.
    pub(crate) fn linked_by_name(&self, owner: &str, key: u32) -> Option<MethodId> {
        let class = self.linking_class(owner)?;
        let method = self.model(class)?.methods.iter().find(|method| method.key == key)?;
        is_linked(method).then_some(method.id)
    }

    /// The method that a call enters whose receiver is of this type.
    pub(crate) fn selected(&self, callee: &Callee, ty: TypeId) -> Option<MethodId> {
        let resolved = self.resolved(callee);
        // Declarations on the way up from the receiver's class, each with its class.
        let mut declared: Vec<(&Class, &Method)> = Vec::new();
        let mut up = Some(ty);
        for _ in 0..MAX_SUPERS {
            let Some(ty) = up.and_then(|id| self.type_info(id)) else { break };
            // A class without code in the recording may declare the method: nothing above it is linked.
            let Some(class) = ty.class.and_then(|id| self.class(id)) else { break };
            let Some(model) = self.model(class) else { break };
            let found = model.methods.iter().find(|method| method.key == callee.key);
            declared.extend(found.filter(|method| is_virtual(method)).map(|method| (class, method)));
            up = ty.super_type;
        }
        let selected = match resolved {
            // Everything that is found overrides what everybody may override.
            None => declared.first().copied(),
            Some(package) => overriding(&declared, package),
        };
        selected.map(|(_, method)| method).filter(|method| is_linked(method)).map(|method| method.id)
    }

    /// The class whose method the call names, if only classes of its package can override that.
    fn resolved(&self, callee: &Callee) -> Option<&Class> {
        const WIDER: u16 = access::PUBLIC | access::PROTECTED | access::PRIVATE;
        let caller = self.class(callee.id.class)?;
        self.supers(&callee.owner, caller.loader).find_map(|class| {
            let method = self.model(class)?.methods.iter().find(|method| method.key == callee.key)?;
            Some(Some(class).filter(|_| method.access & WIDER == 0))
        })?
    }
}

/// The first declaration that overrides the one of `resolved`, which is visible in its package only: directly, from
/// within that package, or by overriding one that does.
fn overriding<'a>(declared: &[(&'a Class, &'a Method)], resolved: &Class) -> Option<(&'a Class, &'a Method)> {
    let mut overrides = vec![false; declared.len()];
    for at in (0..declared.len()).rev() {
        let (class, _) = declared[at];
        let above = || {
            (at + 1..declared.len()).any(|other| {
                let (their, method) = declared[other];
                let visible = method.access & (access::PUBLIC | access::PROTECTED) != 0;
                overrides[other] && (visible || same_package(class, their))
            })
        };
        overrides[at] = same_package(class, resolved) || above();
    }
    declared.iter().zip(overrides).find(|(_, overrides)| *overrides).map(|(&found, _)| found)
}

fn same_package(one: &Class, other: &Class) -> bool {
    let package = |class: &Class| class.name.rfind('/').unwrap_or(0);
    one.loader == other.loader && one.name[..package(one)] == other.name[..package(other)]
}

fn is_virtual(method: &Method) -> bool {
    method.access & (access::STATIC | access::PRIVATE) == 0
}

/// Is it a method of which the log can be without beginning and end?
fn is_linked(method: &Method) -> bool {
    method.mode == Mode::Replayed && method.access & (access::ABSTRACT | access::NATIVE) == 0
}
