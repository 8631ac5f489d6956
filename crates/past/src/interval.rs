//! What differs between two moments: whether a location holds another value, and whether something that can be reached
//! from an object does. Exact, or said to be not known: looks at a bounded number of writes and references.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use index::{Key, PostingKind, Time, TimedPosting};
use render::KnownValue;
use trace::{FieldId, ObjectId, Value};

use crate::history::{same, value_of};
use crate::location::Location;
use crate::past::Past;

/// Writes of the interval that are gathered; of longer ones each object is asked for by itself.
const GATHERED: usize = 20_000;
/// Values that are looked up in all, for one interval.
const LOOKUPS: u32 = 3_000;
/// Of them for one object whose inside is asked for.
const FOR_ONE: u32 = 800;
/// Locations that are compared to count those that changed.
const COUNTED: u32 = 1_500;
/// Written objects that are looked at to find that none changed.
const MAX_OBJECTS_CHECKED: usize = 100;
/// Statics that are told as written.
const STATICS: usize = 1_000;

/// How something of the first moment compares with the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Differs {
    No,
    Yes,
    /// Not all of it could be looked at, or what it was is not known.
    Maybe,
}

/// Two moments, and what was found out about what lies between them.
pub struct Interval<'p> {
    past: &'p Past,
    pub from: Time,
    pub to: Time,
    /// The places of each object that were written, where these are all.
    written: Option<BTreeMap<u32, Touched>>,
    left: Cell<u32>,
    own: RefCell<HashMap<u32, Differs>>,
    inside: RefCell<HashMap<u32, Differs>>,
    /// Objects that the events between have to do with: what changed is near them.
    met: HashSet<u32>,
    /// Did anything change at all?
    any: OnceCell<bool>,
}

/// Places of an object that were written. What became of whole ranges of an array is kept as such.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Touched {
    pub places: Vec<u32>,
    /// The first element, and the one behind the last.
    pub ranges: Vec<(u32, u32)>,
}

impl Past {
    pub fn interval(&self, from: Time, to: Time) -> Interval<'_> {
        let mut met = HashSet::new();
        let written = self.written_between(from, to, &mut met);
        Interval {
            past: self,
            from,
            to: to.max(from),
            written,
            left: Cell::new(LOOKUPS),
            own: RefCell::default(),
            inside: RefCell::default(),
            met,
            any: OnceCell::new(),
        }
    }

    /// What was written after a moment, up to another; none if that is too much.
    fn written_between(
        &self,
        from: Time,
        to: Time,
        met: &mut HashSet<u32>,
    ) -> Option<BTreeMap<u32, Touched>> {
        let mut written: BTreeMap<u32, Touched> = BTreeMap::new();
        let mut left = GATHERED;
        for stream in self.streams() {
            let first = self.index.happened(stream, from);
            let Some(last) = self.index.happened(stream, to).checked_sub(1).filter(|&last| last >= first)
            else {
                continue;
            };
            for posting in self.index.within(stream, first, last) {
                left = left.checked_sub(1)?;
                met.insert(posting.key.object);
                note(&mut written, posting.key, posting.what);
            }
        }
        Some(written)
    }
}

fn note(written: &mut BTreeMap<u32, Touched>, key: Key, what: PostingKind) {
    let range = match what {
        PostingKind::Read(_) if key.is_of_library() => return,
        PostingKind::Written(_) | PostingKind::Seen(_) | PostingKind::Read(_) => {
            let places = &mut written.entry(key.object).or_default().places;
            if places.last() != Some(&key.place) {
                places.push(key.place);
            }
            return;
        }
        PostingKind::Copied { to, length, .. } => (to, to.saturating_add(length)),
        PostingKind::Filled { from, to, .. } => (from, to),
        PostingKind::SeenRange { from, count, .. } => (from, from.saturating_add(count)),
        PostingKind::Created | PostingKind::Used { .. } | PostingKind::Stored(_) | PostingKind::Captured => {
            return;
        }
    };
    written.entry(key.object).or_default().ranges.push(range);
}

impl Interval<'_> {
    /// Does a location hold another value?
    pub fn of_location(&self, location: &Location) -> Differs {
        let (before, after) =
            (self.past.value_at(location, self.from), self.past.value_at(location, self.to));
        if self.past.is_unchanged(before, after) { Differs::No } else { differs(before, after) }
    }

    /// Does something differ that can be reached from the object, as the second moment has it?
    pub fn inside(&self, object: ObjectId) -> Differs {
        if let Some(&known) = self.inside.borrow().get(&object.0) {
            return known;
        }
        if !self.any.get_or_init(|| self.any()) {
            return Differs::No;
        }
        let found = self.search(object);
        self.inside.borrow_mut().insert(object.0, found);
        found
    }

    /// Statics that were written, and whether these are all.
    pub fn statics(&self) -> (Vec<FieldId>, bool) {
        let mut found: Vec<FieldId> = Vec::new();
        if let Some(written) = &self.written {
            found.extend(written.get(&0).into_iter().flat_map(|own| &own.places).map(|&id| FieldId(id)));
            found.sort_unstable();
            found.dedup();
            return (found, true);
        }
        let mut all = true;
        for (at, posting) in self.past.index.of_object_since(ObjectId(0), Some(self.from)).enumerate() {
            if posting.time > self.to {
                break;
            }
            if at == GATHERED || found.len() == STATICS {
                all = false;
                break;
            }
            let field = FieldId(posting.posting.key.place);
            if posting.posting.key.is_location() && !found.contains(&field) {
                found.push(field);
            }
        }
        found.sort_unstable();
        (found, all)
    }

    /// Places of an object that were written, and whether these are all.
    pub fn touched(&self, object: ObjectId) -> (Touched, bool) {
        if let Some(written) = &self.written {
            return (written.get(&object.0).cloned().unwrap_or_default(), true);
        }
        let mut found = BTreeMap::new();
        let mut all = true;
        for (at, posting) in self.past.index.of_object_since(object, Some(self.from)).enumerate() {
            if posting.time > self.to {
                break;
            }
            if at == GATHERED {
                all = false;
                break;
            }
            note(&mut found, posting.posting.key, posting.posting.what);
        }
        (found.remove(&object.0).unwrap_or_default(), all)
    }

    /// Changed locations of objects that were there before, at most `limit`; and whether these are all.
    pub fn count(&self, limit: usize) -> (usize, bool) {
        let Some(written) = &self.written else { return (0, false) };
        let mut found = 0;
        let mut looked = 0;
        for (&object, touched) in written {
            let object = ObjectId(object);
            let made = || self.past.index.last(Key::created(object), self.to);
            // To the constructor that a library called, its object was there.
            let is_new =
                |made: TimedPosting| made.time > self.from || made.time == self.from && !made.posting.library;
            if object.0 != 0 && made().is_some_and(is_new) {
                continue;
            }
            let mut places: Vec<u32> = touched.places.clone();
            places.extend(touched.ranges.iter().flat_map(|&(from, to)| (from..to).take(limit)));
            places.sort_unstable();
            places.dedup();
            for place in places {
                looked += 1;
                if found == limit || looked > COUNTED {
                    return (found, false);
                }
                let location = self.past.location(Key { object: object.0, place });
                found += usize::from(self.of_location(&location) == Differs::Yes);
            }
        }
        (found, true)
    }

    /// Does a part of this very object differ?
    fn own(&self, object: ObjectId) -> Differs {
        if let Some(&known) = self.own.borrow().get(&object.0) {
            return known;
        }
        let (touched, all) = self.touched(object);
        let mut found = if all { Differs::No } else { Differs::Maybe };
        let mut places: Vec<u32> = touched.places;
        places.sort_unstable();
        places.dedup();
        let ranges = touched.ranges.into_iter().flat_map(|(from, to)| from..to);
        for place in places.into_iter().chain(ranges) {
            if !self.spend() {
                found = Differs::Maybe;
                break;
            }
            let location = self.past.location(Key { object: object.0, place });
            if self.past.is_cache(&location) {
                continue;
            }
            match self.of_location(&location) {
                Differs::Yes => {
                    found = Differs::Yes;
                    break;
                }
                Differs::Maybe => found = Differs::Maybe,
                Differs::No => {}
            }
        }
        self.own.borrow_mut().insert(object.0, found);
        found
    }

    /// Counts a look at a value; false when there were too many.
    fn spend(&self) -> bool {
        let left = self.left.get().checked_sub(1);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Can anything have changed? Not if little was written, and all of it with the values that were there.
    fn any(&self) -> bool {
        let Some(written) = &self.written else { return true };
        let objects = written.keys().filter(|&&object| object != 0);
        written.len() > MAX_OBJECTS_CHECKED
            || objects.into_iter().any(|&object| self.own(ObjectId(object)) != Differs::No)
    }

    /// Along references until something differs: first through what the events between have to do with, then breadth
    /// first.
    fn search(&self, root: ObjectId) -> Differs {
        let mut visited: HashSet<u32> = HashSet::from([root.0]);
        let mut queue = VecDeque::from([root]);
        let mut unsure = false;
        let before = self.left.get();
        while let Some(object) = queue.pop_front() {
            match self.inside.borrow().get(&object.0).copied() {
                Some(Differs::No) => continue,
                Some(Differs::Yes) => return Differs::Yes,
                Some(Differs::Maybe) | None => {}
            }
            match self.own(object) {
                Differs::Yes => return Differs::Yes,
                Differs::Maybe => unsure = true,
                Differs::No => {}
            }
            let room = || before - self.left.get() < FOR_ONE && self.spend();
            let mut enough = true;
            let mut take = |child: ObjectId| match self.met.contains(&child.0) {
                _ if !visited.insert(child.0) => {}
                true => queue.push_front(child),
                false => queue.push_back(child),
            };
            self.past.references(object, self.to, &mut take, &mut || {
                enough = room();
                enough
            });
            if !enough {
                return Differs::Maybe;
            }
        }
        if unsure {
            return Differs::Maybe;
        }
        self.inside.borrow_mut().extend(visited.into_iter().map(|object| (object, Differs::No)));
        Differs::No
    }
}

/// Is one value another than the other? Where one of them is not known, nobody can say.
pub fn differs(before: KnownValue, after: KnownValue) -> Differs {
    match (value_of(before), value_of(after)) {
        (None, None) => Differs::No,
        (None, Some(_)) | (Some(_), None) => Differs::Maybe,
        (before, after) if same(before, after) => Differs::No,
        _ => Differs::Yes,
    }
}

impl Past {
    /// The objects that an object refers to, until `go_on` says that it is enough.
    pub(crate) fn references(
        &self,
        object: ObjectId,
        time: Time,
        found: &mut dyn FnMut(ObjectId),
        go_on: &mut dyn FnMut() -> bool,
    ) {
        let mut take = |known: KnownValue| {
            if let Some(Value::Object(child)) = value_of(known) {
                found(child);
            }
        };
        if let Some(length) = self.recording.objects().length(object) {
            let class = self.class_of(object).unwrap_or("");
            if class.starts_with("[L") || class.starts_with("[[") {
                for index in 0..length {
                    if !go_on() {
                        return;
                    }
                    take(self.element_at(object, index, time));
                }
            }
            return;
        }
        let Some(ty) = self.recording.objects().type_of(object) else { return };
        for (id, field) in self.recording.program().instance_fields(ty) {
            let refers = field.descriptor.starts_with(['L', '[']) && field.descriptor != "Ljava/lang/String;";
            if refers {
                if !go_on() {
                    return;
                }
                take(self.field_at(object, id, time));
            }
        }
    }

    /// Views that a map of the library makes of itself when it is first asked for them, and the like: no part of what it
    /// holds.
    pub(crate) fn is_cache(&self, location: &Location) -> bool {
        let Location::Field { field, .. } = location else { return false };
        let field = self.recording.program().field(*field);
        field.is_some_and(|(class, field)| jdk::caches::is_cache(&class.name, &field.name))
    }

    /// The first element of an array at or behind `from` (before it, if `back`) that holds another value at the second
    /// moment. None if there is none, or not among those that could be looked at.
    pub fn changed_element(
        &self,
        interval: &Interval<'_>,
        array: ObjectId,
        from: u32,
        back: bool,
    ) -> Option<u32> {
        let (touched, _) = interval.touched(array);
        let length = self.recording.objects().length(array)?;
        let mut places: Vec<u32> = touched.places;
        for (start, end) in touched.ranges {
            places.extend(start..end.min(length));
        }
        places.sort_unstable();
        places.dedup();
        let is_changed = |&place: &u32| {
            let location = Location::Element { array, index: place };
            interval.of_location(&location) == Differs::Yes
        };
        match back {
            false => places.into_iter().skip_while(|&place| place < from).find(is_changed),
            true => places.into_iter().rev().skip_while(|&place| place >= from).find(is_changed),
        }
    }
}
