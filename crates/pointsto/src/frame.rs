//! The abstract stack and locals: which value stands in each slot before an instruction. A value is where it arose, so
//! two variables that share a slot stay two; where different values meet, the meeting place becomes a value of its own.

use classfile::TypeKind;

/// 0 is no reference (a primitive, null, unset). Else a kind in the upper bits and a number.
pub type AbstractValue = u32;

pub const NO_VALUE: AbstractValue = 0;
const DEFINED: u32 = 0x1000_0000;
const CAUGHT: u32 = 0x2000_0000;
const MET: u32 = 0x8000_0000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbstractOrigin {
    None,
    /// Counted among the references.
    Parameter(u32),
    /// By the instruction there.
    Defined(u32),
    /// By the handler that is this block.
    Caught(u32),
    /// This cell of the states at block starts.
    Met(u32),
}

pub fn parameter(n: u32) -> AbstractValue {
    1 + n
}

pub fn defined(pc: u32) -> AbstractValue {
    DEFINED | pc
}

pub fn caught(block: u32) -> AbstractValue {
    CAUGHT | block
}

pub fn origin(value: AbstractValue) -> AbstractOrigin {
    if value == NO_VALUE {
        AbstractOrigin::None
    } else if value & MET != 0 {
        AbstractOrigin::Met(value & !MET)
    } else if value & CAUGHT != 0 {
        AbstractOrigin::Caught(value & !CAUGHT)
    } else if value & DEFINED != 0 {
        AbstractOrigin::Defined(value & !DEFINED)
    } else {
        AbstractOrigin::Parameter(value - 1)
    }
}

/// The state before an instruction. Longs and doubles take two slots.
#[derive(Default)]
pub struct AbstractFrame {
    pub locals: Vec<AbstractValue>,
    pub stack: Vec<AbstractValue>,
}

impl AbstractFrame {
    /// Puts a value on the stack; one that is no reference is not followed.
    pub fn push(&mut self, kind: TypeKind, reference: AbstractValue) {
        match kind {
            TypeKind::Reference => self.stack.push(reference),
            other => self.stack.resize(self.stack.len() + usize::from(other.slots()), NO_VALUE),
        }
    }
}

/// The states at the starts of blocks, all in one array: a row of locals, then stack, for each block.
#[derive(Default)]
pub struct States {
    pub cells: Vec<AbstractValue>,
    width: usize,
    locals: usize,
    depth: Vec<Option<u16>>,
}

impl States {
    pub fn reset(&mut self, blocks: usize, locals: usize, stack: usize) {
        self.width = locals + stack;
        self.locals = locals;
        self.cells.clear();
        self.cells.resize(blocks * self.width, NO_VALUE);
        self.depth.clear();
        self.depth.resize(blocks, None);
    }

    pub fn is_reached(&self, block: u32) -> bool {
        self.depth[block as usize].is_some()
    }

    pub fn load(&self, block: u32, frame: &mut AbstractFrame) {
        let row = block as usize * self.width;
        let stack = row + self.locals;
        frame.locals.clear();
        frame.locals.extend_from_slice(&self.cells[row..stack]);
        frame.stack.clear();
        let depth = self.depth[block as usize].unwrap_or(0) as usize;
        frame.stack.extend_from_slice(&self.cells[stack..stack + depth]);
    }

    /// Lets a state flow into a block. Did that change it? None if it does not fit.
    pub fn flow(&mut self, block: u32, locals: &[AbstractValue], stack: &[AbstractValue]) -> Option<bool> {
        if stack.len() > self.width - self.locals {
            return None;
        }
        let row = block as usize * self.width;
        match self.depth[block as usize] {
            None => {
                self.depth[block as usize] = Some(stack.len() as u16);
                let to = &mut self.cells[row..row + self.width];
                to[..locals.len()].copy_from_slice(locals);
                to[self.locals..self.locals + stack.len()].copy_from_slice(stack);
                Some(true)
            }
            Some(depth) if depth as usize == stack.len() => {
                let mut changed = false;
                let slots = locals.iter().chain(stack);
                let places = (row..row + locals.len()).chain(row + self.locals..);
                for (&v, at) in slots.zip(places) {
                    let old = self.cells[at];
                    if v == old || v == NO_VALUE {
                        continue;
                    }
                    let new = if old == NO_VALUE { v } else { MET | at as u32 };
                    if new != old {
                        self.cells[at] = new;
                        changed = true;
                    }
                }
                Some(changed)
            }
            Some(_) => None,
        }
    }

    /// Tells each (meeting place, value) of a state that flows into a block.
    pub fn meetings(
        &self,
        block: u32,
        locals: &[AbstractValue],
        stack: &[AbstractValue],
        mut tell: impl FnMut(u32, AbstractValue),
    ) {
        let row = block as usize * self.width;
        let places = (row..row + locals.len()).chain(row + self.locals..);
        for (&v, at) in locals.iter().chain(stack).zip(places) {
            let here = MET | at as u32;
            if self.cells[at] == here && v != here && v != NO_VALUE {
                tell(at as u32, v);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_values_meet_in_a_value_of_their_own() {
        let mut s = States::default();
        s.reset(2, 2, 1);
        assert_eq!(s.flow(1, &[parameter(0), NO_VALUE], &[]), Some(true));
        assert_eq!(s.flow(1, &[parameter(0), parameter(1)], &[]), Some(true));
        assert_eq!(s.flow(1, &[parameter(0), defined(7)], &[]), Some(true));
        assert_eq!(s.flow(1, &[parameter(0), defined(7)], &[]), Some(false));
        let mut frame = AbstractFrame::default();
        s.load(1, &mut frame);
        assert_eq!(origin(frame.locals[0]), AbstractOrigin::Parameter(0));
        assert_eq!(origin(frame.locals[1]), AbstractOrigin::Met(4));
        assert_eq!(s.flow(1, &[NO_VALUE; 2], &[NO_VALUE]), None, "another depth");
    }
}
