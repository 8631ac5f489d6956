//! What a question's subject did on the way to what is seen to be wrong: the changes there come first, and what it left as it was
//! is told where it had the object in hand. That nothing was counted, added or set is seen nowhere else.

use base::ObjectId;
use past::{Affected, CallInfo, Location, Past, Time};

use super::reach::Reach;
use super::shown::{IN_LINE, value};
use super::{Question, StillHeld, call_info};
use crate::entry::Way;
use crate::extent::{Extent, extent};
use crate::subject::Subject;

/// Postings that are looked through for a use of an object.
const LOOKED_THROUGH: usize = 20_000;

impl Question {
    pub(crate) fn put_on_way(&mut self, past: &Past, way: &Way) {
        if !matches!(self.subject, Subject::Call { .. } | Subject::Loop { .. }) || self.constructs {
            return;
        }
        let info = self.subject.call().and_then(|call| call_info(past, call));
        let Some((info, extent)) = info.zip(extent(past, &self.subject)) else { return };
        let time = |ordinal| past.time(past::Position { stream: extent.stream, ordinal });
        let Some((before, after)) = time(extent.first).zip(time(extent.last)) else { return };
        for (location, read) in way.reads.iter().rev().filter(|(_, read)| *read >= after) {
            let name = past.location_name(location);
            match self.changes.iter().position(|change| change.name == name) {
                Some(at) => self.changes[..=at].rotate_right(1),
                None => self.left_alone(past, &info, &extent, location, (before, after.min(*read))),
            }
        }
    }

    /// Says that a field holds what it held, if the subject had to do with the object that has it.
    fn left_alone(
        &mut self,
        past: &Past,
        info: &CallInfo,
        extent: &Extent,
        location: &Location,
        (before, after): (Time, Time),
    ) {
        let Location::Field { object, .. } = *location else { return };
        let known = past.value_at(location, after);
        let same = super::effect::value(known).is_some()
            && past.is_unchanged(past.value_at(location, before), known);
        if !same || !has_in_hand(past, info, extent, object) {
            return;
        }
        let this = info.receiver.map(|receiver| ("this".to_owned(), receiver));
        let args = info.args.iter().map(|arg| (arg.name.clone(), arg.value));
        let path = Reach::new(past, this.into_iter().chain(args), before, after).location(location).path;
        if self.still.iter().any(|still| still.location == path) {
            return;
        }
        let value = value(past, location, known, after, &IN_LINE);
        self.still.insert(0, StillHeld { location: path, value, writes: 0 });
    }
}

/// Was the object given to the call, or written or handed around while the subject ran?
fn has_in_hand(past: &Past, info: &CallInfo, extent: &Extent, object: ObjectId) -> bool {
    let given = info.receiver.into_iter().chain(info.args.iter().map(|arg| arg.value));
    if given.into_iter().any(|value| value == past::Value::Object(object)) {
        return true;
    }
    let affected = past.affected(extent.stream, extent.first, extent.last).take(LOOKED_THROUGH);
    affected.map(|(_, affected)| affected).any(|affected| match affected {
        Affected::Slot(slot) => slot.object() == Some(object),
        Affected::Used(used) => used == object,
        Affected::Elements { .. } | Affected::Created(_) => false,
    })
}
