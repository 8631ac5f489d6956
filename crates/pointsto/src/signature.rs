//! Names with descriptors, taken apart once: which parameters are references, and of which class.

use classfile::{MethodDescriptor, TypeKind};

use crate::hash::Map;
use crate::hierarchy::ClassIndex;
use crate::names::{Name, Names};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SigId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Void,
    /// The first letter of its descriptor.
    Primitive(u8),
    Reference(ClassIndex),
}

impl Type {
    pub fn is_reference(self) -> bool {
        matches!(self, Type::Reference(_))
    }
}

/// A method's name and descriptor. A malformed descriptor has no parameters and no result.
pub struct Sig {
    pub name: Name,
    pub descriptor: Name,
    pub parameters: Box<[Type]>,
    pub result: Type,
}

#[derive(Default)]
pub struct Sigs {
    all: Vec<Sig>,
    by_names: Map<(Name, Name), SigId>,
}

impl Sigs {
    pub fn get(&self, sig: SigId) -> &Sig {
        &self.all[sig.0 as usize]
    }

    pub fn find(&self, name: Name, descriptor: Name) -> Option<SigId> {
        self.by_names.get(&(name, descriptor)).copied()
    }

    /// `class` gives the number of a class by its name.
    pub fn intern(
        &mut self,
        names: &mut Names,
        name: Name,
        descriptor: Name,
        mut class: impl FnMut(&mut Names, &[u8]) -> ClassIndex,
    ) -> SigId {
        if let Some(sig) = self.find(name, descriptor) {
            return sig;
        }
        let text = names.get(descriptor).to_vec();
        let mut type_of = |d: &[u8]| match TypeKind::of(d) {
            Ok(TypeKind::Void) | Err(_) => Type::Void,
            Ok(TypeKind::Reference) => {
                let inner = match d {
                    [b'L', inner @ .., b';'] => inner,
                    array => array,
                };
                Type::Reference(class(names, inner))
            }
            Ok(_) => Type::Primitive(d[0]),
        };
        let (parameters, result) = match MethodDescriptor::parse(&text) {
            Ok(d) => (d.parameters.iter().map(|p| type_of(p)).collect(), type_of(d.result)),
            Err(_) => (Box::default(), Type::Void),
        };
        let sig = SigId(self.all.len() as u32);
        self.all.push(Sig { name, descriptor, parameters, result });
        self.by_names.insert((name, descriptor), sig);
        sig
    }
}
