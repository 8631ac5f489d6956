//! A report for people: a file of Markdown, a page of HTML, lines of a terminal. All three say the same of one
//! structure, `session::Report`.

mod html;
mod markdown;
mod terminal;

pub use html::{About, html};
pub use markdown::markdown;
pub use terminal::terminal;
