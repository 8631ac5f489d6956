//! Which reads of the program tell something that no recorded write told: fields that a library, reflection or native code
//! filled, elements that were never looked at. Only those are worth a posting, and nearly no read is one; so a small
//! table of the last values is asked first, and nothing here grows with the number of reads.

use base::{FieldId, ObjectId, StreamId, Value};
use rustc_hash::FxHashMap;
use trace::Program;

use crate::packed::{Packed, kind};
use crate::posting::Key;

/// Locations whose last values are kept.
const KEPT: usize = 1 << 14;

/// What is known of reads while an index is built.
pub(crate) struct Reads {
    last: Vec<Last>,
    made: Made,
    /// Objects that a library had the program's constructor make, and may have written to since.
    foreign: Made,
    /// Arrays of which only the elements before this one were looked at.
    cut: FxHashMap<u32, u32>,
    /// By field: can nothing that is recorded write it?
    unwritten: FxHashMap<FieldId, bool>,
    /// So many elements of an array are looked at, at most.
    limit: Option<u32>,
    /// No thread but one runs code of the program, so nobody else changes what it knows.
    pub alone: bool,
    /// Not everything is indexed: what was read tells of writes that are elsewhere.
    pub partial: bool,
    /// Whose events are read.
    stream: Option<StreamId>,
}

/// The last value of a location, and after how many events it was read last, if it was since it was written.
#[derive(Clone, Copy)]
struct Last {
    key: u64,
    value: Packed,
    at: u64,
}

/// Keys that no location has: nothing was there yet; something was, and is not known.
const EMPTY: u64 = u64::MAX;
const UNTOLD: u64 = u64::MAX - 1;

const NOTHING: Last = Last { key: EMPTY, value: Packed::NOTHING, at: 0 };

/// How a value that is read fits the last one of its location.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fits {
    Same,
    /// It held this, and was read last after so many events, if it was since it was written.
    Other(Value, Option<u64>),
    /// Nothing is remembered of the location. `ever`: nor was there ever anything to be remembered in its place, so it was
    /// neither written nor read.
    Missing {
        ever: bool,
    },
}

/// What is known of how an object came into being.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Unknown,
    /// It began with zeros, and went to a library.
    Foreign,
    /// It began with zeros, in the program's hands.
    Made,
}

impl Default for Reads {
    fn default() -> Reads {
        Reads {
            last: vec![NOTHING; KEPT],
            made: Made::default(),
            foreign: Made::default(),
            cut: FxHashMap::default(),
            unwritten: FxHashMap::default(),
            limit: None,
            alone: true,
            partial: false,
            stream: None,
        }
    }
}

impl Reads {
    /// A stream's events follow, or are gone on with. `alone`: there is one thread, and all of its streams come in order.
    pub fn begin(&mut self, stream: StreamId, alone: bool, limit: Option<u32>) {
        if !alone {
            self.last.fill(NOTHING);
        } else if self.stream.replace(stream) != Some(stream) {
            // When something was read last is told in numbers of its stream.
            self.last.iter_mut().for_each(|last| last.at = 0);
        }
        (self.alone, self.limit) = (alone, limit);
    }

    /// A location was written.
    #[inline]
    pub fn wrote(&mut self, key: Key, value: impl Into<Packed>) {
        let (key, value) = (key.packed(), value.into());
        // What is not told takes the place all the same: there is something now that is not known.
        self.last[slot(key)] =
            if is_told(value) { Last { key, value, at: 0 } } else { Last { key: UNTOLD, ..NOTHING } };
    }

    /// A location was read.
    #[inline]
    pub fn read(&mut self, key: Key, value: impl Into<Packed>, at: u64) -> Fits {
        let (key, value) = (key.packed(), value.into());
        let last = &mut self.last[slot(key)];
        if last.key == key && last.value == value {
            last.at = at;
            return Fits::Same;
        }
        if !is_told(value) {
            return Fits::Same;
        }
        let before = std::mem::replace(last, Last { key, value, at });
        match before.key == key {
            true => Fits::Other(Value::from(before.value), (before.at > 0).then_some(before.at)),
            false => Fits::Missing { ever: before.key == EMPTY },
        }
    }

    /// Elements of an array became those of another: of what was not looked at there, nothing is known here either.
    pub fn copied(&mut self, source: ObjectId, target: ObjectId, to: u32) {
        if self.cut.is_empty() && self.made.has(source) {
            return;
        }
        if !self.made.has(source) || self.cut.contains_key(&source.0) {
            let cut = self.cut.entry(target.0).or_insert(to);
            *cut = to.min(*cut);
        }
    }

    /// Code that is recorded made the object.
    #[inline]
    pub fn make(&mut self, object: ObjectId) {
        self.made.set(object);
    }

    #[inline]
    pub fn is_made(&self, object: ObjectId) -> bool {
        self.made.has(object)
    }

    /// A library had the object made, by code that is recorded.
    pub fn make_foreign(&mut self, object: ObjectId) {
        self.foreign.set(object);
    }

    pub fn origin(&self, object: ObjectId) -> Origin {
        match () {
            () if self.made.has(object) => Origin::Made,
            () if self.foreign.has(object) => Origin::Foreign,
            () => Origin::Unknown,
        }
    }

    /// Elements of an array were looked at, those before `end`; `cut`: and not the others.
    pub fn looked_at(&mut self, array: ObjectId, end: u32, cut: bool) {
        if cut {
            self.cut.insert(array.0, end);
        } else if !self.cut.is_empty() {
            self.cut.remove(&array.0);
        }
        // What it holds is known, as if it had been made here.
        self.made.set(array);
    }

    /// Was an array looked at up to here, and no further, although it has more elements? They come piece by piece.
    pub fn is_cut(&self, end: u32, length: u32) -> bool {
        end < length && self.limit.is_none_or(|limit| end >= limit)
    }

    /// May an element hold what nobody has told?
    #[inline]
    pub fn is_unseen(&self, array: ObjectId, index: u32) -> bool {
        if !self.made.has(array) {
            return true;
        }
        !self.cut.is_empty() && self.cut.get(&array.0).is_some_and(|&end| index >= end)
    }

    /// Is there no code in the recording that writes the field?
    pub fn is_unwritten(&mut self, program: &Program, field: FieldId) -> bool {
        *self.unwritten.entry(field).or_insert_with(|| program.is_unwritten(field))
    }
}

#[inline]
fn slot(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize % KEPT
}

/// Does the value say which it is?
#[inline]
pub(crate) fn is_told(value: impl Into<Packed>) -> bool {
    !matches!(value.into().kind, kind::TOP | kind::UNIDENTIFIED | kind::PENDING)
}

/// Is it what a new object has?
pub(crate) fn is_zero(value: Value) -> bool {
    matches!(value, Value::Null | Value::Int(0) | Value::Long(0))
        || matches!(value, Value::Float(zero) if zero.to_bits() == 0)
        || matches!(value, Value::Double(zero) if zero.to_bits() == 0)
}

/// A bit per object: those of the program, and the others.
#[derive(Default)]
struct Made {
    program: Vec<u64>,
    library: Vec<u64>,
}

impl Made {
    #[inline]
    fn has(&self, object: ObjectId) -> bool {
        let words = if object.is_program() { &self.program } else { &self.library };
        let word = words.get(object.number() as usize / 64).copied().unwrap_or(0);
        word >> (object.number() % 64) & 1 == 1
    }

    #[inline]
    fn set(&mut self, object: ObjectId) {
        let words = if object.is_program() { &mut self.program } else { &mut self.library };
        let at = object.number() as usize / 64;
        if words.len() <= at {
            words.resize(at + 1, 0);
        }
        words[at] |= 1 << (object.number() % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_is_news_unless_its_location_is_known_to_hold_that() {
        let mut reads = Reads::default();
        let key = Key::field(ObjectId(0x8000_0005), FieldId(7));
        assert_eq!(reads.read(key, Value::Int(1), 1), Fits::Missing { ever: true });
        assert_eq!(reads.read(key, Value::Int(1), 2), Fits::Same);
        reads.wrote(key, Value::Int(2));
        assert_eq!(reads.read(key, Value::Int(2), 4), Fits::Same);
        assert_eq!(reads.read(key, Value::Int(3), 5), Fits::Other(Value::Int(2), Some(4)));
        assert_eq!(reads.read(key, Value::Unidentified, 6), Fits::Same);
        reads.wrote(key, Value::Int(9));
        assert_eq!(reads.read(key, Value::Int(3), 7), Fits::Other(Value::Int(9), None));
        reads.wrote(key, Value::Unidentified);
        assert_eq!(reads.read(key, Value::Int(3), 8), Fits::Missing { ever: false });
        reads.begin(StreamId(1), true, None);
        assert_eq!(reads.read(key, Value::Int(3), 9), Fits::Same);
        reads.begin(StreamId(2), true, None);
        assert_eq!(
            reads.read(key, Value::Int(4), 1),
            Fits::Other(Value::Int(3), None),
            "read in another stream"
        );
        reads.begin(StreamId(2), false, Some(1000));
        assert!(reads.is_cut(1000, 1001) && !reads.is_cut(64, 1001) && !reads.is_cut(1000, 1000));
        assert_eq!(reads.read(key, Value::Int(3), 9), Fits::Missing { ever: true });
    }

    #[test]
    fn elements_are_unseen_until_they_are_looked_at_and_behind_the_cut() {
        let mut reads = Reads::default();
        let array = ObjectId(70);
        assert!(reads.is_unseen(array, 0) && !reads.is_made(array));
        reads.looked_at(array, 10, true);
        assert!(!reads.is_unseen(array, 9) && reads.is_unseen(array, 10));
        reads.looked_at(array, 20, false);
        assert!(!reads.is_unseen(array, 10));
        let other = ObjectId(71);
        reads.looked_at(other, 5, false);
        reads.looked_at(array, 10, true);
        reads.copied(array, other, 3);
        assert!(!reads.is_unseen(other, 2) && reads.is_unseen(other, 3));
        // The two kinds of objects are numbered by themselves.
        assert!(!reads.is_made(ObjectId(0x8000_0046)));
    }

    #[test]
    fn an_object_that_a_library_had_made_is_the_programs_once_it_alone_has_it() {
        let mut reads = Reads::default();
        let object = ObjectId(0x8000_0007);
        assert_eq!(reads.origin(object), Origin::Unknown);
        reads.make_foreign(object);
        assert_eq!((reads.origin(object), reads.is_made(object)), (Origin::Foreign, false));
        reads.make(object);
        assert_eq!(reads.origin(object), Origin::Made);
    }
}
