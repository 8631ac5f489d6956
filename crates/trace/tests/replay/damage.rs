//! Logs that end early, have holes, or do not fit the code: everything around the damage is still told.

use std::ops::ControlFlow;

use proptest::prelude::*;
use trace::StreamId;

use crate::lab::{Lab, compare, lines, program};
use crate::resume;

const NESTED: &str = "public class Main {
    int f;
    static int get(Main m) { return m.f; }
    static int go(Main m) { int x = get(m) + 1; int y = get(m) + x; return y; }
    static void spin() { for (;;); }
    static void spinThen(Main m) { while (true) { if (m.f > 3) return; } }
    static int busy(int n) { int s = 0; for (int i = 0; i < n; i++) s += i % 7; return s; }
}";

fn nested() -> Lab {
    let mut lab = Lab::new(NESTED);
    let m = program(1);
    lab.object(m, "Main").enter("Main.go").reference(m);
    lab.enter("Main.get").reference(m).int(4).exit().int(4);
    lab.enter("Main.get").reference(m).int(6).exit().int(6);
    lab.exit();
    lab
}

#[test]
fn a_record_that_does_not_fit_costs_only_its_call() {
    let mut lab = Lab::new(NESTED);
    let m = program(1);
    lab.object(m, "Main").enter("Main.go").reference(m);
    // The field is an int; the log has a long, and then more.
    lab.enter("Main.get").reference(m).long(4).int(1).returned().exit().int(4);
    lab.enter("Main.get").reference(m).int(6).exit().int(6);
    lab.exit();
    let (found, outcome) = lines(&lab.open());
    compare(
        &found,
        "1 enter Main.go:4 by-library (Main@1)
        1 call Main.go:4 Main.get (Main@1)
        2 enter Main.get:3 (Main@1)
        2 gap Main.get:3 the log has a value of another kind
        2 exit Main.get:3 -
        1 return Main.go:4 4
        1 local Main.go:4 x = 5
        1 call Main.go:4 Main.get (Main@1)
        2 enter Main.get:3 (Main@1)
        2 exit Main.get:3 6
        1 return Main.go:4 6
        1 local Main.go:4 y = 11
        1 exit Main.go:4 11",
    );
    assert_eq!((outcome.gap_count, outcome.open), (1, 0));
    assert!(!lab.open().verify().ok);
    resume::check(&lab.open(), StreamId(1), &[1, 7]);
}

#[test]
fn an_unknown_method_is_a_gap_and_its_caller_goes_on() {
    let mut lab = Lab::new(NESTED);
    let m = program(1);
    lab.object(m, "Main").enter("Main.go").reference(m);
    lab.put(trace::record::Record::Enter(trace::MethodId(999))).int(1).exit();
    lab.enter("Main.get").reference(m).int(4).exit().int(4);
    lab.enter("Main.get").reference(m).int(6).exit().int(6).exit();
    let (found, outcome) = lines(&lab.open());
    assert_eq!(found[3], "2 gap method 999@0 the method is not in the tables");
    assert_eq!(found.last().unwrap(), "1 exit Main.go:4 11");
    assert_eq!(outcome.gap_count, 1);
    resume::check(&lab.open(), StreamId(1), &[1, 7]);
}

#[test]
fn a_log_that_is_cut_anywhere_gives_the_beginning_of_the_same_events() {
    let lab = nested();
    let (whole, outcome) = lines(&lab.open());
    assert_eq!((outcome.gap_count, outcome.open), (0, 0));
    let mut longest = 0;
    for cut in 0..lab.log.len() {
        let valid = trace::record::valid_len(&lab.log[..cut]);
        let recording = lab.open_with(|log| vec![log[..valid].to_vec()]);
        assert_eq!(recording.damaged(), &[]);
        let (found, outcome) = lines(&recording);
        assert_eq!(found, whole[..found.len()], "cut at {cut}");
        assert_eq!(outcome.gap_count, 0, "cut at {cut}");
        assert!(found.len() >= longest, "cut at {cut}");
        longest = found.len();
    }
    assert_eq!(longest, whole.len() - 1);
}

#[test]
fn events_behind_a_lost_frame_are_told() {
    let lab = nested();
    // The frame with the first call of `get` is lost.
    let first = lab.log.iter().position(|&byte| byte == trace::record::tag::ENTER).unwrap() + 10;
    let recording = lab.open_with(|log| vec![log[..first].to_vec(), vec![], log[first + 21..].to_vec()]);
    assert_eq!(recording.damaged().len(), 1);
    let (found, outcome) = lines(&recording);
    compare(
        &found,
        "1 enter Main.go:4 by-library (Main@1)
        1 call Main.go:4 Main.get (Main@1)
        1 gap Main.go:4 a part of the log is missing
        2 enter Main.get:3 by-library (Main@1)
        2 exit Main.get:3 6
        1 exit Main.go:4 -",
    );
    assert_eq!(outcome.gap_count, 1);
    resume::check(&recording, StreamId(1), &[1, 7]);
}

#[test]
fn a_program_that_was_killed_in_an_endless_loop_ends_there() {
    let mut lab = Lab::new(NESTED);
    lab.enter("Main.spin");
    let (found, outcome) = lines(&lab.open());
    assert_eq!(found, ["1 enter Main.spin:5 by-library ()"]);
    resume::check(&lab.open(), StreamId(1), &[1, 7]);
    assert_eq!((outcome.open, outcome.gap_count), (1, 0));
}

#[test]
fn an_endless_loop_before_more_records_is_a_gap() {
    let mut lab = Lab::new(NESTED);
    lab.enter("Main.spin").exit().enter("Main.busy").int(3).exit();
    let (found, outcome) = lines(&lab.open());
    assert_eq!(found[1], "1 gap Main.spin:5 a loop without end, though the log goes on");
    assert_eq!(found.last().unwrap(), "1 exit Main.busy:7 3");
    assert_eq!((outcome.open, outcome.gap_count), (0, 1));
    resume::check(&lab.open(), StreamId(1), &[1, 7]);
}

#[test]
fn a_visitor_can_break_off() {
    let lab = nested();
    let mut seen = 0;
    lab.open().events(StreamId(1), |_| {
        seen += 1;
        if seen == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(seen, 3);
}

/// Bytes that look like a log: mostly known tags, so that replay gets somewhere.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    let small = prop_oneof![0..12u8, Just(0xff), Just(0x80)];
    let record =
        (prop_oneof![0..9u8, 0x10..0x18u8, 0x20..0x27u8, 0x30..0x37u8, 0x40..0x44u8, any::<u8>()], small)
            .prop_map(|(tag, payload)| {
                let mut bytes = vec![tag];
                let length = (1..40).find(|&size| {
                    let mut probe = vec![payload; size];
                    probe[0] = tag;
                    trace::record::length(&probe).is_some()
                });
                bytes.extend(std::iter::repeat_n(0, length.unwrap_or(1) - 1));
                if let Some(first) = bytes.get_mut(1) {
                    *first = payload;
                }
                bytes
            });
    proptest::collection::vec(record, 0..200).prop_map(|records| records.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn no_log_makes_replay_panic_or_run_forever(log in prop_oneof![noise(), proptest::collection::vec(any::<u8>(), 0..400)]) {
        thread_local! { static LAB: Lab = nested(); }
        LAB.with(|lab| {
            let recording = lab.open_with(|_| vec![log]);
            let (found, outcome) = lines(&recording);
            prop_assert!(found.len() as u64 <= outcome.events);
            recording.stats();
            resume::check(&recording, StreamId(1), &[1, 7]);
            Ok(())
        })?;
    }

    #[test]
    fn a_changed_byte_in_a_log_makes_no_panic(at in 0usize..80, byte: u8) {
        thread_local! { static LAB: Lab = nested(); }
        LAB.with(|lab| {
            let recording = lab.open_with(|log| {
                let mut log = log.to_vec();
                let at = at % log.len();
                log[at] = byte;
                vec![log]
            });
            lines(&recording);
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn a_changed_checkpoint_makes_no_panic(until in 0u64..12, changes in proptest::collection::vec((0usize..100, any::<u8>()), 1..4)) {
        thread_local! { static RECORDING: trace::Recording = nested().open(); }
        RECORDING.with(|recording| {
            let mut replay = recording.replay(StreamId(1), Nobody);
            replay.run(until);
            let mut bytes = Vec::new();
            replay.checkpoint().encode(None, &mut bytes);
            for (at, byte) in changes {
                let at = at % bytes.len();
                bytes[at] = byte;
            }
            if let Some((checkpoint, _)) = trace::Checkpoint::decode(&bytes, None)
                && let Some(mut replay) = recording.replay_at(&checkpoint, Nobody)
            {
                replay.run(checkpoint.events.saturating_add(10_000));
            }
        });
    }
}

struct Nobody;

impl trace::Visitor for Nobody {
    fn event(&mut self, _: &trace::Event<'_>) -> trace::Then {
        trace::Then::On
    }
}
