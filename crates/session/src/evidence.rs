//! What stands behind a verdict. Code is blamed only if somebody called it wrong, or if it is what is left of something that
//! failed by itself or that a person judged. That oracles found nothing wrong in the root does not make the root
//! guilty: before that a person is asked again. The same holds of what only tests of the very same code vouch for: a test
//! may pass although what it calls is wrong.

use crate::answer::{Answer, Author, Judged};
use crate::extent::extent;
use crate::session::Session;
use crate::subject::Subject;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    Enough,
    /// It is what is left of what oracles called right: they are to be doubted first.
    OnlyOracles,
    /// Only who is not sure called it wrong.
    Unsure,
    /// Nobody has said anything that would make it wrong.
    None,
}

impl Session {
    /// What speaks for blaming a subject, now that nothing else is suspected.
    pub(crate) fn evidence(&mut self, guilty: &Subject) -> Evidence {
        if self.zoomed.is_some() {
            return Evidence::Enough;
        }
        if !self.is_sure(guilty) {
            return Evidence::Unsure;
        }
        if self.vouched(guilty) {
            return Evidence::OnlyOracles;
        }
        let answers = &self.journal_state.answers;
        let wrong =
            |judged: &&Judged| judged.subject == *guilty && matches!(judged.answer, Answer::Wrong { .. });
        let root = Subject::Call { call: self.symptom.call.number() };
        let mut called_wrong = answers.iter().filter(wrong).peekable();
        let by_person = |judged: &Judged| judged.by == Author::Person;
        let oracles_right = answers.iter().any(Judged::is_oracles_right);
        if called_wrong.peek().is_some() && (*guilty != root || !oracles_right || called_wrong.any(by_person))
        {
            return Evidence::Enough;
        }
        if oracles_right {
            return Evidence::OnlyOracles;
        }
        let judged = |judged: &Judged| match judged.answer {
            Answer::Correct | Answer::Wrong { .. } | Answer::Inadmissible => by_person(judged),
            Answer::DontKnow | Answer::Trust { .. } => false,
        };
        match self.symptom.why.is_proof() || answers.iter().any(judged) {
            true => Evidence::Enough,
            false => Evidence::None,
        }
    }

    /// Is something in it right only because tests passed that may pass by chance?
    fn vouched(&mut self, guilty: &Subject) -> bool {
        let Some(outer) = extent(&self.past, guilty) else { return false };
        let Session { past, oracles, journal_state, .. } = self;
        let inside = journal_state.answers.iter().filter(|judged| judged.answer == Answer::Correct);
        let mut inside = inside.filter_map(|judged| match &judged.by {
            Author::Tests(tests) if extent(past, &judged.subject).is_some_and(|it| outer.holds(&it)) => {
                Some(tests)
            }
            _ => None,
        });
        inside.any(|tests| oracles.may_pass_by_chance(past, tests))
    }

    /// Did a person, or somebody whose word is enough, say that the innermost of what was called wrong around a subject is?
    fn is_sure(&self, guilty: &Subject) -> bool {
        let Some(inner) = extent(&self.past, guilty) else { return true };
        let around = |judged: &&Judged| {
            matches!(judged.answer, Answer::Wrong { .. })
                && extent(&self.past, &judged.subject).is_some_and(|outer| outer.holds(&inner))
        };
        let called_wrong: Vec<&Judged> = self.journal_state.answers.iter().filter(around).collect();
        let size = |judged: &&&Judged| {
            extent(&self.past, &judged.subject).map_or(u64::MAX, |extent| extent.last - extent.first)
        };
        let Some(innermost) = called_wrong.iter().min_by_key(size).map(|judged| judged.subject) else {
            return true;
        };
        called_wrong.iter().any(|judged| judged.subject == innermost && judged.by.is_sure())
    }
}
