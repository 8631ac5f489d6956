//! Class files: lossless reading, and rewriting by insertion only.
//!
//! Knows the format of the Java virtual machine specification and nothing of recording. Everything borrows
//! from the bytes of the class; what is not edited is copied verbatim, so a pass without edits is the identity.

mod bytes;
mod class;
mod code;
mod constant_pool;
mod descriptor;
mod error;
pub mod opcode;
mod operand_stack;
mod rewrite;
mod shuffle;
mod stack_effect;
mod stack_map;

pub use class::{Attribute, Bootstrap, ClassFile, Exchange, Member, access};
pub use code::{Code, ExceptionEntry, Insn, Insns, Switch};
pub use constant_pool::{Constant, ConstantPool, MemberRef, PoolBuilder};
pub use descriptor::{MethodDescriptor, TypeKind};
pub use error::{Error, Result};
pub use operand_stack::OperandStack;
pub use rewrite::{CatchAll, CodeEdit, Covers, rewrite_code, write_class};
pub use shuffle::Shuffle;
pub use stack_effect::{Kinds, StackEffect};
pub use stack_map::{StackMapFrame, VerificationType, frames};
