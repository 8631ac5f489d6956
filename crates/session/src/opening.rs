//! How a session begins: with the symptom that tells most, or where the last one was left.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::CallId;
use past::Past;

use crate::answer::Answer;
use crate::build_tool;
use crate::entry::{Symptom, SymptomReason, symptom};
use crate::error::{Error, Result};
use crate::journal::{Began, Journal, JournalEntry, JournalState};
use crate::missing::SharedFinder;
use crate::oracles::Oracles;
use crate::session::{Session, SessionOptions};
use crate::subject::Subject;

impl Session {
    /// Begins a dialogue about a recording, or goes on with the one in its journal.
    pub fn open(
        past: Past,
        place: &Path,
        options: SessionOptions,
        mut oracles: Oracles,
        now: u64,
    ) -> Result<Session> {
        let path = place.join("answers");
        let mut journal = match Journal::open(&path) {
            Err(Error::JournalVersion { .. } | Error::NoJournal { .. }) if options.fresh => {
                set_aside(&path)?;
                Journal::open(&path)?
            }
            other => other?,
        };
        let found =
            symptom(&past, options.root.as_deref())?.map(|found| clearest(&past, found, &mut oracles));
        let over = |entries: &[JournalEntry]| JournalState::of(entries).ended.is_some() && options.repeat;
        // A session goes on where it was, also if the run says something else by now.
        let before = journal.session().filter(|(_, entries)| !options.fresh && !over(entries));
        let symptom = match before {
            Some((began, _)) if options.root.is_none() => again(began, found),
            _ => found,
        };
        let symptom = symptom.ok_or(Error::Nothing)?;
        if symptom.why == SymptomReason::WholeRun || symptom.why == SymptomReason::Main {
            build_tool::refuse(&past)?;
        }
        let whole_run = symptom.why == SymptomReason::WholeRun;
        let root = symptom.call.number();
        let goes_on = before.is_some_and(|(began, _)| {
            (began.root, began.whole_run, began.ask_root) == (root, whole_run, options.ask_root)
        });
        if !goes_on {
            let began = Began { root, ask_root: options.ask_root, whole_run, at: now };
            journal.append(JournalEntry::Began(began))?;
        }
        let journal_state =
            journal.session().map(|(_, entries)| JournalState::of(entries)).unwrap_or_default();
        let resumed = journal_state.answers.len();
        Ok(Session {
            past: Arc::new(past),
            symptom,
            options,
            journal,
            journal_state,
            oracles,
            state: None,
            leads: Vec::new(),
            finder: SharedFinder::default(),
            missing: None,
            zoomed: None,
            asked: None,
            found: None,
            generation: 0,
            resumed,
        })
    }
}

/// Of several symptoms the first that oracles do not call right: what a good version does too shows no difference to it.
fn clearest(past: &Past, found: Symptom, oracles: &mut Oracles) -> Symptom {
    if found.others.is_empty() || oracles.is_empty() {
        return found;
    }
    let mut all = vec![(found.call, found.why)];
    all.extend(found.others);
    let mut expected = |call: CallId| {
        let subject = Subject::Call { call: call.number() };
        matches!(oracles.answer(past, &subject), Some((Answer::Correct, _)))
    };
    let looked_at = all.len().min(MAX_LOOKED_AT);
    let first = (0..looked_at).find(|&at| !expected(all[at].0)).unwrap_or(0);
    let (call, why) = all.remove(first);
    Symptom { call, why, others: all }
}

/// Symptoms that oracles are asked about, at most.
const MAX_LOOKED_AT: usize = 20;

/// The symptom of a session that is gone on with.
fn again(began: &Began, found: Option<Symptom>) -> Option<Symptom> {
    let call = CallId::of_number(began.root)?;
    let whole = |why: &SymptomReason| *why == SymptomReason::WholeRun;
    match found {
        Some(found) if found.call == call && whole(&found.why) == began.whole_run => Some(found),
        found => {
            let others = found.map_or(Vec::new(), |found| {
                found.others.into_iter().chain([(found.call, found.why)]).collect()
            });
            let known = others.iter().find(|(other, _)| *other == call).map(|(_, why)| why.clone());
            let why = match began.whole_run {
                true => SymptomReason::WholeRun,
                false => known.unwrap_or(SymptomReason::NamedBefore),
            };
            Some(Symptom { call, why, others: Vec::new() })
        }
    }
}

/// Keeps a file that cannot be used under another name.
fn set_aside(path: &Path) -> Result<()> {
    let failed = |source| Error::Journal { path: path.to_owned(), doing: "set aside", source };
    let free = (1..).map(|number| PathBuf::from(format!("{}.old{number}", path.display())));
    let Some(to) = free.into_iter().find(|to| !to.exists()) else { return Ok(()) };
    std::fs::rename(path, to).map_err(failed)
}
