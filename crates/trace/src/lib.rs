//! The recording of a program run: its format, the reader and writer side by side, and the replay that turns
//! the stored log into one complete stream of events per thread. Policy (what to record, what to ask) is not here.

// Ids and values are reached by these paths within this crate.
use base as ids;
#[cfg(feature = "reader")]
use base as value;

#[cfg(feature = "reader")]
mod class_model;
#[cfg(feature = "reader")]
mod code;
pub mod codes;
#[cfg(feature = "reader")]
mod column;
#[cfg(feature = "reader")]
mod definitions;
#[cfg(feature = "reader")]
mod directory;
#[cfg(feature = "reader")]
mod error;
#[cfg(feature = "reader")]
mod event;
#[cfg(feature = "reader")]
mod facts;
#[cfg(feature = "reader")]
mod fields;
#[cfg(feature = "reader")]
mod follow;
#[cfg(feature = "reader")]
pub mod frame;
#[cfg(feature = "reader")]
pub mod frame_reader;
#[cfg(feature = "reader")]
mod library_fields;
#[cfg(feature = "reader")]
mod link;
#[cfg(feature = "reader")]
pub mod manifest;
#[cfg(feature = "reader")]
mod objects;
#[cfg(feature = "reader")]
mod outline;
#[cfg(feature = "reader")]
mod part;
pub mod probes;
#[cfg(feature = "reader")]
mod program;
pub mod record;
#[cfg(feature = "reader")]
mod recording;
#[cfg(feature = "reader")]
mod render;
#[cfg(feature = "reader")]
mod replay;
#[cfg(feature = "reader")]
mod stream;
#[cfg(feature = "reader")]
mod table_reader;
pub mod tables;
#[cfg(feature = "reader")]
mod tail;

pub use base::{
    CalleeId, ClassId, FieldId, MethodId, ObjectId, PendingId, Site, SiteId, StreamId, StringId, Text,
    TypeId, Value, literal, simple_name, text,
};
#[cfg(feature = "reader")]
pub use class_model::{ClassModel, Field, Method, Mode};
#[cfg(feature = "reader")]
pub use error::{Error, Result};
#[cfg(feature = "reader")]
pub use event::{BulkWrite, Callee, Elements, Event, EventKind, FieldRef, GapReason, Jump, KINDS};
#[cfg(feature = "reader")]
pub use frame::FrameWriter;
#[cfg(feature = "reader")]
pub use frame_reader::{Damage, FrameReader};
#[cfg(feature = "reader")]
pub use library_fields::{LibraryField, LibraryFieldNumbers};
#[cfg(feature = "reader")]
pub use manifest::Manifest;
#[cfg(feature = "reader")]
pub use objects::Objects;
#[cfg(feature = "reader")]
pub use outline::{FailedCall, Outline};
#[cfg(feature = "reader")]
pub use part::Glance;
#[cfg(feature = "reader")]
pub use program::{Class, Note, Program, Thread, Type};
#[cfg(feature = "reader")]
pub use recording::{Degraded, DegradedTo, Recording, Stats, Verification};
#[cfg(feature = "reader")]
pub use replay::{Checkpoint, Gap, Paused, Read, ReadKind, Replay, ReplayEnd, ReplayLimits, Then, Visitor};
#[cfg(feature = "reader")]
pub use tail::{POOL, Tail, TailChunk};
