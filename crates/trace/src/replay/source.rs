//! The log of one thread as replay reads it: definitions stepped over, frames loaded one after the other, an
//! exception that is ahead read in advance. Nothing in here trusts a byte.

use super::slot::{self, Slot};
use crate::ids::{MethodId, StringId, TypeId};
use crate::record::{self, Record, short, tag, word};
use crate::value::Value;

/// What the log has next, besides records.
pub(super) const RAISED: u8 = 0xfe;
pub(super) const LOST: u8 = 0xff;

/// The next piece of a thread's log.
pub(crate) enum Piece {
    Bytes(Vec<u8>),
    /// Something is missing here.
    Lost,
    End,
}

/// An `unwind` or `catch` record with its exception.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raised {
    pub depth: u32,
    /// The entry of the exception table; none for `unwind`.
    pub handler: Option<u16>,
    /// None if it could not be recorded.
    pub exception: Option<Value>,
}

pub(super) struct Source<'r> {
    next: Box<dyn FnMut() -> Piece + 'r>,
    bytes: Vec<u8>,
    at: usize,
    /// Bytes before `bytes`.
    passed: u64,
    lost: bool,
    /// Read in advance; then `bytes[at]` is `RAISED` in place of the last byte of what was read.
    raised: Option<Raised>,
}

impl<'r> Source<'r> {
    pub fn new(next: impl FnMut() -> Piece + 'r) -> Source<'r> {
        Source { next: Box::new(next), bytes: Vec::new(), at: 0, passed: 0, lost: false, raised: None }
    }

    /// The tag of the next record, which is whole; `END` at the end of the stream. Exceptions are `RAISED`.
    #[inline]
    pub fn tag(&mut self) -> u8 {
        match self.bytes.get(self.at) {
            Some(&tag::ENTER_SHORT) if self.bytes.len() - self.at >= LONGEST_PLAIN => tag::ENTER,
            Some(&tag) if PLAIN[usize::from(tag)] && self.bytes.len() - self.at >= LONGEST_PLAIN => tag,
            _ => self.settle(true),
        }
    }

    /// A number that grows with every record that is read.
    pub fn position(&self) -> u64 {
        self.passed + self.at as u64
    }

    /// Steps over `size` bytes of the record that `tag` announced.
    #[inline]
    pub fn skip(&mut self, size: usize) {
        self.at += size;
    }

    /// A number in the record that `tag` announced.
    #[inline]
    pub fn word(&self, at: usize) -> u32 {
        word(&self.bytes, self.at + at).unwrap_or(0)
    }

    /// The number in the `i8` record that `tag` announced.
    #[inline]
    fn small(&self) -> i32 {
        self.bytes.get(self.at + 1).map_or(0, |&b| b as i8 as i32)
    }

    /// The method of the `enter` that `tag` announced, in either form.
    pub fn method(&self) -> MethodId {
        match self.bytes.get(self.at..).and_then(record::decode) {
            Some((Record::Enter(method), _)) => method,
            _ => MethodId(u32::MAX),
        }
    }

    /// Reads the record that `tag` announced.
    pub fn record(&mut self) -> Option<Record<'_>> {
        let start = self.at;
        let (record, length) = record::decode(self.bytes.get(start..)?)?;
        self.at += length;
        Some(record)
    }

    /// Reads the value that `tag` announced, as one of a descriptor letter; none (and nothing is read) if the
    /// log has a value of another kind.
    #[inline]
    pub fn value(&mut self, tag: u8, kind: u8) -> Option<Value> {
        let (value, size) = match (tag, kind) {
            (tag::I32, b'F') => (Value::Float(f32::from_bits(self.word(1))), 5),
            (tag::I32, b'I' | b'Z' | b'B' | b'C' | b'S' | ANY) => (Value::Int(self.word(1) as i32), 5),
            (tag::I8, b'F') => (Value::Float(f32::from_bits(self.small() as u32)), 2),
            (tag::I8, b'I' | b'Z' | b'B' | b'C' | b'S' | ANY) => (Value::Int(self.small()), 2),
            (tag::NULL, b'L' | ANY) => (Value::of_ref(0), 1),
            (tag::I64, b'D') => (Value::Double(f64::from_bits(self.long(1) as u64)), 9),
            (tag::I64, b'J' | ANY) => (Value::Long(self.long(1)), 9),
            (tag::REF, b'L' | ANY) => (Value::of_ref(self.word(1)), 5),
            (tag::STR, b'L' | ANY) => (Value::Str(StringId(self.word(1))), 5),
            (_, b'L' | ANY) => return self.by_value(tag),
            _ => return None,
        };
        self.at += size;
        Some(value)
    }

    /// As `value`, for the kinds that are common; none (and nothing is read) for all others.
    #[inline]
    pub fn slot(&mut self, tag: u8, kind: u8) -> Option<Slot> {
        let (slot, size) = match (tag, kind) {
            (tag::I32, b'I' | b'F' | b'Z' | b'B' | b'C' | b'S') => (u64::from(self.word(1)), 5),
            (tag::I8, b'I' | b'F' | b'Z' | b'B' | b'C' | b'S') => (u64::from(self.small() as u32), 2),
            (tag::NULL, b'L') => (slot::reference(0), 1),
            (tag::REF, b'L') => (slot::reference(self.word(1)), 5),
            (tag::STR, b'L') => (slot::string(self.word(1)), 5),
            (tag::I64, b'J' | b'D') => (self.long(1) as u64, 9),
            _ => return None,
        };
        self.at += size;
        Some(slot)
    }

    /// The exception that is ahead, if `tag` said `RAISED`.
    pub fn raised(&self) -> Option<Raised> {
        self.raised
    }

    pub fn take_raised(&mut self) -> Option<Raised> {
        let raised = self.raised.take();
        if raised.is_some() {
            self.at += 1;
        }
        raised
    }

    /// The exception that leaves a synchronized method: it stands after a `seq`. Not seen if a chunk ends between.
    pub fn raised_after_seq(&self) -> Option<Raised> {
        let mut at = self.after_definitions(self.at + SEQ_SIZE)?;
        let depth = word(&self.bytes, at + 1)?;
        let handler = match *self.bytes.get(at)? {
            tag::UNWIND => None,
            tag::CATCH => Some(short(&self.bytes, at + 5)?),
            _ => return None,
        };
        at = self.after_definitions(at + if handler.is_some() { 7 } else { 5 })?;
        match record::decode(self.bytes.get(at..)?)? {
            (Record::Ref(id), _) => Some(Raised { depth, handler, exception: Some(Value::of_ref(id)) }),
            _ => None,
        }
    }

    /// Goes on behind the place where something is missing.
    pub fn pass_loss(&mut self) {
        self.lost = false;
    }

    fn after_definitions(&self, mut at: usize) -> Option<usize> {
        while tag::is_definition(*self.bytes.get(at)?) {
            at += record::length(&self.bytes[at..])?;
        }
        Some(at)
    }

    #[inline]
    fn long(&self, at: usize) -> i64 {
        record::long(&self.bytes, self.at + at).unwrap_or(0)
    }

    #[cold]
    fn by_value(&mut self, tag: u8) -> Option<Value> {
        if !tag::is_value(tag) {
            return None;
        }
        Some(match self.record()? {
            Record::Box { kind, bits } => Value::Box { kind, bits },
            Record::Box64 { kind, bits } => Value::Box64 { kind, bits },
            Record::Class(ty) => Value::Class(ty),
            Record::Enum { ty, ordinal } => Value::Enum { ty: TypeId(ty.0), ordinal },
            Record::Ref(id) => Value::of_ref(id),
            Record::Str(id) => Value::Str(id),
            Record::I32(bits) => Value::Int(bits),
            Record::I64(bits) => Value::Long(bits),
            _ => return None,
        })
    }

    /// Goes to the next record that is no definition and makes sure that it is whole.
    #[inline(never)]
    fn settle(&mut self, read_ahead: bool) -> u8 {
        loop {
            if self.raised.is_some() && self.bytes.get(self.at) == Some(&RAISED) {
                return RAISED;
            }
            if self.lost {
                return LOST;
            }
            let Some(&tag) = self.bytes.get(self.at) else {
                match (self.next)() {
                    Piece::Bytes(bytes) => {
                        self.passed += self.bytes.len() as u64;
                        self.bytes = bytes;
                        self.at = 0;
                    }
                    Piece::Lost => self.lost = true,
                    Piece::End => return tag::END,
                }
                continue;
            };
            match record::length(&self.bytes[self.at..]) {
                None => {
                    self.at = self.bytes.len();
                    self.lost = true;
                }
                Some(length) if tag == tag::END || tag::is_definition(tag) => self.at += length,
                Some(_) if read_ahead && matches!(tag, tag::UNWIND | tag::CATCH) => self.read_raised(),
                Some(_) if tag == tag::ENTER_SHORT => return tag::ENTER,
                Some(_) => return tag,
            }
        }
    }

    /// Reads an `unwind` or `catch` and its exception, and leaves a mark that it is still ahead.
    fn read_raised(&mut self) {
        let (depth, handler) = match self.record() {
            Some(Record::Unwind { depth }) => (depth, None),
            Some(Record::Catch { depth, handler }) => (depth, Some(handler)),
            _ => return,
        };
        let tag = self.settle(false);
        // A stack overflow may have kept the exception from being recorded.
        let exception = self.value(tag, b'L');
        self.raised = Some(Raised { depth, handler, exception });
        match self.at.checked_sub(1) {
            Some(before) => {
                self.at = before;
                self.bytes[before] = RAISED;
            }
            None => self.bytes.insert(0, RAISED),
        }
    }
}

/// Any kind of value, for where no descriptor is known.
pub(super) const ANY: u8 = b'?';

const SEQ_SIZE: usize = 8;
/// Length of the longest plain record.
const LONGEST_PLAIN: usize = 10;

/// Tags that need no further look: neither definitions, nor exceptions, nor of variable length.
static PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let tags = [
        tag::I32,
        tag::I64,
        tag::REF,
        tag::STR,
        tag::BOX,
        tag::BOX64,
        tag::CLASS,
        tag::ENUM,
        tag::I8,
        tag::NULL,
        tag::ENTER,
        tag::EXIT,
        tag::RETURN,
        tag::SEQ,
        tag::EXIT_VALUE,
    ];
    let mut i = 0;
    while i < tags.len() {
        plain[tags[i] as usize] = true;
        i += 1;
    }
    plain
};
