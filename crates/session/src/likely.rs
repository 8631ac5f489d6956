//! What is likeliest to be wrong before anybody was asked: what a dialogue about a symptom would begin by believing, for who
//! only reports it. Nothing is written down, and nothing of it is a verdict.

use std::sync::Arc;

use past::Past;
use strategy::Strategy;
use tree::Transform;

use crate::answer::{Answer, Author, Judged};
use crate::belief::{Changed, Clue, LikelyPlace, Reasons, places};
use crate::entry::{Symptom, SymptomReason};
use crate::error::Result;
use crate::oracle::{Trust, asserted};
use crate::plain::Root;
use crate::state::{Plan, SearchState};
use crate::subject::Subject;
use crate::testimony::tested_elsewhere;

/// The likeliest places, the likeliest first; none if nothing of the program ran that could be at fault.
pub fn likely(past: &Arc<Past>, symptom: &Symptom, changed: Option<&Changed>) -> Result<Vec<LikelyPlace>> {
    let whole_run = symptom.why == SymptomReason::WholeRun;
    let clues = if whole_run { Vec::new() } else { Clue::of_symptom(past, symptom) };
    let tested = tested_elsewhere(past);
    let plan = Plan {
        root: if whole_run { Root::WholeRun } else { Root::Call(symptom.call) },
        root_wrong: !whole_run,
        strategy: Strategy::Belief,
        transforms: Transform::DEFAULT.to_vec(),
        trust: Trust::default(),
        reasons: Arc::new(Reasons { changed: changed.cloned(), clues, tested, ..Reasons::default() }),
    };
    // What the test asserted before it failed was right.
    let right = match symptom.why {
        SymptomReason::FailedTest { .. } => asserted(past, symptom.call),
        _ => Vec::new(),
    };
    let judged = |call: past::CallId| Judged {
        subject: Subject::Call { call: call.number() },
        answer: Answer::Correct,
        by: Author::Assertion,
        at: 0,
        took: None,
    };
    let answers: Vec<Judged> = right.into_iter().map(judged).collect();
    let state = SearchState::build(past, &plan, &answers, &vec![None; answers.len()])?;
    let Some(mut belief) = state.learned.belief.clone() else { return Ok(Vec::new()) };
    belief.follow(&state.suspects);
    Ok(places(past, &belief, None))
}
