//! The small lists of an index: rows that point at calls and events.

use base::Value;
use trace::Jump;

use crate::file::{FixedRow, u32_at, u64_at};
use crate::packed::Packed;

/// An event of note: an exception that was thrown, a line that was printed, a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventRow {
    pub stream: u32,
    /// The innermost call; `u32::MAX` outside of any.
    pub call: u32,
    pub ordinal: u64,
}

impl FixedRow for EventRow {
    const SIZE: usize = 16;

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.stream.to_le_bytes());
        out.extend_from_slice(&self.call.to_le_bytes());
        out.extend_from_slice(&self.ordinal.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        EventRow { stream: u32_at(bytes, 0), call: u32_at(bytes, 4), ordinal: u64_at(bytes, 8) }
    }
}

/// How to step over a long call; sorted by stream and by when its code was entered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct JumpRow {
    pub stream: u32,
    /// The ordinal of its `Enter`.
    pub enter: u64,
    pub jump: Jump,
}

impl FixedRow for JumpRow {
    const SIZE: usize = 46;

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.stream.to_le_bytes());
        out.extend_from_slice(&self.enter.to_le_bytes());
        out.extend_from_slice(&self.jump.offset.to_le_bytes());
        out.extend_from_slice(&self.jump.events.to_le_bytes());
        out.extend_from_slice(&self.jump.pending.to_le_bytes());
        out.extend_from_slice(&self.jump.links.to_le_bytes());
        let value = self.jump.linked.flatten().map_or(Packed::NOTHING, Packed::from);
        out.extend_from_slice(&[u8::from(self.jump.linked.is_some()), value.kind]);
        out.extend_from_slice(&value.bits.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        JumpRow {
            stream: u32_at(bytes, 0),
            enter: u64_at(bytes, 4),
            jump: Jump {
                offset: u64_at(bytes, 12),
                events: u64_at(bytes, 20),
                pending: u32_at(bytes, 28),
                links: u32_at(bytes, 32),
                linked: (bytes.get(36) == Some(&1)).then(|| match bytes.get(37) {
                    None | Some(0) => None,
                    Some(&kind) => Some(Value::from(Packed { kind, bits: u64_at(bytes, 38) })),
                }),
            },
        }
    }
}

/// The row of a call's child number `at` * 256; sorted by stream, parent and `at`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChildRow {
    pub stream: u32,
    pub parent: u32,
    pub at: u32,
    pub row: u32,
}

impl FixedRow for ChildRow {
    const SIZE: usize = 16;

    fn encode(&self, out: &mut Vec<u8>) {
        for word in [self.stream, self.parent, self.at, self.row] {
            out.extend_from_slice(&word.to_le_bytes());
        }
    }

    fn decode(bytes: &[u8]) -> Self {
        ChildRow {
            stream: u32_at(bytes, 0),
            parent: u32_at(bytes, 4),
            at: u32_at(bytes, 8),
            row: u32_at(bytes, 12),
        }
    }
}

/// A state of the replay from which it can be gone on; sorted by stream and ordinal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CheckpointRow {
    pub stream: u32,
    /// How many of its lowest frames are those of the checkpoint before.
    pub shared: u32,
    pub ordinal: u64,
    pub offset: u64,
    pub length: u32,
}

impl FixedRow for CheckpointRow {
    const SIZE: usize = 28;

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.stream.to_le_bytes());
        out.extend_from_slice(&self.shared.to_le_bytes());
        out.extend_from_slice(&self.ordinal.to_le_bytes());
        out.extend_from_slice(&self.offset.to_le_bytes());
        out.extend_from_slice(&self.length.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        CheckpointRow {
            stream: u32_at(bytes, 0),
            shared: u32_at(bytes, 4),
            ordinal: u64_at(bytes, 8),
            offset: u64_at(bytes, 16),
            length: u32_at(bytes, 24),
        }
    }
}

/// What one stream has: events, rows, and where its blocks and shapes are in the lists of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StreamRow {
    pub stream: u32,
    pub calls: u32,
    pub events: u64,
    pub named: u32,
    pub call_blocks: u32,
    pub named_blocks: u32,
    pub late_blocks: u32,
    pub shapes: u32,
    /// Blocks of calls whose uses of objects are entered; those behind have to be looked at.
    pub entered: u32,
}

impl FixedRow for StreamRow {
    const SIZE: usize = 40;

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.stream.to_le_bytes());
        out.extend_from_slice(&self.calls.to_le_bytes());
        out.extend_from_slice(&self.events.to_le_bytes());
        let places = [self.named, self.call_blocks, self.named_blocks];
        for word in places.into_iter().chain([self.late_blocks, self.shapes, self.entered]) {
            out.extend_from_slice(&word.to_le_bytes());
        }
    }

    fn decode(bytes: &[u8]) -> Self {
        StreamRow {
            stream: u32_at(bytes, 0),
            calls: u32_at(bytes, 4),
            events: u64_at(bytes, 8),
            named: u32_at(bytes, 16),
            call_blocks: u32_at(bytes, 20),
            named_blocks: u32_at(bytes, 24),
            late_blocks: u32_at(bytes, 28),
            shapes: u32_at(bytes, 32),
            entered: u32_at(bytes, 36),
        }
    }
}
