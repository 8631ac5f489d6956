//! The index of a recording: calls as rows in the order in which they began, postings per location and object
//! sorted by time, one order of all events, checkpoints of the replay. It answers by looking up, never by reading the
//! recording through, and can be thrown away: building it again gives the same bytes. No debugging logic is here.

mod blocks;
mod build;
mod call;
mod error;
mod evidence;
mod file;
mod folder;
mod groups;
mod index;
mod lists;
mod order;
mod packed;
mod posting;
mod scribe;
mod sealer;
mod segment;
mod sizes;

pub use base::{Arguments, CallId, Ending, Position, Target, Time};
pub use build::{CHECKPOINT_EVERY, Progress};
pub use call::Call;
pub use error::{Error, Result};
pub use evidence::Evidence;
pub use folder::{Follower, build, open, open_built, place};
pub use index::{Found, Index, List, Meta, MethodGroup, Noted};
pub use posting::{Key, NO_BCI, Posting, RESULT, What};
