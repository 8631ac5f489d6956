//! What could have been done with an object and was not, and which event prevented it. Searched backwards, from the
//! instructions that may do something to the object over calls to what was executed, and never over the run's events:
//! calls that executed the same are one to the search, and only those that are shown are replayed.

mod activations;
mod bodies;
mod bundles;
mod chains;
mod dominant;
mod history;
mod judge;
mod moments;
mod operations;
mod origins;
mod paths;
mod search;
mod subject;
mod values;

use past::{CallId, Location, ObjectId, Past, Time};
use pointsto::{CodePoint, MemberName, Solution};
use trace::Site;

pub(crate) use self::bodies::Kept;
pub use self::history::WriteCounts;
use crate::error::Result;
use crate::executed::Executed;

/// What should have been changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OmissionSubject {
    Object(ObjectId),
    /// A field or an element: only operations that may write it.
    Location(Location),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmissionOptions {
    /// Nothing after this matters.
    pub at: Option<Time>,
    /// Show operations that only read.
    pub reads: bool,
    /// Calls from the prevented instruction to the operation.
    pub chain: usize,
    pub limit: usize,
    /// Let the values of the run decide whether an operation would have reached this very object. Without, everything
    /// is possible that the code allows.
    pub values: bool,
}

impl Default for OmissionOptions {
    fn default() -> Self {
        OmissionOptions { at: None, reads: false, chain: 5, limit: 1000, values: true }
    }
}

/// What kind of event let it not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Prevention {
    /// A branch went another way. So do those of the next three kinds, which say more.
    Branch,
    Switch,
    /// A branch left a loop that has the operation in its body, or never let it begin.
    LoopEnd,
    /// `if (x) return ...;`: a branch led to the end of the method without any further choice, to a `return` that the
    /// operation does not lead to.
    Return,
    /// The same with a `throw`; or, if the place is no branch, an exception arose there.
    Throw,
    /// The call reached another method than the one that would have done it.
    Dispatch,
    /// The library that was called did not call the method back that would have done it.
    Uncalled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Certainty {
    /// The operation would have reached this very object, as the values at that moment say.
    Certain,
    /// It may have: the values at that moment do not decide it.
    Possible,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OmissionExtent {
    /// Never executed in that call.
    Total,
    /// Executed, but less often than it might have been.
    Partial,
}

/// One balloon: an operation, and the place whose events prevented it.
#[derive(Clone, Debug, PartialEq)]
pub struct Omission {
    /// The instruction that decided, and how.
    pub at: Site,
    pub kind: Prevention,
    /// The calls whose events these are, with the time of each, in order; the first ones.
    pub events: Vec<(CallId, Time)>,
    /// How many there are; the list may be shorter. None: at least as many as listed.
    pub count: Option<u64>,
    /// The calls on the way, from the prevented call instruction on; empty if the operation is in the method itself.
    pub chain: Vec<ChainCall>,
    /// The operation.
    pub place: CodePoint,
    pub operation: Operation,
    pub certainty: Certainty,
    pub extent: OmissionExtent,
    /// On the way that was taken, the same object was operated on in another place: rather a choice than an omission.
    pub instead: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChainCall {
    /// The call instruction.
    pub site: CodePoint,
    pub to: MemberName,
    /// Through a library: it calls `to` back.
    pub back: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A call with the object as receiver or argument (by number, the receiver is 0 if there is one).
    Call { method: MemberName, operand: u8, receiver: bool },
    /// A field of it is written, or a static field.
    Put { field: String },
    /// An element of it is written.
    Store,
    /// It is only read.
    Read,
}

/// Why an answer may lack something, or have too much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartialReason {
    /// To the method of an operation; the shortest are looked at.
    ManyWays { method: String },
    /// Calls of which is not known what they executed.
    UnknownCalls(u64),
    /// Only so many are looked at.
    ManyCandidates(usize),
    /// Code of the program has not made the object: it is taken for any of its class that may be where it was seen.
    ForeignObject { object: String },
    /// The analysis of the program does not know where it comes from.
    UnknownObject { object: String },
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Omissions {
    /// The most telling first: total before partial, certain before possible, near before far.
    pub list: Vec<Omission>,
    /// How many instructions only read it; what prevented them is in the list if it was wanted.
    pub reads: usize,
    /// Why the answer may lack something.
    pub partial: Vec<PartialReason>,
    /// The class of the object, if objects of it never change: there is nothing to look for.
    pub unchangeable: Option<String>,
    /// What was done to the object up to then. If it was written and the list is empty, something wrong was written
    /// rather than something left out.
    pub history: WriteCounts,
}

pub fn omissions(
    past: &Past,
    solution: &Solution,
    executed: &Executed,
    subject: &OmissionSubject,
    options: &OmissionOptions,
) -> Result<Omissions> {
    let sought = subject::sought(past, solution, subject)?;
    let until = options.at.or(past.last_time()).unwrap_or(Time(0));
    let history = sought.object.map(|object| history::history(past, object, until)).unwrap_or_default();
    let mut answer = Omissions { history, unchangeable: sought.unchangeable.clone(), ..Omissions::default() };
    answer.partial.clone_from(&sought.partial);
    if sought.unchangeable.is_some() {
        return Ok(answer);
    }
    let others = std::sync::OnceLock::new();
    let mut bodies = bodies::Bodies::new(past, executed.kept(), &others);
    let ops = operations::operations(solution, &mut bodies, &sought, options.reads);
    answer.reads = ops.reads;
    let objects: &[_] = if options.values { &sought.objects } else { &[] };
    let search = search::OmissionSearch::new(past, solution, executed, &mut bodies, options, objects);
    let found = search.run(ops.list);
    answer.partial.extend(found.partial.iter().cloned());
    let (object, since, bodies) = (sought.object, sought.since, &mut bodies);
    let mut judge = judge::Judge { past, solution, executed, object, since, until, options, bodies };
    answer.list = judge.judge(&found);
    Ok(answer)
}
