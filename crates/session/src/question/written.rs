//! What was written to streams, builders and files, and what came from outside, as questions show it: first, because
//! what was printed or appended is what a person looks at.

use past::{Content, Input, ObjectId, Origin, Past, RenderLimits, Sink, Wrote};

use super::effect::StateChange;
use super::reach::Reach;
use super::{Became, ChangedLocation, Held, Question, QuestionDetail, QuestionNote, StillHeld};

/// Sinks that are shown, and inputs.
fn counts(detail: QuestionDetail) -> (usize, usize) {
    match detail {
        QuestionDetail::Short => (6, 6),
        QuestionDetail::More => (200, 200),
    }
}

/// The sinks, before any other change, and the inputs.
pub(super) fn put(
    past: &Past,
    question: &mut Question,
    effect: &StateChange,
    reach: &Reach<'_>,
    limits: &RenderLimits,
    detail: QuestionDetail,
) {
    let (sinks, inputs) = counts(detail);
    // What was filled and emptied again is as it was.
    let (still, wrote): (Vec<&Wrote>, Vec<&Wrote>) = effect
        .wrote
        .iter()
        .partition(|wrote| wrote.held.as_ref().is_some_and(|(before, after)| before == after));
    let shown: Vec<ChangedLocation> =
        wrote.iter().take(sinks).map(|wrote| one(past, wrote, reach, limits)).collect();
    question.more |= wrote.len() > sinks;
    question.changes.splice(0..0, shown);
    // To empty once what is empty is nothing.
    for wrote in still.into_iter().filter(|wrote| wrote.count > 1).take(sinks) {
        let ChangedLocation { location, before: value, .. } = one(past, wrote, reach, limits);
        let writes = u32::try_from(wrote.count).unwrap_or(u32::MAX);
        question.still.push(StillHeld { location, value, writes });
    }
    for input in &effect.inputs {
        let (location, value) = taken(past, input, reach, limits);
        if question.reads.iter().any(|(known, same)| *known == location && *same == value) {
            continue;
        }
        if question.reads.len() >= inputs {
            question.more = true;
            break;
        }
        question.reads.push((location, value));
    }
    if effect.list.is_empty()
        && effect.wrote.is_empty()
        && !effect.unknown.is_empty()
        && !effect.more
        && question.note.is_none()
    {
        let methods: Vec<String> = effect.unknown.iter().take(3).cloned().collect();
        let more = effect.unknown.len() - methods.len();
        question.note = Some(QuestionNote::NoKnownChange { methods, more });
    }
}

fn one(past: &Past, wrote: &Wrote, reach: &Reach<'_>, limits: &RenderLimits) -> ChangedLocation {
    let location = match wrote.sink {
        Sink::Object(object) => place(past, object, &wrote.name, reach),
        _ => wrote.name.clone(),
    };
    let text = |content: &Content| past.pieces_text(&[content.clone().piece()], wrote.last, limits);
    let (before, after) = match &wrote.held {
        Some((before, after)) => (text(before), Became::Value(text(after))),
        None => (String::new(), Became::Written(past.sink_line(wrote, limits))),
    };
    ChangedLocation {
        location,
        name: wrote.name.clone(),
        before,
        after,
        within: false,
        parts: Vec::new(),
        meanwhile: None,
        difference: None,
        noise: None,
        rooted: true,
    }
}

/// As a person says it: from the arguments on if these lead there.
fn place(past: &Past, object: ObjectId, name: &str, reach: &Reach<'_>) -> String {
    if past.object_name(object) != name {
        return name.to_owned();
    }
    reach.of(object).path
}

/// `System.nanoTime()` and what it gave.
fn taken(past: &Past, input: &Input, reach: &Reach<'_>, limits: &RenderLimits) -> (String, Held) {
    let asked = match input.origin {
        Origin::Object(object) => {
            let name = past.sink_name(&Sink::Object(object), input.to);
            let method = input.asked.split_once('.').map_or(input.asked.as_str(), |(_, method)| method);
            format!("{}.{method}", place(past, object, &name, reach))
        }
        _ => input.asked.clone(),
    };
    (asked, past.taken_text(input, limits).map_or(Held::Ended, Held::Value))
}
