//! The variables of a call at a moment. A short call is replayed up to there; in a long one the replay starts from the
//! last kept state before the moment, which has the variables that are in scope.

use std::ops::ControlFlow;

use index::{CallId, Ending, Position, Time};
use render::KnownValue;
use trace::tables::Detail;
use trace::{EventKind, kinds};

use crate::history::{HistoryEntry, Manner};
use crate::past::Past;

/// Writes to one variable that are told, at most.
const MAX_WRITES: usize = 1_000_000;
/// Calls with more events than this are not replayed from their beginning.
pub(crate) const WALKED: u64 = 200_000;

/// What a variable holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VariableState {
    Value(KnownValue),
    /// Nothing was assigned to it yet.
    Unset,
    /// It is not in scope there, and what it held last lies too far back.
    OutOfScope,
}

impl VariableState {
    /// Its value; unknown if it has none there.
    pub fn known(self) -> KnownValue {
        match self {
            VariableState::Value(known) => known,
            VariableState::Unset | VariableState::OutOfScope => KnownValue::Unknown,
        }
    }
}

/// A variable of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    pub name: String,
    pub descriptor: String,
    pub held: VariableState,
}

impl Past {
    /// The variables of a call as they are right after a moment in it: `this`, parameters, locals. What it returned is
    /// not among them.
    pub fn variables_at(&self, call: CallId, time: Time) -> Vec<Variable> {
        let (Some(info), Some(row)) = (self.call(call), self.index.call(call)) else { return Vec::new() };
        let until = self.index.happened(call.stream, time).saturating_sub(1).min(row.exit);
        let begun = time >= info.entry;
        let first =
            |value| if begun { VariableState::Value(KnownValue::Value(value)) } else { VariableState::Unset };
        let this = info.receiver.map(|value| ("this".to_owned(), String::new(), value));
        let args = info.args.into_iter().map(|arg| (arg.name, arg.descriptor, arg.value));
        let given = this.into_iter().chain(args);
        let mut list: Vec<Variable> = given
            .map(|(name, descriptor, value)| Variable { name, descriptor, held: first(value) })
            .collect();
        let method = self.method_of(call).and_then(|method| self.recording.program().method(method));
        let Some((class, method)) = method else { return list };
        let untold = if class.detail == Detail::Full {
            VariableState::Unset
        } else {
            VariableState::Value(KnownValue::Unknown)
        };
        for (_, name, descriptor) in method.locals() {
            if !list.iter().any(|known| known.name == name) {
                list.push(Variable {
                    name: name.to_owned(),
                    descriptor: descriptor.to_owned(),
                    held: untold,
                });
            }
        }
        if until <= row.entry || class.detail != Detail::Full {
            return list;
        }
        let mut from = None;
        if until.saturating_sub(row.entry) > WALKED {
            let position = Position { stream: call.stream, ordinal: until };
            let kept = self.index.checkpoint(position).filter(|kept| kept.events > row.entry);
            let around = self.depth_of(call).and_then(|depth| (depth as usize).checked_sub(1));
            let kept = kept.zip(around).and_then(|(kept, around)| {
                let variables = kept.variables(self.recording.program(), around)?;
                Some((kept.events, variables))
            });
            let at = |ordinal| self.index.time(Position { stream: call.stream, ordinal });
            if let Some((start, (_, variables))) = kept.and_then(|kept| Some((at(kept.0.min(until))?, kept)))
            {
                from = Some(start);
                list.iter_mut().for_each(|variable| variable.held = VariableState::OutOfScope);
                for (name, value) in variables {
                    let known = KnownValue::Value(self.index.resolved(call.stream, value));
                    set(&mut list, &name, "", VariableState::Value(known));
                }
            }
        }
        self.walk(call, from, false, &mut |event, at| {
            if at.ordinal > until {
                return ControlFlow::Break(());
            }
            match event.kind {
                EventKind::LocalWrite { slot, value } => {
                    if let Some(site) = event.site {
                        let (name, descriptor) = self.local(site, slot);
                        let known = KnownValue::Value(self.index.resolved(at.stream, value));
                        set(&mut list, &name, &descriptor, VariableState::Value(known));
                    }
                }
                // From here on nothing is known of them.
                EventKind::Gap { .. } => {
                    list.iter_mut()
                        .for_each(|variable| variable.held = VariableState::Value(KnownValue::Unknown));
                }
                kinds! { threads calls writes branches creations exceptions locks contents Stop } => {}
            }
            ControlFlow::Continue(())
        });
        list
    }

    /// What a variable of a call held, up to a time or to its end.
    pub(crate) fn local_history(&self, call: CallId, name: &str, until: Option<Time>) -> Vec<HistoryEntry> {
        let mut entries = Vec::new();
        let Some(info) = self.call(call) else { return entries };
        let is_late = |time: Time| until.is_some_and(|until| time > until);
        if is_late(info.entry) {
            return entries;
        }
        entries.extend(self.given_entry(call, name));
        self.walk(call, None, false, &mut |event, at| {
            let Some(time) = self.index.time(at) else { return ControlFlow::Continue(()) };
            if is_late(time) || entries.len() == MAX_WRITES {
                return ControlFlow::Break(());
            }
            if let EventKind::LocalWrite { slot, value } = event.kind
                && let Some(site) = event.site
                && self.local(site, slot).0 == name
            {
                entries.push(HistoryEntry {
                    time,
                    position: at,
                    value: KnownValue::Value(self.index.resolved(at.stream, value)),
                    manner: Manner::Written,
                    call: Some(call),
                    place: Some(self.source_line(site)),
                });
            }
            ControlFlow::Continue(())
        });
        if name == "result" && !self.has_own_result(call) && !is_late(info.exit) {
            entries.extend(self.result_entry(call));
        }
        entries
    }

    /// What a call was given under a name, as a write at its beginning.
    pub(crate) fn given_entry(&self, call: CallId, name: &str) -> Option<HistoryEntry> {
        let info = self.call(call)?;
        let value = match name {
            "this" => info.receiver,
            name => info.args.iter().find(|arg| arg.name == name).map(|arg| arg.value),
        };
        Some(HistoryEntry {
            time: info.entry,
            position: self.index.position(info.entry)?,
            value: KnownValue::Value(value?),
            manner: Manner::Written,
            call: Some(call),
            place: info.site,
        })
    }

    /// What a call returned, as a write at its end.
    pub(crate) fn result_entry(&self, call: CallId) -> Option<HistoryEntry> {
        let info = self.call(call)?;
        let Ending::Returned(Some(value)) = info.ending else { return None };
        Some(HistoryEntry {
            time: info.exit,
            position: self.index.position(info.exit)?,
            value: KnownValue::Value(value),
            manner: Manner::Written,
            call: Some(call),
            place: None,
        })
    }

    /// Has the call a variable called `result`? Then that name does not mean what it returned.
    pub fn has_own_result(&self, call: CallId) -> bool {
        let method = self.method_of(call).and_then(|method| self.recording.program().method(method));
        method.is_some_and(|(_, method)| method.locals().any(|(_, name, _)| name == "result"))
    }

    pub(crate) fn local_descriptor(&self, call: CallId, name: &str) -> String {
        let Some(info) = self.call(call) else { return String::new() };
        if name == "result" && !self.has_own_result(call) {
            return info.result_descriptor;
        }
        if let Some(arg) = info.args.iter().find(|arg| arg.name == name) {
            return arg.descriptor.clone();
        }
        let method = self.method_of(call).and_then(|method| self.recording.program().method(method));
        let named = method.and_then(|(_, method)| {
            method.locals().find(|&(_, own, _)| own == name).map(|(_, _, descriptor)| descriptor.to_owned())
        });
        named.unwrap_or_default()
    }

    /// The names of a call's variables: `this`, parameters, locals, and `result`.
    pub fn variables(&self, call: CallId) -> Vec<String> {
        let Some(info) = self.call(call) else { return Vec::new() };
        let mut names: Vec<String> = info.receiver.iter().map(|_| "this".to_owned()).collect();
        names.extend(info.args.into_iter().map(|arg| arg.name));
        let method = self.method_of(call).and_then(|method| self.recording.program().method(method));
        if let Some((_, method)) = method {
            for (_, name, _) in method.locals() {
                if !names.iter().any(|known| known == name) {
                    names.push(name.to_owned());
                }
            }
            if method.locals().next().is_none() {
                self.walk(call, None, false, &mut |event, _| {
                    if let EventKind::LocalWrite { slot, .. } = event.kind {
                        let name = format!("local{slot}");
                        if !names.contains(&name) {
                            names.push(name);
                        }
                    }
                    ControlFlow::Continue(())
                });
            }
        }
        if !names.iter().any(|name| name == "result") {
            names.push("result".to_owned());
        }
        names
    }

    pub(crate) fn local_at(&self, call: CallId, name: &str, time: Time) -> KnownValue {
        if name == "result" && !self.has_own_result(call) {
            let Some(info) = self.call(call) else { return KnownValue::Unknown };
            return match info.ending {
                Ending::Returned(Some(value)) if time >= info.exit => KnownValue::Value(value),
                _ => KnownValue::Unknown,
            };
        }
        let found = self.variables_at(call, time).into_iter().find(|variable| variable.name == name);
        found.map_or(KnownValue::Unknown, |variable| variable.held.known())
    }
}

fn set(list: &mut Vec<Variable>, name: &str, descriptor: &str, held: VariableState) {
    match list.iter_mut().find(|variable| variable.name == name) {
        Some(variable) => variable.held = held,
        None => list.push(Variable { name: name.to_owned(), descriptor: descriptor.to_owned(), held }),
    }
}
