//! How long it takes to answer a question, in seconds: a constant, and what has to be read. What cannot be known from what is
//! shown is dear, because then somebody has to look elsewhere; so is what is about several calls at once.

use past::SinkDeed;

use super::{Became, CallEnd, CallLine, Held, NodeKind, Question, QuestionPart, Thrown};

/// Bytes that are read where there is no value: a few words say why.
const NOT_SET: usize = 7;
const ENDED: usize = 28;
const BROKEN: usize = 31;
const UNKNOWN_EXCEPTION: usize = 30;

/// To see what is asked, and to think.
const GLANCE: f64 = 3.0;
/// For each time that what there is to read doubles beyond a short line.
const DOUBLING: f64 = 2.0;
/// For a value whose content is not known.
const UNKNOWN_CONTENT: f64 = 6.0;
/// More of them make no difference: nobody answers then.
const MOST_UNKNOWN: usize = 3;
/// For several calls, or iterations, at once.
const JOINT: f64 = 4.0;
const LOOP: f64 = 6.0;

/// How a value says that its content is not known.
pub(super) const UNKNOWN: &str = "content unknown";

pub(super) fn cost(question: &Question) -> f64 {
    let part =
        |part: &QuestionPart| part.name.len() + held(&part.before) + part.after.as_ref().map_or(0, held);
    let parts: usize = question.args.iter().chain(&question.receiver).map(part).sum();
    let changes: usize =
        question.changes.iter().map(|one| one.location.len() + one.before.len() + became(&one.after)).sum();
    // What a loop goes by would have to be looked up otherwise: that it is shown takes no longer.
    let is_loop = matches!(question.kind, NodeKind::Loop | NodeKind::Iterations);
    let reads = question.reads.iter().filter(|_| !is_loop);
    let reads: usize = reads.map(|(location, value)| location.len() + held(value)).sum();
    let ends = question.result.as_ref().map_or(0, String::len) + question.thrown.as_ref().map_or(0, thrown);
    let members: usize = question.members.iter().map(call).sum();
    let size = parts + changes + reads + ends + members / 4;
    let size = if question.more { size * 2 } else { size };
    let read = DOUBLING * (1.0 + size as f64 / 40.0).log2();
    let joint = match question.kind {
        NodeKind::Call | NodeKind::Nest | NodeKind::Statement => 0.0,
        NodeKind::Collapse | NodeKind::Projection | NodeKind::Thread => JOINT,
        NodeKind::Loop | NodeKind::Iterations => LOOP,
    };
    GLANCE + read + joint + UNKNOWN_CONTENT * unknown(question).min(MOST_UNKNOWN) as f64
}

/// Values whose content is not known.
pub(super) fn unknown(question: &Question) -> usize {
    let is = |text: &str| text.contains(UNKNOWN);
    let held = |held: &Held| matches!(held, Held::Value(text) if is(text));
    let part = |part: &&QuestionPart| held(&part.before) || part.after.as_ref().is_some_and(held);
    let parts = question.args.iter().chain(&question.receiver).filter(part).count();
    let changed = |after: &Became| matches!(after, Became::Value(text) if is(text));
    let changes = question.changes.iter().filter(|one| changed(&one.after)).count();
    parts + changes + usize::from(question.result.as_deref().is_some_and(is))
}

fn held(held: &Held) -> usize {
    match held {
        Held::Value(text) => text.len(),
        Held::NotSet => NOT_SET,
        Held::Ended => ENDED,
    }
}

fn became(became: &Became) -> usize {
    let line = match became {
        Became::Value(text) => return text.len(),
        Became::Written(line) => line,
    };
    let deed = match &line.deed {
        SinkDeed::Became(before, after) => before.len() + " → ".len() + after.len(),
        SinkDeed::Changed { steps } => "changed in  steps".len() + steps.to_string().len(),
        SinkDeed::Did(verb) => verb.len(),
        SinkDeed::Wrote(verb, what) => verb.len() + " ".len() + what.len(),
    };
    let to = line.leads_to.as_ref().map_or(0, |end| " (to )".len() + end.len());
    deed + to + if line.whole { 0 } else { BROKEN }
}

fn thrown(thrown: &Thrown) -> usize {
    match thrown {
        Thrown::Value(text) => text.len(),
        Thrown::Unknown => UNKNOWN_EXCEPTION,
    }
}

/// `Asked.factorial(4) = 24`, with the signs around the values.
fn call(call: &CallLine) -> usize {
    let new = if call.constructs { "new ".len() } else { 0 };
    let args: usize = call.args.iter().map(|arg| arg.before.len()).sum();
    let commas = ", ".len() * call.args.len().saturating_sub(1);
    let end = match &call.end {
        CallEnd::Open => " …".len(),
        CallEnd::Gave(result) => " = ".len() + result.len(),
        CallEnd::Threw(exception) => " threw ".len() + thrown(exception),
    };
    new + call.name.len() + "()".len() + args + commas + end
}
