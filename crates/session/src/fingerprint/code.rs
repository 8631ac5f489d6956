//! The identity of a method's code: what it does, whatever else is in its class. Constants are taken by what they
//! mean and not by their number, line numbers and names of variables are left out. So an edit elsewhere in the class,
//! a comment or a moved method keep it.

use std::hash::Hasher;

use base::MethodId;
use classfile::{ClassFile, Code, Constant, ConstantPool, Member, opcode};
use past::Program;

use super::{Fingerprint, Print};

/// None for a method without code, or with code that cannot be read.
pub fn code(program: &Program, method: MethodId) -> Option<Fingerprint> {
    let (class, model) = program.method(method)?;
    let file = ClassFile::parse(&class.bytes).ok()?;
    let own = |member: &&Member<'_>| {
        member.name == model.name.as_bytes() && member.descriptor == model.descriptor.as_bytes()
    };
    code_of(&file, file.methods.iter().find(own)?)
}

fn code_of(file: &ClassFile<'_>, member: &Member<'_>) -> Option<Fingerprint> {
    let code = member.code(file).ok()??;
    let mut print = Print::new();
    print.bytes(file.name().ok()?);
    print.bytes(member.name);
    print.bytes(member.descriptor);
    print.write_u16(member.access);
    let bootstraps = file.attribute("BootstrapMethods").map_or(&[][..], |attribute| attribute.info);
    let constants = Constants { pool: &file.pool, bootstraps };
    instructions(&code, &constants, &mut print)?;
    for entry in &code.exceptions {
        for place in [entry.start, entry.end, entry.handler] {
            print.write_u16(place);
        }
        match entry.catch_type {
            0 => print.write_u8(0),
            class => constants.write(class, &mut print, 0)?,
        }
    }
    Some(print.fingerprint())
}

fn instructions(code: &Code<'_>, constants: &Constants<'_, '_>, print: &mut Print) -> Option<()> {
    for insn in code.insns() {
        let insn = insn.ok()?;
        let (start, end) = (insn.pc as usize, (insn.pc + insn.len) as usize);
        let bytes = code.code.get(start..end)?;
        print.write_u8(insn.op);
        match insn.op {
            opcode::LDC => constants.write(u16::from(*bytes.get(1)?), print, 0)?,
            opcode::LDC_W
            | opcode::LDC2_W
            | opcode::GETSTATIC..=opcode::INVOKEDYNAMIC
            | opcode::NEW
            | opcode::ANEWARRAY
            | opcode::CHECKCAST
            | opcode::INSTANCEOF
            | opcode::MULTIANEWARRAY => {
                constants.write(u16::from_be_bytes([*bytes.get(1)?, *bytes.get(2)?]), print, 0)?;
                print.bytes(bytes.get(3..)?);
            }
            _ => print.bytes(bytes.get(1..)?),
        }
    }
    Some(())
}

struct Constants<'f, 'a> {
    pool: &'f ConstantPool<'a>,
    bootstraps: &'a [u8],
}

impl Constants<'_, '_> {
    /// A constant with all that it refers to. `depth` guards against circles in damaged files.
    fn write(&self, index: u16, print: &mut Print, depth: u32) -> Option<()> {
        if depth > 16 {
            return None;
        }
        let mut follow = |tag: u8, indices: &[u16]| {
            print.write_u8(tag);
            indices.iter().try_for_each(|&index| self.write(index, print, depth + 1))
        };
        match self.pool.get(index).ok()? {
            Constant::Utf8(bytes) => {
                print.write_u8(1);
                print.bytes(bytes);
            }
            Constant::Integer(value) => {
                print.write_u8(3);
                print.write_i32(value);
            }
            Constant::Float(bits) => {
                print.write_u8(4);
                print.write_u32(bits);
            }
            Constant::Long(value) => {
                print.write_u8(5);
                print.write_i64(value);
            }
            Constant::Double(bits) => {
                print.write_u8(6);
                print.write_u64(bits);
            }
            Constant::Class { name } => follow(7, &[name])?,
            Constant::String { value } => follow(8, &[value])?,
            Constant::Field { class, name_and_type } => follow(9, &[class, name_and_type])?,
            Constant::Method { class, name_and_type } => follow(10, &[class, name_and_type])?,
            Constant::InterfaceMethod { class, name_and_type } => follow(11, &[class, name_and_type])?,
            Constant::NameAndType { name, descriptor } => follow(12, &[name, descriptor])?,
            Constant::MethodHandle { kind, reference } => {
                print.write_u8(kind);
                self.write(reference, print, depth + 1)?;
            }
            Constant::MethodType { descriptor } => follow(16, &[descriptor])?,
            Constant::Dynamic { bootstrap, name_and_type }
            | Constant::InvokeDynamic { bootstrap, name_and_type } => {
                follow(18, &[name_and_type])?;
                self.write_bootstrap(bootstrap, print, depth + 1)?;
            }
            Constant::Module { name } | Constant::Package { name } => follow(19, &[name])?,
        }
        Some(())
    }

    fn write_bootstrap(&self, wanted: u16, print: &mut Print, depth: u32) -> Option<()> {
        let word = |at: usize| {
            let bytes = self.bootstraps.get(at..at + 2)?;
            Some(u16::from_be_bytes([bytes[0], bytes[1]]))
        };
        let mut at = 2;
        for _ in 0..wanted {
            at += 4 + 2 * usize::from(word(at + 2)?);
        }
        let count = usize::from(word(at + 2)?);
        self.write(word(at)?, print, depth)?;
        (0..count).try_for_each(|arg| self.write(word(at + 4 + 2 * arg)?, print, depth))
    }
}
