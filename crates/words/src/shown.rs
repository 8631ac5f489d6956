//! A question as every client shows it: its first line, the few facts that it takes to judge it, and what is folded away.
//! Which these are and in which order is decided in `session`.

use session::{
    Folded, GlanceLine, Kept, MAX_LINES, Question, QuestionAbout, QuestionPart, StillHeld, glance,
};

use crate::question::{
    action, became, call_head, called, difference, held, iterations, question_note, thrown, what_became,
};

/// What is shown of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownQuestion {
    /// What is asked about, in words of the program.
    pub head: String,
    pub facts: Vec<Fact>,
    /// `17 other changes, 3 other values read`; none if that is all.
    pub folded: Option<String>,
}

/// One line of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    pub kind: FactKind,
    /// `gave`, `this.total`, `with`; empty where the text says it all.
    pub label: String,
    pub text: String,
    /// As `inquest history` takes it, for a location.
    pub name: Option<String>,
    /// The call of a row, by number; none where it stands for several.
    pub call: Option<u64>,
}

/// What a line tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactKind {
    Gave,
    Threw,
    Changed,
    /// It was printed, appended, written.
    Wrote,
    /// It was written and is what it was.
    Still,
    /// One of several calls.
    Row,
    Given,
    Note,
}

/// Chars of one fact, at most.
const LONGEST: usize = 240;

pub fn shown(question: &Question) -> ShownQuestion {
    let glance = glance(question);
    let mut facts: Vec<Fact> = glance.lines.iter().map(|line| fact(question, line)).collect();
    let mut left = glance.folded;
    for fact in &mut facts {
        if let Some((end, _)) = fact.text.char_indices().nth(LONGEST) {
            fact.text.truncate(end);
            fact.text.push('…');
            left.more = true;
        }
    }
    debug_assert!(facts.len() + 2 <= MAX_LINES, "{question:?}");
    ShownQuestion { head: head(question, glance.ends), facts, folded: folded(&left) }
}

fn head(question: &Question, ends: bool) -> String {
    match &question.about {
        QuestionAbout::Call { call, .. } if ends => called(call),
        QuestionAbout::Call { call, .. } => call_head(call),
        QuestionAbout::Calls { count } => several(question, *count),
        QuestionAbout::Thread { name, count } => format!("thread {name}: {}", several(question, *count)),
        QuestionAbout::Loop { line, from, all } => iterations(question, *line, u64::from(*from), *all),
        QuestionAbout::Statement { up_to, line, bci, source, did } => {
            let place = line.map_or_else(|| format!("instruction {bci}"), |line| format!("line {line}"));
            let source = source.as_ref().map_or(String::new(), |text| format!(" `{text}`"));
            let up_to = if *up_to { "everything up to " } else { "" };
            let did = match did {
                // The calls are listed below.
                session::StatementAction::Called => Vec::new(),
                did => action(question, did),
            };
            let did: String = did.iter().map(|text| format!("; {text}")).collect();
            format!("{up_to}{} {place}{source}{did}", question.method)
        }
    }
}

/// `5 calls of Square.right`, `5 calls from Square.right on`
fn several(question: &Question, count: usize) -> String {
    let of_one = question.members.iter().all(|call| call.name == question.members[0].name);
    let calls = if count == 1 { "1 call".to_owned() } else { format!("{count} calls") };
    match (question.members.first(), of_one) {
        (Some(call), true) => format!("{calls} of {}", call.name),
        (Some(call), false) => format!("{calls}, the first of {}", call.name),
        (None, _) => calls,
    }
}

fn fact(question: &Question, line: &GlanceLine) -> Fact {
    let plain = |kind, label: &str, text: String| Fact {
        kind,
        label: label.to_owned(),
        text,
        name: None,
        call: None,
    };
    match line {
        GlanceLine::Gave(text) => plain(FactKind::Gave, "gave", text.clone()),
        GlanceLine::Threw(exception) => plain(FactKind::Threw, "threw", thrown(exception).to_owned()),
        GlanceLine::Arose(place) => plain(FactKind::Given, "thrown at", place.clone()),
        GlanceLine::Changed(change) => Fact {
            kind: if change.is_sink() { FactKind::Wrote } else { FactKind::Changed },
            label: change.location.clone(),
            text: what_became(change),
            name: Some(change.name.clone()),
            call: None,
        },
        GlanceLine::Became(part) => Fact {
            kind: FactKind::Changed,
            label: part.name.clone(),
            text: part_text(part),
            name: Some(format!("{}:{}", question.call, part.name)),
            call: None,
        },
        GlanceLine::Still(StillHeld { location, value, writes: 0 }) => {
            plain(FactKind::Still, location, format!("still {value}: what is wrong was read from it later"))
        }
        GlanceLine::Still(StillHeld { location, value, writes }) => {
            plain(FactKind::Still, location, format!("still {value}, written {writes} times"))
        }
        GlanceLine::Kept(kept) => plain(FactKind::Changed, &kept.location, kept_text(kept)),
        GlanceLine::Nothing => plain(FactKind::Still, "", "changed nothing".to_owned()),
        GlanceLine::Row { number, call, times } => {
            let number_of = question.member_calls.get(number - 1).copied();
            let several = if *times > 1 { format!(" × {times}") } else { String::new() };
            let row = plain(FactKind::Row, &number.to_string(), format!("{}{several}", called(call)));
            Fact { call: number_of.filter(|_| *times == 1), ..row }
        }
        GlanceLine::Given(values) => {
            let values: Vec<String> =
                values.iter().map(|(name, value)| format!("{name} = {}", held(value))).collect();
            plain(FactKind::Given, "with", values.join(", "))
        }
        GlanceLine::Note(note) => plain(FactKind::Note, "", question_note(note)),
    }
}

/// What became of what was kept, after its name.
pub fn kept_text(Kept { by, changer, .. }: &Kept) -> String {
    format!("kept as {by}, not a copy: {changer} changes it later")
}

fn part_text(part: &QuestionPart) -> String {
    match &part.difference {
        Some(different) => difference(different),
        None => became(held(&part.before), part.after.as_ref().map(held)),
    }
}

fn folded(folded: &Folded) -> Option<String> {
    if folded.is_nothing() {
        return None;
    }
    let counted = |count: usize, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {many}")),
    };
    let pieces: Vec<String> = [
        counted(folded.calls, "other call", "other calls"),
        counted(folded.changes, "other change", "other changes"),
        counted(folded.noise, "change that says little", "changes that say little"),
        counted(folded.read, "other value read", "other values read"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let text = if pieces.is_empty() { "there is more".to_owned() } else { pieces.join(", ") };
    Some(if folded.more && !pieces.is_empty() { format!("{text}, and more") } else { text })
}
