//! `dup` in all its forms, and `swap`: instructions that move slots of the operand stack, whatever values these hold.

use crate::opcode as op;

/// Puts the topmost slots under those below them; a `dup` leaves them on top as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shuffle {
    /// How many slots are put elsewhere. A long or double is two.
    pub moved: usize,
    /// How many slots they are put under.
    pub under: usize,
    /// Do they stay on top too?
    pub copies: bool,
}

impl Shuffle {
    pub const fn of(code: u8) -> Option<Shuffle> {
        let (moved, under, copies) = match code {
            op::DUP => (1, 0, true),
            op::DUP_X1 => (1, 1, true),
            op::DUP_X2 => (1, 2, true),
            op::DUP2 => (2, 0, true),
            op::DUP2_X1 => (2, 1, true),
            op::DUP2_X2 => (2, 2, true),
            op::SWAP => (1, 1, false),
            _ => return None,
        };
        Some(Shuffle { moved, under, copies })
    }

    /// How many slots it needs to find.
    pub const fn slots(self) -> usize {
        self.moved + self.under
    }

    /// Does it to a stack of slots, the topmost last. None if it is too short, which then stays as it is.
    pub fn apply<T: Clone>(self, stack: &mut Vec<T>) -> Option<()> {
        let from = stack.len().checked_sub(self.slots())?;
        if self.copies {
            stack.extend_from_within(from + self.under..);
        }
        stack[from..].rotate_right(self.moved);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_go_below_what_they_are_put_under() {
        let cases: [(u8, &[u32]); 7] = [
            (op::DUP, &[1, 2, 3, 4, 4]),
            (op::DUP_X1, &[1, 2, 4, 3, 4]),
            (op::DUP_X2, &[1, 4, 2, 3, 4]),
            (op::DUP2, &[1, 2, 3, 4, 3, 4]),
            (op::DUP2_X1, &[1, 3, 4, 2, 3, 4]),
            (op::DUP2_X2, &[3, 4, 1, 2, 3, 4]),
            (op::SWAP, &[1, 2, 4, 3]),
        ];
        for (code, expected) in cases {
            let mut stack = vec![1, 2, 3, 4];
            let shuffle = Shuffle::of(code).unwrap();
            assert_eq!(shuffle.apply(&mut stack), Some(()), "{code}");
            assert_eq!(stack, expected, "{code}");
            let mut short = vec![7; shuffle.slots() - 1];
            assert_eq!(shuffle.apply(&mut short), None, "{code}");
            assert_eq!(short.len(), shuffle.slots() - 1, "{code}");
        }
        for code in (0..=u8::MAX).filter(|code| !(op::DUP..=op::SWAP).contains(code)) {
            assert_eq!(Shuffle::of(code), None, "{code}");
        }
    }
}
