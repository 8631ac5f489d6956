//! Styled text: a line as pieces, each with what it should look like. A terminal makes colours of that; without one it
//! is plain text.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Plain,
    Faint,
    Bold,
    Red,
    Green,
    Yellow,
    Cyan,
}

/// One line.
pub type Line = Vec<(Style, String)>;
