//! What the code calls a value: the expression that an operand of an instruction was written as, told from the bytecode
//! (`order.customer`, `a[i + 1]`, `list.get(0)`). Boxes are left out as in the source. Where several ways meet on the stack
//! (`c ? a : b`) it has no one name.

use classfile::{ClassFile, Constant, opcode as op};
use trace::{Method, MethodId, Program, simple_name};

use crate::cfg::BlockExit;
use crate::code::{Code, Insn, Local};
use crate::producers::Producers;

/// The expressions of one method.
pub struct Expressions<'p> {
    method: &'p Method,
    file: ClassFile<'p>,
    source: classfile::Code<'p>,
    code: Code,
    producers: Producers,
}

/// What a branch compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// `x == 3`, as it held.
    pub text: String,
    /// The operands that it compares, by their number; the second may be a constant of the instruction.
    pub operands: u16,
}

/// Expressions in an expression.
const MAX_DEPTH: u32 = 8;
/// Characters of the arguments of a call in an expression.
const MAX_ARGUMENTS: usize = 40;
/// Characters of a string in an expression.
const MAX_STRING: usize = 20;

impl<'p> Expressions<'p> {
    /// None for a method without code, or with code that cannot be read.
    pub fn of(program: &'p Program, id: MethodId) -> Option<Expressions<'p>> {
        let code = Code::read(program, id).ok()??;
        let (class, method) = program.method(id)?;
        let file = ClassFile::parse(&class.bytes).ok()?;
        let member = file.methods.get(id.0.wrapping_sub(class.first_method.0) as usize)?;
        let source = member.code(&file).ok()??;
        let producers = Producers::of(&code.insns, &code.cfg, &source, &file);
        Some(Expressions { method, file, source, code, producers })
    }

    /// The opcode of an instruction.
    pub fn op(&self, bci: u16) -> Option<u8> {
        self.code.at(bci).map(|at| self.code.insns[at].op)
    }

    /// How many values an instruction takes.
    pub fn operands(&self, bci: u16) -> usize {
        self.producers.operands(bci).len()
    }

    /// What a value that an instruction takes is called, the deepest first.
    pub fn operand(&self, bci: u16, at: usize) -> Option<String> {
        self.within(bci, at, 0)
    }

    /// The variable that a value was read from right before, if it was.
    pub fn variable(&self, bci: u16, at: usize) -> Option<&str> {
        let [producer] = &**self.producers.operands(bci).get(at)? else { return None };
        let insn = self.code.insns[self.code.at(producer.bci)?];
        match insn.local {
            Some(Local::Load(slot)) if !producer.caught => self.local(slot, insn.bci),
            _ => None,
        }
    }

    /// The constant that a value is, if it is one.
    pub fn constant(&self, bci: u16, at: usize) -> Option<String> {
        let [producer] = &**self.producers.operands(bci).get(at)? else { return None };
        self.literal(producer.bci)
    }

    /// What a conditional jump asks, as it was when the jump was `taken` or not.
    pub fn condition(&self, bci: u16, taken: bool) -> Option<Condition> {
        let sign = sign(self.op(bci)?, taken)?;
        let left = |depth| self.within(bci, 0, depth);
        let (text, operands) = match self.op(bci)? {
            op::IF_ICMPEQ..=op::IF_ACMPNE => (format!("{} {sign} {}", left(0)?, self.within(bci, 1, 0)?), 2),
            op::IFNULL | op::IFNONNULL => (format!("{} {sign} null", left(0)?), 1),
            _ => {
                // Longs and floating-point numbers are compared first, then the outcome with zero.
                let [producer] = &**self.producers.operands(bci).first()? else { return None };
                match self.op(producer.bci)? {
                    op::LCMP..=op::DCMPG if !producer.caught => {
                        let [one, other] = [0, 1].map(|at| self.within(producer.bci, at, 0));
                        (format!("{} {sign} {}", one?, other?), 1)
                    }
                    _ if self.is_boolean(producer.bci) => {
                        let not = if sign == "==" { "!" } else { "" };
                        (format!("{not}{}", left(0)?), 1)
                    }
                    _ => (format!("{} {sign} 0", left(0)?), 1),
                }
            }
        };
        Some(Condition { text, operands })
    }

    /// Classes of the exceptions that are caught around an instruction, the innermost first; what catches everything
    /// is left out.
    pub fn caught(&self, bci: u16) -> Vec<String> {
        let around = self.source.exceptions.iter();
        let around = around.filter(|entry| (entry.start..entry.end).contains(&bci) && entry.catch_type != 0);
        around
            .filter_map(|entry| self.file.pool.class_name(entry.catch_type).ok())
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .collect()
    }

    /// Where a conditional jump leads to, taken or not.
    pub fn leads_to(&self, bci: u16, taken: bool) -> Option<u16> {
        let cfg = &self.code.cfg;
        match cfg.block(cfg.block_at(bci)?).exit {
            BlockExit::Branches { taken: yes, not } => {
                Some(cfg.block(cfg.edge_of(if taken { yes } else { not }).to).first)
            }
            _ => None,
        }
    }

    /// The instruction that takes a lock, if nothing but getting hold of it is between it and the instruction before.
    pub fn lock_behind(&self, bci: u16) -> Option<u16> {
        let behind = self.code.insns.get(self.code.at(bci)? + 1..)?;
        let quiet = |insn: &&Insn| {
            matches!(insn.local, Some(Local::Load(_) | Local::Store(_)))
                || matches!(insn.op, op::DUP | op::GETFIELD | op::GETSTATIC | op::LDC | op::LDC_W)
        };
        let first = behind.iter().find(|insn| !quiet(insn))?;
        (first.op == op::MONITORENTER).then_some(first.bci)
    }

    /// The instructions of the innermost loop around one.
    pub fn loop_around(&self, bci: u16) -> Option<Vec<u16>> {
        let cfg = &self.code.cfg;
        let block = cfg.block_at(bci)?;
        let around = self
            .code
            .loops()
            .all
            .iter()
            .filter(|one| one.body.contains(block))
            .max_by_key(|one| one.depth)?;
        let inside = |insn: &&Insn| cfg.block_at(insn.bci).is_some_and(|block| around.body.contains(block));
        Some(self.code.insns.iter().filter(inside).map(|insn| insn.bci).collect())
    }

    fn within(&self, bci: u16, at: usize, depth: u32) -> Option<String> {
        let [producer] = &**self.producers.operands(bci).get(at)? else { return None };
        if producer.caught || depth > MAX_DEPTH {
            return None;
        }
        self.given(producer.bci, depth)
    }

    /// What the value that an instruction gives is called.
    fn given(&self, bci: u16, depth: u32) -> Option<String> {
        let insn = self.code.insns[self.code.at(bci)?];
        let operand = |at: usize| self.within(bci, at, depth + 1);
        if let Some(Local::Load(slot)) = insn.local {
            return self.local(slot, bci).map(str::to_owned);
        }
        if let Some(text) = self.literal(bci) {
            return Some(text);
        }
        let binary = |sign: &str| Some(format!("{} {sign} {}", operand(0)?, operand(1)?));
        match insn.op {
            op::GETFIELD => Some(format!("{}.{}", operand(0)?, self.member(bci)?.1)),
            op::GETSTATIC => {
                let (class, name, _) = self.member(bci)?;
                Some(format!("{}.{name}", simple_name(&class)))
            }
            code if op::is_array_load(code) => Some(format!("{}[{}]", operand(0)?, operand(1)?)),
            op::ARRAYLENGTH => Some(format!("{}.length", operand(0)?)),
            op::NEW => {
                let index = self.source.index(self.source.insn(bci.into()).ok()?);
                let name = self.file.pool.class_name(index).ok()?;
                Some(format!("new {}(…)", simple_name(&String::from_utf8_lossy(name))))
            }
            op::INVOKEDYNAMIC => None,
            code if op::is_invoke(code) => self.call(bci, code, depth),
            op::IADD..=op::DADD => binary("+"),
            op::ISUB..=op::DSUB => binary("-"),
            op::IMUL..=op::DMUL => binary("*"),
            op::IDIV..=op::DDIV => binary("/"),
            op::IREM..=op::DREM => binary("%"),
            op::INEG..=op::DNEG => Some(format!("-{}", operand(0)?)),
            op::IAND | op::LAND => binary("&"),
            op::IOR | op::LOR => binary("|"),
            op::IXOR | op::LXOR => binary("^"),
            op::ISHL | op::LSHL => binary("<<"),
            op::ISHR | op::LSHR => binary(">>"),
            op::IUSHR | op::LUSHR => binary(">>>"),
            op::I2L..=op::I2S => operand(0),
            _ => None,
        }
    }

    fn call(&self, bci: u16, code: u8, depth: u32) -> Option<String> {
        let (class, name, descriptor) = self.member(bci)?;
        let count = self.operands(bci);
        let receiver = usize::from(op::has_receiver(code));
        let operand = |at: usize| self.within(bci, at, depth + 1);
        if jdk::boxes::boxes(&class, &name, &descriptor) || jdk::boxes::unboxes(&class, &name, &descriptor) {
            return operand(0);
        }
        let arguments: Vec<String> =
            (receiver..count).map(|at| operand(at).unwrap_or_else(|| "…".to_owned())).collect();
        let mut arguments = arguments.join(", ");
        if arguments.chars().count() > MAX_ARGUMENTS {
            arguments = "…".to_owned();
        }
        let on = match receiver {
            0 => simple_name(&class),
            _ => operand(0)?,
        };
        Some(format!("{on}.{name}({arguments})"))
    }

    /// The constant that an instruction gives.
    fn literal(&self, bci: u16) -> Option<String> {
        let insn = self.source.insn(bci.into()).ok()?;
        Some(match insn.op {
            op::ACONST_NULL => "null".to_owned(),
            code @ op::ICONST_M1..=op::ICONST_5 => (i32::from(code) - i32::from(op::ICONST_0)).to_string(),
            code @ (op::LCONST_0 | op::LCONST_1) => (code - op::LCONST_0).to_string(),
            code @ op::FCONST_0..=op::FCONST_2 => format!("{}.0", code - op::FCONST_0),
            code @ (op::DCONST_0 | op::DCONST_1) => format!("{}.0", code - op::DCONST_0),
            op::BIPUSH => (*self.source.code.get(insn.pc as usize + 1)? as i8).to_string(),
            op::SIPUSH => (self.source.index(insn) as i16).to_string(),
            op::LDC | op::LDC_W | op::LDC2_W => match self.file.pool.get(self.source.constant(insn)).ok()? {
                Constant::Integer(value) => value.to_string(),
                Constant::Long(value) => value.to_string(),
                Constant::Float(value) => trace::literal::float(f32::from_bits(value)),
                Constant::Double(value) => trace::literal::double(f64::from_bits(value)),
                Constant::String { value } => {
                    let text = trace::text::from_modified(self.file.pool.utf8(value).ok()?);
                    let cut: String = text.chars().take(MAX_STRING).collect();
                    let end = if cut.len() < text.len() { "…" } else { "" };
                    trace::literal::quoted(&format!("{cut}{end}"))
                }
                Constant::Class { name } => {
                    let name = self.file.pool.utf8(name).ok()?;
                    format!("{}.class", simple_name(&String::from_utf8_lossy(name)))
                }
                _ => return None,
            },
            _ => return None,
        })
    }

    fn local(&self, slot: u16, bci: u16) -> Option<&str> {
        if slot == 0 && !self.method.is_static() {
            return Some("this");
        }
        self.method.local(slot, bci).map(|(name, _)| name)
    }

    /// Does an instruction give a truth value, as far as its type says?
    fn is_boolean(&self, bci: u16) -> bool {
        let Some(at) = self.code.at(bci) else { return false };
        let insn = self.code.insns[at];
        match (insn.local, insn.op) {
            (Some(Local::Load(slot)), _) => {
                self.method.local(slot, bci).is_some_and(|(_, descriptor)| descriptor == "Z")
            }
            (_, op::GETFIELD | op::GETSTATIC) => {
                self.member(bci).is_some_and(|(.., descriptor)| descriptor == "Z")
            }
            (_, op::INSTANCEOF) => true,
            (_, code) if op::is_invoke(code) => {
                self.member(bci).is_some_and(|(.., descriptor)| descriptor.ends_with(")Z"))
            }
            _ => false,
        }
    }

    /// Class, name and descriptor of the field or method that an instruction names.
    fn member(&self, bci: u16) -> Option<(String, String, String)> {
        let member = self.file.pool.member(self.source.index(self.source.insn(bci.into()).ok()?)).ok()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Some((text(member.class), text(member.name), text(member.descriptor)))
    }
}

/// The sign of a comparison that held when a jump was taken, or was not.
fn sign(code: u8, taken: bool) -> Option<&'static str> {
    let sign = match code {
        op::IFEQ | op::IF_ICMPEQ | op::IF_ACMPEQ | op::IFNULL => ["!=", "=="],
        op::IFNE | op::IF_ICMPNE | op::IF_ACMPNE | op::IFNONNULL => ["==", "!="],
        op::IFLT | op::IF_ICMPLT => [">=", "<"],
        op::IFGE | op::IF_ICMPGE => ["<", ">="],
        op::IFGT | op::IF_ICMPGT => ["<=", ">"],
        op::IFLE | op::IF_ICMPLE => [">", "<="],
        _ => return None,
    };
    Some(sign[usize::from(taken)])
}
