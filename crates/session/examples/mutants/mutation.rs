//! Single-point mistakes, as people make them, in the code of one method: what can be done where, and the class with it
//! done. All but one keep the length of what they replace, so nothing else in the class moves and no stack map is
//! computed; swapped arguments are one inserted instruction.

use std::collections::HashMap;

use classfile::{
    ClassFile, Code, CodeEdit, Insn, MethodDescriptor, PoolBuilder, StackEffect, TypeKind, access,
    opcode as op, rewrite_code, write_class,
};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// `<` for `<=`
    Boundary,
    /// `==` for `!=`, `<` for `>=`
    Negated,
    /// One more, or one less.
    Constant,
    /// `+` for `-`
    Operator,
    /// A call is left out; what it gives is 0 or null.
    DroppedCall,
    /// The last two arguments, of one type.
    SwappedArguments,
    /// As if the condition were not there: the jump is never taken.
    DroppedCondition,
    /// The rest of a block is left out, and the method returns with 0 or null.
    EarlyReturn,
}

/// What is done to a method. `pc..end` is what was replaced, by as many bytes; if it is empty, something was inserted
/// before `pc`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mutation {
    pub kind: Kind,
    pub pc: u32,
    pub end: u32,
    pub old: Vec<u8>,
    pub new: Vec<u8>,
}

/// A mutation with where it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mutant {
    /// With slashes.
    pub class: String,
    pub method: String,
    pub descriptor: String,
    pub line: Option<u16>,
    /// For people: `if_icmplt → if_icmple`
    pub said: String,
    pub mutation: Mutation,
}

/// All mutations of a method at instructions that were executed.
pub fn mutations(
    file: &ClassFile<'_>,
    method: &classfile::Member<'_>,
    executed: impl Fn(u32) -> bool,
) -> classfile::Result<Vec<Mutation>> {
    let mut found = Vec::new();
    let Some(code) = method.code(file)? else { return Ok(found) };
    if method.access & (access::SYNTHETIC | access::BRIDGE) != 0 {
        return Ok(found);
    }
    let insns = code.insns().collect::<classfile::Result<Vec<Insn>>>()?;
    for &insn in insns.iter().filter(|insn| executed(insn.pc)) {
        let old = &code.code[insn.pc as usize..(insn.pc + insn.len) as usize];
        let mut add = |kind, new: Vec<u8>| {
            found.push(Mutation { kind, pc: insn.pc, end: insn.pc + insn.len, old: old.to_vec(), new });
        };
        let with = |code: u8| [&[code], &old[1..]].concat();
        if let Some(other) = boundary(insn.op) {
            add(Kind::Boundary, with(other));
        }
        if let Some(other) = negated(insn.op) {
            add(Kind::Negated, with(other));
        }
        if op::is_conditional(insn.op) {
            let two = matches!(insn.op, op::IF_ICMPEQ..=op::IF_ACMPNE);
            add(Kind::DroppedCondition, vec![if two { op::POP2 } else { op::POP }, op::NOP, op::NOP]);
        }
        for other in constants(old) {
            add(Kind::Constant, other);
        }
        for other in operators(insn.op) {
            add(Kind::Operator, vec![other]);
        }
        if op::is_invoke(insn.op) {
            let member = file.pool.member(code.index(insn))?;
            if member.name != b"<init>"
                && let Some(new) = dropped(&code, insn, file)?
            {
                add(Kind::DroppedCall, new);
            }
            let parsed = MethodDescriptor::parse(member.descriptor)?;
            if let [.., one, other] = parsed.parameters.as_slice()
                && one == other
                && TypeKind::of(one)?.slots() == 1
            {
                let (pc, old) = (insn.pc, Vec::new());
                found.push(Mutation { kind: Kind::SwappedArguments, pc, end: pc, old, new: vec![op::SWAP] });
            }
        }
    }
    if method.name != b"<init>" && !insns.iter().any(|insn| awkward(insn.op)) {
        found.extend(early_returns(file, method, &code, &insns, &executed)?);
    }
    Ok(found)
}

/// The class with the mutation in it. `method`: its number in the class.
pub fn mutated(file: &ClassFile<'_>, method: usize, mutation: &Mutation) -> classfile::Result<Vec<u8>> {
    let member = &file.methods[method];
    let missing = classfile::Error::Code(mutation.pc, "no code to mutate");
    let code = member.code(file)?.ok_or(missing)?;
    if mutation.kind == Kind::SwappedArguments {
        let edit = CodeEdit { before: vec![(mutation.pc, mutation.new.clone())], ..CodeEdit::default() };
        let mut pool = PoolBuilder::new(&file.pool);
        let rewritten = rewrite_code(file, member, &code, &edit, &mut pool)?;
        return write_class(file, &mut pool, &[(method, rewritten)], &[]);
    }
    let at = code.code.as_ptr() as usize - file.bytes.as_ptr() as usize;
    let (from, to) = (at + mutation.pc as usize, at + mutation.end as usize);
    let mut bytes = file.bytes.to_vec();
    if bytes.get(from..to) != Some(&mutation.old) || mutation.new.len() != to - from {
        return Err(classfile::Error::Code(mutation.pc, "other code than the mutation is for"));
    }
    bytes[from..to].copy_from_slice(&mutation.new);
    Ok(bytes)
}

impl Mutation {
    /// `if_icmplt → if_icmple`
    pub fn said(&self, file: &ClassFile<'_>) -> String {
        let name = |code: u8| op::NAMES.get(usize::from(code)).copied().unwrap_or("?");
        let index = |bytes: &[u8]| u16::from_be_bytes([bytes[1], bytes[2]]);
        match self.kind {
            Kind::Boundary | Kind::Negated | Kind::Operator => {
                format!("{} → {}", name(self.old[0]), name(self.new[0]))
            }
            Kind::Constant => format!(
                "{} {:?} → {} {:?}",
                name(self.old[0]),
                &self.old[1..],
                name(self.new[0]),
                &self.new[1..]
            ),
            Kind::DroppedCall => {
                let member = file.pool.member(index(&self.old)).ok();
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                member.map_or("a call is dropped".to_owned(), |member| {
                    format!("{}.{} is not called", text(member.class), text(member.name))
                })
            }
            Kind::SwappedArguments => "the last two arguments are swapped".to_owned(),
            Kind::DroppedCondition => format!("{} is never taken", name(self.old[0])),
            Kind::EarlyReturn => "returns early".to_owned(),
        }
    }
}

fn boundary(code: u8) -> Option<u8> {
    Some(match code {
        op::IFLT => op::IFLE,
        op::IFLE => op::IFLT,
        op::IFGT => op::IFGE,
        op::IFGE => op::IFGT,
        op::IF_ICMPLT => op::IF_ICMPLE,
        op::IF_ICMPLE => op::IF_ICMPLT,
        op::IF_ICMPGT => op::IF_ICMPGE,
        op::IF_ICMPGE => op::IF_ICMPGT,
        _ => return None,
    })
}

fn negated(code: u8) -> Option<u8> {
    match code {
        // They stand in pairs: eq ne, lt ge, gt le; for references eq ne.
        op::IFEQ..=op::IF_ACMPNE => Some(((code - op::IFEQ) ^ 1) + op::IFEQ),
        op::IFNULL => Some(op::IFNONNULL),
        op::IFNONNULL => Some(op::IFNULL),
        _ => None,
    }
}

fn constants(old: &[u8]) -> Vec<Vec<u8>> {
    let code = old[0];
    let near = |first: u8, last: u8| -> Vec<Vec<u8>> {
        [code - 1, code + 1]
            .into_iter()
            .filter(|other| (first..=last).contains(other))
            .map(|other| vec![other])
            .collect()
    };
    match code {
        op::ICONST_M1..=op::ICONST_5 => near(op::ICONST_M1, op::ICONST_5),
        op::LCONST_0 | op::LCONST_1 => near(op::LCONST_0, op::LCONST_1),
        op::FCONST_0..=op::FCONST_2 => near(op::FCONST_0, op::FCONST_2),
        op::DCONST_0 | op::DCONST_1 => near(op::DCONST_0, op::DCONST_1),
        op::BIPUSH => [-1i8, 1].map(|by| vec![code, (old[1] as i8).wrapping_add(by) as u8]).to_vec(),
        op::SIPUSH => {
            let value = i16::from_be_bytes([old[1], old[2]]);
            let other = |by: i16| [&[code][..], &value.wrapping_add(by).to_be_bytes()].concat();
            vec![other(-1), other(1)]
        }
        op::IINC => [-1i8, 1].map(|by| vec![code, old[1], (old[2] as i8).wrapping_add(by) as u8]).to_vec(),
        _ => Vec::new(),
    }
}

fn operators(code: u8) -> Vec<u8> {
    // Kinds of numbers take turns, so that the others of a kind are steps of four away.
    match code {
        op::IADD..=op::DREM => {
            let (kind, place) = ((code - op::IADD) % 4, (code - op::IADD) / 4);
            let other: &[u8] = match place {
                0 => &[1],
                1 => &[0],
                2 => &[0, 3],
                3 => &[2],
                _ => &[3],
            };
            other.iter().map(|place| op::IADD + place * 4 + kind).collect()
        }
        op::ISHL | op::LSHL => vec![code + 2],
        op::ISHR | op::LSHR => vec![code - 2],
        op::IUSHR | op::LUSHR => vec![code - 4],
        op::IAND | op::LAND => vec![code + 2],
        op::IOR | op::LOR => vec![code - 2],
        op::IXOR | op::LXOR => vec![code - 2],
        _ => Vec::new(),
    }
}

/// What takes the arguments of a call away and puts a default in the place of its result; none if that is too long.
fn dropped(code: &Code<'_>, insn: Insn, file: &ClassFile<'_>) -> classfile::Result<Option<Vec<u8>>> {
    let StackEffect::Values { takes, gives } = code.stack_effect(insn, &file.pool)? else { return Ok(None) };
    let mut kinds: Vec<TypeKind> = takes.iter().collect();
    let mut new = Vec::new();
    while let Some(top) = kinds.pop() {
        let pair = top.slots() == 1 && kinds.last().is_some_and(|next| next.slots() == 1);
        if pair {
            kinds.pop();
        }
        new.push(if pair || top.slots() == 2 { op::POP2 } else { op::POP });
    }
    new.extend(default(gives));
    let length = insn.len as usize;
    if new.len() > length {
        return Ok(None);
    }
    new.resize(length, op::NOP);
    Ok(Some(new))
}

fn default(kind: TypeKind) -> Option<u8> {
    match kind {
        TypeKind::Int => Some(op::ICONST_0),
        TypeKind::Long => Some(op::LCONST_0),
        TypeKind::Float => Some(op::FCONST_0),
        TypeKind::Double => Some(op::DCONST_0),
        TypeKind::Reference => Some(op::ACONST_NULL),
        TypeKind::Void => None,
    }
}

/// Code in which one cannot simply return: locks that are held, subroutines.
fn awkward(code: u8) -> bool {
    matches!(code, op::MONITORENTER | op::MONITOREXIT | op::JSR | op::JSR_W | op::RET)
}

/// Where nothing is on the stack, the rest of the block becomes a return. Nothing else of the block is left behind it:
/// code that is not reached would need a frame.
fn early_returns(
    file: &ClassFile<'_>,
    method: &classfile::Member<'_>,
    code: &Code<'_>,
    insns: &[Insn],
    executed: &impl Fn(u32) -> bool,
) -> classfile::Result<Vec<Mutation>> {
    let result = TypeKind::of(MethodDescriptor::parse(method.descriptor)?.result)?;
    let ending = match result {
        TypeKind::Int => op::IRETURN,
        TypeKind::Long => op::LRETURN,
        TypeKind::Float => op::FRETURN,
        TypeKind::Double => op::DRETURN,
        TypeKind::Reference => op::ARETURN,
        TypeKind::Void => op::RETURN,
    };
    let depths = depths(file, code, insns)?;
    let cfg = analysis::cfg::Cfg::build(code)?;
    let mut found = Vec::new();
    for (at, insn) in insns.iter().enumerate() {
        let block = cfg.block_at(insn.pc as u16);
        let rest = insns[at..].iter().take_while(|other| cfg.block_at(other.pc as u16) == block);
        let rest: Vec<&Insn> = rest.collect();
        // A statement that does nothing but return, or go somewhere, is none to leave out.
        let busy = rest.iter().any(|one| op::is_invoke(one.op) || matches!(one.op, op::PUTFIELD | op::PUTSTATIC | op::IASTORE..=op::SASTORE | op::ISTORE..=op::ASTORE_3 | op::IINC));
        let Some(last) =
            rest.last().filter(|_| busy && executed(insn.pc) && depths.get(&insn.pc) == Some(&0))
        else {
            continue;
        };
        let starts_line = code.lines().iter().any(|&(pc, _)| u32::from(pc) == insn.pc);
        let length = (last.pc + last.len - insn.pc) as usize;
        if !starts_line || length < 3 {
            continue;
        }
        let mut new = vec![op::NOP; length];
        new[length - 1] = ending;
        if let Some(value) = default(result) {
            new[length - 2] = value;
        }
        let old = code.code[insn.pc as usize..insn.pc as usize + length].to_vec();
        found.push(Mutation { kind: Kind::EarlyReturn, pc: insn.pc, end: last.pc + last.len, old, new });
    }
    Ok(found)
}

/// By pc: slots on the stack before the instruction.
fn depths(file: &ClassFile<'_>, code: &Code<'_>, insns: &[Insn]) -> classfile::Result<HashMap<u32, usize>> {
    let by_pc: HashMap<u32, Insn> = insns.iter().map(|&insn| (insn.pc, insn)).collect();
    let mut depths = HashMap::new();
    let mut open: Vec<(u32, usize)> = vec![(0, 0)];
    open.extend(code.exceptions.iter().map(|entry| (u32::from(entry.handler), 1)));
    while let Some((pc, depth)) = open.pop() {
        let Some(&insn) = by_pc.get(&pc) else { continue };
        if depths.insert(pc, depth).is_some() {
            continue;
        }
        let (takes, gives) = code.stack_effect(insn, &file.pool)?.slots();
        let after = depth.saturating_sub(takes) + gives;
        if op::is_short_jump(insn.op) || op::is_wide_jump(insn.op) {
            open.push((code.jump_target(insn)?, after));
        }
        if matches!(insn.op, op::TABLESWITCH | op::LOOKUPSWITCH) {
            let switch = code.switch(insn)?;
            open.extend(switch.cases.iter().map(|case| case.1).chain([switch.default]).map(|to| (to, after)));
        } else if !op::is_return(insn.op) && !matches!(insn.op, op::GOTO | op::GOTO_W | op::ATHROW) {
            open.push((pc + insn.len, after));
        }
    }
    Ok(depths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_are_flipped_in_pairs_and_moved_by_one() {
        let pairs = [
            (op::IFEQ, op::IFNE),
            (op::IFLT, op::IFGE),
            (op::IFGT, op::IFLE),
            (op::IF_ICMPEQ, op::IF_ICMPNE),
            (op::IF_ICMPLT, op::IF_ICMPGE),
            (op::IF_ACMPEQ, op::IF_ACMPNE),
            (op::IFNULL, op::IFNONNULL),
        ];
        for (one, other) in pairs {
            assert_eq!((negated(one), negated(other)), (Some(other), Some(one)));
        }
        assert_eq!(boundary(op::IF_ICMPLT), Some(op::IF_ICMPLE));
        assert_eq!(boundary(op::IFEQ), None);
    }

    #[test]
    fn an_operator_becomes_another_one_of_the_same_kind_of_number() {
        for (code, expected) in [
            (op::IADD, vec![op::ISUB]),
            (op::DSUB, vec![op::DADD]),
            (op::LMUL, vec![op::LADD, op::LDIV]),
            (op::FREM, vec![op::FDIV]),
            (op::ISHL, vec![op::ISHR]),
            (op::LUSHR, vec![op::LSHL]),
            (op::IAND, vec![op::IOR]),
            (op::IXOR, vec![op::IOR]),
        ] {
            assert_eq!(operators(code), expected);
        }
    }

    #[test]
    fn a_constant_becomes_one_more_or_less_within_its_form() {
        assert_eq!(constants(&[op::ICONST_5]), [vec![op::ICONST_4]]);
        assert_eq!(constants(&[op::BIPUSH, 10]), [vec![op::BIPUSH, 9], vec![op::BIPUSH, 11]]);
        assert_eq!(constants(&[op::SIPUSH, 1, 0])[0], [op::SIPUSH, 0, 255]);
        assert_eq!(constants(&[op::IINC, 3, 1]), [vec![op::IINC, 3, 0], vec![op::IINC, 3, 2]]);
    }
}
