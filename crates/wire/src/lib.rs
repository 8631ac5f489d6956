//! What goes over the wire: the structures behind every `--json` of the command line and behind the page's requests and
//! answers, for editors and agents too. Plain types with serde, a file for each concept, and how each is made of what
//! `past` and `session` give. `call` is always a call's name, `number` always its number. The page's types
//! (`ui/src/wire.ts`) and `docs/wire.md` are written from these.

mod answer;
mod call;
mod doctor;
mod event;
mod failure;
mod goto;
mod history;
mod omission;
mod packed;
mod place;
mod question;
mod recording;
mod report;
mod session;
mod slice;
mod source;
mod state;
mod subject;
mod summary;
mod symptom;
mod timeline;
mod tree;
#[cfg(test)]
mod typescript;
mod version;

pub use answer::*;
pub use call::*;
pub use doctor::*;
pub use event::*;
pub use failure::*;
pub use goto::*;
pub use history::*;
pub use omission::*;
pub use packed::*;
pub use place::*;
pub use question::*;
pub use recording::*;
pub use report::*;
pub use session::*;
pub use slice::*;
pub use source::*;
pub use state::*;
pub use subject::*;
pub use summary::*;
pub use symptom::*;
pub use timeline::*;
pub use tree::*;
pub use version::*;
