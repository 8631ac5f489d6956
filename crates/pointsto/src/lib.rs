//! What a variable may refer to and which methods a call may reach, in the whole program with its libraries, whatever
//! the run did: an Andersen-style analysis with the call graph made on the way. What a run observed is its start and
//! makes up for what code does not say (reflection, natives).

mod body;
mod circles;
mod code;
mod dispatch;
mod dynamic;
mod effects;
mod error;
mod filters;
mod finish;
mod frame;
mod given;
mod graph;
mod hash;
mod hierarchy;
mod input;
mod instantiate;
mod keep;
mod known;
mod lists;
mod names;
mod natives;
mod regions;
mod set;
mod signature;
mod solution;
mod start;
mod store;
mod translate;
mod world;

pub use error::{Error, Result};
pub use input::{ClassLookup, CodePoint, MemberName, Observed, SeenAt};
pub use solution::{Abstract, ClassNo, MethodNo, ObjectNo, OperandNo, OperandUse, Solution, solve};
