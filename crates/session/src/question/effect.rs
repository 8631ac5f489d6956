//! What stretches of a thread's run changed together: each location once, as it was before the first of them and
//! after the last. Looks at a bounded number of postings, so that a call of a billion events costs no more than a
//! small one; what is not looked at is said to be missing.

use std::collections::{BTreeSet, HashMap};

use index::{Key, Position, What};
use past::{CallId, Change, Known, Past, StreamId, Time, Value, same};
use trace::ObjectId;

use super::Detail;

/// Events of one thread, the first and the last one included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub stream: StreamId,
    pub from: u64,
    pub to: u64,
}

impl Span {
    pub fn of_call(past: &Past, call: CallId) -> Option<Span> {
        let row = past.index().call(call)?;
        Some(Span { stream: call.stream, from: row.entry, to: row.exit })
    }

    pub fn start(self, past: &Past) -> Option<Time> {
        past.index().time(Position { stream: self.stream, ordinal: self.from })
    }

    pub fn end(self, past: &Past) -> Option<Time> {
        past.index().time(Position { stream: self.stream, ordinal: self.to })
    }
}

#[derive(Debug, Default)]
pub(crate) struct Effect {
    pub list: Vec<Change>,
    /// There may be more.
    pub more: bool,
}

struct Bounds {
    postings: usize,
    /// Locations whose values are looked up.
    locations: usize,
    changes: usize,
}

fn bounds(detail: Detail) -> Bounds {
    match detail {
        Detail::Short => Bounds { postings: 20_000, locations: 160, changes: 40 },
        Detail::More => Bounds { postings: 1_000_000, locations: 5_000, changes: 1_000 },
    }
}

impl Effect {
    /// The spans are of one thread, in order, and do not overlap.
    pub fn of(past: &Past, spans: &[Span], detail: Detail) -> Effect {
        let mut effect = Effect::default();
        let (Some(first), Some(last)) = (spans.first(), spans.last()) else { return effect };
        let (Some(before), Some(after)) = (first.start(past), last.end(past)) else { return effect };
        let bounds = bounds(detail);
        let (keys, cut) = touched(past, spans, &bounds);
        effect.more = cut;
        let mut made: HashMap<u32, bool> = HashMap::new();
        let mut is_made = |object: u32| {
            *made.entry(object).or_insert_with(|| {
                if object == 0 {
                    return false;
                }
                let found = past.index().last(Key::created(ObjectId(object)), after);
                found.is_some_and(|found| found.time >= before)
            })
        };
        for key in keys {
            if is_made(key.object) {
                continue;
            }
            let location = past.location(key);
            let (old, new) = (past.value_at(&location, before), past.value_at(&location, after));
            // What a library made for itself is not told as created: nothing was heard of it before.
            let index = past.index();
            let unheard = |key: Key| {
                let (made, used) = (Key::created(ObjectId(key.object)), Key::uses(ObjectId(key.object)));
                key.object != 0
                    && !ObjectId(key.object).is_program()
                    && index.last(made, before).is_none()
                    && index.last(used, before).is_none()
            };
            if old == Known::Unknown && unheard(key) {
                continue;
            }
            // What is seen for the first time was there before, as likely as not.
            if same(value(old), value(new)) || matches!((old, new), (Known::Unknown, Known::Seen(_))) {
                continue;
            }
            if effect.list.len() == bounds.changes {
                effect.more = true;
                break;
            }
            effect.list.push(Change { location, before: old, after: new });
        }
        effect
    }
}

/// Locations that were written, those of the program's own objects and statics first, and whether some are missing.
fn touched(past: &Past, spans: &[Span], bounds: &Bounds) -> (Vec<Key>, bool) {
    let (first, last) = (spans[0], spans[spans.len() - 1]);
    let inside = |ordinal: u64| {
        let at = spans.partition_point(|span| span.to < ordinal);
        spans.get(at).is_some_and(|span| span.from <= ordinal)
    };
    let (mut own, mut others) = (BTreeSet::new(), BTreeSet::new());
    let mut left = bounds.postings;
    let mut cut = false;
    for posting in past.index().within(first.stream, first.from, last.to) {
        let Some(fewer) = left.checked_sub(1) else {
            cut = true;
            break;
        };
        left = fewer;
        if !inside(posting.ordinal) {
            continue;
        }
        let keys = match posting.key.object {
            0 => &mut own,
            object if ObjectId(object).is_program() => &mut own,
            _ => &mut others,
        };
        let (from, count) = match posting.what {
            What::Written(_) | What::Seen(_) => {
                keys.insert(posting.key);
                continue;
            }
            What::Copied { to, length, .. } => (to, length),
            What::Filled { from, to, .. } => (from, to.saturating_sub(from)),
            What::SeenRange { from, count, .. } => (from, count),
            What::Created | What::Used { .. } | What::Stored(_) => continue,
        };
        let shown = count.min(bounds.locations as u32);
        cut |= shown < count;
        let array = ObjectId(posting.key.object);
        keys.extend((from..from.saturating_add(shown)).map(|index| Key::element(array, index)));
    }
    let own_share = match others.len() {
        few if few < bounds.locations / 2 => bounds.locations - few,
        _ => bounds.locations / 2,
    };
    cut |= own.len() + others.len() > bounds.locations;
    let mut keys: Vec<Key> = own.into_iter().take(own_share).collect();
    keys.extend(others.into_iter().take(bounds.locations - keys.len()));
    (keys, cut)
}

pub(crate) fn value(known: Known) -> Option<Value> {
    match known {
        Known::Value(value) | Known::Seen(value) => Some(value),
        Known::Unknown => None,
    }
}
