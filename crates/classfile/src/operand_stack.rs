//! An operand stack of which something is known slot by slot, for analyses that follow it: they say what a value is,
//! [`StackEffect`] says where it goes.

use crate::descriptor::TypeKind;
use crate::shuffle::Shuffle;
use crate::stack_effect::{Kinds, StackEffect};

/// Only the upper slots need be known, as where a basic block begins: what lies below them is `T::default()`. Both slots
/// of a long or double say the same.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OperandStack<T> {
    /// The topmost last.
    pub slots: Vec<T>,
}

impl<T: Clone + Default> OperandStack<T> {
    /// Does what an instruction does. If it takes or gives values, `given` says what is known of the one that it gives, by
    /// what was known of those that it took, the deepest first.
    pub fn apply(&mut self, effect: StackEffect<'_>, given: impl FnOnce(Vec<T>) -> T) {
        match effect {
            StackEffect::Drops(slots) => self.discard(slots),
            StackEffect::Shuffles(shuffle) => self.shuffle(shuffle),
            StackEffect::Values { takes, gives } => {
                let operands = self.pop_all(&takes);
                self.give(gives, given(operands));
            }
        }
    }

    /// Takes values of these kinds: what is known of each, the deepest first.
    fn pop_all(&mut self, kinds: &Kinds<'_>) -> Vec<T> {
        self.know(kinds.slots());
        let first = self.slots.len() - kinds.slots();
        let mut at = first;
        let values = kinds.iter().map(|kind| {
            let slot = at;
            at += usize::from(kind.slots());
            std::mem::take(&mut self.slots[slot])
        });
        let values = values.collect();
        self.slots.truncate(first);
        values
    }

    /// Puts a value there; none if its kind is `Void`.
    pub fn give(&mut self, kind: TypeKind, value: T) {
        self.slots.resize(self.slots.len() + usize::from(kind.slots()), value);
    }

    fn discard(&mut self, slots: usize) {
        self.slots.truncate(self.slots.len().saturating_sub(slots));
    }

    fn shuffle(&mut self, shuffle: Shuffle) {
        self.know(shuffle.slots());
        let done = shuffle.apply(&mut self.slots);
        debug_assert!(done.is_some());
    }

    /// Makes so many slots, at least, be there.
    fn know(&mut self, slots: usize) {
        let missing = slots.saturating_sub(self.slots.len());
        self.slots.splice(0..0, std::iter::repeat_n(T::default(), missing));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opcode as op;

    #[test]
    fn what_lies_below_the_known_slots_is_the_default() {
        let mut stack = OperandStack { slots: vec!['a'] };
        stack.shuffle(Shuffle::of(op::DUP_X1).unwrap());
        assert_eq!(stack.slots, ['a', '\0', 'a']);
        stack.discard(7);
        stack.give(TypeKind::Long, 'l');
        stack.give(TypeKind::Void, 'v');
        assert_eq!(stack.slots, ['l', 'l']);
        stack.shuffle(Shuffle::of(op::DUP2_X2).unwrap());
        assert_eq!(stack.slots, ['l', 'l', '\0', '\0', 'l', 'l']);
    }
}
