//! What is said to people: events, calls, rows of the tree, answers and reasons, reports as Markdown, HTML or lines of a
//! terminal. Data in, text out; every client says the same in the same words, because it is said here.

mod belief;
mod call;
mod caption;
mod degraded;
mod dialogue;
mod effects;
mod event;
mod omission;
mod place;
mod quantity;
mod question;
mod recorded;
mod report;
mod shown;
mod style;
mod summary;
mod symptom;

pub use belief::{doubt, likeliest, often_right, other_code, percent, questions_left, why};
pub use call::{CallWords, call, call_part};
pub use caption::{Caption, Captions};
pub use degraded::degraded;
pub use dialogue::{
    answer, answer_word, author, clash, elsewhere, forgets, in_sight, lacking, reason, root_name,
    search_note, trusted,
};
pub use effects::{aside, taken, wrote};
pub use event::{EventWords, LIST, TOUCH, event};
pub use omission::{incomplete, prevention, unchangeable};
pub use place::source_line;
pub use quantity::{count, duration, parse_size, size};
pub use question::{
    called, change, difference, held, listed, meanwhile, other_write, outcome, question_line, question_note,
    thrown,
};
pub use recorded::{gap_reason, recorded_event};
pub use report::{
    About, CAUTION, Failure, FilePlace, Likely, RunReport, html, markdown, run_html, run_markdown,
    terminal as report_lines,
};
pub use shown::{Fact, FactKind, ShownQuestion, kept_text, shown};
pub use style::{Line, Style};
pub use summary::summary;
pub use symptom::{standstill, symptom, symptom_line, symptom_text};
