//! The timeline: threads with their calls as flames, exceptions and output, for a stretch of time at the width that the
//! page has.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use past::{CallId, Ending, Past, Position, StreamId, Target, Time};
use serde::{Deserialize, Serialize};

use super::known_call;
use crate::desk::Desk;
use crate::failure::{Failure, Result};

#[derive(Deserialize)]
pub struct Wanted {
    from: Option<u64>,
    to: Option<u64>,
    /// Columns: of one or a few pixels.
    width: Option<u32>,
    /// The first level that is wanted of one thread; of the others it is the outermost.
    thread: Option<u32>,
    top: Option<u32>,
}

#[derive(Serialize)]
pub struct Timeline {
    from: u64,
    to: u64,
    threads: Vec<ThreadJson>,
    /// Threads that are not given because there are so many.
    left_out: usize,
    /// Names of methods; flames have their numbers.
    names: Vec<String>,
}

#[derive(Serialize)]
struct ThreadJson {
    thread: u32,
    name: String,
    /// Calls that began in the stretch.
    calls: u32,
    /// The first level that is told.
    top: u32,
    flames: Vec<FlameJson>,
    crowds: Vec<CrowdJson>,
    throws: Vec<MarkJson>,
    output: Vec<MarkJson>,
}

#[derive(Serialize)]
struct FlameJson {
    call: u64,
    name: usize,
    level: u32,
    from: u64,
    to: u64,
    library: bool,
    threw: bool,
}

/// Calls too short to be told apart: from when to when, on which levels (the second is the last).
#[derive(Serialize)]
struct CrowdJson {
    from: u64,
    to: u64,
    level: u32,
    deepest: u32,
    calls: u32,
    call: u64,
}

#[derive(Serialize)]
struct MarkJson {
    time: u64,
    /// The call of the program that it happened in.
    call: Option<u64>,
    /// How many there are so near together.
    count: usize,
}

/// Threads that are given, at most.
const MAX_THREADS: usize = 128;
/// Columns of all threads together.
const MAX_COLUMNS: u32 = 60_000;
/// Levels of a thread that are given.
const LEVELS: u32 = 64;

pub async fn timeline(State(desk): State<Arc<Desk>>, Query(wanted): Query<Wanted>) -> Result<Timeline> {
    desk.past(move |past| {
        let last = past.last_time().map_or(0, |time| time.0);
        let from = wanted.from.unwrap_or(0).min(last);
        let to = wanted.to.unwrap_or(last).clamp(from, last);
        let (threads, left_out) = lanes(past, from, to);
        let share = MAX_COLUMNS / (threads.len() as u32).max(1);
        let columns = wanted.width.unwrap_or(500).clamp(50, 5000).min(share);
        let mut names = Names::default();
        let threads = threads.into_iter().map(|thread| {
            let top = wanted.top.filter(|_| wanted.thread == Some(thread.0)).unwrap_or(0);
            let levels = top..top.saturating_add(LEVELS);
            let stretch = past::Stretch { from: Time(from), to: Time(to), columns, levels };
            told(past, thread, &stretch, &mut names)
        });
        Ok(Timeline { from, to, threads: threads.collect(), left_out, names: names.list })
    })
    .await
    .map(Json)
}

/// The threads that made calls; if there are too many, those that did something in the stretch, and how many are left
/// out.
fn lanes(past: &Past, from: u64, to: u64) -> (Vec<StreamId>, usize) {
    let mut threads = past.streams();
    threads.retain(|&thread| past.calls_in(thread) > 0);
    let all = threads.len();
    if all > MAX_THREADS {
        let before = |thread| from.checked_sub(1).map_or(0, |time| past.events_by(thread, Time(time)));
        threads.retain(|&thread| past.events_by(thread, Time(to)) > before(thread));
        threads.truncate(MAX_THREADS);
    }
    let left_out = all - threads.len();
    (threads, left_out)
}

/// Each name once.
#[derive(Default)]
struct Names {
    list: Vec<String>,
    known: HashMap<Target, usize>,
}

impl Names {
    fn number(&mut self, past: &Past, target: Target) -> usize {
        *self.known.entry(target).or_insert_with(|| {
            self.list.push(past.method_name(target));
            self.list.len() - 1
        })
    }
}

fn told(past: &Past, thread: StreamId, stretch: &past::Stretch, names: &mut Names) -> ThreadJson {
    let lane = past.lane(thread, stretch);
    let flames = lane.flames.iter().map(|flame| FlameJson {
        call: flame.call.number(),
        name: names.number(past, flame.target),
        level: flame.level,
        from: flame.from.0,
        to: flame.to.0,
        library: matches!(flame.target, Target::Library(_)),
        threw: matches!(flame.ending, Ending::Threw(_)),
    });
    let flames = flames.collect();
    let crowds = lane.crowds.iter().map(|crowd| {
        let times = stretch.times(crowd.column);
        CrowdJson {
            from: times.start,
            to: times.end,
            level: crowd.levels.start,
            deepest: crowd.levels.end.saturating_sub(1),
            calls: crowd.calls,
            call: crowd.first.number(),
        }
    });
    let marks = |list: &[past::Dot]| {
        let mark = |mark: &past::Dot| MarkJson {
            time: mark.time.0,
            call: mark.noted.call.and_then(|call| past.program_call(call)).map(CallId::number),
            count: mark.count,
        };
        list.iter().map(mark).collect()
    };
    ThreadJson {
        thread: thread.0,
        name: past.thread_name(thread),
        calls: lane.calls,
        top: stretch.levels.start,
        crowds: crowds.collect(),
        throws: marks(&lane.throws),
        output: marks(&lane.output),
        flames,
    }
}

/// Where a call is on the timeline.
#[derive(Serialize)]
pub struct Spot {
    call: u64,
    thread: u32,
    level: u32,
    from: u64,
    to: u64,
    name: String,
}

pub async fn spot(State(desk): State<Arc<Desk>>, Path(call): Path<u64>) -> Result<Spot> {
    desk.past(move |past| {
        let id = known_call(past, call)?;
        let row = past.call_row(id).ok_or_else(|| Failure::Missing("such call".into()))?;
        let time = |ordinal| past.time(Position { stream: id.stream, ordinal }).map_or(0, |time| time.0);
        Ok(Spot {
            call,
            thread: id.stream.0,
            level: row.depth.into(),
            from: time(row.entry),
            to: time(row.exit),
            name: past.call_name(id),
        })
    })
    .await
    .map(Json)
}

#[derive(Deserialize)]
pub struct At {
    time: u64,
}

#[derive(Serialize)]
pub struct MarkText {
    text: String,
}

/// Characters of what was printed that are shown.
const MAX_TEXT: usize = 400;

/// What was thrown or printed at a time.
pub async fn mark(State(desk): State<Arc<Desk>>, Query(at): Query<At>) -> Result<MarkText> {
    desk.past(move |past| {
        let time = past.checked(at.time)?;
        let position = past.position(time).ok_or_else(|| Failure::Missing("such time".into()))?;
        let call = past.call_at(position);
        let prints =
            call.filter(|&call| past.call_row(call).is_some_and(|row| row.entry == position.ordinal));
        let text = match prints.and_then(|call| past.printed(call)) {
            Some(text) => format!("prints {text}"),
            None => past.event_at(position).map_or_else(String::new, |happened| happened.text),
        };
        let short: String = text.chars().take(MAX_TEXT).collect();
        Ok(MarkText { text: if short.len() < text.len() { format!("{short}…") } else { short } })
    })
    .await
    .map(Json)
}
