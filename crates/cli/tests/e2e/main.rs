//! The recorder from outside: real Java programs, run plain and recorded by the real binary, and compared. One test
//! binary, so that it is linked once; each module is one promise of the recorder.

mod anywhere;
mod bad_input;
mod children;
mod crash;
mod debuggee;
mod details;
mod events;
mod link;
mod live;
mod naive;
mod order;
mod refusals;
mod state;
mod steps;
mod unchanged;
