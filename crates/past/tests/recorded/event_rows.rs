//! The rows of an event list from any place on are those of the whole list; what is unfolded is what a deep list has;
//! and what is marked is what the history says.

use std::collections::BTreeSet;

use index::Evidence;
use past::{CallId, ChangeMark, EventRow, Location, Past, Pointed, Target, Time};
use testkit::{Program, check_all, jdks};

const PROGRAMS: [(&str, &str); 3] =
    [("examples", "BottomUpMergeSort"), ("examples", "FileLister"), ("events", "Events")];
const CALLS: u32 = 150;
const EVENTS: usize = 400;
const LOCATIONS: usize = 25;

/// Checks the calls of some programs. What is checked says whether it has anything to say about a call, or what is
/// wrong; of every program there has to be something to say.
fn check_calls(check: impl Fn(&Past, CallId) -> Result<bool, String> + Sync) {
    let jdks = jdks();
    let cases: Vec<_> = jdks.iter().flat_map(|jdk| PROGRAMS.map(|program| (jdk, program))).collect();
    check_all(&cases, |&(jdk, (group, program))| {
        let past = crate::past(&Program::new(group, &[program]), jdk);
        let mut checked = 0;
        for stream in past.streams() {
            for index in 0..past.index().calls(stream).min(CALLS) {
                let call = CallId { stream, index };
                match check(&past, call) {
                    Ok(about) => checked += usize::from(about),
                    Err(fault) => return Some(format!("{program}, {}: {fault}", past.call_name(call))),
                }
            }
        }
        (checked == 0).then(|| format!("{program} has no call that this is about"))
    });
}

fn times(rows: &[EventRow]) -> Vec<u64> {
    rows.iter().map(|row| row.event.time.0).collect()
}

/// Calls within a call.
fn within(past: &Past, call: CallId) -> BTreeSet<CallId> {
    let size = past.index().call(call).unwrap().size;
    (call.index + 1..call.index + size).map(|index| CallId { index, ..call }).collect()
}

#[test]
fn folded_rows_are_the_calls_own_events_and_unfolded_ones_all() {
    check_calls(|past, call| {
        if !matches!(past.index().call(call).ok_or("the index has no such call")?.target, Target::Method(_)) {
            return Ok(false);
        }
        let own: Vec<u64> =
            past.events(call, None, EVENTS, false).events.iter().map(|one| one.time.0).collect();
        let folded = past.event_rows(call, &BTreeSet::new(), None, 0, EVENTS);
        // Class initialisers may run between the call and its beginning: they are in it, but not told as its own.
        let begun = |row: &&EventRow| own.first().is_none_or(|&first| row.event.time.0 >= first);
        let shown: Vec<EventRow> = folded.rows.iter().filter(begun).cloned().collect();
        // Where one of the lists was cut, the other is compared as far.
        let cut = own.len() == EVENTS || folded.rows.len() == EVENTS;
        let end = if cut { shown.len().min(own.len()) } else { usize::MAX };
        if !times(&shown).iter().take(end).eq(own.iter().take(end)) {
            return Err(format!("folded {:?}, own events {own:?}", times(&folded.rows)));
        }
        let deep = past.events(call, None, EVENTS, true).events;
        // A callee's beginning is told once, where it was called.
        let once = deep.iter().filter(|one| {
            let begun = one.child.filter(|&child| child != call).and_then(|child| past.index().call(child));
            one.kind != "enter" || begun.is_none_or(|begun| begun.entry == one.position.ordinal)
        });
        let whole = deep.len() < EVENTS;
        let all: Vec<u64> = once.map(|one| one.time.0).collect();
        let unfolded = past.event_rows(call, &within(past, call), None, 0, 2 * EVENTS);
        let mut shown: Vec<EventRow> = unfolded.rows.iter().filter(begun).cloned().collect();
        if !whole {
            shown.truncate(all.len());
        }
        if times(&shown) != all {
            return Err(format!("unfolded {:?}, deep {all:?}", times(&shown)));
        }
        Ok(!all.is_empty())
    });
}

#[test]
fn rows_around_any_moment_are_a_part_of_the_whole_list() {
    check_calls(|past, call| {
        let unfolded: BTreeSet<CallId> =
            within(past, call).into_iter().filter(|inner| inner.index % 3 != 0).collect();
        let whole = past.event_rows(call, &unfolded, None, 0, EVENTS);
        for at in (0..whole.rows.len()).step_by(7) {
            let part = past.event_rows(call, &unfolded, Some(whole.rows[at].event.time), 5, 6);
            let first = at.saturating_sub(5);
            let wanted = &whole.rows[first..(at + 6).min(whole.rows.len())];
            if wanted.len() == at + 6 - first && times(&part.rows) != times(wanted) {
                return Err(format!("around {at}: {:?}, not {:?}", times(&part.rows), times(wanted)));
            }
            // That there is nothing before is known for sure only if more was asked for.
            if part.before != at - first || part.is_first && first > 0 || at < 5 && !part.is_first {
                return Err(format!("around {at}: {} before, first {}", part.before, part.is_first));
            }
            // What a row stands for leads to it.
            let until =
                past.index().time(past::Position { ordinal: wanted[0].until, ..wanted[0].event.position });
            let found = past.event_rows(call, &unfolded, until, 1, 1);
            let last = found.rows.iter().rfind(|row| Some(row.event.time) <= until);
            if last.map(|row| row.event.time) != Some(wanted[0].event.time) {
                return Err(format!("{until:?} leads to {:?}", times(&found.rows)));
            }
        }
        Ok(!whole.rows.is_empty())
    });
}

#[test]
fn rows_are_marked_where_the_history_of_a_location_has_an_entry() {
    check_calls(|past, call| {
        let written = past.events(call, None, EVENTS, true).events.into_iter().filter_map(|one| one.location);
        let locations: BTreeSet<Location> = written.collect();
        let rows = past.event_rows(call, &BTreeSet::new(), None, 0, EVENTS).rows;
        let about = !rows.is_empty() && !locations.is_empty();
        for location in locations.into_iter().take(LOCATIONS) {
            let history = past.history(&location).unwrap();
            for (row, mark) in rows.iter().zip(past.changed_in(&rows, &location)) {
                // Where a call is entered stands for what it got, too.
                let is_entry = row.callee.is_none()
                    && row.event.kind == "enter"
                    && matches!(location, Location::Local { .. });
                let from = if is_entry {
                    past.index().call(call).ok_or("the index has no such call")?.entry
                } else {
                    row.event.position.ordinal
                };
                let changed = history.iter().any(|entry| {
                    entry.position.stream == call.stream
                        && (from..=row.until).contains(&entry.position.ordinal)
                });
                let wanted = match row.callee {
                    _ if !changed => None,
                    Some(_) => Some(ChangeMark::Within),
                    None => Some(ChangeMark::Here),
                };
                if mark != wanted {
                    let name = past.location_name(&location);
                    return Err(format!("{name} at {}: {mark:?}, not {wanted:?}", row.event.text));
                }
            }
        }
        Ok(about)
    });
}

#[test]
fn what_touched_an_object_is_the_same_from_any_moment_on() {
    check_calls(|past, call| {
        let receiver = past.call(call).ok_or("there is no such call")?.receiver;
        let Some(past::Value::Object(object)) = receiver else { return Ok(false) };
        let about = Pointed::Object(object);
        let whole = past.touches(&about, Time(0), 0, EVENTS);
        let looked_up: BTreeSet<Time> = past.index().of_object(object).map(|found| found.time).collect();
        let told: Vec<Time> = whole.list.iter().map(|touch| touch.time).collect();
        if told != looked_up.into_iter().take(EVENTS).collect::<Vec<_>>() {
            return Err(format!("touches at {told:?}"));
        }
        for at in (0..told.len()).step_by(5) {
            let part = past.touches(&about, told[at], 3, 4);
            let first = at.saturating_sub(3);
            let end = (at + 4).min(told.len());
            let times: Vec<Time> = part.list.iter().map(|touch| touch.time).collect();
            if told.len() < EVENTS && (times != told[first..end] || part.is_last != (end == told.len())) {
                return Err(format!("around {at}: {times:?}, not {:?}", &told[first..end]));
            }
        }
        Ok(!told.is_empty())
    });
}
