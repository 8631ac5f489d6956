//! Where an answer leads: through which calls the value came that was called wrong, who made what a call should never have
//! been given, and what kept from happening what is missing. The nearest of these that is still suspected is asked next,
//! until none is left.

use std::collections::VecDeque;

use analysis::omissions::OmissionOptions;
use analysis::slice::{Criterion, Element, Slice, SliceLimits, Tie, slice};
use past::{CallId, Ending, KnownValue, Location, Past, Pointed, Time, Value};

use crate::answer::Answer;
use crate::error::{Error, Result};
use crate::extent::extent;
use crate::missing::{Missing, Preparing, SharedFinder};
use crate::session::{AskReason, Session};
use crate::subject::Subject;

/// What to ask about next.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowUp {
    pub why: AskReason,
    /// The nearest first.
    pub subjects: Vec<Subject>,
    /// What is wrong was so before: it is not the doing of what was judged.
    pub given: bool,
    /// Who made, before that, what was only handed on: to be asked before that is blamed. The nearest first.
    pub makers: Vec<Subject>,
}

impl FollowUp {
    fn to(why: AskReason, subjects: Vec<Subject>) -> FollowUp {
        FollowUp { why, subjects, given: false, makers: Vec::new() }
    }

    pub fn leads_to(&self, subject: &Subject) -> bool {
        self.subjects.contains(subject) || self.makers.contains(subject)
    }
}

/// Calls that a value's way is followed through; what is farther is not the next thing to ask about.
const MAX_CALLS_FOLLOWED: usize = 50;
/// Calls that made a value which was only handed on, as far as they are asked about.
const MAX_MAKERS: usize = 3;
/// Elements of a slice that are looked at for that.
const MAX_ELEMENTS: usize = 2_000;
/// What a call gives, among the names of its variables.
pub(crate) const RESULT: &str = "result";
/// Balloons that are looked at for the next question.
const MAX_BALLOONS: usize = 20;

/// A name as somebody says it who looks at a call (`a[2]`, `this.list`, `list`, `result`), written out so that it stands
/// alone.
pub fn absolute_name(
    past: &Past,
    call: Option<CallId>,
    text: &str,
    time: Option<Time>,
) -> past::Result<String> {
    let text = text.trim();
    let alone = text.contains(['#', '@']);
    let Some(call) = call.filter(|_| !alone).map(|call| past.call_name(call)) else {
        return Ok(text.to_owned());
    };
    let (variable, field) = (format!("{call}:{text}"), format!("{call}:this.{text}"));
    let found = |text: &str| past.find_value(text, time);
    match found(&variable) {
        Ok(_) => Ok(variable),
        Err(_) if found(&field).is_ok() => Ok(field),
        Err(_) if found(text).is_ok() => Ok(text.to_owned()),
        Err(error) => Err(error),
    }
}

impl Session {
    /// A name as it is said about a subject (`a[2]`, `this.list`, `list`, `result`), written out so that it stands alone.
    pub(crate) fn absolute_name(&self, subject: &Subject, text: &str) -> Result<String> {
        Ok(absolute_name(&self.past, subject.call(), text, self.end_of(subject))?)
    }

    /// When a subject ends.
    pub(crate) fn end_of(&self, subject: &Subject) -> Option<Time> {
        let end = extent(&self.past, subject)?;
        self.past.time(past::Position { stream: end.stream, ordinal: end.last })
    }

    /// Where an answer about a subject leads, as far as the recording alone says.
    pub(crate) fn lead_of(&self, subject: &Subject, answer: &Answer) -> Option<FollowUp> {
        match answer {
            Answer::Wrong { because: Some(text), .. } => self.follow_value(subject, text).ok(),
            Answer::Inadmissible => self.follow_arguments(subject),
            _ => None,
        }
    }

    /// The calls through which a value came to where it was when a subject ended.
    fn follow_value(&self, subject: &Subject, location: &str) -> Result<FollowUp> {
        let time = self.end_of(subject).unwrap_or(Time(0));
        let location = self.past.find_location(location, Some(time))?;
        let began = self.begin_of(subject);
        let written = self.past.last_write(&location, time);
        let own = |location: &Location| matches!(location, Location::Local { name, .. } if name == RESULT);
        let given = !own(&location)
            && match (&written, began) {
                (Some(entry), Some(began)) => entry.time <= began,
                (None, _) => !matches!(location, Location::Local { .. }),
                (_, None) => false,
            };
        let slice = slice_of(&self.past, &location, time);
        let calls = writers_in(&self.past, slice.as_ref(), &location, time);
        let outside = |call: &CallId| !self.lies_in(*call, subject);
        let makers = match &slice {
            Some(slice) if !given => makers(&self.past, slice, &location, time, began.unwrap_or(Time(0))),
            _ => Vec::new(),
        };
        let calls: Vec<CallId> = calls.into_iter().filter(|call| !given || outside(call)).collect();
        // Who called it is known to be wrong already, or is asked about anyway.
        let aside = |call: &CallId| outside(call) && !self.is_around(*call, subject);
        let makers: Vec<CallId> = makers.into_iter().filter(aside).take(MAX_MAKERS).collect();
        Ok(FollowUp { given, makers: subjects(makers), ..FollowUp::to(AskReason::Followed, subjects(calls)) })
    }

    /// Who made what a call was given that should never have been made like this, and who made the call.
    fn follow_arguments(&self, subject: &Subject) -> Option<FollowUp> {
        let call = subject.call()?;
        let began = self.begin_of(subject)?;
        let arguments = past_arguments(&self.past, call);
        let mut calls: Vec<CallId> = Vec::new();
        for name in arguments {
            let location = Location::Local { call, name };
            let slice = slice_of(&self.past, &location, began);
            calls.extend(writers_in(&self.past, slice.as_ref(), &location, began));
        }
        calls.extend(self.past.parent(call).and_then(|parent| self.past.program_call(parent)));
        let mut seen = std::collections::HashSet::new();
        calls.retain(|&one| !self.lies_in(one, subject) && seen.insert(one));
        Some(FollowUp { given: true, ..FollowUp::to(AskReason::Given, subjects(calls)) })
    }

    /// When a subject begins.
    fn begin_of(&self, subject: &Subject) -> Option<Time> {
        let extent = extent(&self.past, subject)?;
        self.past.time(past::Position { stream: extent.stream, ordinal: extent.first })
    }

    fn lies_in(&self, call: CallId, subject: &Subject) -> bool {
        let inner = extent(&self.past, &Subject::Call { call: call.number() });
        extent(&self.past, subject).zip(inner).is_some_and(|(outer, inner)| outer.holds(&inner))
    }

    fn is_around(&self, call: CallId, subject: &Subject) -> bool {
        let outer = extent(&self.past, &Subject::Call { call: call.number() });
        outer.zip(extent(&self.past, subject)).is_some_and(|(outer, inner)| outer.holds(&inner))
    }

    /// Refuses a location that has nothing to do with a subject: neither its variables lead there, nor does anything in
    /// it touch it.
    pub(crate) fn concerns(&self, subject: &Subject, text: &str) -> Result<()> {
        let (Some(extent), Some(call)) = (extent(&self.past, subject), subject.call()) else { return Ok(()) };
        let past = &self.past;
        let (Some(began), Some(ended)) = (self.begin_of(subject), self.end_of(subject)) else {
            return Ok(());
        };
        let strange = || Err(Error::Unrelated { location: text.to_owned(), call: past.call_name(call) });
        let pointed = past.find_value(text, Some(ended))?;
        let object = match &pointed {
            Pointed::Location(Location::Local { call: of, .. }) => {
                // A variable of the call, of one in it, or of one around it that led to it.
                let inside = self.lies_in(*of, subject);
                let around = past.call_row(*of).is_some_and(|row| {
                    of.stream == extent.stream && row.entry <= extent.first && extent.last <= row.exit
                });
                return if inside || around { Ok(()) } else { strange() };
            }
            Pointed::Location(Location::Static(_)) => None,
            Pointed::Location(Location::Field { object, .. } | Location::Element { array: object, .. })
            | Pointed::Object(object) => Some(*object),
        };
        // What is said by way of its variables is its own.
        if text.starts_with(&format!("{}:", past.call_name(call))) {
            return Ok(());
        }
        let touched = match object {
            Some(object) => {
                let about = Pointed::Object(object);
                let near = past.touches(&about, ended, 1, 0);
                near.list.iter().any(|touch| touch.time >= began) || self.is_given(call, object)
            }
            // Whether a static was read is not looked up; that it was written is.
            None => true,
        };
        if touched { Ok(()) } else { strange() }
    }

    /// Is it the receiver, an argument or the result of a call?
    fn is_given(&self, call: CallId, object: past::ObjectId) -> bool {
        let value = Value::Object(object);
        let Some(info) = crate::question::call_info(&self.past, call) else { return false };
        info.receiver == Some(value)
            || info.args.iter().any(|arg| arg.value == value)
            || info.ending == Ending::Returned(Some(value))
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
        Ok((FollowUp::to(AskReason::Prevented, subjects), missing))
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

/// What a value came from: values only, no conditions.
fn slice_of(past: &Past, location: &Location, time: Time) -> Option<Slice> {
    let limits = SliceLimits { elements: MAX_ELEMENTS, control: false, ..SliceLimits::default() };
    let criterion = match location {
        Location::Local { call, name } if name == RESULT => Criterion::Result(*call),
        location => Criterion::Location(location.clone(), time),
    };
    slice(past, &criterion, &limits).ok()
}

/// The calls of program code through which a value came, the nearest first. What cannot be followed any further is no
/// reason not to ask about what is known: the last write at least.
fn writers_in(past: &Past, slice: Option<&Slice>, location: &Location, time: Time) -> Vec<CallId> {
    let found = slice.map_or(Vec::new(), |slice| through(past, slice));
    if !found.is_empty() {
        return found;
    }
    let written = past.last_write(location, time).and_then(|entry| entry.call);
    written.and_then(|call| past.program_call(call)).into_iter().collect()
}

/// The calls of a slice's elements by how many steps they are away from what is explained.
fn through(past: &Past, slice: &Slice) -> Vec<CallId> {
    let elements = &slice.elements;
    let mut causes: Vec<Vec<usize>> = vec![Vec::new(); elements.len()];
    let mut open: VecDeque<usize> = VecDeque::new();
    let mut seen = vec![false; elements.len()];
    for (at, element) in elements.iter().enumerate() {
        for &(of, tie) in &element.explains {
            match tie {
                Tie::Start if !seen[at] => {
                    seen[at] = true;
                    open.push_back(at);
                }
                Tie::Data => causes[of as usize].push(at),
                // What only may have had a part leads too far.
                Tie::Start | Tie::Address | Tie::Control | Tie::Perhaps => {}
            }
        }
    }
    let mut calls = Vec::new();
    while let Some(at) = open.pop_front().filter(|_| calls.len() < MAX_CALLS_FOLLOWED) {
        if let Some(call) = past.program_call(elements[at].call).filter(|call| !calls.contains(call)) {
            calls.push(call);
        }
        for &cause in &causes[at] {
            if !std::mem::replace(&mut seen[cause], true) {
                open.push_back(cause);
            }
        }
    }
    calls
}

/// The calls that wrote a value, before a moment, which has only been handed on since: the nearest first.
fn makers(past: &Past, slice: &Slice, location: &Location, time: Time, began: Time) -> Vec<CallId> {
    let Some(wanted) = held(past, location, time) else { return Vec::new() };
    // By element: is its value the one that was called wrong, and did it come from one that is?
    let mut same = vec![false; slice.elements.len()];
    let mut calls = Vec::new();
    for (at, element) in slice.elements.iter().enumerate() {
        let from = |&(of, tie): &(u32, Tie)| {
            tie == Tie::Start || tie == Tie::Data && same.get(of as usize).copied().unwrap_or(false)
        };
        same[at] = element.explains.iter().any(from) && carries(past, element, wanted);
        if same[at]
            && element.time < began
            && let Some(call) = past.program_call(element.call)
            && !calls.contains(&call)
        {
            calls.push(call);
        }
    }
    calls
}

/// What a location held at a time; for what a call gives, what it gave.
fn held(past: &Past, location: &Location, time: Time) -> Option<Value> {
    match location {
        Location::Local { call, name } if name == RESULT => match past.call(*call)?.ending {
            Ending::Returned(value) => value,
            Ending::Threw(_) | Ending::Open => None,
        },
        location => match past.value_at(location, time) {
            KnownValue::Value(value) => Some(value),
            _ => None,
        },
    }
}

/// Did a value pass there as it is: written, or given to or by a call?
fn carries(past: &Past, element: &Element, wanted: Value) -> bool {
    let time = element.time;
    let same = |value: Value| match (value, wanted) {
        (Value::Object(_), _) | (_, Value::Object(_)) => value == wanted,
        // A number is the same in a box.
        _ => past.text(value, "", time) == past.text(wanted, "", time),
    };
    match &element.location {
        Some(location) => match past.value_at(location, time) {
            KnownValue::Value(value) => same(value),
            _ => false,
        },
        // The event is that of a call, or of its end.
        None => past.call_at(element.position).and_then(|call| past.call(call)).is_some_and(|info| {
            let given = matches!(info.ending, Ending::Returned(Some(value)) if same(value));
            given || info.args.iter().any(|arg| same(arg.value))
        }),
    }
}

/// Names of what a call was given.
fn past_arguments(past: &Past, call: CallId) -> Vec<String> {
    past.call(call).map_or(Vec::new(), |info| info.args.into_iter().map(|arg| arg.name).collect())
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
