//! Divide by YES and query: D&Q nearest, with the weights of less YES first.

pub(crate) use crate::less_yes::weigh;
