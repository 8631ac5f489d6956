//! When an object's content is changed next, and by whom: what an alias of it means later.

use base::{CallId, ObjectId, Time};
use index::PostingKind;

use crate::Use;
use crate::location::Location;
use crate::past::Past;

/// Postings of an object that are looked at.
const LOOKED_AT: usize = 2_000;
/// Uses of an object that are looked at.
const USES: usize = 40;

impl Past {
    /// The call of the program in which the content of a collection, a map or an array changes first after a time.
    pub fn next_change(&self, object: ObjectId, after: Time) -> Option<CallId> {
        // What a list holds is in an array of its own.
        let inside = self.inner_arrays(object, after);
        let written = inside.into_iter().chain([object]).filter_map(|object| {
            let postings = self.index.of_object_since(object, Some(after)).take(LOOKED_AT);
            let mut written = postings.filter(|found| {
                let copied =
                    matches!(found.posting.what, PostingKind::Copied { .. } | PostingKind::Filled { .. });
                copied
                    || matches!(found.posting.what, PostingKind::Written(_))
                        && found.posting.key.is_location()
            });
            written.find(|found| {
                let location = self.location(found.posting.key);
                !self.is_cache(&location)
                    && !self
                        .is_unchanged(self.value_at(&location, after), self.value_at(&location, found.time))
            })
        });
        let first = written.min_by_key(|found| found.time)?;
        self.program_call(self.call_at(first.position)?)
    }

    fn inner_arrays(&self, object: ObjectId, time: Time) -> Vec<ObjectId> {
        let mut arrays = Vec::new();
        if !object.is_program() && self.array_length(object).is_none() {
            let mut take = |inner: ObjectId| arrays.extend(self.array_length(inner).map(|_| inner));
            self.references(object, time, &mut take, &mut || true);
        }
        arrays
    }

    /// Where an object was put by the events `from..=to` of a thread's calls: fields of the program's objects, and statics.
    pub fn stored_within(&self, object: ObjectId, after: Time, until: Time) -> Vec<Location> {
        let mut found = Vec::new();
        let mut at = until;
        for _ in 0..USES {
            let Some((time, used)) = self.last_use(object, at).filter(|(time, _)| *time > after) else {
                break;
            };
            if let Use::Stored(slot) = used {
                let location = self.location_of(slot);
                let own = match location {
                    Location::Field { object, .. } => object.is_program(),
                    Location::Static(_) => true,
                    _ => false,
                };
                if own && !found.contains(&location) {
                    found.push(location);
                }
            }
            let Some(before) = time.0.checked_sub(1) else { break };
            at = Time(before);
        }
        found
    }
}
