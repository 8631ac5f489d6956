//! Requests that a server answered: outermost calls of its threads that are given a request, or whose method says by an
//! annotation that it answers them. Those that ended by an exception, or with a status that says so, are symptoms.

use std::collections::HashMap;

use base::{CallId, Ending, MethodId, Target, Time, Value};
use classfile::MethodDescriptor;
use jdk::requests::Asked;
use past::Past;
use render::Heap;

use super::failure::{Call, exception_text, shown};
use super::{MAX_ROOTS, Symptom, SymptomKind, SymptomReason, annotations, ended, outermost};

/// A request, and the outermost call that answered it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// From 1 on, in order of time.
    pub number: usize,
    pub call: CallId,
    pub time: Time,
    /// `GET /orders/7`, as far as the program asked for it; otherwise the method's name.
    pub text: String,
}

/// Calls in a request that are looked at for what was asked.
const MAX_LOOKED_AT: usize = 200;
/// Answers with a status that are looked at.
const MAX_ANSWERS: usize = 100_000;

/// All requests of a run, in order of time.
pub fn requests(past: &Past) -> Vec<Request> {
    let mut found: Vec<(Time, CallId)> = Vec::new();
    let mut methods: HashMap<MethodId, bool> = HashMap::new();
    for stream in past.streams() {
        for call in past.roots(stream, 0, MAX_ROOTS) {
            let Some(row) = past.call_row(call) else { continue };
            let Target::Method(method) = row.target else { continue };
            if *methods.entry(method).or_insert_with(|| answers(past, method)) {
                let entry = past::Position { stream, ordinal: row.entry };
                found.extend(past.time(entry).map(|time| (time, call)));
            }
        }
    }
    found.sort_unstable();
    let number = |(at, (time, call)): (usize, (Time, CallId))| Request {
        number: at + 1,
        call,
        time,
        text: text(past, call),
    };
    found.into_iter().enumerate().map(number).collect()
}

impl Request {
    /// As a symptom that the person named.
    pub fn symptom(&self, past: &Past) -> Symptom {
        let why = SymptomReason::Request { number: self.number, text: self.text.clone(), failed: None };
        let place = past.method_place(self.call);
        Symptom { kind: SymptomKind::Request, time: Some(self.time), place, ..Symptom::of(self.call, why) }
    }
}

/// The requests that show that something went wrong.
pub fn failed(past: &Past) -> Vec<Symptom> {
    let all = requests(past);
    if all.is_empty() {
        return Vec::new();
    }
    let refused = refused(past);
    let mut found = Vec::new();
    for request in all {
        let (failed, shown) = match past.call_row(request.call).map(|row| row.ending) {
            Some(Ending::Threw(Some(Value::Object(exception)))) => {
                let shown = shown(past, request.call, exception);
                (exception_text(past, exception, &shown), shown)
            }
            Some(Ending::Threw(_)) => {
                let time = ended(past, request.call);
                ("an exception that is not known".to_owned(), Symptom { time, ..request.symptom(past) })
            }
            _ => match refused.get(&request.call) {
                Some((answer, status)) => (format!("status {status}"), answered(past, *answer, &request)),
                None => continue,
            },
        };
        let why = SymptomReason::Request { number: request.number, text: request.text, failed: Some(failed) };
        found.push(Symptom { kind: SymptomKind::Request, why, call: request.call, ..shown });
    }
    found
}

/// What shows of a request that was answered with a status that says that the server failed.
fn answered(past: &Past, answer: CallId, request: &Request) -> Symptom {
    let plain = request.symptom(past);
    let Some(info) = past.call(answer) else { return plain };
    let call = Call { info: &info, expressions: None };
    Symptom {
        time: Some(info.entry),
        place: info.site.clone(),
        wrong: call.operand(past, usize::from(info.receiver.is_some())),
        ..plain
    }
}

/// By outermost call: the first answer in it whose status says that the server failed.
fn refused(past: &Past) -> HashMap<CallId, (CallId, i32)> {
    let mut found = HashMap::new();
    for (group, owner, name, ..) in past.methods() {
        if !jdk::requests::sets_status(owner, name) {
            continue;
        }
        for call in past.ranked_from(group, 0).take(MAX_ANSWERS) {
            let status = past.arguments(call).and_then(|given| given.values.first().copied());
            if let Some(Value::Int(status)) = status
                && status >= jdk::requests::SERVER_ERROR
                && let Some(root) = outermost(past, call)
            {
                found.entry(root).or_insert((call, status));
            }
        }
    }
    found
}

/// Does a method answer requests?
fn answers(past: &Past, method: MethodId) -> bool {
    let Some((class, model)) = past.program().method(method) else { return false };
    let given = MethodDescriptor::parse(model.descriptor.as_bytes());
    let given = given.is_ok_and(|parsed| {
        parsed.parameters.iter().any(|one| std::str::from_utf8(one).is_ok_and(jdk::requests::is_request))
    });
    given || annotations::carries(class, model, &jdk::requests::ANNOTATIONS, jdk::requests::answers)
}

/// `GET /orders/7`, from what the program asked the request for.
fn text(past: &Past, call: CallId) -> String {
    let (mut method, mut path) = (None, None);
    for child in past.children(call, 0, MAX_LOOKED_AT) {
        let Some(row) = past.call_row(child) else { continue };
        let (Target::Library(_), Ending::Returned(Some(value))) = (row.target, row.ending) else { continue };
        let (.., name, descriptor) = past.target(row.target);
        let Some(asked) = jdk::requests::asked(&name).filter(|_| descriptor.starts_with("()")) else {
            continue;
        };
        let heap = past.heap_at(ended(past, child).unwrap_or(Time(0)));
        let Some(text) = heap.string(value).map(|text| text.text) else { continue };
        match asked {
            Asked::Method => method.get_or_insert(text),
            Asked::Path => path.get_or_insert(text),
        };
    }
    match (method, path) {
        (Some(method), Some(path)) => format!("{method} {path}"),
        (None, Some(path)) => path,
        _ => past.call_row(call).map_or_else(String::new, |row| past.method_name(row.target)),
    }
}
