//! Where an answer leads: through which calls the value came that was called wrong, and what kept from happening what
//! is missing. What is asked next is the nearest of these that is still suspected.

use analysis::omissions::OmissionOptions;
use analysis::slice::writers;
use past::{CallId, Location, Past, Pointed, Time};

use crate::error::Result;
use crate::extent::extent;
use crate::missing::{Missing, Preparing, SharedFinder};
use crate::session::{AskReason, Session};
use crate::subject::Subject;

/// What to ask about next, the nearest first.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FollowUp {
    pub why: AskReason,
    pub subjects: Vec<Subject>,
}

/// Calls that a value's way is followed through; what is farther is not the next thing to ask about.
const MAX_CALLS_FOLLOWED: usize = 50;
/// Balloons that are looked at for the next question.
const MAX_BALLOONS: usize = 20;

impl Session {
    /// A name as it is said about a subject (`a[2]`, `this.list`, `list`, `result`), written out so that it stands alone.
    pub(crate) fn absolute_name(&self, subject: &Subject, text: &str) -> Result<String> {
        let text = text.trim();
        let alone = text.contains('#') || text.contains('@');
        let Some(call) = subject.call().filter(|_| !alone) else { return Ok(text.to_owned()) };
        let time = self.end_of(subject);
        let call = self.past.call_name(call);
        let (variable, field) = (format!("{call}:{text}"), format!("{call}:this.{text}"));
        let found = |text: &str| self.past.find_value(text, time);
        match found(&variable) {
            Ok(_) => Ok(variable),
            Err(_) if found(&field).is_ok() => Ok(field),
            Err(_) if found(text).is_ok() => Ok(text.to_owned()),
            Err(error) => Err(error.into()),
        }
    }

    /// When a subject ends.
    pub(crate) fn end_of(&self, subject: &Subject) -> Option<Time> {
        let end = extent(&self.past, subject)?;
        self.past.time(past::Position { stream: end.stream, ordinal: end.last })
    }

    /// The calls through which a value came to where it was when a subject ended.
    pub(crate) fn follow_value(&self, subject: &Subject, location: &str) -> Result<FollowUp> {
        let time = self.end_of(subject);
        let location = self.past.find_location(location, time)?;
        let calls = writers_of(&self.past, &location, time.unwrap_or(Time(0)));
        Ok(FollowUp { why: AskReason::Followed, subjects: subjects(calls) })
    }

    /// What is missing at an object when a subject ended, and the calls in which it was prevented.
    pub(crate) fn follow_omission(
        &mut self,
        subject: &Subject,
        location: &str,
    ) -> Result<(FollowUp, Missing)> {
        let options = OmissionOptions { at: self.end_of(subject), ..OmissionOptions::default() };
        let missing = self.find_missing(location, &options, &[])?;
        let calls = missing.balloons.iter().take(MAX_BALLOONS).map(|balloon| balloon.at.number);
        let subjects = calls.map(|call| Subject::Call { call }).collect();
        Ok((FollowUp { why: AskReason::Prevented, subjects }, missing))
    }

    /// What is missing at what a text names.
    pub fn find_missing(
        &mut self,
        text: &str,
        options: &OmissionOptions,
        hide: &[String],
    ) -> Result<Missing> {
        self.prepare_finder(&mut |_| ())?;
        self.finder.find(&self.past, text, options, hide)
    }

    /// Works out what the search for what is missing needs, if that was not done yet. It may take seconds, so a
    /// client that shows progress calls this before it gives such an answer.
    pub fn prepare_finder(&mut self, progress: &mut dyn FnMut(Preparing)) -> Result<()> {
        self.finder.prepare(&self.past, self.is_live(), progress)
    }

    /// The finder, to be used without the session.
    pub fn shared_finder(&self) -> SharedFinder {
        self.finder.clone()
    }
}

/// The calls of program code through which a value came, the nearest first. What cannot be followed any further is no
/// reason not to ask about what is known: the last write at least.
fn writers_of(past: &Past, location: &Location, time: Time) -> Vec<CallId> {
    let found = writers(past, location, time, MAX_CALLS_FOLLOWED).unwrap_or_default();
    if !found.is_empty() {
        return found;
    }
    let written = past.last_write(location, time).and_then(|entry| entry.call);
    written.and_then(|call| past.program_call(call)).into_iter().collect()
}

fn subjects(calls: Vec<CallId>) -> Vec<Subject> {
    calls.into_iter().map(|call| Subject::Call { call: call.number() }).collect()
}

/// Is there something of this name? An object as a whole is good enough for what is missing.
pub(crate) fn exists(past: &Past, text: &str, time: Option<Time>, whole: bool) -> Result<()> {
    match past.find_value(text, time)? {
        Pointed::Object(_) if !whole => past.find_location(text, time).map(drop)?,
        _ => {}
    }
    Ok(())
}
