//! Reports for people: of a finished dialogue (a file of Markdown, a page of HTML, lines of a terminal, which say the same of
//! one structure, `session::Report`), and of a run in which something failed.

mod html;
mod markdown;
mod run;
mod run_markdown;
mod terminal;

pub use html::{About, html, run_html};
pub use markdown::markdown;
pub use run::{CAUTION, Failure, FilePlace, Likely, RunReport};
pub use run_markdown::run_markdown;
pub use terminal::terminal;
