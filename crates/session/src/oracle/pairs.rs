//! Objects of two recordings in pairs: which is which, what they hold, and whether values are the same in terms of the
//! pairs. A pair is made when two objects are reached in the same way, and is never broken.

use std::collections::{HashMap, HashSet, VecDeque};

use base::{Arguments, CallId, Ending, FieldId, ObjectId, Position, Time, Value};
use past::{KnownValue, Location, Past};

use crate::fingerprint::{
    Contents, Facts, Footprint, MAX_NODES, PlainValue, contents, existed, is_lambda, is_scattered_entry,
    known_value, label, owner, place, plain, thrown,
};

/// A call as one of the two.
pub struct Side<'p> {
    pub past: &'p Past,
    pub facts: &'p Facts,
    pub entry: Time,
    pub exit: Time,
    pub receiver: Option<Value>,
    pub args: Vec<Value>,
    pub ending: Ending,
    pub call: CallId,
}

impl<'p> Side<'p> {
    pub fn new(past: &'p Past, facts: &'p Facts, call: CallId) -> Option<Side<'p>> {
        let (row, args) = (past.call_row(call)?, past.arguments(call)?);
        let time = |ordinal| past.time(Position { stream: call.stream, ordinal });
        let (entry, exit) = (time(row.entry)?, time(row.exit)?);
        let Arguments { receiver, values: args } = args;
        Some(Side { past, facts, entry, exit, receiver, args, ending: row.ending, call })
    }
}

/// Are two values the same? What cannot be known is neither yes nor no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agree {
    Yes,
    No,
    Unknown,
}

impl Agree {
    /// A difference decides, whatever else is not known.
    pub fn and(self, other: Agree) -> Agree {
        match (self, other) {
            (Agree::No, _) | (_, Agree::No) => Agree::No,
            (Agree::Unknown, _) | (_, Agree::Unknown) => Agree::Unknown,
            _ => Agree::Yes,
        }
    }

    pub fn of(same: bool) -> Agree {
        if same { Agree::Yes } else { Agree::No }
    }

    pub fn yes(self) -> Option<()> {
        (self == Agree::Yes).then_some(())
    }
}

/// The pairs that two calls have made so far.
pub struct Pairs<'s, 'p> {
    pub sides: [&'s Side<'p>; 2],
    pub footprints: [Option<&'s Footprint>; 2],
    /// The object of the other side that an object is paired with.
    pub to: [HashMap<ObjectId, ObjectId>; 2],
    /// Fields by those of the other side.
    pub fields: [HashMap<FieldId, Option<FieldId>>; 2],
    /// Pairs whose contents are to be compared.
    pub queue: VecDeque<(ObjectId, ObjectId)>,
    pub expanded: HashSet<ObjectId>,
    /// Objects of the one side that are input.
    pub old: HashSet<ObjectId>,
    pub nodes: usize,
    /// A lambda is among the inputs: what it holds is only seen when it is called.
    pub lambdas: bool,
}

impl<'s, 'p> Pairs<'s, 'p> {
    pub fn new(one: &'s Side<'p>, footprint: &'s Footprint, other: &'s Side<'p>) -> Pairs<'s, 'p> {
        Pairs {
            sides: [one, other],
            footprints: [Some(footprint), None],
            to: [HashMap::new(), HashMap::new()],
            fields: [HashMap::new(), HashMap::new()],
            queue: VecDeque::new(),
            expanded: HashSet::new(),
            old: HashSet::new(),
            nodes: 0,
            lambdas: false,
        }
    }

    pub fn exceptions(&mut self, one: Option<Value>, other: Option<Value>) -> Agree {
        let [a, b] = self.sides;
        match (thrown(a.past, one), thrown(b.past, other)) {
            (Some(one), Some(other)) => Agree::of(one.0 == other.0).and(texts(&one.1, &other.1)),
            _ => Agree::Unknown,
        }
    }

    /// Compares what paired objects hold: before the calls what belongs to libraries and arrays of theirs, after the
    /// calls what is new.
    pub fn expand(&mut self, before: bool) -> Agree {
        let mut agree = Agree::Yes;
        while let Some((one, other)) = self.queue.pop_front() {
            if !self.expanded.insert(one) || before && one.is_program() {
                continue;
            }
            if !before {
                match (self.is_old(0, one), self.is_old(1, other)) {
                    (false, false) => {}
                    // A library may keep what it gives: an empty list is always the same one.
                    (true, true) if !one.is_program() => {}
                    // One gave what it had, the other something new; or both what nobody saw them take. They are others,
                    // which may not matter; what they are differs if they hold other numbers or texts.
                    _ => {
                        agree = agree.and(self.hold_the_same_plainly(one, other));
                        if agree == Agree::No {
                            self.queue.clear();
                            return agree;
                        }
                        continue;
                    }
                }
            }
            agree = agree.and(self.hold_the_same(one, other, before));
            if agree == Agree::No || before && agree == Agree::Unknown {
                self.queue.clear();
                return agree;
            }
        }
        agree
    }

    pub fn hold_the_same(&mut self, one: ObjectId, other: ObjectId, before: bool) -> Agree {
        let [a, b] = self.sides;
        let times = if before { [a.entry, b.entry] } else { [a.exit, b.exit] };
        let labels = (label(a.past, one), label(b.past, other));
        let (Some(label_a), Some(label_b)) = labels else { return Agree::Unknown };
        let held = (
            contents(a.past, a.facts, one, &label_a, times[0]),
            contents(b.past, b.facts, other, &label_b, times[1]),
        );
        let values: Vec<(KnownValue, KnownValue)> = match held {
            (Some(Contents::Text(one)), Some(Contents::Text(other))) => return texts(&one, &other),
            // Before, who it calls tells: that is compared besides.
            (Some(Contents::Lambda), Some(Contents::Lambda)) => {
                return if before { Agree::Yes } else { Agree::Unknown };
            }
            (Some(Contents::Fields(one)), Some(Contents::Fields(other))) => {
                let other: HashMap<&str, KnownValue> = other.iter().collect();
                let find = |(name, known): (&str, KnownValue)| Some((known, *other.get(name)?));
                match one.iter().map(find).collect::<Option<Vec<_>>>() {
                    Some(values) => values,
                    None => return Agree::Unknown,
                }
            }
            (Some(Contents::Elements(length)), Some(Contents::Elements(_))) => {
                if self.nodes + length as usize > MAX_NODES {
                    return Agree::Unknown;
                }
                let element = |past: &Past, array, index, time| {
                    past.value_at(&Location::Element { array, index }, time)
                };
                let both =
                    |index| (element(a.past, one, index, times[0]), element(b.past, other, index, times[1]));
                let values: Vec<_> = (0..length).map(both).collect();
                // Where entries of a new table are follows from identities, which are others in each run.
                let scattered = |side: &Side<'_>, known, time| match known_value(known) {
                    Some(Value::Object(entry)) => is_scattered_entry(side.past, side.facts, entry, time),
                    _ => false,
                };
                if jdk::identity::is_hash_table(label_a.class)
                    && values
                        .iter()
                        .any(|&(one, other)| scattered(a, one, times[0]) || scattered(b, other, times[1]))
                {
                    return Agree::Unknown;
                }
                values
            }
            _ => return Agree::Unknown,
        };
        let mut agree = Agree::Yes;
        for (one, other) in values {
            if self.count().is_none() {
                return Agree::Unknown;
            }
            let (Some(one), Some(other)) = (known_value(one), known_value(other)) else {
                agree = agree.and(Agree::Unknown);
                continue;
            };
            agree = agree.and(self.pair(one, other));
            if agree == Agree::No {
                return agree;
            }
            if let (Value::Object(one), Value::Object(other)) = (one, other) {
                self.queue.push_back((one, other));
            }
        }
        agree
    }

    /// No if two program's objects of one class differ, after the calls, in what is no object; unknown otherwise.
    fn hold_the_same_plainly(&self, one: ObjectId, other: ObjectId) -> Agree {
        let [a, b] = self.sides;
        let fields = |side: &Side<'_>, object: ObjectId| {
            let label = label(side.past, object).filter(|_| object.is_program())?;
            match contents(side.past, side.facts, object, &label, side.exit)? {
                Contents::Fields(fields) => Some((label.class.to_owned(), fields)),
                _ => None,
            }
        };
        let Some(((class, ones), (other_class, others))) = fields(a, one).zip(fields(b, other)) else {
            return Agree::Unknown;
        };
        let others: HashMap<&str, KnownValue> = others.iter().collect();
        let differs = |(name, known): (&str, KnownValue)| {
            let both = known_value(known).zip(others.get(name).copied().and_then(known_value));
            both.is_some_and(|(one, other)| match (plain(a.past, one), plain(b.past, other)) {
                (PlainValue::Bits(..), PlainValue::Bits(..)) => plain(a.past, one) != plain(b.past, other),
                (PlainValue::Text(_, one), PlainValue::Text(_, other)) => texts(&one, &other) == Agree::No,
                _ => false,
            })
        };
        if class == other_class && ones.iter().any(differs) { Agree::No } else { Agree::Unknown }
    }

    pub fn pair_from(&mut self, side: usize, value: Value, other: Value) -> Agree {
        if side == 0 { self.pair(value, other) } else { self.pair(other, value) }
    }

    /// Are the values the same, given the objects that are paired? Pairs two objects that are not.
    pub fn pair(&mut self, one: Value, other: Value) -> Agree {
        let [a, b] = self.sides;
        match (plain(a.past, one), plain(b.past, other)) {
            (PlainValue::Unknown, _) | (_, PlainValue::Unknown) => Agree::Unknown,
            (PlainValue::Object(one), PlainValue::Object(other)) => {
                match (self.to[0].get(&one), self.to[1].get(&other)) {
                    (None, None) => {
                        let (Some(label_a), Some(label_b)) = (label(a.past, one), label(b.past, other))
                        else {
                            return Agree::Unknown;
                        };
                        if label_a != label_b {
                            return Agree::No;
                        }
                        self.lambdas |= is_lambda(&label_a);
                        self.to[0].insert(one, other);
                        self.to[1].insert(other, one);
                        self.count().map_or(Agree::Unknown, |()| Agree::Yes)
                    }
                    (to, back) => {
                        let same = to == Some(&other);
                        // One gave what it had, the other something new: that may hold the same.
                        let one_is_new = to.is_none() && !self.is_old(0, one);
                        let other_is_new = back.is_none() && !self.is_old(1, other);
                        if !same && (one_is_new || other_is_new) { Agree::Unknown } else { Agree::of(same) }
                    }
                }
            }
            (PlainValue::Text(b's', one), PlainValue::Text(b's', other)) => texts(&one, &other),
            (one, other) => Agree::of(one == other),
        }
    }

    /// The same location on the other side: none if there is none, nothing within if its object is not paired.
    pub fn translate(&mut self, side: usize, location: &Location) -> Option<Option<Location>> {
        let Some(object) = owner(location) else {
            let Location::Static(field) = *location else { return None };
            return self.field(side, field, location, None).map(|field| Some(Location::Static(field)));
        };
        let Some(&there) = self.to[side].get(&object) else { return Some(None) };
        Some(Some(match *location {
            Location::Element { index, .. } => Location::Element { array: there, index },
            Location::Field { field, .. } => {
                let field = self.field(side, field, location, Some(there))?;
                Location::Field { object: there, field }
            }
            _ => return None,
        }))
    }

    pub fn field(
        &mut self,
        side: usize,
        field: FieldId,
        location: &Location,
        there: Option<ObjectId>,
    ) -> Option<FieldId> {
        let [here, other] = if side == 0 { self.sides } else { [self.sides[1], self.sides[0]] };
        *self.fields[side].entry(field).or_insert_with(|| {
            let wanted = place(here.past, location)?;
            let program = other.past.program();
            let fields: Vec<FieldId> = match there {
                Some(object) => {
                    let ty = other.past.type_of(object)?;
                    program.instance_fields(ty).into_iter().map(|(id, _)| id).collect()
                }
                None => {
                    let (class, _) = here.past.program().field(field)?;
                    let named = program.classes().iter().filter(|other| other.name == class.name);
                    named.flat_map(|class| program.static_fields(class)).map(|(id, _)| id).collect()
                }
            };
            let same = |&id: &FieldId| place(other.past, &Location::Static(id)).as_ref() == Some(&wanted);
            let mut found = fields.into_iter().filter(same);
            // A class that two loaders have could be either.
            found.next().filter(|_| found.next().is_none())
        })
    }

    /// What a location held for a call: what it read there, or what was there when it began.
    pub fn before(&self, side: usize, location: &Location) -> Option<Value> {
        let Side { past, entry, .. } = self.sides[side];
        let read = self.footprints[side].and_then(|footprint| footprint.first(location));
        read.or_else(|| known_value(past.value_at(location, *entry)))
    }

    pub fn is_old(&self, side: usize, object: ObjectId) -> bool {
        let Side { past, entry, receiver, .. } = self.sides[side];
        *receiver == Some(Value::Object(object)) || existed(past, object, *entry)
    }

    pub fn count(&mut self) -> Option<()> {
        self.nodes += 1;
        (self.nodes <= MAX_NODES).then_some(())
    }
}

/// Texts that differ only where a hash code may stand (`Object@1b2c3d`) cannot be compared.
pub(super) fn texts(one: &str, other: &str) -> Agree {
    if one == other {
        return Agree::Yes;
    }
    if without_codes(one) == without_codes(other) { Agree::Unknown } else { Agree::No }
}

fn without_codes(text: &str) -> String {
    let mut parts = text.split('@');
    let mut plain = parts.next().unwrap_or("").to_owned();
    for part in parts {
        plain.push('@');
        plain.push_str(part.trim_start_matches(|letter: char| letter.is_ascii_hexdigit()));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_hash_codes_are_not_told_to_differ() {
        assert_eq!(texts("Foo@1b2c", "Foo@77"), Agree::Unknown);
        assert_eq!(texts("Foo@1b2c", "Bar@77"), Agree::No);
        assert_eq!(texts("a@b", "a@b"), Agree::Yes);
        assert_eq!(texts("3", "4"), Agree::No);
    }
}
