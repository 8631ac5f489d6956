//! What can be wrong with a class file, or with a change to it.

/// Why a class could not be read or rewritten.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("not a class file: the magic number is missing")]
    Magic,
    #[error("the class file ends in the middle of {0}")]
    Truncated(&'static str),
    #[error("{0} bytes follow the end of the class")]
    Trailing(usize),
    #[error("constant {0} does not exist or is not a {1}")]
    Constant(u16, &'static str),
    #[error("unknown constant tag {0}")]
    ConstantTag(u8),
    #[error("malformed descriptor")]
    Descriptor,
    #[error("malformed code at {0}: {1}")]
    Code(u32, &'static str),
    #[error("malformed stack map: {0}")]
    StackMap(&'static str),
    #[error("the method outgrows the class file's limits ({0})")]
    TooLarge(&'static str),
    #[error("the constant pool is full")]
    PoolFull,
}

pub type Result<T> = std::result::Result<T, Error>;
