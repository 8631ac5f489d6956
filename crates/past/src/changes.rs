//! What a call changed, with all its callees: every location whose value differs after it from before it. Locations
//! of objects that the call itself created have no before; they are seen through what refers to them.

use std::collections::{BTreeMap, BTreeSet};

use index::{CallId, Key, PostingKind, Time};
use render::KnownValue;
use trace::{FieldId, ObjectId, StreamId, Value};

use crate::as_made::made_before;
use crate::location::Location;
use crate::meanwhile::OtherWrite;
use crate::past::Past;

/// Times that a field of a library was told and forgotten that are gone through.
const MAX_FORGOTTEN: usize = 16;

#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub location: Location,
    pub before: KnownValue,
    pub after: KnownValue,
    /// What another thread wrote there meanwhile.
    pub meanwhile: Option<OtherWrite>,
    /// What was written last to a field that a library declares, if what that holds afterwards is not known.
    pub lost: Option<Value>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    pub list: Vec<Change>,
    /// The limit was reached, or elements of a long array were not looked at: there may be more.
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
        let last = self.last_event(call, &row);
        let (Some(entry), Some(exit)) =
            (self.index.time(position(row.entry)), self.index.time(position(last)))
        else {
            return changes;
        };
        // Each location with its last write, as far as one write says what it holds afterwards.
        let mut keys: BTreeMap<Key, Option<(u64, KnownValue)>> = BTreeMap::new();
        let mut created: BTreeSet<u32> = BTreeSet::new();
        let mut ranges: BTreeSet<u32> = BTreeSet::new();
        for posting in self.index.changes_within(call.stream, row.entry, last) {
            let (key, at) = (posting.key, posting.ordinal);
            let range = match posting.what {
                // Of what libraries write to unseen each read is told; that changes nothing.
                PostingKind::Read(_) if key.is_of_library() => continue,
                PostingKind::Written(value) | PostingKind::Seen(value) | PostingKind::Read(value) => {
                    let known = match posting.what {
                        PostingKind::Written(_) => KnownValue::Value(value),
                        _ => KnownValue::Seen(value),
                    };
                    let entry = keys.entry(key).or_insert(Some((at, known)));
                    if entry.is_none_or(|(before, _)| before <= at) {
                        *entry = Some((at, known));
                    }
                    continue;
                }
                PostingKind::Created => {
                    if !made_before(&posting, row.entry) {
                        created.insert(key.object);
                    }
                    continue;
                }
                PostingKind::Copied { to, length, .. } => (to, length),
                PostingKind::Filled { from, to, .. } => (from, to.saturating_sub(from)),
                PostingKind::SeenRange { from, count, cut, .. } => {
                    changes.more |= cut;
                    (from, count)
                }
                PostingKind::Used { .. } | PostingKind::Stored(_) | PostingKind::Captured => continue,
            };
            ranges.insert(key.object);
            self.add_range(&mut keys, key, range.0, range.1, limit);
        }
        changes.created = created.len() as u64;
        let alone = self.one_thread;
        for (key, last) in keys.into_iter().filter(|(key, _)| !created.contains(&key.object)) {
            let location = self.location(key);
            let before = self.value_at(&location, entry);
            let after = match last {
                // Another thread may have written it since, or a range with it may have been.
                Some((_, known)) if alone && is_element(&location) && !ranges.contains(&key.object) => known,
                _ => self.value_at(&location, exit),
            };
            let (after, meanwhile) = match alone {
                true => (after, None),
                false => self.own_part(&location, call.stream, (entry, exit), after),
            };
            let lost = self.lost(&location, call.stream, (entry, exit), after);
            if self.is_unchanged(before, after) && meanwhile.is_none() && lost.is_none() {
                continue;
            }
            if changes.list.len() == limit {
                changes.more = true;
                break;
            }
            changes.list.push(Change { location, before, after, meanwhile, lost });
        }
        changes
    }

    /// Is it a change that nobody made: what a library's object holds was seen for the first time, a library made the
    /// object for itself, or the location only remembers what can be computed again?
    pub fn is_first_sight(&self, change: &Change, before: Time) -> bool {
        let object = match change.location {
            Location::Field { object, .. } | Location::Element { array: object, .. } => object,
            Location::Static(_) | Location::Local { .. } => return false,
        };
        let unheard = || !object.is_program() && !self.is_known_by(object, before);
        let seen = || matches!(change.after, KnownValue::Seen(_));
        change.before == KnownValue::Unknown && (seen() || unheard()) || self.is_cache(&change.location)
    }

    /// What a thread wrote last to a location after one time and up to another, if nobody knows what that holds then because
    /// code of the library that declares it ran since, or other threads.
    pub fn lost(
        &self,
        location: &Location,
        thread: StreamId,
        (from, to): (Time, Time),
        after: KnownValue,
    ) -> Option<Value> {
        let key = location.key().filter(|key| key.is_of_library() && after == KnownValue::Unknown)?;
        let mut until = to;
        // Before each time that it was forgotten there is something that told it.
        for _ in 0..MAX_FORGOTTEN {
            let found = self.index.last(key, until).filter(|found| found.time > from)?;
            match found.posting.what {
                PostingKind::Written(value) if found.position.stream == thread => return Some(value),
                _ => until = Time(found.time.0.checked_sub(1)?),
            }
        }
        None
    }

    fn add_range(
        &self,
        keys: &mut BTreeMap<Key, Option<(u64, KnownValue)>>,
        key: Key,
        from: u32,
        count: u32,
        limit: usize,
    ) {
        let array = ObjectId(key.object);
        // Twice the limit: some may turn out to be unchanged.
        let count = count.min(u32::try_from(limit.saturating_mul(2)).unwrap_or(u32::MAX));
        for index in from..from.saturating_add(count) {
            keys.entry(Key::element(array, index)).or_insert(None);
        }
    }

    /// The location that a key of the index files.
    pub fn location(&self, key: Key) -> Location {
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

fn is_element(location: &Location) -> bool {
    matches!(location, Location::Element { .. })
}
