//! A call as the index gives it, and the end of one that lasted too long to be packed with its neighbours.

use base::{Ending, Target, Value};

use crate::file::{FixedRow, u32_at, u64_at, uint_at};
use crate::packed::Packed;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CallRow {
    pub target: Target,
    /// The call that it was made in.
    pub parent: Option<u32>,
    /// Open calls around it.
    pub depth: u32,
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
}

/// How a call ended that had not when its block was packed. Its place is kept free until it does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LateRow {
    pub exit: u64,
    pub size: u32,
    pub children: u32,
    pub ending: Ending,
}

impl From<&CallRow> for LateRow {
    fn from(call: &CallRow) -> LateRow {
        LateRow { exit: call.exit, size: call.size, children: call.children, ending: call.ending }
    }
}

const THREW: u8 = 1;
const OPEN: u8 = 2;
const MAX48: u64 = (1 << 48) - 1;

impl FixedRow for LateRow {
    const SIZE: usize = 24;

    fn encode(&self, out: &mut Vec<u8>) {
        let (flags, value) = match self.ending {
            Ending::Open => (OPEN, None),
            Ending::Returned(value) => (0, value),
            Ending::Threw(value) => (THREW, value),
        };
        let value = value.map_or(Packed::NOTHING, Packed::from);
        out.extend_from_slice(&self.exit.min(MAX48).to_le_bytes()[..6]);
        out.extend_from_slice(&[flags, value.kind]);
        out.extend_from_slice(&self.size.to_le_bytes());
        out.extend_from_slice(&self.children.to_le_bytes());
        out.extend_from_slice(&value.bits.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> LateRow {
        let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
        let value = match byte(7) & 0xf {
            0 => None,
            kind => Some(Value::from(Packed { kind, bits: u64_at(bytes, 16) })),
        };
        LateRow {
            exit: uint_at(bytes, 0, 6),
            size: u32_at(bytes, 8),
            children: u32_at(bytes, 12),
            ending: match byte(6) {
                flags if flags & OPEN != 0 => Ending::Open,
                flags if flags & THREW != 0 => Ending::Threw(value),
                _ => Ending::Returned(value),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::ObjectId;

    #[test]
    fn a_late_end_survives_its_row() {
        let endings = [
            Ending::Open,
            Ending::Returned(None),
            Ending::Returned(Some(Value::Long(-1))),
            Ending::Threw(None),
            Ending::Threw(Some(Value::Object(ObjectId(7)))),
        ];
        for ending in endings {
            let late = LateRow { exit: 1 << 41, size: 12, children: 2, ending };
            let mut bytes = Vec::new();
            late.encode(&mut bytes);
            assert_eq!(bytes.len(), LateRow::SIZE);
            assert_eq!(LateRow::decode(&bytes), late);
        }
    }
}
