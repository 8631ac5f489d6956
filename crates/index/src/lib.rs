//! The index of a recording: calls as rows in the order in which they began, postings per location and object
//! sorted by time, one order of all events, checkpoints of the replay. It answers by looking up, never by reading the
//! recording through, and can be thrown away: building it again gives the same bytes. No debugging logic is here.

mod background;
mod blocks;
mod build;
mod call;
mod call_block;
mod call_packing;
mod call_stripe;
mod callee_traits;
mod column;
mod error;
mod evidence;
mod file;
mod folder;
mod groups;
mod index;
mod index_writer;
mod lists;
mod order;
mod packed;
mod posting;
mod posting_block;
mod reads;
mod sealer;
mod segment;
mod shapes;
mod uses;
mod wrapped;

pub use base::{Arguments, CallId, Ending, Position, Target, Time};
pub use build::{CHECKPOINT_EVERY, IndexProgress};
pub use call::CallRow;
pub use error::{Error, Result};
pub use evidence::Evidence;
pub use folder::{Follower, build, index_folder, index_part, open, open_built};
pub use index::{Index, List, Meta, MethodGroup, Noted, TimedPosting};
pub use index_writer::WORTH_A_JUMP;
pub use posting::{Key, NO_BCI, Posting, PostingKind, RESULT};
