//! A replay may be paused, saved, continued, told to leave calls out, and run on a log that still grows: what it
//! tells is always the same. Checked on the log of every test in here, and on recordings of real programs.

// What is said of events is not in this crate; they are compared by it.
#[path = "../../../words/src/recorded.rs"]
pub mod recorded;

use std::collections::HashMap;

use trace::{Checkpoint, Event, EventKind, Jump, Paused, Recording, Replay, StreamId, Then, Visitor};

use recorded::recorded_event;

/// Every event as text, by its ordinal, and the calls that can be left out.
pub struct Events<'r> {
    recording: &'r Recording,
    next: u64,
    lines: HashMap<u64, String>,
    /// By the ordinal of the call's `Enter`, with its depth.
    jumps: HashMap<u64, (u32, Jump)>,
    open: Vec<u64>,
    leave_out: HashMap<u64, Jump>,
}

impl<'r> Events<'r> {
    fn new(recording: &'r Recording) -> Events<'r> {
        Events {
            recording,
            next: 0,
            lines: HashMap::new(),
            jumps: HashMap::new(),
            open: Vec::new(),
            leave_out: HashMap::new(),
        }
    }
}

impl Visitor for Events<'_> {
    fn event(&mut self, event: &Event<'_>) -> Then {
        let ordinal = self.next;
        self.next += 1;
        self.lines.insert(ordinal, format!("{} {}", event.depth, recorded_event(self.recording, event)));
        if let (Some(jump), Some(&enter)) = (event.end, self.open.last()) {
            assert_eq!(jump.events, ordinal);
            self.jumps.insert(enter, (event.depth, jump));
        }
        match event.kind {
            EventKind::Enter { .. } => self.open.push(ordinal),
            EventKind::Exit { .. } | EventKind::Unwind { .. } => drop(self.open.pop()),
            _ => {}
        }
        if let Some(&jump) = self.leave_out.get(&ordinal) {
            self.next = jump.events;
            return Then::Skip(jump);
        }
        Then::On
    }
}

fn whole(recording: &Recording, stream: StreamId) -> Events<'_> {
    let mut replay = recording.replay(stream, Events::new(recording));
    assert_eq!(replay.run(u64::MAX), Paused::End);
    replay.into_visitor()
}

#[track_caller]
fn compare(found: &Events<'_>, expected: &Events<'_>, except: impl Fn(u64) -> bool, what: &str) {
    for at in 0..expected.next {
        let (found, expected) = (found.lines.get(&at), expected.lines.get(&at));
        assert!(found == expected || except(at), "{what}: event {at} is {found:?}, not {expected:?}");
    }
    assert_eq!(found.lines.keys().max(), expected.lines.keys().max(), "{what}");
}

/// Whatever is done to the replay of a whole log, the events stay the same.
pub fn check(recording: &Recording, stream: StreamId, steps: &[u64]) {
    for &step in steps {
        pauses_change_nothing(recording, stream, step);
    }
    calls_can_be_left_out(recording, stream);
}

/// Pauses every `step` events, and goes on from what an encoded checkpoint gives.
fn pauses_change_nothing(recording: &Recording, stream: StreamId, step: u64) {
    let expected = whole(recording, stream);
    let mut replay = recording.replay(stream, Events::new(recording));
    let mut last: Option<Checkpoint> = None;
    let mut until = 0;
    loop {
        until += step;
        let paused = replay.run(until);
        assert!(paused == Paused::End || replay.events() >= until);
        until = until.max(replay.events());
        let depth = replay.min_depth_since_checkpoint() as usize;
        let checkpoint = replay.checkpoint();
        assert_eq!((checkpoint.events, checkpoint.stream), (replay.events(), stream));
        let shared = last.as_ref().map(|last| (last, depth.saturating_sub(1)));
        if let Some((last, depth)) = shared {
            assert!(checkpoint.shared_frames(last) >= depth, "frames below that did run");
        }
        let mut bytes = Vec::new();
        checkpoint.encode(shared, &mut bytes);
        let (decoded, rest) = Checkpoint::decode(&bytes, last.as_ref()).unwrap();
        assert_eq!((&decoded, rest), (&checkpoint, &[][..]));
        if bytes.len() < 300 {
            for cut in 0..bytes.len() {
                assert!(Checkpoint::decode(&bytes[..cut], last.as_ref()).is_none(), "cut at {cut}");
            }
        }
        let told = replay.into_visitor();
        assert_eq!(told.next, checkpoint.events);
        if paused == Paused::End {
            compare(&told, &expected, |_| false, &format!("in portions of {step}"));
            return;
        }
        replay = recording.replay_at(&decoded, told).unwrap();
        last = Some(decoded);
    }
}

/// Leaves out each call by itself if there are few, and all calls of a depth.
fn calls_can_be_left_out(recording: &Recording, stream: StreamId) {
    let expected = whole(recording, stream);
    let deepest = expected.jumps.values().map(|&(depth, _)| depth).max().unwrap_or(0);
    let mut sets: Vec<HashMap<u64, Jump>> = Vec::new();
    for depth in 1..=deepest.min(12) {
        let at_depth = expected.jumps.iter().filter(|&(_, &(at, _))| at == depth);
        sets.push(at_depth.map(|(&enter, &(_, jump))| (enter, jump)).collect());
    }
    let mut each: Vec<_> = expected.jumps.iter().map(|(&enter, &(_, jump))| (enter, jump)).collect();
    each.sort_by_key(|&(enter, _)| enter);
    let stride = each.len() / 10 + 1;
    sets.extend(each.into_iter().step_by(stride).map(|one| HashMap::from([one])));
    for set in sets {
        let told = Events { leave_out: set.clone(), ..Events::new(recording) };
        let mut replay = recording.replay(stream, told);
        assert_eq!(replay.run(u64::MAX), Paused::End);
        let found = replay.into_visitor();
        let mut left_out: Vec<(u64, u64)> = set.iter().map(|(&enter, jump)| (enter, jump.events)).collect();
        left_out.sort_unstable();
        // The end itself is told, but without its place and value.
        let except = |at: u64| {
            let before = left_out.partition_point(|&(enter, _)| enter < at);
            before > 0 && at <= left_out[before - 1].1 + 1 && {
                let end = left_out[before - 1].1;
                if at < end { !found.lines.contains_key(&at) } else { same_kind(&found, &expected, at) }
            }
        };
        compare(&found, &expected, except, &format!("without {left_out:?}"));
    }
}

fn same_kind(found: &Events<'_>, expected: &Events<'_>, at: u64) -> bool {
    let kind = |told: &Events<'_>| {
        let line = told.lines.get(&at)?;
        Some(line.split(' ').take(2).collect::<Vec<_>>().join(" "))
    };
    kind(found) == kind(expected)
}

/// With the log cut off at each of `cuts`, as if it still grew there.
pub fn a_growing_log_tells_only_what_stays(
    full: &Recording,
    stream: StreamId,
    cuts: impl Iterator<Item = usize>,
    open: impl Fn(usize) -> Recording,
) {
    let expected = whole(full, stream);
    let mut longest = 0;
    for cut in cuts {
        let recording = open(cut);
        let mut replay = recording.replay_growing(stream, None, Events::new(full)).unwrap();
        let paused = replay.run(u64::MAX);
        assert_eq!(paused, Paused::Waiting, "cut at {cut}");
        let checkpoint = replay.checkpoint();
        let told = replay.into_visitor();
        for (at, line) in &told.lines {
            assert_eq!(Some(line), expected.lines.get(at), "cut at {cut}: event {at}");
        }
        longest = longest.max(told.lines.len());
        let mut replay: Replay<'_, _> = full.replay_at(&checkpoint, told).unwrap();
        assert_eq!(replay.run(u64::MAX), Paused::End);
        compare(replay.visitor(), &expected, |_| false, &format!("cut at {cut} and continued"));
    }
    assert!(expected.lines.len() < 20 || longest * 2 > expected.lines.len(), "told {longest}");
}
