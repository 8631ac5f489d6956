//! The way that the wrong value of a symptom took: the events that it came through, and the fields that it was read from. What a
//! call did on that way is what matters of it, and a field on it that the call left as it was may be what it forgot.

use std::collections::BTreeSet;

use analysis::slice::{Criterion, SliceLimits, Tie, by_value, slice};
use past::{Location, Past, Position, Time};

use super::{Symptom, text_writer};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Way {
    /// Events that the value itself came through, not what chose or decided.
    events: BTreeSet<Position>,
    /// Fields and statics that it was read from, and when, what was read latest first.
    pub reads: Vec<(Location, Time)>,
}

/// What is followed: a question must not wait for more.
const LIMITS: SliceLimits = SliceLimits { elements: 4_000, events: 2_000_000, control: false };
/// Fields that count: those nearest to what is seen.
const READS: usize = 4;

impl Way {
    /// None if it is not known which value is wrong, or where all of it came from.
    pub fn of(past: &Past, symptom: &Symptom) -> Option<Way> {
        let wrong = symptom.wrong.as_ref()?;
        let mut way = Way::back(past, &wrong.criterion)?;
        // Of a text it is one character that goes wrong: what that was read from.
        if let Some(writer) = text_writer(past, wrong) {
            let written = Position { stream: writer.stream, ordinal: past.call_row(writer)?.entry };
            let near = Way::back(past, &Criterion::Event(written))?;
            way.events.extend(near.events);
            way.reads = near.reads;
        }
        Some(way)
    }

    fn back(past: &Past, criterion: &Criterion) -> Option<Way> {
        let found = slice(past, criterion, &LIMITS).ok()?;
        if found.cut.is_some() || !found.unknown.is_empty() {
            return None;
        }
        let through = by_value(&found);
        let mut reads: Vec<(Location, Time)> = Vec::new();
        for (at, tie, location, time) in &found.reads {
            let is_value = matches!(tie, Tie::Start | Tie::Data) && through[*at as usize];
            if is_value && reads.len() < READS && !reads.iter().any(|(known, _)| known == location) {
                reads.push((location.clone(), *time));
            }
        }
        let events = found.elements.iter().zip(through).filter(|(_, through)| *through);
        Some(Way { events: events.map(|(element, _)| element.position).collect(), reads })
    }

    /// Did the value come through something that happened there?
    pub fn has(&self, position: Position) -> bool {
        self.events.contains(&position)
    }
}
