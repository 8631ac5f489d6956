//! Calls as rows of fifty bytes, in the order in which they began: so a call's callees follow it, and its subtree
//! is a run of rows. What varies in length (arguments) lies beside them.

use base::{Arguments, CalleeId, ClassId, Ending, MethodId, Target, Value};

use crate::file::{FixedRow, u16_at, u32_at, u64_at, uint_at};
use crate::packed::{Packed, get, get_bits, put, put_bits};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CallRow {
    pub target: Target,
    /// The call that it was made in.
    pub parent: Option<u32>,
    /// Open calls around it.
    pub depth: u16,
    /// Ordinals of its first and last event; an open call's last is that of the last event that is known.
    pub entry: u64,
    pub exit: u64,
    /// The place in the caller's code; `NO_BCI` if it is not known.
    pub bci: u16,
    /// Calls in it, itself included.
    pub size: u32,
    /// Calls that it made itself.
    pub children: u32,
    pub ending: Ending,
    pub(crate) args: u64,
}

const THREW: u8 = 1;
const OPEN: u8 = 2;
const MAX48: u64 = (1 << 48) - 1;

impl FixedRow for CallRow {
    const SIZE: usize = 50;

    fn encode(&self, out: &mut Vec<u8>) {
        let (flags, value) = match self.ending {
            Ending::Open => (OPEN, None),
            Ending::Returned(value) => (0, value),
            Ending::Threw(value) => (THREW, value),
        };
        let value = value.map_or(Packed::NOTHING, Packed::from);
        let (target, index) = match self.target {
            Target::Method(method) => (method.0, 0),
            Target::Library(callee) => (callee.class.0, callee.index),
        };
        // Put together first: a row is written for every call that is recorded.
        let mut row = [0; Self::SIZE];
        let mut put = |at: usize, word: u64, size: usize| {
            row[at..at + size].copy_from_slice(&word.to_le_bytes()[..size]);
        };
        put(0, self.entry.min(MAX48), 6);
        put(6, u64::from(self.bci), 2);
        put(8, self.exit.min(MAX48), 6);
        put(14, u64::from(flags), 1);
        put(15, u64::from(value.kind), 1);
        put(16, u64::from(self.parent.unwrap_or(u32::MAX)), 4);
        put(20, u64::from(self.size), 4);
        put(24, u64::from(self.children), 4);
        put(28, u64::from(target), 4);
        put(32, u64::from(index), 2);
        put(34, u64::from(self.depth), 2);
        put(36, self.args.min(MAX48), 6);
        put(42, value.bits, 8);
        out.extend_from_slice(&row);
    }

    fn decode(bytes: &[u8]) -> CallRow {
        let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
        let value = match byte(15) {
            0 => None,
            kind => Some(Value::from(Packed { kind, bits: u64_at(bytes, 42) })),
        };
        let target = u32_at(bytes, 28);
        CallRow {
            entry: uint_at(bytes, 0, 6),
            bci: u16_at(bytes, 6),
            exit: uint_at(bytes, 8, 6),
            ending: match byte(14) {
                flags if flags & OPEN != 0 => Ending::Open,
                flags if flags & THREW != 0 => Ending::Threw(value),
                _ => Ending::Returned(value),
            },
            parent: Some(u32_at(bytes, 16)).filter(|&parent| parent != u32::MAX),
            size: u32_at(bytes, 20),
            children: u32_at(bytes, 24),
            target: match u16_at(bytes, 32) {
                0 => Target::Method(MethodId(target)),
                index => Target::Library(CalleeId { class: ClassId(target), index }),
            },
            depth: u16_at(bytes, 34),
            args: uint_at(bytes, 36, 6),
        }
    }
}

pub(crate) fn encode_args(receiver: Option<Value>, values: &[Value], out: &mut Vec<u8>) {
    put(out, (values.len() as u64) << 1 | u64::from(receiver.is_some()));
    for &value in receiver.iter().chain(values) {
        let packed = Packed::from(value);
        out.push(packed.kind);
        put_bits(out, packed);
    }
}

pub(crate) fn decode_args(bytes: &[u8]) -> Option<Arguments> {
    let mut at = 0;
    let head = get(bytes, &mut at)?;
    let mut value = || {
        let kind = *bytes.get(at)?;
        at += 1;
        get_bits(kind & 0xf, bytes, &mut at).map(Value::from)
    };
    let receiver = if head & 1 == 1 { Some(value()?) } else { None };
    // No method has more than 255 parameters.
    let values = (0..(head >> 1).min(255)).map(|_| value()).collect::<Option<Vec<Value>>>()?;
    Some(Arguments { receiver, values })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::ObjectId;

    #[test]
    fn a_call_survives_its_row() {
        let endings = [
            Ending::Open,
            Ending::Returned(None),
            Ending::Returned(Some(Value::Long(-1))),
            Ending::Threw(None),
            Ending::Threw(Some(Value::Object(ObjectId(7)))),
        ];
        let targets = [
            Target::Method(MethodId(u32::MAX)),
            Target::Library(CalleeId { class: ClassId(9), index: u16::MAX }),
        ];
        for (ending, target) in endings.into_iter().flat_map(|ending| targets.map(|target| (ending, target)))
        {
            let call = CallRow {
                target,
                parent: Some(3),
                depth: 4,
                entry: 1 << 40,
                exit: 1 << 41,
                bci: 17,
                size: 12,
                children: 2,
                ending,
                args: 1 << 35,
            };
            let mut bytes = Vec::new();
            call.encode(&mut bytes);
            assert_eq!(bytes.len(), CallRow::SIZE);
            assert_eq!(CallRow::decode(&bytes), call);
        }
    }

    #[test]
    fn arguments_survive_their_bytes_and_damage_gives_none() {
        let args = Arguments {
            receiver: Some(Value::Object(ObjectId(0x8000_0001))),
            values: vec![Value::Int(-1), Value::Null, Value::Double(0.5)],
        };
        let mut bytes = Vec::new();
        encode_args(args.receiver, &args.values, &mut bytes);
        assert_eq!(decode_args(&bytes), Some(args));
        assert_eq!(decode_args(&bytes[..4]), None);
    }
}
