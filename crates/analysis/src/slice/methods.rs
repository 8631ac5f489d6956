//! What a slice needs to know of a method's code, worked out once per method.

use std::collections::HashMap;
use std::rc::Rc;

use classfile::ClassFile;
use trace::{MethodId, Program};

use crate::cfg::BlockId;
use crate::code::Code;
use crate::control::{Control, is_in_a_loop};
use crate::producers::Producers;

pub struct SlicedMethod {
    pub code: Code,
    pub producers: Producers,
    pub control: Control,
    /// By use of a variable: where it may have been written, none for an argument.
    definitions: HashMap<u16, Vec<Option<u16>>>,
}

impl SlicedMethod {
    fn read(program: &Program, id: MethodId) -> Option<SlicedMethod> {
        let code = Code::read(program, id).ok()??;
        let (class, _) = program.method(id)?;
        let file = ClassFile::parse(&class.bytes).ok()?;
        let member = file.methods.get(id.0.wrapping_sub(class.first_method.0) as usize)?;
        let source = member.code(&file).ok()??;
        let producers = Producers::of(&code.insns, &code.cfg, &source, &file);
        let control = Control::of(&code.cfg);
        let mut definitions: HashMap<u16, Vec<Option<u16>>> = HashMap::new();
        for chain in &code.defuse().chains {
            definitions.entry(chain.usage).or_default().push(chain.definition);
        }
        Some(SlicedMethod { code, producers, control, definitions })
    }

    pub fn op(&self, bci: u16) -> u8 {
        self.code.at(bci).map_or(classfile::opcode::NOP, |at| self.code.insns[at].op)
    }

    /// Can the variable that an instruction uses only be what the method was called with?
    pub fn is_argument(&self, usage: u16) -> bool {
        self.definitions.get(&usage).is_some_and(|all| all.iter().all(Option::is_none))
    }

    /// The one instruction that gave the variable its value, if it is one that runs at most once in a call.
    pub fn only_definition(&self, usage: u16) -> Option<u16> {
        let [Some(bci)] = self.definitions.get(&usage)?[..] else { return None };
        let block = self.code.cfg.block_at(bci)?;
        (!is_in_a_loop(&self.code.cfg, block)).then_some(bci)
    }

    /// The one branch that decides on a block, if it runs at most once in a call.
    pub fn only_control(&self, block: BlockId) -> Option<u16> {
        let [by] = *self.control.on(block) else { return None };
        let once = !self.control.is_handler(block) && !is_in_a_loop(&self.code.cfg, by);
        once.then(|| self.code.cfg.block(by).last)
    }
}

#[derive(Default)]
pub struct SlicedMethods(HashMap<MethodId, Option<Rc<SlicedMethod>>>);

impl SlicedMethods {
    /// None for a method without code, or with code that cannot be read.
    pub fn get(&mut self, program: &Program, id: MethodId) -> Option<Rc<SlicedMethod>> {
        self.0.entry(id).or_insert_with(|| SlicedMethod::read(program, id).map(Rc::new)).clone()
    }
}
