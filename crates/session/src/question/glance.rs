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

    let rows = rows(question);
    let shown = rows.len().min(ROWS).min(room);
    let listed: usize = rows[..shown].iter().map(|(_, _, times)| times).sum();
    let all = match question.about {
        QuestionAbout::Calls { count } | QuestionAbout::Thread { count, .. } => count,
        _ => question.members.len(),
    };
    folded.calls = all.saturating_sub(listed);
    room -= shown;
    lines.extend(rows.into_iter().take(shown).map(|(number, call, times)| GlanceLine::Row {
        number,
        call,
        times,
    }));
    let kept = question.kept.len().min(room);
    lines.extend(question.kept.iter().take(kept).cloned().map(GlanceLine::Kept));
    room -= kept;

    let given = given(question);
    let kept = if given.is_empty() { 0 } else { 1 };
    let news = changes(question);
    let shown = news.len().min(CHANGES).min(room.saturating_sub(kept));
    folded.changes = news.len() - shown;
    folded.noise = question.changes.iter().filter(|change| change.noise.is_some()).count();
    lines.extend(news.into_iter().take(shown));
    room -= shown;

    let still = question.still.len().min(STILL).min(room.saturating_sub(kept));
    lines.extend(question.still.iter().take(still).cloned().map(GlanceLine::Still));
    folded.changes += question.still.len() - still;
    room -= still;
    if did_nothing(question) {
        lines.push(GlanceLine::Nothing);
        room -= 1;
    }

    let note = question.note.clone().filter(|_| room > 0);
    room -= usize::from(note.is_some());
    let (given, left) = joined(given, GIVEN.min(room));
    folded.read = left;
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
        part.after.is_some() && (part.itself || !question.changes.iter().any(inside))
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
    add(&|change| !is_sink(change) && change.rooted);
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
