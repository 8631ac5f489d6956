//! Answers that cannot all be right. They are told, with the fewest to look at again; which of them holds is for the
//! person to say.

use base::CallId;
use past::Past;

use crate::answer::{Answer, Judged};
use crate::extent::extent;
use crate::oracle::members;
use crate::subject::Subject;

/// Answers of which one at least must be wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Contradiction {
    pub clash: Clash,
    /// In the order in which they were given.
    pub answers: Vec<Judged>,
}

/// Why answers do not go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clash {
    /// The same was judged differently.
    Same,
    /// Something wrong lies in something that was judged correct.
    WrongInCorrect,
    /// All members of a run are correct, but not the run.
    RunOfCorrect,
}

/// `overruled`: what somebody said, and what a person said of it instead.
pub fn contradictions(past: &Past, answers: &[Judged], overruled: &[(Judged, Judged)]) -> Vec<Contradiction> {
    let correct = |judged: &Judged| judged.answer == Answer::Correct;
    let wrong = |judged: &Judged| matches!(judged.answer, Answer::Wrong { .. });
    let two = |at: usize, other: usize| [at.min(other), at.max(other)].map(|at| answers[at].clone()).to_vec();
    let instead = overruled.iter().map(|(one, other)| vec![one.clone(), other.clone()]);
    let mut found: Vec<Contradiction> =
        instead.map(|answers| Contradiction { clash: Clash::Same, answers }).collect();
    for (at, judged) in answers.iter().enumerate().filter(|(_, judged)| wrong(judged)) {
        for (other, against) in answers.iter().enumerate().filter(|(_, judged)| correct(judged)) {
            if against.subject == judged.subject {
                found.push(Contradiction { clash: Clash::Same, answers: two(at, other) });
                continue;
            }
            let (Some(inner), Some(outer)) = (extent(past, &judged.subject), extent(past, &against.subject))
            else {
                continue;
            };
            if outer.holds(&inner) && outer != inner {
                found.push(Contradiction { clash: Clash::WrongInCorrect, answers: two(at, other) });
            }
        }
        if let Subject::Run { first, last, .. } = judged.subject {
            let ends = CallId::of_number(first).zip(CallId::of_number(last));
            let members = ends.and_then(|(first, last)| members(past, first, last)).unwrap_or_default();
            let cleared: Option<Vec<usize>> = members
                .iter()
                .map(|member| {
                    let subject = Subject::Call { call: member.number() };
                    answers.iter().position(|judged| judged.subject == subject && correct(judged))
                })
                .collect();
            if let Some(mut cleared) = cleared.filter(|cleared| !cleared.is_empty()) {
                cleared.push(at);
                cleared.sort();
                let answers = cleared.into_iter().map(|at| answers[at].clone()).collect();
                found.push(Contradiction { clash: Clash::RunOfCorrect, answers });
            }
        }
    }
    found
}
