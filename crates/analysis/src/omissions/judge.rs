//! Which candidates hold: their calls are replayed, and the values at each event tell whether the operation would have
//! reached the object.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use index::{Evidence, Target};
use past::{CallId, ObjectId, Past, Position, Time};
use pointsto::{MethodNo, Solution};

use super::activations::{Activations, Chosen};
use super::bodies::Bodies;
use super::bundles::Bundles;
use super::dominant::Stop;
use super::moments::{MomentQuery, Moments};
use super::paths::{Base, Path, Resolver};
use super::search::{Candidate, Candidates, Group};
use super::values::{CallState, ObjectMatch, Values};
use super::{Omission, OmissionExtent, OmissionOptions, Prevention};
use crate::cfg::EdgeId;
use crate::executed::{Executed, ShapeId};

/// Events that are replayed for one question; and calls.
const EVENTS: u64 = 200_000;
const CALLS: usize = 128;

pub struct Judge<'a, 'p> {
    pub past: &'a Past,
    pub solution: &'a Solution,
    pub executed: &'a Executed,
    pub object: Option<ObjectId>,
    pub since: Time,
    pub until: Time,
    pub options: &'a OmissionOptions,
    pub bodies: &'a mut Bodies<'p>,
}

/// What the events of a candidate depend on: many candidates differ in the way to the operation only.
type Asking = (ShapeId, u16, Prevention, Vec<EdgeId>, Option<MethodNo>, Arc<Path>);

/// What was found of one candidate.
#[derive(Default)]
struct Events {
    certain: Vec<(Time, CallId)>,
    possible: Vec<(Time, CallId)>,
    /// It would have been another object, if nothing had changed in between.
    other: Vec<(Time, CallId)>,
    more: bool,
}

impl Judge<'_, '_> {
    pub fn judge(&mut self, found: &Candidates) -> Vec<Omission> {
        let mut activations = Activations::new(self.past, self.executed, self.object, self.since, self.until);
        let mut order: Vec<usize> = (0..found.candidates.len()).collect();
        order.sort_by_key(|&at| self.promise(&found.candidates[at], &found.groups));
        let chosen: Vec<Arc<Chosen>> =
            found.candidates.iter().map(|one| self.calls(one, &mut activations)).collect();
        let moments = self.replay_candidates(found, &order, &chosen);
        let mut values = Values::new(self.past);
        let mut bundles = Bundles::new(self.solution);
        let mut known: HashMap<Asking, Arc<Events>> = HashMap::new();
        for at in order {
            let candidate = &found.candidates[at];
            let Stop { bci, kind, ways } = candidate.stop.clone();
            let asking = (candidate.shape, bci, kind, ways, candidate.missed, candidate.path.clone());
            let events = match known.get(&asking) {
                Some(events) => events.clone(),
                None => {
                    let events = Arc::new(match candidate.missed {
                        None => self.decided(candidate, &chosen[at], &moments, &mut values),
                        Some(missed) => self.called(candidate, missed, &chosen[at], &mut values),
                    });
                    known.insert(asking, events.clone());
                    events
                }
            };
            let (certain, mut possible) = (events.certain.as_slice(), Cow::Borrowed(&events.possible));
            // It may have been another object only because what was left out would have changed that.
            if certain.is_empty() && !events.other.is_empty() {
                let mut resolver = Resolver { bodies: self.bodies, solution: self.solution };
                if candidate.reassigns(&mut resolver, &found.groups) {
                    possible.to_mut().extend(&events.other);
                }
            }
            if !certain.is_empty() || !possible.is_empty() || events.more {
                bundles.add(candidate, &found.groups, certain, &possible, events.more);
            }
        }
        bundles.ranked(self.options.limit)
    }

    /// The most promising first: they are sure to be looked at.
    fn promise(&self, candidate: &Candidate, groups: &[Group]) -> (bool, bool, bool, u16) {
        let unknown = candidate.path.base == Base::Unknown;
        let partial = candidate.extent == OmissionExtent::Partial || candidate.instead;
        (partial, unknown, candidate.missed.is_some(), candidate.calls(groups))
    }

    fn calls(&self, candidate: &Candidate, activations: &mut Activations<'_>) -> Arc<Chosen> {
        let path = self.options.values.then_some(candidate.path.as_ref());
        activations.calls(candidate.id, candidate.shape, path)
    }

    /// Replays what there is to be looked at, as far as the budget goes.
    fn replay_candidates(&self, found: &Candidates, order: &[usize], chosen: &[Arc<Chosen>]) -> Moments {
        let mut asked: HashMap<CallId, MomentQuery> = HashMap::new();
        // One call of each first, the last one; then the others.
        for round in [1, usize::MAX] {
            let mut done = HashSet::new();
            for &at in order {
                let candidate = &found.candidates[at];
                let slot = match candidate.path.base {
                    Base::Variable(slot) => Some(slot),
                    _ => None,
                };
                // Many candidates ask for the same.
                let same = (Arc::as_ptr(&chosen[at]), candidate.shape, candidate.stop.bci, slot);
                if candidate.missed.is_some() || !done.insert(same) {
                    continue;
                }
                for &call in chosen[at].calls.iter().rev().take(round) {
                    if asked.len() >= CALLS && !asked.contains_key(&call) {
                        break;
                    }
                    let one = match asked.entry(call) {
                        Entry::Occupied(one) => one.into_mut(),
                        Entry::Vacant(free) => {
                            let Some(row) = self.past.index().call(call) else { continue };
                            let (method, body) = (candidate.id, candidate.body.clone());
                            let (places, slots) = (BTreeSet::new(), BTreeSet::new());
                            free.insert(MomentQuery { call, row, method, body, places, slots })
                        }
                    };
                    one.places.insert(candidate.stop.bci);
                    one.slots.extend(slot);
                }
            }
        }
        Moments::replayed(self.past, asked.into_values().collect(), EVENTS)
    }

    /// Events of branches, switches and exceptions.
    fn decided(
        &self,
        candidate: &Candidate,
        chosen: &Chosen,
        moments: &Moments,
        values: &mut Values<'_>,
    ) -> Events {
        let mut events = Events { more: !chosen.all, ..Events::default() };
        for &call in &chosen.calls {
            let Some((seen, whole)) = moments.of(call, candidate.stop.bci) else {
                events.more = true;
                continue;
            };
            events.more |= !whole;
            for one in seen {
                let throws = one.way.is_none();
                let thrown = candidate.stop.kind == Prevention::Throw && throws;
                let ways = &candidate.stop.ways;
                let counts = match one.way {
                    Some(way) => ways.is_empty() || ways.contains(&way),
                    None => thrown,
                };
                if counts {
                    let at = Position { stream: call.stream, ordinal: one.ordinal };
                    self.weigh(candidate, call, at, &|slot| one.variable(slot), values, &mut events);
                }
            }
        }
        events
    }

    /// Calls that were made at a place, none of which reached the method that would have done it.
    fn called(
        &mut self,
        candidate: &Candidate,
        missed: MethodNo,
        chosen: &Chosen,
        values: &mut Values<'_>,
    ) -> Events {
        let mut events = Events { more: !chosen.all, ..Events::default() };
        let missed = self.bodies.ids(&self.solution.member(missed));
        let is_it = |target: Target| matches!(target, Target::Method(method) if missed.contains(&method));
        for &call in &chosen.calls {
            let children = values.children(call);
            events.more |= children.cut;
            let here = children.list.iter().copied().filter(|(_, row)| row.bci == candidate.stop.bci);
            let here: Vec<(CallId, index::CallRow)> = here.collect();
            let mut reached = |(child, row): &(CallId, index::CallRow)| match candidate.stop.kind {
                Prevention::Uncalled => {
                    let below = values.children(*child);
                    below.list.iter().any(|(_, below)| is_it(below.target))
                }
                _ => is_it(row.target),
            };
            if here.iter().any(&mut reached) {
                continue;
            }
            for (_, row) in here {
                // A library that calls back without being recorded as called is not asked.
                if candidate.stop.kind == Prevention::Dispatch && matches!(row.target, Target::Library(_)) {
                    continue;
                }
                let at = Position { stream: call.stream, ordinal: row.entry };
                self.weigh(candidate, call, at, &|_| None, values, &mut events);
            }
        }
        events
    }

    fn weigh(
        &self,
        candidate: &Candidate,
        call: CallId,
        at: Position,
        variable: &dyn Fn(u16) -> Option<past::Value>,
        values: &mut Values<'_>,
        events: &mut Events,
    ) {
        let Some(time) = self.past.index().time(at) else { return };
        if time < self.since || time > self.until {
            return;
        }
        let verdict = match self.object {
            // A static field is always that very field.
            None => ObjectMatch::Same,
            Some(_) if !self.options.values => ObjectMatch::Unknown,
            Some(object) => values.verdict(&candidate.path, &CallState { call, time, variable }, object),
        };
        match verdict {
            ObjectMatch::Same => events.certain.push((time, call)),
            ObjectMatch::Other => events.other.push((time, call)),
            ObjectMatch::Unknown => events.possible.push((time, call)),
        }
    }
}
