//! The source of a call with what ran marked and the values on it; bytecode where there is no source.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

use index::CallId;
use program::Source;
use render::{KnownValue, RenderLimits};
use trace::{EventKind, ObjectId, Value, kinds};

use crate::past::Past;

/// A line of a source file, or an instruction where there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Line number, or the place in the bytecode.
    pub number: u32,
    pub text: String,
    /// How often something happened on it in this call.
    pub executed: u64,
    /// Variables and locations written on it: name, last value.
    pub values: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SourceView {
    /// Where the text is from; none if there is no source.
    pub file: Option<String>,
    /// Lines are instructions.
    pub bytecode: bool,
    /// A reason not to believe that it is the source of what ran.
    pub suspicious: Option<String>,
    pub lines: Vec<Line>,
}

/// Values shown on one line, at most.
const MAX_VALUES: usize = 4;
/// Lines shown before the first one that runs, where nothing says where the method begins.
const AROUND: u32 = 2;
/// Lines that a method's head and its Javadoc take, at most.
const MAX_HEAD: u32 = 80;

#[derive(Default)]
struct Seen {
    executed: u64,
    values: Vec<(String, String)>,
}

impl Past {
    /// The file that a call's method stands in, compared with the class that ran. None for a call into a library, and
    /// where no source is found.
    pub fn source_of(&self, call: CallId) -> Option<Source> {
        let program = self.recording.program();
        let (class, _) = program.method(self.method_of(call)?)?;
        let named = program.model(class).and_then(|model| model.source_file.as_deref());
        let last_line = program::last_line(&class.bytes).ok().flatten();
        Some(self.sources.find(&class.name, named)?.checked(last_line, None))
    }

    /// The instructions of a call's method.
    pub fn listing(&self, call: CallId) -> Vec<(u32, String)> {
        let found = self.method_of(call).and_then(|method| {
            let (class, _) = self.recording.program().method(method)?;
            program::listing(&class.bytes, (method.0 - class.first_method.0) as usize).ok()
        });
        found.unwrap_or_default()
    }

    /// The instructions of a call's method, with what this call did there. None for a call into a library.
    pub fn bytecode(&self, call: CallId) -> Option<SourceView> {
        self.bytecode_until(call, None)
    }

    fn bytecode_until(&self, call: CallId, until: Option<u64>) -> Option<SourceView> {
        let mut seen = self.seen_in(call, false, until)?;
        let (class, _) = self.recording.program().method(self.method_of(call)?)?;
        let lines = self.listing(call).into_iter().map(|(bci, text)| {
            let Seen { executed, values } = seen.remove(&bci).unwrap_or_default();
            Line { number: bci, text, executed, values }
        });
        let file = self.recording.program().model(class).and_then(|model| model.source_file.clone());
        Some(SourceView { file, bytecode: true, suspicious: None, lines: lines.collect() })
    }

    /// What a call did, by lines or by instructions. Values are those of one moment: written last up to this event.
    fn seen_in(&self, call: CallId, by_line: bool, until: Option<u64>) -> Option<BTreeMap<u32, Seen>> {
        let method = self.method_of(call)?;
        let (_, model) = self.recording.program().method(method)?;
        let has_names = model.locals().next().is_some();
        // Arrays of which only the operand stack knows: elements of varargs and initialisers.
        let mut nameless: HashSet<ObjectId> = HashSet::new();
        let mut seen: BTreeMap<u32, Seen> = BTreeMap::new();
        let limits = RenderLimits { depth: 1, elements: 8, string: 40, width: 60, named: false };
        self.walk(call, None, false, &mut |event, at| {
            let Some(site) = event.site.filter(|site| site.method == method && !event.library) else {
                return ControlFlow::Continue(());
            };
            let number =
                if by_line { model.line(site.bci).map(u32::from) } else { Some(u32::from(site.bci)) };
            let Some(number) = number else { return ControlFlow::Continue(()) };
            let entry = seen.entry(number).or_default();
            if !matches!(event.kind, EventKind::Enter { .. }) {
                entry.executed += 1;
            }
            if until.is_some_and(|until| at.ordinal > until) {
                return ControlFlow::Continue(());
            }
            let time = self.index.time(at);
            let shown = |value, descriptor: &str| {
                let value = self.index.resolved(at.stream, value);
                time.map(|time| self.known_text(KnownValue::Value(value), descriptor, time, &limits))
            };
            let mut named = |value| match self.index.resolved(at.stream, value) {
                Value::Object(object) => nameless.remove(&object),
                _ => false,
            };
            let written = match event.kind {
                EventKind::NewArray { array, .. } => {
                    if let Value::Object(array) = self.index.resolved(at.stream, array) {
                        nameless.insert(array);
                    }
                    None
                }
                // The compiler's own.
                EventKind::LocalWrite { slot, value }
                    if has_names && model.local(slot, site.bci).is_none() =>
                {
                    named(value);
                    None
                }
                EventKind::LocalWrite { slot, value } => {
                    named(value);
                    let named = model.local(slot, site.bci);
                    let name = named.map_or_else(|| format!("local{slot}"), |(name, _)| name.to_owned());
                    shown(value, named.map_or("", |(_, descriptor)| descriptor)).map(|text| (name, text))
                }
                EventKind::FieldWrite { field, value, .. } | EventKind::StaticWrite { field, value } => {
                    named(value);
                    shown(value, &field.descriptor).map(|text| (field.name.clone(), text))
                }
                EventKind::ArrayWrite { array, index, value } => {
                    let array = match self.index.resolved(at.stream, array) {
                        Value::Object(array) => Some(array),
                        _ => None,
                    };
                    let descriptor = array.map_or_else(String::new, |array| self.element_descriptor(array));
                    let is_named = array.is_none_or(|array| !nameless.contains(&array));
                    let text = shown(value, &descriptor).filter(|_| is_named);
                    text.map(|text| (format!("[{index}]"), text))
                }
                kinds! {
                    threads calls branches exceptions locks contents losses BulkWrite New Named
                } => None,
            };
            if let Some((name, text)) = written {
                entry.values.retain(|(known, _)| *known != name);
                entry.values.push((name, text));
                if entry.values.len() > MAX_VALUES {
                    entry.values.remove(0);
                }
            }
            ControlFlow::Continue(())
        });
        Some(seen)
    }

    /// The source of a call's method, with what this call did on its lines; its instructions if it has no lines. None
    /// for a call into a library.
    pub fn source(&self, call: CallId) -> Option<SourceView> {
        self.source_until(call, None)
    }

    /// The same with what was written up to an event of the call, and nothing that came later.
    pub fn source_until(&self, call: CallId, until: Option<u64>) -> Option<SourceView> {
        let program = self.recording.program();
        let (class, model) = program.method(self.method_of(call)?)?;
        let lines = model.lines();
        if lines.is_empty() {
            return self.bytecode_until(call, until);
        }
        let mut seen = self.seen_in(call, true, until)?;
        let mut take = |number: u32| seen.remove(&number).unwrap_or_default();
        let first = lines.iter().map(|&(_, line)| u32::from(line)).min()?;
        let last = lines.iter().map(|&(_, line)| u32::from(line)).max()?;
        let Some(source) = self.source_of(call) else {
            let source_file = program.model(class).and_then(|model| model.source_file.clone());
            let mut numbers: Vec<u32> = lines.iter().map(|&(_, line)| u32::from(line)).collect();
            numbers.sort_unstable();
            numbers.dedup();
            let lines = numbers.into_iter().map(|number| {
                let Seen { executed, values } = take(number);
                Line { number, text: String::new(), executed, values }
            });
            let lines = lines.collect();
            return Some(SourceView { file: source_file, bytecode: false, suspicious: None, lines });
        };
        let wanted = beginning(&source, first)..=last.saturating_add(1);
        let lines = wanted.filter_map(|number| Some((number, source.line(number)?))).map(|(number, text)| {
            let Seen { executed, values } = take(number);
            Line { number, text: text.to_owned(), executed, values }
        });
        let lines = lines.collect();
        Some(SourceView {
            file: Some(source.path.clone()),
            bytecode: false,
            suspicious: source.suspicious.clone(),
            lines,
        })
    }
}

/// Where a method begins whose first instruction is on a line: with its Javadoc, which says what was intended; without
/// one a little before that line.
fn beginning(source: &Source, first: u32) -> u32 {
    let near = first.saturating_sub(AROUND).max(1);
    let line = |number: u32| source.line(number).map_or("", str::trim);
    let mut at = first;
    // Up over the head and its annotations, as long as nothing ends a member before it.
    while at > 1 && first - at < MAX_HEAD {
        let above = line(at - 1);
        if above.ends_with("*/") {
            let mut top = at - 1;
            while top > 1 && at - top < MAX_HEAD && !line(top).starts_with("/*") {
                top -= 1;
            }
            let javadoc = line(top).starts_with("/**");
            return if javadoc { top.min(near) } else { near };
        }
        if above.is_empty() || above.ends_with(['}', ';']) {
            break;
        }
        at -= 1;
    }
    near
}
