//! The session as a page is told: what is asked, what was answered, what came out. Nothing changes by telling it.

use session::{Session, Subject, Verdict};
use wire::{Contradiction, GivenAnswer, NamedSubject, Recording};

use crate::dialogue::{Dialogue, Reached};
use crate::failure::Failure;
use crate::shared_session::SharedSession;

/// Answers that are listed, the last ones: a page that lists more is not read.
const LISTED: usize = 500;
/// Contradictions that are listed: each is to be looked into by itself.
const CLASHES: usize = 10;

pub fn describe(dialogue: &mut Dialogue, shared: &SharedSession) -> Result<wire::Session, Failure> {
    let (question, outcome) = match dialogue.reached() {
        Reached::Advancing => (None, None),
        Reached::Question(asked) => (Some((**asked).clone()), None),
        Reached::Verdict(outcome) => (None, Some(outcome.clone())),
    };
    let advancing = matches!(dialogue.reached(), Reached::Advancing);
    let session = &mut dialogue.session;
    let verdict = outcome.map(|outcome| verdict(session, &outcome)).transpose()?;
    let generation = session.tree().map_or(0, |tree| tree.generation);
    let past = session.past();
    let answered = session.answers().len();
    let listed = &session.answers()[answered.saturating_sub(LISTED)..];
    let symptom = Subject::Call { call: session.symptom().call.number() };
    let (can_undo, can_redo) = session.can_move();
    let (missing, missing_failed) = match session.missing() {
        Some(Ok(missing)) => (Some(missing.clone().into()), None),
        Some(Err(why)) => (None, Some(why.to_owned())),
        None => (None, None),
    };
    let contradictions = session.contradictions();
    let contradictions = contradictions.iter().take(CLASHES).map(|one| Contradiction::of(session, one));
    Ok(wire::Session {
        version: wire::VERSION,
        news: shared.version(),
        recording: Recording::of(past),
        symptom: NamedSubject { call: words::root_name(session), ..NamedSubject::of(past, &symptom) },
        symptom_why: words::symptom(&session.symptom().why),
        symptom_line: words::in_sight(session, usize::MAX),
        strategy: session.options().strategy.to_string(),
        transforms: session.options().transforms.iter().map(ToString::to_string).collect(),
        plain: session.is_plain(),
        live: session.is_live(),
        generation,
        question,
        verdict,
        advancing,
        answers: listed.iter().map(|judged| GivenAnswer::of(past, judged)).collect(),
        answered,
        asked: session.questions(),
        can_undo,
        can_redo,
        note: session
            .note()
            .map(words::search_note)
            .into_iter()
            .chain(session.silent().map(str::to_owned))
            .chain(words::other_code(&session.other_code()))
            .chain(session.often_right().as_ref().map(words::often_right))
            .reduce(|one, other| format!("{one}; {other}")),
        missing,
        missing_failed,
        forgets: session.forgets().map(words::forgets),
        contradictions: contradictions.collect(),
        zoomed: session.zoomed().map(past::CallId::number),
    })
}

fn verdict(session: &mut Session, outcome: &Verdict) -> Result<wire::Verdict, Failure> {
    let report = match outcome {
        Verdict::Buggy(guilty) => Some(session.report(guilty)?),
        _ => None,
    };
    let certain = report.as_ref().is_some_and(session::Report::is_certain);
    Ok(wire::Verdict {
        verdict: outcome.into(),
        certain,
        probability: session.doubt().map(|doubt| doubt.chance),
        doubt: session.doubt().map(words::doubt),
        report: report.map(Into::into),
        suspects: wire::suspects(session, outcome),
        lacking: session.lacking().as_ref().map(words::lacking),
    })
}
