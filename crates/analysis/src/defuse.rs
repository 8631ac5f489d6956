//! Def-use chains of a method's variables: an instruction that gives a variable a value, and one that uses it before
//! it gets another. By reaching definitions over the control-flow graph. Arguments are defined where the method
//! begins. Fields and elements are not variables here: who wrote them last is not a matter of one method.

use std::collections::HashMap;

use crate::cfg::{BlockId, Cfg};
use crate::code::Code;

/// A chain, by its place in `DefUse::chains`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChainId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Chain {
    pub slot: u16,
    /// The instruction that defines; none for an argument.
    pub definition: Option<u16>,
    pub usage: u16,
}

/// A definition, by its place in `DefUse::definitions`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition {
    pub slot: u16,
    /// None for an argument.
    pub bci: Option<u16>,
}

/// What a block does with variables, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableAccess {
    Use { bci: u16, slot: u16 },
    Define { bci: u16, slot: u16, definition: DefId },
}

#[derive(Clone, Debug, Default)]
pub struct DefUse {
    pub definitions: Vec<Definition>,
    pub chains: Vec<Chain>,
    by_pair: HashMap<(DefId, u16), ChainId>,
    accesses: Vec<Vec<VariableAccess>>,
}

impl DefUse {
    pub fn of(code: &Code) -> DefUse {
        let mut found = DefUse::default();
        let arguments = code.arguments.iter();
        found.definitions.extend(arguments.map(|&slot| Definition { slot, bci: None }));
        found.accesses = vec![Vec::new(); code.cfg.blocks.len()];
        for insn in &code.insns {
            let (Some(local), Some(block)) = (insn.local, code.cfg.block_at(insn.bci)) else { continue };
            let (slot, bci) = (local.slot(), insn.bci);
            let accesses = &mut found.accesses[usize::from(block.0)];
            if local.is_read() {
                accesses.push(VariableAccess::Use { bci, slot });
            }
            if local.is_written() {
                let definition = DefId(found.definitions.len() as u32);
                found.definitions.push(Definition { slot, bci: Some(bci) });
                accesses.push(VariableAccess::Define { bci, slot, definition });
            }
        }
        found.link(&code.cfg);
        found
    }

    /// What a block does with variables, in order.
    pub fn accesses(&self, block: BlockId) -> &[VariableAccess] {
        &self.accesses[usize::from(block.0)]
    }

    /// The chain from a definition to the use at a place.
    pub fn chain(&self, definition: DefId, usage: u16) -> Option<ChainId> {
        self.by_pair.get(&(definition, usage)).copied()
    }

    /// Reaching definitions, as sets of bits, until nothing changes.
    fn link(&mut self, cfg: &Cfg) {
        let words = self.definitions.len().div_ceil(64);
        let mut reaching = vec![vec![0u64; words]; cfg.blocks.len()];
        for (at, definition) in self.definitions.iter().enumerate() {
            if definition.bci.is_none() {
                reaching[0][at / 64] |= 1 << (at % 64);
            }
        }
        let mut open: Vec<BlockId> = cfg.ids().rev().collect();
        while let Some(block) = open.pop() {
            let (through, anywhere) = self.pass(block, &reaching[usize::from(block.0)]);
            for edge in cfg.after(block) {
                // An exception may leave the block between any two instructions.
                let out = if edge.exceptional { &anywhere } else { &through };
                let into = &mut reaching[usize::from(edge.to.0)];
                let mut grew = false;
                for (word, &more) in into.iter_mut().zip(out) {
                    grew |= more & !*word != 0;
                    *word |= more;
                }
                if grew {
                    open.push(edge.to);
                }
            }
        }
        for block in cfg.ids() {
            let mut now = reaching[usize::from(block.0)].clone();
            for access in self.accesses[usize::from(block.0)].clone() {
                match access {
                    VariableAccess::Use { bci, slot } => self.use_at(bci, slot, &now),
                    VariableAccess::Define { slot, definition, .. } => {
                        self.define(&mut now, slot, definition)
                    }
                }
            }
        }
    }

    /// What reaches the end of a block, and what reaches any place in it.
    fn pass(&self, block: BlockId, reaching: &[u64]) -> (Vec<u64>, Vec<u64>) {
        let (mut now, mut anywhere) = (reaching.to_vec(), reaching.to_vec());
        for access in &self.accesses[usize::from(block.0)] {
            if let VariableAccess::Define { slot, definition, .. } = *access {
                self.define(&mut now, slot, definition);
                anywhere[definition.0 as usize / 64] |= 1 << (definition.0 % 64);
            }
        }
        (now, anywhere)
    }

    fn define(&self, now: &mut [u64], slot: u16, definition: DefId) {
        for (at, other) in self.definitions.iter().enumerate() {
            if other.slot == slot {
                now[at / 64] &= !(1 << (at % 64));
            }
        }
        now[definition.0 as usize / 64] |= 1 << (definition.0 % 64);
    }

    fn use_at(&mut self, usage: u16, slot: u16, now: &[u64]) {
        for (at, definition) in self.definitions.iter().enumerate() {
            if definition.slot == slot && now[at / 64] >> (at % 64) & 1 == 1 {
                let id = ChainId(self.chains.len() as u32);
                self.chains.push(Chain { slot, definition: definition.bci, usage });
                self.by_pair.insert((DefId(at as u32), usage), id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::code::tests::{TRY, WHILE, method};

    /// slot:definition>use, `-` for an argument.
    fn drawn(chains: &[super::Chain]) -> Vec<String> {
        let text = |at: Option<u16>| at.map_or("-".to_owned(), |at| at.to_string());
        let mut list: Vec<String> =
            chains.iter().map(|one| format!("{}:{}>{}", one.slot, text(one.definition), one.usage)).collect();
        list.sort();
        list
    }

    #[test]
    fn a_use_is_chained_to_every_definition_that_may_reach_it() {
        let code = method(&WHILE, &[], &[0]);
        let expected = ["0:->3", "1:1>2", "1:1>7", "1:7>2", "1:7>7"];
        assert_eq!(drawn(&code.defuse().chains), expected);
    }

    #[test]
    fn a_definition_ends_the_chains_of_those_before_it() {
        let code = method(&TRY, &[(4, 6, 7)], &[0, 1]);
        assert_eq!(drawn(&code.defuse().chains), ["0:->0", "1:->4"]);
    }
}
