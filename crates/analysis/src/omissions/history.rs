//! What was done to the object, in a few numbers: they tell whether anything is missing at all, or something wrong was
//! written.

use std::collections::HashMap;

use index::{Evidence, PostingKind, Target};
use past::{ObjectId, Past, Time};

/// Postings of an object that are counted.
const COUNTED: usize = 10_000;
/// Writers that are named.
const NAMED: usize = 5;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteCounts {
    /// Writes by its constructors.
    pub constructing: u64,
    /// Writes after that.
    pub writes: u64,
    /// Who wrote most often after that: methods of the program (`Lister.addItem`), and how often.
    pub writers: Vec<(String, u64)>,
    /// There were more than are counted.
    pub cut: bool,
}

pub fn history(past: &Past, object: ObjectId, until: Time) -> WriteCounts {
    let mut told = WriteCounts::default();
    let mut by_method: HashMap<trace::MethodId, u64> = HashMap::new();
    let mut last = None;
    for (at, found) in past.index().of_object(object).take_while(|found| found.time <= until).enumerate() {
        if at == COUNTED {
            told.cut = true;
            break;
        }
        let written = match found.posting.what {
            PostingKind::Written(_) => found.posting.key.is_location(),
            PostingKind::Copied { .. } | PostingKind::Filled { .. } => true,
            // What a library does inside is not recorded; that it was told to is.
            PostingKind::Used { call, part: 0 } => {
                let call = past::CallId { stream: found.position.stream, index: call };
                changes_by_library(past, call, object)
            }
            _ => false,
        };
        if !written {
            continue;
        }
        let call = past.index().call_at(found.position);
        let constructing = match (call, last) {
            (Some(call), Some((before, known))) if call == before => known,
            (Some(call), _) => is_constructing(past, call, object),
            (None, _) => false,
        };
        last = call.map(|call| (call, constructing));
        if constructing {
            told.constructing += 1;
            continue;
        }
        told.writes += 1;
        let program = call.and_then(|call| past.program_call(call)).and_then(|call| past.method_of(call));
        if let Some(method) = program {
            *by_method.entry(method).or_default() += 1;
        }
    }
    let mut writers: Vec<(String, u64)> = by_method
        .into_iter()
        .map(|(method, count)| {
            let (class, name, _) = past.target(Target::Method(method));
            (format!("{}.{name}", trace::simple_name(&class)), count)
        })
        .collect();
    writers.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    writers.truncate(NAMED);
    told.writers = writers;
    told
}

fn changes_by_library(past: &Past, call: past::CallId, object: ObjectId) -> bool {
    let target = past.index().call(call).map(|row| row.target);
    let Some(target @ Target::Library(_)) = target else { return false };
    let (owner, name, _) = past.target(target);
    let receiver = past.index().arguments(call).and_then(|arguments| arguments.receiver);
    receiver == Some(past::Value::Object(object)) && jdk::calls::changes_receiver(&owner, &name)
}

/// Is the call, or one close around it, a constructor of this object?
fn is_constructing(past: &Past, call: past::CallId, object: ObjectId) -> bool {
    let mut at = Some(call);
    // Constructors call those of their superclasses, and methods of their own.
    for _ in 0..6 {
        let Some(call) = at else { return false };
        let Some(row) = past.index().call(call) else { return false };
        let receiver = past.index().arguments(call).and_then(|arguments| arguments.receiver);
        let receiver = receiver.map(|value| past.index().resolved(call.stream, value));
        if receiver == Some(past::Value::Object(object)) && past.target(row.target).1 == "<init>" {
            return true;
        }
        at = row.parent.map(|index| past::CallId { stream: call.stream, index });
    }
    false
}
