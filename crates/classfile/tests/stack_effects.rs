//! The stack that the model of instructions computes is the one that the JVM's verifier knows: every method of the
//! installed JDKs is followed along all its ways, and wherever a StackMapTable has a frame, the stack is compared with it,
//! kind by kind. Each instruction finds the kinds that it takes, and `max_stack` is never exceeded.

use std::collections::{BTreeSet, HashMap};

use classfile::{
    ClassFile, Code, Insn, Member, OperandStack, PoolBuilder, StackEffect, StackMapFrame, TypeKind,
    VerificationType, frames, opcode as op,
};

/// Slots by kind; both of a long or double say it.
type Stack = OperandStack<Option<TypeKind>>;

/// What no class of a JDK has: `javac` writes neither `nop` nor `swap`, `jsr` and `ret` are of old compilers, `goto_w` is
/// for very long methods. They are in the table below.
const NOWHERE: [u8; 6] = [op::NOP, op::SWAP, op::JSR, op::RET, op::GOTO_W, op::JSR_W];

fn check(version: &str) {
    let classes = testkit::jdk_classes(version);
    let mut walk = Walk::default();
    for (name, bytes) in &classes {
        let class = ClassFile::parse(bytes).unwrap();
        for method in &class.methods {
            let Some(code) = method.code(&class).unwrap() else { continue };
            if let Err(fault) = walk.method(&class, method, &code) {
                panic!("{name}, {}: {fault}", String::from_utf8_lossy(method.name));
            }
        }
    }
    if !classes.is_empty() {
        let missing: Vec<&str> = (0..=op::JSR_W)
            .filter(|code| !walk.seen.contains(code) && !NOWHERE.contains(code))
            .map(|code| op::NAMES[usize::from(code)])
            .collect();
        assert!(missing.is_empty(), "no class has {missing:?}");
        assert!(walk.frames > 100_000, "only {} frames", walk.frames);
    }
}

#[derive(Default)]
struct Walk {
    seen: BTreeSet<u8>,
    /// How many frames were compared.
    frames: usize,
}

impl Walk {
    fn method(&mut self, class: &ClassFile<'_>, method: &Member<'_>, code: &Code<'_>) -> Result<(), String> {
        let told = |error: classfile::Error| error.to_string();
        let mut pool = PoolBuilder::new(&class.pool);
        let known = frames(class, method, code, &mut pool).map_err(told)?;
        let known: HashMap<u32, Stack> = known.iter().map(|frame| (frame.pc, stack_of(frame))).collect();
        let mut before: HashMap<u32, Stack> = HashMap::new();
        let mut open = vec![(0, Stack::default())];
        // A handler finds what was thrown.
        let thrown = Stack { slots: vec![Some(TypeKind::Reference)] };
        open.extend(code.exceptions.iter().map(|entry| (u32::from(entry.handler), thrown.clone())));
        while let Some((pc, stack)) = open.pop() {
            if let Some(frame) = known.get(&pc) {
                self.frames += 1;
                if *frame != stack {
                    return Err(format!("at {pc} the frame has {frame:?}, computed is {stack:?}"));
                }
            }
            if stack.slots.len() > code.max_stack.into() {
                return Err(format!("at {pc} the stack is higher than {}", code.max_stack));
            }
            match before.insert(pc, stack.clone()) {
                Some(other) if other != stack => return Err(format!("two ways to {pc} do not agree")),
                Some(_) => continue,
                None => {}
            }
            let insn = code.insn(pc).map_err(told)?;
            self.seen.extend([insn.op, code.operation(insn)]);
            let stack = after(class, code, insn, stack)?;
            let next = if op::ends_block(insn.op) { None } else { Some(insn.pc + insn.len) };
            let mut ways: Vec<u32> = next.into_iter().collect();
            if op::is_short_jump(insn.op) || op::is_wide_jump(insn.op) {
                ways.push(code.jump_target(insn).map_err(told)?);
            } else if matches!(insn.op, op::TABLESWITCH | op::LOOKUPSWITCH) {
                let switch = code.switch(insn).map_err(told)?;
                ways.extend(switch.cases.iter().map(|case| case.1).chain([switch.default]));
            }
            open.extend(ways.into_iter().map(|to| (to, stack.clone())));
        }
        Ok(())
    }
}

fn after(class: &ClassFile<'_>, code: &Code<'_>, insn: Insn, mut stack: Stack) -> Result<Stack, String> {
    let effect = code.stack_effect(insn, &class.pool).map_err(|error| error.to_string())?;
    let (needed, left) = effect.slots();
    let Some(rest) = stack.slots.len().checked_sub(needed) else {
        return Err(format!("{insn:?} finds too little on the stack"));
    };
    let mut fault = None;
    stack.apply(effect, |found| {
        let wanted: Vec<_> = match effect {
            StackEffect::Values { takes, .. } => takes.iter().map(Some).collect(),
            _ => unreachable!("no values"),
        };
        if found != wanted {
            fault = Some(format!("{insn:?} takes {wanted:?} and finds {found:?}"));
        }
        Some(effect.gives())
    });
    if let Some(fault) = fault {
        return Err(fault);
    }
    match stack.slots.len() == rest + left {
        true => Ok(stack),
        false => Err(format!("{insn:?} does not leave {left} slots")),
    }
}

fn stack_of(frame: &StackMapFrame) -> Stack {
    let mut stack = Stack::default();
    for one in &frame.stack {
        let kind = match one {
            VerificationType::Top => panic!("a slot of the stack that holds nothing"),
            VerificationType::Integer => TypeKind::Int,
            VerificationType::Float => TypeKind::Float,
            VerificationType::Double => TypeKind::Double,
            VerificationType::Long => TypeKind::Long,
            VerificationType::Null
            | VerificationType::UninitializedThis
            | VerificationType::Object(_)
            | VerificationType::Uninitialized(_) => TypeKind::Reference,
        };
        stack.give(kind, Some(kind));
    }
    stack
}

#[test]
fn stacks_of_java_17_are_those_of_the_verifier() {
    check("17");
}

#[test]
fn stacks_of_java_25_are_those_of_the_verifier() {
    check("25");
}

/// Slots taken and left by opcode, as the specification's chapter 6 draws them; those of the instructions that name a
/// member depend on its descriptor and are not in here.
#[rustfmt::skip]
const SLOTS: [(usize, usize); 202] = {
    const X: (usize, usize) = (usize::MAX, usize::MAX);
    [
        // nop, constants
        (0,0), (0,1), (0,1), (0,1), (0,1), (0,1), (0,1), (0,1), (0,1), (0,2), (0,2), (0,1), (0,1), (0,1), (0,2), (0,2),
        (0,1), (0,1), X, X, X,
        // loads
        (0,1), (0,2), (0,1), (0,2), (0,1),
        (0,1), (0,1), (0,1), (0,1), (0,2), (0,2), (0,2), (0,2), (0,1), (0,1), (0,1), (0,1), (0,2), (0,2), (0,2), (0,2),
        (0,1), (0,1), (0,1), (0,1),
        (2,1), (2,2), (2,1), (2,2), (2,1), (2,1), (2,1), (2,1),
        // stores
        (1,0), (2,0), (1,0), (2,0), (1,0),
        (1,0), (1,0), (1,0), (1,0), (2,0), (2,0), (2,0), (2,0), (1,0), (1,0), (1,0), (1,0), (2,0), (2,0), (2,0), (2,0),
        (1,0), (1,0), (1,0), (1,0),
        (3,0), (4,0), (3,0), (4,0), (3,0), (3,0), (3,0), (3,0),
        // the stack itself
        (1,0), (2,0), (1,2), (2,3), (3,4), (2,4), (3,5), (4,6), (2,2),
        // arithmetic
        (2,1), (4,2), (2,1), (4,2), (2,1), (4,2), (2,1), (4,2), (2,1), (4,2), (2,1), (4,2), (2,1), (4,2), (2,1), (4,2),
        (2,1), (4,2), (2,1), (4,2), (1,1), (2,2), (1,1), (2,2),
        (2,1), (3,2), (2,1), (3,2), (2,1), (3,2), (2,1), (4,2), (2,1), (4,2), (2,1), (4,2), (0,0),
        // conversions and comparisons
        (1,2), (1,1), (1,2), (2,1), (2,1), (2,2), (1,1), (1,2), (1,2), (2,1), (2,2), (2,1), (1,1), (1,1), (1,1),
        (4,1), (2,1), (2,1), (4,1), (4,1),
        // jumps and returns
        (1,0), (1,0), (1,0), (1,0), (1,0), (1,0), (2,0), (2,0), (2,0), (2,0), (2,0), (2,0), (2,0), (2,0),
        (0,0), (0,1), (0,0), (1,0), (1,0), (1,0), (2,0), (1,0), (2,0), (1,0), (0,0),
        // members, objects, arrays
        X, X, X, X, X, X, X, X, X, (0,1), (1,1), (1,1), (1,1), (1,0), (1,1), (1,1), (1,0), (1,0),
        // wide (of nop, which there is not), multianewarray of three, and the rest
        X, (3,1), (1,0), (1,0), (0,0), (0,1),
    ]
};

#[test]
fn every_opcode_takes_and_leaves_the_slots_that_the_specification_says() {
    // class A, without anything in it
    let bytes: Vec<u8> =
        [&b"\xca\xfe\xba\xbe\0\0\0\x3d\0\x03\x01\0\x01A\x07\0\x01\0\x21\0\x02"[..], &[0; 10]].concat();
    let class = ClassFile::parse(&bytes).unwrap();
    for (code, expected) in (0u8..).zip(SLOTS) {
        let bytes = [code, 0, 0, 3, 0, 0];
        let method =
            Code { max_stack: 8, max_locals: 8, code: &bytes, exceptions: vec![], attributes: vec![] };
        let effect = method.stack_effect(Insn { pc: 0, op: code, len: 1 }, &class.pool);
        let name = op::NAMES[usize::from(code)];
        match code {
            // `wide` is what it widens.
            op::WIDE => assert_eq!(effect.unwrap().slots(), (0, 0), "{name}"),
            // There is no constant 0.
            _ if expected.0 == usize::MAX => assert!(effect.is_err(), "{name}"),
            _ => assert_eq!(effect.unwrap().slots(), expected, "{name}"),
        }
    }
}
