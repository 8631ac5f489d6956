//! What the calls covered, as signatures: calls that covered the same share one, so a million calls of the same few
//! methods cost four bytes each.
//!
//! What a call wrote to is covered too: a place in the code that writes, together with where that goes. There are no
//! numbers for these before they are met, so they come behind those of all methods.

use past::ObjectId;
use rustc_hash::FxHashMap;
use trace::{CalleeId, TypeId};
use tree::Coverage;

use super::methods::{MethodNumber, NO_ENTITY, Quick, SurveyedMethod, SurveyedMethods};
use crate::cfg::{BlockId, EdgeId};
use crate::defuse::DefId;

/// Something that was written to, as far as calls can have it in common: what hands on what it is given by itself, what
/// keeps it by its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WrittenTo {
    Passage(ObjectId),
    Kind(Option<TypeId>),
    /// Named by an argument: a file, a setting.
    Named(CalleeId),
}

/// Number of what was written to from a place in the code, in the order in which they were met.
#[derive(Default)]
pub struct WrittenFrom {
    known: FxHashMap<(MethodNumber, u16, WrittenTo), u32>,
}

impl WrittenFrom {
    pub fn number(&mut self, method: MethodNumber, bci: u16, to: WrittenTo) -> u32 {
        let next = self.known.len() as u32;
        *self.known.entry((method, bci, to)).or_insert(next)
    }

    pub fn count(&self) -> u32 {
        self.known.len() as u32
    }
}

/// What one open call covered: the method's number, then a bit for each entity.
#[derive(Default)]
pub struct CallCoverage {
    words: Vec<u64>,
    /// What it wrote to, by number, ascending.
    written: Vec<u32>,
    /// By slot: the last definition of the variable, plus one.
    last: Vec<u32>,
}

impl CallCoverage {
    pub fn start(&mut self, known: MethodNumber, facts: &SurveyedMethod, variables: bool) {
        self.words.clear();
        self.words.resize(1 + (facts.entities as usize).div_ceil(64), 0);
        self.words[0] = u64::from(known.0);
        self.written.clear();
        if !variables && facts.entities > 0 {
            self.add(0);
        }
        if variables {
            self.last.clear();
            self.last.resize(usize::from(facts.code.slots), 0);
            for (at, &slot) in facts.code.arguments.iter().enumerate() {
                if let Some(last) = self.last.get_mut(usize::from(slot)) {
                    *last = at as u32 + 1;
                }
            }
        }
    }

    #[inline]
    pub fn edge(&mut self, facts: &SurveyedMethod, edge: EdgeId) {
        let entity = facts.edges[edge.0 as usize];
        if entity != NO_ENTITY {
            self.add(entity);
        }
    }

    #[inline]
    pub fn add(&mut self, entity: u32) {
        self.words[1 + entity as usize / 64] |= 1 << (entity % 64);
    }

    pub fn wrote(&mut self, number: u32) {
        if let Err(at) = self.written.binary_search(&number) {
            self.written.insert(at, number);
        }
    }

    /// A block was executed up to, not including, a place.
    pub fn block(&mut self, facts: &SurveyedMethod, block: BlockId, end: u32) {
        for access in &facts.blocks[usize::from(block.0)] {
            match access {
                Quick::Use { bci, .. } | Quick::Define { bci, .. } if u32::from(*bci) >= end => return,
                Quick::Use { slot, chains, .. } => {
                    let last = self.last.get(usize::from(*slot)).copied().unwrap_or(0);
                    let Some(definition) = last.checked_sub(1).map(DefId) else { continue };
                    if let Some(&(_, chain)) = chains.iter().find(|(from, _)| *from == definition) {
                        self.add(chain.0);
                    }
                }
                Quick::Define { slot, definition, .. } => {
                    if let Some(last) = self.last.get_mut(usize::from(*slot)) {
                        *last = definition.0 + 1;
                    }
                }
            }
        }
    }
}

/// Signatures by what they stand for.
#[derive(Default)]
pub struct Signatures {
    known: FxHashMap<Vec<u64>, u32>,
    entities: Vec<Vec<u32>>,
    /// What was written to, of each.
    written: Vec<Vec<u32>>,
    by_row: Vec<u32>,
    /// Words of a call and what it wrote to, one behind the other.
    key: Vec<u64>,
}

impl Signatures {
    /// Signature 0 is that of a call that covered nothing.
    pub fn new(rows: usize) -> Signatures {
        Signatures {
            entities: vec![Vec::new()],
            written: vec![Vec::new()],
            by_row: vec![0; rows],
            ..Signatures::default()
        }
    }

    pub fn set(&mut self, row: usize, covered: &CallCoverage, methods: &SurveyedMethods) {
        self.key.clear();
        self.key.extend(&covered.words);
        self.key.extend(covered.written.iter().copied().map(u64::from));
        if let Some(&known) = self.known.get(self.key.as_slice()) {
            self.by_row[row] = known;
            return;
        }
        let facts = methods.get(MethodNumber(covered.words[0] as u32));
        let bits = 0..facts.entities;
        let set = bits.filter(|bit| covered.words[1 + *bit as usize / 64] >> (bit % 64) & 1 == 1);
        let entities: Vec<u32> = set.map(|bit| facts.first_entity + bit).collect();
        if entities.is_empty() && covered.written.is_empty() {
            return;
        }
        let signature = self.entities.len() as u32;
        self.entities.push(entities);
        self.written.push(covered.written.clone());
        self.known.insert(self.key.clone(), signature);
        self.by_row[row] = signature;
    }

    /// `entities` are those of methods, `written` those behind them.
    pub fn finish(mut self, entities: u32, written: u32) -> Coverage {
        for (signature, written) in self.entities.iter_mut().zip(&self.written) {
            signature.extend(written.iter().map(|number| entities + number));
        }
        Coverage { signature: self.by_row, signatures: self.entities, entities: entities + written }
    }
}
