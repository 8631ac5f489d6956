//! Empties the chunk pools of the JVMs under debugging into their recordings: while they run, when they end
//! (however they end), and later for a recording whose collector was killed. It never makes a program wait
//! because of an error of its own: where it cannot write, recording stops, and the recording says so.
//!
//! Invariant: a chunk is released only after its frame is in a file, and salvaging writes only frames that no
//! file has yet; so killing any process at any moment loses nothing that a thread had put into its chunk.

mod close;
mod crowd;
mod ending;
mod error;
mod gather;
mod live;
mod plan;
mod priority;
mod rest;
mod salvage;
mod table_cut;
mod tail;
mod watch;

pub use close::JvmSummary;
pub use ending::{ProcessExit, Stopped};
pub use error::Error;
pub use gather::{gather, jvm_folders};
pub use pool::StopReason;
pub use salvage::{Salvage, salvage};
pub use tail::LiveTail;
pub use watch::{Collector, RecordingProgress, Summary};
