//! What the answers leave to look into: the lowest subject that is wrong, and where answers lead that named a value. A value
//! that was wrong already when a call began, or that a call only handed on, was made elsewhere: then the search goes to
//! whoever made it, also outside of the root, before anybody else is blamed.

use past::Past;

use crate::answer::{Answer, Judged};
use crate::extent::extent;
use crate::follow_up::FollowUp;
use crate::plain::Root;
use crate::session::AskReason;
use crate::state::Plan;
use crate::subject::Subject;

#[derive(Clone, Debug, PartialEq)]
pub struct Focus {
    /// What is looked into; none for the whole run.
    pub top: Option<Subject>,
    /// It is wrong.
    pub wrong: bool,
    /// It is not the lowest that is wrong, but holds where the answers lead.
    pub widened: bool,
    /// Where the answers lead and nobody has said anything yet, the nearest first.
    pub clues: Vec<Subject>,
    pub why: Option<AskReason>,
}

/// `leads`: where each of the answers leads, if it does.
pub fn focus(past: &Past, plan: &Plan, answers: &[Judged], leads: &[Option<FollowUp>]) -> Focus {
    let root = match plan.root {
        Root::Call(call) => Some(Subject::Call { call: call.number() }),
        Root::WholeRun => None,
    };
    // Each lies in the one before; what is empty stands for the whole run.
    let mut chain: Vec<Subject> = root.into_iter().collect();
    let mut wrong = plan.root_wrong;
    let mut led: Option<&FollowUp> = None;
    // What it led to is wrong itself: then who made the value before that is not asked any more.
    let mut explained = false;
    for (judged, lead) in answers.iter().zip(leads) {
        let lead = lead.as_ref();
        match &judged.answer {
            Answer::Wrong { .. } => {
                let inside = holds(past, chain.last(), root, &judged.subject);
                let followed = led.is_some_and(|led| led.leads_to(&judged.subject));
                if !inside && !followed {
                    continue;
                }
                if !lead.is_some_and(|lead| lead.given) {
                    while !holds(past, chain.last(), root, &judged.subject) {
                        chain.pop();
                    }
                    if chain.last() != Some(&judged.subject) {
                        chain.push(judged.subject);
                    }
                    wrong = true;
                }
                match lead {
                    Some(lead) => (led, explained) = (Some(lead), false),
                    None => explained |= followed,
                }
            }
            Answer::Inadmissible => {
                if let Some(lead) = lead {
                    (led, explained) = (Some(lead), false);
                }
            }
            // Who says that the root is right knows better than what it was taken for.
            Answer::Correct if Some(judged.subject) == root && chain.len() == 1 => wrong = false,
            Answer::Correct | Answer::DontKnow | Answer::Trust { .. } => {}
        }
    }
    let open = |subject: &&Subject| !answers.iter().any(|judged| judged.subject == **subject);
    let elsewhere = led.filter(|_| !explained).and_then(|led| {
        let first = led.subjects.iter().find(open).filter(|_| led.given);
        led.makers.iter().find(open).or(first)
    });
    let mut widened = false;
    while let Some(subject) = elsewhere
        && !holds(past, chain.last(), root, subject)
    {
        chain.pop();
        widened = true;
    }
    let clues = led.map_or(Vec::new(), |led| {
        let makers = led.makers.iter().filter(|_| !explained).filter(open);
        let mut clues: Vec<Subject> = makers.chain(led.subjects.iter().filter(open)).copied().collect();
        let mut seen = std::collections::HashSet::new();
        clues.retain(|clue| seen.insert(*clue));
        clues
    });
    let wrong = wrong || widened;
    Focus { top: chain.last().copied(), wrong, widened, clues, why: led.map(|led| led.why) }
}

/// Does a subject lie in another one? Everything lies in the whole run, and other threads lie below the root.
fn holds(past: &Past, outer: Option<&Subject>, root: Option<Subject>, inner: &Subject) -> bool {
    let Some(outer) = outer else { return true };
    match (extent(past, outer), extent(past, inner)) {
        (Some(around), Some(within)) => {
            let thread = Some(*outer) == root && within.stream != around.stream;
            around.holds(&within) || thread && begins_below(past, root, inner)
        }
        _ => false,
    }
}

/// Did the thread of a subject begin while the root ran? Then it is in the root's tree.
fn begins_below(past: &Past, root: Option<Subject>, inner: &Subject) -> bool {
    let began = |call: base::CallId| {
        let row = past.call_row(call)?;
        past.time(past::Position { stream: call.stream, ordinal: row.entry })
    };
    let Some((root, inner)) = root.and_then(|root| root.call()).zip(inner.call()) else { return false };
    let outermost = past.call_row(root).is_some_and(|row| row.parent.is_none());
    let first = base::CallId { stream: inner.stream, index: 0 };
    outermost && began(first) > began(root)
}
