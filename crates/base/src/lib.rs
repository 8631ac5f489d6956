//! The plain types that every crate speaks in: ids, values, times, calls, and how Java writes a number, a string or a
//! class's name. So a crate can be about values without being about recordings. No dependency, no I/O, nothing that is
//! looked up: what needs a table or a file is not here.

mod call;
mod class_name;
mod ids;
pub mod literal;
pub mod text;
mod time;
mod value;

pub use call::{Arguments, CallId, Ending, Target};
pub use class_name::simple_name;
pub use ids::{
    CalleeId, ClassId, FieldId, MethodId, ObjectId, PendingId, Site, SiteId, StreamId, StringId, TypeId,
};
pub use text::Text;
pub use time::{Position, Time};
pub use value::Value;
