//! Questions about several calls at once: siblings, nested calls of one method, all that a thread did. What counts is
//! the composed effect: the state before the first and after the last, each location once.

use past::{CallId, CallInfo, Past, Target};

use super::call;
use super::effect::{Span, StateChange};
use super::reach::Reach;
use super::shown::limits;
use super::{CallEnd, Question, QuestionAbout, QuestionDetail, QuestionNote, call_info, written};

/// Members that are looked for; there may be more.
const COUNTED: usize = 20_000;

/// Members that are asked whether they keep what they were given.
const KEEPERS: usize = 8;

fn listed(detail: QuestionDetail) -> usize {
    match detail {
        QuestionDetail::Short => 24,
        QuestionDetail::More => 500,
    }
}

pub(super) fn siblings(
    past: &Past,
    first: &CallInfo,
    last: u64,
    independent: bool,
    detail: QuestionDetail,
) -> Question {
    let mut question = Question::new(first);
    let last = CallId::of_number(last).unwrap_or(first.id);
    let (members, all) = between(past, first.id, last);
    question.more = !all;
    if independent {
        question.note = Some(QuestionNote::Independent);
    }
    question.about = QuestionAbout::Calls { count: members.len() };
    composed(past, &mut question, &members, detail);
    question
}

/// All that one thread did: the calls that nothing of the recording called.
pub(super) fn thread(past: &Past, first: &CallInfo, detail: QuestionDetail) -> Question {
    let mut question = Question::new(first);
    let stream = first.id.stream;
    let roots = past.roots(stream, 0, COUNTED);
    let roots: Vec<CallId> = roots.into_iter().filter(|&root| is_program(past, root)).collect();
    question.about = QuestionAbout::Thread { name: past.thread_name(stream), count: roots.len() };
    composed(past, &mut question, &roots, detail);
    question
}

/// A call with those of the same method nested in it: the outermost one's question.
pub(super) fn nest(past: &Past, info: &CallInfo, levels: u32, detail: QuestionDetail) -> Question {
    let mut question = call::question(past, info, detail);
    let mut inner = vec![info.id];
    while (inner.len() as u32) < levels.max(1) && inner.len() < COUNTED {
        let Some(next) = inner.last().and_then(|&above| nested(past, above)) else { break };
        inner.push(next);
    }
    let shown = inner.iter().take(listed(detail)).filter_map(|&id| call_info(past, id));
    question.list(past, shown);
    question.more |= question.members.len() < inner.len();
    question.note = Some(QuestionNote::Nested(inner.len()));
    question
}

fn composed(past: &Past, question: &mut Question, members: &[CallId], detail: QuestionDetail) {
    let spans: Vec<Span> = members.iter().filter_map(|&id| Span::of_call(past, id)).collect();
    let mut effect = StateChange::of(past, &spans, detail);
    question.more |= effect.more;
    let (Some(before), Some(after)) =
        (spans.first().and_then(|span| span.start(past)), spans.last().and_then(|span| span.end(past)))
    else {
        return;
    };
    // The caller's names for what it handed out.
    let caller = members.first().and_then(|&id| past.call_row(id)).and_then(|call| call.parent);
    let caller = caller.zip(members.first()).map(|(index, id)| CallId { index, ..*id });
    let caller = caller.and_then(|id| past.program_call(id)).and_then(|id| past.call(id));
    let roots = caller.into_iter().flat_map(|caller| caller.args).map(|arg| (arg.name, arg.value));
    let reach = Reach::new(past, roots, before, after);
    let limits = limits(detail);
    effect.list.retain(|change| !reach.is_hidden_iterator(&change.location));
    question.changes = reach.shown(&effect.list, &limits).into_iter().map(|(shown, _)| shown).collect();
    written::put(past, question, &effect, &reach, &limits, detail);
    question.still.extend(effect.still(past, &reach, after, &limits));

    for info in members.iter().take(KEEPERS).filter_map(|&id| call_info(past, id)) {
        let found = super::kept::kept(past, &info, &[], &reach);
        for one in found {
            if !question.kept.contains(&one) {
                question.kept.push(one);
            }
        }
    }
    question.list(past, members.iter().take(listed(detail)).filter_map(|&id| call_info(past, id)));
    question.more |= question.members.len() < members.len();
    question.finished =
        members.last().and_then(|&id| past.call_row(id)).is_none_or(|call| call.ending != past::Ending::Open);
    if let Some(last) = members.last().and_then(|&id| past.call(id)) {
        // A run that an exception ended is asked about with it.
        question.thrown = match call::ending(past, &last, &limits) {
            CallEnd::Threw(exception) => Some(exception),
            CallEnd::Open | CallEnd::Gave(_) => None,
        };
    }
}

/// The calls of program code from one to another, not those within them, and whether these are all.
pub(crate) fn between(past: &Past, first: CallId, last: CallId) -> (Vec<CallId>, bool) {
    let mut members = Vec::new();
    let mut at = first;
    while at.index <= last.index {
        let Some(row) = past.call_row(at) else { break };
        let end = at.index.saturating_add(row.size.max(1));
        let is_program = matches!(row.target, Target::Method(_));
        // A library's call may have the last one in it: callbacks are siblings of what the program calls itself.
        if !is_program && last.index < end && last.index > at.index {
            at.index += 1;
            continue;
        }
        if is_program {
            if members.len() == COUNTED {
                return (members, false);
            }
            members.push(at);
        }
        at.index = end;
    }
    (members, true)
}

/// The first call of the same method within one, at any depth below library code.
fn nested(past: &Past, above: CallId) -> Option<CallId> {
    let target = past.call_row(above)?.target;
    let children = past.children(above, 0, 64);
    children.into_iter().find(|&child| past.call_row(child).is_some_and(|call| call.target == target))
}

fn is_program(past: &Past, call: CallId) -> bool {
    past.call_row(call).is_some_and(|call| matches!(call.target, Target::Method(_)))
}
