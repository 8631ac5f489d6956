//! What went wrong in a run.

use past::{CallId, Past};
use serde::{Deserialize, Serialize};

use crate::place::SourcePlace;
use crate::question::LikelyPlace;

/// A symptom: `inquest symptoms` gives an array of them, and `GET symptoms` those of the recording that is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SymptomRow {
    /// Its number, for `ask --symptom`; of a request, for `ask --request`. None for a line of output.
    pub symptom: Option<usize>,
    /// `assertion`, `null`, `index`, `exception`, `expected-exception`, `request`, `never-ended`, `output`.
    pub kind: String,
    /// What is wrong, on a line.
    pub text: String,
    /// The test that failed, with what it was given.
    pub test: Option<String>,
    /// Values of the run, where an assertion compared them.
    pub expected: Option<String>,
    pub actual: Option<String>,
    /// What the code calls the value that is wrong.
    pub expression: Option<String>,
    /// The call at which a search begins.
    pub call: String,
    pub number: u64,
    /// When it shows.
    pub time: Option<u64>,
    #[serde(flatten)]
    pub place: SourcePlace,
    /// The folder of the JVM in that of the run; none if that has only one.
    pub jvm: Option<String>,
    /// The reference shows it too.
    pub in_reference: bool,
}

impl SymptomRow {
    pub fn of(past: &Past, number: Option<usize>, symptom: &session::Symptom) -> SymptomRow {
        SymptomRow {
            symptom: number,
            kind: symptom.kind.name().to_owned(),
            text: words::symptom_text(symptom),
            test: symptom.why.test().map(str::to_owned),
            expected: symptom.expected.clone(),
            actual: symptom.actual.clone(),
            expression: symptom.wrong.as_ref().and_then(|wrong| wrong.expression.clone()),
            call: past.call_name(symptom.call),
            number: CallId::number(symptom.call),
            time: symptom.time.map(|time| time.0),
            place: symptom.place.as_ref().into(),
            jvm: None,
            in_reference: false,
        }
    }
}

/// Begins anew at another symptom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SymptomRequest {
    /// By its number in the list.
    pub symptom: usize,
}

/// `inquest report --json`: what failed in a run, and where the fault is likeliest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RunReport {
    pub failed: bool,
    /// The most telling first.
    pub failures: Vec<FailureRow>,
    /// What else speaks of a failure, for people: a JVM that ended with an exit code of its own.
    pub remarks: Vec<String>,
}

/// A symptom, and what is believed of it before anybody was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FailureRow {
    #[serde(flatten)]
    pub symptom: SymptomRow,
    /// Its file from the top of the repository, where it was found; otherwise as its package says.
    pub path: Option<String>,
    /// The likeliest first; none of them is a verdict. Empty if they were not looked for, or nothing is known.
    pub places: Vec<LikelyPlace>,
}

/// `inquest test --json`: what failed of a build's tests, as the last line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TestRun {
    /// The most telling first.
    pub failures: Vec<TestFailure>,
    /// Tests that ran.
    pub tests: u64,
    pub passed: u64,
    pub failed: u64,
    /// Those that gave up by an assumption.
    pub skipped: u64,
    /// The exit code of the command.
    pub exit: u8,
}

/// Something that went wrong in a build's tests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TestFailure {
    #[serde(flatten)]
    pub symptom: SymptomRow,
    /// What to give to `inquest ask`, with the symptom's number.
    pub dir: String,
    /// The number of the first failure that likely has the same cause: its own, if it is the first.
    pub alike: usize,
}
