//! Stepping through a call, forwards and backwards, visits exactly the events that the call is said to have.

use index::Evidence;
use past::{CallId, Past, ShownEvent, Step, Target};
use testkit::{Program, check_all, jdks};

const PROGRAMS: [(&str, &str); 3] =
    [("examples", "BottomUpMergeSort"), ("examples", "FileLister"), ("events", "Events")];
/// So many events of a call are stepped through, and so many calls of a thread.
const EVENTS: usize = 40;
const CALLS: u32 = 100;

#[test]
fn steps_over_calls_visit_the_events_of_a_call_in_both_directions() {
    let jdks = jdks();
    let cases: Vec<_> = jdks.iter().flat_map(|jdk| PROGRAMS.map(|program| (jdk, program))).collect();
    check_all(&cases, |&(jdk, (group, program))| {
        let past = crate::past(&Program::new(group, &[program]), jdk);
        let mut checked = 0;
        for stream in past.streams() {
            for index in 0..past.index().calls(stream).min(CALLS) {
                let call = CallId { stream, index };
                if matches!(past.index().call(call).unwrap().target, Target::Method(_)) {
                    checked += 1;
                    if let Some(fault) = check(&past, call) {
                        return Some(format!("{program}, {}: {fault}", past.call_name(call)));
                    }
                }
            }
        }
        (checked == 0).then(|| format!("{program} has no calls"))
    });
}

fn check(past: &Past, call: CallId) -> Option<String> {
    let own = past.events(call, None, EVENTS, false).events;
    for pair in own.windows(2) {
        let (one, next) = (&pair[0], &pair[1]);
        // From a callee that was not called by an instruction there is nothing to step over: it has begun.
        if one.kind != "enter" || one.child == Some(call) {
            let over = past.step(one.position, &Step::Over);
            if time(&over) != Some(next.time) {
                return Some(format!("over from {:?} leads to {:?}, not to {next:?}", one, over));
            }
        }
        if next.kind != "enter" {
            let back = past.step(next.position, &Step::BackOver);
            if time(&back) != Some(one.time) {
                return Some(format!("back over from {next:?} leads to {back:?}, not to {one:?}"));
            }
        }
    }
    let deep = past.events(call, None, EVENTS, true).events;
    for pair in deep.windows(2) {
        let into = past.step(pair[0].position, &Step::Into);
        let back = past.step(pair[1].position, &Step::BackInto);
        if time(&into) != Some(pair[1].time) || time(&back) != Some(pair[0].time) {
            return Some(format!(
                "from {:?} into leads to {into:?}; back from {:?} to {back:?}",
                pair[0], pair[1]
            ));
        }
    }
    let (first, last) = (own.first()?, own.last()?);
    if own.len() == EVENTS {
        return None;
    }
    let out = past.step(first.position, &Step::Out);
    (time(&out) != Some(last.time)).then(|| format!("out leads to {out:?}, not to {last:?}"))
}

fn time(happened: &Option<ShownEvent>) -> Option<past::Time> {
    happened.as_ref().map(|happened| happened.time)
}
