//! How a session begins: with the symptom that tells most, or where the last one was left.

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::CallId;
use past::Past;

use crate::answer::Answer;
use crate::build_tool;
use crate::entry::{
    Named as NamedSymptom, Symptom, SymptomReason, named, nothing_shows, requests, symptom, symptoms,
};
use crate::error::{Error, Result};
use crate::journal::{Began, Journal, JournalEntry, JournalState};
use crate::missing::SharedFinder;
use crate::oracles::Oracles;
use crate::repeats::Repeats;
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
        let found = candidates(&past, &options)?;
        let found = clearest(&past, found, &mut oracles);
        let over = |entries: &[JournalEntry]| JournalState::of(entries).ended.is_some() && options.repeat;
        // A session goes on where it was, also if the run says something else by now.
        let before = journal.session().filter(|(_, entries)| !options.fresh && !over(entries));
        let symptom = match before {
            Some((began, _)) if options.root.is_none() && options.symptom.is_none() => {
                again(&past, began, found)
            }
            _ => found.into_iter().next(),
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
            journal.append(vec![JournalEntry::Began(began)])?;
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
            shown: None,
            repeats: Repeats::default(),
            clues: None,
            way: None,
            other_code: HashSet::new(),
            tested: None,
            costs: RefCell::default(),
            accessors: RefCell::default(),
            doubt: None,
            found: None,
            generation: 0,
            swept: false,
            asserted: None,
            resumed,
        })
    }
}

impl Session {
    /// Begins anew at another symptom, by its number in the list. What was said before stays in the journal.
    pub fn begin_at(&mut self, number: usize, now: u64) -> Result<()> {
        let symptom = named(&self.past, &NamedSymptom::Number(number))?;
        let root = symptom.call.number();
        let began = Began { root, ask_root: self.options.ask_root, whole_run: false, at: now };
        self.journal.append(vec![JournalEntry::Began(began)])?;
        self.journal_state =
            self.journal.session().map(|(_, entries)| JournalState::of(entries)).unwrap_or_default();
        self.symptom = symptom;
        self.state = None;
        self.leads.clear();
        (self.missing, self.zoomed, self.asked, self.found) = (None, None, None, None);
        self.clues = None;
        self.way = None;
        self.resumed = 0;
        Ok(())
    }
}

/// What a session can begin with, the most telling first: one if the person named it.
fn candidates(past: &Past, options: &SessionOptions) -> Result<Vec<Symptom>> {
    if let Some(name) = &options.symptom {
        return Ok(vec![named(past, name)?]);
    }
    if options.root.is_some() {
        return Ok(symptom(past, options.root.as_deref())?.into_iter().collect());
    }
    let found = symptoms(past);
    Ok(if found.is_empty() { nothing_shows(past).into_iter().collect() } else { found })
}

/// Of several symptoms those first that oracles do not call right: what a good version does too shows no difference to it.
fn clearest(past: &Past, mut all: Vec<Symptom>, oracles: &mut Oracles) -> Vec<Symptom> {
    if all.len() < 2 || oracles.is_empty() {
        return all;
    }
    let mut expected = |call: CallId| {
        let subject = Subject::Call { call: call.number() };
        matches!(oracles.answer(past, &subject), Some((Answer::Correct, _)))
    };
    let looked_at = all.len().min(MAX_LOOKED_AT);
    let first = (0..looked_at).find(|&at| !expected(all[at].call)).unwrap_or(0);
    all[..=first].rotate_right(1);
    all
}

/// Symptoms that oracles are asked about, at most.
const MAX_LOOKED_AT: usize = 20;

/// The symptom of a session that is gone on with.
fn again(past: &Past, began: &Began, found: Vec<Symptom>) -> Option<Symptom> {
    let call = CallId::of_number(began.root)?;
    if began.whole_run {
        return Some(Symptom::of(call, SymptomReason::WholeRun));
    }
    let known = found.into_iter().find(|found| found.call == call && found.why != SymptomReason::WholeRun);
    let request = || requests(past).into_iter().find(|request| request.call == call);
    Some(match known.or_else(|| Some(request()?.symptom(past))) {
        Some(known) => known,
        None => Symptom::of(call, SymptomReason::NamedBefore),
    })
}

/// Keeps a file that cannot be used under another name.
fn set_aside(path: &Path) -> Result<()> {
    let failed = |source| Error::Journal { path: path.to_owned(), doing: "set aside", source };
    let free = (1..).map(|number| PathBuf::from(format!("{}.old{number}", path.display())));
    let Some(to) = free.into_iter().find(|to| !to.exists()) else { return Ok(()) };
    std::fs::rename(path, to).map_err(failed)
}
