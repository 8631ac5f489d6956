//! The bytecode of one method in readable form, for classes without sources. Names and constants are resolved; what
//! a damaged class does not tell is shown by its index.

use base::literal::{double, float, quoted};
use base::simple_name;
use base::text::from_modified;
use classfile::opcode as op;
use classfile::{ClassFile, Code, Constant, ConstantPool, Insn, MethodDescriptor};

use crate::error::Error;

/// Place and text of each instruction of a method, by its index in the class: `(12, "invokevirtual Sorter.sort(int[])")`.
/// Empty for a method without code.
pub fn listing(class: &[u8], method: usize) -> Result<Vec<(u32, String)>, Error> {
    let class = ClassFile::parse(class)?;
    let member = class.methods.get(method).ok_or(Error::NoMethod(method))?;
    let Some(code) = member.code(&class)? else { return Ok(Vec::new()) };
    let mut lines = Vec::new();
    for insn in code.insns() {
        let insn = insn?;
        lines.push((insn.pc, instruction(&class.pool, &code, insn)));
    }
    Ok(lines)
}

/// The highest line number that a class mentions.
pub fn last_line(class: &[u8]) -> Result<Option<u32>, Error> {
    let class = ClassFile::parse(class)?;
    let mut last = None;
    for method in &class.methods {
        if let Some(code) = method.code(&class)? {
            last = last.max(code.lines().iter().map(|&(_, line)| u32::from(line)).max());
        }
    }
    Ok(last)
}

fn instruction(pool: &ConstantPool<'_>, code: &Code<'_>, insn: Insn) -> String {
    let name = op::NAMES.get(usize::from(insn.op)).copied().unwrap_or("?");
    let byte = |at: u32| code.code.get((insn.pc + at) as usize).copied().unwrap_or(0);
    let short = |at: u32| i16::from_be_bytes([byte(at), byte(at + 1)]);
    let index = code.index(insn);
    let operand = match insn.op {
        op::BIPUSH => (byte(1) as i8).to_string(),
        op::SIPUSH => short(1).to_string(),
        op::LDC => constant(pool, u16::from(byte(1))),
        op::LDC_W | op::LDC2_W => constant(pool, index),
        op::IINC => format!("{}, {}", byte(1), byte(2) as i8),
        op::WIDE => return wide(byte(1), short(2) as u16, short(4)),
        op::ILOAD..=op::ALOAD | op::ISTORE..=op::ASTORE | op::RET => byte(1).to_string(),
        op::GETSTATIC..=op::PUTFIELD => field(pool, index),
        op::INVOKEVIRTUAL..=op::INVOKEDYNAMIC => method(pool, index),
        op::NEW | op::ANEWARRAY | op::CHECKCAST | op::INSTANCEOF => class(pool, index),
        op::NEWARRAY => element(byte(1)).to_owned(),
        op::MULTIANEWARRAY => format!("{}, {}", class(pool, index), byte(3)),
        op::TABLESWITCH | op::LOOKUPSWITCH => switch(code, insn),
        jump if op::is_short_jump(jump) || op::is_wide_jump(jump) => {
            code.jump_target(insn).map_or_else(|_| "?".to_owned(), |target| target.to_string())
        }
        _ => return name.to_owned(),
    };
    format!("{name} {operand}")
}

/// An instruction with the prefix `wide`, under the name that it has with longer operands.
fn wide(inner: u8, slot: u16, increment: i16) -> String {
    let name = op::NAMES.get(usize::from(inner)).copied().unwrap_or("?");
    match inner {
        op::IINC => format!("{name}_w {slot}, {increment}"),
        _ => format!("{name}_w {slot}"),
    }
}

fn switch(code: &Code<'_>, insn: Insn) -> String {
    let Ok(switch) = code.switch(insn) else { return "?".to_owned() };
    let mut cases: Vec<String> =
        switch.cases.iter().map(|(key, target)| format!("{key}: {target}")).collect();
    cases.push(format!("default: {}", switch.default));
    cases.join(", ")
}

fn constant(pool: &ConstantPool<'_>, index: u16) -> String {
    match pool.get(index) {
        Ok(Constant::Integer(value)) => value.to_string(),
        Ok(Constant::Long(value)) => format!("{value}L"),
        Ok(Constant::Float(bits)) => format!("{}f", float(f32::from_bits(bits))),
        Ok(Constant::Double(bits)) => double(f64::from_bits(bits)),
        Ok(Constant::String { value }) => {
            pool.utf8(value).map_or_else(|_| unknown(index), |text| quoted(&from_modified(text)))
        }
        Ok(Constant::Class { .. }) => format!("{}.class", class(pool, index)),
        Ok(Constant::MethodHandle { reference, .. }) => match pool.get(reference) {
            Ok(Constant::Field { .. }) => field(pool, reference),
            _ => method(pool, reference),
        },
        Ok(Constant::MethodType { descriptor }) => {
            pool.utf8(descriptor).map_or_else(|_| unknown(index), from_modified)
        }
        Ok(Constant::Dynamic { .. }) => field(pool, index),
        _ => unknown(index),
    }
}

fn class(pool: &ConstantPool<'_>, index: u16) -> String {
    pool.class_name(index).map_or_else(|_| unknown(index), |name| simple_name(&from_modified(name)))
}

/// `Class.name`; the class is missing where the JVM finds the member by itself.
fn field(pool: &ConstantPool<'_>, index: u16) -> String {
    let Ok(member) = pool.member(index) else { return unknown(index) };
    let class = simple_name(&from_modified(member.class));
    let dot = if class.is_empty() { "" } else { "." };
    format!("{class}{dot}{}", from_modified(member.name))
}

fn method(pool: &ConstantPool<'_>, index: u16) -> String {
    let Ok(member) = pool.member(index) else { return unknown(index) };
    let types = MethodDescriptor::parse(member.descriptor).map(|descriptor| {
        let names: Vec<String> = descriptor.parameters.iter().map(|one| type_name(one)).collect();
        names.join(", ")
    });
    format!("{}({})", field(pool, index), types.unwrap_or_else(|_| "?".to_owned()))
}

/// A type as in source code. Class names know the names of primitive types only as elements of arrays.
fn type_name(descriptor: &[u8]) -> String {
    let array = simple_name(&format!("[{}", from_modified(descriptor)));
    array.strip_suffix("[]").unwrap_or(&array).to_owned()
}

fn element(code: u8) -> &'static str {
    match code {
        4 => "boolean",
        5 => "char",
        6 => "float",
        7 => "double",
        8 => "byte",
        9 => "short",
        10 => "int",
        11 => "long",
        _ => "?",
    }
}

fn unknown(index: u16) -> String {
    format!("#{index}")
}
