//! A method's code as the forward pass needs it: every instruction with what it takes and gives, which branches decide on
//! it, and what the way that a branch did not go would have written.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use analysis::cfg::{BlockId, Cfg};
use analysis::control::Control;
use base::Value;
use classfile::{ClassFile, Code, Constant, Insn, Shuffle, StackEffect, opcode as op};
use jdk::calls::{self, Effect};

use crate::mutation::Mutation;

pub struct Body {
    pub insns: Vec<Instruction>,
    /// By pc: the number of the instruction there.
    at: Vec<u32>,
    cfg: Cfg,
    control: Control,
    /// By block: what stands there that somebody could miss.
    blocks: Vec<Omitted>,
    /// By branch and the way that was not taken.
    omitted: RefCell<HashMap<(u16, u32), Rc<Omitted>>>,
    /// The first slot of each argument, the receiver's first.
    pub arguments: Vec<u16>,
}

pub struct Instruction {
    pub pc: u32,
    /// That of the instruction behind a `wide`.
    pub op: u8,
    pub len: u32,
    /// Slots of each value that it takes, the deepest first.
    pub takes: Vec<u8>,
    /// Slots that it gives.
    pub gives: u8,
    pub shuffle: Option<Shuffle>,
    /// Slots that it drops.
    pub drops: u8,
    pub slot: Option<u16>,
    pub constant: Option<Value>,
    /// Where it may go: of a conditional jump the target first; the cases of a switch, then its default.
    pub targets: Vec<u32>,
}

/// What code writes.
#[derive(Clone, Debug, Default)]
pub struct Omitted {
    pub locals: Vec<u16>,
    /// Something that is seen outside of the call.
    pub effects: bool,
}

impl Body {
    /// `mutation`: what was done to this method. Branches that it took away still decide.
    pub fn read(
        file: &ClassFile<'_>,
        method: &classfile::Member<'_>,
        mutation: Option<&Mutation>,
    ) -> classfile::Result<Option<Body>> {
        let Some(code) = method.code(file)? else { return Ok(None) };
        let mut before = code.code.to_vec();
        if let Some(mutation) = mutation {
            let range = mutation.pc as usize..mutation.end as usize;
            if let Some(place) = before.get_mut(range).filter(|place| place.len() == mutation.old.len()) {
                place.copy_from_slice(&mutation.old);
            }
        }
        let original = Code { code: &before, ..code.clone() };
        let cfg = Cfg::build(&original)?;
        let control = Control::of(&cfg);
        let mut at = vec![u32::MAX; code.code.len()];
        let mut insns = Vec::new();
        for insn in code.insns() {
            let insn = insn?;
            at[insn.pc as usize] = insns.len() as u32;
            insns.push(Instruction::read(&code, insn, file)?);
        }
        let mut blocks = vec![Omitted::default(); cfg.blocks.len()];
        for insn in original.insns() {
            let insn = insn?;
            let Some(block) = cfg.block_at(insn.pc as u16) else { continue };
            let block = &mut blocks[usize::from(block.0)];
            let stores = matches!(original.operation(insn), op::ISTORE..=op::ASTORE_3 | op::IINC);
            block.locals.extend(original.slot(insn).filter(|_| stores && insn.op != op::IASTORE));
            block.effects |= has_effect(&original, insn, file);
        }
        let mut slot = u16::from(method.access & classfile::access::STATIC == 0);
        let mut arguments: Vec<u16> = (slot == 1).then_some(0).into_iter().collect();
        for parameter in classfile::MethodDescriptor::parse(method.descriptor)?.parameters {
            arguments.push(slot);
            slot += classfile::TypeKind::of(parameter)?.slots();
        }
        Ok(Some(Body { insns, at, cfg, control, blocks, omitted: RefCell::default(), arguments }))
    }

    pub fn at(&self, pc: u32) -> Option<&Instruction> {
        self.at.get(pc as usize).and_then(|&at| self.insns.get(at as usize))
    }

    pub fn block(&self, pc: u32) -> BlockId {
        self.cfg.block_at(pc as u16).unwrap_or(BlockId(0))
    }

    pub fn blocks(&self) -> usize {
        self.cfg.blocks.len()
    }

    /// The branches that decide on a block, by their blocks.
    pub fn deciding(&self, block: BlockId) -> &[BlockId] {
        self.control.on(block)
    }

    pub fn is_handler(&self, block: BlockId) -> bool {
        self.control.is_handler(block)
    }

    /// What could have been written if the branch that ends a block had gone to another place.
    pub fn omitted(&self, branch: BlockId, to: u32) -> Rc<Omitted> {
        let known = self.omitted.borrow().get(&(branch.0, to)).cloned();
        known.unwrap_or_else(|| {
            let found = Rc::new(self.on_the_way(branch, to));
            self.omitted.borrow_mut().insert((branch.0, to), Rc::clone(&found));
            found
        })
    }

    fn on_the_way(&self, branch: BlockId, to: u32) -> Omitted {
        let mut decided: HashSet<BlockId> = HashSet::from([branch]);
        loop {
            let before = decided.len();
            let hang = |block: &BlockId| self.deciding(*block).iter().any(|by| decided.contains(by));
            let more: Vec<BlockId> = self.cfg.ids().filter(hang).collect();
            decided.extend(more);
            if decided.len() == before {
                break;
            }
        }
        // The branch itself counts only if it comes again.
        let mut open = vec![self.block(to)];
        let mut seen = HashSet::new();
        let mut found = Omitted::default();
        while let Some(block) = open.pop() {
            let hangs = block != branch && decided.contains(&block);
            if hangs && seen.insert(block) {
                let own = &self.blocks[usize::from(block.0)];
                found.locals.extend(&own.locals);
                found.effects |= own.effects;
                open.extend(self.cfg.after(block).map(|edge| edge.to));
            }
        }
        found.locals.sort_unstable();
        found.locals.dedup();
        found
    }
}

impl Instruction {
    fn read(code: &Code<'_>, insn: Insn, file: &ClassFile<'_>) -> classfile::Result<Instruction> {
        let operation = code.operation(insn);
        let mut read = Instruction {
            pc: insn.pc,
            op: operation,
            len: insn.len,
            takes: Vec::new(),
            gives: 0,
            shuffle: None,
            drops: 0,
            slot: code.slot(insn),
            constant: constant(code, insn, file),
            targets: Vec::new(),
        };
        match code.stack_effect(insn, &file.pool)? {
            StackEffect::Values { takes, gives } => {
                read.takes = takes.iter().map(|kind| kind.slots() as u8).collect();
                read.gives = gives.slots() as u8;
            }
            StackEffect::Drops(slots) => read.drops = slots as u8,
            StackEffect::Shuffles(shuffle) => read.shuffle = Some(shuffle),
        }
        if op::is_short_jump(insn.op) || op::is_wide_jump(insn.op) {
            read.targets.push(code.jump_target(insn)?);
        }
        if matches!(insn.op, op::TABLESWITCH | op::LOOKUPSWITCH) {
            let switch = code.switch(insn)?;
            read.targets = switch.cases.iter().map(|case| case.1).chain([switch.default]).collect();
        } else if op::is_conditional(insn.op) {
            read.targets.push(insn.pc + insn.len);
        }
        Ok(read)
    }
}

fn constant(code: &Code<'_>, insn: Insn, file: &ClassFile<'_>) -> Option<Value> {
    let byte = |at: u32| code.code.get((insn.pc + at) as usize).copied();
    Some(match insn.op {
        op::ICONST_M1..=op::ICONST_5 => Value::Int(i32::from(insn.op) - i32::from(op::ICONST_0)),
        op::LCONST_0 | op::LCONST_1 => Value::Long((insn.op - op::LCONST_0).into()),
        op::FCONST_0..=op::FCONST_2 => Value::Float((insn.op - op::FCONST_0).into()),
        op::DCONST_0 | op::DCONST_1 => Value::Double((insn.op - op::DCONST_0).into()),
        op::ACONST_NULL => Value::Null,
        op::BIPUSH => Value::Int((byte(1)? as i8).into()),
        op::SIPUSH => Value::Int(i16::from_be_bytes([byte(1)?, byte(2)?]).into()),
        op::LDC | op::LDC_W | op::LDC2_W => match file.pool.get(code.constant(insn)).ok()? {
            Constant::Integer(value) => Value::Int(value),
            Constant::Long(value) => Value::Long(value),
            Constant::Float(bits) => Value::Float(f32::from_bits(bits)),
            Constant::Double(bits) => Value::Double(f64::from_bits(bits)),
            _ => return None,
        },
        _ => return None,
    })
}

/// May somebody outside of the call see that the instruction was executed?
fn has_effect(code: &Code<'_>, insn: Insn, file: &ClassFile<'_>) -> bool {
    match insn.op {
        op::PUTFIELD | op::PUTSTATIC | op::IASTORE..=op::SASTORE | op::ATHROW => true,
        operation if op::is_invoke(operation) => {
            let Ok(member) = file.pool.member(code.index(insn)) else { return true };
            let (owner, name) = (String::from_utf8_lossy(member.class), String::from_utf8_lossy(member.name));
            !matches!(calls::effect(&owner, &name), Effect::None | Effect::Reads)
        }
        _ => false,
    }
}
