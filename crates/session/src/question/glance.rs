//! A question at a glance: the few lines of it that a person needs to judge it, the biggest news first, and how much is
//! folded away. Every client shows these, in this order.

use super::{
    CallEnd, CallLine, ChangedLocation, Held, Kept, Question, QuestionAbout, QuestionNote, QuestionPart,
    StillHeld, Thrown,
};

/// Lines of a question at most, its first and that of what is folded included.
pub const MAX_LINES: usize = 12;
/// Of these at most so many of each kind.
const CHANGES: usize = 6;
const ROWS: usize = 8;
const STILL: usize = 2;
/// Changes of a call that threw.
const THREW: usize = 3;
const GIVEN: usize = 3;
/// Chars of a result up to which it stands on the first line, and of that line.
const SHORT: usize = 60;
const FIRST: usize = 100;
/// Chars of a line of values that were given.
const GIVEN_LINE: usize = 110;
/// Chars of a value that was only read, up to which it is worth a line.
const READ: usize = 90;

/// What is shown of a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Glance {
    /// The first line says how the call ended.
    pub ends: bool,
    pub lines: Vec<GlanceLine>,
    pub folded: Folded,
}

#[derive(Clone, Debug, PartialEq)]
pub enum GlanceLine {
    Gave(String),
    Threw(Thrown),
    /// Where the exception arose.
    Arose(String),
    /// A location, or what was written to.
    Changed(ChangedLocation),
    /// An argument or variable.
    Became(QuestionPart),
    Still(StillHeld),
    Kept(Kept),
    /// It gave nothing, changed nothing and wrote nothing.
    Nothing,
    /// One of several calls, numbered from 1; equal ones that follow each other as one, with how many they are.
    Row {
        number: usize,
        call: CallLine,
        times: usize,
    },
    /// What it was given and went by: names and values.
    Given(Vec<(String, Held)>),
    Note(QuestionNote),
}

/// How much is not shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Folded {
    pub changes: usize,
    /// Changes that say nothing about it.
    pub noise: usize,
    pub calls: usize,
    /// Values that were read.
    pub read: usize,
    /// There is more, and nobody has counted it.
    pub more: bool,
}

impl Folded {
    pub fn is_nothing(&self) -> bool {
        *self == Folded::default()
    }
}

pub fn glance(question: &Question) -> Glance {
    let mut folded = Folded { more: question.more, ..Folded::default() };
    let (ends, mut lines) = outcome(question);
    lines.extend(question.arose.iter().cloned().map(GlanceLine::Arose));
    // The first line, and that of what is folded.
    let mut room = MAX_LINES - 2 - lines.len();

    let all = match question.about {
        QuestionAbout::Calls { count } | QuestionAbout::Thread { count, .. } => count,
        _ => question.members.len(),
    };
    let rows = both_ends(rows(question), ROWS.min(room), all == question.members.len());
    let listed: usize = rows.iter().map(|(_, _, times)| times).sum();
    folded.calls = all.saturating_sub(listed);
    room -= rows.len();
    lines.extend(rows.into_iter().map(|(number, call, times)| GlanceLine::Row { number, call, times }));
    let kept = question.kept.len().min(room);
    lines.extend(question.kept.iter().take(kept).cloned().map(GlanceLine::Kept));
    room -= kept;

    // What was left as it was, and is what is wrong, is what nothing else tells.
    let (forgotten, still): (Vec<&StillHeld>, Vec<&StillHeld>) =
        question.still.iter().partition(|still| still.writes == 0);
    let forgotten = forgotten.into_iter().take(STILL).cloned().map(GlanceLine::Still);
    lines.extend(forgotten.take(room));
    room = (MAX_LINES - 2).saturating_sub(lines.len());
    let given = given(question);
    let kept = if given.is_empty() { 0 } else { 1 };
    let news = changes(question);
    // What a call that threw left behind says less than what it threw.
    let most = if question.thrown.is_some() && is_call(question) { THREW } else { CHANGES };
    let shown = news.len().min(most).min(room.saturating_sub(kept));
    folded.changes = news.len() - shown;
    folded.noise = question.changes.iter().filter(|change| change.noise.is_some()).count();
    lines.extend(news.into_iter().take(shown));
    room -= shown;

    // What nothing that is named leads to nobody can place.
    let told: Vec<&StillHeld> = still.iter().copied().filter(|still| !is_unplaced(&still.location)).collect();
    let unplaced = still.len() - told.len();
    let still = told.len().min(STILL).min(room.saturating_sub(kept));
    folded.changes += told.len() - still + unplaced;
    lines.extend(told.into_iter().take(still).cloned().map(GlanceLine::Still));
    room -= still;
    if did_nothing(question) {
        lines.push(GlanceLine::Nothing);
        room -= 1;
    }

    let note = question.note.clone().filter(|_| room > 0);
    room -= usize::from(note.is_some());
    // Nor what was read there, nor a value of which nothing is known, nor a table; but better that than nothing.
    let (given, vague): (Vec<_>, Vec<_>) = given.into_iter().partition(|one| !is_vague(one));
    let (given, vague) = if given.is_empty() && lines.is_empty() { (vague, given) } else { (given, vague) };
    let (given, left) = joined(given, GIVEN.min(room));
    folded.read = left + vague.len();
    lines.extend(given.into_iter().map(GlanceLine::Given));
    lines.extend(note.map(GlanceLine::Note));
    if lines.iter().all(|line| matches!(line, GlanceLine::Note(_))) && folded.noise > 0 && !ends {
        folded.more = true;
    }
    Glance { ends, lines, folded }
}

/// Is that all there is to say of a call that has ended? Not as long as something may be left to see.
fn did_nothing(question: &Question) -> bool {
    let QuestionAbout::Call { call, .. } = &question.about else { return false };
    let ended = matches!(&call.end, CallEnd::Gave(text) if text == "void");
    let became = question.args.iter().chain(&question.receiver).any(|part| part.after.is_some());
    let seen =
        became || !question.changes.is_empty() || !question.still.is_empty() || !question.kept.is_empty();
    ended && question.finished && !question.constructs && !seen && !question.more
}

/// Is the end told on the first line, and what comes right below it?
fn outcome(question: &Question) -> (bool, Vec<GlanceLine>) {
    match &question.about {
        QuestionAbout::Call { call, .. } => {
            let head: usize = call.args.iter().map(line_length).sum();
            let ends = |text: &str| text.chars().count() <= SHORT && head + text.chars().count() <= FIRST;
            match (&call.end, &question.result, &question.thrown) {
                (CallEnd::Gave(text), whole, _)
                    if text == "void" || ends(text) && !is_name_of(text, whole.as_deref()) =>
                {
                    (true, Vec::new())
                }
                (CallEnd::Gave(text), whole, _) => {
                    (false, vec![GlanceLine::Gave(whole.clone().unwrap_or_else(|| text.clone()))])
                }
                (CallEnd::Threw(thrown), _, whole) => match thrown {
                    Thrown::Value(text) if ends(text) => (true, Vec::new()),
                    _ => (false, vec![GlanceLine::Threw(whole.clone().unwrap_or_else(|| thrown.clone()))]),
                },
                (CallEnd::Open, ..) => (true, Vec::new()),
            }
        }
        // What a statement gave or threw stands on its own line.
        QuestionAbout::Statement { .. } => (true, Vec::new()),
        QuestionAbout::Calls { .. } | QuestionAbout::Thread { .. } | QuestionAbout::Loop { .. } => {
            (true, question.thrown.iter().cloned().map(GlanceLine::Threw).collect())
        }
    }
}

/// Is an object's name all that has room on the first line, although more is known of the object?
fn is_name_of(text: &str, whole: Option<&str>) -> bool {
    let rest = whole.and_then(|whole| whole.strip_prefix(text));
    rest.is_some_and(|rest| rest.starts_with(['{', '[']))
}

fn line_length(value: &super::LineValue) -> usize {
    value.before.chars().count() + value.after.as_ref().map_or(0, |after| after.chars().count())
}

/// Does a location begin with an object that only has a number?
fn is_unplaced(location: &str) -> bool {
    location.contains('@')
}

fn is_vague((name, value): &(String, Held)) -> bool {
    let unknown = matches!(value, Held::Value(text) if text.contains(super::cost::UNKNOWN));
    // `FastMath.TABLE`: as fixed as the code that goes by it.
    let is_table = name.rsplit_once('.').is_some_and(|(_, name)| !name.contains(|c: char| c.is_lowercase()));
    is_unplaced(name) || unknown || is_table && length(value) > READ
}

/// Is it about one call?
fn is_call(question: &Question) -> bool {
    matches!(question.about, QuestionAbout::Call { .. })
}

/// The first and the last rows where not all have room: what went wrong is often among the last. Only the first where
/// these are not the last ones either.
fn both_ends<T>(mut rows: Vec<T>, room: usize, whole: bool) -> Vec<T> {
    if rows.len() <= room || !whole {
        rows.truncate(room);
        return rows;
    }
    let last = rows.split_off(rows.len() - room / 2);
    rows.truncate(room - last.len());
    rows.extend(last);
    rows
}

/// The calls that it stands for, equal ones that follow each other as one.
fn rows(question: &Question) -> Vec<(usize, CallLine, usize)> {
    let mut rows: Vec<(usize, CallLine, usize)> = Vec::new();
    for (number, call) in (1..).zip(&question.members) {
        match rows.last_mut() {
            Some((_, same, times)) if same == call => *times += 1,
            _ => rows.push((number, call.clone(), 1)),
        }
    }
    rows
}

/// What became of what: variables and arguments, then locations that a person can place, then what was written to
/// streams and builders, then the others.
fn changes(question: &Question) -> Vec<GlanceLine> {
    let loops = matches!(question.about, QuestionAbout::Loop { .. });
    let told = |part: &&QuestionPart| {
        let inside = |change: &ChangedLocation| super::call::starts_at(&change.location, &part.name);
        // What changed deep in the receiver may be told by a shorter way to it.
        let elsewhere = part.name == "this" && part.difference.is_none() && !question.changes.is_empty();
        part.after.is_some() && (part.itself || !elsewhere && !question.changes.iter().any(inside))
    };
    let parts = question.args.iter().chain(&question.receiver);
    let parts = parts.filter(told).filter(|part| loops || !is_on_first_line(question, part));
    // A statement's own assignment is its line.
    let parts = parts.filter(|_| !matches!(question.about, QuestionAbout::Statement { .. }));
    let mut lines: Vec<GlanceLine> = parts.cloned().map(GlanceLine::Became).collect();
    let said: Vec<&ChangedLocation> =
        question.changes_beside_result().filter(|change| change.noise.is_none()).collect();
    let is_sink = |change: &ChangedLocation| change.is_sink();
    let mut add = |pass: &dyn Fn(&ChangedLocation) -> bool| {
        let found = said.iter().copied().filter(|change| pass(change));
        lines.extend(found.cloned().map(GlanceLine::Changed));
    };
    // What came into a collection or left it says more than the fields by which that was counted or found.
    let is_content = |change: &ChangedLocation| {
        change.difference.as_ref().is_some_and(|difference| difference.sizes.is_some())
    };
    add(&|change| !is_sink(change) && change.rooted && is_content(change));
    add(&|change| !is_sink(change) && change.rooted && !is_content(change));
    add(&is_sink);
    add(&|change| !is_sink(change) && !change.rooted);
    // What was printed or appended is seen whatever else happened.
    let sink = lines.iter().position(|line| matches!(line, GlanceLine::Changed(change) if is_sink(change)));
    if let Some(at) = sink.filter(|&at| at >= CHANGES) {
        let line = lines.remove(at);
        lines.insert(CHANGES - 1, line);
    }
    lines
}

/// Does the call's line say what became of an argument?
fn is_on_first_line(question: &Question, part: &QuestionPart) -> bool {
    let QuestionAbout::Call { call, .. } = &question.about else { return false };
    let at = question.args.iter().position(|arg| arg.name == part.name);
    at.and_then(|at| call.args.get(at)).is_some_and(|arg| arg.after.is_some())
}

/// What it was given and read. Of what was only read the shortest first, and last what a person cannot place, because nothing
/// that is named leads there.
fn given(question: &Question) -> Vec<(String, Held)> {
    let mut list = Vec::new();
    if let QuestionAbout::Call { call, fields } = &question.about {
        for (part, line) in question.args.iter().zip(&call.args) {
            let Held::Value(whole) = &part.before else { continue };
            let changed =
                part.after.is_some() && part.difference.is_none() && !is_on_first_line(question, part);
            if *whole != line.before && !changed && (part.looked_at || !part.is_object) {
                list.push((part.name.clone(), Held::Value(whole.clone())));
            }
        }
        list.extend(fields.iter().map(|(name, value)| (name.clone(), Held::Value(value.clone()))));
    }
    let mut reads: Vec<&(String, Held)> = question.reads.iter().collect();
    // What a loop goes through comes first, however long it is.
    if !matches!(question.about, QuestionAbout::Loop { .. }) {
        reads.sort_by_key(|(name, value)| (name.contains('@'), length(value) > READ));
    }
    list.extend(reads.into_iter().cloned());
    // What a short value says of its parts need not be said again.
    let said: Vec<bool> = list.iter().map(|one| list.iter().any(|whole| says(whole, one))).collect();
    let mut said = said.into_iter();
    list.retain(|_| !said.next().unwrap_or_default());
    // Of a buffer or an object that parts are shown of, the parts say more.
    let is_whole: Vec<bool> =
        list.iter().map(|(whole, _)| list.iter().any(|(part, _)| is_part(part, whole))).collect();
    let (wholes, parts): (Vec<_>, Vec<_>) = list.into_iter().zip(is_whole).partition(|(_, whole)| *whole);
    parts.into_iter().chain(wholes).map(|(value, _)| value).collect()
}

/// `this.buffer[3..8]` of `this.buffer`
fn is_part(part: &str, whole: &str) -> bool {
    part.strip_prefix(whole).is_some_and(|rest| rest.starts_with(['.', '[']))
}

/// Is `this.minimum = Money[cents=5000]` all that there is to say of `this.minimum.cents`?
fn says((whole, held): &(String, Held), (part, inner): &(String, Held)) -> bool {
    let (Held::Value(whole_text), Held::Value(text)) = (held, inner) else { return false };
    let Some(field) = part.strip_prefix(whole.as_str()).and_then(|rest| rest.strip_prefix('.')) else {
        return false;
    };
    let told = format!("{field}={text}");
    let at = whole_text.find(&told).map(|at| &whole_text[at + told.len()..]);
    length(held) <= SHORT && at.is_some_and(|rest| rest.starts_with([',', ']', '}']))
}

fn length(held: &Held) -> usize {
    match held {
        Held::Value(text) => text.chars().count(),
        Held::NotSet | Held::Ended => 0,
    }
}

/// Values on as few lines as they fit, and how many are left.
fn joined(list: Vec<(String, Held)>, most: usize) -> (Vec<Vec<(String, Held)>>, usize) {
    let mut lines: Vec<Vec<(String, Held)>> = Vec::new();
    let mut filled = 0;
    let mut left = 0;
    for (name, value) in list {
        let own = name.chars().count() + length(&value) + 5;
        let fits = filled + own <= GIVEN_LINE;
        let room = lines.len() < most;
        match lines.last_mut() {
            Some(line) if fits => {
                line.push((name, value));
                filled += own;
            }
            _ if room => {
                lines.push(vec![(name, value)]);
                filled = own;
            }
            _ => left += 1,
        }
    }
    (lines, left)
}

#[cfg(test)]
mod tests {
    use super::super::{Became, NodeKind};
    use super::*;
    use crate::subject::Subject;

    fn call(name: &str, end: CallEnd) -> CallLine {
        CallLine { name: name.to_owned(), of: None, constructs: false, args: Vec::new(), end }
    }

    fn asked(about: QuestionAbout) -> Question {
        Question {
            subject: Subject::Call { call: 1 },
            kind: NodeKind::Call,
            call: "Lexer.next#1".to_owned(),
            method: "Lexer.next".to_owned(),
            constructs: false,
            about,
            members: Vec::new(),
            member_calls: Vec::new(),
            receiver: None,
            args: Vec::new(),
            result: None,
            result_is_object: false,
            thrown: None,
            arose: None,
            finished: true,
            changes: Vec::new(),
            still: Vec::new(),
            kept: Vec::new(),
            reads: Vec::new(),
            iterations: None,
            note: None,
            more: false,
            cost: 0.0,
        }
    }

    fn about_call(end: CallEnd) -> Question {
        asked(QuestionAbout::Call { call: call("Lexer.next", end), fields: Vec::new() })
    }

    fn changed(location: &str) -> ChangedLocation {
        ChangedLocation {
            location: location.to_owned(),
            name: location.to_owned(),
            before: "1".to_owned(),
            after: Became::Value("2".to_owned()),
            within: false,
            parts: Vec::new(),
            meanwhile: None,
            difference: None,
            noise: None,
            rooted: true,
        }
    }

    fn still(location: &str, writes: u32) -> StillHeld {
        StillHeld { location: location.to_owned(), value: "0".to_owned(), writes }
    }

    fn locations(glance: &Glance) -> Vec<&str> {
        let located = glance.lines.iter().filter_map(|line| match line {
            GlanceLine::Changed(change) => Some(change.location.as_str()),
            GlanceLine::Still(still) => Some(still.location.as_str()),
            _ => None,
        });
        located.collect()
    }

    #[test]
    fn what_is_wrong_and_was_left_as_it_was_comes_first() {
        let mut question = about_call(CallEnd::Gave("13".to_owned()));
        question.changes = (0..8).map(|at| changed(&format!("this.f{at}"))).collect();
        question.still = vec![still("this.eolCounter", 0), still("this.sum", 3)];
        let shown = glance(&question);
        assert_eq!(locations(&shown)[0], "this.eolCounter", "{shown:?}");
        assert!(locations(&shown).contains(&"this.sum"), "{shown:?}");
        assert!(shown.lines.len() + 2 <= MAX_LINES, "{shown:?}");
    }

    #[test]
    fn what_came_into_a_collection_stands_before_how_far_it_was_read() {
        let mut question = about_call(CallEnd::Gave("true".to_owned()));
        question.changes = (0..8).map(|at| changed(&format!("this.f{at}"))).collect();
        let difference = super::super::Difference { sizes: Some((1, 2)), edits: Vec::new(), more: 0 };
        question.changes.push(ChangedLocation { difference: Some(difference), ..changed("this.stack") });
        assert_eq!(locations(&glance(&question))[0], "this.stack");
    }

    #[test]
    fn of_a_call_that_threw_few_changes_are_told() {
        let thrown = Thrown::Value("NullPointerException".to_owned());
        let mut question = about_call(CallEnd::Threw(thrown.clone()));
        question.thrown = Some(thrown);
        question.changes = (0..8).map(|at| changed(&format!("this.f{at}"))).collect();
        let shown = glance(&question);
        assert_eq!((locations(&shown).len(), shown.folded.changes), (THREW, 8 - THREW), "{shown:?}");
    }

    #[test]
    fn what_nothing_that_is_named_leads_to_is_folded_unless_it_is_all() {
        let mut question = about_call(CallEnd::Gave("true".to_owned()));
        let vague = ("Object[]@8[1]".to_owned(), Held::Value("4".to_owned()));
        question.reads = vec![vague.clone()];
        question.still = vec![still("Object[]@8[1]", 17)];
        question.changes = vec![changed("this.at")];
        let shown = glance(&question);
        assert_eq!((shown.folded.read, shown.folded.changes), (1, 1), "{shown:?}");
        assert_eq!(locations(&shown), ["this.at"], "{shown:?}");
        question.changes.clear();
        question.still.clear();
        assert_eq!(glance(&question).lines, [GlanceLine::Given(vec![vague])]);
    }

    #[test]
    fn of_many_calls_the_first_and_the_last_are_shown() {
        let mut question = asked(QuestionAbout::Calls { count: 13 });
        question.members = (0..13).map(|at| call("Fields.times", CallEnd::Gave(at.to_string()))).collect();
        let numbers = |question: &Question| -> Vec<usize> {
            let number = |line: &GlanceLine| match line {
                GlanceLine::Row { number, .. } => Some(*number),
                _ => None,
            };
            glance(question).lines.iter().filter_map(number).collect()
        };
        assert_eq!(numbers(&question), [1, 2, 3, 4, 10, 11, 12, 13]);
        assert_eq!(glance(&question).folded.calls, 5);
        // The last that are known are not the last of all.
        question.about = QuestionAbout::Calls { count: 40 };
        assert_eq!(numbers(&question), [1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
