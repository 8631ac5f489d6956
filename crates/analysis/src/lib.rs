//! What the code and a run of it say together: control flow, loops, def-use chains; what calls read and wrote, which
//! loops ran how often, what each call covered.

pub mod cfg;
pub mod code;
pub mod control;
pub mod defuse;
mod distinct;
pub mod dominators;
mod error;
pub mod executed;
pub mod expression;
mod follow;
mod loops;
pub mod makers;
pub mod natural_loops;
pub mod observed;
pub mod omissions;
pub mod operands;
mod own;
mod passes;
pub mod producers;
mod runs;
pub mod slice;
pub mod soundness;
mod statements;
pub mod substance;
mod survey;

pub use error::{Error, Result};
pub use follow::Walk;
pub use loops::{
    ChangedVariable, GivenVariable, LoopEnd, LoopRun, Loops, MAX_RUNS, MAX_STARTS, Within, loops,
};
pub use observed::points_to;
pub use passes::{By, LineExecution, OnLine, Passes, Written, last_on_line, next_on_line, passes};
pub use statements::{Role, Statement, Statements, statements};
pub use survey::{Entities, Survey, SurveyOptions, survey};
