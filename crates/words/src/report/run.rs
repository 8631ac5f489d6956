//! What is said of a run to who was not there, as a pipeline keeps it: what failed, where the fault is likeliest, how to
//! look into the recording. The places are what is believed before anybody was asked; it is said with each list of them.

use session::{LikelyPlace, Symptom, SymptomKind, SymptomReason};

use crate::belief::percent;
use crate::quantity::count;

/// A run and what failed in it.
#[derive(Clone, Debug, PartialEq)]
pub struct RunReport {
    /// What was run.
    pub command: Vec<String>,
    pub jvms: usize,
    /// The most telling first.
    pub failures: Vec<Failure>,
    /// What else speaks of a failure, a line each: a JVM that ended with an exit code of its own.
    pub remarks: Vec<String>,
    /// The folder, as it is typed after a command.
    pub recording: String,
    /// Where a reader who is on another machine gets it.
    pub artifact: Option<String>,
    /// What stands before the path of a file in an address that shows it; `#L12` comes behind.
    pub links: Option<String>,
}

/// A symptom, and what is believed of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Its number in `inquest symptoms`.
    pub number: usize,
    pub kind: SymptomKind,
    /// A test, not only a call.
    pub is_test: bool,
    /// The test or the call that shows it.
    pub shown_by: String,
    /// The class it is in, with its package and dots.
    pub class: Option<String>,
    /// What is wrong, on a line.
    pub text: String,
    /// What it failed with, if that says more.
    pub message: Option<String>,
    pub expected: Option<String>,
    pub actual: Option<String>,
    pub place: Option<FilePlace>,
    /// The folder of its JVM, if there are several.
    pub jvm: Option<String>,
    /// The likeliest first; empty if nothing is believed.
    pub likely: Vec<Likely>,
    /// Why nothing is said of places.
    pub unknown: Option<String>,
}

/// Code that may be what is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Likely {
    pub method: String,
    pub chance: f64,
    pub place: Option<FilePlace>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePlace {
    /// From the top of the repository where the file was found; otherwise as its package says.
    pub path: String,
    pub line: Option<u32>,
    /// The file is there.
    pub found: bool,
}

impl RunReport {
    pub fn has_failed(&self) -> bool {
        !self.failures.is_empty() || !self.remarks.is_empty()
    }
}

impl Failure {
    /// What can be told from the symptom alone.
    pub fn of(symptom: &Symptom, number: usize, shown_by: String, text: String) -> Failure {
        let message = match &symptom.why {
            SymptomReason::FailedTest { message, .. } => Some(message.trim()),
            SymptomReason::Uncaught { exception } => Some(exception.trim()),
            _ => None,
        };
        let message = message.filter(|message| !message.is_empty() && *message != text).map(short);
        Failure {
            number,
            kind: symptom.kind,
            is_test: symptom.why.test().is_some(),
            shown_by,
            class: None,
            text: short(&text),
            message,
            expected: symptom.expected.as_deref().map(short),
            actual: symptom.actual.as_deref().map(short),
            place: None,
            jvm: None,
            likely: Vec::new(),
            unknown: None,
        }
    }
}

impl Likely {
    /// None for what is too unlikely to be told of.
    pub fn of(place: &LikelyPlace, at: Option<FilePlace>) -> Option<Likely> {
        let told = place.chance >= TOLD;
        told.then(|| Likely { method: place.method.clone(), chance: place.chance, place: at })
    }

    pub fn percent(&self) -> String {
        percent(self.chance)
    }
}

impl FilePlace {
    /// `src/Basket.java:12`
    pub fn shown(&self) -> String {
        match self.line {
            Some(line) => format!("{}:{line}", self.path),
            None => self.path.clone(),
        }
    }

    /// Its address, if the file is there.
    pub fn address(&self, links: Option<&str>) -> Option<String> {
        let before = links.filter(|_| self.found)?;
        let line = self.line.map_or(String::new(), |line| format!("#L{line}"));
        Some(format!("{before}{}{line}", self.uri()))
    }

    /// The path as a part of an address.
    pub fn uri(&self) -> String {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
        let one = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
        self.path.bytes().map(one).collect()
    }
}

/// `2 failures`
pub(super) fn heading(report: &RunReport) -> String {
    match (report.failures.len(), report.has_failed()) {
        (0, false) => "Nothing failed".to_owned(),
        (0, true) => "Something failed that is not in the recording".to_owned(),
        (1, _) => "1 failure".to_owned(),
        (some, _) => format!("{} failures", count(some as u64)),
    }
}

/// Which run it was: `in 2 JVMs of`, then the command.
pub(super) fn run_of(report: &RunReport) -> String {
    match report.jvms {
        1 => "In the recorded run of".to_owned(),
        several => format!("In {several} recorded JVMs of the run of"),
    }
}

/// What is wrong, unless expected and actual value follow and say it.
pub(super) fn what(failure: &Failure) -> Option<&str> {
    let compared = failure.expected.is_some() && failure.actual.is_some();
    (!compared).then_some(failure.text.as_str())
}

/// Stands in its place.
pub(super) const COMPARED: &str = "Not what was expected";

/// Said with every list of places.
pub const CAUTION: &str = "How likely it is that the fault lies there, judged by what ran before anybody was asked. It is no verdict: answers give that.";

/// What to type, with what comes of it.
pub(super) fn commands(report: &RunReport, failure: &Failure) -> [(String, &'static str); 2] {
    let at = if failure.number == 1 { String::new() } else { format!(" --symptom {}", failure.number) };
    [
        (format!("inquest ask {}{at}", report.recording), "asks, and finds the guilty lines"),
        (format!("inquest open {}{at}", report.recording), "the same on a page"),
    ]
}

/// Where the recording is, for who reads this elsewhere.
pub(super) fn whereabouts(report: &RunReport) -> String {
    match &report.artifact {
        Some(artifact) => format!("The recording is kept as {artifact}; unpack it as"),
        None => "The recording is in".to_owned(),
    }
}

/// What is less likely is not worth a word.
const TOLD: f64 = 0.01;
/// Values may be large, and what shows a summary has limits.
const LONGEST: usize = 1_000;

fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A run in which everything that a program can choose is the same text.
    pub fn run_with(words: &str) -> RunReport {
        let own = || words.to_owned();
        let place = || Some(FilePlace { path: own(), line: Some(3), found: true });
        let failure = |number| Failure {
            number,
            kind: SymptomKind::Assertion,
            is_test: true,
            shown_by: own(),
            class: Some(own()),
            text: own(),
            message: Some(own()),
            expected: Some(own()),
            actual: Some(own()),
            place: place(),
            jvm: Some(own()),
            likely: vec![
                Likely { method: own(), chance: 0.62, place: place() },
                Likely { method: own(), chance: 0.2, place: None },
            ],
            unknown: None,
        };
        let unknown = Failure { likely: Vec::new(), unknown: Some(own()), ..failure(2) };
        RunReport {
            command: vec![own()],
            jvms: 2,
            failures: vec![failure(1), unknown],
            remarks: vec![own()],
            recording: own(),
            artifact: Some(own()),
            links: Some("https://example.org/blob/1/".to_owned()),
        }
    }

    #[test]
    fn an_address_holds_any_path() {
        let place = FilePlace { path: "a b/Käse#.java".to_owned(), line: Some(7), found: true };
        assert_eq!(place.address(Some("https://x/")).unwrap(), "https://x/a%20b/K%C3%A4se%23.java#L7");
        assert_eq!(FilePlace { found: false, ..place }.address(Some("https://x/")), None);
    }

    #[test]
    fn a_large_value_is_cut() {
        assert_eq!(short("ok"), "ok");
        assert_eq!(short(&"ä".repeat(5000)).chars().count(), LONGEST + 1);
    }
}
