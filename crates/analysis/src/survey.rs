//! One pass over whole subtrees of calls: how siblings are tied together, which loops ran, what each call covered.
//! Nothing of a call is kept but what its caller needs, so memory grows with the number of calls, not of events.

mod coverage;
mod footprint;
mod keys;
mod links;
mod loops;
mod methods;
mod pass;

use index::Evidence;
use past::{CallId, Past};
use trace::MethodId;
use tree::{Coverage, Links, LoopRuns, PlainRow};

use crate::error::{Error, Result};
use pass::Pass;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entities {
    /// The edge into the method, and edges between basic blocks that are not the only way to go on: the others say
    /// nothing more.
    Edges,
    /// Definitions of variables with their uses.
    DefUse,
}

/// What is wanted; each costs time of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SurveyOptions {
    pub links: bool,
    pub loops: bool,
    pub coverage: Option<Entities>,
    /// Groups of loops are numbered from here on: it has to be past those of methods.
    pub first_loop_group: u32,
}

/// What was found, by row: the place of a call in what `survey` was given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survey {
    /// The link of each row to its previous sibling among the rows. Empty if not wanted.
    pub links: Links,
    pub loops: LoopRuns,
    /// By group of a loop, from `first_loop_group` on: the method it is in, and where its head is.
    pub heads: Vec<(MethodId, u16)>,
    /// Rows of which something is not known. They have no loops, no links, and no full coverage.
    pub unknown: Vec<PlainRow>,
    /// Calls into libraries cover nothing. Empty if not wanted.
    pub coverage: Coverage,
    /// By edge that can be covered: how much there is to get wrong where it leads. Empty if edges are not wanted.
    pub substance: Vec<f64>,
}

/// `rows`: calls in order of threads and within one of their beginning, whole subtrees; calls into libraries may be
/// left out if nothing of the program runs in them.
pub fn survey(past: &Past, rows: &[CallId], want: SurveyOptions) -> Result<Survey> {
    if rows.iter().any(|&row| row.index >= past.index().calls(row.stream)) {
        return Err(Error::NoSuchCall);
    }
    Pass::survey(past, rows, want)
}
