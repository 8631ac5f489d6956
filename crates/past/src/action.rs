//! What an event did, as data: objects by identity, values as recorded, names of what has no identity. What it says to a
//! person is made of this elsewhere, once for all clients.

use base::{CallId, ObjectId, Value};
use render::KnownValue;
use trace::GapReason;

use crate::location::Location;

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// A call begins; of an object, that it took part in a call.
    Call(CallId),
    Return {
        value: Option<Value>,
        descriptor: String,
    },
    /// A call is left by an exception.
    Unwind {
        exception: Option<Value>,
    },
    FieldWrite {
        object: Option<ObjectId>,
        field: String,
        value: Value,
        descriptor: String,
    },
    StaticWrite {
        class: String,
        field: String,
        value: Value,
        descriptor: String,
    },
    ElementWrite {
        array: ObjectId,
        index: i32,
        value: Value,
        descriptor: String,
    },
    LocalWrite {
        name: String,
        value: Value,
        descriptor: String,
    },
    /// What locations became, or were seen to be.
    Hold(Vec<(Location, KnownValue)>),
    /// `line`: where the jump leads to.
    Branch {
        taken: bool,
        line: Option<u16>,
    },
    Switch {
        key: i32,
        is_default: bool,
    },
    New {
        class: String,
        object: Option<ObjectId>,
    },
    /// A lambda takes an object with it.
    Captured {
        object: ObjectId,
    },
    NewArray {
        array: ObjectId,
        length: u32,
    },
    Throw {
        exception: Option<Value>,
    },
    Catch {
        exception: Option<Value>,
    },
    Lock {
        object: Value,
    },
    Unlock {
        object: Value,
    },
    Copy {
        source: Option<ObjectId>,
        from: i64,
        target: Option<ObjectId>,
        to: i64,
        length: i64,
    },
    Clone {
        source: Option<ObjectId>,
        target: Option<ObjectId>,
    },
    /// `range`: all of it if there is none.
    Fill {
        array: ObjectId,
        range: Option<(i64, i64)>,
        value: KnownValue,
        descriptor: String,
    },
    /// A library left these elements so.
    SeenRange {
        array: ObjectId,
        from: u64,
        to: u64,
    },
    /// From here on nothing is known.
    Gap {
        why: GapReason,
    },
    /// Nothing more is recorded of the thread.
    Stop,
}
