//! The timeline: threads with their calls as flames, exceptions and output, for a stretch of time at the width that the
//! page has.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::routing::get;
use axum::{Json, Router};
use past::{CallId, Ending, Past, Position, StreamId, Target, Time};
use wire::{
    Crowd, Flame, MarkQuery, MarkText, Timeline, TimelineCall, TimelineMark, TimelineMethod, TimelineQuery,
    TimelineThread,
};

use super::known_call;
use crate::failure::{Failure, Result};
use crate::shared_session::SharedSession;

/// Threads that are given, at most.
const MAX_THREADS: usize = 128;
/// Columns of all threads together.
const MAX_COLUMNS: u32 = 60_000;
/// Levels of a thread that are given.
const LEVELS: u32 = 64;

pub fn routes() -> Router<Arc<SharedSession>> {
    Router::new()
        .route("/api/timeline", get(timeline))
        .route("/api/timeline/call/{number}", get(call))
        .route("/api/timeline/mark", get(mark))
}

async fn timeline(
    State(shared): State<Arc<SharedSession>>,
    Query(wanted): Query<TimelineQuery>,
) -> Result<Timeline> {
    shared
        .past(move |past| {
            let last = past.last_time().map_or(0, |time| time.0);
            let from = wanted.from.unwrap_or(0).min(last);
            let to = wanted.to.unwrap_or(last).clamp(from, last);
            let (threads, left_out) = lanes(past, from, to);
            let share = MAX_COLUMNS / (threads.len() as u32).max(1);
            let columns = wanted.width.unwrap_or(500).clamp(50, 5000).min(share);
            let mut methods = Methods::default();
            let threads = threads.into_iter().map(|thread| {
                let top = wanted.top.filter(|_| wanted.thread == Some(thread[0].0)).unwrap_or(0);
                let levels = top..top.saturating_add(LEVELS);
                let stretch = past::Stretch { from: Time(from), to: Time(to), columns, levels };
                thread_json(past, &thread, &stretch, &mut methods)
            });
            Ok(Timeline { from, to, threads: threads.collect(), left_out, methods: methods.list })
        })
        .await
        .map(Json)
}

/// The threads that made calls; if there are too many, those that did something in the stretch, and how many are left
/// out.
fn lanes(past: &Past, from: u64, to: u64) -> (Vec<Vec<StreamId>>, usize) {
    let mut threads = past.threads();
    threads.retain(|thread| thread.iter().any(|&stream| past.calls_in(stream) > 0));
    let all = threads.len();
    if all > MAX_THREADS {
        let before = |stream| from.checked_sub(1).map_or(0, |time| past.events_by(stream, Time(time)));
        let acts = |&stream: &StreamId| past.events_by(stream, Time(to)) > before(stream);
        threads.retain(|thread| thread.iter().any(acts));
        threads.truncate(MAX_THREADS);
    }
    let left_out = all - threads.len();
    (threads, left_out)
}

/// The stream by which the lane goes that a stream is shown in.
fn lane_of(past: &Past, stream: StreamId) -> StreamId {
    past.streams().into_iter().find(|&one| past.are_of_one_thread(one, stream)).unwrap_or(stream)
}

/// Each method once.
#[derive(Default)]
struct Methods {
    list: Vec<TimelineMethod>,
    known: HashMap<Target, usize>,
}

impl Methods {
    fn number(&mut self, past: &Past, target: Target) -> usize {
        *self.known.entry(target).or_insert_with(|| {
            let method = past.method_parts(target);
            self.list.push(TimelineMethod { method: method.to_string(), name: method.name });
            self.list.len() - 1
        })
    }
}

fn thread_json(
    past: &Past,
    streams: &[StreamId],
    stretch: &past::Stretch,
    methods: &mut Methods,
) -> TimelineThread {
    let lane = past.thread_lane(streams, stretch);
    let thread = streams[0];
    let flames = lane.flames.iter().map(|flame| Flame {
        number: flame.call.number(),
        method: methods.number(past, flame.target),
        level: flame.level,
        from: flame.from.0,
        to: flame.to.0,
        trusted: matches!(flame.target, Target::Library(_)),
        threw: matches!(flame.ending, Ending::Threw(_)),
    });
    let flames = flames.collect();
    let crowds = lane.crowds.iter().map(|crowd| {
        let times = stretch.times(crowd.column);
        Crowd {
            from: times.start,
            to: times.end,
            level: crowd.levels.start,
            deepest: crowd.levels.end.saturating_sub(1),
            calls: crowd.calls,
            number: crowd.first.number(),
        }
    });
    let marks = |list: &[past::Dot]| {
        let mark = |mark: &past::Dot| TimelineMark {
            time: mark.time.0,
            number: mark.noted.call.and_then(|call| past.program_call(call)).map(CallId::number),
            count: mark.count,
        };
        list.iter().map(mark).collect()
    };
    TimelineThread {
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

async fn call(State(shared): State<Arc<SharedSession>>, Path(number): Path<u64>) -> Result<TimelineCall> {
    shared
        .past(move |past| {
            let id = known_call(past, number)?;
            let row = past.call_row(id).ok_or_else(|| Failure::Missing("such call".into()))?;
            let time = |ordinal| past.time(Position { stream: id.stream, ordinal }).map_or(0, |time| time.0);
            Ok(TimelineCall {
                number,
                thread: lane_of(past, id.stream).0,
                level: row.depth,
                from: time(row.entry),
                to: time(row.exit),
                call: past.call_name(id),
            })
        })
        .await
        .map(Json)
}

/// Characters of what was printed that are shown.
const MAX_TEXT: usize = 400;

/// What was thrown or printed at a time.
async fn mark(State(shared): State<Arc<SharedSession>>, Query(at): Query<MarkQuery>) -> Result<MarkText> {
    shared
        .past(move |past| {
            let time = past.checked(at.time)?;
            let position = past.position(time).ok_or_else(|| Failure::Missing("such time".into()))?;
            let call = past.call_at(position);
            let prints =
                call.filter(|&call| past.call_row(call).is_some_and(|row| row.entry == position.ordinal));
            let text = match prints.and_then(|call| past.printed(call)) {
                Some(text) => format!("prints {text}"),
                None => past.event_at(position).map_or_else(String::new, |happened| {
                    words::event(past, &happened.action, happened.time, &words::LIST).to_string()
                }),
            };
            let short: String = text.chars().take(MAX_TEXT).collect();
            Ok(MarkText { text: if short.len() < text.len() { format!("{short}…") } else { short } })
        })
        .await
        .map(Json)
}
