//! The past of a recorded run, to be asked: what a call got, gave and changed; what any location held at any moment
//! and who wrote it; what happened in a call, one event at a time, forwards and backwards. Plain data in, plain data
//! out: every client (terminal, page, editors) uses this facade, and makes its own texts and wire formats. Analyses,
//! which go through events by the million, see the recording and its index below it (`index::Evidence`); nobody else can.

mod about;
mod accesses;
mod action;
mod affected;
mod as_made;
mod came_back;
mod changed_later;
mod changes;
mod effects;
mod elements;
mod error;
mod events;
mod find;
mod groups;
mod heap;
mod history;
mod interval;
mod lane;
mod late_messages;
mod lines;
mod local_writes;
mod locals;
mod location;
mod marks;
mod meanwhile;
mod moments;
mod names;
mod noise;
mod open;
mod partial;
mod parts;
mod past;
mod printed_lines;
mod reads;
mod rows;
mod run;
mod state;
mod statics;
mod steps;
mod thrown;
mod tree;
mod unfolded;
mod unseen;
mod within;
mod writes;

pub use about::{Touch, Touches};
pub use accesses::{Access, AccessKind};
pub use action::Action;
pub use affected::{Affected, Slot, Use};
pub use base::{Arguments, CallId, Ending, ObjectId, Position, StreamId, Target, Time, Value};
pub use changes::{Change, Changes};
pub use effects::{
    Bounds, Content, Deed, Effect, Effects, Input, Operation, Origin, Piece as Written, Sink, SinkDeed,
    SinkLine, Wrote, is_exact,
};
pub use error::{Error, Result};
pub use events::{Page, ShownEvent};
pub use find::{CallPart, Match, Printed, SearchQuery};
pub use heap::HeapAt;
pub use history::{HistoryEntry, Manner, same};
pub use index::{CallRow, IndexProgress, MethodGroup};
pub use interval::{Differs, Interval, Touched, differs};
pub use lane::{Crowd, Dot, Flame, Lane, Stretch};
pub use lines::{Line, SourceView};
pub use locals::{Variable, VariableState};
pub use location::Location;
pub use marks::ChangeMark;
pub use meanwhile::OtherWrite;
pub use names::{MethodName, Pointed};
pub use noise::{Aside, Noise};
pub use open::{News, Settings};
pub use partial::{Part, estimated_stats};
pub use parts::{ObjectPart, ObjectParts};
pub use past::{CallInfo, Named, Past, SourceLine};
pub use printed_lines::PrintedLine;
pub use program::Source;
pub use reads::ReadLocation;
pub use render::{Child, KnownValue, RenderLimits, RenderedNode};
pub use run::Flaws;
pub use steps::Step;
pub use thrown::Thrown;
pub use trace::tables::Detail;
pub use trace::{Class, FailedCall, Glance, Method, Mode, Program};
pub use tree::{CallTreeRow, CallTreeRows};
pub use unfolded::{EventRow, EventRows};
pub use writes::Writes;
