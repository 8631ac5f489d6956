//! The node view: the variables of a call at two moments, side by side, with whatever a page has opened in them. Marks
//! are exact: they come from the recorded values and writes, never from texts, which may be cut.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use past::{
    CallId, Differs, Ending, Interval, KnownValue, Location, ObjectId, Past, RenderLimits, Value,
    VariableState, differs,
};
use serde::{Deserialize, Serialize};

use super::known_call;
use super::side::{Mark, Pair, Row, Side};
use crate::desk::Desk;
use crate::failure::{Failure, Result};

/// Children of one object that are given at once.
const WINDOW: usize = 100;
/// Rows of one answer.
const MAX_ROWS: usize = 4_000;
/// Open objects that are looked at.
const MAX_OPEN: usize = 500;
const MAX_DEPTH: usize = 64;
/// Statics that are shown before somebody wants more, and after.
const STATICS: usize = 30;
const MAX_STATICS: usize = 300;

#[derive(Deserialize)]
pub struct Wanted {
    /// The moment up to which; the call's end if there is none.
    to: Option<u64>,
    #[serde(default)]
    raw: bool,
    #[serde(default)]
    open: Vec<Opened>,
    /// All statics, and not only some.
    #[serde(default)]
    statics: bool,
}

/// An object that is open: the labels on the way to it, and the first child to show.
#[derive(Deserialize)]
struct Opened {
    path: Vec<String>,
    #[serde(default)]
    skip: usize,
}

#[derive(Serialize)]
pub struct Variables {
    from: u64,
    to: u64,
    /// It is the call's end.
    whole: bool,
    rows: Vec<Row>,
    statics: Vec<Row>,
    more_statics: usize,
    /// Why there may be other statics.
    statics_cut: bool,
}

pub async fn state(
    State(desk): State<Arc<Desk>>,
    Path(call): Path<u64>,
    Json(wanted): Json<Wanted>,
) -> Result<Variables> {
    desk.past(move |past| tell(past, known_call(past, call)?, &wanted)).await.map(Json)
}

fn tell(past: &Past, id: CallId, wanted: &Wanted) -> std::result::Result<Variables, Failure> {
    let info = past.call(id).ok_or_else(|| Failure::Missing("such call".into()))?;
    let to = wanted.to.map_or(Ok(info.exit), |time| past.checked(time))?.clamp(info.entry, info.exit);
    let interval = past.interval(info.entry, to);
    let open = wanted.open.iter().take(MAX_OPEN).map(|one| (one.path.join("\n"), one.skip)).collect();
    let mut looking = Looking { past, interval: &interval, raw: wanted.raw, open, left: MAX_ROWS };
    let (before, after) = (past.variables_at(id, info.entry), past.variables_at(id, to));
    let mut rows = Vec::new();
    for variable in after {
        let old =
            before.iter().find(|old| old.name == variable.name).map_or(VariableState::Unset, |old| old.held);
        let role = match &variable.name {
            name if name == "this" => "this",
            name if info.args.iter().any(|arg| arg.name == *name) => "argument",
            _ => "local",
        };
        let location = Location::Local { call: id, name: variable.name.clone() };
        rows.push(looking.variable(role, &location, variable.name, &variable.descriptor, old, variable.held));
    }
    let whole = to == info.exit;
    rows.extend(looking.ending(id, &info, whole));
    let (statics, more_statics, statics_cut) = looking.statics(id, wanted.statics);
    Ok(Variables { from: info.entry.0, to: to.0, whole, rows, statics, more_statics, statics_cut })
}

struct Looking<'p> {
    past: &'p Past,
    interval: &'p Interval<'p>,
    raw: bool,
    /// Skipped children by path.
    open: HashMap<String, usize>,
    /// Rows that may still be given.
    left: usize,
}

impl Looking<'_> {
    fn variable(
        &mut self,
        role: &'static str,
        location: &Location,
        label: String,
        descriptor: &str,
        before: VariableState,
        after: VariableState,
    ) -> Row {
        let mark = match (before, after) {
            (VariableState::Value(before), VariableState::Value(after)) => self.mark(before, after),
            (VariableState::Unset, VariableState::Value(KnownValue::Unknown)) => Mark::Maybe,
            (VariableState::Unset, VariableState::Value(_)) => Mark::Changed,
            _ => Mark::Same,
        };
        let limits = if self.raw { RAW } else { LIMITS };
        let pair = Pair {
            before: Some(Side::of_held(self.past, before, descriptor, self.interval.from, &limits)),
            after: Some(Side::of_held(self.past, after, descriptor, self.interval.to, &limits)),
        };
        let objects = (object(before.known()), object(after.known()));
        let location = Some(self.past.location_name(location));
        self.row(role, label, location, pair, mark, objects, &mut Vec::new())
    }

    /// What the call gave, or what it threw.
    fn ending(&mut self, id: CallId, info: &past::CallInfo, whole: bool) -> Option<Row> {
        let (role, label, known, descriptor) = match info.ending {
            Ending::Open => return None,
            Ending::Returned(_) if info.result_descriptor == "V" => return None,
            Ending::Returned(value) => (
                "result",
                "returns",
                value.map_or(KnownValue::Unknown, KnownValue::Value),
                info.result_descriptor.as_str(),
            ),
            Ending::Threw(value) => {
                ("thrown", "throws", value.map_or(KnownValue::Unknown, KnownValue::Value), "")
            }
        };
        let held = if whole { VariableState::Value(known) } else { VariableState::Unset };
        let limits = if self.raw { RAW } else { LIMITS };
        let pair = Pair {
            before: None,
            after: Some(Side::of_held(self.past, held, descriptor, self.interval.to, &limits)),
        };
        let named = role == "result" && !self.past.has_own_result(id);
        let location = named.then(|| format!("{}:result", info.name));
        Some(self.row(
            role,
            label.to_owned(),
            location,
            pair,
            Mark::Same,
            (None, object(held.known())),
            &mut Vec::new(),
        ))
    }

    /// Statics that were written or read, how many more there are, and whether some may not be known.
    fn statics(&mut self, id: CallId, all: bool) -> (Vec<Row>, usize, bool) {
        let (written, all_written) = self.interval.statics();
        let until = self.past.events_by(id.stream, self.interval.to).saturating_sub(1);
        let (mut fields, all_read) = self.past.statics_read(id, until);
        fields.extend(written);
        let mut found: Vec<(bool, String, Location)> = fields
            .into_iter()
            .map(|field| {
                let location = Location::Static(field);
                let same = self.interval.of_location(&location) == Differs::No;
                (same, self.past.location_name(&location), location)
            })
            // What the compiler made for itself is only told if something happened to it.
            .filter(|(same, name, _)| !(*same && name.contains(".$")))
            .collect();
        found.sort();
        let shown = if all { MAX_STATICS } else { STATICS };
        let more = found.len().saturating_sub(shown);
        let rows = found.into_iter().take(shown).map(|(_, name, location)| {
            let value = |time| VariableState::Value(self.past.value_at(&location, time));
            let (before, after) = (value(self.interval.from), value(self.interval.to));
            let descriptor = self.past.descriptor(&location);
            self.variable("static", &location, name, &descriptor, before, after)
        });
        (rows.collect(), more, !(all_written && all_read))
    }

    fn mark(&self, before: KnownValue, after: KnownValue) -> Mark {
        match differs(before, after) {
            Differs::Yes => Mark::Changed,
            Differs::Maybe => Mark::Maybe,
            Differs::No => match object(after).map(|object| self.interval.inside(object)) {
                None | Some(Differs::No) => Mark::Same,
                Some(Differs::Yes) => Mark::Within,
                Some(Differs::Maybe) => Mark::MaybeWithin,
            },
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn row(
        &mut self,
        role: &'static str,
        label: String,
        location: Option<String>,
        pair: Pair,
        mark: Mark,
        objects: (Option<ObjectId>, Option<ObjectId>),
        path: &mut Vec<String>,
    ) -> Row {
        self.left = self.left.saturating_sub(1);
        path.push(label.clone());
        let total = self.total(objects);
        let skip = self.open.get(&path.join("\n")).copied();
        let children = match skip {
            Some(skip) if total > 0 && path.len() < MAX_DEPTH && self.left > 0 => {
                let last = (total as usize - 1) / WINDOW * WINDOW;
                let skip = skip.min(last);
                Some((skip, self.children(objects, skip, path)))
            }
            _ => None,
        };
        path.pop();
        let (skip, rows) = children.map_or((0, None), |(skip, rows)| (skip, Some(rows)));
        Row { label, role, location, pair, mark, total, skip, rows }
    }

    /// How many parts there are to open.
    fn total(&self, (before, after): (Option<ObjectId>, Option<ObjectId>)) -> u64 {
        let count = |object, time| self.past.pieces(object, time, 0, 1, self.raw).total;
        let before = before.map_or(0, |object| count(object, self.interval.from));
        let after = after.map_or(0, |object| count(object, self.interval.to));
        before.max(after)
    }

    fn children(
        &mut self,
        (before, after): (Option<ObjectId>, Option<ObjectId>),
        skip: usize,
        path: &mut Vec<String>,
    ) -> Vec<Row> {
        let pieces = super::side::paired(self.past, self.interval, (before, after), skip, WINDOW, self.raw);
        let limits = if self.raw { RAW } else { LIMITS };
        let mut rows = Vec::new();
        for piece in pieces {
            if self.left == 0 {
                break;
            }
            let mark = match (piece.before, piece.after) {
                (Some(before), Some(after)) => self.mark(before, after),
                (None, Some(_)) if piece.unsure => Mark::Maybe,
                (None, _) => Mark::New,
                (Some(_), None) => Mark::Gone,
            };
            let text = |known, time| Side::of(self.past, known, &piece.descriptor, time, &limits);
            let pair = Pair {
                before: piece.before.map(|known| text(known, self.interval.from)),
                after: piece.after.map(|known| text(known, self.interval.to)),
            };
            let objects = (piece.before.and_then(object), piece.after.and_then(object));
            let location = piece.location.map(|location| self.past.location_name(&location));
            rows.push(self.row("part", piece.label, location, pair, mark, objects, path));
        }
        rows
    }
}

const LIMITS: RenderLimits = RenderLimits { depth: 2, elements: 10, string: 120, width: 160 };
/// The name of an object, the elements of an array.
const RAW: RenderLimits = RenderLimits { depth: 0, ..LIMITS };

fn object(known: KnownValue) -> Option<ObjectId> {
    match known {
        KnownValue::Value(Value::Object(object)) | KnownValue::Seen(Value::Object(object)) => Some(object),
        _ => None,
    }
}
