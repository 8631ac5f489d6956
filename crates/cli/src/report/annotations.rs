//! Workflow commands of GitHub Actions: lines on stdout that GitHub shows beside the code. A command is a line, so what a
//! program said must never begin one.

use std::fmt::Write;

use words::{Failure, FilePlace, RunReport};

/// GitHub shows so many of a step, of each level.
const SHOWN: usize = 10;
/// What is less likely is in the summary, and no reason to look at a line.
const NOTICED: f64 = 0.2;

pub fn annotations(report: &RunReport) -> String {
    let mut out = String::new();
    for failure in report.failures.iter().take(SHOWN) {
        command(&mut out, "error", failure.place.as_ref(), &failure.shown_by, &what(failure));
    }
    for remark in &report.remarks {
        command(&mut out, "error", None, "Inquest", remark);
    }
    let likeliest = |failure: &Failure| {
        let first = failure.likely.first().filter(|likely| likely.chance >= NOTICED)?;
        Some((failure.shown_by.clone(), first.clone()))
    };
    for (shown_by, likely) in report.failures.iter().filter_map(likeliest).take(SHOWN) {
        let text = format!(
            "Likeliest so far, at {}: the fault is in {}. No verdict.",
            likely.percent(),
            likely.method
        );
        command(&mut out, "notice", likely.place.as_ref(), &format!("Behind {shown_by}"), &text);
    }
    out
}

fn what(failure: &Failure) -> String {
    match &failure.message {
        Some(message) => format!("{}\n{message}", failure.text),
        None => failure.text.clone(),
    }
}

fn command(out: &mut String, level: &str, place: Option<&FilePlace>, title: &str, text: &str) {
    let mut properties = Vec::new();
    // A file that GitHub does not have would hide the annotation.
    if let Some(place) = place.filter(|place| place.found) {
        properties.push(format!("file={}", property(&place.path)));
        properties.extend(place.line.map(|line| format!("line={line}")));
    }
    properties.push(format!("title={}", property(title)));
    let _ = writeln!(out, "::{level} {}::{}", properties.join(","), data(text));
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_begins_a_command_of_its_own() {
        let mut out = String::new();
        let place = FilePlace { path: "a,b:c.java".to_owned(), line: Some(3), found: true };
        command(&mut out, "error", Some(&place), "x::y\n::stop-commands::z", "100%\n::set-env name=A::b\r");
        assert_eq!(
            out,
            "::error file=a%2Cb%3Ac.java,line=3,title=x%3A%3Ay%0A%3A%3Astop-commands%3A%3Az::100%25%0A::set-env name=A::b%0D\n"
        );
    }
}
