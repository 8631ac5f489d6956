//! What a question is about and what its line is made of, as data: clients say it in words of their own. Values are
//! texts already, as `render` makes them.

use analysis::LoopEnd;

/// What is asked about, with what stands on the question's line and nowhere else in the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuestionAbout {
    /// One call, the outermost of its recursion included.
    Call {
        call: CallLine,
        /// Fields of the receiver that it went by and did not change: name and value.
        fields: Vec<(String, String)>,
    },
    /// Calls that follow each other. There may be more of them than members that are shown.
    Calls { count: usize },
    /// The calls of a thread that nothing of the recording called.
    Thread { name: String, count: usize },
    /// Iterations of a loop, from this one on, of all that it made; how many these are is the question's `iterations`.
    Loop { line: Option<u16>, from: u32, all: u64 },
    Statement {
        /// Asked is whether all was right up to it.
        up_to: bool,
        line: Option<u16>,
        bci: u16,
        /// Its line of source.
        source: Option<String>,
        did: StatementAction,
    },
}

/// A call as it is written on a line: what was changed is left out, and so is the receiver but for one of several calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallLine {
    /// `MergeSort.merge`; the class for a constructor.
    pub name: String,
    /// What it was made on, where that tells calls beside each other apart.
    pub of: Option<String>,
    pub constructs: bool,
    pub args: Vec<LineValue>,
    pub end: CallEnd,
}

/// An argument on a line, and what became of it if that is another text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineValue {
    pub before: String,
    pub after: Option<String>,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallEnd {
    /// It did not.
    Open,
    /// `void` for a call that gives nothing, the new object for a constructor.
    Gave(String),
    Threw(Thrown),
}

/// An exception.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Thrown {
    Value(String),
    /// Which one it was is not recorded.
    Unknown,
}

/// What a variable held, or what was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    Value(String),
    /// Nothing yet.
    NotSet,
    /// Nothing more: the end of a stream was reached.
    Ended,
}

/// What a statement did. What it called, gave or threw is the question's member, result or exception.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementAction {
    /// No `before` where that is not known.
    Assigned {
        name: String,
        before: Option<String>,
        after: String,
    },
    /// Did the condition hold, and to which line did control go?
    Tested {
        holds: bool,
        to: Option<u16>,
    },
    Switched {
        key: i32,
        default: bool,
        to: Option<u16>,
    },
    Caught,
    Threw,
    Returned,
    Called,
}

/// What else there is to know of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuestionNote {
    /// The call has not returned: what is shown is what it did so far.
    SoFar,
    /// Nothing is known to have changed, but of these library methods and `more` others nobody knows what they did.
    NoKnownChange {
        methods: Vec<String>,
        more: usize,
    },
    /// Nothing flows between the calls.
    Independent,
    /// So many nested calls of one method are asked about as one.
    Nested(usize),
    LoopEnded(LoopEnd),
    /// What variables hold after the statement: name and value.
    Variables(Vec<(String, String)>),
}
