//! A deep recursion can be stepped over at every level, although few of its calls say how.

use std::ops::ControlFlow;

use index::{Evidence, Position, WORTH_A_JUMP};
use past::{CallId, StreamId, Target};
use testkit::{Program, check_all, jdks};
use trace::EventKind;

/// What of an event is looked at: is it an `Enter`, or an end, or a return, and how many calls are open.
struct Told {
    enters: bool,
    ends: bool,
    returns: bool,
    depth: u32,
}

#[test]
fn few_calls_of_a_recursion_have_jumps_and_every_one_is_passed_over_soon() {
    check_all(&jdks(), |jdk| {
        let past = crate::past(&Program::new("loops", &["Recursion"]), jdk);
        let stream = past.streams().into_iter().max_by_key(|&stream| past.index().calls(stream)).unwrap();
        let mut told = Vec::new();
        past.recording().events(stream, |event| {
            let enters = matches!(event.kind, EventKind::Enter { .. });
            let ends = matches!(event.kind, EventKind::Exit { .. });
            let returns = matches!(event.kind, EventKind::Return { .. });
            told.push(Told { enters, ends, returns, depth: event.depth });
            ControlFlow::Continue(())
        });
        let jump = |at: usize| past.index().jump(Position { stream, ordinal: at as u64 });
        let (mut jumps, mut levels) = (0, 0);
        for (enter, first) in told.iter().enumerate().filter(|(_, one)| one.enters) {
            let end = (enter..told.len()).find(|&at| told[at].ends && told[at].depth == first.depth).unwrap();
            if let Some(jump) = jump(enter) {
                jumps += 1;
                if jump.events != end as u64 {
                    return Some(format!("the call of event {enter} ends at {end}, not at {}", jump.events));
                }
            }
            levels += usize::from(end - enter >= WORTH_A_JUMP as usize);
            let (mut at, mut replayed) = (enter + 1, 0);
            while at < end {
                let over = jump(at).filter(|_| told[at].enters);
                at = over.map_or(at + 1, |jump| jump.events as usize);
                replayed += 1;
            }
            if replayed >= WORTH_A_JUMP && jump(enter).is_none() {
                return Some(format!("the call of event {enter} takes {replayed} events and has no jump"));
            }
        }
        let (fewest, most) = (2, told.len() / 2048);
        if levels < 2000 || !(fewest..=most).contains(&jumps) {
            return Some(format!("{jumps} jumps for {levels} long calls in {} events", told.len()));
        }
        own_events_are_those_of_its_depth(&past, stream, &told)
    });
}

/// What is listed of some calls, the others being passed over, is what a plain reading has at that depth.
fn own_events_are_those_of_its_depth(past: &past::Past, stream: StreamId, told: &[Told]) -> Option<String> {
    for index in (0..past.index().calls(stream)).step_by(97) {
        let call = CallId { stream, index };
        let row = past.index().call(call)?;
        if !matches!(row.target, Target::Method(_)) {
            continue;
        }
        let enter = (row.entry as usize..told.len()).find(|&at| told[at].enters)?;
        let depth = told[enter].depth;
        // That a call came back is told with the call.
        let own = |&at: &u64| told[at as usize].depth == depth && !told[at as usize].returns;
        let naive: Vec<u64> = (enter as u64..=row.exit).filter(own).collect();
        let listed = past.events(call, None, 10_000, false).events;
        let listed: Vec<u64> = listed.iter().map(|one| one.position.ordinal).collect();
        if listed != naive {
            return Some(format!("of call {index} events {listed:?} are listed, not {naive:?}"));
        }
    }
    None
}
