//! What a method's code does with references, as constraints between its variables. Independent of all other classes:
//! constants are still indices into the class's own pool.

/// A variable of one body: a reference parameter, a place where a value arises, or a join of several.
pub type Local = u32;

/// No variable: a primitive, null, or a value that nobody uses.
pub const NONE: Local = u32::MAX;
/// What is thrown out of the method.
pub const ESCAPE: Local = u32::MAX - 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    New {
        to: Local,
        class: u16,
        bci: u16,
    },
    /// `newarray`: the type's letter.
    NewPrimitives {
        to: Local,
        letter: u8,
        bci: u16,
    },
    /// `anewarray`: the class of the elements.
    NewArray {
        to: Local,
        element: u16,
        bci: u16,
    },
    /// `multianewarray`: the class of the whole.
    NewArrays {
        to: Local,
        class: u16,
        dimensions: u8,
        bci: u16,
    },
    Constant {
        to: Local,
        index: u16,
    },
    Copy {
        from: Local,
        to: Local,
    },
    Load {
        base: Local,
        field: u16,
        to: Local,
    },
    Store {
        base: Local,
        field: u16,
        from: Local,
    },
    LoadStatic {
        field: u16,
        to: Local,
    },
    StoreStatic {
        field: u16,
        from: Local,
    },
    LoadElement {
        base: Local,
        to: Local,
    },
    StoreElement {
        base: Local,
        from: Local,
    },
    /// `arguments` is where they start in `Body::arguments`: one for each parameter, the receiver first.
    Call {
        opcode: u8,
        index: u16,
        bci: u16,
        arguments: u32,
        count: u16,
        to: Local,
        thrown: Local,
    },
    Return {
        from: Local,
    },
    /// A handler's exception: the machine itself may throw it.
    Caught {
        to: Local,
    },
}

/// An operand that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Used {
    pub bci: u16,
    pub operand: u8,
    /// Something is written to it here that is more than a cache.
    pub written: bool,
    pub local: Local,
}

/// What all returned values have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    Nothing,
    /// Always this parameter, counted among the references, the receiver first.
    Parameter(u32),
    Values,
}

/// Variables 0.. are the reference parameters, the receiver first.
#[derive(Debug)]
pub struct Body {
    pub locals: u32,
    pub ops: Vec<Op>,
    pub arguments: Vec<Local>,
    /// Variables that hold only objects of a class (a constant's index).
    pub types: Vec<(Local, u16)>,
    pub used: Vec<Used>,
    pub returns: Returns,
}

impl Default for Body {
    fn default() -> Self {
        Body {
            locals: 0,
            ops: Vec::new(),
            arguments: Vec::new(),
            types: Vec::new(),
            used: Vec::new(),
            returns: Returns::Nothing,
        }
    }
}

impl Body {
    pub fn clear(&mut self) {
        self.locals = 0;
        self.ops.clear();
        self.arguments.clear();
        self.types.clear();
        self.used.clear();
        self.returns = Returns::Nothing;
    }
}
