//! How much of a value is shown. Every limit is on what comes out, so that a client can foresee its size.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderLimits {
    /// Levels of nesting; what lies deeper is shown by its name.
    pub depth: usize,
    /// Elements, pairs or fields of one object; in a node these are its children.
    pub elements: usize,
    /// Chars of one string.
    pub string: usize,
    /// Chars of one line: past them no further element is begun.
    pub width: usize,
    /// What is shown by its name alone is shown with the field that says which thing it is, if it has one.
    pub named: bool,
}

impl RenderLimits {
    /// For one line of text.
    pub const fn line() -> Self {
        RenderLimits { depth: 3, elements: 20, string: 200, width: 400, named: false }
    }

    /// For a node with its children.
    pub const fn node() -> Self {
        RenderLimits { elements: 100, ..RenderLimits::line() }
    }
}

impl Default for RenderLimits {
    fn default() -> Self {
        RenderLimits::line()
    }
}
