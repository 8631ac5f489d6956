//! All oracles of a session in their order, and the memory that what a person says goes to.

use std::collections::HashSet;
use std::path::Path;

use base::{CallId, MethodId};
use past::{Past, Settings};

use crate::answer::{Answer, AnswerKind, Author, Judged};
use crate::error::Result;
use crate::fingerprint::fingerprints;
use crate::oracle::{
    Advising, Advisor, MemoryError, Oracle, OracleError, OracleSpec, RememberedAnswers, memory_path,
};
use crate::question::Question;
use crate::subject::Subject;

/// Who answers before a person is asked. The first that knows is believed.
pub struct Oracles {
    list: Vec<Oracle>,
    /// Programs, which are asked after all others.
    advisors: Vec<Advising>,
    /// Where a person's answers are kept for other sessions; none if there is no place.
    memory: Option<RememberedAnswers>,
    /// Why the place that there is cannot be used.
    unusable: Option<MemoryError>,
}

impl Oracles {
    /// Opens those that are asked for. If nobody is named, it is the person.
    pub fn open(specs: &[OracleSpec], past: &Past, settings: &Settings) -> Result<Oracles> {
        let path = memory_path();
        let list = specs.iter().filter(|spec| !matches!(spec, OracleSpec::Command(_)));
        let list = list.map(|spec| Oracle::open(spec, past, path.as_deref(), settings));
        let list = list.collect::<std::result::Result<Vec<_>, OracleError>>()?;
        Ok(Oracles::with_memory(list, path.as_deref()))
    }

    /// A memory that cannot be read is no reason not to ask: what is said is kept for this recording all the same.
    fn with_memory(list: Vec<Oracle>, path: Option<&Path>) -> Oracles {
        let (memory, unusable) = match path.map(RememberedAnswers::open) {
            Some(Ok(memory)) => (Some(memory), None),
            Some(Err(error)) => (None, Some(error)),
            None => (None, None),
        };
        Oracles { list, advisors: Vec::new(), memory, unusable }
    }

    /// A program that is asked before the person, after those that were added before.
    pub fn add(&mut self, advisor: Box<dyn Advisor>) {
        self.advisors.push(Advising::new(advisor));
    }

    /// What the first program says that knows: the kind of answer, what it said with it, and who it is.
    pub(crate) fn advice(&mut self, question: &Question) -> Option<(AnswerKind, Option<String>, Author)> {
        self.advisors.iter_mut().find_map(|advising| {
            let advice = advising.ask(question)?;
            let (command, why, reliability) = (advising.name().to_owned(), advice.why, advice.reliability);
            Some((advice.kind, advice.with, Author::Command { command, why, reliability }))
        })
    }

    /// What a program said of a subject cannot be taken.
    pub(crate) fn refuse(&mut self, by: &Author, subject: Subject) {
        let Author::Command { command, .. } = by else { return };
        let said = self.advisors.iter_mut().filter(|advising| advising.name() == command);
        said.for_each(|advising| advising.refuse(subject));
    }

    /// Programs that are not asked any more, and why.
    pub fn silent(&self) -> impl Iterator<Item = &str> {
        self.advisors.iter().filter_map(Advising::silent)
    }

    /// Does the person come before all others?
    pub(crate) fn person_first(&self) -> bool {
        matches!(self.list.first(), Some(Oracle::User))
    }

    /// Why a person's answers are not kept for other sessions, if there is a place where they would be.
    pub fn forgets(&self) -> Option<&MemoryError> {
        self.unusable.as_ref()
    }

    /// Says what is wrong with what is asked for, as far as that is known without a recording to debug.
    pub fn check(specs: &[OracleSpec]) -> Result<()> {
        for spec in specs {
            if let OracleSpec::Reference(path) | OracleSpec::Tests(path) = spec
                && !path.exists()
            {
                return Err(OracleError::Missing(path.clone()).into());
            }
        }
        Ok(())
    }

    /// Is there nobody but the person?
    pub fn is_empty(&self) -> bool {
        self.list.iter().all(|oracle| matches!(oracle, Oracle::User))
    }

    /// What the first oracle says that knows, up to the person's place in the order.
    pub fn answer(&mut self, past: &Past, subject: &Subject) -> Option<(Answer, Author)> {
        for oracle in &mut self.list {
            if matches!(oracle, Oracle::User) {
                return None;
            }
            if let Some(answer) = oracle.answer(past, subject) {
                return Some(answer);
            }
        }
        None
    }

    /// Is there one before the person that can look into all calls at once?
    pub(crate) fn sweep(&self) -> bool {
        self.before_person().any(Oracle::sweeps)
    }

    /// Is there nobody else before the person?
    pub(crate) fn only_sweep(&self) -> bool {
        self.before_person().all(Oracle::sweeps)
    }

    /// Those that can work out what they would say of these.
    pub(crate) fn look_into(&mut self, past: &Past, calls: &[CallId]) {
        let until = self.before_person().count();
        self.list[..until].iter_mut().for_each(|oracle| oracle.look_into(past, calls));
    }

    /// What is said of a subject where one that looks into all at once knows it. Others that come before it have the first
    /// word then, and only then: to ask them about everything would take long.
    pub(crate) fn swept(&mut self, past: &Past, subject: &Subject) -> Option<(Answer, Author)> {
        let until = self.before_person().count();
        let mut known = self.list[..until].iter_mut().filter(|oracle| oracle.sweeps());
        known.find_map(|oracle| oracle.swept(past, subject))?;
        self.answer(past, subject)
    }

    /// The call of a good run that was asked the same as this one and gave something else, if one is known by now.
    pub fn instead(&self, call: CallId) -> Option<Question> {
        self.list.iter().find_map(|oracle| match oracle {
            Oracle::Reference { reference, .. } => reference.instead(call),
            _ => None,
        })
    }

    /// May what these tests vouch for be wrong all the same? Those that are not at hand any more may be of any kind.
    pub(crate) fn may_pass_by_chance(&mut self, past: &Past, tests: &str) -> bool {
        let named = |oracle: &&mut Oracle| match &**oracle {
            Oracle::Tests { name, .. } | Oracle::Testified { name, .. } => name == tests,
            Oracle::User | Oracle::Reference { .. } | Oracle::Remembered { .. } => false,
        };
        self.list.iter_mut().find(named).is_none_or(|oracle| oracle.may_pass_by_chance(past))
    }

    /// The methods that are other code wherever it is known to have worked: what was changed since.
    pub(crate) fn other_code(&mut self, past: &Past) -> HashSet<MethodId> {
        let known = self.list.iter_mut().filter_map(|oracle| oracle.other_code(past).cloned());
        known.reduce(|one, other| one.intersection(&other).copied().collect()).unwrap_or_default()
    }

    fn before_person(&self) -> impl Iterator<Item = &Oracle> {
        self.list.iter().take_while(|oracle| !matches!(oracle, Oracle::User))
    }

    /// Keeps what a person said about a call for sessions to come. That it cannot be kept spoils nothing here.
    pub fn remember(&mut self, past: &Past, judged: &Judged) {
        let Subject::Call { .. } = judged.subject else { return };
        let Some((memory, call)) = self.memory.as_mut().zip(judged.subject.call()) else { return };
        if judged.by == Author::Person
            && let Some(key) = fingerprints(past, call)
        {
            let _ = memory.remember(key, &judged.answer, &judged.by, judged.at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_that_cannot_be_opened_is_told_of_and_one_that_can_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answers");
        assert_eq!(Oracles::with_memory(Vec::new(), Some(&path)).forgets().map(ToString::to_string), None);
        assert!(Oracles::with_memory(Vec::new(), None).forgets().is_none());
        std::fs::write(&path, "shopping list\n").unwrap();
        let oracles = Oracles::with_memory(Vec::new(), Some(&path));
        let why = oracles.forgets().unwrap().to_string();
        assert!(why.contains("shopping list"), "{why}");
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert!(Oracles::with_memory(Vec::new(), Some(&path)).forgets().is_some());
    }
}
