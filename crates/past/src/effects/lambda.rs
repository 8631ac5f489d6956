//! Method references to library code: `sb::append`, `System.out::println`. What they do is not recorded, because no code
//! of the program runs; which method they stand for is in the class file, and what they took in hand in the run.

use std::collections::HashMap;
use std::sync::PoisonError;

use classfile::{ClassFile, Constant, Member};
use index::{Key, TimedPosting};
use trace::{EventKind, ObjectId, Site, Value};

use super::kind::Kind;
use crate::events::Next;
use crate::past::Past;

pub(crate) type Lambdas = HashMap<ObjectId, Option<Bound>>;

/// A method of a library under another name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bound {
    pub owner: String,
    pub name: String,
    pub descriptor: String,
    /// What the reference was made with: the receiver, for one that is bound.
    pub taken: Option<Value>,
}

impl Past {
    /// What a lambda stands for, if that is a method of a library; none for the program's own code.
    pub(crate) fn bound(&self, lambda: ObjectId) -> Option<Bound> {
        if !jdk::owner::is_lambda(self.class_of(lambda)?) {
            return None;
        }
        if let Some(known) = self.lambdas.lock().unwrap_or_else(PoisonError::into_inner).get(&lambda) {
            return known.clone();
        }
        let bound = self.find_bound(lambda);
        self.lambdas.lock().unwrap_or_else(PoisonError::into_inner).insert(lambda, bound.clone());
        bound
    }

    fn find_bound(&self, lambda: ObjectId) -> Option<Bound> {
        let made = self.index.all(Key::created(lambda), None).next()?;
        let site = self.made_at(&made)?;
        let mut bound = self.reference_at(site).filter(|bound| !self.is_program_class(&bound.owner))?;
        let mut taken = None;
        self.replay_from(made.position, &mut |event, at| {
            if at.ordinal >= made.position.ordinal {
                return Next::Stop;
            }
            if let EventKind::Call { callee, args } = event.kind
                && callee.owner.is_empty()
            {
                taken = args.first().copied();
            }
            Next::On
        });
        bound.taken = taken.map(|value| self.index.resolved(made.position.stream, value));
        Some(bound)
    }

    /// Is what took an object in hand here the program's own code?
    pub(super) fn is_own_lambda(&self, captured: &TimedPosting) -> bool {
        let reference = self.made_at(captured).and_then(|site| self.reference_at(site));
        reference.is_some_and(|bound| self.is_program_class(&bound.owner))
    }

    fn made_at(&self, found: &TimedPosting) -> Option<Site> {
        let method = self.index.call_at(found.position).and_then(|call| self.method_of(call))?;
        Some(Site { method, bci: found.posting.bci })
    }

    fn is_program_class(&self, owner: &str) -> bool {
        let classes = self.recording.program().classes();
        !jdk::owner::is_jdk(owner) && classes.iter().any(|class| class.recorded && class.name == owner)
    }

    /// The method that a lambda made at this instruction calls.
    fn reference_at(&self, site: Site) -> Option<Bound> {
        let (class, method) = self.recording.program().method(site.method)?;
        let file = ClassFile::parse(&class.bytes).ok()?;
        let is_it = |member: &&Member<'_>| {
            member.name == method.name.as_bytes() && member.descriptor == method.descriptor.as_bytes()
        };
        let code = file.methods.iter().find(is_it)?.code(&file).ok()??;
        let at = usize::from(site.bci) + 1;
        let index = u16::from_be_bytes([*code.code.get(at)?, *code.code.get(at + 1)?]);
        let Ok(Constant::InvokeDynamic { bootstrap, .. }) = file.pool.get(index) else { return None };
        let linker = file.bootstraps().ok()?.into_iter().nth(usize::from(bootstrap))?;
        let Ok(Constant::MethodHandle { reference, .. }) = file.pool.get(*linker.arguments.get(1)?) else {
            return None;
        };
        let member = file.pool.member(reference).ok()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Some(Bound {
            owner: text(member.class),
            name: text(member.name),
            descriptor: text(member.descriptor),
            taken: None,
        })
    }

    /// What a reference does, by the class of what it took in hand.
    pub(super) fn bound_kind(&self, bound: &Bound) -> Kind {
        let receiver = match bound.taken {
            Some(Value::Object(object)) => Some(object),
            _ => None,
        };
        self.named_kind(&bound.owner, &bound.name, &bound.descriptor, receiver)
    }
}
