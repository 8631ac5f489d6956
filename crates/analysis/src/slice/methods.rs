//! What a slice needs to know of a method's code, worked out once per method.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use classfile::{ClassFile, opcode as op};
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
    /// By instruction that is linked when it runs: what it does.
    links: HashMap<u16, Link>,
    /// By `new` of a value that never changes: the calls of its constructor.
    constructors: HashMap<u16, Vec<u16>>,
    /// Calls of libraries that leave everything as it is.
    harmless: HashSet<u16>,
    /// Calls that give an object of the class that they are made on: mostly that object itself.
    giving_itself: HashSet<u16>,
    /// Calls that only make a box.
    boxing: HashSet<u16>,
}

/// What an `invokedynamic` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Works on what it is given: joins strings, chooses a case.
    Works,
    /// Looks into a record.
    Record,
    /// Makes an object that keeps what it is given: a lambda.
    Keeps,
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
        let dynamic = code.insns.iter().filter(|insn| insn.op == op::INVOKEDYNAMIC);
        let links = dynamic.filter_map(|insn| {
            let at = usize::from(insn.bci);
            let index = u16::from_be_bytes([*source.code.get(at + 1)?, *source.code.get(at + 2)?]);
            let member = file.pool.member(index).ok()?;
            let result = member.descriptor.rsplit(|&byte| byte == b')').next()?;
            let link = match member.name {
                b"toString" | b"hashCode" | b"equals" => Link::Record,
                _ if result == b"Ljava/lang/String;" || !result.starts_with(b"L") => Link::Works,
                _ => Link::Keeps,
            };
            Some((insn.bci, link))
        });
        let links = links.collect();
        let mut constructors: HashMap<u16, Vec<u16>> = HashMap::new();
        for insn in code.insns.iter().filter(|insn| insn.op == op::INVOKESPECIAL) {
            let at = usize::from(insn.bci);
            let Some(&[high, low]) = source.code.get(at + 1..at + 3) else { continue };
            let Ok(member) = file.pool.member(u16::from_be_bytes([high, low])) else { continue };
            let class = String::from_utf8_lossy(member.class);
            let Some(receiver) = producers.operands(insn.bci).first() else { continue };
            if member.name == b"<init>"
                && (jdk::flows::is_atom(&class) || jdk::values::is_unchangeable(&*class))
            {
                for made in receiver {
                    constructors.entry(made.bci).or_default().push(insn.bci);
                }
            }
        }
        let (mut harmless, mut boxing, mut giving_itself) = (HashSet::new(), HashSet::new(), HashSet::new());
        for insn in code.insns.iter().filter(|insn| op::is_invoke(insn.op)) {
            let at = usize::from(insn.bci);
            let Some(&[high, low]) = source.code.get(at + 1..at + 3) else { continue };
            let Ok(member) = file.pool.member(u16::from_be_bytes([high, low])) else { continue };
            let [owner, name, descriptor] =
                [member.class, member.name, member.descriptor].map(String::from_utf8_lossy);
            if insn.op == op::INVOKEDYNAMIC || jdk::flows::leaves_all(&owner, &name, &descriptor) {
                harmless.insert(insn.bci);
            }
            let given =
                descriptor.split(')').nth(1).and_then(|given| given.strip_prefix('L')?.strip_suffix(';'));
            if insn.op == op::INVOKEVIRTUAL && given == Some(&*owner) {
                giving_itself.insert(insn.bci);
            }
            if jdk::boxes::boxes(&owner, &name, &descriptor) {
                boxing.insert(insn.bci);
            }
        }
        Some(SlicedMethod {
            code,
            producers,
            control,
            definitions,
            links,
            constructors,
            harmless,
            giving_itself,
            boxing,
        })
    }

    /// The calls of the constructor for what a `new` makes, if it makes a value that never changes.
    pub fn constructors(&self, new: u16) -> &[u16] {
        self.constructors.get(&new).map_or(&[], Vec::as_slice)
    }

    /// Is nothing that lasts changed by the call at a place, whatever it is given?
    pub fn is_harmless(&self, bci: u16) -> bool {
        self.harmless.contains(&bci)
    }

    /// Does the call at a place give what it is made on, as far as the types tell?
    pub fn gives_itself(&self, bci: u16) -> bool {
        self.giving_itself.contains(&bci)
    }

    /// Where the variable may have been written that an instruction uses; none for an argument.
    pub fn definitions(&self, usage: u16) -> &[Option<u16>] {
        self.definitions.get(&usage).map_or(&[], Vec::as_slice)
    }

    /// Does an instruction give what stands in the code, in a box perhaps?
    pub fn is_constant(&self, bci: u16) -> bool {
        let plain = |bci: u16| (op::ACONST_NULL..=op::LDC2_W).contains(&self.op(bci));
        let boxed = || {
            self.producers
                .operands(bci)
                .iter()
                .flatten()
                .all(|producer| plain(producer.bci) && !producer.caught)
        };
        plain(bci) || (self.boxing.contains(&bci) && boxed())
    }

    pub fn link(&self, bci: u16) -> Link {
        self.links.get(&bci).copied().unwrap_or(Link::Works)
    }

    pub fn op(&self, bci: u16) -> u8 {
        self.code.at(bci).map_or(op::NOP, |at| self.code.insns[at].op)
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
