//! What a run showed that code alone may not: who called whom, with what libraries came back, what they called the
//! program with. One pass over the rows of the index; only distinct facts are kept.

use std::collections::HashSet;

use index::{CallId, CallRow, Ending, Evidence, NO_BCI, Target};
use jdk::names;
use jdk::unseen::is_reflection;
use past::Past;
use pointsto::{CodePoint, MemberName, Observed, SeenAt};
use rustc_hash::FxHashMap;
use trace::tables::{Detail, type_flag};
use trace::{CalleeId, MethodId, Program, TypeId, Value};

use crate::distinct::Distinct;
use crate::error::Result;

/// Which facts are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactSelection {
    All,
    /// No call edges: what code says about calls is to stand by itself.
    WithoutCalls,
}

/// All that the run showed. `progress` is told (rows looked at, all rows) at the start, and then now and then.
pub fn observed(past: &Past, progress: &mut dyn FnMut(u64, u64)) -> Result<Observed> {
    observed_as(past, FactSelection::All, progress)
}

pub fn observed_as(past: &Past, want: FactSelection, progress: &mut dyn FnMut(u64, u64)) -> Result<Observed> {
    let index = past.index();
    let all: u64 = index.streams().map(|(stream, _)| u64::from(index.calls(stream))).sum();
    let mut facts = Facts::new(past);
    let mut done = 0;
    progress(done, all);
    for (stream, _) in index.streams() {
        facts.open.clear();
        for (id, call) in index.all_calls(stream) {
            facts.row(id, &call);
            done += 1;
            if done & 0xf_ffff == 0 {
                progress(done, all);
                past.make_room();
            }
        }
    }
    Ok(facts.into_observed(want))
}

/// The class of a value, as few bits as there are cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Kind {
    Type(TypeId),
    Text,
    Class,
    /// Its descriptor letter.
    Box(u8),
}

/// Who made a call.
#[derive(Clone, Copy)]
enum Caller {
    Program(MethodId),
    Library,
    /// A part of the JDK that calls whatever it is told to.
    Reflection,
}

struct Facts<'a> {
    past: &'a Past,
    /// Open calls around the row, with their numbers.
    open: Vec<(u32, Caller)>,
    reflection: FxHashMap<CalleeId, bool>,
    entries: HashSet<MethodId>,
    calls: Distinct<(MethodId, u16, MethodId)>,
    /// And whether reflection or the VM gave it.
    results: Distinct<(MethodId, u16, Kind, bool)>,
    arguments: Distinct<(MethodId, u8, Kind, bool)>,
}

impl<'a> Facts<'a> {
    fn new(past: &'a Past) -> Facts<'a> {
        Facts {
            past,
            open: Vec::new(),
            reflection: FxHashMap::default(),
            entries: HashSet::new(),
            calls: Distinct::default(),
            results: Distinct::default(),
            arguments: Distinct::default(),
        }
    }

    fn row(&mut self, id: CallId, call: &CallRow) {
        // Rows come in the order in which calls began, so the callers are on this stack.
        match call.parent {
            Some(parent) => {
                while self.open.last().is_some_and(|&(row, _)| row > parent) {
                    self.open.pop();
                }
            }
            None => self.open.clear(),
        }
        let caller =
            self.open.last().filter(|&&(row, _)| Some(row) == call.parent).map(|&(_, caller)| caller);
        match call.target {
            Target::Method(method) => {
                match caller {
                    Some(Caller::Program(caller)) if call.bci != NO_BCI => {
                        self.calls.add((caller, call.bci, method));
                    }
                    _ => self.entry(id, method, matches!(caller, None | Some(Caller::Reflection))),
                }
                self.open.push((id.index, Caller::Program(method)));
            }
            Target::Library(callee) => {
                // Most call nothing and give nothing, and need not be looked at.
                let gave = match call.ending {
                    Ending::Returned(Some(value)) => self.kind(value),
                    _ => None,
                };
                let made = match gave.is_some() || call.children > 0 {
                    true => self.library(callee),
                    false => Caller::Library,
                };
                if let (Some(Caller::Program(caller)), Some(kind)) = (caller, gave) {
                    self.results.add((caller, call.bci, kind, matches!(made, Caller::Reflection)));
                }
                self.open.push((id.index, made));
            }
        }
    }

    fn library(&mut self, callee: CalleeId) -> Caller {
        let program = self.past.recording().program();
        let reflects = *self.reflection.entry(callee).or_insert_with(|| {
            program.callee(callee).is_some_and(|(owner, name, descriptor)| {
                is_reflection(&owner, &name) || declares(program, &owner, &name, &descriptor)
            })
        });
        if reflects { Caller::Reflection } else { Caller::Library }
    }

    /// A library or the VM called the program.
    fn entry(&mut self, id: CallId, method: MethodId, given: bool) {
        self.entries.insert(method);
        let Some(arguments) = self.past.index().arguments(id) else { return };
        for (at, &value) in arguments.receiver.iter().chain(&arguments.values).enumerate() {
            if let (Ok(at), Some(kind)) = (u8::try_from(at), self.kind(value)) {
                self.arguments.add((method, at, kind, given));
            }
        }
    }

    fn kind(&self, value: Value) -> Option<Kind> {
        match value {
            Value::Object(object) => self.past.recording().objects().type_of(object).map(Kind::Type),
            Value::Str(_) | Value::Literal { .. } => Some(Kind::Text),
            Value::Box { kind, .. } | Value::Box64 { kind, .. } => Some(Kind::Box(kind)),
            Value::Class(_) => Some(Kind::Class),
            Value::Enum { ty, .. } => Some(Kind::Type(ty)),
            _ => None,
        }
    }

    /// By names, sorted: the same run gives the same facts.
    fn into_observed(self, want: FactSelection) -> Observed {
        let program = self.past.recording().program();
        let member = |method| member(program, method);
        let mut out = Observed {
            entries: self.entries.into_iter().filter_map(member).collect(),
            calls: Vec::new(),
            seen: Vec::new(),
        };
        if want == FactSelection::All {
            let calls = self.calls.iter();
            out.calls = calls
                .filter_map(|(caller, bci, method)| {
                    Some((CodePoint { method: member(caller)?, bci }, member(method)?))
                })
                .collect();
        }
        for (caller, bci, kind, given) in self.results.iter() {
            if let (Some(method), Some(class)) = (member(caller), class_of(program, kind)) {
                let place = CodePoint { method, bci };
                let seen = if given { SeenAt::GivenResult(place) } else { SeenAt::Result(place) };
                out.seen.push((seen, class));
            }
        }
        for (method, at, kind, given) in self.arguments.iter() {
            if let (Some(method), Some(class)) = (member(method), class_of(program, kind)) {
                let seen = if given { SeenAt::Given(method, at) } else { SeenAt::Argument(method, at) };
                out.seen.push((seen, class));
            }
        }
        out.entries.sort_unstable();
        out.entries.dedup();
        out.calls.sort_unstable();
        out.calls.dedup();
        out.seen.sort_unstable();
        out.seen.dedup();
        out
    }
}

/// Does the program have this method? If something else was called in its place, a library made it: a proxy, a mock.
fn declares(program: &Program, owner: &str, name: &str, descriptor: &str) -> bool {
    let class = program.class_named(owner, 0).filter(|class| class.detail != Detail::Library);
    class
        .and_then(|class| program.model(class))
        .is_some_and(|model| model.methods.iter().any(|m| m.name == name && m.descriptor == descriptor))
}

pub(crate) fn member(program: &Program, method: MethodId) -> Option<MemberName> {
    let (class, method) = program.method(method)?;
    Some(MemberName {
        class: class.name.clone(),
        name: method.name.clone(),
        descriptor: method.descriptor.clone(),
    })
}

/// None for classes that no class file has: the VM makes them up for lambdas.
fn class_of(program: &Program, kind: Kind) -> Option<String> {
    let name = match kind {
        Kind::Type(ty) => {
            let ty = program.type_info(ty).filter(|ty| ty.flags & type_flag::HIDDEN == 0)?;
            return Some(ty.name.clone());
        }
        Kind::Text => names::STRING,
        Kind::Class => names::CLASS,
        Kind::Box(kind) => jdk::boxes::class_of(kind)?,
    };
    Some(name.to_owned())
}
