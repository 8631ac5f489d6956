//! A method's bytecode, prepared for replay: short forms and wide forms are folded into one, jump targets are
//! instruction numbers, constants are resolved. Eight bytes per instruction, so that a hot loop stays in cache.

use classfile::{
    ClassFile, Code as Bytecode, Constant, Member, MemberRef, MethodDescriptor, Result, Shuffle, access,
    opcode as op,
};
use jdk::arrays::BulkOperation;

use crate::class_model::kind_letter;
use crate::event::{BulkCall, Callee, FieldRef};
use crate::fields::Declared;
use crate::ids::CalleeId;
use crate::link::Link;
use crate::probes::{self, Init, Linking};
use crate::program::{Class, Program};
use crate::tables::Detail;
use crate::text::from_modified;
use crate::value::Value;

/// One instruction. Opcodes are the JVM's, except that
/// - `SIPUSH` is any int constant, in `b`;
/// - `LDC` pushes constant `b`; `LDC_W` takes its value from the log;
/// - `ILOAD` and `LLOAD` stand for all kinds of one and of two slots;
/// - `GOTO` and `JSR` include their wide forms.
///
/// `a` is a slot or the descriptor letter of a value, `b` a jump target, a constant, or an index into one of the
/// tables of [`Code`]. Array stores have in `b` the letter to which they narrow. Copies within the stack, other than
/// `DUP`, have in `a` how many slots they copy and in `b` under how many they put them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Insn {
    pub op: u8,
    /// Two slots wide (constants, values from the log).
    pub wide: bool,
    pub a: u16,
    pub b: i32,
}

pub(crate) struct Code {
    pub max_locals: u16,
    pub max_stack: u16,
    pub insns: Vec<Insn>,
    /// bci of each instruction.
    pub pcs: Vec<u16>,
    pub handlers: Vec<Handler>,
    pub constants: Vec<Value>,
    pub callees: Vec<Callee>,
    pub fields: Vec<FieldRef>,
    /// Class names: of `new`, `checkcast`, and of the arrays that are created.
    pub names: Vec<String>,
    pub switches: Vec<Switch>,
}

/// An entry of the exception table, in instruction numbers.
pub(crate) struct Handler {
    pub start: u32,
    pub end: u32,
    pub target: u32,
}

pub(crate) struct Switch {
    pub default: u32,
    /// (key, target), by ascending key.
    pub cases: Vec<(i32, u32)>,
}

impl Code {
    /// The code of all methods of a class, by their index.
    pub fn of_class(program: &Program, class: &Class) -> Vec<Option<Code>> {
        let Ok(file) = ClassFile::parse(&class.bytes) else { return Vec::new() };
        let prepare = |member: &Member<'_>| {
            let code = member.code(&file).ok()??;
            Compiler::new(program, class, &file, member, &code).ok()?.run().ok()
        };
        file.methods.iter().map(prepare).collect()
    }

    /// The instruction at a bci.
    pub fn at(&self, bci: u16) -> Option<&Insn> {
        self.insns.get(self.pcs.binary_search(&bci).ok()?)
    }

    pub fn bci(&self, ip: u32) -> u16 {
        self.pcs.get(ip as usize).copied().unwrap_or(u16::MAX)
    }
}

struct Compiler<'a> {
    program: &'a Program,
    class: &'a Class,
    file: &'a ClassFile<'a>,
    source: &'a Bytecode<'a>,
    inits: Vec<(u32, Init)>,
    code: Code,
}

impl<'a> Compiler<'a> {
    fn new(
        program: &'a Program,
        class: &'a Class,
        file: &'a ClassFile<'a>,
        method: &Member<'_>,
        source: &'a Bytecode<'a>,
    ) -> Result<Compiler<'a>> {
        let mut pcs = Vec::new();
        for insn in source.insns() {
            pcs.push(insn?.pc as u16);
        }
        let inits = probes::inits(file, method, source)?;
        let code = Code {
            max_locals: source.max_locals,
            max_stack: source.max_stack,
            insns: Vec::with_capacity(pcs.len()),
            pcs,
            handlers: Vec::new(),
            constants: Vec::new(),
            callees: Vec::new(),
            fields: Vec::new(),
            names: Vec::new(),
            switches: Vec::new(),
        };
        Ok(Compiler { program, class, file, source, inits, code })
    }

    fn run(mut self) -> Result<Code> {
        for insn in self.source.insns() {
            let insn = self.insn(insn?)?;
            self.code.insns.push(insn);
        }
        for entry in &self.source.exceptions {
            let (start, end) = (u32::from(entry.start), u32::from(entry.end));
            let number = |pc: u32| self.code.pcs.partition_point(|&at| u32::from(at) < pc) as u32;
            let handler =
                Handler { start: number(start), end: number(end), target: number(entry.handler.into()) };
            self.code.handlers.push(handler);
        }
        Ok(self.code)
    }

    fn insn(&mut self, insn: classfile::Insn) -> Result<Insn> {
        let byte = |at: u32| self.source.code.get((insn.pc + at) as usize).copied().unwrap_or(0);
        let plain = Insn { op: insn.op, wide: false, a: 0, b: 0 };
        let int = |b: i32| Insn { op: op::SIPUSH, b, ..plain };
        // The instruction that `wide` widens.
        let base = self.source.operation(insn);
        let slot = self.source.slot(insn).unwrap_or(0);
        let local = |code: u8| Insn { op: code, a: slot, ..plain };
        let element = |first: u8| {
            let kind = b"IJFDLIII"[usize::from(base - first)];
            let narrow = b"IJFDLBCS"[usize::from(base - first)];
            Insn { op: base, wide: is_wide(kind), a: u16::from(kind), b: i32::from(narrow) }
        };
        Ok(match base {
            op::ACONST_NULL => self.constant(Value::Null),
            op::ICONST_M1..=op::ICONST_5 => int(i32::from(base) - i32::from(op::ICONST_0)),
            op::LCONST_0 | op::LCONST_1 => self.constant(Value::Long(i64::from(base - op::LCONST_0))),
            op::FCONST_0..=op::FCONST_2 => self.constant(Value::Float(f32::from(base - op::FCONST_0))),
            op::DCONST_0 | op::DCONST_1 => self.constant(Value::Double(f64::from(base - op::DCONST_0))),
            op::BIPUSH => int(i32::from(byte(1) as i8)),
            op::SIPUSH => int(i32::from(self.source.index(insn) as i16)),
            op::LDC | op::LDC_W | op::LDC2_W => self.load_constant(self.source.constant(insn))?,
            op::ILOAD | op::FLOAD | op::ALOAD => local(op::ILOAD),
            op::LLOAD | op::DLOAD => local(op::LLOAD),
            op::ISTORE..=op::ASTORE => local(base),
            op::LLOAD_0..=op::LLOAD_3 | op::DLOAD_0..=op::DLOAD_3 => local(op::LLOAD),
            op::ILOAD_0..=op::ALOAD_3 => local(op::ILOAD),
            op::ISTORE_0..=op::ASTORE_3 => local(op::ISTORE + (base - op::ISTORE_0) / 4),
            op::IALOAD..=op::SALOAD => element(op::IALOAD),
            op::IASTORE..=op::SASTORE => element(op::IASTORE),
            op::RET => local(op::RET),
            op::IINC => {
                let by = match insn.op {
                    op::WIDE => i32::from(i16::from_be_bytes([byte(4), byte(5)])),
                    _ => i32::from(byte(2) as i8),
                };
                Insn { b: by, ..local(op::IINC) }
            }
            op::DUP_X1..=op::DUP2_X2 => {
                let Some(Shuffle { moved, under, .. }) = Shuffle::of(base) else { return Ok(plain) };
                Insn { a: moved as u16, b: under as i32, ..plain }
            }
            op::TABLESWITCH | op::LOOKUPSWITCH => self.switch(insn)?,
            jump if op::is_short_jump(jump) || op::is_wide_jump(jump) => {
                let target = self.number(self.source.jump_target(insn)?)?;
                let code = match jump {
                    op::GOTO_W => op::GOTO,
                    op::JSR_W => op::JSR,
                    other => other,
                };
                Insn { op: code, b: target as i32, ..plain }
            }
            op::GETSTATIC..=op::PUTFIELD => self.field(insn)?,
            invoke if op::is_invoke(invoke) => self.call(insn)?,
            op::NEW | op::CHECKCAST | op::INSTANCEOF => {
                let name = from_modified(self.file.pool.class_name(self.source.index(insn))?);
                self.named(insn.op, name)
            }
            op::NEWARRAY => {
                let letter = char::from(op::element(byte(1)).unwrap_or(b'J'));
                self.named(insn.op, format!("[{letter}"))
            }
            op::ANEWARRAY => {
                let element = from_modified(self.file.pool.class_name(self.source.index(insn))?);
                let name =
                    if element.starts_with('[') { format!("[{element}") } else { format!("[L{element};") };
                self.named(insn.op, name)
            }
            op::MULTIANEWARRAY => {
                let name = from_modified(self.file.pool.class_name(self.source.index(insn))?);
                Insn { a: u16::from(byte(3)), ..self.named(insn.op, name) }
            }
            _ => plain,
        })
    }

    fn constant(&mut self, value: Value) -> Insn {
        self.code.constants.push(value);
        let wide = matches!(value, Value::Long(_) | Value::Double(_));
        Insn { op: op::LDC, wide, a: 0, b: self.code.constants.len() as i32 - 1 }
    }

    fn load_constant(&mut self, index: u16) -> Result<Insn> {
        Ok(match self.file.pool.get(index)? {
            Constant::Integer(value) => Insn { op: op::SIPUSH, wide: false, a: 0, b: value },
            Constant::Float(bits) => self.constant(Value::Float(f32::from_bits(bits))),
            Constant::Long(value) => self.constant(Value::Long(value)),
            Constant::Double(bits) => self.constant(Value::Double(f64::from_bits(bits))),
            Constant::String { .. } => self.constant(Value::Literal { class: self.class.id, index }),
            Constant::Dynamic { .. } => {
                let kind = kind_letter(self.file.pool.member(index)?.descriptor);
                Insn { op: op::LDC_W, wide: is_wide(kind), a: u16::from(kind), b: 0 }
            }
            _ => Insn { op: op::LDC_W, wide: false, a: u16::from(b'L'), b: 0 },
        })
    }

    fn named(&mut self, code: u8, name: String) -> Insn {
        self.code.names.push(name);
        Insn { op: code, wide: false, a: 0, b: self.code.names.len() as i32 - 1 }
    }

    fn field(&mut self, insn: classfile::Insn) -> Result<Insn> {
        let member = self.file.pool.member(self.source.index(insn))?;
        let kind = kind_letter(member.descriptor);
        let (owner, name) = (from_modified(member.class), from_modified(member.name));
        let descriptor = from_modified(member.descriptor);
        let declared = self.program.supers(&owner, self.class.loader).find_map(|class| {
            let fields = &self.program.model(class)?.fields;
            fields.iter().find(|field| field.name == name && field.descriptor == descriptor)
        });
        let volatile = declared.is_some_and(|field| field.access & access::VOLATILE != 0);
        let declared = Declared::by_loader(self.class.loader);
        self.code.fields.push(FieldRef { owner, name, descriptor, kind, volatile, declared });
        Ok(Insn {
            op: insn.op,
            wide: is_wide(kind),
            a: u16::from(kind),
            b: self.code.fields.len() as i32 - 1,
        })
    }

    fn call(&mut self, insn: classfile::Insn) -> Result<Insn> {
        let member = self.file.pool.member(self.source.index(insn))?;
        let descriptor = MethodDescriptor::parse(member.descriptor)?;
        let receiver = op::has_receiver(insn.op);
        let parameters = descriptor.parameters.iter().map(|one| kind_letter(one));
        let kinds: Box<[u8]> = receiver.then_some(b'L').into_iter().chain(parameters).collect();
        let slots = kinds.iter().map(|&kind| if is_wide(kind) { 2u32 } else { 1 }).sum();
        let result = kind_letter(descriptor.result);
        let init = self.inits.iter().find(|&&(pc, _)| pc == insn.pc).map(|&(_, init)| init);
        let bulk = match jdk::arrays::bulk(member.class, member.name) {
            Some(BulkOperation::Copy) => Some(BulkCall::Copy),
            Some(BulkOperation::Fill) => Some(BulkCall::Fill),
            Some(BulkOperation::Clone) => Some(BulkCall::Clone),
            Some(BulkOperation::CopyOf | BulkOperation::New) => None,
            // `super.clone()` where no code of the program is above: the JVM copies all fields.
            None if insn.op == op::INVOKESPECIAL
                && (member.name, member.descriptor) == (b"clone", b"()Ljava/lang/Object;")
                && self.is_library(member.class) =>
            {
                Some(BulkCall::Clone)
            }
            None => None,
        };
        let (name, text) = (from_modified(member.name), from_modified(member.descriptor));
        let link = self.link(insn, member);
        self.code.callees.push(Callee {
            id: CalleeId { class: self.class.id, index: self.source.index(insn) },
            key: self.program.key(&name, &text),
            owner: from_modified(member.class),
            name,
            descriptor: text,
            opcode: insn.op,
            kinds,
            slots,
            receiver,
            result,
            init,
            orders_threads: jdk::threads::orders(member.class, member.name),
            bulk,
            link,
        });
        let b = self.code.callees.len() as i32 - 1;
        Ok(Insn { op: insn.op, wide: is_wide(result), a: u16::from(result), b })
    }

    fn link(&self, insn: classfile::Insn, callee: MemberRef<'_>) -> Link {
        if !self.class.announces(self.source.index(insn)) {
            return Link::Never;
        }
        let init = self.inits.iter().find(|&&(pc, _)| pc == insn.pc).map(|&(_, init)| init);
        match probes::announces(self.file, insn, callee, init) {
            Linking::Never => Link::Never,
            Linking::Virtual => Link::Virtual,
            Linking::Exact => {
                let key = self.program.key(&from_modified(callee.name), &from_modified(callee.descriptor));
                Link::Exact(self.program.linked_by_name(&from_modified(callee.class), key))
            }
        }
    }

    fn is_library(&self, class: &[u8]) -> bool {
        let class = self.program.class_named(&from_modified(class), self.class.loader);
        class.is_none_or(|class| class.detail == Detail::Library)
    }

    fn switch(&mut self, insn: classfile::Insn) -> Result<Insn> {
        let switch = self.source.switch(insn)?;
        let default = self.number(switch.default)?;
        let cases = switch.cases.iter().map(|&(key, target)| Ok((key, self.number(target)?)));
        let cases = cases.collect::<Result<Vec<_>>>()?;
        self.code.switches.push(Switch { default, cases });
        Ok(Insn { op: insn.op, wide: false, a: 0, b: self.code.switches.len() as i32 - 1 })
    }

    fn number(&self, pc: u32) -> Result<u32> {
        let found = u16::try_from(pc).ok().and_then(|pc| self.code.pcs.binary_search(&pc).ok());
        found.map(|at| at as u32).ok_or(classfile::Error::Code(pc, "jump into the middle of an instruction"))
    }
}

/// Does a value of this descriptor letter take two slots?
pub(crate) fn is_wide(kind: u8) -> bool {
    matches!(kind, b'J' | b'D')
}
