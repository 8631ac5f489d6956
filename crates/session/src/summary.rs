//! How long a hunt took, and on what: the last session of a journal, question by question, what was taken back included.

use std::path::Path;

use past::Past;

use crate::answer::{Answer, Author, Judged};
use crate::error::Result;
use crate::journal::{Journal, JournalEntry, JournalState};
use crate::report::ListedQuestion;

/// A session as its journal has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Where it began: a call, or the whole run.
    pub root: String,
    /// Milliseconds since 1970.
    pub began: u64,
    /// What it came to, if it came to an end.
    pub verdict: Option<String>,
    /// In the order in which it was said.
    pub answers: Vec<TimedAnswer>,
}

/// An answer, and how long it took.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedAnswer {
    pub question: ListedQuestion,
    pub answer: Answer,
    pub by: Author,
    pub at: u64,
    /// Milliseconds, for a person's.
    pub took: Option<u64>,
    /// It was not taken back.
    pub holds: bool,
}

impl Summary {
    /// Milliseconds from the beginning to the last answer.
    pub fn lasted(&self) -> u64 {
        self.answers.iter().map(|answer| answer.at).max().map_or(0, |last| last.saturating_sub(self.began))
    }

    /// Milliseconds that persons took, and for how many answers that is known.
    pub fn thought(&self) -> (u64, usize) {
        let known: Vec<u64> = self.answers.iter().filter_map(|answer| answer.took).collect();
        (known.iter().sum(), known.len())
    }
}

/// The last session about a recording; none if there was none.
pub fn summary(past: &Past, place: &Path) -> Result<Option<Summary>> {
    let path = place.join("answers");
    if !path.exists() {
        return Ok(None);
    }
    let journal = Journal::open(&path)?;
    let Some((began, entries)) = journal.session() else { return Ok(None) };
    let state = JournalState::of(entries);
    let said = entries.iter().filter_map(|entry| match entry {
        JournalEntry::Judged(judged) | JournalEntry::Revised { to: Some(judged), .. } => Some(judged),
        _ => None,
    });
    let mut holding = state.answers.clone();
    let mut one = |judged: &Judged| {
        let held = holding.iter().position(|held| held == judged);
        TimedAnswer {
            question: ListedQuestion::of(past, &judged.subject),
            answer: judged.answer.clone(),
            by: judged.by.clone(),
            at: judged.at,
            took: judged.took,
            holds: held.map(|at| holding.swap_remove(at)).is_some(),
        }
    };
    // The same may be said twice within a millisecond: what was taken back is the first.
    let mut answers: Vec<TimedAnswer> = said.rev().map(&mut one).collect();
    answers.reverse();
    let root = base::CallId::of_number(began.root).filter(|_| !began.whole_run);
    Ok(Some(Summary {
        root: root.map_or_else(|| crate::session::WHOLE_RUN.to_owned(), |call| past.call_name(call)),
        began: began.at,
        verdict: state.ended.clone(),
        answers,
    }))
}
