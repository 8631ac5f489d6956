//! What is special about a method that is called, as far as its name tells. Most calls are of few methods, so the answers of
//! lately are kept: comparing names at each call would take longer than writing the call down.

use base::CalleeId;
use classfile::opcode;
use trace::Callee;

/// Is anything special?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traits {
    /// No call to a person: linking a lambda or a string is the compiler's doing, and `Object()` does nothing.
    pub hidden: bool,
    /// It takes or gives arrays.
    pub arrays: bool,
    /// It reads into an array that it is given.
    pub reads_into: bool,
    /// It copies from an array to another.
    pub copies: bool,
    /// It is one of a buffer.
    pub buffer: bool,
    /// It prints something.
    pub prints: bool,
}

impl Traits {
    fn of(callee: &Callee) -> Traits {
        let (owner, name) = (&callee.owner, &callee.name);
        Traits {
            hidden: callee.opcode == opcode::INVOKEDYNAMIC || jdk::machine::is_nothing(owner, name),
            arrays: callee.descriptor.contains('['),
            reads_into: jdk::arrays::reads_into(owner, name, &callee.descriptor),
            copies: jdk::arrays::is_copy(owner, name),
            buffer: jdk::arrays::is_buffer(owner),
            prints: owner == jdk::names::PRINT_STREAM && name != "<init>",
        }
    }
}

const KEPT: usize = 256;

/// The traits of methods that were called lately, by the place of the name.
pub(crate) struct CalleeTraits {
    lately: Box<[Option<(CalleeId, Traits)>; KEPT]>,
}

impl Default for CalleeTraits {
    fn default() -> CalleeTraits {
        CalleeTraits { lately: Box::new([None; KEPT]) }
    }
}

impl CalleeTraits {
    #[inline]
    pub fn of(&mut self, callee: &Callee) -> Traits {
        let CalleeId { class, index } = callee.id;
        let slot = class.0.wrapping_mul(31).wrapping_add(index.into()) as usize % KEPT;
        match self.lately[slot] {
            Some((id, traits)) if id == callee.id => traits,
            _ => {
                let traits = Traits::of(callee);
                self.lately[slot] = Some((callee.id, traits));
                traits
            }
        }
    }
}
