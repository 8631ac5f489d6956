//! What stretches of a thread's run changed together: each location once, as it was before the first of them and
//! after the last; what they wrote again and again and left as it was; and what they wrote to streams, builders and
//! files, and took from outside. Looks at a bounded number of postings, so that a call of a billion events costs no more
//! than a small one; what is not looked at is said to be missing.

use std::collections::{BTreeMap, HashMap};

use past::{
    Affected, CallId, Change, Effects, KnownValue, Location, ObjectId, Past, Position, Slot, StreamId, Time,
    Value, Wrote,
};

use super::QuestionDetail;

/// Events of one thread, the first and the last one included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub stream: StreamId,
    pub from: u64,
    pub to: u64,
}

impl Span {
    pub fn of_call(past: &Past, call: CallId) -> Option<Span> {
        let row = past.call_row(call)?;
        Some(Span { stream: call.stream, from: row.entry, to: row.exit })
    }

    pub fn start(self, past: &Past) -> Option<Time> {
        past.time(Position { stream: self.stream, ordinal: self.from })
    }

    pub fn end(self, past: &Past) -> Option<Time> {
        past.time(Position { stream: self.stream, ordinal: self.to })
    }
}

#[derive(Debug, Default)]
pub(crate) struct StateChange {
    /// What says something about the stretches first, noise last.
    pub list: Vec<Change>,
    /// Fields that were written more than once and hold what they held, with how often.
    pub still: Vec<(Location, KnownValue, u32)>,
    /// What was written, by where it went.
    pub wrote: Vec<Wrote>,
    pub inputs: Vec<past::Input>,
    /// Methods of libraries of which nobody knows what they did, by name.
    pub unknown: Vec<String>,
    /// There may be more.
    pub more: bool,
}

/// Fields that are told to be what they were.
const STILL: usize = 8;

struct Bounds {
    postings: usize,
    /// Locations whose values are looked up.
    locations: usize,
    changes: usize,
    effects: past::Bounds,
}

fn bounds(detail: QuestionDetail) -> Bounds {
    match detail {
        QuestionDetail::Short => Bounds {
            postings: 20_000,
            locations: 160,
            changes: 40,
            effects: past::Bounds { calls: 20_000, effects: 4_000, inputs: 24 },
        },
        QuestionDetail::More => Bounds {
            postings: 1_000_000,
            locations: 5_000,
            changes: 1_000,
            effects: past::Bounds { calls: 1_000_000, effects: 100_000, inputs: 1_000 },
        },
    }
}

impl StateChange {
    /// The spans are of one thread, in order, and do not overlap.
    pub fn of(past: &Past, spans: &[Span], detail: QuestionDetail) -> StateChange {
        let mut effect = StateChange::default();
        let (Some(first), Some(last)) = (spans.first(), spans.last()) else { return effect };
        let (Some(before), Some(after)) = (first.start(past), last.end(past)) else { return effect };
        let bounds = bounds(detail);
        let (slots, cut) = touched(past, spans, &bounds);
        effect.more = cut;
        effect.written(past, spans, before, &bounds.effects);
        let mut made: HashMap<ObjectId, bool> = HashMap::new();
        let mut is_made = |object: ObjectId| {
            *made
                .entry(object)
                .or_insert_with(|| past.created(object, after).is_some_and(|created| created >= before))
        };
        let mut noise = Vec::new();
        for (slot, writes) in slots {
            if slot.object().is_some_and(&mut is_made) {
                continue;
            }
            let location = past.location_of(slot);
            let (old, new) = (past.value_at(&location, before), past.value_at(&location, after));
            let (new, meanwhile) = past.own_part(&location, first.stream, (before, after), new);
            // What a library made for itself is not told as created: nothing was heard of it before.
            let unheard = |object: ObjectId| !object.is_program() && !past.is_known_by(object, before);
            if old == KnownValue::Unknown && slot.object().is_some_and(unheard) {
                continue;
            }
            // What is seen for the first time was there before, as likely as not.
            let lost = past.lost(&location, first.stream, (before, after), new);
            if past.is_unchanged(old, new) && meanwhile.is_none() && lost.is_none()
                || matches!((old, new), (KnownValue::Unknown, KnownValue::Seen(_)))
            {
                let field = matches!(location, Location::Field { .. } | Location::Static(_));
                let own = slot.object().is_none_or(ObjectId::is_program);
                let told = field && own && writes > 1 && value(new).is_some() && effect.still.len() < STILL;
                if told && past.noise(&location, before, after).is_none() {
                    effect.still.push((location, new, writes));
                }
                continue;
            }
            let is_noise = past.noise(&location, before, after).is_some();
            let list = if is_noise { &mut noise } else { &mut effect.list };
            // Noise takes no room from what says something.
            if list.len() == bounds.changes {
                effect.more = true;
                continue;
            }
            list.push(Change { location, before: old, after: new, meanwhile, lost });
        }
        effect.list.extend(noise);
        effect
    }
}

impl StateChange {
    fn written(&mut self, past: &Past, spans: &[Span], before: Time, bounds: &past::Bounds) {
        let mut all = Effects::default();
        for span in spans {
            let found = past.effects_in(span.stream, (span.from, span.to), before, bounds);
            all.effects.extend(found.effects);
            all.inputs.extend(found.inputs);
            for (name, count) in found.unknown {
                *all.unknown.entry(name).or_default() += count;
            }
            all.more |= found.more;
            if all.effects.len() > bounds.effects {
                all.more = true;
                break;
            }
        }
        self.wrote = past.wrote(&all.effects);
        self.inputs = all.inputs;
        self.unknown = all.unknown.into_keys().collect();
        self.more |= all.more;
    }
}

/// Locations that were written and how often, those of the program's own objects and statics first, and whether some are
/// missing.
fn touched(past: &Past, spans: &[Span], bounds: &Bounds) -> (Vec<(Slot, u32)>, bool) {
    let (first, last) = (spans[0], spans[spans.len() - 1]);
    let inside = |ordinal: u64| {
        let at = spans.partition_point(|span| span.to < ordinal);
        spans.get(at).is_some_and(|span| span.from <= ordinal)
    };
    let (mut own, mut others) = (BTreeMap::<Slot, u32>::new(), BTreeMap::<Slot, u32>::new());
    let mut left = bounds.postings;
    let mut cut = false;
    for (ordinal, affected) in past.affected(first.stream, first.from, last.to) {
        let Some(fewer) = left.checked_sub(1) else {
            cut = true;
            break;
        };
        left = fewer;
        if !inside(ordinal) {
            continue;
        }
        let mut add = |slot: Slot| {
            let is_own = slot.object().is_none_or(ObjectId::is_program);
            let slots = if is_own { &mut own } else { &mut others };
            *slots.entry(slot).or_default() += 1;
        };
        match affected {
            Affected::Slot(slot) => add(slot),
            Affected::Elements { array, from, count } => {
                let shown = count.min(bounds.locations as u32);
                cut |= shown < count;
                (from..from.saturating_add(shown)).for_each(|index| add(Slot::element(array, index)));
            }
            Affected::Created(_) | Affected::Used(_) => {}
        }
    }
    let own_share = match others.len() {
        few if few < bounds.locations / 2 => bounds.locations - few,
        _ => bounds.locations / 2,
    };
    cut |= own.len() + others.len() > bounds.locations;
    // Statics are many when classes are used for the first time, and hide what became of objects.
    let (statics, fields): (Vec<_>, Vec<_>) = own.into_iter().partition(|(slot, _)| slot.object().is_none());
    let mut slots: Vec<(Slot, u32)> = fields.into_iter().chain(statics).take(own_share).collect();
    slots.extend(others.into_iter().take(bounds.locations - slots.len()));
    (slots, cut)
}

pub(crate) fn value(known: KnownValue) -> Option<Value> {
    match known {
        KnownValue::Value(value) | KnownValue::Seen(value) => Some(value),
        KnownValue::Unknown => None,
    }
}
