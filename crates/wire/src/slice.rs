//! Where a value came from.

use past::Past;
use serde::{Deserialize, Serialize};
use session::{Cut, Tie, Trail, TrailRow};

use crate::place::SourcePlace;

/// `GET slice`: the trail of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Slice {
    /// What was asked about, by its name.
    pub location: String,
    pub time: u64,
    /// The latest first.
    pub rows: Vec<SliceRow>,
    /// Why there is more than is shown.
    pub cut: Option<SliceCut>,
    /// Places where the trail ends because nothing was recorded there.
    pub unknown: usize,
}

/// Something that led to a value; `inquest slice` gives an array of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SliceRow {
    pub time: u64,
    #[cfg_attr(test, ts(type = "EventName"))]
    pub kind: String,
    pub text: String,
    #[serde(flatten)]
    pub place: SourcePlace,
    /// The call in which it happened, and its class.
    pub call: String,
    pub number: u64,
    pub class: String,
    pub why: SliceReason,
    /// The times of the rows that it explains.
    pub explains: Vec<u64>,
}

/// Why something is in the trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum SliceReason {
    /// The value came from there.
    Value,
    /// It said where the value was: an index, an object.
    Address,
    /// It decided whether it happened.
    Condition,
    /// A library may have used it: nobody can be sure.
    Perhaps,
}

/// Why a trail is not whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum SliceCut {
    /// There are more rows than were asked for.
    Rows,
    /// Looking further back would take too long.
    Time,
}

/// Parameters of `GET slice`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct SliceQuery {
    pub location: String,
    pub at: Option<String>,
    pub count: Option<usize>,
    /// As far back as takes seconds.
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<_>", optional = nullable))]
    pub far: bool,
}

impl Slice {
    pub fn of(past: &Past, trail: &Trail) -> Slice {
        Slice {
            location: trail.location.clone(),
            time: trail.time.0,
            rows: trail.rows.iter().map(|row| SliceRow::of(past, row)).collect(),
            cut: trail.cut.map(|cut| match cut {
                Cut::Elements => SliceCut::Rows,
                Cut::Events => SliceCut::Time,
            }),
            unknown: trail.unknown,
        }
    }
}

impl SliceRow {
    pub fn of(past: &Past, row: &TrailRow) -> SliceRow {
        let event = &row.happened;
        let parts = past.call_parts(row.call);
        SliceRow {
            time: event.time.0,
            kind: event.kind.to_owned(),
            text: words::event(past, &event.action, event.time, &words::LIST).to_string(),
            place: row.place.as_ref().into(),
            call: past.call_name(row.call),
            number: row.call.number(),
            class: parts.map(|(method, _)| method.class).unwrap_or_default(),
            why: match row.why {
                Tie::Start | Tie::Data => SliceReason::Value,
                Tie::Address => SliceReason::Address,
                Tie::Control => SliceReason::Condition,
                Tie::Perhaps => SliceReason::Perhaps,
            },
            explains: row.explains.iter().map(|time| time.0).collect(),
        }
    }
}
