//! How often control came to the lines of a call, against what `fixtures/loops` was written to do, and the way from a
//! line to its events, against the list of all events.

use analysis::{By, OnLine, last_on_line, next_on_line, passes};
use index::Evidence;
use past::{CallId, Past, ShownEvent, Time};
use testkit::{Program, jdk17};

const ALL: u64 = u64::MAX;

fn recorded() -> Past {
    crate::past(&Program::new("loops", &["Loops"]), &jdk17())
}

fn counts(past: &Past, call: CallId, moment: Option<Time>) -> String {
    let told = passes(past, call, By::Line, moment, ALL).unwrap();
    assert!(told.complete);
    let count = |pass: &analysis::LineExecution| if moment.is_some() { pass.until } else { pass.count };
    let lines = told.lines.iter().map(|(line, pass)| format!("{line}:{}", count(pass)));
    lines.collect::<Vec<_>>().join(" ")
}

fn own_events(past: &Past, call: CallId) -> Vec<ShownEvent> {
    let row = past.index().call(call).unwrap();
    let mut events = past.events(call, None, 10_000, false).events;
    // That it begins is no event on a line of it.
    events.retain(|event| event.position.ordinal > row.entry && event.kind != "enter");
    events
}

#[test]
fn lines_are_counted_when_control_comes_to_them_also_those_without_events() {
    let past = recorded();
    let expected = [
        // `break` in line 97 is a jump, and no event.
        ("breaks#1", "94:3 95:3 96:1 97:1 99:2 101:1"),
        ("doWhile#1", "54:1 56:3 57:3 58:1"),
        ("continued#1", "67:6 68:5 69:2 71:1"),
        ("throwsOut#1", "120:3 121:3 122:2 124:1 125:1 127:1"),
        // A line is come to once, however often control goes round on it.
        ("counted#1", "40:1 41:1"),
    ];
    for (name, expected) in expected {
        let call = past.find_call(&format!("Loops.{name}")).unwrap();
        assert_eq!(counts(&past, call, None), expected, "{name}");
    }
}

#[test]
fn at_a_moment_only_what_happened_until_then_is_counted_and_written() {
    let past = recorded();
    let call = past.find_call("Loops.breaks#1").unwrap();
    let events = own_events(&past, call);
    let second = events.iter().filter(|event| event.text.starts_with("i = ")).nth(1).unwrap();
    assert_eq!(counts(&past, call, Some(second.time)), "94:2 95:1 96:0 97:0 99:1 101:0");
    let told = passes(&past, call, By::Line, Some(second.time), ALL).unwrap();
    assert_eq!(told.current, Some(94));
    let written = &told.lines[&94].written;
    assert_eq!(
        written.iter().map(|one| (one.name.as_str(), one.value)).collect::<Vec<_>>(),
        [("i", past::Value::Int(1))]
    );
}

#[test]
fn a_call_that_is_too_long_tells_what_was_counted_and_that_it_is_not_all() {
    let past = recorded();
    let call = past.find_call("Loops.breaks#1").unwrap();
    let told = passes(&past, call, By::Line, None, 6).unwrap();
    assert!(!told.complete && told.lines.contains_key(&95) && !told.lines.contains_key(&101), "{told:?}");
    let end = past.call(call).unwrap().exit;
    assert_eq!(passes(&past, call, By::Line, Some(end), 6).unwrap().current, Some(101));
}

#[test]
fn a_line_leads_through_all_its_events_in_both_directions() {
    let past = recorded();
    for name in ["breaks#1", "continued#1", "throwsOut#1"] {
        let call = past.find_call(&format!("Loops.{name}")).unwrap();
        let events = own_events(&past, call);
        let mut lines: Vec<u32> = events.iter().filter_map(|event| event.place.as_ref()?.line).collect();
        lines.sort_unstable();
        lines.dedup();
        for line in lines {
            let on_line = events
                .iter()
                .filter(|event| event.place.as_ref().is_some_and(|place| place.line == Some(line)));
            let expected: Vec<Time> = on_line.map(|event| event.time).collect();
            let at = |found| match found {
                OnLine::At(time) => Some(time),
                _ => None,
            };
            let next =
                |time: Option<Time>| at(next_on_line(&past, call, (By::Line, line), time, ALL).unwrap());
            let forwards = std::iter::successors(next(None), |&at| next(Some(at)));
            assert_eq!(forwards.collect::<Vec<_>>(), expected, "{name} line {line}");
            let last = |time: Time| at(last_on_line(&past, call, (By::Line, line), time, ALL).unwrap());
            let backwards = std::iter::successors(last(Time(past.index().events())), |&at| last(at));
            let mut backwards: Vec<Time> = backwards.collect();
            backwards.reverse();
            assert_eq!(backwards, expected, "{name} line {line} backwards");
        }
    }
}
