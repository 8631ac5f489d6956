//! How a person says where an object is: from the arguments on (`t.left`, `a[2]`), or from what holds it. What lies
//! within a collection belongs to the collection: a change there is one of the collection as a whole.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};

use base::{FieldId, ObjectId};
use jdk::flows::{Holder, holder};
use past::{Change, KnownValue, Location, Past, RenderLimits, Time, Use, Value};
use render::Heap;

use super::call::short_text;
use super::difference::{Moment, difference};
use super::effect::value;
use super::shown::{limits as short_limits, value as value_text};
use super::{Became, ChangedLocation, Meanwhile, QuestionDetail};

/// Chars of two values up to which they are shown whole.
const LONG: usize = 90;
/// Objects that are visited from the arguments on.
const OBJECTS: usize = 64;
/// Elements of an array that are followed.
const ELEMENTS: u32 = 16;
/// Steps upwards from an object that no argument leads to, and uses of an object that are looked at for each.
const HOLDERS: usize = 5;
const USES: usize = 12;
/// Elements of a stretch of an array that are looked at, and equal ones in a row from which on they are counted.
const LOOKED_AT: usize = 400;
const REPEATED: usize = 4;
/// An array of which more elements than this changed is shown at once: as a whole, or the part that changed if it is
/// long.
const BY_ELEMENT: usize = 2;
const WHOLE_ARRAY: u32 = 24;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Where {
    pub path: String,
    /// Which of the roots it hangs off.
    pub root: Option<usize>,
    /// The collection that it is a part of; the path is the collection's then.
    pub within: Option<ObjectId>,
}

pub(crate) struct Reach<'p> {
    past: &'p Past,
    before: Time,
    after: Time,
    roots: Vec<(String, ObjectId)>,
    found: RefCell<Option<HashMap<ObjectId, Where>>>,
}

impl<'p> Reach<'p> {
    /// Roots are names with what they refer to; the state is looked at `before`, what is new there `after`.
    pub fn new(
        past: &'p Past,
        roots: impl IntoIterator<Item = (String, Value)>,
        before: Time,
        after: Time,
    ) -> Reach<'p> {
        let roots = roots.into_iter().filter_map(|(name, value)| match value {
            Value::Object(object) => Some((name, object)),
            _ => None,
        });
        Reach { past, before, after, roots: roots.collect(), found: RefCell::new(None) }
    }

    /// Where an object is; by its own name if nothing is known to lead to it.
    pub fn of(&self, object: ObjectId) -> Where {
        if let Some(root) = self.roots.iter().position(|(_, root)| *root == object) {
            let within = is_library(self.past, object).then_some(object);
            return Where { path: self.roots[root].0.clone(), root: Some(root), within };
        }
        let mut found = self.found.borrow_mut();
        let found = found.get_or_insert_with(|| self.explore());
        if let Some(known) = found.get(&object) {
            return known.clone();
        }
        let climbed = self.climb(object, found, HOLDERS);
        found.insert(object, climbed.clone());
        climbed
    }

    /// A location as a person says it, which root it hangs off, and the collection that it is within.
    pub fn location(&self, location: &Location) -> Where {
        match location {
            Location::Field { object, field } => {
                let place = self.of(*object);
                match place.within {
                    Some(_) => place,
                    None => {
                        Where { path: format!("{}.{}", place.path, self.field(*object, *field)), ..place }
                    }
                }
            }
            Location::Element { array, index } => {
                let place = self.of(*array);
                match place.within {
                    Some(_) => place,
                    None => Where { path: format!("{}[{index}]", place.path), ..place },
                }
            }
            Location::Static(_) | Location::Local { .. } => {
                Where { path: self.past.location_name(location), root: None, within: None }
            }
        }
    }

    /// Is it how far an iterator has come that nobody named, such as that of a `for` over a collection?
    pub fn is_hidden_iterator(&self, location: &Location) -> bool {
        let Location::Field { object, .. } = location else { return false };
        let iterates = |class| holder(class) == Holder::Iterator;
        self.past.class_of(*object).is_some_and(iterates) && self.of(*object).root.is_none()
    }

    /// Changes as they are shown, with the root that each hangs off: those within a collection, or of many elements of
    /// one array, as one.
    pub fn shown(&self, changes: &[Change], limits: &RenderLimits) -> Vec<(ChangedLocation, Option<usize>)> {
        let mut list: Vec<(ChangedLocation, Option<usize>)> = Vec::new();
        let mut whole: Vec<ObjectId> = Vec::new();
        for change in changes {
            let place = self.location(&change.location);
            let many = match change.location {
                Location::Element { array, .. } if place.within.is_none() => {
                    self.is_many(array, changes).then_some(array)
                }
                _ => None,
            };
            let Some(object) = place.within.or(many) else {
                list.push(self.single(change, limits));
                continue;
            };
            if whole.contains(&object) {
                continue;
            }
            whole.push(object);
            let of_it: Vec<&Change> = changes.iter().filter(|change| is_element(change, object)).collect();
            let shown = match many.and_then(|array| self.stretch(array, &of_it, limits)) {
                Some(shown) => shown,
                None => self.whole(change, object, limits),
            };
            if Became::Value(shown.before.clone()) == shown.after && place.within.is_some() {
                continue;
            }
            let parts = match many {
                Some(_) => of_it.iter().map(|change| self.single(change, limits).0).collect(),
                None => Vec::new(),
            };
            let mut of_whole = changes.iter().filter(|change| {
                self.location(&change.location).within == Some(object) || is_element(change, object)
            });
            let meanwhile = of_whole.find_map(|change| self.meanwhile(change, None));
            list.push((ChangedLocation { parts, meanwhile, ..shown }, place.root));
        }
        list
    }

    /// A collection or an array as a whole.
    fn whole(&self, change: &Change, object: ObjectId, limits: &RenderLimits) -> ChangedLocation {
        let known = KnownValue::Value(Value::Object(object));
        let text = |time| self.past.known_text(known, "", time, limits);
        let (before, after) = (text(self.before), text(self.after));
        let moment = |time, text| Moment { known, time, text };
        let place = self.of(object);
        ChangedLocation {
            location: place.path,
            name: self.past.location_name(&change.location),
            difference: difference(
                self.past,
                &moment(self.before, before.as_str()),
                &moment(self.after, after.as_str()),
            ),
            before,
            after: Became::Value(after),
            within: true,
            parts: Vec::new(),
            meanwhile: None,
            noise: self.past.noise(&change.location, self.before, self.after),
            rooted: place.root.is_some(),
        }
    }

    /// The part of a long array in which elements changed: from the first to the last of them.
    fn stretch(&self, array: ObjectId, of_it: &[&Change], limits: &RenderLimits) -> Option<ChangedLocation> {
        self.past.array_length(array).filter(|&length| length > WHOLE_ARRAY)?;
        let indices = of_it.iter().filter_map(|change| match change.location {
            Location::Element { index, .. } => Some(index),
            _ => None,
        });
        let (first, last) = (indices.clone().min()?, indices.max()?);
        let place = self.of(array);
        let text = |time| self.elements(array, (first, last), time, limits);
        Some(ChangedLocation {
            location: format!("{}[{first}..{last}]", place.path),
            name: self.past.location_name(&Location::Element { array, index: first }),
            before: text(self.before),
            after: Became::Value(text(self.after)),
            within: true,
            parts: Vec::new(),
            meanwhile: None,
            difference: None,
            noise: None,
            rooted: place.root.is_some(),
        })
    }

    /// Elements of an array on a line; those of an array of chars as a text.
    pub fn elements(
        &self,
        array: ObjectId,
        (first, last): (u32, u32),
        time: Time,
        limits: &RenderLimits,
    ) -> String {
        let heap = self.past.heap_at(time);
        let element = |index: u32| heap.element(array, index);
        if self.past.class_of(array) == Some("[C") {
            let end = last.min(first.saturating_add(limits.string as u32));
            let chars: Option<Vec<u16>> = (first..=end)
                .map(|index| match value(element(index)) {
                    Some(Value::Int(unit)) => u16::try_from(unit).ok(),
                    _ => None,
                })
                .collect();
            if let Some(chars) = chars {
                return chars_text(&chars, last > end);
            }
        }
        let descriptor = self.past.descriptor(&Location::Element { array, index: first });
        let text = |index: u32| self.past.known_text(element(index), &descriptor, time, limits);
        let mut groups: Vec<(String, u32)> = Vec::new();
        let mut told = 0;
        for text in (first..=last).take(LOOKED_AT).map(text) {
            let full = groups.len() == limits.elements;
            match groups.last_mut() {
                Some((same, count)) if *same == text => *count += 1,
                _ if full => break,
                _ => groups.push((text, 1)),
            }
            told += 1;
        }
        let shown = groups.into_iter().flat_map(|(text, count)| match count as usize {
            few if few < REPEATED => vec![text; few],
            _ => vec![format!("{text} × {count}")],
        });
        let mut shown: Vec<String> = shown.collect();
        let more = last - first + 1 - told;
        if more > 0 {
            shown.push(format!("… {more} more"));
        }
        format!("[{}]", shown.join(", "))
    }

    /// Where an object took the place of another it matters which they are, and not what was in the old one, nor in one that
    /// was there before.
    fn name_others(&self, change: &Change, before: &mut String, after: &mut String) {
        let (Some(old), Some(new)) = (value(change.before), value(change.after)) else { return };
        if old == new || before.chars().count() + after.chars().count() <= LONG {
            return;
        }
        let descriptor = self.past.descriptor(&change.location);
        if let Value::Object(_) = old {
            *before = short_text(self.past, old, &descriptor, self.before);
        }
        if matches!(new, Value::Object(object) if self.past.is_known_by(object, self.before)) {
            *after = short_text(self.past, new, &descriptor, self.after);
        }
    }

    /// A change of one location.
    fn single(&self, change: &Change, limits: &RenderLimits) -> (ChangedLocation, Option<usize>) {
        let place = self.location(&change.location);
        let text = |known, time| value_text(self.past, &change.location, known, time, limits);
        let (mut before, mut after) = (text(change.before, self.before), text(change.after, self.after));
        let old = Moment { known: change.before, time: self.before, text: &before };
        let new = Moment { known: change.after, time: self.after, text: &after };
        let difference = difference(self.past, &old, &new);
        if difference.is_none() && *limits == short_limits(QuestionDetail::Short) {
            self.name_others(change, &mut before, &mut after);
        }
        if let Some(written) = change.lost {
            after = format!("{}, then {after}", text(KnownValue::Value(written), self.after));
        }
        let shown = ChangedLocation {
            location: place.path,
            name: self.past.location_name(&change.location),
            difference,
            before,
            after: Became::Value(after),
            within: false,
            parts: Vec::new(),
            meanwhile: self.meanwhile(change, Some(limits)),
            noise: self.past.noise(&change.location, self.before, self.after),
            rooted: place.root.is_some() || matches!(change.location, Location::Static(_)),
        };
        (shown, place.root)
    }

    fn meanwhile(&self, change: &Change, limits: Option<&RenderLimits>) -> Option<Meanwhile> {
        let other = change.meanwhile?;
        let value =
            limits.map(|limits| value_text(self.past, &change.location, other.value, other.time, limits));
        Some(Meanwhile { value, thread: self.past.thread_name(other.thread), call: other.call })
    }

    fn is_many(&self, array: ObjectId, changes: &[Change]) -> bool {
        changes.iter().filter(|change| is_element(change, array)).count() > BY_ELEMENT
    }

    /// Breadth first from the roots, through the program's objects and arrays, and into collections.
    fn explore(&self) -> HashMap<ObjectId, Where> {
        let mut found: HashMap<ObjectId, Where> = HashMap::new();
        let mut queue = VecDeque::new();
        for (root, (name, object)) in self.roots.iter().enumerate() {
            let within = is_library(self.past, *object).then_some(*object);
            found.entry(*object).or_insert_with(|| {
                queue.push_back(*object);
                Where { path: name.clone(), root: Some(root), within }
            });
        }
        while let Some(object) = queue.pop_front() {
            let Some(place) = found.get(&object).cloned() else { continue };
            for (label, child) in self.children(object) {
                if found.len() >= OBJECTS {
                    return found;
                }
                if found.contains_key(&child) {
                    continue;
                }
                let own = is_library(self.past, child);
                let is_array = self.past.array_length(child).is_some();
                let within = match place.within {
                    // The array of a list, the nodes of a map.
                    Some(collection) if own || is_array => Some(collection),
                    Some(_) if label.starts_with('[') => None,
                    Some(_) => continue,
                    None => own.then_some(child),
                };
                let path = match place.within {
                    Some(_) if within.is_some() => place.path.clone(),
                    _ => format!("{}{label}", place.path),
                };
                found.insert(child, Where { path, root: place.root, within });
                queue.push_back(child);
            }
        }
        found
    }

    fn children(&self, object: ObjectId) -> Vec<(String, ObjectId)> {
        let heap = self.past.heap_at(self.before);
        let target = |known| match value(known) {
            Some(Value::Object(child)) => Some(child),
            _ => None,
        };
        if let Some(length) = self.past.array_length(object) {
            let holds_objects = self
                .past
                .class_of(object)
                .is_some_and(|class| class.starts_with("[L") || class.starts_with("[["));
            let count = if holds_objects { length.min(ELEMENTS) } else { 0 };
            let elements =
                (0..count).filter_map(|at| Some((format!("[{at}]"), target(heap.element(object, at))?)));
            return elements.collect();
        }
        let fields = heap.fields(object).into_iter();
        fields.filter_map(|field| Some((format!(".{}", field.name), target(field.value)?))).collect()
    }

    /// By what holds it: the last location that it was stored in and that still has it.
    fn climb(&self, object: ObjectId, found: &HashMap<ObjectId, Where>, left: usize) -> Where {
        let own = is_library(self.past, object);
        let nameless =
            || Where { path: self.past.object_name(object), root: None, within: own.then_some(object) };
        let is_array = self.past.array_length(object).is_some();
        if left == 0 || !(own || is_array) {
            return nameless();
        }
        let Some(holder) = self.holder(object) else { return nameless() };
        let path = match &holder {
            Location::Field { object: above, .. } | Location::Element { array: above, .. } => {
                let place = found.get(above).cloned().unwrap_or_else(|| self.climb(*above, found, left - 1));
                if place.within.is_some() {
                    return place;
                }
                let label = match holder {
                    Location::Field { object, field } => format!(".{}", self.field(object, field)),
                    Location::Element { index, .. } => format!("[{index}]"),
                    _ => String::new(),
                };
                return Where {
                    path: format!("{}{label}", place.path),
                    root: place.root,
                    within: own.then_some(object),
                };
            }
            location => self.past.location_name(location),
        };
        Where { path, root: None, within: own.then_some(object) }
    }

    fn holder(&self, object: ObjectId) -> Option<Location> {
        let mut until = self.after;
        for _ in 0..USES {
            let Some((time, used)) = self.past.last_use(object, until) else { break };
            if let Use::Stored(slot) = used {
                let location = self.past.location_of(slot);
                let holds = |time| value(self.past.value_at(&location, time)) == Some(Value::Object(object));
                if holds(self.after) || holds(self.before) {
                    return Some(location);
                }
            }
            until = match time.0.checked_sub(1) {
                Some(before) => Time(before),
                None => break,
            };
        }
        // What is used all the time was mostly stored when it was made.
        self.past.uses(object).take(USES).find_map(|used| match used {
            Use::Stored(slot) => {
                let location = self.past.location_of(slot);
                let held = value(self.past.value_at(&location, self.after));
                (held == Some(Value::Object(object))).then_some(location)
            }
            Use::Passed { .. } => None,
        })
    }

    fn field(&self, object: ObjectId, field: FieldId) -> String {
        let name = self.past.location_name(&Location::Field { object, field });
        name.split_once('.').map_or(name.clone(), |(_, field)| field.to_owned())
    }
}

/// Chars as a text; the zeros behind what fills a buffer are counted.
fn chars_text(chars: &[u16], more: bool) -> String {
    let filled = chars.iter().rposition(|&unit| unit != 0).map_or(0, |last| last + 1);
    let zeros = chars.len() - filled;
    let quoted = |chars: &[u16]| base::literal::quoted(&base::text::from_units(chars));
    let text = match (filled, zeros) {
        (_, few) if few < REPEATED => quoted(chars),
        (0, zeros) => format!("'\\0' × {zeros}"),
        (filled, zeros) => format!("{} '\\0' × {zeros}", quoted(&chars[..filled])),
    };
    if more { format!("{text}…") } else { text }
}

fn is_element(change: &Change, of: ObjectId) -> bool {
    matches!(change.location, Location::Element { array, .. } if array == of)
}

/// An object of a library's class; arrays are nobody's.
fn is_library(past: &Past, object: ObjectId) -> bool {
    !object.is_program() && past.array_length(object).is_none()
}
