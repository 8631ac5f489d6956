//! What the calls covered, as signatures: calls that covered the same share one, so a million calls of the same few
//! methods cost four bytes each.

use rustc_hash::FxHashMap;
use tree::Coverage;

use super::methods::{MethodNumber, NO_ENTITY, Quick, SurveyedMethod, SurveyedMethods};
use crate::cfg::{BlockId, EdgeId};
use crate::defuse::DefId;

/// What one open call covered: the method's number, then a bit for each entity.
#[derive(Default)]
pub struct CallCoverage {
    words: Vec<u64>,
    /// By slot: the last definition of the variable, plus one.
    last: Vec<u32>,
}

impl CallCoverage {
    pub fn start(&mut self, known: MethodNumber, facts: &SurveyedMethod, variables: bool) {
        self.words.clear();
        self.words.resize(1 + (facts.entities as usize).div_ceil(64), 0);
        self.words[0] = u64::from(known.0);
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
    by_row: Vec<u32>,
}

impl Signatures {
    /// Signature 0 is that of a call that covered nothing.
    pub fn new(rows: usize) -> Signatures {
        Signatures { known: FxHashMap::default(), entities: vec![Vec::new()], by_row: vec![0; rows] }
    }

    pub fn set(&mut self, row: usize, covered: &CallCoverage, methods: &SurveyedMethods) {
        if let Some(&known) = self.known.get(covered.words.as_slice()) {
            self.by_row[row] = known;
            return;
        }
        let facts = methods.get(MethodNumber(covered.words[0] as u32));
        let bits = 0..facts.entities;
        let set = bits.filter(|bit| covered.words[1 + *bit as usize / 64] >> (bit % 64) & 1 == 1);
        let entities: Vec<u32> = set.map(|bit| facts.first_entity + bit).collect();
        if entities.is_empty() {
            return;
        }
        let signature = self.entities.len() as u32;
        self.entities.push(entities);
        self.known.insert(covered.words.clone(), signature);
        self.by_row[row] = signature;
    }

    pub fn finish(self, entities: u32) -> Coverage {
        Coverage { signature: self.by_row, signatures: self.entities, entities }
    }
}
