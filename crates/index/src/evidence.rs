//! The view below the facade, for analyses: the recording and its index as they are, to be read only.
//!
//! It is a trait, so that only a crate that names `index` among its dependencies can bring it into scope: analyses do,
//! and the compiler keeps out the dialogue, the server and the command line, which are to ask the facade.

use trace::Recording;

use crate::index::Index;

pub trait Evidence {
    fn recording(&self) -> &Recording;
    fn index(&self) -> &Index;
}
