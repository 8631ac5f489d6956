//! The session as a page is told: what is asked, what was answered, what came out.

use serde::Serialize;
use session::{AskReason, Missing, Next, Question, Report, Session, Subject, Verdict as Outcome};

use crate::desk::{Desk, now};
use crate::failure::Failure;

/// Answers that are listed, the last ones: a page that lists more is not read.
const LISTED: usize = 500;
/// Contradictions that are listed: each is to be looked into by itself.
const CLASHES: usize = 10;
/// Answers of oracles that are taken in before a page is told; more are told of in between.
const IN_A_ROW: usize = 200;

#[derive(Serialize)]
pub struct SessionJson {
    recording: Recording,
    /// The call in which the search began, and why there.
    symptom: Named,
    symptom_why: String,
    strategy: String,
    transforms: Vec<String>,
    plain: bool,
    live: bool,
    /// Nodes of the tree mean the same as long as this is the same.
    generation: u64,
    question: Option<Asked>,
    verdict: Option<Verdict>,
    /// The last of the answers that hold, the first first.
    answers: Vec<Given>,
    /// How many there are, and how many of them a person gave.
    answered: usize,
    asked: usize,
    can_undo: bool,
    can_redo: bool,
    note: Option<String>,
    /// What the last answer that missed something found.
    missing: Option<Missing>,
    missing_failed: Option<String>,
    /// Why what is said is not kept for other sessions.
    forgets: Option<String>,
    contradictions: Vec<Clashing>,
    /// The call that is looked into, statement by statement.
    zoomed: Option<u64>,
    /// The news, as they are counted by `live`, that are in this.
    news: u64,
}

/// Answers that do not go together.
#[derive(Serialize)]
struct Clashing {
    why: &'static str,
    answers: Vec<Given>,
}

#[derive(Serialize)]
struct Recording {
    path: String,
    command: Vec<String>,
    exit: Option<i32>,
    events: u64,
    calls: u64,
    threads: usize,
    last_time: u64,
    damaged: usize,
}

#[derive(Serialize)]
struct Asked {
    #[serde(flatten)]
    question: Question,
    call_number: Option<u64>,
    why: Because,
    suspects: u32,
    expected: f64,
}

/// Why it is asked. The numbers are those of suspects that either answer leaves, where that is known.
#[derive(Serialize)]
struct Because {
    kind: &'static str,
    words: String,
    if_wrong: Option<u32>,
    if_right: Option<u32>,
}

#[derive(Serialize)]
struct Verdict {
    outcome: &'static str,
    report: Option<Report>,
    suspects: Vec<Named>,
}

#[derive(Serialize)]
struct Named {
    subject: Subject,
    name: String,
}

#[derive(Serialize)]
struct Given {
    subject: Subject,
    name: String,
    /// Its letter, as it is typed.
    answer: &'static str,
    /// In words, with what was said about it.
    words: String,
    by: String,
    person: bool,
    at: u64,
}

/// Goes on until a person is to be asked or there is an end, and tells where that is.
pub fn tell(session: &mut Session, desk: &Desk) -> std::result::Result<SessionJson, Failure> {
    let (mut question, mut outcome) = (None, None);
    for _ in 0..IN_A_ROW {
        match session.next(now())? {
            Next::Answered { .. } => continue,
            Next::Question(asked) => question = Some(asked),
            Next::Verdict(found) => outcome = Some(found),
        }
        break;
    }
    let verdict = outcome.map(|outcome| verdict(session, outcome)).transpose()?;
    let generation = session.tree().map_or(0, |tree| tree.generation);
    let past = session.past();
    let named = |subject: &Subject| Named::of(session, subject);
    let given = |at: &usize| {
        session.answers().get(*at).map(|judged| Given {
            subject: judged.subject,
            name: named(&judged.subject).name,
            answer: judged.answer.letter(),
            words: judged.answer.words(),
            by: judged.by.words(),
            person: judged.by == session::Author::Person,
            at: judged.at,
        })
    };
    let answered = session.answers().len();
    let symptom = Subject::Call { call: session.symptom().call.number() };
    let manifest = past.manifest();
    let (can_undo, can_redo) = session.can_move();
    let (missing, missing_failed) = match session.missing() {
        Some(Ok(missing)) => (Some(missing.clone()), None),
        Some(Err(why)) => (None, Some(why.to_owned())),
        None => (None, None),
    };
    Ok(SessionJson {
        news: desk.news(),
        recording: Recording {
            path: past.path().display().to_string(),
            command: manifest.command.clone(),
            exit: manifest.exit,
            events: past.event_count(),
            calls: past.streams().iter().map(|&stream| u64::from(past.calls_in(stream))).sum(),
            threads: past.streams().len(),
            last_time: past.last_time().map_or(0, |time| time.0),
            damaged: past.flaws().damaged,
        },
        symptom: named(&symptom),
        symptom_why: session.symptom().why.words(),
        strategy: session.options().strategy.to_string(),
        transforms: session.options().transforms.iter().map(ToString::to_string).collect(),
        plain: session.is_plain(),
        live: session.is_live(),
        generation,
        question: question.map(|asked| Asked {
            call_number: asked.question.subject.call().map(past::CallId::number),
            why: because(&asked.why),
            suspects: asked.suspects,
            expected: asked.expected,
            question: asked.question,
        }),
        verdict,
        answers: (answered.saturating_sub(LISTED)..answered).filter_map(|at| given(&at)).collect(),
        answered,
        asked: session.questions(),
        can_undo,
        can_redo,
        note: session.note().map(str::to_owned),
        missing,
        missing_failed,
        forgets: session.forgets(),
        contradictions: session
            .contradictions()
            .into_iter()
            .take(CLASHES)
            .map(|one| Clashing {
                why: one.clash.words(),
                answers: one.answers.iter().filter_map(given).collect(),
            })
            .collect(),
        zoomed: session.zoomed().map(past::CallId::number),
    })
}

fn verdict(session: &mut Session, outcome: Outcome) -> std::result::Result<Verdict, Failure> {
    let report = match &outcome {
        Outcome::Buggy(guilty) => Some(session.report(guilty)?),
        _ => None,
    };
    let suspects = match &outcome {
        Outcome::Suspects(left) => left.iter().map(|left| Named::of(session, left)).collect(),
        _ => Vec::new(),
    };
    Ok(Verdict { outcome: outcome.name(), report, suspects })
}

impl Named {
    fn of(session: &Session, subject: &Subject) -> Named {
        let name = subject.call().map(|call| session.past().call_name(call)).unwrap_or_default();
        Named { subject: *subject, name }
    }
}

fn because(reason: &AskReason) -> Because {
    let (kind, chosen) = match reason {
        AskReason::Chosen(why) => ("chosen", Some(why)),
        AskReason::Followed => ("followed", None),
        AskReason::Prevented => ("prevented", None),
        AskReason::Again => ("again", None),
    };
    Because {
        kind,
        words: reason.words(),
        if_wrong: chosen.map(|why| why.suspects_inside),
        if_right: chosen.map(|why| why.suspects_outside),
    }
}
