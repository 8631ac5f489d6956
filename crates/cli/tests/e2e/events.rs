//! Everything is there: programs say their own events (`fixtures/events`), and the recording holds exactly those, in
//! that order, for each thread.

use std::collections::HashMap;
use std::ops::ControlFlow;

use classfile::MethodDescriptor;
use classfile::opcode::ATHROW;
use trace::{Event, EventKind, Recording, Site, StreamId, Value};

use crate::debuggee::{Jdk, Openable, Program, jdks};

#[test]
fn a_recording_holds_exactly_what_the_program_says() {
    for jdk in jdks() {
        check(&jdk, &["Events", "300"], 1);
    }
}

#[test]
fn each_thread_has_its_own_events_in_its_own_order() {
    for jdk in jdks() {
        check(&jdk, &["EventsThreads", "8"], 9);
    }
}

fn check(jdk: &Jdk, command: &[&str], threads: usize) {
    let program = Program::new("events", command).with_options(&["--exclude", "report"]);
    let (ran, recorded) = program.record(jdk, &[]);
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
    let recording = recorded.open();
    let streams: HashMap<String, StreamId> =
        recording.threads().into_iter().map(|thread| (thread.name, thread.stream)).collect();
    let said = said(&ran.stdout);
    assert_eq!(said.len(), threads);
    for (thread, said) in said {
        let got = recorded_lines(&recording, streams[thread]);
        for (at, (said, got)) in said.iter().zip(&got).enumerate() {
            assert!(
                same(said, got),
                "Java {}, {thread}, event {at}: said {said:?}, recorded {got:?}",
                jdk.version
            );
        }
        assert_eq!(got.len(), said.len(), "Java {}, {thread}: events said and recorded", jdk.version);
    }
    assert_eq!(recorded.faults(), None);
}

/// The threads and what each said.
fn said(stdout: &str) -> Vec<(&str, Vec<&str>)> {
    let mut threads: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in stdout.lines() {
        if let Some(name) = line.strip_prefix("#T ") {
            threads.push((name, Vec::new()));
        } else if let Some(event) = line.strip_prefix("#E ") {
            threads.last_mut().unwrap().1.push(event);
        }
    }
    threads
}

/// A lambda does not know itself, so the program cannot say it.
fn same(said: &str, got: &str) -> bool {
    said == got || (said == "local shift = null" && got.starts_with("local shift = "))
}

/// The events of a thread in the words of the program, without the kinds that it does not tell.
fn recorded_lines(recording: &Recording, stream: StreamId) -> Vec<String> {
    let mut told = Vec::new();
    recording.events(stream, |event| {
        if let Some(line) = event.site.filter(|_| !event.library).and_then(|site| say(recording, event, site))
        {
            told.push(line);
        }
        ControlFlow::Continue(())
    });
    told
}

fn say(recording: &Recording, event: &Event<'_>, site: Site) -> Option<String> {
    let method = recording.method_name(site.method);
    let descriptor = &recording.program().method(site.method).unwrap().1.descriptor;
    let show = |value: Value, descriptor: &str| shown(recording, value, descriptor);
    Some(match event.kind {
        EventKind::Enter { args, .. } => {
            let types = MethodDescriptor::parse(descriptor.as_bytes()).unwrap().parameters;
            let args = args.iter().zip(types).map(|(&arg, ty)| show(arg, std::str::from_utf8(ty).unwrap()));
            format!("enter {method}({})", args.collect::<Vec<_>>().join(", "))
        }
        EventKind::Exit { value: Some(value) } => {
            format!("exit {method} = {}", show(value, descriptor.rsplit(')').next().unwrap()))
        }
        EventKind::Exit { value: None } => format!("exit {method}"),
        EventKind::Unwind { exception, recorded: true } => {
            format!("unwind {method} {}", thrown(recording, exception))
        }
        EventKind::Unwind { .. } => format!("unwind {method} without a record"),
        EventKind::FieldWrite { field, value, .. } => {
            format!("field {}.{} = {}", field.owner, field.name, show(value, &field.descriptor))
        }
        EventKind::StaticWrite { field, value } => {
            format!("static {}.{} = {}", field.owner, field.name, show(value, &field.descriptor))
        }
        EventKind::ArrayWrite { array, index, value } => {
            let array = show(array, "");
            let element = letter(array.strip_suffix("[]").unwrap_or(""));
            format!("array {array} [{index}] = {}", show(value, element))
        }
        EventKind::LocalWrite { slot, value } => {
            let (name, descriptor) = recording.local_name(site, slot)?;
            format!("local {name} = {}", show(value, descriptor))
        }
        EventKind::Throw { exception } if recording.program().opcode(site) == Some(ATHROW) => {
            format!("throw {}", thrown(recording, exception))
        }
        EventKind::Catch { exception } => format!("catch {method} {}", thrown(recording, exception)),
        EventKind::Gap { why } => format!("gap {}", words::gap_reason(why)),
        _ => return None,
    })
}

/// Objects as the program shows them: by class, arrays by their simple name.
fn shown(recording: &Recording, value: Value, descriptor: &str) -> String {
    match class_of(recording, value) {
        Some(name) if name.starts_with('[') => trace::simple_name(&name),
        Some(name) => name.replace('/', "."),
        None => recording.value(value, descriptor),
    }
}

fn thrown(recording: &Recording, exception: Option<Value>) -> String {
    let Some(Value::Object(id)) = exception else { return format!("{exception:?}") };
    let class = class_of(recording, Value::Object(id)).unwrap().replace('/', ".");
    let message = recording.objects().message(id).and_then(|message| recording.objects().string(message));
    message.map_or(class.clone(), |message| format!("{class}: {}", message.text))
}

fn class_of(recording: &Recording, value: Value) -> Option<String> {
    let Value::Object(id) = value else { return None };
    let ty = recording.objects().type_of(id)?;
    Some(recording.program().type_info(ty)?.name.clone())
}

/// The descriptor letter of a type of elements, as far as it changes how they are shown.
fn letter(element: &str) -> &'static str {
    match element {
        "boolean" => "Z",
        "char" => "C",
        _ => "",
    }
}
