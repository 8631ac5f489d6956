//! What all elements of an array held at a moment, for who asks about the same arrays again and again: the writes to an array
//! are read once and kept, with what it held at the moments that were asked for last. To get from one moment to a later
//! one costs as much as was written in between. Equal to asking for each element.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use base::{ObjectId, Time};
use index::{Key, PostingKind, TimedPosting};
use render::KnownValue;
use trace::Value;

use crate::past::Past;
use crate::state::{covers, known};

/// Elements of an array that is kept, at most.
const MAX_LENGTH: u32 = 1 << 16;
/// Writes that are kept, at most: some 80 bytes each.
const MAX_WRITES: usize = 1 << 19;
/// Elements that are kept, at most.
const MAX_ELEMENTS: usize = 1 << 20;
/// Moments that are kept for an array: as many as threads ask at once.
const MOMENTS: usize = 4;

/// Arrays that were asked for, until there are too many.
#[derive(Default)]
pub(crate) struct Arrays {
    kept: HashMap<ObjectId, KeptArray>,
    writes: usize,
    elements: usize,
}

struct KeptArray {
    /// In order of time; none if there are too many.
    writes: Option<Arc<Vec<TimedPosting>>>,
    moments: Vec<Moment>,
}

/// An array after some of its writes; none for what nothing touched so far.
#[derive(Default)]
struct Moment {
    writes: usize,
    elements: Vec<Option<KnownValue>>,
}

impl Past {
    /// What elements of an array held right after the event of this time.
    pub fn elements_at(&self, array: ObjectId, from: u32, count: u32, time: Time) -> Vec<KnownValue> {
        let one = |index: u32| self.element_at(array, index, time);
        let each = || (from..from.saturating_add(count)).map(one).collect();
        let length = self.array_length(array).unwrap_or(0);
        let fits = length <= MAX_LENGTH && from.checked_add(count).is_some_and(|end| end <= length);
        if count < 2 || !fits || self.is_live() {
            return each();
        }
        let Some((writes, mut moment)) = self.take_moment(array, length, time) else { return each() };
        while let Some(write) = writes.get(moment.writes).filter(|write| write.time <= time) {
            self.put(&mut moment.elements, write);
            moment.writes += 1;
        }
        let untouched = self.untouched_at(array, time);
        let range = from as usize..(from + count) as usize;
        let found = moment.elements[range].iter().map(|known| known.unwrap_or(untouched)).collect();
        self.keep_moment(array, moment);
        found
    }

    /// The writes to an array, and what it held at the latest moment before a time that is kept, or at its beginning.
    fn take_moment(
        &self,
        array: ObjectId,
        length: u32,
        time: Time,
    ) -> Option<(Arc<Vec<TimedPosting>>, Moment)> {
        let mut arrays = self.arrays.lock().unwrap_or_else(PoisonError::into_inner);
        if !arrays.kept.contains_key(&array) {
            drop(arrays);
            let writes = self.element_writes(array);
            arrays = self.arrays.lock().unwrap_or_else(PoisonError::into_inner);
            let count = writes.as_ref().map_or(0, |writes| writes.len());
            if arrays.writes + count > MAX_WRITES || arrays.elements > MAX_ELEMENTS {
                *arrays = Arrays::default();
            }
            arrays.writes += count;
            arrays.kept.insert(array, KeptArray { writes, moments: Vec::new() });
        }
        let kept = arrays.kept.get_mut(&array)?;
        let writes = Arc::clone(kept.writes.as_ref()?);
        let fits =
            |moment: &Moment| moment.writes.checked_sub(1).is_none_or(|last| writes[last].time <= time);
        let fitting = kept.moments.iter().enumerate().filter(|(_, moment)| fits(moment));
        let best = fitting.max_by_key(|(_, moment)| moment.writes).map(|(at, _)| at);
        let moment = match best {
            Some(at) => kept.moments.swap_remove(at),
            None => Moment { writes: 0, elements: vec![None; length as usize] },
        };
        if best.is_some() {
            arrays.elements -= length as usize;
        }
        Some((writes, moment))
    }

    fn keep_moment(&self, array: ObjectId, moment: Moment) {
        let mut arrays = self.arrays.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(kept) = arrays.kept.get_mut(&array) else { return };
        if kept.moments.len() < MOMENTS {
            let length = moment.elements.len();
            kept.moments.push(moment);
            arrays.elements += length;
        }
    }

    /// All writes to an array's elements; none if there are too many.
    fn element_writes(&self, array: ObjectId) -> Option<Arc<Vec<TimedPosting>>> {
        let is_write = |found: &TimedPosting| {
            matches!(
                found.posting.what,
                PostingKind::Written(_)
                    | PostingKind::Seen(_)
                    | PostingKind::Read(_)
                    | PostingKind::Filled { .. }
                    | PostingKind::SeenRange { .. }
                    | PostingKind::Copied { .. }
            )
        };
        let all = self.index.of_object(array).filter(is_write);
        let mut writes: Vec<TimedPosting> = all.take(MAX_WRITES / 2 + 1).collect();
        // What was read right after a sighting is filed with it.
        writes.sort_by_key(|write| (write.time, write.posting.key != Key::ranges(array)));
        (writes.len() <= MAX_WRITES / 2).then(|| Arc::new(writes))
    }

    fn put(&self, elements: &mut [Option<KnownValue>], write: &TimedPosting) {
        let what = write.posting.what;
        let range = match what {
            PostingKind::Copied { to, length, .. } => to..to.saturating_add(length),
            PostingKind::Filled { from, to, .. } => from..to,
            PostingKind::SeenRange { from, cut: true, .. } => from..u32::MAX,
            PostingKind::SeenRange { from, count, .. } => from..from.saturating_add(count),
            _ => {
                if let Some(element) = elements.get_mut(write.posting.key.place as usize) {
                    *element = Some(known(write));
                }
                return;
            }
        };
        for index in range {
            let Some(element) = elements.get_mut(index as usize) else { return };
            debug_assert!(covers(what, index));
            *element = Some(match what {
                PostingKind::Filled { value, .. } if value != Value::Top => KnownValue::Value(value),
                PostingKind::SeenRange { .. } => {
                    let value = self.index.content(write.position.stream, what, index);
                    value.map_or(KnownValue::Unknown, KnownValue::Seen)
                }
                PostingKind::Copied { source, from, to, .. } => match write.time.0.checked_sub(1) {
                    Some(before) => self.element_at(source, from.wrapping_add(index - to), Time(before)),
                    None => KnownValue::Unknown,
                },
                _ => KnownValue::Unknown,
            });
        }
    }
}
