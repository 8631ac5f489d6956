//! What stands behind a verdict. Code is blamed only if somebody called it wrong, or if it is what is left of something that
//! failed by itself or that a person judged. That oracles found nothing wrong in the root does not make the root
//! guilty: before that a person is asked again.

use crate::answer::{Answer, Author, Judged};
use crate::session::Session;
use crate::subject::Subject;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    Enough,
    /// It is what is left of what oracles called right: they are to be doubted first.
    OnlyOracles,
    /// Nobody has said anything that would make it wrong.
    None,
}

impl Session {
    /// What speaks for blaming a subject, now that nothing else is suspected.
    pub(crate) fn evidence(&self, guilty: &Subject) -> Evidence {
        if self.zoomed.is_some() {
            return Evidence::Enough;
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
}
