//! What a node stands for, said in terms of the plain tree: the tree of recorded calls that every other is made from.

/// A call's place in the plain tree, in pre-order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlainRow(pub u32);

/// What a node stands for. It names rows of the plain tree only, so it means the same in every tree made from that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fragment {
    Call(PlainRow),
    /// All that one thread did; `row` is where its calls begin in the plain tree.
    Thread(PlainRow),
    /// Siblings asked about together, which stay in the tree below.
    Projection {
        first: PlainRow,
        last: PlainRow,
    },
    /// Sibling leaves of one method asked about together and not on their own. `independent`: nothing flows from one
    /// to the next.
    Collapse {
        first: PlainRow,
        last: PlainRow,
        independent: bool,
    },
    /// Calls of one method nested in each other: the outermost, and how many levels deep the others lie that it
    /// stands for. They have no node of their own; what else they called lies directly below.
    Compressed {
        row: PlainRow,
        levels: u32,
    },
    /// One execution of a loop: the number of it among all loops that ran in the call.
    Loop {
        call: PlainRow,
        run: u32,
    },
    /// Iterations `from..to` of it.
    Iterations {
        call: PlainRow,
        run: u32,
        from: u32,
        to: u32,
    },
    /// One statement's execution: the number of it within the call.
    Statement {
        call: PlainRow,
        at: u32,
    },
}

impl Fragment {
    /// The first row that it covers, or lies in.
    pub fn row(&self) -> PlainRow {
        match *self {
            Fragment::Call(row) | Fragment::Thread(row) | Fragment::Compressed { row, .. } => row,
            Fragment::Projection { first, .. } | Fragment::Collapse { first, .. } => first,
            Fragment::Loop { call, .. }
            | Fragment::Iterations { call, .. }
            | Fragment::Statement { call, .. } => call,
        }
    }

    /// The last of the siblings that it stands for; its own row where it stands for no siblings.
    pub fn last(&self) -> PlainRow {
        match *self {
            Fragment::Projection { last, .. } | Fragment::Collapse { last, .. } => last,
            Fragment::Call(_)
            | Fragment::Thread(_)
            | Fragment::Compressed { .. }
            | Fragment::Loop { .. }
            | Fragment::Iterations { .. }
            | Fragment::Statement { .. } => self.row(),
        }
    }

    /// A piece of a call, smaller than it: no row of the plain tree is its own.
    pub fn is_part(&self) -> bool {
        match self {
            Fragment::Loop { .. } | Fragment::Iterations { .. } | Fragment::Statement { .. } => true,
            Fragment::Call(_)
            | Fragment::Thread(_)
            | Fragment::Projection { .. }
            | Fragment::Collapse { .. }
            | Fragment::Compressed { .. } => false,
        }
    }
}
