//! A posting: one thing that happened to a location or an object. A location is an object and a place in it.

use base::{FieldId, ObjectId, Value};

use crate::packed::Packed;

/// Where a posting is filed: a location, or one of the lists that every object has besides its locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// 0 for statics.
    pub object: u32,
    /// A field, an array index, or a number of a list.
    pub place: u32,
}

impl Key {
    /// Writes to ranges of an array: copies, fills, contents that were seen.
    const RANGES: u32 = u32::MAX - 2;
    /// When the object was created.
    const CREATED: u32 = u32::MAX - 1;
    /// Calls that got or gave the object, and places where it was stored.
    const USES: u32 = u32::MAX;

    pub fn field(object: ObjectId, field: FieldId) -> Key {
        Key { object: object.0, place: field.0 }
    }

    pub fn of_static(field: FieldId) -> Key {
        Key { object: 0, place: field.0 }
    }

    pub fn element(array: ObjectId, index: u32) -> Key {
        Key { object: array.0, place: index }
    }

    pub fn ranges(array: ObjectId) -> Key {
        Key { object: array.0, place: Self::RANGES }
    }

    pub fn created(object: ObjectId) -> Key {
        Key { object: object.0, place: Self::CREATED }
    }

    pub fn uses(object: ObjectId) -> Key {
        Key { object: object.0, place: Self::USES }
    }

    /// Is it a location, and not one of an object's lists?
    pub fn is_location(self) -> bool {
        self.place < Self::RANGES
    }

    /// Is it a field that a library declares, and of which only the program's uses are known?
    pub fn is_of_library(self) -> bool {
        self.is_location() && FieldId(self.place).is_of_library()
    }

    pub(crate) fn is_ranges(self) -> bool {
        self.place == Self::RANGES
    }

    pub(crate) fn is_uses(self) -> bool {
        self.place == Self::USES
    }

    /// As a number that sorts by object, its lists before its locations: then numbers of places are small.
    #[inline]
    pub(crate) fn packed(self) -> u64 {
        u64::from(self.object) << 32 | u64::from(self.place.wrapping_sub(Self::RANGES))
    }

    pub(crate) fn unpacked(bits: u64) -> Key {
        Key { object: (bits >> 32) as u32, place: (bits as u32).wrapping_add(Self::RANGES) }
    }
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PostingKind {
    /// It was written.
    Written(Value),
    /// It was seen to hold this, when it came out of a library.
    Seen(Value),
    /// Code of the program read this from it, and no write that is recorded had told so. Who wrote it, and when, is not
    /// known: before, it may have held anything. `Top`: from here on, because code of a library ran that declares the field.
    Read(Value),
    /// `length` elements from `to` on became those that `source` had from `from` on.
    Copied {
        source: ObjectId,
        from: u32,
        to: u32,
        length: u32,
    },
    /// Elements `from..to` became this.
    Filled {
        from: u32,
        to: u32,
        value: Value,
    },
    /// Elements from `from` on were seen: `count` of them, in the contents file at `at`. `cut`: those behind may have
    /// changed too, and were not looked at.
    SeenRange {
        at: u64,
        from: u32,
        count: u32,
        cut: bool,
    },
    Created,
    /// A call got it (`part` = number of the argument, the receiver first) or gave it back (`RESULT`).
    Used {
        call: u32,
        part: u32,
    },
    /// It was stored in a location.
    Stored(Key),
    /// A lambda or method reference that was made here has it in hand. Told of builders and the like, which whoever has
    /// them may write to unseen.
    Captured,
}

/// `part` of a use as the result of a call.
pub const RESULT: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Posting {
    pub key: Key,
    /// Number of the event in its stream.
    pub ordinal: u64,
    /// The place in the code of the innermost call; `NO_BCI` if it is not known.
    pub bci: u16,
    /// By code of a library, below that call.
    pub library: bool,
    pub what: PostingKind,
}

pub const NO_BCI: u16 = u16::MAX;

/// A posting in the form in which it is sorted and stored: a tag, and two words.
#[derive(Clone, Copy, Default)]
pub(crate) struct Stored {
    pub key: u64,
    pub ordinal: u64,
    pub a: u64,
    pub b: u64,
    pub bci: u16,
    pub tag: u8,
}

impl Stored {
    /// A location was written.
    #[inline]
    pub fn written(key: Key, value: Packed, ordinal: u64, bci: u16, library: bool) -> Stored {
        let tag = value.kind | if library { LIBRARY } else { 0 };
        Stored { key: key.packed(), ordinal, a: value.bits, b: 0, bci, tag }
    }

    /// The object was stored in a location.
    #[inline]
    pub fn placed(object: ObjectId, place: Key, ordinal: u64, bci: u16, library: bool) -> Stored {
        let tag = STORED | if library { LIBRARY } else { 0 };
        Stored { key: Key::uses(object).packed(), ordinal, a: place.packed(), b: 0, bci, tag }
    }
}

const SEEN: u8 = 0x10;
const FILLED: u8 = 0x20;
const COPIED: u8 = 0x30;
const SEEN_RANGE: u8 = 0x31;
const CREATED: u8 = 0x32;
const USED: u8 = 0x33;
const STORED: u8 = 0x34;
const CAPTURED: u8 = 0x35;
const READ: u8 = 0x40;
const LIBRARY: u8 = 0x80;
/// Bit of the number of elements that were seen. So many at once are never recorded.
const CUT: u32 = 1 << 31;

#[derive(Clone, Copy)]
pub(crate) enum PayloadLayout {
    /// One value of the kind.
    Value(u8),
    /// A value and a word.
    ValueAndWord(u8),
    Words(u8),
    /// A key.
    Key,
}

/// How the payload of a tag is stored.
pub(crate) fn layout(tag: u8) -> PayloadLayout {
    match tag & !LIBRARY {
        tag @ (0..=0x1f | READ..=0x4f) => PayloadLayout::Value(tag & 0xf),
        tag @ FILLED..=0x2f => PayloadLayout::ValueAndWord(tag & 0xf),
        CREATED | CAPTURED => PayloadLayout::Words(0),
        STORED => PayloadLayout::Key,
        _ => PayloadLayout::Words(2),
    }
}

impl From<&Posting> for Stored {
    #[inline]
    fn from(posting: &Posting) -> Stored {
        let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
        let (tag, a, b) = match posting.what {
            PostingKind::Written(value) => {
                let packed = Packed::from(value);
                (packed.kind, packed.bits, 0)
            }
            PostingKind::Seen(value) => {
                let packed = Packed::from(value);
                (SEEN | packed.kind, packed.bits, 0)
            }
            PostingKind::Read(value) => {
                let packed = Packed::from(value);
                (READ | packed.kind, packed.bits, 0)
            }
            PostingKind::Copied { source, from, to, length } => {
                (COPIED, pair(source.0, from), pair(to, length))
            }
            PostingKind::Filled { from, to, value } => {
                let packed = Packed::from(value);
                (FILLED | packed.kind, packed.bits, pair(from, to))
            }
            PostingKind::SeenRange { at, from, count, cut } => {
                (SEEN_RANGE, at, pair(from, count | if cut { CUT } else { 0 }))
            }
            PostingKind::Created => (CREATED, 0, 0),
            PostingKind::Used { call, part } => (USED, u64::from(call), u64::from(part)),
            PostingKind::Stored(key) => (STORED, key.packed(), 0),
            PostingKind::Captured => (CAPTURED, 0, 0),
        };
        let tag = tag | if posting.library { LIBRARY } else { 0 };
        Stored { key: posting.key.packed(), ordinal: posting.ordinal, a, b, bci: posting.bci, tag }
    }
}

impl From<&Stored> for Posting {
    fn from(stored: &Stored) -> Posting {
        let high = |word: u64| (word >> 32) as u32;
        let value = |kind: u8| Value::from(Packed { kind, bits: stored.a });
        let what = match stored.tag & !LIBRARY {
            tag @ 0..=0x0f => PostingKind::Written(value(tag)),
            tag @ SEEN..=0x1f => PostingKind::Seen(value(tag & 0xf)),
            tag @ READ..=0x4f => PostingKind::Read(value(tag & 0xf)),
            tag @ FILLED..=0x2f => {
                PostingKind::Filled { from: high(stored.b), to: stored.b as u32, value: value(tag & 0xf) }
            }
            COPIED => PostingKind::Copied {
                source: ObjectId(high(stored.a)),
                from: stored.a as u32,
                to: high(stored.b),
                length: stored.b as u32,
            },
            SEEN_RANGE => {
                let count = stored.b as u32;
                let cut = count & CUT != 0;
                PostingKind::SeenRange { at: stored.a, from: high(stored.b), count: count & !CUT, cut }
            }
            CREATED => PostingKind::Created,
            USED => PostingKind::Used { call: stored.a as u32, part: stored.b as u32 },
            CAPTURED => PostingKind::Captured,
            _ => PostingKind::Stored(Key::unpacked(stored.a)),
        };
        Posting {
            key: Key::unpacked(stored.key),
            ordinal: stored.ordinal,
            bci: stored.bci,
            library: stored.tag & LIBRARY != 0,
            what,
        }
    }
}
