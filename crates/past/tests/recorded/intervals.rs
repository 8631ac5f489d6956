//! What differs between two moments equals a comparison of everything that can be reached, variables of a long call
//! equal those of a replay from its beginning, and pages of a history equal the whole of it.

use std::collections::{HashMap, HashSet};

use index::Evidence;
use past::{CallId, Differs, KnownValue, Location, ObjectId, Past, Time, Value, VariableState, differs};
use testkit::{Program, check_all, jdk17};

const PROGRAMS: [(&str, &[&str]); 9] = [
    ("examples", &["BottomUpMergeSort"]),
    ("examples", &["Castling"]),
    ("examples", &["FileLister"]),
    ("state", &["PlainStates"]),
    ("state", &["ArrayStates"]),
    ("state", &["CollectionStates"]),
    ("state", &["ThreadStates"]),
    ("awkward", &["ArrayWork"]),
    ("awkward", &["Cloning"]),
];

#[test]
fn what_differs_inside_equals_comparing_everything() {
    check_all(&PROGRAMS, |(group, words)| {
        let past = crate::past(&Program::new(group, words), &jdk17());
        let mut faults = Vec::new();
        let mut decided = 0;
        for call in some_calls(&past, 200) {
            let Some(info) = past.call(call) else { continue };
            let interval = past.interval(info.entry, info.exit);
            let values = info.receiver.into_iter().chain(info.args.iter().map(|arg| arg.value));
            for root in values.filter_map(|value| object(KnownValue::Value(value))) {
                let Some(expected) = plain(&past, root, info.entry, info.exit) else { continue };
                let found = interval.inside(root);
                decided += usize::from(found != Differs::Maybe);
                if found != expected && found != Differs::Maybe {
                    let name = past.object_name(root);
                    faults.push(format!("{words:?} {} {name}: {found:?}, not {expected:?}", info.name));
                }
            }
        }
        if decided == 0 {
            faults.push(format!("{words:?}: nothing was decided"));
        }
        (!faults.is_empty()).then(|| faults.join("\n"))
    });
}

/// By comparing every location of every object that can be reached; none if these are many.
fn plain(past: &Past, root: ObjectId, from: Time, to: Time) -> Option<Differs> {
    let mut visited = HashSet::from([root]);
    let mut open = vec![root];
    let mut unsure = false;
    while let Some(one) = open.pop() {
        if visited.len() > 5_000 {
            return None;
        }
        for location in places(past, one) {
            let (before, after) = (past.value_at(&location, from), past.value_at(&location, to));
            match differs(before, after) {
                Differs::Yes => return Some(Differs::Yes),
                Differs::Maybe => unsure = true,
                Differs::No => {}
            }
            open.extend(object(after).filter(|&child| visited.insert(child)));
        }
    }
    Some(if unsure { Differs::Maybe } else { Differs::No })
}

fn places(past: &Past, object: ObjectId) -> Vec<Location> {
    if let Some(length) = past.recording().objects().length(object) {
        return (0..length).map(|index| Location::Element { array: object, index }).collect();
    }
    let Some(ty) = past.recording().objects().type_of(object) else { return Vec::new() };
    let fields = past.recording().program().instance_fields(ty);
    // Views that a map makes of itself are no part of what it holds.
    let views = ["keySet", "values", "entrySet", "navigableKeySet", "descendingMap", "modCount"];
    let fields = fields.into_iter().filter(|(_, field)| !views.contains(&field.name.as_str()));
    fields.map(|(field, _)| Location::Field { object, field }).collect()
}

fn object(known: KnownValue) -> Option<ObjectId> {
    match known {
        KnownValue::Value(Value::Object(object)) | KnownValue::Seen(Value::Object(object)) => Some(object),
        _ => None,
    }
}

/// Calls of program code spread over the run, the longest ones among them.
fn some_calls(past: &Past, count: usize) -> Vec<CallId> {
    let streams = past.streams();
    let all: Vec<(CallId, u64)> = streams
        .iter()
        .flat_map(|&stream| past.index().all_calls(stream))
        .filter(|(id, _)| past.method_of(*id).is_some())
        .map(|(id, call)| (id, call.exit - call.entry))
        .collect();
    let step = all.len().div_ceil(count).max(1);
    let mut chosen: Vec<CallId> = all.iter().step_by(step).map(|&(id, _)| id).collect();
    let mut longest = all;
    longest.sort_by_key(|&(_, events)| std::cmp::Reverse(events));
    chosen.extend(longest.into_iter().take(4).map(|(id, _)| id));
    chosen
}

#[test]
fn a_long_call_has_the_same_variables_and_writes_as_when_it_is_replayed_from_its_beginning() {
    for words in [&["MergeSortKernel", "2"], &["AvlKernel", "1"]] {
        let past = crate::past(&Program::new("bench", words), &jdk17());
        let (mut known, mut long) = (0, 0);
        for call in some_calls(&past, 4) {
            let Some(info) = past.call(call) else { continue };
            let is_long = info.events > 250_000;
            long += usize::from(is_long);
            // The whole history of a variable is a replay of the whole call: a few tell as much as all.
            let variables = if is_long { 3 } else { usize::MAX };
            let mut histories = HashMap::new();
            let moments = (0..=4).map(|part| Time(info.entry.0 + (info.exit.0 - info.entry.0) * part / 4));
            for time in moments {
                for variable in past.variables_at(call, time).into_iter().take(variables) {
                    let location = Location::Local { call, name: variable.name };
                    let whole = || past.history(&location).unwrap();
                    let all = histories.entry(location.clone()).or_insert_with(whole);
                    let split = all.partition_point(|entry| entry.time <= time);
                    let last = split.checked_sub(1).map(|at| all[at].value);
                    match variable.held {
                        VariableState::OutOfScope => {}
                        VariableState::Unset => assert_eq!(last, None, "{location:?} at {time:?}"),
                        VariableState::Value(value) => {
                            known += 1;
                            assert_eq!(last, Some(value), "{location:?} at {time:?}");
                        }
                    }
                    let page = past.writes_around(&location, time, 3, 3);
                    let near = page.entries.partition_point(|entry| entry.time <= time);
                    assert_eq!(
                        page.entries[..near],
                        all[split - near..split],
                        "{location:?} before {time:?}"
                    );
                    let later = &page.entries[near..];
                    assert_eq!(*later, all[split..split + later.len()], "{location:?} after {time:?}");
                    assert!(page.earlier || near == split, "{location:?}: earlier ones at {time:?}");
                    assert!(page.later || split + later.len() == all.len(), "{location:?}: later ones");
                }
            }
        }
        assert!(known > 20 && long > 0, "{words:?}: {known} values, {long} long calls");
    }
}

#[test]
fn a_page_of_a_history_is_a_part_of_it() {
    let past = crate::past(&Program::new("examples", &["BottomUpMergeSort"]), &jdk17());
    let location = past.find_location("BottomUpMergeSort.sort#1:a[2]", None).unwrap();
    let all = past.history(&location).unwrap();
    assert_eq!(all.len(), 4);
    let last = past.last_time().unwrap();
    for time in (0..=last.0).map(Time) {
        let page = past.writes_around(&location, time, 1, 1);
        let split = all.partition_point(|entry| entry.time <= time);
        let (from, to) = (split.saturating_sub(1), (split + 1).min(all.len()));
        assert_eq!(page.entries, all[from..to], "{time:?}");
        assert_eq!((page.earlier, page.later), (from > 0, to < all.len()), "{time:?}");
    }
}
