//! Answers that cannot all be right. They are told, with the fewest to look at again; which of them holds is for the
//! person to say.

use base::CallId;
use past::Past;

use crate::answer::{Answer, Judged};
use crate::extent::extent;
use crate::oracle::members;
use crate::subject::Subject;

/// Answers of which one at least must be wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    pub clash: Clash,
    /// Places in the list of answers.
    pub answers: Vec<usize>,
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

pub fn contradictions(past: &Past, answers: &[Judged]) -> Vec<Contradiction> {
    let correct = |judged: &Judged| judged.answer == Answer::Correct;
    let wrong = |judged: &Judged| matches!(judged.answer, Answer::Wrong { .. });
    let mut found = Vec::new();
    for (at, judged) in answers.iter().enumerate().filter(|(_, judged)| wrong(judged)) {
        for (other, against) in answers.iter().enumerate().filter(|(_, judged)| correct(judged)) {
            if against.subject == judged.subject {
                found.push(Contradiction { clash: Clash::Same, answers: vec![at.min(other), at.max(other)] });
                continue;
            }
            let (Some(inner), Some(outer)) = (extent(past, &judged.subject), extent(past, &against.subject))
            else {
                continue;
            };
            if outer.holds(&inner) && outer != inner {
                let answers = vec![at.min(other), at.max(other)];
                found.push(Contradiction { clash: Clash::WrongInCorrect, answers });
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
                found.push(Contradiction { clash: Clash::RunOfCorrect, answers: cleared });
            }
        }
    }
    found
}
