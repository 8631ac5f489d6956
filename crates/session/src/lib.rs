//! The dialogue: which question is next, what an answer means, who gave it, and what comes out at the end. Plain
//! data, no JSON but that of the journal. What happened it asks `past`.

mod answer;
mod contradiction;
mod entry;
mod error;
mod extent;
mod fingerprint;
mod grow;
mod journal;
mod junit;
mod lead;
mod missing;
mod oracle;
mod oracles;
mod plain;
mod question;
mod report;
mod said;
mod scan;
mod select;
mod session;
mod simulate;
mod state;
mod subject;
mod survey;
mod trail;
mod view;
mod zoom;

pub use analysis::omissions::{Certainty, Extent, Options as FinderOptions, Prevention};
pub use analysis::slice::Limits as TrailLimits;
pub use answer::{Answer, AnswerKind, AnswerRow, Author, Judged, Scope, Takes, What};
pub use contradiction::{Clash, Contradiction};
pub use entry::{Framework, Symptom, Why, symptom};
pub use error::{Error, Result};
pub use fingerprint::{Fingerprint, Fingerprints, code, fingerprints};
pub use junit::{JunitTest, JunitVersion, WhyNot, junit};
pub use missing::{At, Balloon, Finder, Missing, Preparing, SharedFinder};
pub use oracle::{
    CodeKind, Memory, MemoryError, Oracle, OracleError, OracleSpec, Passing, Reference, Remembered, Rule,
    Trust, TrustedCode, code_kind, memory_path,
};
pub use oracles::Oracles;
pub use question::{Detail, Kind, KindRow, Part, Question, Shown, question};
pub use report::{Given, Guilty, Origin, Report, ReportLine, Step as PathStep, Wrote, report};
pub use scan::{Hits, Scan};
pub use session::{Asked, Options, Outcome, Reason, Session, Step};
pub use simulate::{Simulated, simulate};
pub use strategy::{Rule as ChoiceRule, Strategy};
pub use subject::Subject;
pub use trail::{Cut, Tie, Trail, TrailRow, trail};
pub use tree::Transform;
pub use view::{Status, TreeRow, TreeView};
