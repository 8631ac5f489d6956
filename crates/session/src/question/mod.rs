//! A question as plain data that any client shows: what was called with what, what came out, and what is different
//! afterwards. It shows what matters for a verdict and is bounded in size; `QuestionDetail::More` widens the bounds.

mod about;
mod call;
mod constants;
mod cost;
mod difference;
mod effect;
mod glance;
mod inside;
pub(crate) mod kept;
mod kind;
mod on_way;
mod reach;
mod run;
mod shown;
mod written;

use past::{CallId, CallInfo, Error, Noise, Past, Result, SinkLine};

use crate::subject::Subject;

pub use about::{CallEnd, CallLine, Held, LineValue, QuestionAbout, QuestionNote, StatementAction, Thrown};
pub use difference::{Difference, Edit};
pub(crate) use effect::{Span, StateChange};
pub use glance::{Folded, Glance, GlanceLine, MAX_LINES, glance};
pub(crate) use inside::{has_word, loop_run, stretch};
pub use kept::{Kept, kept_by};
pub use kind::{NodeKind, NodeKindRow};
pub(crate) use reach::Reach;
pub(crate) use run::between;

/// How much of it is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QuestionDetail {
    /// What a person needs at a glance.
    #[default]
    Short,
    /// The rest, still bounded.
    More,
}

/// An argument, a variable or the receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionPart {
    pub name: String,
    pub before: Held,
    /// What it is afterwards, if what it holds or refers to changed.
    pub after: Option<Held>,
    pub changed: bool,
    /// It holds another value itself; otherwise only what it leads to changed.
    pub itself: bool,
    /// It holds an object, to which something can have failed to happen.
    pub is_object: bool,
    /// What it leads to and is different afterwards, where that is not among the question's changes.
    pub parts: Vec<ChangedLocation>,
    /// Only what is different in it, where both values whole would hide that.
    pub difference: Option<Difference>,
    /// What of it was read is known, and only that and what changed is shown.
    pub looked_at: bool,
}

/// What was written again and again, and holds what it held: a sum that stays 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StillHeld {
    pub location: String,
    pub value: String,
    /// 0 for what nobody wrote, and what is wrong was read from later.
    pub writes: u32,
}

/// A location that holds another value afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedLocation {
    /// As a person says it: `a[2]`, `t.x`; by the object's name where no argument leads there.
    pub location: String,
    /// As `inquest history` takes it.
    pub name: String,
    /// Empty for what was written to: there `after` says what was done (`printed "7"`).
    /// Empty where only what was done to it is known.
    pub before: String,
    pub after: Became,
    /// The location still holds the same: what is in there changed.
    pub within: bool,
    /// Which elements of it these are, for an array.
    pub parts: Vec<ChangedLocation>,
    /// What another thread wrote there while it ran.
    pub meanwhile: Option<Meanwhile>,
    /// Only what is different in it, where both values whole would hide that.
    pub difference: Option<Difference>,
    /// Why it says nothing about what is asked.
    pub noise: Option<Noise>,
    /// An argument, the receiver or a static leads there.
    pub rooted: bool,
}

impl ChangedLocation {
    /// Is it a stream, a builder or a file that was written to?
    pub fn is_sink(&self) -> bool {
        matches!(self.after, Became::Written(_))
    }
}

/// What a location holds now, or what was done to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Became {
    Value(String),
    Written(SinkLine),
}

/// The last write of another thread to a location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meanwhile {
    /// None for something in a collection, of which only the whole is shown.
    pub value: Option<String>,
    pub thread: String,
    /// The call that wrote it, if that is known.
    pub call: Option<CallId>,
}

/// Locations that a part of a loop may change to be asked about while there are calls in it.
const MOST_CHANGES: usize = 12;

#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    pub subject: Subject,
    pub kind: NodeKind,
    /// `MergeSort.merge#3`; the first one for several calls, the one around for what lies in a call.
    pub call: String,
    /// `MergeSort.merge`
    pub method: String,
    /// It is a call of a constructor: what it gives is the new object.
    pub constructs: bool,
    pub about: QuestionAbout,
    /// The calls that it stands for, where these are several, as far as they are shown.
    pub members: Vec<CallLine>,
    /// Which calls these are, by number, as many and in the same order.
    pub member_calls: Vec<u64>,
    /// As far as it was read or changed.
    pub receiver: Option<QuestionPart>,
    /// Arguments; the variables for what lies in a call.
    pub args: Vec<QuestionPart>,
    /// `void` for a call that gives nothing; none for what has no result.
    pub result: Option<String>,
    /// The result is an object, to which something can have failed to happen.
    pub result_is_object: bool,
    pub thrown: Option<Thrown>,
    /// Where the exception arose that left it: file and line.
    pub arose: Option<String>,
    pub finished: bool,
    pub changes: Vec<ChangedLocation>,
    /// What was written more than once and did not change.
    pub still: Vec<StillHeld>,
    /// What it was given and keeps, and somebody else changes later.
    pub kept: Vec<Kept>,
    /// Location and value, of what was read and is seen nowhere else here.
    pub reads: Vec<(String, Held)>,
    pub iterations: Option<u64>,
    pub note: Option<QuestionNote>,
    /// Something was left out.
    pub more: bool,
    /// About how many seconds it takes to answer: grows slowly with what there is to read.
    pub cost: f64,
}

/// The question about a subject.
pub fn question(past: &Past, subject: &Subject, detail: QuestionDetail) -> Result<Question> {
    let missing = || Error::NotFound { name: format!("{subject:?}"), close: Vec::new() };
    let call = subject.call().ok_or_else(missing)?;
    let info = call_info(past, call).ok_or_else(missing)?;
    let mut question = match *subject {
        Subject::Call { .. } => call::question(past, &info, detail),
        Subject::Nest { levels, .. } => run::nest(past, &info, levels, detail),
        Subject::Run { last, independent, .. } => run::siblings(past, &info, last, independent, detail),
        Subject::Thread { .. } => run::thread(past, &info, detail),
        Subject::Loop { run, from, to, .. } => inside::iterations(past, &info, run, from, to, detail)?,
        Subject::Statement { at, .. } => inside::statement(past, &info, at, detail)?,
    };
    question.subject = *subject;
    question.kind = NodeKind::of(subject);
    question.cost = cost::cost(&question);
    Ok(question)
}

/// A question of which nothing is said but the call with arguments and result; what is no call has all of it. For who wants
/// to know what was settled, and not to judge it.
pub fn outline(past: &Past, subject: &Subject) -> Result<Question> {
    let info = match *subject {
        Subject::Call { call } => CallId::of_number(call).and_then(|call| call_info(past, call)),
        _ => None,
    };
    let Some(info) = info else { return question(past, subject, QuestionDetail::Short) };
    let mut outline = Question::new(&info);
    let call = CallLine { of: None, ..call::member(past, &info) };
    outline.about = QuestionAbout::Call { call, fields: Vec::new() };
    outline.more = true;
    Ok(outline)
}

/// A call, its new object by identity: a constructor gets it before it has one.
pub(crate) fn call_info(past: &Past, call: CallId) -> Option<CallInfo> {
    let mut info = past.call(call)?;
    info.receiver = info.receiver.map(|receiver| past.resolved(call.stream, receiver));
    Some(info)
}

impl Question {
    /// A question in which nothing is said yet.
    pub(crate) fn new(info: &CallInfo) -> Question {
        Question {
            subject: Subject::Call { call: info.id.number() },
            kind: NodeKind::Call,
            call: info.name.clone(),
            method: info.method.clone(),
            constructs: info.is_constructor(),
            about: QuestionAbout::Calls { count: 0 },
            members: Vec::new(),
            member_calls: Vec::new(),
            receiver: None,
            args: Vec::new(),
            result: None,
            result_is_object: false,
            thrown: None,
            arose: None,
            finished: info.ending != past::Ending::Open,
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

    /// The calls that it stands for.
    pub(crate) fn list(&mut self, past: &Past, calls: impl Iterator<Item = CallInfo>) {
        for info in calls {
            self.members.push(call::member(past, &info));
            self.member_calls.push(info.id.number());
        }
        // One object for all of them tells nothing apart.
        let mut objects = self.members.iter().filter_map(|call| call.of.as_deref());
        let first = objects.next();
        if objects.all(|other| Some(other) == first) {
            self.members.iter_mut().for_each(|call| call.of = None);
        }
    }

    /// Asks about all up to the statement that it is about, not about that alone.
    pub(crate) fn ask_up_to(&mut self) {
        if let QuestionAbout::Statement { up_to, .. } = &mut self.about {
            *up_to = true;
        }
    }

    /// Does it say more than a person can look through in the time that a question may take?
    pub(crate) fn is_too_much(&self) -> bool {
        self.changes.iter().filter(|change| change.noise.is_none()).count() > MOST_CHANGES
    }

    /// Is there anything in it that a person could judge? A loop of which nothing is known but that it ran has nothing.
    pub(crate) fn has_content(&self) -> bool {
        !matches!(self.subject, Subject::Loop { .. })
            || self.changes.iter().any(|change| change.noise.is_none())
            || !self.still.is_empty()
            || self.args.iter().any(|part| part.changed)
            || self.thrown.is_some()
            || !self.finished
    }

    /// The changes that the result does not show: what became of a new object is the constructor's result.
    pub fn changes_beside_result(&self) -> impl Iterator<Item = &ChangedLocation> {
        let shown =
            |change: &&ChangedLocation| !(self.constructs && call::starts_at(&change.location, "this"));
        self.changes.iter().filter(shown)
    }
}
