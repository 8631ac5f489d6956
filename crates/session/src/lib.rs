//! The dialogue: which question is next, what an answer means, who gave it, and what comes out at the end. The facade
//! that every client uses; plain data, no terminal text, no JSON but that of the journal.

mod answer;
mod subject;

pub use answer::{Answer, Author, Judged, Scope};
pub use subject::Subject;
