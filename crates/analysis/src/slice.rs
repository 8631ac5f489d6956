//! Backward dynamic slices: what a value came from, through variables, fields, elements, arguments and results, and
//! through the branches that let it happen.

mod chosen;
mod explain;
mod heap;
mod history;
mod library;
mod lines;
mod methods;
mod otherwise;
mod part;
mod potential;
mod search;
mod threads;
mod trail;
mod window;

use index::Evidence;
use past::{CallId, Ending, KnownValue, Location, Past, Position, Target, Time, Value};
use trace::{ObjectId, Site};

use crate::error::{Error, Result};
use heap::ValueSource;
use library::Depth;
pub use lines::{Depends, Lines, by_value, lines, outcome, sure};
pub use part::{within, writers};
pub use potential::potential;
use search::{Asker, EventPart, SliceSearch};

/// What is to be explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Criterion {
    /// What a location held at a time.
    Location(Location, Time),
    /// What a call gave back, and what that held then; or what it threw.
    Result(CallId),
    /// What an object held at a time.
    Object(ObjectId, Time),
    /// What an event wrote or decided.
    Event(Position),
    /// One of the values that the instruction of an event takes, the deepest first, and what it held then: what a call
    /// was given, what could not be dereferenced.
    Operand(Position, u16),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceLimits {
    pub elements: usize,
    /// Events that may be replayed; what else is looked at counts as if it were events.
    pub events: u64,
    /// Follow the branches that let something happen, too.
    pub control: bool,
}

impl Default for SliceLimits {
    fn default() -> Self {
        SliceLimits { elements: 1000, events: 30_000_000, control: true }
    }
}

/// Why an element is in the slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tie {
    /// The criterion itself.
    Start,
    /// Its value flowed on.
    Data,
    /// It chose the reference through which something was reached (`a` in `a.x`, the index in `a[i]`).
    Address,
    /// It decided that something ran.
    Control,
    /// It may have flowed on: a library that we know nothing of had it in hand.
    Perhaps,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    pub position: Position,
    pub time: Time,
    /// The innermost call in which it happened.
    pub call: CallId,
    pub site: Option<Site>,
    /// What it wrote; none for branches, calls, results.
    pub location: Option<Location>,
    /// Which elements of the slice have it as a cause, by place in the list, and how.
    pub explains: Vec<(u32, Tie)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    /// Latest first.
    pub elements: Vec<Element>,
    /// Why this is not all, if it is not.
    pub cut: Option<Cut>,
    /// Fields and statics that were read on the way, what was read latest first: the element that read it, by place in the list,
    /// how that is tied to it, and when it held what it was read to hold.
    pub reads: Vec<(u32, Tie, Location, Time)>,
    /// Where the trail is lost: something that the program did before may matter there, and nothing of it is recorded.
    pub unknown: Vec<Position>,
    /// Where the trail ends outside of the program: clocks, chance, what `main` was given.
    pub outside: Vec<Position>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    Elements,
    Events,
}

/// The backward slice of a criterion.
pub fn slice(past: &Past, criterion: &Criterion, limits: &SliceLimits) -> Result<Slice> {
    let mut search = SliceSearch::new(past, *limits);
    start(&mut search, criterion)?;
    search.run()?;
    Ok(search.slice())
}

/// What a call did itself between what it got and the criterion, ascending: the slice is followed within the call and its
/// callees only, so that a long past before the call costs nothing. Also says why it is not all, if it is not.
pub fn chop(
    past: &Past,
    call: CallId,
    criterion: &Criterion,
    limits: &SliceLimits,
) -> Result<(Vec<Element>, Option<Cut>)> {
    let row = past.index().call(call).ok_or(Error::NoSuchCall)?;
    let mut search = SliceSearch::new(past, *limits);
    search.span = Some((call, row));
    start(&mut search, criterion)?;
    search.run()?;
    let slice = search.slice();
    Ok((within(past, &slice, call), slice.cut))
}

fn start(search: &mut SliceSearch<'_>, criterion: &Criterion) -> Result<()> {
    let past = search.past;
    match criterion {
        Criterion::Location(location, time) => start_at(search, location, *time)?,
        Criterion::Result(call) => start_result(search, *call)?,
        Criterion::Object(object, time) => {
            let Some(position) = past.index().position(*time) else { return Err(Error::NoSuchObject) };
            start_content(search, Value::Object(*object), position)?;
        }
        Criterion::Event(position) => search.start_event(*position),
        Criterion::Operand(position, at) => start_operand(search, *position, *at)?,
    }
    Ok(())
}

fn start_operand(search: &mut SliceSearch<'_>, position: Position, at: u16) -> Result<()> {
    search.start(position, EventPart::Argument(at));
    let Some((call, _)) = search.call_made(position) else { return Ok(()) };
    let given = search.past.index().arguments(call).unwrap_or_default();
    match given.receiver.iter().chain(&given.values).nth(usize::from(at)) {
        Some(&value) => start_content(search, search.past.index().resolved(call.stream, value), position),
        None => Ok(()),
    }
}

/// What a call gave or threw, and what that holds when the call ends.
fn start_result(search: &mut SliceSearch<'_>, call: CallId) -> Result<()> {
    let row = search.past.index().call(call).ok_or(Error::NoSuchCall)?;
    let position = |ordinal| Position { stream: call.stream, ordinal };
    let begun = match (row.target, row.ending) {
        (Target::Library(_), _) => (position(row.entry), EventPart::Outcome),
        (Target::Method(_), Ending::Threw(_)) if row.exit > row.entry => {
            (position(row.exit - 1), EventPart::Event)
        }
        (Target::Method(_), Ending::Returned(_)) => (position(row.exit), EventPart::Event),
        (Target::Method(_), _) => return Ok(()),
    };
    search.start(begun.0, begun.1);
    if let Ending::Returned(Some(value)) | Ending::Threw(Some(value)) = row.ending {
        let value = search.past.index().resolved(call.stream, value);
        let held = Asker { by: begun.0, tie: Tie::Data };
        if let Some(end) = search.past.index().time(position(row.exit)) {
            search.content(value, Time(end.0 + 1), Depth::All, held)?;
        }
    }
    Ok(())
}

/// What a value holds right after an event.
fn start_content(search: &mut SliceSearch<'_>, value: Value, position: Position) -> Result<()> {
    let Some(time) = search.past.index().time(position) else { return Ok(()) };
    search.content(value, Time(time.0 + 1), Depth::All, Asker { by: position, tie: Tie::Start })
}

fn start_at(search: &mut SliceSearch<'_>, location: &Location, time: Time) -> Result<()> {
    let past = search.past;
    if let KnownValue::Value(value) | KnownValue::Seen(value) = past.value_at(location, time)
        && let Some(position) = past.index().position(time)
    {
        start_content(search, value, position)?;
    }
    if let Location::Local { call, .. } = location {
        let Some(written) = past.last_write(location, time) else { return lost(search, time) };
        let info = past.call(*call).ok_or(Error::NoSuchCall)?;
        if written.time == info.entry {
            let Location::Local { name, .. } = location else { return Ok(()) };
            let receiver = usize::from(info.receiver.is_some());
            let named = info.args.iter().position(|arg| arg.name == *name).map(|at| at + receiver);
            search.start(written.position, EventPart::Argument(named.unwrap_or(0) as u16));
        } else {
            search.start(written.position, EventPart::Event);
        }
        return Ok(());
    }
    match heap::source(past, location, time) {
        ValueSource::Written(at) | ValueSource::Created(at) => search.start(at, EventPart::Event),
        ValueSource::Range(at, index) => search.start(at, EventPart::Element(index)),
        ValueSource::Library(at) => search.start(at, EventPart::Outcome),
        ValueSource::Seen(at, call, bci) => match search.seen(at, call, bci)? {
            Some((at, part)) => search.start(at, part),
            None => search.lose(at),
        },
        ValueSource::Constant => {}
        ValueSource::Unknown => return lost(search, time),
    }
    Ok(())
}

/// Nothing is known of what was asked about.
fn lost(search: &mut SliceSearch<'_>, time: Time) -> Result<()> {
    if let Some(position) = search.past.index().position(time) {
        search.lose(position);
    }
    Ok(())
}
