//! The log of one thread as replay reads it: definitions stepped over, pieces loaded one after the other or from
//! any offset on, an exception that is ahead read in advance. Nothing in here trusts a byte.

use std::sync::Arc;

use super::slot::{self, Slot};
use crate::ids::{MethodId, StringId, TypeId};
use crate::record::{self, Record, short, tag, word};
use crate::value::Value;

/// What the log has next, besides records. `WAIT`: what comes next cannot be relied on before the log has grown.
pub(super) const WAIT: u8 = 0x7d;
pub(super) const RAISED: u8 = 0x7e;
pub(super) const LOST: u8 = 0x7f;

/// A thread's log in pieces, and how to get one.
pub(crate) struct Log<'r> {
    /// Where each piece begins, and where the last one ends. A piece without bytes is one that is missing.
    pub starts: Arc<[u64]>,
    /// The bytes of a piece; none if it is missing or unreadable.
    pub load: Box<dyn Fn(usize) -> Option<Vec<u8>> + 'r>,
    /// The log still grows: up to here everything stays as it is (see `tail`). Otherwise `u64::MAX`.
    pub firm: u64,
}

/// A place in a log, such that reading on from it is the same as never having stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LogPosition {
    pub offset: u64,
    /// Missing pieces at this very offset that were passed.
    pub passed: u32,
    /// A loss is ahead.
    pub lost: bool,
}

/// An `unwind` or `catch` record with its exception.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raised {
    /// Position of the record.
    pub start: u64,
    pub depth: u32,
    /// The entry of the exception table; none for `unwind`.
    pub handler: Option<u16>,
    /// None if it could not be recorded.
    pub exception: Option<Value>,
}

pub(super) struct Source<'r> {
    log: Log<'r>,
    /// The piece after those in `bytes`.
    next: usize,
    bytes: Vec<u8>,
    at: usize,
    /// Records that begin `LONGEST_PLAIN` bytes before this are whole, and firm.
    plain_to: usize,
    /// Position of the first byte in `bytes`.
    base: u64,
    lost: bool,
    /// Read in advance; then `bytes[at]` is `RAISED` in place of the last byte of what was read.
    raised: Option<Raised>,
    seqs: Option<SeqRun>,
}

impl<'r> Source<'r> {
    pub fn new(log: Log<'r>) -> Source<'r> {
        Source {
            log,
            next: 0,
            bytes: Vec::new(),
            at: 0,
            plain_to: 0,
            base: 0,
            lost: false,
            raised: None,
            seqs: None,
        }
    }

    pub fn at(log: Log<'r>, place: LogPosition) -> Source<'r> {
        let mut source = Source::new(log);
        source.seek(place.offset, place.passed as usize);
        source.lost |= place.lost;
        source
    }

    pub fn into_log(self) -> Log<'r> {
        self.log
    }

    /// Where it is.
    pub fn log_position(&self) -> LogPosition {
        let offset = self.offset();
        let starts = &self.log.starts;
        let first = starts.partition_point(|&start| start < offset);
        let inside = self.raised.is_some() || self.at < self.bytes.len();
        let here = if inside {
            starts.partition_point(|&start| start <= offset).saturating_sub(1)
        } else {
            self.next
        };
        LogPosition {
            offset,
            passed: here.saturating_sub(first) as u32,
            lost: self.lost && self.raised.is_none(),
        }
    }

    /// Goes to a record, without looking at what lies between.
    pub fn go_to(&mut self, offset: u64) {
        if self.raised.is_some_and(|raised| raised.start == offset) {
            return;
        }
        if self.raised.is_none()
            && offset >= self.offset()
            && offset - self.offset() < (self.bytes.len() - self.at) as u64
        {
            self.at += (offset - self.offset()) as usize;
            return;
        }
        let starts = &self.log.starts;
        let first = starts.partition_point(|&start| start < offset);
        let here = starts.partition_point(|&start| start <= offset).saturating_sub(1);
        self.seek(offset, here.saturating_sub(first));
    }

    fn seek(&mut self, offset: u64, passed: usize) {
        self.raised = None;
        self.lost = false;
        self.bytes.clear();
        self.at = 0;
        self.plain_to = 0;
        self.base = offset;
        self.next = self.log.starts.partition_point(|&start| start < offset);
        match self.log.starts.get(self.next) {
            Some(&start) if start > offset => {
                self.next = self.next.saturating_sub(1);
                self.load();
                self.at = (offset.saturating_sub(self.base) as usize).min(self.bytes.len());
            }
            _ => self.next += passed,
        }
    }

    /// Loads the next piece; false if there is none.
    fn load(&mut self) -> bool {
        let (Some(&start), Some(&end)) = (self.log.starts.get(self.next), self.log.starts.get(self.next + 1))
        else {
            return false;
        };
        let loaded = (self.log.load)(self.next);
        self.next += 1;
        self.lost = loaded.is_none();
        self.base = if self.lost { end } else { start };
        self.bytes = loaded.unwrap_or_default();
        self.at = 0;
        self.limit();
        true
    }

    fn limit(&mut self) {
        let firm = usize::try_from(self.log.firm.saturating_sub(self.base)).unwrap_or(usize::MAX);
        self.plain_to = self.bytes.len().min(firm.saturating_add(LONGEST_PLAIN - 1));
    }

    /// The tag of the next record, which is whole; `END` at the end of the stream. Exceptions are `RAISED`.
    /// For looking ahead: does not mind whether the log still grows there.
    #[inline]
    pub fn tag(&mut self) -> u8 {
        match self.bytes.get(self.at) {
            Some(&tag::ENTER_SHORT) if self.bytes.len() - self.at >= LONGEST_PLAIN => tag::ENTER,
            Some(&tag) if PLAIN[usize::from(tag)] && self.bytes.len() - self.at >= LONGEST_PLAIN => tag,
            _ => self.settle(true, false),
        }
    }

    /// As `tag`, for where the code can stop and start anew: `WAIT` where the log may still change.
    #[inline]
    pub fn wanted(&mut self) -> u8 {
        match self.bytes.get(self.at) {
            Some(&tag::ENTER_SHORT) if self.at + LONGEST_PLAIN <= self.plain_to => tag::ENTER,
            Some(&tag) if PLAIN[usize::from(tag)] && self.at + LONGEST_PLAIN <= self.plain_to => tag,
            _ => self.settle(true, true),
        }
    }

    /// Is the log not yet long enough here?
    #[inline]
    pub fn waits(&mut self) -> bool {
        self.grows() && self.wanted() == WAIT
    }

    /// Does the log still grow? Then tables and other threads' definitions may also be behind.
    #[inline]
    pub fn grows(&self) -> bool {
        self.log.firm != u64::MAX
    }

    /// Where the next record begins, or definitions before it.
    pub fn offset(&self) -> u64 {
        match &self.raised {
            Some(raised) => raised.start,
            None => self.base.wrapping_add(self.at as u64),
        }
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

    /// The number in the `i16` record that `tag` announced.
    #[inline]
    fn middle(&self) -> i32 {
        short(&self.bytes, self.at + 1).map_or(0, |bits| i32::from(bits as i16))
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
        if tag >= tag::TINY {
            let value = match kind {
                b'F' => Value::Float(f32::from_bits(tag::tiny(tag) as u32)),
                b'I' | b'Z' | b'B' | b'C' | b'S' | ANY => Value::Int(tag::tiny(tag)),
                _ => return None,
            };
            self.at += 1;
            return Some(value);
        }
        let (value, size) = match (tag, kind) {
            (tag::I32, b'F') => (Value::Float(f32::from_bits(self.word(1))), 5),
            (tag::I32, b'I' | b'Z' | b'B' | b'C' | b'S' | ANY) => (Value::Int(self.word(1) as i32), 5),
            (tag::I16, b'F') => (Value::Float(f32::from_bits(self.middle() as u32)), 3),
            (tag::I16, b'I' | b'Z' | b'B' | b'C' | b'S' | ANY) => (Value::Int(self.middle()), 3),
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
            (tag::TINY.., b'I' | b'F' | b'Z' | b'B' | b'C' | b'S') => (u64::from(tag::tiny(tag) as u32), 1),
            (tag::I16, b'I' | b'F' | b'Z' | b'B' | b'C' | b'S') => (u64::from(self.middle() as u32), 3),
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

    /// The exception that leaves a synchronized method: it stands after a `seq`.
    pub fn raised_after_seq(&mut self) -> Option<Raised> {
        self.raised_behind(SEQ_SIZE)
    }

    /// The stack overflow behind the `links` that is ahead.
    pub fn raised_after_links(&mut self) -> Option<Raised> {
        self.raised_behind(LINKS_SIZE)
    }

    fn raised_behind(&mut self, size: usize) -> Option<Raised> {
        loop {
            match self.look_behind(size) {
                Ok(found) => return found,
                Err(Short) if self.join() => {}
                Err(Short) => return None,
            }
        }
    }

    fn look_behind(&self, size: usize) -> Result<Option<Raised>, Short> {
        let mut at = self.after_definitions(self.at + size)?;
        let start = self.base.wrapping_add(at as u64);
        let handler = match self.bytes[at] {
            tag::UNWIND => None,
            tag::CATCH => Some(short(&self.bytes, at + 5).ok_or(Short)?),
            _ => return Ok(None),
        };
        let depth = word(&self.bytes, at + 1).ok_or(Short)?;
        at = self.after_definitions(at + if handler.is_some() { 7 } else { 5 })?;
        Ok(match record::decode(&self.bytes[at..]) {
            Some((Record::Ref(id), _)) => {
                Some(Raised { start, depth, handler, exception: Some(Value::of_ref(id)) })
            }
            _ => None,
        })
    }

    /// Tag and number of the record of five bytes behind the `seq`s that are ahead, unless there are very many; `WAIT` if
    /// the log may still grow there.
    pub fn behind_seqs(&mut self) -> Option<(u8, u32)> {
        let from = self.base.wrapping_add(self.at as u64);
        if let Some(run) = self.seqs.filter(|run| (run.from..run.to).contains(&from)) {
            return run.behind;
        }
        loop {
            let (mut at, mut half) = (Ok(self.at), self.at);
            for number in 0..MANY_SEQS {
                match at {
                    Ok(here) if self.bytes.get(here) == Some(&tag::SEQ) => {
                        if number == MANY_SEQS / 2 {
                            half = here;
                        }
                        at = self.after_definitions(here + SEQ_SIZE);
                    }
                    _ => break,
                }
            }
            let found = at.ok().and_then(|at| Some((at, *self.bytes.get(at)?, word(&self.bytes, at + 1)?)));
            let (to, behind) = match found {
                Some((at, _, _)) if self.base.wrapping_add(at as u64) >= self.log.firm => {
                    return Some((WAIT, 0));
                }
                Some((_, tag::SEQ, _)) => (half, None),
                Some((at, tag, number)) => (at, Some((tag, number))),
                None if self.join() => continue,
                None => return self.grows().then_some((WAIT, 0)),
            };
            self.seqs = Some(SeqRun { from, to: self.base.wrapping_add(to as u64), behind });
            return behind;
        }
    }

    /// Takes the next piece to the present one; false if there is none.
    fn join(&mut self) -> bool {
        if self.next + 1 >= self.log.starts.len() {
            return false;
        }
        let Some(more) = (self.log.load)(self.next) else { return false };
        self.next += 1;
        self.bytes.extend_from_slice(&more);
        self.limit();
        true
    }

    /// Goes on behind the place where something is missing.
    pub fn pass_loss(&mut self) {
        self.lost = false;
    }

    /// Where the next record is that is no definition.
    fn after_definitions(&self, mut at: usize) -> Result<usize, Short> {
        while let Some(&tag) = self.bytes.get(at) {
            if tag != tag::END && !tag::is_definition(tag) {
                return Ok(at);
            }
            at += record::length(&self.bytes[at..]).ok_or(Short)?;
        }
        Err(Short)
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
    fn settle(&mut self, read_ahead: bool, wait: bool) -> u8 {
        loop {
            if wait && self.offset() >= self.log.firm {
                return WAIT;
            }
            if self.raised.is_some() && self.bytes.get(self.at) == Some(&RAISED) {
                return RAISED;
            }
            if self.lost {
                return LOST;
            }
            let Some(&tag) = self.bytes.get(self.at) else {
                if self.load() {
                    continue;
                }
                return tag::END;
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
        let start = self.offset();
        let (depth, handler) = match self.record() {
            Some(Record::Unwind { depth }) => (depth, None),
            Some(Record::Catch { depth, handler }) => (depth, Some(handler)),
            _ => return,
        };
        let tag = self.settle(false, false);
        // A stack overflow may have kept the exception from being recorded.
        let exception = self.value(tag, b'L');
        self.raised = Some(Raised { start, depth, handler, exception });
        match self.at.checked_sub(1) {
            Some(before) => {
                self.at = before;
                self.bytes[before] = RAISED;
            }
            None => {
                self.bytes.insert(0, RAISED);
                self.base = self.base.wrapping_sub(1);
                self.limit();
            }
        }
    }
}

/// Any kind of value, for where no descriptor is known.
pub(super) const ANY: u8 = b'?';

/// The bytes at hand end too soon.
struct Short;

/// What is known of a run of `seq`s, so that not each of them looks for its end.
#[derive(Clone, Copy)]
struct SeqRun {
    /// Where that holds.
    from: u64,
    to: u64,
    /// The record behind; none where there are very many.
    behind: Option<(u8, u32)>,
}

const SEQ_SIZE: usize = 8;
/// Between the announcement of a call and the record that says what came of it there is one `seq` at most, where an exception
/// leaves a synchronized caller; where the stack overflowed, one for each caller that had no room to say that it is left, too.
/// More of them are those of linked calls, and may be hundreds of millions.
const MANY_SEQS: usize = 4096;
const LINKS_SIZE: usize = 5;
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
        tag::I16,
        tag::UNLINKED,
        tag::LINKS,
    ];
    let mut i = 0;
    while i < tags.len() {
        plain[tags[i] as usize] = true;
        i += 1;
    }
    let mut tiny = tag::TINY as usize;
    while tiny < plain.len() {
        plain[tiny] = true;
        tiny += 1;
    }
    plain
};
