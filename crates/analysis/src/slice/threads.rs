//! From what a thread runs back to who made it run: the call that started the thread, or gave it the task. Which of
//! several it was is told by the task, where that is an object of the program.

use std::rc::Rc;

use classfile::{ClassFile, Constant, Member};
use index::{Evidence, Key, Position, PostingKind, Target, Time};
use jdk::flows::{self, Leaves};
use past::{CallId, Value};
use trace::{MethodId, ObjectId};

use super::Tie;
use super::search::{Asker, EventPart, SliceSearch};

/// Calls that start threads, and uses of a task, that are looked at.
const MAX_STARTING: usize = 4096;
const MAX_USES: usize = 64;
/// With more that could have been it, nothing is said.
const MAX_PERHAPS: usize = 32;

impl SliceSearch<'_> {
    /// Who began an outermost call of a thread, or gave it one of its values.
    pub(super) fn begun(&mut self, call: CallId, part: EventPart, asked: Asker) {
        let index = self.past.index();
        let Some(row) = index.call(call) else { return };
        if row.parent.is_some() {
            return;
        }
        let Some(time) = index.time(Position { stream: call.stream, ordinal: row.entry }) else { return };
        let args = index.arguments(call).unwrap_or_default();
        let all: Vec<Value> = args.receiver.iter().chain(&args.values).copied().collect();
        let tasks = all.iter().filter_map(|value| match value {
            Value::Object(object) => Some(*object),
            _ => None,
        });
        let found = tasks.filter_map(|task| self.started_with(task, call, time)).max();
        let list: Vec<Position> = match found {
            Some((_, at)) => vec![at],
            None => {
                let starting = self.starting();
                let before = &starting[..starting.partition_point(|one| one.0 < time)];
                let list: Vec<Position> =
                    before.iter().map(|one| one.1).filter(|at| at.stream != call.stream).collect();
                self.with_code_of(call, list)
            }
        };
        if list.is_empty() || list.len() > MAX_PERHAPS {
            let from_outside = list.is_empty() && self.starting().is_empty();
            if part != EventPart::Event {
                if from_outside { self.outside(asked.by) } else { self.lose(asked.by) }
            }
            return;
        }
        let part = match part {
            EventPart::Argument(at) => match all.get(usize::from(at)) {
                Some(&value) => EventPart::Handed(self.number(value), None),
                None => return self.lose(asked.by),
            },
            _ => EventPart::Event,
        };
        let tie = if list.len() == 1 { asked.tie } else { Tie::Perhaps };
        for at in list {
            self.add_tied(at, part, Asker { tie, ..asked });
        }
    }

    /// Of calls that start something, those that were given the very lambda that runs; and those of which that is not
    /// known, if there are none.
    fn with_code_of(&mut self, run: CallId, list: Vec<Position>) -> Vec<Position> {
        let Some(method) = self.past.method_of(run) else { return list };
        let mut unknown = Vec::new();
        let mut found = Vec::new();
        for at in list {
            let tasks = self.tasks(at);
            let code: Vec<MethodId> = tasks.iter().filter_map(|&task| self.code_of(task, at)).collect();
            if code.contains(&method) {
                found.push(at);
            } else if code.is_empty() {
                unknown.push(at);
            }
        }
        if found.is_empty() { unknown } else { found }
    }

    /// Objects that a call which starts something was given, or the thread that it starts.
    fn tasks(&mut self, at: Position) -> Vec<ObjectId> {
        let Some((call, _)) = self.call_made(at) else { return Vec::new() };
        let object = |value: &Value| match self.past.index().resolved(call.stream, *value) {
            Value::Object(object) => Some(object),
            _ => None,
        };
        let args = self.past.index().arguments(call).unwrap_or_default();
        let mut tasks: Vec<ObjectId> = args.receiver.iter().chain(&args.values).filter_map(object).collect();
        let thread = args.receiver.as_ref().and_then(object);
        let until = self.past.index().time(at);
        if let Some((thread, until)) = thread.zip(until) {
            let made = self.histories.get(self.past, thread, until);
            let made =
                made.changes.iter().find(|change| change.leaves == Leaves::Fresh).map(|change| change.call);
            let args = made.and_then(|made| self.past.index().arguments(made)).unwrap_or_default();
            tasks.extend(args.values.iter().filter_map(object));
        }
        tasks
    }

    /// The method of the program that a lambda runs.
    fn code_of(&self, lambda: ObjectId, until: Position) -> Option<MethodId> {
        let class = self.past.class_of(lambda)?;
        if !jdk::owner::is_lambda(class) {
            return None;
        }
        let until = self.past.index().time(until)?;
        let made = self.past.index().last(Key::created(lambda), until)?;
        let around = self.past.index().call_at(made.position)?;
        let (class, _) = self.past.recording().program().method(self.past.method_of(around)?)?;
        let file = ClassFile::parse(&class.bytes).ok()?;
        let at = self.past.method_of(around)?.0.checked_sub(class.first_method.0)? as usize;
        let code = file.methods.get(at)?.code(&file).ok()??;
        let at = usize::from(made.posting.bci) + 1;
        let index = u16::from_be_bytes([*code.code.get(at)?, *code.code.get(at + 1)?]);
        let Constant::InvokeDynamic { bootstrap, .. } = file.pool.get(index).ok()? else { return None };
        let bootstraps = file.bootstraps().ok()?;
        let arguments = &bootstraps.get(usize::from(bootstrap))?.arguments;
        let member = arguments.iter().find_map(|&argument| match file.pool.get(argument).ok()? {
            Constant::MethodHandle { reference, .. } => file.pool.member(reference).ok(),
            _ => None,
        })?;
        let is_it =
            |method: &Member<'_>| method.name == member.name && method.descriptor == member.descriptor;
        let place = file.methods.iter().position(is_it)?;
        (member.class == class.name.as_bytes()).then_some(MethodId(class.first_method.0 + place as u32))
    }

    /// The last call before a time that made a thread run an object: the object itself is one, or the thread's task.
    fn started_with(&mut self, task: ObjectId, run: CallId, time: Time) -> Option<(Time, Position)> {
        let mut until = Some(time);
        for _ in 0..MAX_USES {
            let found = self.past.index().last(Key::uses(task), until?)?;
            until = found.time.0.checked_sub(1).map(Time);
            let PostingKind::Used { call, .. } = found.posting.what else { continue };
            let call = CallId { stream: found.position.stream, index: call };
            let Some(row) = self.past.index().call(call).filter(|_| call.stream != run.stream) else {
                continue;
            };
            let Target::Library(_) = row.target else { continue };
            let callee = self.histories.callee(self.past, row.target);
            if flows::starts(&callee.owner, &callee.name) {
                return Some((found.time, Position { stream: call.stream, ordinal: row.entry }));
            }
            let args = self.past.index().arguments(call)?;
            if let ("<init>", Some(receiver)) = (callee.name.as_str(), args.receiver)
                && let Value::Object(thread) = self.past.index().resolved(call.stream, receiver)
                && thread != task
                && let Some(started) = self.started_with(thread, run, time)
            {
                return Some(started);
            }
        }
        None
    }

    fn starting(&mut self) -> Rc<Vec<(Time, Position)>> {
        if let Some(known) = &self.starting {
            return Rc::clone(known);
        }
        let index = self.past.index();
        let groups = index.methods().filter(|(_, owner, name, ..)| flows::starts(owner, name));
        let calls = groups.flat_map(|(group, ..)| index.ranked_from(group, 0).take(MAX_STARTING));
        let rows = calls.filter_map(|call| {
            let row = index.call(call).filter(|row| matches!(row.target, Target::Library(_)))?;
            let at = Position { stream: call.stream, ordinal: row.entry };
            Some((index.time(at)?, at))
        });
        let mut list: Vec<(Time, Position)> = rows.collect();
        list.sort_unstable();
        let list = Rc::new(list);
        self.starting = Some(Rc::clone(&list));
        list
    }
}
