//! Which calls of a method are worth looking at: those that may have had the object where a path leads, found through
//! what the index says of its uses, or else the last ones.

use std::collections::HashMap;
use std::sync::Arc;

use index::{Evidence, Key, PostingKind, Target};
use past::{CallId, ObjectId, Past, Position, Time};
use trace::{FieldId, MethodId};

use super::paths::{Base, Hop, Path};
use crate::executed::{Executed, ShapeId};

/// Calls of one shape that are looked at.
const WANTED: usize = 16;
/// Calls of a method among which they are looked for.
const SCANNED: u64 = 4096;
/// Uses of objects that are looked at, to find the calls that had them.
const USES: usize = 50_000;
const HOLDERS: usize = 512;

type ByShape = HashMap<ShapeId, Vec<CallId>>;

pub struct Activations<'a> {
    past: &'a Past,
    executed: &'a Executed,
    object: Option<ObjectId>,
    since: Time,
    until: Time,
    uses: HashMap<ObjectId, Arc<Uses>>,
    holding: HashMap<Path, Option<Arc<ByShape>>>,
    /// The last calls of methods, by shape.
    scanned: HashMap<MethodId, Scanned>,
    chosen: HashMap<(ShapeId, Path), Arc<Chosen>>,
}

/// What an object was used for.
#[derive(Default)]
struct Uses {
    /// How many were looked at.
    all: usize,
    /// Where it was stored.
    stored: Vec<Key>,
    /// The calls that it was given to, and as what.
    given: Vec<(u32, Time, CallId)>,
}

#[derive(Default)]
struct Scanned {
    by_shape: HashMap<ShapeId, Arc<Chosen>>,
    /// There are no calls before these.
    all: bool,
}

/// Calls in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    pub calls: Vec<CallId>,
    /// There are no others.
    pub all: bool,
}

impl<'a> Activations<'a> {
    pub fn new(
        past: &'a Past,
        executed: &'a Executed,
        object: Option<ObjectId>,
        since: Time,
        until: Time,
    ) -> Activations<'a> {
        let (uses, holding, scanned, chosen) =
            (HashMap::new(), HashMap::new(), HashMap::new(), HashMap::new());
        Activations { past, executed, object, since, until, uses, holding, scanned, chosen }
    }

    /// Calls of a shape. With a path: those in which it may have led to the object.
    pub fn calls(&mut self, method: MethodId, shape: ShapeId, path: Option<&Path>) -> Arc<Chosen> {
        let Some(path) = path else { return self.scan(method, shape) };
        let Some(holding) = self.holding(path) else { return self.scan(method, shape) };
        let key = (shape, path.clone());
        if let Some(known) = self.chosen.get(&key) {
            return known.clone();
        }
        let calls = holding.get(&shape).map_or(&[][..], Vec::as_slice);
        let fits = |call: &&CallId| self.is_within(**call);
        let mut calls: Vec<CallId> = calls.iter().rev().filter(fits).take(WANTED + 1).copied().collect();
        let all = calls.len() <= WANTED;
        calls.truncate(WANTED);
        calls.reverse();
        let chosen = Arc::new(Chosen { calls, all });
        self.chosen.insert(key, chosen.clone());
        chosen
    }

    /// Was the call open at some time that matters?
    fn is_within(&self, call: CallId) -> bool {
        let index = self.past.index();
        let Some(row) = index.call(call) else { return false };
        let time = |ordinal| index.time(Position { stream: call.stream, ordinal });
        time(row.entry).is_some_and(|entry| entry <= self.until)
            && time(row.exit).is_some_and(|exit| exit >= self.since)
    }

    /// The last calls of a shape, whatever they had.
    fn scan(&mut self, method: MethodId, shape: ShapeId) -> Arc<Chosen> {
        let facts = self.executed.shape(shape);
        if facts.calls == 1 {
            let calls = Some(facts.first).filter(|&call| self.is_within(call)).into_iter().collect();
            return Arc::new(Chosen { calls, all: true });
        }
        if !self.scanned.contains_key(&method) {
            let scanned = self.scan_all(method);
            self.scanned.insert(method, scanned);
        }
        let scanned = &self.scanned[&method];
        let none = || Arc::new(Chosen { calls: Vec::new(), all: scanned.all });
        scanned.by_shape.get(&shape).cloned().unwrap_or_else(none)
    }

    /// The last calls of all shapes of a method, in one go.
    fn scan_all(&self, method: MethodId) -> Scanned {
        let index = self.past.index();
        let group = index.group_of(self.past.recording().program(), Target::Method(method));
        let Some(group) = group else { return Scanned::default() };
        let entered = |at: u64| {
            let call = index.ranked(group, at)?;
            index.time(Position { stream: call.stream, ordinal: index.call(call)?.entry })
        };
        // Calls are numbered by the time of their beginning.
        let (mut low, mut high) = (0, index.count(group));
        while low < high {
            let middle = low + (high - low) / 2;
            if entered(middle).is_some_and(|entry| entry <= self.until) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let all = low <= SCANNED;
        let wanted = low.min(SCANNED);
        let calls: Vec<CallId> = index.ranked_from(group, low - wanted).take(wanted as usize).collect();
        let mut chosen: HashMap<ShapeId, Chosen> = HashMap::new();
        for call in calls.into_iter().rev() {
            let Some(shape) = self.executed.shape_of(call) else { continue };
            let own = chosen.entry(shape).or_insert_with(|| Chosen { calls: Vec::new(), all });
            let full = own.calls.len() == WANTED;
            if full && !own.all || !self.is_within(call) {
                continue;
            }
            if full {
                own.all = false;
            } else {
                own.calls.push(call);
            }
        }
        let in_order = |(shape, mut chosen): (ShapeId, Chosen)| {
            chosen.calls.reverse();
            (shape, Arc::new(chosen))
        };
        Scanned { by_shape: chosen.into_iter().map(in_order).collect(), all }
    }

    /// The calls for which a path from an argument may have led to the object, in order; none if that is not known.
    fn holding(&mut self, path: &Path) -> Option<Arc<ByShape>> {
        if !matches!(path.base, Base::Argument(_)) {
            return None;
        }
        if let Some(known) = self.holding.get(path) {
            return known.clone();
        }
        let found = self.object.and_then(|object| self.find_holding(path, object)).map(Arc::new);
        self.holding.insert(path.clone(), found.clone());
        found
    }

    fn find_holding(&mut self, path: &Path, object: ObjectId) -> Option<ByShape> {
        let Base::Argument(argument) = path.base else { return None };
        let mut left = USES;
        let mut holders = vec![object];
        for hop in path.hops.iter().rev() {
            let Hop::Field(field) = hop else { return None };
            // What a class captures is stored before its objects have an identity.
            if field.name.contains('$') {
                return None;
            }
            let mut above = Vec::new();
            for holder in holders {
                let uses = self.uses(holder);
                left = left.checked_sub(uses.all)?;
                let stored = uses.stored.iter().filter(|key| self.is_field(**key, &field.name));
                above.extend(stored.map(|key| ObjectId(key.object)));
            }
            above.sort_unstable();
            above.dedup();
            if above.len() > HOLDERS {
                return None;
            }
            holders = above;
        }
        let mut calls = Vec::new();
        for holder in holders {
            let uses = self.uses(holder);
            left = left.checked_sub(uses.all)?;
            let given = uses.given.iter().filter(|(part, ..)| *part == u32::from(argument));
            calls.extend(given.map(|&(_, time, call)| (time, call)));
        }
        calls.sort_unstable();
        calls.dedup();
        let mut by_shape = ByShape::new();
        for (_, call) in calls {
            if let Some(shape) = self.executed.shape_of(call) {
                by_shape.entry(shape).or_default().push(call);
            }
        }
        Some(by_shape)
    }

    /// What an object was used for. Many paths ask for the same ones.
    fn uses(&mut self, object: ObjectId) -> Arc<Uses> {
        if let Some(known) = self.uses.get(&object) {
            return known.clone();
        }
        let mut uses = Uses::default();
        // One more than may be looked at is too many.
        for found in self.past.index().all(Key::uses(object), None).take(USES + 1) {
            uses.all += 1;
            match found.posting.what {
                PostingKind::Stored(key) if key.object != 0 => uses.stored.push(key),
                PostingKind::Used { call, part } => {
                    let call = CallId { stream: found.position.stream, index: call };
                    uses.given.push((part, found.time, call));
                }
                _ => {}
            }
        }
        let uses = Arc::new(uses);
        self.uses.insert(object, uses.clone());
        uses
    }

    fn is_field(&self, key: Key, name: &str) -> bool {
        // The places of an array are its elements.
        let array = self.past.recording().objects().length(ObjectId(key.object)).is_some();
        let field = self.past.recording().program().field(FieldId(key.place));
        !array && field.is_some_and(|(_, field)| field.name == name)
    }
}
