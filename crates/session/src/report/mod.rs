//! What a finished dialogue found, as plain data: the guilty code and nothing that did not run, the counterexample, the
//! way from the symptom, the answers that led there, and where the wrong values came from.

mod guilty;
mod keepers;
mod made;
mod narrow;
mod origins;
mod trusted;

use analysis::omissions::OmissionExtent;
use analysis::slice::Depends;
use base::CallId;
use past::{Past, Result};

use crate::answer::{Answer, Author, Judged};
use crate::entry::Way;
use crate::missing::Missing;
use crate::oracle::Trust;
use crate::question::{NodeKind, Question, QuestionDetail, question};
use crate::session::Doubt;
use crate::subject::Subject;

pub use keepers::Keeper;
pub(crate) use narrow::outcome_of;
pub use origins::{ValueOrigin, Wrote};
pub use trusted::TrustedPart;

/// What was found, and how.
#[derive(Clone, Debug)]
pub struct Guilty<'a> {
    pub subject: Subject,
    /// What is wrong, from the symptom down; the subject itself may be last.
    pub path: Vec<Subject>,
    /// The nodes below it in the tree that was asked about: what they did is not its doing.
    pub children: Vec<Subject>,
    pub answers: &'a [Judged],
    /// What is believed to be right without asking.
    pub trust: &'a Trust,
    /// What was looked for because somebody missed it.
    pub missing: Option<Missing>,
    /// Why it could not be looked for.
    pub missing_failed: Option<String>,
    /// The same call in a good run.
    pub good: Option<Question>,
    /// Why it is only likely.
    pub doubt: Option<Doubt>,
    /// Calls that made what it was given, before the search begins.
    pub earlier: Vec<CallId>,
    /// How the value came about that is wrong, if that is known.
    pub way: Option<&'a Way>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    pub subject: Subject,
    pub kind: NodeKind,
    /// `MergeSort.merge#3`
    pub call: String,
    /// `MergeSort.merge`
    pub method: String,
    /// The source file's name as the class file has it.
    pub file: Option<String>,
    /// Where the text of the lines is from.
    pub source: Option<String>,
    /// Lines are instructions: the class file has no line numbers.
    pub bytecode: bool,
    /// A reason not to believe that the text is what was compiled.
    pub suspicious: Option<String>,
    /// Numbers of the guilty lines, ascending.
    pub lines: Vec<u32>,
    /// Those of them that what came out wrong depends on. Empty if that narrows nothing down.
    pub likely: Vec<u32>,
    /// Those of them of which that is not sure.
    pub unsure: Vec<u32>,
    /// The lines that made what came out wrong, the likeliest first: those that wrote it last.
    pub made: Vec<MadeAt>,
    /// What the call gave in the good run, if there is one.
    pub good: Option<Box<Question>>,
    /// The method, line by line.
    pub code: Vec<ReportLine>,
    pub counterexample: Question,
    /// What should have come out, in the words of who judged it.
    pub expected: Option<String>,
    pub path: Vec<PathNode>,
    pub answers: Vec<GivenAnswer>,
    /// Where to look next.
    pub origins: Vec<ValueOrigin>,
    /// What should have happened and did not, if somebody missed something.
    pub missing: Option<Missing>,
    /// Why that could not be looked for.
    pub missing_failed: Option<String>,
    /// What was called in there and nobody judged: the defect may lie there as well. The most called first.
    pub trusted: Vec<TrustedPart>,
    /// What kept something that others changed: the defect may be that it is no copy.
    pub keepers: Vec<Keeper>,
    /// Calls before all that was looked at which what came out wrong depends on: it may be theirs. The latest first.
    pub earlier: Vec<String>,
    /// Why this is only likely; none if it is certain.
    pub doubt: Option<Doubt>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportLine {
    pub number: u32,
    pub text: String,
    pub executed: bool,
    pub guilty: bool,
    /// What came out wrong depends on it.
    pub likely: bool,
    /// It may depend on it: nobody can be sure.
    pub unsure: bool,
    /// What was written on it last: name and value.
    pub values: Vec<(String, String)>,
}

/// A line of the guilty call that wrote something that came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeAt {
    pub line: u32,
    pub text: String,
    /// `int[]@1[2]`, and what it wrote there; `result` for what was returned.
    pub location: String,
    pub value: String,
}

/// A wrong node on the way from the symptom.
#[derive(Clone, Debug, PartialEq)]
pub struct PathNode {
    pub subject: Subject,
    pub question: ListedQuestion,
}

/// An answer that was given.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenAnswer {
    pub subject: Subject,
    pub question: ListedQuestion,
    pub answer: Answer,
    pub by: Author,
}

/// A question among others, or why it cannot be asked again.
#[derive(Clone, Debug, PartialEq)]
pub enum ListedQuestion {
    Known(Box<Question>),
    Lost(String),
}

impl ListedQuestion {
    pub(crate) fn of(past: &Past, subject: &Subject) -> ListedQuestion {
        match question(past, subject, QuestionDetail::Short) {
            Ok(question) => ListedQuestion::Known(Box::new(question)),
            Err(error) => ListedQuestion::Lost(error.to_string()),
        }
    }

    /// `MergeSort.merge#3`; empty if that is not known any more.
    pub fn call(&self) -> &str {
        match self {
            ListedQuestion::Known(question) => &question.call,
            ListedQuestion::Lost(_) => "",
        }
    }
}

impl Report {
    /// Nothing speaks for another place.
    pub fn is_certain(&self) -> bool {
        self.doubt.is_none() && self.keepers.is_empty() && self.earlier.is_empty()
    }
}

/// Answers and steps that are written out; beyond them a report is no longer read.
const MAX_LISTED: usize = 1_000;

pub fn report(past: &Past, found: &Guilty<'_>) -> Result<Report> {
    let counterexample = question(past, &found.subject, QuestionDetail::Short)?;
    let own = found.answers.iter().rev().find(|judged| judged.subject == found.subject);
    let (because, missing, expected) = match own.map(|judged| &judged.answer) {
        Some(Answer::Wrong { because, missing, expected }) => {
            (because.clone(), missing.clone(), expected.clone())
        }
        _ => (None, None, None),
    };
    let mut code = guilty::code(past, found);
    // Instructions without lines are not narrowed down: nobody reads them one by one.
    let info = found.subject.call().filter(|_| !code.bytecode).and_then(|call| past.call(call));
    // Where code is missing, what did run is not what is likely to be wrong.
    let info = info.filter(|_| missing.is_none());
    let narrowed = info.and_then(|info| narrow::narrowed(past, &info, because.as_deref()));
    let depends = |line: u32| narrowed.as_ref().and_then(|lines| lines.of.get(&line)).copied();
    // What kept from happening what is missed has no part in what came out, but in what did not.
    let call = found.subject.call().map(past::CallId::number);
    let balloons = found.missing.iter().flat_map(|missing| &missing.balloons);
    let prevented =
        balloons.filter(|balloon| Some(balloon.at.number) == call && balloon.extent == OmissionExtent::Total);
    let prevented: Vec<u32> = prevented.filter_map(|balloon| balloon.at.line).collect();
    let whole = found.children.iter().all(|child| child.call() != found.subject.call());
    let whole = whole && matches!(found.subject, Subject::Call { .. } | Subject::Thread { .. });
    for line in &mut code.lines {
        let known = depends(line.number);
        if known.is_some() && !line.executed {
            // A line that does nothing but jump leaves no event.
            (line.executed, line.guilty) = (true, whole);
        }
        line.likely = line.guilty && (known == Some(Depends::Yes) || prevented.contains(&line.number));
        // A line that is not spoken of did not run, or nothing at all is known.
        line.unsure = line.guilty && !line.likely && matches!(known, None | Some(Depends::Unsure));
    }
    let numbers = |is: fn(&ReportLine) -> bool| -> Vec<u32> {
        code.lines.iter().filter(|line| is(line)).map(|line| line.number).collect()
    };
    let (likely, unsure) = (numbers(|line| line.likely), numbers(|line| line.unsure));
    let lines = numbers(|line| line.guilty);
    let steps = found.path.iter().take(MAX_LISTED);
    let steps =
        steps.map(|subject| PathNode { subject: *subject, question: ListedQuestion::of(past, subject) });
    let given = found.answers.iter().take(MAX_LISTED).map(|judged| {
        let mut question = ListedQuestion::of(past, &judged.subject);
        if let ListedQuestion::Known(question) = &mut question {
            question.ask_up_to();
        }
        let (answer, by) = (judged.answer.clone(), judged.by.clone());
        GivenAnswer { subject: judged.subject, question, answer, by }
    });
    let origins = origins::origins(past, &found.subject, because.as_deref().or(missing.as_deref()));
    let way = found.way.filter(|_| because.is_none());
    let made = made::made(past, &found.subject, &origins, &code.lines, way);
    Ok(Report {
        made,
        good: found.good.clone().map(Box::new),
        subject: found.subject,
        kind: counterexample.kind,
        call: counterexample.call.clone(),
        method: counterexample.method.clone(),
        file: found.subject.call().and_then(|call| past.method_place(call)).and_then(|place| place.file),
        source: code.source,
        bytecode: code.bytecode,
        suspicious: code.suspicious,
        lines,
        likely,
        unsure,
        code: code.lines,
        expected,
        path: steps.collect(),
        answers: given.collect(),
        origins,
        counterexample,
        trusted: trusted::trusted(past, found),
        keepers: keepers::keepers(past, &found.subject),
        earlier: found.earlier.iter().map(|&call| past.call_name(call)).collect(),
        doubt: found.doubt.clone(),
        missing: found.missing.clone(),
        missing_failed: found.missing_failed.clone(),
    })
}
