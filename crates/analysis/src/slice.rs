//! Backward dynamic slices: what a value came from, through variables, fields, elements, arguments and results, and
//! through the branches that let it happen.

mod explain;
mod heap;
mod library;
mod methods;
mod part;
mod search;
mod trail;
mod window;

use index::Evidence;
use past::{CallId, Ending, Location, Past, Position, Target, Time};
use trace::Site;

use crate::error::{Error, Result};
use heap::ValueSource;
pub use part::{within, writers};
use search::{EventPart, SliceSearch};

/// What is to be explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Criterion {
    /// What a location held at a time.
    Location(Location, Time),
    /// What a call gave back (or threw).
    Result(CallId),
    /// What an event wrote or decided.
    Event(Position),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceLimits {
    pub elements: usize,
    /// Events that may be replayed.
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
    /// Where the trail is lost: values that came from where nothing is recorded.
    pub unknown: Vec<Position>,
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
    search.run()
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
    let slice = search.run()?;
    Ok((within(past, &slice, call), slice.cut))
}

fn start(search: &mut SliceSearch<'_>, criterion: &Criterion) -> Result<()> {
    let past = search.past;
    match criterion {
        Criterion::Location(location, time) => start_at(search, location, *time)?,
        Criterion::Result(call) => {
            let row = past.index().call(*call).ok_or(Error::NoSuchCall)?;
            let position = |ordinal| Position { stream: call.stream, ordinal };
            match (row.target, row.ending) {
                (Target::Library(_), _) => search.start(position(row.entry), EventPart::Outcome),
                (Target::Method(_), Ending::Threw(_)) if row.exit > row.entry => {
                    search.start(position(row.exit - 1), EventPart::Event);
                }
                (Target::Method(_), Ending::Returned(_)) => {
                    search.start(position(row.exit), EventPart::Event)
                }
                (Target::Method(_), _) => {}
            }
        }
        Criterion::Event(position) => search.start_event(*position),
    }
    Ok(())
}

fn start_at(search: &mut SliceSearch<'_>, location: &Location, time: Time) -> Result<()> {
    let past = search.past;
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
