//! All oracles of a session in their order, and the memory that what a person says goes to.

use past::{Past, Settings};

use crate::answer::{Answer, Author, Judged};
use crate::error::Result;
use crate::fingerprint::fingerprints;
use crate::oracle::{Memory, Oracle, OracleError, OracleSpec, memory_path};
use crate::subject::Subject;

pub struct Oracles {
    list: Vec<Oracle>,
    /// Where a person's answers are kept for other sessions; none if there is no place.
    memory: Option<Memory>,
}

impl Oracles {
    /// Opens those that are asked for. If nobody is named, it is the person.
    pub fn open(specs: &[OracleSpec], past: &Past, settings: &Settings) -> Result<Oracles> {
        let path = memory_path();
        let list = specs.iter().map(|spec| Oracle::open(spec, past, path.as_deref(), settings));
        let list = list.collect::<std::result::Result<Vec<_>, OracleError>>()?;
        // A memory that cannot be read is told of only if it is asked.
        let memory = path.and_then(|path| Memory::open(&path).ok());
        Ok(Oracles { list, memory })
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
