//! All oracles of a session in their order, and the memory that what a person says goes to.

use std::path::Path;

use past::{Past, Settings};

use crate::answer::{Answer, Author, Judged};
use crate::error::Result;
use crate::fingerprint::fingerprints;
use crate::oracle::{MemoryError, Oracle, OracleError, OracleSpec, RememberedAnswers, memory_path};
use crate::subject::Subject;

/// Who answers before a person is asked. The first that knows is believed.
pub struct Oracles {
    list: Vec<Oracle>,
    /// Where a person's answers are kept for other sessions; none if there is no place.
    memory: Option<RememberedAnswers>,
    /// Why the place that there is cannot be used.
    unusable: Option<MemoryError>,
}

impl Oracles {
    /// Opens those that are asked for. If nobody is named, it is the person.
    pub fn open(specs: &[OracleSpec], past: &Past, settings: &Settings) -> Result<Oracles> {
        let path = memory_path();
        let list = specs.iter().map(|spec| Oracle::open(spec, past, path.as_deref(), settings));
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
        Oracles { list, memory, unusable }
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
