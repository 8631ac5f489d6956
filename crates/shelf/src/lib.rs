//! Keeps what took long to work out: bytes under a name in a folder, whole or not there at all. Who works something out
//! is given a [`Shelf`] and knows of no path; where nothing can be kept, it gets an unnamed file or memory instead and
//! does not notice. What the bytes mean, and whether they still fit, is the matter of who made them.

mod content;
mod draft;
mod shelf;

pub use content::Content;
pub use draft::Draft;
pub use shelf::Shelf;
