//! What a call changed, with all its callees: every location whose value differs after it from before it. Locations
//! of objects that the call itself created have no before; they are seen through what refers to them.

use std::collections::BTreeSet;

use index::{CallId, Key, What};
use render::Known;
use trace::{FieldId, ObjectId};

use crate::history::{same, value_of};
use crate::location::Location;
use crate::past::Past;

#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub location: Location,
    pub before: Known,
    pub after: Known,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    pub list: Vec<Change>,
    /// The limit was reached: there may be more.
    pub more: bool,
    /// Objects and arrays that the call created.
    pub created: u64,
}

impl Past {
    /// What a call changed, in order of objects and their parts, at most `limit` locations.
    pub fn changes(&self, call: CallId, limit: usize) -> Changes {
        let mut changes = Changes::default();
        let Some(row) = self.index.call(call) else { return changes };
        let position = |ordinal| index::Position { stream: call.stream, ordinal };
        let (Some(entry), Some(exit)) =
            (self.index.time(position(row.entry)), self.index.time(position(row.exit)))
        else {
            return changes;
        };
        let mut keys: BTreeSet<Key> = BTreeSet::new();
        let mut created: BTreeSet<u32> = BTreeSet::new();
        for posting in self.index.within(call.stream, row.entry, row.exit) {
            match posting.what {
                What::Written(_) | What::Seen(_) => drop(keys.insert(posting.key)),
                What::Created => drop(created.insert(posting.key.object)),
                What::Copied { to, length, .. } => self.add_range(&mut keys, posting.key, to, length, limit),
                What::Filled { from, to, .. } => {
                    self.add_range(&mut keys, posting.key, from, to.saturating_sub(from), limit)
                }
                What::SeenRange { from, count, .. } => {
                    self.add_range(&mut keys, posting.key, from, count, limit)
                }
                What::Used { .. } | What::Stored(_) => {}
            }
        }
        changes.created = created.len() as u64;
        for key in keys.into_iter().filter(|key| !created.contains(&key.object)) {
            let location = self.location(key);
            let (before, after) = (self.value_at(&location, entry), self.value_at(&location, exit));
            if same(value_of(before), value_of(after)) {
                continue;
            }
            if changes.list.len() == limit {
                changes.more = true;
                break;
            }
            changes.list.push(Change { location, before, after });
        }
        changes
    }

    fn add_range(&self, keys: &mut BTreeSet<Key>, key: Key, from: u32, count: u32, limit: usize) {
        let array = ObjectId(key.object);
        // Twice the limit: some may turn out to be unchanged.
        let count = count.min(u32::try_from(limit.saturating_mul(2)).unwrap_or(u32::MAX));
        keys.extend((from..from.saturating_add(count)).map(|index| Key::element(array, index)));
    }

    /// The location that a key files.
    pub(crate) fn location(&self, key: Key) -> Location {
        let object = ObjectId(key.object);
        match key.object {
            0 => Location::Static(FieldId(key.place)),
            _ if self.recording.objects().length(object).is_some() => {
                Location::Element { array: object, index: key.place }
            }
            _ => Location::Field { object, field: FieldId(key.place) },
        }
    }
}
