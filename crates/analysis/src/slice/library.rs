//! What a call of a library depends on besides its operands: what the collections, builders and arrays held that it was
//! given. Reads by libraries are not recorded, so that is told from what became of those objects (`history.rs`), and a
//! table says how much of it matters (`jdk::flows`).

use std::collections::HashSet;
use std::rc::Rc;

use index::{Ending, Evidence, Key, Position, Target, Time};
use jdk::flows::{self, Flow, Holder, Leaves, Reads};
use past::{CallId, KnownValue, Location, Value, same};
use trace::ObjectId;

use super::Tie;
use super::history::{Callee, Change, History, has_library_part};
use super::search::{Asker, EventPart, SliceSearch};
use crate::error::Result;

/// Elements of an array that a library was given, and calls that a library made.
const MAX_PARTS: u32 = 1024;
/// Objects that are looked into for what something holds.
const MAX_OBJECTS: usize = 4096;

/// What it takes to look at a call of a library, and at what it may have left in an object, as if it were so many events.
const MADE: u64 = 24;
const CHANGE: u64 = 4;

/// How far "what it holds" goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// A library reads what libraries hold; what the program holds it has to ask the program for.
    Libraries,
    /// The fields of what is asked about, too.
    Parts,
    /// All of it: what came out of a call is whatever can be reached from it.
    All,
}

/// A call of a library, as it was made.
pub struct Made {
    pub call: CallId,
    pub callee: Rc<Callee>,
    pub receiver: Option<Value>,
    pub values: Vec<Value>,
    pub time: Time,
    /// When what it read was there: when it came back, if it may have waited for others.
    pub read: Time,
    pub result: Option<Value>,
}

impl Made {
    fn all(&self) -> impl Iterator<Item = Value> + '_ {
        self.receiver.iter().chain(&self.values).copied()
    }
}

impl SliceSearch<'_> {
    pub fn made_call(&mut self, call: CallId) -> Option<Made> {
        self.spend(MADE);
        let row = self.past.index().call(call)?;
        let time = self.past.index().time(Position { stream: call.stream, ordinal: row.entry })?;
        let args = self.past.index().arguments(call).unwrap_or_default();
        let resolve = |value| self.past.index().resolved(call.stream, value);
        let result = match row.ending {
            Ending::Returned(value) => value.map(resolve),
            _ => None,
        };
        let receiver = match args.receiver.map(resolve) {
            Some(Value::Object(object)) => self.past.class_of(object).unwrap_or(""),
            _ => "",
        };
        let exit = self.past.index().time(Position { stream: call.stream, ordinal: row.exit });
        let read = if flows::may_wait(receiver) { exit.unwrap_or(time) } else { time };
        Some(Made {
            call,
            read,
            receiver: args.receiver.map(resolve),
            values: args.values.into_iter().map(resolve).collect(),
            time,
            result,
            callee: self.histories.callee(self.past, row.target),
        })
    }

    /// What the result of a call follows from, besides its operands.
    pub(super) fn outcome(&mut self, call: CallId, data: Asker) -> Result<()> {
        let Some(made) = self.made_call(call) else { return Ok(()) };
        let (owner, name) = (made.callee.owner.as_str(), made.callee.name.as_str());
        self.callbacks(call, data);
        if flows::is_outside(owner, name) {
            self.outside(data.by);
            return Ok(());
        }
        let flow = self.flow_of(&made);
        if !self.is_told_by_calls(&made) {
            self.lose(data.by);
        }
        let asked = if flow.known { data } else { Asker { tie: Tie::Perhaps, ..data } };
        match (flow.reads, made.receiver) {
            (Reads::Values, _) => {}
            (Reads::Shape, Some(Value::Object(object))) => self.shape(object, made.read, asked),
            (Reads::Key, Some(Value::Object(object))) => {
                let Some(&key) = made.values.first() else { return Ok(()) };
                self.content(key, made.time, Depth::Libraries, asked)?;
                self.keyed(object, key, made.result, made.time, asked)?;
            }
            (Reads::Taken, Some(Value::Object(object))) => {
                match made.result {
                    Some(value) => drop(self.taken(object, value, made.read, asked)?),
                    None => self.content(Value::Object(object), made.read, Depth::Libraries, asked)?,
                }
                self.shape(object, made.read, asked);
            }
            _ => {
                let depth = if name == "clone" { Depth::Parts } else { Depth::Libraries };
                for value in made.all() {
                    self.content(value, made.read, depth, asked)?;
                }
            }
        }
        Ok(())
    }

    fn flow_of(&mut self, made: &Made) -> Flow {
        match made.receiver {
            Some(Value::Object(object)) => self.histories.flow(self.past, object, &made.callee),
            _ => flows::flow(Holder::Other, &made.callee.owner, &made.callee.name, &made.callee.descriptor),
        }
    }

    /// Is all that a call can know of what the program did something that it was given, or did with what it is made on?
    fn is_told_by_calls(&mut self, made: &Made) -> bool {
        use jdk::calls::{Outcome, outcome};
        let (owner, name) = (made.callee.owner.as_str(), made.callee.name.as_str());
        if outcome(owner, name) != Outcome::Outside || flows::is_self_contained(owner) {
            return true;
        }
        match made.receiver {
            Some(Value::Object(object)) => {
                let class = self.past.class_of(object).unwrap_or("").to_owned();
                flows::holder(&class) != Holder::Other
                    || flows::is_self_contained(&class)
                    || object.is_program()
            }
            // A value of some kind: it has nothing but itself.
            Some(_) => true,
            None => false,
        }
    }

    /// In which state a call left an object: what it put there, and what had been there before.
    pub(super) fn left(&mut self, call: CallId, object: ObjectId, data: Asker) -> Result<()> {
        let Some(made) = self.made_call(call) else { return Ok(()) };
        let history = self.histories.get(self.past, object, made.time);
        let Some(&change) = history.changes.iter().find(|change| change.call == call) else {
            // It is not one of those that are listed any more.
            return self.outcome(call, data);
        };
        if change.handed {
            return self.handed(call, Value::Object(object), None, data);
        }
        if change.born {
            return self.outcome(call, data);
        }
        self.callbacks(call, data);
        let asked = if change.sure { data } else { Asker { tie: Tie::Perhaps, ..data } };
        if matches!(change.leaves, Leaves::Anything | Leaves::Fresh) || !change.own {
            for value in made.all().filter(|&value| value != Value::Object(object)) {
                self.content(value, made.time, Depth::Libraries, asked)?;
            }
        }
        if change.leaves != Leaves::Fresh {
            self.state_before(&history, object, made.time, data);
        }
        Ok(())
    }

    /// The state of an object right before a time, by the last call that changed it.
    fn state_before(&mut self, history: &History, object: ObjectId, time: Time, asked: Asker) {
        match history.before(time).last() {
            Some(change) => {
                let tie = if change.sure { asked.tie } else { Tie::Perhaps };
                self.add_tied(change.at, EventPart::State(object), Asker { tie, ..asked });
            }
            // What the machine throws has no beginning.
            None if history.complete || jdk::machine::is_exception(&history.class) => return,
            None => {}
        }
        if !history.complete {
            self.lose(asked.by);
        }
    }

    /// How many things an object holds and where.
    fn shape(&mut self, object: ObjectId, time: Time, asked: Asker) {
        if self.is_atom(object) {
            return;
        }
        let history = self.histories.get(self.past, object, time);
        let tie = if asked.tie == Tie::Perhaps { Tie::Perhaps } else { Tie::Address };
        let asked = Asker { tie, ..asked };
        match history.before(time).last() {
            Some(change) => {
                let tie = if change.sure { asked.tie } else { Tie::Perhaps };
                self.add_tied(change.at, EventPart::Shape(object), Asker { tie, ..asked });
            }
            None if history.complete || history.is_view() => {}
            None => self.lose(asked.by),
        }
        if !history.complete {
            self.lose(asked.by);
        }
        for &parent in &history.parents {
            if let Value::Object(parent) = parent
                && self.past.recording().objects().length(parent).is_none()
                && !self.is_plain_program_object(parent)
            {
                self.shape(parent, time, asked);
            }
        }
    }

    fn is_atom(&self, object: ObjectId) -> bool {
        self.past.class_of(object).is_some_and(flows::is_atom)
    }

    fn is_plain_program_object(&self, object: ObjectId) -> bool {
        object.is_program() && !has_library_part(self.past, object)
    }

    /// Which operands of a call say how many things an object holds after it; and what of before does. The operands are
    /// numbered as the instruction takes them.
    pub(super) fn shaped(
        &mut self,
        call: CallId,
        object: ObjectId,
        operands: usize,
        data: Asker,
    ) -> Result<Vec<usize>> {
        let address = Asker { tie: Tie::Address, ..data };
        let Some(made) = self.made_call(call) else { return Ok((0..operands).collect()) };
        let history = self.histories.get(self.past, object, made.time);
        let Some(&change) = history.changes.iter().find(|change| change.call == call) else {
            self.outcome(call, data)?;
            return Ok((0..operands).collect());
        };
        let which: Vec<usize> = match change.leaves {
            _ if !change.own => (0..operands).collect(),
            Leaves::Stored => (0..operands.saturating_sub(1)).collect(),
            Leaves::Keyed => (0..operands.min(2)).collect(),
            _ => (0..operands).collect(),
        };
        match change.leaves {
            _ if change.born || !change.own || change.leaves == Leaves::Anything => {
                self.left(call, object, data)?;
            }
            Leaves::Fresh => {
                for value in made.all().filter(|&value| value != Value::Object(object)) {
                    self.content(value, made.time, Depth::Libraries, address)?;
                }
            }
            _ => match history.before(made.time).last() {
                Some(before) => {
                    let tie = if before.sure { Tie::Address } else { Tie::Perhaps };
                    self.add_tied(before.at, EventPart::Shape(object), Asker { tie, ..data });
                }
                None if history.complete => {}
                None => self.lose(data.by),
            },
        }
        Ok(which)
    }

    /// Who put a value into an object that came out of it. False if nobody is known to have.
    fn taken(&mut self, object: ObjectId, value: Value, time: Time, asked: Asker) -> Result<bool> {
        let mut open = vec![object];
        let mut seen = HashSet::from([object]);
        let mut found = false;
        while let Some(object) = open.pop() {
            if let Some(length) = self.past.recording().objects().length(object) {
                found |= self.elements(object, length, Some(value), time, asked)?;
                continue;
            }
            if self.is_plain_program_object(object) || self.is_atom(object) {
                continue;
            }
            let history = self.histories.get(self.past, object, time);
            for change in history.before(time).iter().rev() {
                self.spend(CHANGE);
                let given = [change.key, change.value].into_iter().flatten();
                let mut given = given.map(|one| self.past.index().resolved(change.at.stream, one));
                let stored = matches!(change.leaves, Leaves::Stored | Leaves::Keyed);
                let is_it = stored && given.any(|one| self.same_text(one, value));
                // What a call puts in that it works out itself, or takes from elsewhere, may be anything.
                let computes = stored && change.own && self.works_it_out(change);
                let anything = matches!(change.leaves, Leaves::Anything | Leaves::Fresh);
                if is_it || computes || anything {
                    found |= is_it || computes || change.born;
                    let tie = if change.sure { asked.tie } else { Tie::Perhaps };
                    let number = self.number(value);
                    self.add_tied(change.at, EventPart::Stored(number, object), Asker { tie, ..asked });
                }
                if change.leaves == Leaves::Fresh {
                    break;
                }
            }
            if !history.complete {
                self.lose(asked.by);
            }
            for &parent in &history.parents {
                if let Value::Object(parent) = parent
                    && seen.insert(parent)
                {
                    open.push(parent);
                }
            }
        }
        Ok(found)
    }

    /// Does a call put something in that is none of its arguments?
    fn works_it_out(&mut self, change: &Change) -> bool {
        let Some(row) = self.past.index().call(change.call) else { return true };
        let callee = self.histories.callee(self.past, row.target);
        flows::works_out(&callee.name, &callee.descriptor)
    }

    /// That a call put a value into an object: which operands have a part in it, and what the value came from if it is
    /// none of them.
    pub(super) fn stored(
        &mut self,
        call: CallId,
        value: Value,
        object: ObjectId,
        operands: usize,
        data: Asker,
    ) -> Result<Vec<usize>> {
        let every = (0..operands).collect();
        let Some(made) = self.made_call(call) else { return Ok(every) };
        let flow = self.flow_of(&made);
        let own = made.receiver == Some(Value::Object(object));
        if own && flow.leaves == Leaves::Keyed {
            // Where it is filed is for the key to say.
            self.callbacks(call, data);
            if let Some(&key) = made.values.first() {
                self.content(key, made.time, Depth::Libraries, data)?;
            }
        }
        let is_it = |search: &Self, one: &Value| search.same_text(*one, value);
        if let (true, [_, rest @ ..]) = (own && flow.leaves == Leaves::Keyed, &made.values[..])
            && !rest.iter().any(|one| is_it(self, one))
            && is_it(self, &made.values[0])
        {
            return Ok((0..operands.min(2)).collect());
        }
        if !made.all().any(|one| self.same_text(one, value)) {
            self.stored_otherwise(&made, &flow, object, data)?;
        }
        Ok(every)
    }

    /// A call put something into an object that it was not given as such.
    fn stored_otherwise(&mut self, made: &Made, flow: &Flow, object: ObjectId, data: Asker) -> Result<()> {
        let call = made.call;
        self.callbacks(call, data);
        if made.result == Some(Value::Object(object)) && made.receiver != made.result {
            return self.outcome(call, data);
        }
        if flow.reads == Reads::Key {
            return self.outcome(call, data);
        }
        for one in made.all() {
            if one == Value::Object(object) {
                // It may have been moved from elsewhere in the same object.
                let history = self.histories.get(self.past, object, made.time);
                if flow.leaves == Leaves::Anything {
                    self.state_before(&history, object, made.time, data);
                }
            } else {
                self.content(one, made.time, Depth::Libraries, data)?;
            }
        }
        Ok(())
    }

    /// What was filed under a key. `result`: what was found there.
    fn keyed(
        &mut self,
        object: ObjectId,
        key: Value,
        result: Option<Value>,
        time: Time,
        asked: Asker,
    ) -> Result<()> {
        if let Some(length) = self.past.recording().objects().length(object) {
            self.elements(object, length, None, time, asked)?;
            return Ok(());
        }
        if self.is_plain_program_object(object) || self.is_atom(object) {
            return Ok(());
        }
        let history = self.histories.get(self.past, object, time);
        let told_order = flows::may_be_told_order(&history.class)
            && history.changes.first().is_none_or(|first| first.key.is_some() || first.born);
        let by_equals = flows::finds_by_equals(&history.class) && !told_order;
        let plain = by_equals && !matches!(history.holder, Holder::Other);
        // That something is there is no matter of what it is.
        let looks_for_key = matches!(result, Some(Value::Int(_))) && history.holder == Holder::Map;
        let mut ended = false;
        for change in history.before(time).iter().rev() {
            let tie = if change.sure { asked.tie } else { Tie::Perhaps };
            let asked = Asker { tie, ..asked };
            if change.leaves == Leaves::Keyed && change.own {
                let own = change.key.map(|own| self.past.index().resolved(change.at.stream, own));
                let equal = own.and_then(|own| self.equal(own, key));
                let equal = if plain { equal } else { equal.filter(|&equal| equal) };
                match equal {
                    Some(false) => {
                        self.elsewhere.insert(change.at);
                        continue;
                    }
                    Some(true) => {
                        self.filed(change, object, key, looks_for_key, asked);
                        if by_equals {
                            ended = true;
                            break;
                        }
                    }
                    None => {
                        let value = change.value.map(|one| self.past.index().resolved(change.at.stream, one));
                        let other = result.zip(value).is_some_and(|(result, value)| {
                            !self.works_it_out(change)
                                && result != Value::Null
                                && !self.same_text(result, value)
                        });
                        if !other || history.holder == Holder::Set {
                            self.filed(change, object, key, looks_for_key, asked);
                        } else {
                            self.elsewhere.insert(change.at);
                        }
                    }
                }
                continue;
            }
            self.add_tied(change.at, EventPart::State(object), asked);
            if change.leaves == Leaves::Fresh {
                ended = true;
            }
            // What it was before is in that state.
            break;
        }
        if !history.complete && !ended {
            self.lose(asked.by);
        }
        for &parent in &history.parents {
            if let Value::Object(parent) = parent {
                self.keyed(parent, key, result, time, asked)?;
            }
        }
        Ok(())
    }

    /// A call filed something under the key that is asked for.
    fn filed(&mut self, change: &Change, object: ObjectId, key: Value, only_key: bool, asked: Asker) {
        let value = change.value.unwrap_or(Value::Null);
        let value = if only_key { change.key.unwrap_or(key) } else { value };
        let part = if self.works_it_out(change) {
            EventPart::Outcome
        } else {
            EventPart::Stored(self.number(value), object)
        };
        self.add_tied(change.at, part, asked);
    }

    /// Are two keys equal? None if that is for code to say.
    fn equal(&self, one: Value, other: Value) -> Option<bool> {
        let told =
            |value: Value| !matches!(value, Value::Object(_) | Value::Unidentified | Value::Pending(_));
        match (one, other) {
            (Value::Object(one), Value::Object(other)) if one == other => Some(true),
            _ if told(one) && told(other) => Some(self.same_text(one, other)),
            (Value::Null, _) | (_, Value::Null) => Some(false),
            (Value::Object(one), _) | (_, Value::Object(one)) => {
                let by_address = self.past.class_of(one).is_some_and(jdk::owner::is_lambda);
                by_address.then_some(false)
            }
            _ => None,
        }
    }

    pub(super) fn same_text(&self, one: Value, other: Value) -> bool {
        let text = |value| match value {
            Value::Str(id) => {
                let text = self.past.recording().objects().string(id);
                text.filter(|text| !text.is_redacted()).map(|text| text.text)
            }
            Value::Literal { class, index } => {
                self.past.recording().program().literal(class, index).map(str::to_owned)
            }
            _ => None,
        };
        if let (Some(one), Some(other)) = (text(one), text(other)) {
            return one == other;
        }
        // A box and what is in it.
        let number = |value| match value {
            Value::Int(bits) | Value::Box { bits, .. } => Some(i64::from(bits)),
            Value::Long(bits) | Value::Box64 { bits, .. } => Some(bits),
            _ => None,
        };
        match (number(one), number(other)) {
            (Some(one), Some(other)) => one == other,
            _ => same(Some(one), Some(other)),
        }
    }

    /// Results of program code that the library called.
    fn callbacks(&mut self, call: CallId, data: Asker) {
        for child in self.called_back(call, data) {
            let Some(row) = self.past.index().call(child) else { continue };
            let exit = Position { stream: child.stream, ordinal: row.exit };
            match row.ending {
                Ending::Returned(Some(_)) => self.add_tied(exit, EventPart::Event, data),
                Ending::Threw(_) if row.exit > row.entry => {
                    let threw = Position { ordinal: row.exit - 1, ..exit };
                    self.add_tied(threw, EventPart::Event, data);
                }
                _ => {}
            }
        }
    }

    /// Calls of program code that a library made.
    fn called_back(&mut self, call: CallId, data: Asker) -> Vec<CallId> {
        let count = self.past.index().call(call).map_or(0, |row| row.children);
        if count > MAX_PARTS {
            self.lose(data.by);
        }
        let children = self.past.index().children(call, count.saturating_sub(MAX_PARTS), MAX_PARTS as usize);
        let is_program = |child: &CallId| {
            self.past.index().call(*child).is_some_and(|row| matches!(row.target, Target::Method(_)))
        };
        children.into_iter().filter(is_program).collect()
    }

    /// Where a value came from that a library gave to code that it called.
    pub(super) fn handed(&mut self, call: CallId, value: Value, to: Option<u32>, data: Asker) -> Result<()> {
        let Some(made) = self.made_call(call) else { return Ok(()) };
        if made.all().any(|one| self.same_text(one, value)) {
            return Ok(());
        }
        let mut found = false;
        let mut results = Vec::new();
        let earlier = self.called_back(call, data).into_iter();
        // What it was given cannot come from what it or a later one gave.
        for child in earlier.take_while(|child| to.is_none_or(|to| child.index < to)) {
            let Some(row) = self.past.index().call(child) else { continue };
            let Ending::Returned(Some(result)) = row.ending else { continue };
            let exit = Position { stream: child.stream, ordinal: row.exit };
            results.push(exit);
            if self.same_text(self.past.index().resolved(child.stream, result), value) {
                found = true;
                self.add_tied(exit, EventPart::Event, data);
            }
        }
        for holder in made.all() {
            if let Value::Object(object) = holder {
                found |= self.taken(object, value, made.time, data)?;
                if self.past.recording().objects().length(object).is_none()
                    && !self.is_plain_program_object(object)
                {
                    self.shape(object, made.time, data);
                }
            }
        }
        if !found {
            for exit in results {
                self.add_tied(exit, EventPart::Event, data);
            }
            for holder in made.all() {
                self.content(holder, made.time, Depth::Libraries, data)?;
            }
        }
        Ok(())
    }

    /// What the elements of an array were written by; of those that hold a value, if one is given. False if none does.
    fn elements(
        &mut self,
        array: ObjectId,
        length: u32,
        wanted: Option<Value>,
        time: Time,
        asked: Asker,
    ) -> Result<bool> {
        if length > MAX_PARTS {
            self.lose(asked.by);
        }
        let before = Time(time.0.saturating_sub(1));
        let mut found = false;
        for index in 0..length.min(MAX_PARTS) {
            let location = Location::Element { array, index };
            if let Some(wanted) = wanted {
                match self.past.value_at(&location, before) {
                    KnownValue::Value(value) | KnownValue::Seen(value) if !self.same_text(value, wanted) => {
                        continue;
                    }
                    _ => found = true,
                }
            }
            self.held_since(&location, before, asked)?;
        }
        Ok(found)
    }

    /// All that a value holds right before a time.
    pub(super) fn content(&mut self, value: Value, time: Time, depth: Depth, asked: Asker) -> Result<()> {
        let mut open = vec![value];
        let mut seen = HashSet::new();
        while let Some(value) = open.pop() {
            let Value::Object(object) = value else { continue };
            if !seen.insert(object) {
                continue;
            }
            if self.cut.is_some() {
                return Ok(());
            }
            if seen.len() > MAX_OBJECTS {
                self.lose(asked.by);
                return Ok(());
            }
            let class = self.past.class_of(object).unwrap_or("").to_owned();
            if flows::is_atom(&class) {
                continue;
            }
            let before = Time(time.0.saturating_sub(1));
            if let Some(length) = self.past.recording().objects().length(object) {
                self.elements(object, length, None, time, asked)?;
                for index in 0..length.min(MAX_PARTS) {
                    let held = self.past.value_at(&Location::Element { array: object, index }, before);
                    open.extend(value_of(held));
                }
                continue;
            }
            if object.is_program() && (depth == Depth::All || depth == Depth::Parts && seen.len() == 1) {
                self.fields(object, before, asked, &mut open)?;
            }
            if self.is_plain_program_object(object) {
                continue;
            }
            let history = self.histories.get(self.past, object, time);
            self.state_before(&history, object, time, asked);
            open.extend(&history.parents);
            self.kept_in(object, time, &mut HashSet::new(), &mut open);
        }
        Ok(())
    }

    /// Objects that another may hold at a time: what was ever put into it.
    fn kept_in(&mut self, object: ObjectId, time: Time, seen: &mut HashSet<ObjectId>, open: &mut Vec<Value>) {
        if !seen.insert(object) || seen.len() > MAX_OBJECTS {
            return;
        }
        if let Some(length) = self.past.recording().objects().length(object) {
            let before = Time(time.0.saturating_sub(1));
            for index in 0..length.min(MAX_PARTS) {
                open.extend(value_of(
                    self.past.value_at(&Location::Element { array: object, index }, before),
                ));
            }
            return;
        }
        if self.is_plain_program_object(object) || self.is_atom(object) {
            return;
        }
        let history = self.histories.get(self.past, object, time);
        for change in history.before(time) {
            self.spend(CHANGE);
            if self.cut.is_some() {
                return;
            }
            if change.leaves != Leaves::Less {
                self.held_by(change, object, seen, open);
            }
        }
        for &parent in &history.parents {
            if let Value::Object(parent) = parent {
                self.kept_in(parent, time, seen, open);
            }
        }
    }

    /// Objects that a call may have left in another.
    fn held_by(
        &mut self,
        change: &Change,
        object: ObjectId,
        seen: &mut HashSet<ObjectId>,
        open: &mut Vec<Value>,
    ) {
        let Some(made) = self.made_call(change.call) else { return };
        let class = self.past.class_of(object).unwrap_or("");
        let stored = matches!(change.leaves, Leaves::Stored | Leaves::Keyed);
        let whole = stored || !change.sure || !flows::copies(flows::holder(class), &made.callee.name);
        for value in made.all().chain(made.result).filter(|&one| one != Value::Object(object)) {
            match value {
                // What is copied from another is what that holds, not that itself.
                Value::Object(other) if !whole && self.is_container(other) => {
                    self.kept_in(other, made.time, seen, open);
                }
                value => open.push(value),
            }
        }
        if let Some(row) = self.past.index().call(change.call)
            && row.children > 0
        {
            let children = self.past.index().children(change.call, 0, MAX_PARTS as usize);
            for child in children {
                if let Some(Ending::Returned(Some(result))) =
                    self.past.index().call(child).map(|row| row.ending)
                {
                    open.push(self.past.index().resolved(child.stream, result));
                }
                // A constructor gives nothing: what it made is what it is called on.
                let receiver = self.past.index().arguments(child).and_then(|args| args.receiver);
                open.extend(receiver.map(|receiver| self.past.index().resolved(child.stream, receiver)));
            }
        }
    }

    fn is_container(&self, object: ObjectId) -> bool {
        let class = self.past.class_of(object).unwrap_or("");
        let kind = flows::holder(class);
        self.past.recording().objects().length(object).is_some()
            || (kind != Holder::Other && kind != Holder::Builder && kind != Holder::Entry)
    }

    /// What the fields of an object of the program were written by, and what they hold.
    fn fields(&mut self, object: ObjectId, time: Time, asked: Asker, open: &mut Vec<Value>) -> Result<()> {
        let program = self.past.recording().program();
        let Some(ty) = self.past.recording().objects().type_of(object) else { return Ok(()) };
        let fields: Vec<_> = program.instance_fields(ty).into_iter().map(|(field, _)| field).collect();
        for field in fields {
            let location = Location::Field { object, field };
            if self.past.index().last(Key::field(object, field), time).is_none()
                && program_knows(self.past, object, time)
            {
                // As it was made: that it was made is asked for where it came from.
                continue;
            }
            self.held_since(&location, time, asked)?;
            open.extend(value_of(self.past.value_at(&location, time)));
        }
        Ok(())
    }
}

fn program_knows(past: &past::Past, object: ObjectId, time: Time) -> bool {
    past.index().last(Key::created(object), time).is_some_and(|made| !made.posting.library)
}

fn value_of(known: KnownValue) -> Option<Value> {
    match known {
        KnownValue::Value(value) | KnownValue::Seen(value) => Some(value),
        KnownValue::Unknown => None,
    }
}
