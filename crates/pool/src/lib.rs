//! The shared chunk pool: a mapped file that the debuggee's threads fill and the collector empties. It lies in
//! shared memory and not in either process, so that what was written survives `kill -9` of both. The layout is
//! the one in `docs/format.md`, section "The pool"; this crate is the only one that knows its offsets.
//!
//! One type, [`Pool`], has two sides: the debuggee's (`writer`: create, acquire, publish) and the collector's
//! (`drain`: open, list, read, release). Who only looks has a [`PoolView`].

mod alive;
mod backing_file;
mod drain;
mod error;
mod layout;
mod mapping;
mod peek;
mod pool;
mod writer;

pub use alive::{Lock, Process};
pub use drain::FullChunk;
pub use error::{Error, Refused};
pub use layout::{AgentState, CHUNK_SIZE, StopReason};
pub use peek::{Copied, Glimpse, PoolView};
pub use pool::Pool;
pub use writer::{Chunk, Setup};
