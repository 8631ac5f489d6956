//! What a question says: its line, what is noted below it, and the values that are none.

use std::borrow::Cow;

use analysis::LoopEnd;
use session::{
    Became, CallEnd, CallLine, ChangedLocation, Difference, Edit, Held, LineValue, ListedQuestion, Meanwhile,
    Question, QuestionAbout, QuestionNote, StatementAction, Thrown,
};

use crate::effects::{ENDED, sink_line};

/// Chars of the question's line past which no further piece is begun.
const LINE: usize = 240;
/// Chars of its first piece.
const FIRST: usize = 160;

/// The question on one line: `MergeSort.merge([1, 4], 0, 2) = void`, then what else changed, then what it went by.
pub fn question_line(question: &Question) -> String {
    let says = |change: &&ChangedLocation| change.noise.is_none();
    let changes = || question.changes.iter().filter(says).map(change);
    let reads = || question.reads.iter().map(|(location, value)| with(location, held(value)));
    match &question.about {
        QuestionAbout::Call { call, fields } => {
            let pieces = question.changes_beside_result().filter(says).map(change);
            line(
                called(call),
                pieces.chain(fields.iter().map(|(name, value)| with(name, value))).chain(reads()),
            )
        }
        QuestionAbout::Calls { count } => line(counted(&question.members, *count), changes()),
        QuestionAbout::Thread { name, count } => {
            format!("thread {name}: {}", line(counted(&question.members, *count), changes()))
        }
        QuestionAbout::Loop { line: at, from, all } => {
            let head = iterations(question, *at, u64::from(*from), *all);
            let changed = question.args.iter().filter(|part| part.changed);
            let variables = changed.map(|part| {
                let after = part.after.as_ref().map(held);
                format!("{}: {}", part.name, became(held(&part.before), after))
            });
            line(head, variables.chain(changes()))
        }
        QuestionAbout::Statement { up_to, line: at, bci, source, did } => {
            let place = at.map_or_else(|| format!("instruction {bci}"), |line| format!("line {line}"));
            let source = source.as_ref().map_or(String::new(), |text| format!(" `{text}`"));
            let head = format!("{} {place}{source}", question.method);
            let mut pieces = action(question, did);
            match did {
                StatementAction::Called => pieces.extend(changes()),
                StatementAction::Tested { .. } | StatementAction::Switched { .. } => pieces.extend(reads()),
                StatementAction::Assigned { .. }
                | StatementAction::Caught
                | StatementAction::Threw
                | StatementAction::Returned => {}
            }
            let up_to = if *up_to { "everything up to " } else { "" };
            format!("{up_to}{}", line(head, pieces.into_iter()))
        }
    }
}

/// A question among others on one line.
pub fn listed(question: &ListedQuestion) -> String {
    match question {
        ListedQuestion::Known(question) => question_line(question),
        ListedQuestion::Lost(why) => why.clone(),
    }
}

/// A call, its arguments by value; those that it changed with what became of them.
pub fn called(call: &CallLine) -> String {
    let end = match &call.end {
        CallEnd::Open => " …".to_owned(),
        CallEnd::Gave(result) => format!(" = {result}"),
        CallEnd::Threw(exception) => format!(" threw {}", thrown(exception)),
    };
    format!("{}{end}", call_head(call))
}

/// A location, and what became of it or was done to it.
pub fn change(shown: &ChangedLocation) -> String {
    format!("{}: {}", shown.location, what_became(shown))
}

/// What became of a location or was done to it, after its name.
pub fn what_became(shown: &ChangedLocation) -> String {
    let meanwhile = shown.meanwhile.as_ref().map_or(String::new(), meanwhile);
    let after = outcome(&shown.after);
    let text = match &shown.difference {
        Some(different) => difference(different),
        None if shown.is_sink() => after.into_owned(),
        None => became(&shown.before, Some(&after)),
    };
    format!("{text}{meanwhile}")
}

/// `added [63] "x" (now 64)`, `[2] 10 → 12`
pub fn difference(different: &Difference) -> String {
    let edit = |edit: &Edit| {
        let at = if edit.at.is_empty() { String::new() } else { format!("{} ", edit.at) };
        match (&edit.before, &edit.after) {
            (None, Some(after)) => format!("added {at}{after}"),
            (Some(before), None) => format!("removed {at}{before}"),
            (before, after) => {
                format!(
                    "{at}{}",
                    became(before.as_deref().unwrap_or("?"), Some(after.as_deref().unwrap_or("?")))
                )
            }
        }
    };
    let mut pieces: Vec<String> = different.edits.iter().map(edit).collect();
    if different.more > 0 {
        pieces.push(format!("… {} more", different.more));
    }
    let size = match different.sizes {
        Some((before, after)) if before != after => format!(" (now {after})"),
        Some((_, all)) => format!(" (of {all})"),
        None => String::new(),
    };
    format!("{}{size}", pieces.join(", "))
}

/// What another thread wrote there, after what became of it: ` (meanwhile 5 by thread quick)`.
pub fn meanwhile(other: &Meanwhile) -> String {
    format!(" ({})", other_write(other))
}

/// `meanwhile 5 by thread quick`
pub fn other_write(other: &Meanwhile) -> String {
    match &other.value {
        Some(value) => format!("meanwhile {value} by thread {}", other.thread),
        None => format!("meanwhile changed by thread {}", other.thread),
    }
}

/// What a location holds now, or what was done to it.
pub fn outcome(after: &Became) -> Cow<'_, str> {
    match after {
        Became::Value(text) => Cow::Borrowed(text),
        Became::Written(line) => Cow::Owned(sink_line(line)),
    }
}

pub fn held(held: &Held) -> &str {
    match held {
        Held::Value(text) => text,
        Held::NotSet => "not set",
        Held::Ended => ENDED,
    }
}

pub fn thrown(thrown: &Thrown) -> &str {
    match thrown {
        Thrown::Value(text) => text,
        Thrown::Unknown => "an exception that is not known",
    }
}

pub fn question_note(note: &QuestionNote) -> String {
    match note {
        QuestionNote::SoFar => "it has not returned: this is what it did so far".to_owned(),
        QuestionNote::NoKnownChange { methods, more } => {
            let more = if *more > 0 { format!(" and {more} more") } else { String::new() };
            format!("no known change: what {}{more} did is not known", methods.join(", "))
        }
        QuestionNote::Independent => "independent calls: nothing flows between them".to_owned(),
        QuestionNote::Nested(count) => format!("{count} nested calls of the method, asked about as one"),
        QuestionNote::LoopEnded(end) => loop_ended(*end).to_owned(),
        QuestionNote::Variables(list) => {
            list.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
        }
    }
}

fn loop_ended(end: LoopEnd) -> &'static str {
    match end {
        LoopEnd::Normal => "its condition ended it",
        LoopEnd::Break => "left by break",
        LoopEnd::Return => "left by return",
        LoopEnd::Throw => "left by an exception",
        LoopEnd::Unfinished => "it still runs",
        LoopEnd::Unknown => "how it ended is not known",
    }
}

/// `MergeSort.merge: loop at line 39, 3 iterations`
pub(crate) fn iterations(question: &Question, at: Option<u16>, from: u64, all: u64) -> String {
    let count = question.iterations.unwrap_or(all);
    let place = at.map_or(String::new(), |line| format!(" at line {line}"));
    let which = match (from == 0 && count == all, count) {
        (true, 1) => "1 iteration".to_owned(),
        (true, _) => format!("{count} iterations"),
        (false, 1) => format!("iteration {} of {all}", from + 1),
        (false, _) => format!("iterations {} to {} of {all}", from + 1, from + count),
    };
    format!("{}: loop{place}, {which}", question.method)
}

/// What a statement did, if that is known.
pub(crate) fn action(question: &Question, did: &StatementAction) -> Vec<String> {
    let to_line = |to: &Option<u16>| to.map_or(String::new(), |line| format!(", went to line {line}"));
    let exception = || question.thrown.as_ref().map_or("", thrown);
    let text = match did {
        StatementAction::Assigned { name, before: None, after } => format!("{name} = {after}"),
        StatementAction::Assigned { name, before: Some(before), after } => {
            format!("{name}: {}", became(before, Some(after)))
        }
        StatementAction::Tested { holds: true, to } => format!("it holds{}", to_line(to)),
        StatementAction::Tested { holds: false, to } => format!("it does not hold{}", to_line(to)),
        StatementAction::Switched { key, default, to } => {
            let arm = if *default { "default" } else { "its case" };
            format!("switch on {key}: {arm}{}", to_line(to))
        }
        StatementAction::Caught => format!("caught {}", exception()),
        StatementAction::Threw => format!("threw {}", exception()),
        StatementAction::Returned => format!("return {}", question.result.as_deref().unwrap_or("")),
        StatementAction::Called => return question.members.iter().map(called).collect(),
    };
    vec![text]
}

/// `Square.right() × 3, Square.left() × 2`
fn counted(members: &[CallLine], all: usize) -> String {
    let mut groups: Vec<(String, usize)> = Vec::new();
    for call in members {
        let text = match &call.end {
            CallEnd::Gave(result) if result == "void" => call_head(call),
            _ => called(call),
        };
        match groups.last_mut() {
            Some((same, count)) if *same == text => *count += 1,
            _ => groups.push((text, 1)),
        }
    }
    // A run longer than the list is almost always more of the same.
    let unlisted = all.saturating_sub(members.len());
    if let ([(text, _)], true) = (groups.as_slice(), unlisted > 0) {
        return format!("{text} and the like × {all}");
    }
    let shown = groups.into_iter().map(|(text, count)| match count {
        1 => text,
        count => format!("{text} × {count}"),
    });
    let mut shown: Vec<String> = shown.collect();
    if unlisted > 0 {
        shown.push(format!("… {unlisted} more calls"));
    }
    shown.join(", ")
}

pub(crate) fn call_head(call: &CallLine) -> String {
    let args = call.args.iter().map(|LineValue { before, after }| became(before, after.as_deref()));
    let args: Vec<String> = args.collect();
    let new = if call.constructs { "new " } else { "" };
    let of = call.of.as_ref().map_or_else(String::new, |of| format!(" of {of}"));
    format!("{new}{}({}){of}", call.name, args.join(", "))
}

fn with(location: &str, value: &str) -> String {
    format!("with {location} = {value}")
}

/// A value, and what became of it.
pub(crate) fn became(before: &str, after: Option<&str>) -> String {
    match after {
        Some(after) => format!("{before} → {after}"),
        None => before.to_owned(),
    }
}

/// `head; piece; piece; … 3 more`
fn line(head: String, pieces: impl Iterator<Item = String>) -> String {
    let mut line = head;
    let pieces: Vec<String> = pieces.collect();
    for (at, piece) in pieces.iter().enumerate() {
        // The first one says what the call did: a part of it is better than none.
        if at == 0 && piece.chars().count() > FIRST {
            line.push_str("; ");
            line.extend(piece.chars().take(FIRST));
            line.push('…');
            continue;
        }
        if at > 0 && line.chars().count() + piece.chars().count() > LINE {
            line.push_str(&format!("; … {} more", pieces.len() - at));
            break;
        }
        line.push_str("; ");
        line.push_str(piece);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, args: &[&str], end: CallEnd) -> CallLine {
        let args = args.iter().map(|&before| LineValue { before: before.to_owned(), after: None });
        CallLine { name: name.to_owned(), of: None, constructs: false, args: args.collect(), end }
    }

    fn gave(value: &str) -> CallEnd {
        CallEnd::Gave(value.to_owned())
    }

    #[test]
    fn every_end_of_a_call_is_told() {
        let value = Thrown::Value("Error: x".to_owned());
        for (end, text) in [
            (gave("void"), "A.f(1, 2) = void"),
            (CallEnd::Open, "A.f(1, 2) …"),
            (CallEnd::Threw(value), "A.f(1, 2) threw Error: x"),
            (CallEnd::Threw(Thrown::Unknown), "A.f(1, 2) threw an exception that is not known"),
        ] {
            assert_eq!(called(&call("A.f", &["1", "2"], end)), text);
        }
        let mut made = call("A", &["[1]"], gave("A@1"));
        made.constructs = true;
        made.args[0].after = Some("[2]".to_owned());
        assert_eq!(called(&made), "new A([1] → [2]) = A@1");
    }

    #[test]
    fn equal_calls_in_a_row_are_counted() {
        let (right, left) = (call("right", &[], gave("void")), call("left", &[], gave("3")));
        let row = [right.clone(), right.clone(), left.clone(), right.clone()];
        assert_eq!(counted(&row, 4), "right() × 2, left() = 3, right()");
        assert_eq!(counted(&row, 9), "right() × 2, left() = 3, right(), … 5 more calls");
        assert_eq!(counted(&[right.clone(), right], 9), "right() and the like × 9");
        assert_eq!(counted(&[], 0), "");
    }

    #[test]
    fn a_line_ends_before_it_is_too_long() {
        let said = |pieces: &[String]| line("f()".to_owned(), pieces.iter().cloned());
        assert_eq!(said(&["a".to_owned(), "b".to_owned()]), "f(); a; b");
        let long = "x".repeat(FIRST + 1);
        assert_eq!(said(std::slice::from_ref(&long)), format!("f(); {}…", "x".repeat(FIRST)));
        let half = "y".repeat(LINE / 2);
        assert_eq!(said(&[half.clone(), half.clone(), half.clone()]), format!("f(); {half}; … 2 more"));
    }
}
