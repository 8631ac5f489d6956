//! The recording of a program run: its format, the reader and writer side by side, and the replay that turns
//! the stored log into one complete stream of events per thread. Policy (what to record, what to ask) is not here.

mod class_model;
mod code;
mod error;
mod event;
pub mod frame;
pub mod frame_reader;
mod ids;
pub mod manifest;
mod objects;
pub mod probes;
mod program;
pub mod record;
mod recording;
mod render;
mod replay;
pub mod tables;
pub mod text;
mod value;

pub use class_model::{ClassModel, Field, Method, Mode};
pub use error::{Error, Result};
pub use event::{Bulk, Callee, Elements, Event, EventKind, FieldRef, KINDS, Site};
pub use frame::FrameWriter;
pub use frame_reader::{Damage, FrameReader};
pub use ids::{ClassId, MethodId, ObjectId, PendingId, SiteId, StreamId, StringId, TypeId};
pub use manifest::Manifest;
pub use objects::{Objects, Text};
pub use program::{Class, Note, Program, Thread, Type};
pub use recording::{Degraded, Recording, Stats, Verification};
pub use render::simple_name;
pub use replay::{Gap, Limits, Outcome};
pub use value::Value;
