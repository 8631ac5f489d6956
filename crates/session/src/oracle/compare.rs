//! Two calls of one method in two recordings, side by side: were they asked the same, and did they answer the same?
//! Their code may differ, and then they read different things. So the question is the same if everything that
//! *either* of them read was the same for both, with objects paired as they are reached: from receiver and arguments,
//! through what was read and through what libraries were given. Where something cannot be known or paired, there is
//! no answer.

use base::{Ending, ObjectId, Value};
use past::Location;

use super::pairs::{Agree, Pairs, Side};
use crate::fingerprint::{
    Footprint, Interaction, existed, is_builder, is_scattered_entry, known_value, owner,
};

/// What a call says about one of another recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Same,
    Different,
    /// They were asked different things: told by what the one read, without looking at what the other did.
    OtherQuestion,
    /// They were asked different things after all, or it cannot be known.
    NotComparable,
}

/// Compares a call with one of another recording. The footprint of the other is made only if all that the one read
/// was the same. Where both run the same code, they have to ask the same of the outside; other code may ask otherwise.
pub fn compare(one: &Side<'_>, footprint: &Footprint, other: &Side<'_>, same_code: bool) -> Comparison {
    let mut pairs = Pairs::new(one, footprint, other);
    let Some(left) = pairs.arguments().and_then(|()| pairs.inputs(0, inputs(footprint))) else {
        return Comparison::OtherQuestion;
    };
    let Some(others) = Footprint::of(other.past, other.facts, other.call) else {
        return Comparison::NotComparable;
    };
    pairs.footprints[1] = Some(&others);
    if pairs.rest(left, inputs(&others)).is_none() {
        return Comparison::NotComparable;
    }
    pairs.old = pairs.to[0].keys().copied().collect();
    if pairs.interactions(&footprint.outside, &others.outside, same_code).is_none()
        || pairs.lambdas && pairs.interactions(&footprint.callbacks, &others.callbacks, true).is_none()
    {
        return Comparison::NotComparable;
    }
    match pairs.outputs(footprint, &others) {
        Agree::Yes => Comparison::Same,
        Agree::No => Comparison::Different,
        Agree::Unknown => Comparison::NotComparable,
    }
}

/// Something that a call took from the state before it.
enum Input<'f> {
    Read(&'f Location, Value),
    Handed(ObjectId),
    Copied(ObjectId, u32, u32),
}

fn inputs(footprint: &Footprint) -> Vec<Input<'_>> {
    let reads = footprint.reads.iter().map(|read| Input::Read(&read.location, read.value));
    let handed = footprint.handed.iter().map(|&object| Input::Handed(object));
    let copied = footprint.copied.iter().map(|&(array, from, length)| Input::Copied(array, from, length));
    reads.chain(handed).chain(copied).collect()
}

impl Side<'_> {
    /// Did the call itself bring the object about?
    fn made(&self, input: &Input<'_>, footprint: &Footprint) -> bool {
        let object = match *input {
            Input::Read(location, _) => owner(location),
            Input::Handed(object) | Input::Copied(object, ..) => Some(object),
        };
        object.is_some_and(|object| {
            footprint.given.contains(&object) || !existed(self.past, object, self.entry)
        })
    }
}

impl Pairs<'_, '_> {
    fn arguments(&mut self) -> Option<()> {
        let [one, other] = self.sides;
        if one.args.len() != other.args.len() || one.receiver.is_some() != other.receiver.is_some() {
            return None;
        }
        let values = one.receiver.iter().chain(&one.args).zip(other.receiver.iter().chain(&other.args));
        for (&a, &b) in values {
            self.pair(a, b).yes()?;
        }
        Some(())
    }

    /// Checks that all a side took was the same for the other, and gives back what could not be checked: of objects
    /// that are not paired, because what comes later may reach them.
    fn inputs<'f>(&mut self, side: usize, mut left: Vec<Input<'f>>) -> Option<Vec<Input<'f>>> {
        loop {
            let before = left.len();
            let mut waiting = Vec::new();
            for input in left {
                if !self.input(side, &input)? {
                    waiting.push(input);
                }
            }
            if waiting.is_empty() || waiting.len() == before {
                return Some(waiting);
            }
            left = waiting;
        }
    }

    /// What is left of the one side, and all of the other: each may reach what the other waits for. What is never
    /// reached must be something that the calls themselves brought about.
    fn rest(&mut self, mut one: Vec<Input<'_>>, mut other: Vec<Input<'_>>) -> Option<()> {
        loop {
            let before = one.len() + other.len();
            other = self.inputs(1, other)?;
            one = self.inputs(0, one)?;
            if one.len() + other.len() == before {
                break;
            }
        }
        for (side, left) in [one, other].iter().enumerate() {
            let footprint = self.footprints[side]?;
            if !left.iter().all(|input| self.sides[side].made(input, footprint)) {
                return None;
            }
        }
        Some(())
    }

    /// False if the object is not paired yet; none if it is not the same.
    fn input(&mut self, side: usize, input: &Input<'_>) -> Option<bool> {
        match *input {
            Input::Read(location, value) => {
                let Some(there) = self.translate(side, location)? else { return Some(false) };
                if self.is_filled(side, location) {
                    // From outside, within the call: only what both of them read there can be compared.
                    let Some(footprint) = self.footprints[1 - side] else { return Some(false) };
                    if let Some(other) = footprint.first(&there) {
                        self.pair_from(side, value, other).yes()?;
                    }
                    return Some(true);
                }
                let other = self.before(1 - side, &there)?;
                self.pair_from(side, value, other).yes()?;
            }
            Input::Handed(object) => {
                let Some(&other) = self.to[side].get(&object) else { return Some(false) };
                self.queue.push_back(if side == 0 { (object, other) } else { (other, object) });
                self.expand(true).yes()?;
            }
            Input::Copied(array, from, length) => {
                let Some(&other) = self.to[side].get(&array) else { return Some(false) };
                for index in from..from.checked_add(length)? {
                    self.count()?;
                    let one = self.before(side, &Location::Element { array, index })?;
                    let there = self.before(1 - side, &Location::Element { array: other, index })?;
                    self.pair_from(side, one, there).yes()?;
                }
            }
        }
        Some(true)
    }

    /// Is it an element of an array that something outside was given to fill?
    fn is_filled(&self, side: usize, location: &Location) -> bool {
        let Location::Element { array, .. } = *location else { return false };
        let given = |exchange: &Interaction| {
            exchange.values.iter().skip(1).any(|&value| value == Value::Object(array))
        };
        self.footprints[side].is_some_and(|footprint| footprint.outside.iter().any(given))
    }

    /// Exchanges with the outside, in their order: it gave the same where it was asked the same. From where other code asked
    /// something else on, what it gave follows from that.
    fn interactions(&mut self, one: &[Interaction], other: &[Interaction], all: bool) -> Option<()> {
        if all && one.len() != other.len() {
            return None;
        }
        for (a, b) in one.iter().zip(other) {
            let mut same = a.method == b.method && a.values.len() == b.values.len();
            for (&a, &b) in a.values.iter().zip(&b.values) {
                same = same && self.pair(a, b) == Agree::Yes;
            }
            if !same {
                return (!all).then_some(());
            }
            match (a.ending, b.ending) {
                (Ending::Returned(None), Ending::Returned(None)) => {}
                (Ending::Returned(Some(a)), Ending::Returned(Some(b))) => self.pair(a, b).yes()?,
                (Ending::Threw(a), Ending::Threw(b)) => self.exceptions(a, b).yes()?,
                _ => return None,
            }
        }
        Some(())
    }

    fn outputs(&mut self, one: &Footprint, other: &Footprint) -> Agree {
        self.expanded = self.old.clone();
        let mut agree = match (self.sides[0].ending, self.sides[1].ending) {
            (Ending::Returned(None), Ending::Returned(None)) => Agree::Yes,
            (Ending::Returned(Some(a)), Ending::Returned(Some(b))) => self.outcome(a, b),
            (Ending::Threw(a), Ending::Threw(b)) => self.exceptions(a, b),
            (Ending::Open, _) | (_, Ending::Open) => return Agree::Unknown,
            _ => return Agree::No,
        };
        for (side, footprint) in [(0, one), (1, other)] {
            for &object in &footprint.handed {
                agree = agree.and(self.builder(side, object));
            }
        }
        agree = agree.and(self.written());
        for (side, footprint, others) in [(0, one, other), (1, other, one)] {
            for location in &footprint.writes {
                agree = agree.and(self.write(side, location, others));
                if agree == Agree::No {
                    return agree;
                }
            }
        }
        agree
    }

    /// String builders are changed without a write that is recorded.
    fn builder(&mut self, side: usize, object: ObjectId) -> Agree {
        let Some(&there) = self.to[side].get(&object) else { return Agree::Yes };
        if !is_builder(self.sides[side].past, object) {
            return Agree::Yes;
        }
        let (one, other) = if side == 0 { (object, there) } else { (there, object) };
        self.hold_the_same(one, other, false)
    }

    fn write(&mut self, side: usize, location: &Location, others: &Footprint) -> Agree {
        if let Some(object) = owner(location)
            && !self.to[side].contains_key(&object)
        {
            return if self.is_old(side, object) { Agree::Unknown } else { Agree::Yes };
        }
        let Some(Some(there)) = self.translate(side, location) else { return Agree::Unknown };
        if self.is_scattered(side, location) || self.is_scattered(1 - side, &there) {
            return Agree::Unknown;
        }
        if !others.writes.contains(&there) {
            // Only one of them wrote it: that compares if it held the same for both before.
            let (Some(one), Some(other)) = (self.before(side, location), self.before(1 - side, &there))
            else {
                return Agree::Unknown;
            };
            if self.pair_from(side, one, other) != Agree::Yes {
                return Agree::Unknown;
            }
        } else if side == 1 {
            // Compared from the other side.
            return Agree::Yes;
        }
        let after = |side: usize, location: &Location| self.after(side, location);
        let (Some(one), Some(other)) = (after(side, location), after(1 - side, &there)) else {
            return Agree::Unknown;
        };
        if side == 0 { self.outcome(one, other) } else { self.outcome(other, one) }
    }

    fn after(&self, side: usize, location: &Location) -> Option<Value> {
        let Side { past, exit, .. } = self.sides[side];
        known_value(past.value_at(location, *exit))
    }

    /// Does it hold an entry of a hash table whose place follows from an identity, another one in each run?
    fn is_scattered(&self, side: usize, location: &Location) -> bool {
        let Location::Element { array, .. } = *location else { return false };
        let Side { past, facts, exit, .. } = self.sides[side];
        let held = || match self.after(side, location) {
            Some(Value::Object(entry)) => Some(entry),
            _ => None,
        };
        past.class_of(array).is_some_and(jdk::identity::is_hash_table)
            && held().is_some_and(|entry| is_scattered_entry(past, facts, entry, *exit))
    }

    /// Two values after the calls, with all that new objects hold.
    fn outcome(&mut self, one: Value, other: Value) -> Agree {
        let paired = self.pair(one, other);
        if paired != Agree::Yes {
            return paired;
        }
        if let (Value::Object(one), Value::Object(other)) = (one, other) {
            self.queue.push_back((one, other));
        }
        self.expand(false)
    }
}
