//! A block of postings as columns. They are sorted by location and time, so each is told by how it differs from the one
//! before: the same location a little later, a number that is one more, an object that was made next.
//!
//! Bytes: which tags and places in the code occur (their number, and a column of them); then columns: which of those each
//! posting has, steps to its object and its place, steps to its time, and what its tag says of it: numbers, objects, other
//! values, words.

use crate::column::{self, Column};
use crate::packed::{get, kind, put, unzigzag, zigzag};
use crate::posting::{PayloadLayout, Stored, layout};

/// Postings per block.
pub(crate) const POSTINGS: usize = 256;

/// Buffers of what is being written.
#[derive(Default)]
pub(crate) struct ColumnBuffers {
    heads: Vec<u64>,
    head: Vec<u64>,
    objects: Vec<u64>,
    places: Vec<u64>,
    times: Vec<u64>,
    numbers: Vec<u64>,
    references: Vec<u64>,
    others: Vec<u64>,
    words: Vec<u64>,
}

impl ColumnBuffers {
    fn all(&mut self) -> [&mut Vec<u64>; 9] {
        [
            &mut self.heads,
            &mut self.head,
            &mut self.objects,
            &mut self.places,
            &mut self.times,
            &mut self.numbers,
            &mut self.references,
            &mut self.others,
            &mut self.words,
        ]
    }
}

/// What those before say of the next.
#[derive(Clone, Copy, Default)]
struct Before {
    key: u64,
    ordinal: u64,
    /// The last number, if it is of the same key, and the last object of any.
    number: u64,
    object: u64,
}

/// How a number of a posting is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Number,
    Reference,
    Other,
    Nothing,
}

fn class(value_kind: u8) -> Class {
    match value_kind {
        kind::TOP | kind::NULL | kind::UNIDENTIFIED => Class::Nothing,
        kind::INT | kind::LONG | kind::BOX_LONG => Class::Number,
        kind::OBJECT => Class::Reference,
        _ => Class::Other,
    }
}

/// Appends a block of postings. The first one's key and ordinal are for the reader to know.
pub(crate) fn write<'a>(
    postings: impl Iterator<Item = &'a Stored>,
    buffers: &mut ColumnBuffers,
    out: &mut Vec<u8>,
) {
    buffers.all().into_iter().for_each(Vec::clear);
    let mut before: Option<Before> = None;
    for posting in postings {
        let head = u64::from(posting.bci) << 8 | u64::from(posting.tag);
        let number = buffers.heads.iter().rposition(|&other| other == head).unwrap_or_else(|| {
            buffers.heads.push(head);
            buffers.heads.len() - 1
        });
        buffers.head.push(number as u64);
        let last =
            before.unwrap_or(Before { key: posting.key, ordinal: posting.ordinal, ..Before::default() });
        let way = (posting.key >> 32) - (last.key >> 32);
        buffers.objects.push(way);
        let place = posting.key & 0xffff_ffff;
        buffers.places.push(if way == 0 { place - (last.key & 0xffff_ffff) } else { place });
        buffers.times.push(time_step(way == 0 && posting.key == last.key, last.ordinal, posting.ordinal));
        let mut next = Before { key: posting.key, ordinal: posting.ordinal, ..last };
        if posting.key != last.key {
            next.number = 0;
        }
        let mut value = |value_kind: u8, bits: u64, next: &mut Before| match class(value_kind) {
            Class::Number => {
                let bits = if value_kind == kind::INT { bits as i32 as u64 } else { bits };
                buffers.numbers.push(zigzag(bits.wrapping_sub(next.number)));
                next.number = bits;
            }
            Class::Reference => {
                buffers.references.push(zigzag(bits.wrapping_sub(next.object)));
                next.object = bits;
            }
            Class::Other => buffers.others.push(bits),
            Class::Nothing => {}
        };
        match layout(posting.tag) {
            PayloadLayout::Value(value_kind) => value(value_kind, posting.a, &mut next),
            PayloadLayout::ValueAndWord(value_kind) => {
                value(value_kind, posting.a, &mut next);
                buffers.words.push(posting.b);
            }
            PayloadLayout::Key => {
                value(kind::OBJECT, posting.a >> 32, &mut next);
                buffers.words.push(posting.a & 0xffff_ffff);
            }
            PayloadLayout::Words(words) => {
                buffers.words.extend_from_slice(&[posting.a, posting.b][..usize::from(words)]);
            }
        }
        before = Some(next);
    }
    put(out, buffers.heads.len() as u64);
    buffers.all().into_iter().for_each(|values| column::write(values, out));
}

/// Within a key, time goes on; from one to another it may go back.
fn time_step(same: bool, from: u64, to: u64) -> u64 {
    if same { to.wrapping_sub(from) } else { zigzag(to.wrapping_sub(from)) }
}

/// The postings of a block, one after the other.
#[derive(Default)]
pub(crate) struct Postings<'a> {
    heads: Column<'a>,
    head: Column<'a>,
    objects: Column<'a>,
    places: Column<'a>,
    times: Column<'a>,
    numbers: Column<'a>,
    references: Column<'a>,
    others: Column<'a>,
    words: Column<'a>,
    at: usize,
    /// How many numbers, references, others and words are behind.
    used: [usize; 4],
    before: Before,
}

/// The block of so many postings that the bytes begin with.
pub(crate) fn read(bytes: &[u8], first: (u64, u64), count: usize) -> Option<Postings<'_>> {
    let mut at = 0;
    let heads = usize::try_from(get(bytes, &mut at)?).ok().filter(|&heads| heads <= count)?;
    let heads = Column::read(bytes, &mut at, heads)?;
    let mut next = |count| Column::read(bytes, &mut at, count);
    let (head, objects, places, times) = (next(count)?, next(count)?, next(count)?, next(count)?);
    // What the tags say there must be.
    let mut counts = [0; 4];
    for number in head.iter() {
        for (sum, more) in counts.iter_mut().zip(payload(heads.get(number as usize) as u8)) {
            *sum += more;
        }
    }
    let (numbers, references) = (next(counts[0])?, next(counts[1])?);
    let (others, words) = (next(counts[2])?, next(counts[3])?);
    let before = Before { key: first.0, ordinal: first.1, ..Before::default() };
    let used = [0; 4];
    Some(Postings {
        heads,
        head,
        objects,
        places,
        times,
        numbers,
        references,
        others,
        words,
        at: 0,
        used,
        before,
    })
}

/// How many numbers, references, other values and words a tag has.
fn payload(tag: u8) -> [usize; 4] {
    let value = |value_kind: u8, words: usize| match class(value_kind) {
        Class::Number => [1, 0, 0, words],
        Class::Reference => [0, 1, 0, words],
        Class::Other => [0, 0, 1, words],
        Class::Nothing => [0, 0, 0, words],
    };
    match layout(tag) {
        PayloadLayout::Value(value_kind) => value(value_kind, 0),
        PayloadLayout::ValueAndWord(value_kind) => value(value_kind, 1),
        PayloadLayout::Key => value(kind::OBJECT, 1),
        PayloadLayout::Words(words) => [0, 0, 0, usize::from(words)],
    }
}

impl Postings<'_> {
    fn value(&mut self, value_kind: u8) -> u64 {
        let mut next = |which: usize, column: Column<'_>| {
            let at = self.used[which];
            self.used[which] += 1;
            column.get(at)
        };
        match class(value_kind) {
            Class::Number => {
                let number = self.before.number.wrapping_add(unzigzag(next(0, self.numbers)));
                self.before.number = number;
                if value_kind == kind::INT { u64::from(number as u32) } else { number }
            }
            Class::Reference => {
                let object = self.before.object.wrapping_add(unzigzag(next(1, self.references)));
                self.before.object = object;
                object
            }
            Class::Other => next(2, self.others),
            Class::Nothing => 0,
        }
    }

    fn word(&mut self) -> u64 {
        let at = self.used[3];
        self.used[3] += 1;
        self.words.get(at)
    }
}

impl Iterator for Postings<'_> {
    type Item = Stored;

    #[inline]
    fn next(&mut self) -> Option<Stored> {
        if self.at >= self.head.len() {
            return None;
        }
        let at = self.at;
        self.at += 1;
        let head = self.heads.get(self.head.get(at) as usize);
        let (tag, bci) = (head as u8, (head >> 8) as u16);
        let (way, place) = (self.objects.get(at), self.places.get(at));
        let last = self.before.key;
        let key = match way {
            0 => last & !0xffff_ffff | (last.wrapping_add(place) & 0xffff_ffff),
            way => (last >> 32).wrapping_add(way) << 32 | (place & 0xffff_ffff),
        };
        let step = self.times.get(at);
        let step = if key == last { step } else { unzigzag(step) };
        let ordinal = self.before.ordinal.wrapping_add(step);
        if key != last {
            self.before.number = 0;
        }
        (self.before.key, self.before.ordinal) = (key, ordinal);
        let (mut a, mut b) = (0, 0);
        match layout(tag) {
            PayloadLayout::Value(value_kind) => a = self.value(value_kind),
            PayloadLayout::ValueAndWord(value_kind) => {
                a = self.value(value_kind);
                b = self.word();
            }
            PayloadLayout::Key => a = self.value(kind::OBJECT) << 32 | (self.word() & 0xffff_ffff),
            PayloadLayout::Words(words) => {
                if words > 0 {
                    a = self.word();
                }
                if words > 1 {
                    b = self.word();
                }
            }
        }
        Some(Stored { key, ordinal, a, b, bci, tag })
    }
}
