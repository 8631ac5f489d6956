//! Assertions that held before a test failed: what a test compared with what it should be is right, and so is the call that
//! gave exactly this. Only where that is exact: the value is the call's result as it came (boxed or widened at most), in
//! the test's own frame, and what it holds did not change on the way.

use analysis::code::{Code, Local};
use analysis::producers::Producers;
use base::{CallId, Ending, MethodId, ObjectId, Target, Value};
use classfile::{ClassFile, opcode as op};
use past::{Affected, CallRow, Past, Position};

use crate::entry::{Testing, testing};

/// Calls of a test's own that are looked at, at most.
const MAX_CALLS: usize = 100_000;
/// Steps from an argument back to the call that gave it, at most.
const MAX_STEPS: usize = 16;

/// Calls that a test made and of whose results it asserted what they are, and was right; in order. None of a test that came to
/// its end although an exception should have ended it: what gave the value that is asserted there may well be what is wrong.
pub fn asserted(past: &Past, test: CallId) -> Vec<CallId> {
    let Some(row) = past.call_row(test) else { return Vec::new() };
    let Target::Method(method) = row.target else { return Vec::new() };
    let returned = matches!(row.ending, Ending::Returned(_));
    let expects = |testing: Testing| !testing.expected.is_empty() || testing.expects_by_rule;
    if returned && testing(past.program(), method).is_some_and(expects) {
        return Vec::new();
    }
    let own = children(past, test);
    let class = past.program().method(method).map(|(class, _)| class);
    let Some(file) = class.and_then(|class| ClassFile::parse(&class.bytes).ok()) else { return Vec::new() };
    let Some(body) = Body::of(past, &file, method) else { return Vec::new() };
    let mut found = Vec::new();
    for (at, &(assertion, row)) in own.iter().enumerate() {
        if !matches!((row.target, row.ending), (Target::Library(_), Ending::Returned(_))) {
            continue;
        }
        let (owner, name, descriptor) = past.target(row.target);
        let Some((compared, other)) = jdk::testing::asserted(&owner, &name, &descriptor) else { continue };
        let args = past.arguments(assertion).unwrap_or_default();
        // A constant where the actual value belongs: they were written the other way round.
        let place = match other {
            Some(other) if body.is_constant(row.bci, args.receiver.is_some(), compared) => other,
            _ => compared,
        };
        let Some(&value) = args.values.get(place) else { continue };
        let operand = place + usize::from(args.receiver.is_some());
        let Some(producer) = body.producer(row.bci, operand) else { continue };
        let gave = own[..at].iter().rev().find(|(_, row)| row.bci == producer);
        let Some(&(call, gave)) = gave.filter(|(_, row)| matches!(row.target, Target::Method(_))) else {
            continue;
        };
        let Ending::Returned(Some(result)) = gave.ending else { continue };
        if is_same(past, result, value) && is_as_given(past, call, result, gave.exit, row.entry) {
            found.push(call);
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The calls that a call made itself, in order.
fn children(past: &Past, call: CallId) -> Vec<(CallId, CallRow)> {
    let mut list = Vec::new();
    let Some(row) = past.call_row(call) else { return list };
    let end = call.index.saturating_add(row.size);
    let mut index = call.index + 1;
    while index < end && list.len() < MAX_CALLS {
        let child = CallId { index, ..call };
        let Some(row) = past.call_row(child) else { break };
        index = index.saturating_add(row.size.max(1));
        list.push((child, row));
    }
    list
}

/// A test's code.
struct Body<'f> {
    file: &'f ClassFile<'f>,
    source: classfile::Code<'f>,
    code: Code,
    producers: Producers,
}

impl<'f> Body<'f> {
    fn of(past: &Past, file: &'f ClassFile<'f>, method: MethodId) -> Option<Body<'f>> {
        let (class, _) = past.program().method(method)?;
        let member = file.methods.get(method.0.wrapping_sub(class.first_method.0) as usize)?;
        let source = member.code(file).ok()??;
        let code = Code::of(file, member, method, true).ok()??;
        let producers = Producers::of(&code.insns, &code.cfg, &source, file);
        Some(Body { file, source, code, producers })
    }

    /// The call whose result an operand is, whatever way was taken to it.
    fn producer(&self, bci: u16, operand: usize) -> Option<u16> {
        let (mut bci, mut operand) = (bci, operand);
        for _ in 0..MAX_STEPS {
            let at = self.only(bci, operand)?;
            let insn = self.code.insns.iter().find(|insn| insn.bci == at)?;
            (bci, operand) = match (insn.local, insn.op) {
                (Some(Local::Load(slot)), _) => (self.stored(at, slot)?, 0),
                // They hold all values of what they are made from.
                (_, op::I2L | op::I2D | op::F2D) => (at, 0),
                (_, op) if op::is_invoke(op) => match self.passes_on(at) {
                    true => (at, 0),
                    false => return Some(at),
                },
                _ => return None,
            };
        }
        None
    }

    /// The one instruction that puts an operand on the stack.
    fn only(&self, bci: u16, operand: usize) -> Option<u16> {
        match **self.producers.operands(bci).get(operand)? {
            [producer] if !producer.caught => Some(producer.bci),
            _ => None,
        }
    }

    /// The one store that a variable's value can come from.
    fn stored(&self, load: u16, slot: u16) -> Option<u16> {
        let mut chains = self.code.defuse().chains.iter();
        let is_it = |chain: &&analysis::defuse::Chain| chain.usage == load && chain.slot == slot;
        let store = chains.find(is_it)?.definition?;
        chains.find(is_it).is_none().then_some(store)
    }

    /// Does the call at a place give back what it got, boxed or unboxed?
    fn passes_on(&self, bci: u16) -> bool {
        let call = self.source.insn(bci.into());
        let callee = call.and_then(|call| self.file.pool.member(self.source.index(call)));
        callee.is_ok_and(|callee| {
            let text = |bytes| std::str::from_utf8(bytes).unwrap_or_default();
            let (owner, name, descriptor) = (text(callee.class), text(callee.name), text(callee.descriptor));
            jdk::boxes::boxes(owner, name, descriptor) || jdk::boxes::unboxes(owner, name, descriptor)
        })
    }

    fn is_constant(&self, bci: u16, receiver: bool, argument: usize) -> bool {
        let mut at = self.only(bci, argument + usize::from(receiver));
        for _ in 0..MAX_STEPS {
            let insn = at.and_then(|at| self.code.insns.iter().find(|insn| insn.bci == at));
            let Some(insn) = insn else { return false };
            match insn.op {
                op::ACONST_NULL..=op::LDC2_W => return true,
                op::I2L | op::I2D | op::F2D => at = self.only(insn.bci, 0),
                op if op::is_invoke(op) && self.passes_on(insn.bci) => at = self.only(insn.bci, 0),
                _ => return false,
            }
        }
        false
    }
}

/// Are a result and an argument the same value, boxed or widened at most?
fn is_same(past: &Past, result: Value, argument: Value) -> bool {
    match (number(result), number(argument)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => match (result, argument) {
            (Value::Object(one), Value::Object(other)) => one == other && !past.is_doubtful(one),
            (Value::Unidentified | Value::Pending(_) | Value::ReturnAddress(_) | Value::Top, _) => false,
            (one, other) => one == other,
        },
        _ => false,
    }
}

#[derive(Clone, Copy)]
enum Number {
    Whole(i64),
    Floating(f64),
}

impl PartialEq for Number {
    /// To the bit: what is not the same number was not passed on.
    fn eq(&self, other: &Number) -> bool {
        match (*self, *other) {
            (Number::Whole(one), Number::Whole(other)) => one == other,
            (Number::Floating(one), Number::Floating(other)) => one.to_bits() == other.to_bits(),
            // An `int` that became a `double`.
            (Number::Whole(one), Number::Floating(other)) | (Number::Floating(other), Number::Whole(one)) => {
                i32::try_from(one).is_ok_and(|one| f64::from(one).to_bits() == other.to_bits())
            }
        }
    }
}

fn number(value: Value) -> Option<Number> {
    Some(match value {
        Value::Int(value) => Number::Whole(i64::from(value)),
        Value::Long(value) => Number::Whole(value),
        Value::Float(value) => Number::Floating(f64::from(value)),
        Value::Double(value) => Number::Floating(value),
        Value::Box { kind: b'F', bits } => Number::Floating(f64::from(f32::from_bits(bits as u32))),
        Value::Box64 { kind: b'D', bits } => Number::Floating(f64::from_bits(bits as u64)),
        Value::Box { bits, .. } => Number::Whole(i64::from(bits)),
        Value::Box64 { bits, .. } => Number::Whole(bits),
        _ => return None,
    })
}

/// Did an object hold the same when it was given and when it was compared?
fn is_as_given(past: &Past, call: CallId, result: Value, gave: u64, compared: u64) -> bool {
    let Value::Object(object) = result else { return true };
    // Times count the events of all threads: if only so many passed, no other thread did anything.
    let time = |ordinal| past.time(Position { stream: call.stream, ordinal });
    let passed = time(compared).zip(time(gave)).map(|(later, earlier)| later.0 - earlier.0);
    let alone = passed == Some(compared - gave);
    let (mut made, mut changed): (Vec<ObjectId>, Vec<ObjectId>) = (Vec::new(), Vec::new());
    // Its return and the call that compares it left out.
    let between = (gave + 1 < compared).then(|| (gave + 1, compared - 1));
    let events = between.map(|(first, last)| past.affected(call.stream, first, last));
    for (_, affected) in events.into_iter().flatten() {
        match affected {
            Affected::Created(object) => made.push(object),
            // No object holds a static.
            Affected::Slot(slot) => changed.extend(slot.object()),
            Affected::Elements { array, .. } => changed.push(array),
            Affected::Used(used) if used == object => return false,
            Affected::Used(_) => {}
        }
    }
    alone && changed.iter().all(|changed| made.contains(changed))
}
