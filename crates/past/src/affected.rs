//! What stretches of a thread left in the index, event by event: which locations were written, which objects were made,
//! passed on, stored. Nothing is replayed, and no value is looked up.

use base::{CallId, ObjectId, StreamId, Time};
use index::{Key, PostingKind};

use crate::as_made::made_before;
use crate::location::Location;
use crate::past::Past;

/// A location as the index files it: small, and in order of objects. [`Past::location_of`] says what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub(crate) Key);

impl Slot {
    pub fn element(array: ObjectId, index: u32) -> Slot {
        Slot(Key::element(array, index))
    }

    /// None for a static field.
    pub fn object(self) -> Option<ObjectId> {
        (self.0.object != 0).then_some(ObjectId(self.0.object))
    }
}

/// What one event left in the index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Affected {
    /// A location was written, or seen to hold something.
    Slot(Slot),
    /// So were `count` elements of an array.
    Elements {
        array: ObjectId,
        from: u32,
        count: u32,
    },
    Created(ObjectId),
    /// Passed to a call, given back by one, or stored; the location that it is stored in is affected by itself.
    Used(ObjectId),
}

/// How an object was used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Use {
    /// A call got it: the number of the argument, the receiver first. Or gave it back, then the number is none of an
    /// argument.
    Passed {
        call: CallId,
        part: u32,
    },
    Stored(Slot),
}

impl Past {
    /// By the events `from..=to` of a thread, in no particular order, with the number of the event.
    pub fn affected(
        &self,
        stream: StreamId,
        from: u64,
        to: u64,
    ) -> impl Iterator<Item = (u64, Affected)> + '_ {
        self.index.within(stream, from, to).map(move |posting| {
            let object = ObjectId(posting.key.object);
            let elements = |from, count| Affected::Elements { array: object, from, count };
            let affected = match posting.what {
                // Of what libraries write to unseen each read is told.
                PostingKind::Read(_) if posting.key.is_of_library() => Affected::Used(object),
                PostingKind::Written(_) | PostingKind::Seen(_) | PostingKind::Read(_) => {
                    Affected::Slot(Slot(posting.key))
                }
                PostingKind::Copied { to, length, .. } => elements(to, length),
                PostingKind::Filled { from, to, .. } => elements(from, to.saturating_sub(from)),
                // Those behind may be others too.
                PostingKind::SeenRange { from, cut: true, .. } => {
                    elements(from, self.array_length(object).unwrap_or(from).saturating_sub(from))
                }
                PostingKind::SeenRange { from, count, .. } => elements(from, count),
                PostingKind::Created if made_before(&posting, from) => Affected::Used(object),
                PostingKind::Created => Affected::Created(object),
                PostingKind::Used { .. } | PostingKind::Stored(_) | PostingKind::Captured => {
                    Affected::Used(object)
                }
            };
            (posting.ordinal, affected)
        })
    }

    pub fn location_of(&self, slot: Slot) -> Location {
        self.location(slot.0)
    }

    /// When the object was made, if that is known and was not after `until`.
    pub fn created(&self, object: ObjectId, until: Time) -> Option<Time> {
        self.index.last(Key::created(object), until).map(|found| found.time)
    }

    /// Was the object heard of by then: made, passed on, or stored?
    pub fn is_known_by(&self, object: ObjectId, time: Time) -> bool {
        self.index.last(Key::created(object), time).is_some()
            || self.index.last(Key::uses(object), time).is_some()
    }

    /// The last use of an object that was not after `until`.
    pub fn last_use(&self, object: ObjectId, until: Time) -> Option<(Time, Use)> {
        let found = self.index.last(Key::uses(object), until)?;
        Some((found.time, used(found.position.stream, found.posting.what)?))
    }

    /// The uses of an object in order of time. None is read before it is asked for.
    pub fn uses(&self, object: ObjectId) -> impl Iterator<Item = Use> + '_ {
        self.index
            .all(Key::uses(object), None)
            .filter_map(|found| used(found.position.stream, found.posting.what))
    }
}

/// None for what is not filed among the uses of an object.
fn used(stream: StreamId, what: PostingKind) -> Option<Use> {
    match what {
        PostingKind::Used { call, part } => Some(Use::Passed { call: CallId { stream, index: call }, part }),
        PostingKind::Stored(key) => Some(Use::Stored(Slot(key))),
        _ => None,
    }
}
