//! The control-flow graph of a method: basic blocks, and edges between them. A block ends where control may jump or be
//! jumped to; a call does not end one. Where an exception may lead to is an edge too, from every block that its
//! handler protects some part of.

use classfile::{Code, Error, Insn, Result, opcode as op};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u16);

/// An edge, by its place in `Cfg::edges`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EdgeId(pub u32);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Where its first and its last instruction are.
    pub first: u16,
    pub last: u16,
    pub exit: BlockExit,
    /// From here on, nothing in it is an event.
    pub quiet_from: u32,
}

/// How control leaves a block, if no exception does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockExit {
    Falls(EdgeId),
    Goes(EdgeId),
    Branches {
        taken: EdgeId,
        not: EdgeId,
    },
    /// Targets of the cases by ascending key.
    Switches {
        cases: Vec<EdgeId>,
        default: EdgeId,
    },
    Returns,
    Throws,
    /// `ret`: to behind the `jsr` that came here.
    Resumes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    pub from: BlockId,
    pub to: BlockId,
    /// An exception takes it.
    pub exceptional: bool,
}

/// Block 0 is where the method begins. Two ways from one block to another are one edge, unless an exception takes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cfg {
    pub blocks: Vec<Block>,
    pub edges: Vec<Edge>,
    pub successors: Vec<Vec<EdgeId>>,
    pub predecessors: Vec<Vec<EdgeId>>,
    /// By bci.
    block_of: Vec<BlockId>,
}

impl Cfg {
    pub fn build(code: &Code<'_>) -> Result<Cfg> {
        let insns = code.insns().collect::<Result<Vec<Insn>>>()?;
        let starts = leaders(code, &insns)?;
        let mut cfg = Cfg {
            blocks: Vec::with_capacity(starts.len()),
            edges: Vec::new(),
            successors: vec![Vec::new(); starts.len()],
            predecessors: vec![Vec::new(); starts.len()],
            block_of: vec![BlockId(0); code.code.len()],
        };
        for (at, &start) in starts.iter().enumerate() {
            let end = starts.get(at + 1).map_or(code.code.len(), |&next| next as usize);
            cfg.block_of[start as usize..end].fill(BlockId(at as u16));
        }
        let together =
            |one: &Insn, next: &Insn| cfg.block_of[one.pc as usize] == cfg.block_of[next.pc as usize];
        let parts: Vec<&[Insn]> = insns.chunk_by(together).collect();
        let behind_subroutines: Vec<u32> =
            insns.iter().filter(|insn| is_jsr(insn.op)).map(|insn| insn.pc + insn.len).collect();
        for part in parts {
            let (Some(first), Some(last)) = (part.first(), part.last()) else { continue };
            let exit = cfg.exit(code, *last, &behind_subroutines)?;
            let loud = part.iter().rev().find(|insn| !is_silent(insn.op));
            let quiet_from = loud.map_or(first.pc, |insn| insn.pc + 1);
            cfg.blocks.push(Block { first: first.pc as u16, last: last.pc as u16, exit, quiet_from });
        }
        for entry in &code.exceptions {
            for at in 0..cfg.blocks.len() {
                let block = &cfg.blocks[at];
                if block.first < entry.end && entry.start <= block.last {
                    cfg.edge(BlockId(at as u16), u32::from(entry.handler), true)?;
                }
            }
        }
        Ok(cfg)
    }

    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[usize::from(id.0)]
    }

    /// The block that an instruction is in; none outside of the method.
    pub fn block_at(&self, bci: u16) -> Option<BlockId> {
        self.block_of.get(usize::from(bci)).copied()
    }

    pub fn edge_of(&self, id: EdgeId) -> Edge {
        self.edges[id.0 as usize]
    }

    pub fn ids(&self) -> impl DoubleEndedIterator<Item = BlockId> + use<> {
        (0..self.blocks.len() as u16).map(BlockId)
    }

    pub fn after(&self, id: BlockId) -> impl DoubleEndedIterator<Item = Edge> + '_ {
        self.successors[usize::from(id.0)].iter().map(|&edge| self.edge_of(edge))
    }

    pub fn before(&self, id: BlockId) -> impl DoubleEndedIterator<Item = Edge> + '_ {
        self.predecessors[usize::from(id.0)].iter().map(|&edge| self.edge_of(edge))
    }

    /// The edge that an exception takes from one block to another.
    pub fn exceptional(&self, from: BlockId, to: BlockId) -> Option<EdgeId> {
        let wanted = Edge { from, to, exceptional: true };
        self.successors[usize::from(from.0)].iter().copied().find(|&edge| self.edge_of(edge) == wanted)
    }

    /// Does the branch at a place jump if what somebody wrote there is true? Back to the beginning of a `do` loop, or
    /// over the rest of `a || b`; the usual branch jumps over what is to be done if it is true.
    pub fn jumps_if_true(&self, bci: u16) -> bool {
        let Some(from) = self.block_at(bci) else { return false };
        let BlockExit::Branches { taken, not } = self.block(from).exit else { return false };
        let (taken, not) = (self.edge_of(taken).to, self.edge_of(not).to);
        let rest = match self.block(not).exit {
            BlockExit::Branches { not: behind, .. } => self.edge_of(behind).to == taken,
            _ => false,
        };
        taken <= from || rest
    }

    fn exit(&mut self, code: &Code<'_>, last: Insn, behind_subroutines: &[u32]) -> Result<BlockExit> {
        let from = self.block_of[last.pc as usize];
        let next = last.pc + last.len;
        Ok(match last.op {
            op::GOTO | op::GOTO_W | op::JSR | op::JSR_W => {
                BlockExit::Goes(self.edge(from, code.jump_target(last)?, false)?)
            }
            op::RET => {
                for &behind in behind_subroutines {
                    self.edge(from, behind, false)?;
                }
                BlockExit::Resumes
            }
            op::TABLESWITCH | op::LOOKUPSWITCH => {
                let switch = code.switch(last)?;
                let cases = switch.cases.iter().map(|&(_, target)| self.edge(from, target, false));
                let cases = cases.collect::<Result<_>>()?;
                BlockExit::Switches { cases, default: self.edge(from, switch.default, false)? }
            }
            op::ATHROW => BlockExit::Throws,
            code if op::is_return(code) => BlockExit::Returns,
            jump if op::is_conditional(jump) => BlockExit::Branches {
                taken: self.edge(from, code.jump_target(last)?, false)?,
                not: self.edge(from, next, false)?,
            },
            _ => BlockExit::Falls(self.edge(from, next, false)?),
        })
    }

    fn edge(&mut self, from: BlockId, target: u32, exceptional: bool) -> Result<EdgeId> {
        let to = self.block_of.get(target as usize).copied();
        let to = to.ok_or(Error::Code(target, "control leaves the method"))?;
        let edge = Edge { from, to, exceptional };
        let known = self.successors[usize::from(from.0)].iter().copied();
        if let Some(known) = known.into_iter().find(|&id| self.edge_of(id) == edge) {
            return Ok(known);
        }
        let id = EdgeId(self.edges.len() as u32);
        self.edges.push(edge);
        self.successors[usize::from(from.0)].push(id);
        self.predecessors[usize::from(to.0)].push(id);
        Ok(id)
    }
}

/// Where blocks begin, ascending.
fn leaders(code: &Code<'_>, insns: &[Insn]) -> Result<Vec<u32>> {
    let mut starts = vec![0];
    for &insn in insns {
        let jumps = op::is_short_jump(insn.op) || op::is_wide_jump(insn.op);
        if jumps {
            starts.push(code.jump_target(insn)?);
        } else if matches!(insn.op, op::TABLESWITCH | op::LOOKUPSWITCH) {
            let switch = code.switch(insn)?;
            starts.extend(switch.cases.iter().map(|&(_, target)| target));
            starts.push(switch.default);
        }
        if jumps || op::ends_block(insn.op) {
            starts.push(insn.pc + insn.len);
        }
    }
    starts.extend(code.exceptions.iter().map(|entry| u32::from(entry.handler)));
    starts.retain(|&start| (start as usize) < code.code.len());
    starts.sort_unstable();
    starts.dedup();
    let is_one = |start: &&u32| insns.binary_search_by_key(*start, |insn| insn.pc).is_err();
    match starts.iter().find(is_one) {
        Some(&start) => Err(Error::Code(start, "jump into the middle of an instruction")),
        None => Ok(starts),
    }
}

fn is_jsr(code: u8) -> bool {
    matches!(code, op::JSR | op::JSR_W)
}

/// Never an event, and never the cause of one but an exception out of nowhere.
fn is_silent(code: u8) -> bool {
    matches!(code, op::NOP..=op::ALOAD_3 | op::POP..=op::DMUL | op::INEG..=op::IXOR)
        || matches!(code, op::I2L..=op::DCMPG | op::GOTO | op::GOTO_W)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::tests::{DO, TRY, WHILE, method};

    /// Where each block begins, and the blocks behind it; `!` marks a way that exceptions take.
    fn drawn(cfg: &Cfg) -> String {
        let block = |id: BlockId| {
            let after = cfg.after(id).map(|edge| {
                format!("{}{}", cfg.block(edge.to).first, if edge.exceptional { "!" } else { "" })
            });
            format!("{}>{}", cfg.block(id).first, after.collect::<Vec<_>>().join(","))
        };
        cfg.ids().map(block).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn blocks_end_where_control_jumps_or_is_jumped_to() {
        assert_eq!(drawn(&method(&WHILE, &[], &[0]).cfg), "0>2 2>13,7 7>2 13>");
        assert_eq!(drawn(&method(&DO, &[], &[0]).cfg), "0>2 2>2,10 10>");
        assert_eq!(drawn(&method(&TRY, &[(4, 6, 7)], &[0, 1]).cfg), "0>6,4 4>7! 6> 7>");
    }

    #[test]
    fn a_switch_leads_to_its_cases_and_two_ways_to_one_block_are_one_edge() {
        // switch (n) { case 1: case 2: return; default: }
        let mut bytes = vec![op::ILOAD_0, op::TABLESWITCH, 0, 0];
        for word in [24i32, 1, 2, 23, 23] {
            bytes.extend(word.to_be_bytes());
        }
        bytes.extend([op::RETURN, op::RETURN]);
        let cfg = method(&bytes, &[], &[0]).cfg;
        assert_eq!(drawn(&cfg), "0>24,25 24> 25>");
        let BlockExit::Switches { cases, default } = &cfg.block(BlockId(0)).exit else { panic!("{cfg:?}") };
        assert!(cases.len() == 2 && cases[0] == cases[1] && cases[0] != *default);
    }

    #[test]
    fn a_jump_into_an_instruction_is_refused() {
        let code = |bytes| Code {
            max_stack: 1,
            max_locals: 1,
            code: bytes,
            exceptions: Vec::new(),
            attributes: Vec::new(),
        };
        assert!(Cfg::build(&code(&[op::GOTO, 0, 4, op::SIPUSH, 0, 0, op::RETURN])).is_err());
        assert!(Cfg::build(&code(&[op::ICONST_0, op::POP])).is_err());
    }

    #[test]
    fn what_was_written_is_true_when_control_goes_on_behind_it_or_back() {
        assert!(!method(&WHILE, &[], &[0]).cfg.jumps_if_true(4));
        assert!(method(&DO, &[], &[0]).cfg.jumps_if_true(7));
    }
}
