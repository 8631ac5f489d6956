//! The recorder from outside: real Java programs, run plain and recorded by the real binary, and compared. One test
//! binary, so that it is linked once; each module is one promise of the recorder.

mod anywhere;
mod asking_live;
mod bad_input;
mod children;
mod crash;
mod debuggee;
mod details;
mod dialogue;
mod effects;
mod events;
mod identity;
mod link;
mod live;
mod looking;
mod naive;
mod old_recordings;
mod omissions_naive;
mod omitted;
mod oracles;
mod order;
mod origins;
mod page;
mod questions;
mod refusals;
mod repeated;
mod reports;
mod shadow;
mod slice_cases;
mod slices;
mod started;
mod state;
mod symptoms;
mod traps;
mod unchanged;
