//! What a finished dialogue found.

use serde::{Deserialize, Serialize};

use crate::answer;
use crate::call::NamedValue;
use crate::omission::Omissions;
use crate::place::SourcePlace;
use crate::question::Question;
use crate::subject::Subject;

/// The guilty code, what proves it guilty, and how it was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Report {
    pub subject: Subject,
    #[cfg_attr(test, ts(type = "KindName"))]
    pub kind: String,
    /// `MergeSort.merge#3`
    pub call: String,
    pub number: Option<u64>,
    /// `MergeSort.merge`
    pub method: String,
    /// The source file's name as the class file has it.
    pub file: Option<String>,
    /// Where the text of the lines is from.
    pub source: Option<String>,
    /// Lines are instructions: the class file has no line numbers.
    pub bytecode: bool,
    /// A reason not to believe that the text is what was compiled.
    pub suspicious: Option<String>,
    /// Numbers of the guilty lines, ascending.
    pub lines: Vec<u32>,
    /// Those of them that what came out wrong depends on. Empty if that narrows nothing down.
    pub likely: Vec<u32>,
    /// Those of which nobody can say whether it depends on them.
    pub unsure: Vec<u32>,
    /// The lines that made what came out wrong, the likeliest first.
    pub made: Vec<MadeAt>,
    /// What the call gave in the good run, on one line, if there is one.
    pub good: Option<String>,
    /// The method, line by line.
    pub code: Vec<ReportLine>,
    pub counterexample: Question,
    /// What should have come out, in the words of who judged it.
    pub expected: Option<String>,
    /// What is wrong, from the symptom down.
    pub path: Vec<PathNode>,
    pub answers: Vec<ReportAnswer>,
    /// Where to look next.
    pub origins: Vec<Origin>,
    /// What should have happened and did not, if somebody missed something.
    pub missing: Option<Omissions>,
    /// Why that could not be looked for.
    pub missing_failed: Option<String>,
    /// What was called there and nobody judged: the defect may lie in it as well. The most called first.
    pub trusted: Vec<TrustedPart>,
    /// Where else the defect may be, each to follow on "or": calls that kept what others changed, calls before all that was looked at.
    pub elsewhere: Vec<String>,
}

/// A line of the guilty call that wrote something that came out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MadeAt {
    pub line: u32,
    pub text: String,
    /// As `inquest history` takes it; `result` or `thrown` for what the call gave.
    pub location: String,
    pub value: String,
}

impl From<session::MadeAt> for MadeAt {
    fn from(made: session::MadeAt) -> MadeAt {
        MadeAt { line: made.line, text: made.text, location: made.location, value: made.value }
    }
}

/// Code that a verdict takes for granted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TrustedPart {
    /// `rates.jar`; the package where it is not known which jar it is, the method for what a person trusts.
    pub name: String,
    pub calls: u64,
}

impl From<session::TrustedPart> for TrustedPart {
    fn from(part: session::TrustedPart) -> TrustedPart {
        TrustedPart { name: part.name, calls: part.calls }
    }
}

/// A line of the guilty method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ReportLine {
    /// Its line, or where it is in the bytecode.
    pub line: u32,
    pub text: String,
    pub executed: bool,
    pub guilty: bool,
    /// What came out wrong depends on it.
    pub likely: bool,
    /// It may depend on it: nobody can be sure.
    pub unsure: bool,
    /// What was written on it last.
    pub values: Vec<NamedValue>,
}

/// A wrong node on the way from the symptom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PathNode {
    pub subject: Subject,
    pub call: String,
    pub number: Option<u64>,
    pub text: String,
}

/// An answer that led there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ReportAnswer {
    pub subject: Subject,
    pub call: String,
    pub number: Option<u64>,
    /// The question on one line.
    pub text: String,
    /// Its letter, as it is typed.
    pub answer: String,
    pub words: String,
    /// As in `GivenAnswer`.
    pub by: String,
    pub by_words: String,
}

/// Where a wrong value came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Origin {
    /// As `inquest history` takes it.
    pub location: String,
    pub value: String,
    /// Ready to be typed.
    pub command: String,
    /// The last writes, the newest first.
    pub writes: Vec<OriginWrite>,
    /// There were earlier ones.
    pub more: bool,
}

/// A write of a wrong value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct OriginWrite {
    pub time: u64,
    pub value: String,
    /// The call that wrote it.
    pub call: Option<String>,
    #[serde(flatten)]
    pub place: SourcePlace,
}

impl From<session::Report> for Report {
    fn from(report: session::Report) -> Report {
        let number = |subject: &session::Subject| subject.call().map(past::CallId::number);
        let elsewhere = words::elsewhere(&report);
        Report {
            number: number(&report.subject),
            subject: report.subject.into(),
            kind: report.kind.name().to_owned(),
            call: report.call,
            method: report.method,
            file: report.file,
            source: report.source,
            bytecode: report.bytecode,
            suspicious: report.suspicious,
            lines: report.lines,
            likely: report.likely,
            unsure: report.unsure,
            made: report.made.into_iter().map(Into::into).collect(),
            good: report.good.as_deref().map(words::question_line),
            code: report.code.into_iter().map(Into::into).collect(),
            counterexample: report.counterexample.into(),
            expected: report.expected,
            path: report
                .path
                .into_iter()
                .map(|node| PathNode {
                    number: number(&node.subject),
                    subject: node.subject.into(),
                    call: node.question.call().to_owned(),
                    text: words::listed(&node.question),
                })
                .collect(),
            answers: report
                .answers
                .into_iter()
                .map(|given| ReportAnswer {
                    number: number(&given.subject),
                    subject: given.subject.into(),
                    call: given.question.call().to_owned(),
                    text: words::listed(&given.question),
                    answer: given.answer.letter().to_owned(),
                    words: words::answer(&given.answer),
                    by: answer::by(&given.by),
                    by_words: words::author(&given.by),
                })
                .collect(),
            origins: report.origins.into_iter().map(Into::into).collect(),
            missing: report.missing.map(Into::into),
            missing_failed: report.missing_failed,
            elsewhere,
            trusted: report.trusted.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<session::ReportLine> for ReportLine {
    fn from(line: session::ReportLine) -> ReportLine {
        ReportLine {
            line: line.number,
            text: line.text,
            executed: line.executed,
            guilty: line.guilty,
            likely: line.likely,
            unsure: line.unsure,
            values: line.values.into_iter().map(|(name, value)| NamedValue { name, value }).collect(),
        }
    }
}

impl From<session::ValueOrigin> for Origin {
    fn from(origin: session::ValueOrigin) -> Origin {
        let writes = origin.writes.into_iter().map(|write| OriginWrite {
            time: write.time,
            value: write.value,
            call: write.call,
            place: SourcePlace { file: write.file, line: write.line },
        });
        Origin {
            location: origin.location,
            value: origin.value,
            command: origin.command,
            writes: writes.collect(),
            more: origin.more,
        }
    }
}
