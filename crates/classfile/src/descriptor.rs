//! Method and field descriptors, split into what instrumentation and replay ask of them.

use crate::{Error, Result};

/// What kind of value a descriptor describes, by the JVM's computational types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeKind {
    Int,
    Long,
    Float,
    Double,
    Reference,
    Void,
}

impl TypeKind {
    /// Kind of a field descriptor or of a method's return descriptor.
    pub fn of(descriptor: &[u8]) -> Result<TypeKind> {
        Ok(match descriptor.first() {
            Some(b'B' | b'C' | b'I' | b'S' | b'Z') => TypeKind::Int,
            Some(b'J') => TypeKind::Long,
            Some(b'F') => TypeKind::Float,
            Some(b'D') => TypeKind::Double,
            Some(b'L' | b'[') => TypeKind::Reference,
            Some(b'V') => TypeKind::Void,
            _ => return Err(Error::Descriptor),
        })
    }

    /// Slots in the local variables and on the operand stack.
    pub fn slots(self) -> u16 {
        match self {
            TypeKind::Void => 0,
            TypeKind::Long | TypeKind::Double => 2,
            _ => 1,
        }
    }
}

/// A method descriptor: the descriptors of its parameters and of its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodDescriptor<'a> {
    pub parameters: Vec<&'a [u8]>,
    pub result: &'a [u8],
}

impl<'a> MethodDescriptor<'a> {
    pub fn parse(descriptor: &'a [u8]) -> Result<Self> {
        let mut rest = descriptor.strip_prefix(b"(").ok_or(Error::Descriptor)?;
        let mut parameters = Vec::new();
        while rest.first() != Some(&b')') {
            let (one, tail) = split(rest)?;
            parameters.push(one);
            rest = tail;
        }
        let result = &rest[1..];
        TypeKind::of(result)?;
        Ok(MethodDescriptor { parameters, result })
    }

    /// Slots that the parameters take, without a receiver.
    pub fn slots(&self) -> u16 {
        self.parameters.iter().map(|p| TypeKind::of(p).map_or(0, TypeKind::slots)).sum()
    }
}

/// Splits the first field descriptor off.
pub(crate) fn split(text: &[u8]) -> Result<(&[u8], &[u8])> {
    let dims = text.iter().take_while(|&&b| b == b'[').count();
    let len = match text.get(dims) {
        Some(b'L') => dims + text[dims..].iter().position(|&b| b == b';').ok_or(Error::Descriptor)? + 1,
        Some(b'B' | b'C' | b'I' | b'S' | b'Z' | b'J' | b'F' | b'D') => dims + 1,
        _ => return Err(Error::Descriptor),
    };
    Ok(text.split_at(len))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_splits_into_its_parameters_and_result() {
        let d = MethodDescriptor::parse(b"(I[[Ljava/lang/String;J[D)V").unwrap();
        assert_eq!(d.parameters, [&b"I"[..], b"[[Ljava/lang/String;", b"J", b"[D"]);
        assert_eq!((d.result, d.slots()), (&b"V"[..], 5));
        for bad in [&b""[..], b"(", b"()", b"(L)V", b"(Q)V", b"I"] {
            assert!(MethodDescriptor::parse(bad).is_err(), "{bad:?}");
        }
    }
}
