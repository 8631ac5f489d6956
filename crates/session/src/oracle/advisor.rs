//! A program that answers questions, as the session sees it. How it is talked to is the client's business: questions go out as
//! JSON, which is not made here. It is asked last, right before the person and only what the person would be asked, because it may
//! take seconds for an answer; and it is asked about the same thing once.

use std::collections::HashMap;

use crate::answer::{AnswerKind, Reliability};
use crate::question::Question;
use crate::subject::Subject;

/// What a program says of a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    pub kind: AnswerKind,
    /// What it said with it.
    pub with: Option<String>,
    pub why: Option<String>,
    pub reliability: Reliability,
}

pub trait Advisor: Send {
    /// As it was asked for.
    fn name(&self) -> &str;

    /// None if it does not know. Who fails is not asked again.
    fn ask(&mut self, question: &Question) -> Result<Option<Advice>, String>;
}

/// A program, and what it said so far.
pub(crate) struct Advising {
    advisor: Box<dyn Advisor>,
    said: HashMap<Subject, Option<Advice>>,
    /// Why it is not asked any more.
    silent: Option<String>,
}

impl Advising {
    pub fn new(advisor: Box<dyn Advisor>) -> Advising {
        Advising { advisor, said: HashMap::new(), silent: None }
    }

    pub fn name(&self) -> &str {
        self.advisor.name()
    }

    pub fn ask(&mut self, question: &Question) -> Option<Advice> {
        if let Some(said) = self.said.get(&question.subject) {
            return said.clone();
        }
        if self.silent.is_some() {
            return None;
        }
        let said = match self.advisor.ask(question) {
            Ok(said) => said,
            Err(why) => {
                self.silent = Some(format!("`{}` is not asked any more: {why}", self.name()));
                return None;
            }
        };
        self.said.insert(question.subject, said.clone());
        said
    }

    /// An answer that cannot be taken: it is as good as none.
    pub fn refuse(&mut self, subject: Subject) {
        self.said.insert(subject, None);
    }

    pub fn silent(&self) -> Option<&str> {
        self.silent.as_deref()
    }
}
