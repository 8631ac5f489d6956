//! What went wrong in a run, as a line of a list and as the reason why a session began.

use past::Past;
use session::{Parting, Standstill, Symptom, SymptomKind, SymptomReason};

/// Chars of an exception's message.
const LONGEST_MESSAGE: usize = 200;

/// Why the search begins where it does, after "Looking for the bug in main#1, ".
pub fn symptom(why: &SymptomReason) -> String {
    match why {
        SymptomReason::Named => "as you said".to_owned(),
        SymptomReason::NamedBefore => "as you said when this began".to_owned(),
        SymptomReason::NeverEnded { stands: Standstill::Code } => "which never ended".to_owned(),
        SymptomReason::NeverEnded { stands } => format!("which never ended: it {}", standstill(stands)),
        SymptomReason::FailedTest { message, .. } => format!("a test that failed: {}", begin(message)),
        SymptomReason::Uncaught { exception } => format!("which was left by {exception}"),
        SymptomReason::Output { line } => format!("which printed `{line}`"),
        SymptomReason::Request { text, failed: Some(failed), .. } => {
            format!("which answered {text}: {failed}")
        }
        SymptomReason::Request { text, failed: None, .. } => format!("which answered {text}"),
        SymptomReason::Main => "where the program began".to_owned(),
        SymptomReason::WholeRun => {
            "all that was recorded: nothing failed, and no `main` of the program was called".to_owned()
        }
    }
}

/// What a call that never ended was at.
pub fn standstill(stands: &Standstill) -> String {
    match stands {
        Standstill::Library { method, waits: true } => format!("waits in {method}"),
        Standstill::Library { method, waits: false } => format!("is in {method}"),
        Standstill::Lock { expression: Some(expression) } => format!("waits for the lock of {expression}"),
        Standstill::Lock { expression: None } => "waits for a lock".to_owned(),
        Standstill::Loop { first, last } if first == last => format!("is in the loop of line {first}"),
        Standstill::Loop { first, last } => format!("is in the loop of lines {first}–{last}"),
        Standstill::Code => "was still running".to_owned(),
    }
}

/// What is wrong, on a line: `expected 30, was 20`.
pub fn symptom_text(symptom: &Symptom) -> String {
    let message = || match &symptom.why {
        SymptomReason::FailedTest { message, .. } => one_line(message),
        SymptomReason::Uncaught { exception } => one_line(exception),
        SymptomReason::NeverEnded { stands } => format!("never ended: it {}", standstill(stands)),
        SymptomReason::Output { line } => format!("printed `{line}`"),
        SymptomReason::Request { text, failed: Some(failed), .. } => format!("{text}: {}", one_line(failed)),
        SymptomReason::Request { text, failed: None, .. } => text.clone(),
        SymptomReason::Named | SymptomReason::NamedBefore | SymptomReason::Main | SymptomReason::WholeRun => {
            self::symptom(&symptom.why)
        }
    };
    if let Some(Parting { line, expected, actual }) = &symptom.parting {
        let line = line.map_or_else(String::new, |line| format!("in line {line} of the text: "));
        return format!("{line}expected {expected}, was {actual}");
    }
    let by_request = matches!(symptom.why, SymptomReason::Request { .. });
    match (symptom.kind, &symptom.expected, &symptom.actual, &symptom.fault) {
        _ if by_request => message(),
        (SymptomKind::ExpectedException, Some(expected), Some(actual), _) => {
            format!("expected {expected} to be thrown, came {actual}")
        }
        (SymptomKind::ExpectedException, Some(expected), None, _) => {
            format!("expected {expected} to be thrown, and nothing was")
        }
        (SymptomKind::ExpectedException, None, ..) => {
            "expected an exception, and nothing was thrown".to_owned()
        }
        (_, Some(expected), Some(actual), _) => format!("expected {expected}, was {actual}"),
        (_, Some(expected), None, _) => format!("expected {expected}: {}", message()),
        (_, None, Some(actual), _) => format!("was {actual}: {}", message()),
        (_, None, None, Some(fault)) => fault.to_string(),
        (_, None, None, None) => message(),
    }
}

/// The test or the call that shows it: the first thing of its line.
pub fn symptom_line(past: &Past, symptom: &Symptom) -> String {
    match (&symptom.why, past.call_row(symptom.call)) {
        (SymptomReason::FailedTest { test, .. }, _) => test.clone(),
        (SymptomReason::WholeRun, _) => "the whole run".to_owned(),
        (_, Some(row)) => past.method_name(row.target),
        (_, None) => past.call_name(symptom.call),
    }
}

/// Messages of frameworks have lines of their own.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// As much of a message as is read; a difference within long texts is told with the symptom.
fn begin(message: &str) -> String {
    match message.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message.to_owned(),
    }
}
