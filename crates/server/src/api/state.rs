//! The node view: the variables of a call at two moments, side by side, with whatever a page has opened in them. Marks
//! are exact: they come from the recorded values and writes, never from texts, which may be cut.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::routing::post;
use axum::{Json, Router};
use past::{
    CallId, Differs, Ending, Interval, KnownValue, Location, ObjectId, Past, RenderLimits, Value,
    VariableState, differs,
};
use wire::{CallState, StateMark as Mark, StateRequest, StateRole as Role, StateRow, StateSide};

use super::known_call;
use super::side::{held_side, side};
use crate::failure::{Failure, Result};
use crate::shared_session::SharedSession;

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

pub fn routes() -> Router<Arc<SharedSession>> {
    Router::new().route("/api/call/{number}/state", post(state))
}

async fn state(
    State(shared): State<Arc<SharedSession>>,
    Path(number): Path<u64>,
    Json(request): Json<StateRequest>,
) -> Result<CallState> {
    shared.past(move |past| variables_json(past, known_call(past, number)?, &request)).await.map(Json)
}

fn variables_json(past: &Past, id: CallId, wanted: &StateRequest) -> std::result::Result<CallState, Failure> {
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
            name if name == "this" => Role::This,
            name if info.args.iter().any(|arg| arg.name == *name) => Role::Argument,
            _ => Role::Local,
        };
        let location = Location::Local { call: id, name: variable.name.clone() };
        rows.push(looking.variable(role, &location, variable.name, &variable.descriptor, old, variable.held));
    }
    let whole = to == info.exit;
    rows.extend(looking.ending(id, &info, whole));
    let (statics, more_statics, statics_cut) = looking.statics(id, wanted.statics);
    Ok(CallState { from: info.entry.0, to: to.0, whole, rows, statics, more_statics, statics_cut })
}

/// A value at the two moments.
struct Sides {
    before: Option<StateSide>,
    after: Option<StateSide>,
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
        role: Role,
        location: &Location,
        label: String,
        descriptor: &str,
        before: VariableState,
        after: VariableState,
    ) -> StateRow {
        let mark = match (before, after) {
            (VariableState::Value(before), VariableState::Value(after)) => self.mark(before, after),
            (VariableState::Unset, VariableState::Value(KnownValue::Unknown)) => Mark::Maybe,
            (VariableState::Unset, VariableState::Value(_)) => Mark::Changed,
            _ => Mark::Same,
        };
        let limits = if self.raw { RAW } else { LIMITS };
        let sides = Sides {
            before: Some(held_side(self.past, before, descriptor, self.interval.from, &limits)),
            after: Some(held_side(self.past, after, descriptor, self.interval.to, &limits)),
        };
        let objects = (object(before.known()), object(after.known()));
        let location = Some(self.past.location_name(location));
        self.row(role, label, location, sides, mark, objects, &mut Vec::new())
    }

    /// What the call gave, or what it threw.
    fn ending(&mut self, id: CallId, info: &past::CallInfo, whole: bool) -> Option<StateRow> {
        let (role, label, known, descriptor) = match info.ending {
            Ending::Open => return None,
            Ending::Returned(_) if info.result_descriptor == "V" => return None,
            Ending::Returned(value) => (
                Role::Result,
                "returns",
                value.map_or(KnownValue::Unknown, KnownValue::Value),
                info.result_descriptor.as_str(),
            ),
            Ending::Threw(value) => {
                (Role::Thrown, "throws", value.map_or(KnownValue::Unknown, KnownValue::Value), "")
            }
        };
        let held = if whole { VariableState::Value(known) } else { VariableState::Unset };
        let limits = if self.raw { RAW } else { LIMITS };
        let sides = Sides {
            before: None,
            after: Some(held_side(self.past, held, descriptor, self.interval.to, &limits)),
        };
        let named = role == Role::Result && !self.past.has_own_result(id);
        let location = named.then(|| format!("{}:result", info.name));
        Some(self.row(
            role,
            label.to_owned(),
            location,
            sides,
            Mark::Same,
            (None, object(held.known())),
            &mut Vec::new(),
        ))
    }

    /// Statics that were written or read, how many more there are, and whether some may not be known.
    fn statics(&mut self, id: CallId, all: bool) -> (Vec<StateRow>, usize, bool) {
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
            self.variable(Role::Static, &location, name, &descriptor, before, after)
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
        role: Role,
        label: String,
        location: Option<String>,
        sides: Sides,
        mark: Mark,
        objects: (Option<ObjectId>, Option<ObjectId>),
        path: &mut Vec<String>,
    ) -> StateRow {
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
        let Sides { before, after } = sides;
        StateRow { label, role, location, before, after, mark, total, skip, rows }
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
    ) -> Vec<StateRow> {
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
            let text = |known, time| side(self.past, known, &piece.descriptor, time, &limits);
            let sides = Sides {
                before: piece.before.map(|known| text(known, self.interval.from)),
                after: piece.after.map(|known| text(known, self.interval.to)),
            };
            let objects = (piece.before.and_then(object), piece.after.and_then(object));
            let location = piece.location.map(|location| self.past.location_name(&location));
            rows.push(self.row(Role::Part, piece.label, location, sides, mark, objects, path));
        }
        rows
    }
}

const LIMITS: RenderLimits = RenderLimits { depth: 2, elements: 10, string: 120, width: 160, named: false };
/// The name of an object, the elements of an array.
const RAW: RenderLimits = RenderLimits { depth: 0, ..LIMITS };

fn object(known: KnownValue) -> Option<ObjectId> {
    match known {
        KnownValue::Value(Value::Object(object)) | KnownValue::Seen(Value::Object(object)) => Some(object),
        _ => None,
    }
}
