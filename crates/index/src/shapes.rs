//! What calls have in common: which method from which place, how they ended, and of what kinds their arguments and
//! results are. A stream has few different shapes, so a row says which one it has, and of values only their bits.

use base::{CalleeId, ClassId, MethodId, Target};
use rustc_hash::FxHashMap;

use crate::file::{FixedRow, u16_at, u32_at};
use crate::packed::kind;

/// How a call ended, as far as its shape says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum End {
    Returned,
    Threw,
    Open,
    /// When its block was packed it had not ended: its end is written elsewhere.
    Late,
}

/// A shape without the kinds of arguments, which lie beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShapeRow {
    pub target: Target,
    pub bci: u16,
    pub end: End,
    /// The kind of what it gave or threw, if that is known.
    pub result: Option<u8>,
    pub has_receiver: bool,
    /// Arguments, the receiver included, and where their kinds are.
    pub args: u16,
    pub kinds: u32,
    /// How many of its values are of each class.
    pub classes: [u16; 3],
}

/// Classes of values, by how their bits are stored. Some kinds have none.
pub(crate) const OBJECTS: usize = 0;
pub(crate) const NUMBERS: usize = 1;
pub(crate) const OTHERS: usize = 2;

pub(crate) fn class_of(value_kind: u8) -> Option<usize> {
    match value_kind {
        kind::TOP | kind::NULL | kind::UNIDENTIFIED => None,
        kind::OBJECT => Some(OBJECTS),
        kind::INT | kind::LONG | kind::BOX_LONG => Some(NUMBERS),
        _ => Some(OTHERS),
    }
}

impl FixedRow for ShapeRow {
    const SIZE: usize = 24;

    fn encode(&self, out: &mut Vec<u8>) {
        let (target, index) = target_words(self.target);
        out.extend_from_slice(&target.to_le_bytes());
        out.extend_from_slice(&self.kinds.to_le_bytes());
        for word in [index, self.bci, self.args] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        self.classes.iter().for_each(|count| out.extend_from_slice(&count.to_le_bytes()));
        out.push(self.end as u8);
        out.push(self.result.map_or(NO_KIND, |kind| kind & 0xf));
        out.extend_from_slice(&[u8::from(self.has_receiver), 0]);
    }

    fn decode(bytes: &[u8]) -> Self {
        let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
        let target = u32_at(bytes, 0);
        ShapeRow {
            target: match u16_at(bytes, 8) {
                0 => Target::Method(MethodId(target)),
                index => Target::Library(CalleeId { class: ClassId(target), index }),
            },
            kinds: u32_at(bytes, 4),
            bci: u16_at(bytes, 10),
            args: u16_at(bytes, 12),
            classes: [u16_at(bytes, 14), u16_at(bytes, 16), u16_at(bytes, 18)],
            end: match byte(20) {
                0 => End::Returned,
                1 => End::Threw,
                2 => End::Open,
                _ => End::Late,
            },
            result: Some(byte(21)).filter(|&kind| kind != NO_KIND).map(|kind| kind & 0xf),
            has_receiver: byte(22) != 0,
        }
    }
}

const NO_KIND: u8 = 0xff;

fn target_words(target: Target) -> (u32, u16) {
    match target {
        Target::Method(method) => (method.0, 0),
        Target::Library(callee) => (callee.class.0, callee.index),
    }
}

/// The shapes of one stream, numbered as they come.
#[derive(Default)]
pub(crate) struct Shapes {
    pub rows: Vec<ShapeRow>,
    /// The kinds of arguments, one byte each.
    pub kinds: Vec<u8>,
    numbers: FxHashMap<Box<[u8]>, u32>,
    key: Vec<u8>,
}

/// A call as its shape sees it.
#[derive(Clone, Copy)]
pub(crate) struct Outline {
    pub target: Target,
    pub bci: u16,
    pub end: End,
    pub result: Option<u8>,
    pub has_receiver: bool,
}

impl Shapes {
    /// The number of a shape.
    pub fn number(&mut self, outline: Outline, kinds: impl ExactSizeIterator<Item = u8> + Clone) -> u32 {
        let Outline { target, bci, end, result, has_receiver } = outline;
        let (word, index) = target_words(target);
        let head = u128::from(word)
            | u128::from(index) << 32
            | u128::from(bci) << 48
            | u128::from(end as u8) << 64
            | u128::from(result.unwrap_or(NO_KIND)) << 72
            | u128::from(has_receiver) << 80
            | (kinds.len() as u128) << 88;
        self.key.clear();
        self.key.extend_from_slice(&head.to_le_bytes());
        self.key.extend(kinds.clone());
        if let Some(&number) = self.numbers.get(self.key.as_slice()) {
            return number;
        }
        let number = self.rows.len() as u32;
        let mut classes = [0; 3];
        for class in result.into_iter().chain(kinds.clone()).filter_map(class_of) {
            classes[class] += 1;
        }
        let args = kinds.len() as u16;
        let place = self.kinds.len() as u32;
        self.kinds.extend(kinds);
        self.rows.push(ShapeRow { target, bci, end, result, has_receiver, args, kinds: place, classes });
        self.numbers.insert(self.key.as_slice().into(), number);
        number
    }

    /// No more will come.
    pub fn close(&mut self) {
        (self.numbers, self.key) = (FxHashMap::default(), Vec::new());
        self.rows.shrink_to_fit();
        self.kinds.shrink_to_fit();
    }
}
