//! Replay against record: at `heap` every call and every write is stored as it happened, at `full` most of them are
//! recomputed by the reader. Both tell of the same run, so they must tell the same.

use std::collections::HashMap;
use std::ops::ControlFlow;

use trace::{Event, EventKind, ObjectId, PendingId, Recording, Thread, Value};

use crate::debuggee::{Jdk, Openable, Program, check_all, jdks};

#[test]
fn what_is_replayed_equals_what_is_recorded() {
    for jdk in jdks() {
        let programs = [
            Program::new("events", &["Events", "200"]).with_options(&["--exclude", "report"]),
            Program::new("examples", &["BottomUpMergeSort"]),
            Program::new("linked", &["app.Main", "steady"]).with_options(&["--exclude", "lib"]),
            Program::new("linked", &["app.Mixed"]),
            Program::new("awkward", &["ArrayWork"]),
            Program::new("awkward", &["ConstructorExceptions"]),
            Program::new("awkward", &["FinallyJumps"]),
            Program::new("awkward", &["Generics"]),
            Program::new("awkward", &["Switches"]),
            Program::new("awkward", &["WideSlots"]),
        ];
        check_all(&programs, |program| difference(program, &jdk));
    }
}

fn difference(program: &Program, jdk: &Jdk) -> Option<String> {
    let tell = |detail| {
        let (ran, recorded) = program.record(jdk, &["--detail", detail]);
        let recording = recorded.open();
        let threads = recording.threads();
        let told: Vec<StoredEvents> =
            threads.iter().map(|thread| StoredEvents::of(&recording, thread)).collect();
        (ran, told)
    };
    let ((plain, full), (same, heap)) = (tell("full"), tell("heap"));
    let fault = |text: String| Some(format!("{} on Java {}: {text}", program.name, jdk.version));
    if plain != same {
        return fault("does not do the same in both runs".to_owned());
    }
    let names = |told: &[StoredEvents]| told.iter().map(|told| told.thread.clone()).collect::<Vec<_>>();
    if names(&full) != names(&heap) {
        return fault(format!("threads {:?} at full, {:?} at heap", names(&full), names(&heap)));
    }
    for (full, heap) in full.iter().zip(&heap) {
        if full.lines.len() < 20 && full.thread == "main" {
            return fault(format!("only {} events: nothing is compared", full.lines.len()));
        }
        let differs = full.lines.iter().zip(&heap.lines).position(|(full, heap)| full != heap);
        let at = differs.unwrap_or(full.lines.len().min(heap.lines.len()));
        if differs.is_some() || full.lines.len() != heap.lines.len() {
            let before = &full.lines[at.saturating_sub(3)..at];
            let (full, heap) = (full.lines.get(at), heap.lines.get(at));
            return fault(format!("event {at}:\n  full {full:?}\n  heap {heap:?}\n  after {before:#?}"));
        }
    }
    None
}

/// Calls and writes of a thread, without those of libraries: which of their objects are followed depends on what the
/// program was seen to hold, and that is more at `full`. Objects are numbered as they come, so that two runs can be compared.
struct StoredEvents {
    thread: String,
    lines: Vec<String>,
}

impl StoredEvents {
    fn of(recording: &Recording, thread: &Thread) -> StoredEvents {
        let mut names = Names::default();
        recording.events(thread.stream, |event| {
            if let EventKind::Named { pending, object: Value::Object(id) } = event.kind {
                names.pending.insert(pending, id);
            }
            ControlFlow::Continue(())
        });
        let mut lines = Vec::new();
        recording.events(thread.stream, |event| {
            if !event.library {
                lines.extend(line(recording, event, &mut names));
            }
            ControlFlow::Continue(())
        });
        StoredEvents { thread: thread.name.clone(), lines }
    }
}

#[derive(Default)]
struct Names {
    pending: HashMap<PendingId, ObjectId>,
    numbers: HashMap<ObjectId, usize>,
}

impl Names {
    fn value(&mut self, recording: &Recording, value: Value) -> String {
        let id = match value {
            Value::Object(id) => id,
            Value::Pending(pending) => match self.pending.get(&pending) {
                Some(&id) => id,
                None => return "an object that was never finished".to_owned(),
            },
            value => return recording.value(value, ""),
        };
        let next = self.numbers.len();
        let number = *self.numbers.entry(id).or_insert(next);
        let ty = recording.objects().type_of(id).map_or("?".to_owned(), |ty| recording.type_name(ty));
        // Hidden classes have another address in each run.
        format!("{}#{number}", ty.split("/0x").next().unwrap_or_default())
    }
}

fn line(recording: &Recording, event: &Event<'_>, names: &mut Names) -> Option<String> {
    // At `heap` the end of a call does not say where in the method it was.
    let place = match event.kind {
        EventKind::Exit { .. } | EventKind::Unwind { .. } => recording.method_name(event.site?.method),
        _ => recording.place(event.site?),
    };
    let kind = event.kind.name();
    let mut show = |value: Value| names.value(recording, value);
    let details = match event.kind {
        EventKind::Enter { receiver, args, .. } => {
            let receiver = receiver.filter(|receiver| matches!(receiver, Value::Object(_)));
            receiver.iter().chain(args).map(|&value| show(value)).collect::<Vec<_>>().join(", ")
        }
        EventKind::Exit { value } => value.map_or(String::new(), &mut show),
        EventKind::Unwind { exception: Some(exception), .. } => show(exception),
        EventKind::FieldWrite { object, field, value } => {
            format!("{}.{} = {}", show(object), field.name, show(value))
        }
        EventKind::StaticWrite { field, value } => {
            format!("{}.{} = {}", field.owner, field.name, show(value))
        }
        EventKind::ArrayWrite { array, index, value } => {
            format!("{}[{index}] = {}", show(array), show(value))
        }
        _ => return None,
    };
    Some(format!("{kind} {place} depth {} {details}", event.depth))
}
