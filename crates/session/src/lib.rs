//! The dialogue: which question is next, what an answer means, who gave it, and what comes out at the end. Plain
//! data, no JSON but that of the journal. What happened it asks `past`.

mod accessors;
mod answer;
mod answering;
mod belief;
mod beside;
mod build_tool;
mod contradiction;
mod earlier;
mod entry;
mod error;
mod evidence;
mod extent;
mod fingerprint;
mod focus;
mod follow_up;
mod grow;
mod journal;
mod junit;
mod likely;
mod listing;
mod missing;
mod opening;
mod oracle;
mod oracles;
mod plain;
mod question;
mod repeats;
mod report;
mod scan;
mod select;
mod session;
mod simulate;
mod state;
mod subject;
mod summary;
mod survey;
mod sweep;
mod testimony;
mod trail;
mod view;
mod zoom;

pub use analysis::omissions::{Certainty, OmissionExtent, OmissionOptions, Prevention};
pub use analysis::slice::SliceLimits;
pub use answer::{Answer, AnswerKind, AnswerRow, Author, InputKind, Judged, Reliability, Takes, TrustScope};
pub use belief::{Changed, ChangedError, LikelyPlace};
pub use build_tool::{build_tool, build_tool_of};
pub use contradiction::{Clash, Contradiction};
pub use entry::{
    Fault, FaultKind, Framework, Named as NamedSymptom, Parting, Request, Standstill, Symptom, SymptomKind,
    SymptomReason, SymptomSlice, TestCount, WrongValue, count_tests, failed_at_a_glance, is_test,
    prepares_tests, printed_symptoms, requests, suspected, symptom, symptom_slice, symptoms,
};
pub use error::{Error, Result};
pub use fingerprint::{Fingerprint, Fingerprints, code, fingerprints};
pub use follow_up::absolute_name;
pub use junit::{JunitTest, JunitVersion, WhyNot, junit};
pub use likely::likely;
pub use missing::{Balloon, Finder, Incomplete, Missing, Preparing, PreventedAt, SharedFinder};
pub use oracle::{
    Advice, Advisor, CodeKind, MemoryError, Oracle, OracleError, OracleSpec, Passing, Reference, Remembered,
    RememberedAnswers, Trust, TrustRule, TrustedCode, code_kind, data_folder, memory_path,
};
pub use oracles::Oracles;
pub use question::{
    Became, CallEnd, CallLine, ChangedLocation, Difference, Edit, Folded, Glance, GlanceLine, Held, Kept,
    LineValue, MAX_LINES, Meanwhile, NodeKind, NodeKindRow, Question, QuestionAbout, QuestionDetail,
    QuestionNote, QuestionPart, StatementAction, StillHeld, Thrown, glance, kept_by, outline, question,
};
pub use report::{
    GivenAnswer, Guilty, Keeper, ListedQuestion, MadeAt, PathNode, Report, ReportLine, TrustedPart,
    ValueOrigin, Wrote, report,
};
pub use scan::{Hits, Scan};
pub use session::{
    AskReason, AskedQuestion, Doubt, Lacking, Next, Session, SessionOptions, Verdict, WHOLE_RUN,
};
pub use simulate::{Simulated, simulate};
pub use state::SearchNote;
pub use strategy::{ChoiceRule, Strategy, Teaches};
pub use subject::Subject;
pub use summary::{Summary, TimedAnswer, summary};
pub use testimony::{FILE as TESTIMONY_FILE, Testimony, TestimonyError, Witness};
pub use trail::{Cut, Tie, Trail, TrailRow, trail};
pub use tree::Transform;
pub use view::{AskedTree, Status, TreeRow};
