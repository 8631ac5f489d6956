//! The report of a run as Markdown: the summary of a job, or a comment.

use std::fmt::{self, Write};

use super::markdown::{code, plain};
use super::run::{
    CAUTION, COMPARED, Failure, FilePlace, RunReport, commands, heading, run_of, what, whereabouts,
};

pub fn run_markdown(report: &RunReport) -> String {
    let mut out = String::new();
    // A string takes whatever is written.
    let _ = write(&mut out, report);
    out
}

fn write(out: &mut String, report: &RunReport) -> fmt::Result {
    writeln!(out, "# {}\n", heading(report))?;
    writeln!(out, "{} {}.\n", run_of(report), code(&report.command.join(" ")))?;
    for remark in &report.remarks {
        writeln!(out, "- {}", plain(remark))?;
    }
    if !report.remarks.is_empty() {
        writeln!(out)?;
    }
    for failure in &report.failures {
        one(out, report, failure)?;
    }
    writeln!(out, "{} {}.", plain(&whereabouts(report)), code(&report.recording))
}

fn one(out: &mut String, report: &RunReport, failure: &Failure) -> fmt::Result {
    writeln!(out, "## {}. {}\n", failure.number, code(&failure.shown_by))?;
    let at = failure.place.as_ref().map_or(String::new(), |at| format!(" at {}", place(at, report)));
    let jvm = failure.jvm.as_ref().map_or(String::new(), |jvm| format!(" in {}", code(jvm)));
    let what = what(failure).map_or(COMPARED.to_owned(), code);
    writeln!(out, "{what}{at}{jvm}\n")?;
    let facts = [("expected", &failure.expected), ("was", &failure.actual), ("message", &failure.message)];
    for (name, value) in facts {
        if let Some(value) = value {
            writeln!(out, "- {name}: {}", code(value))?;
        }
    }
    if facts.iter().any(|(_, value)| value.is_some()) {
        writeln!(out)?;
    }
    if !failure.likely.is_empty() {
        writeln!(out, "| likely | method | place |\n|---:|---|---|")?;
        for likely in &failure.likely {
            let at = likely.place.as_ref().map_or("?".to_owned(), |at| place(at, report));
            let row = [plain(&likely.percent()), code(&likely.method).replace('|', "\\|"), at];
            writeln!(out, "| {} |", row.join(" | "))?;
        }
        writeln!(out, "\n{CAUTION}\n")?;
    }
    if let Some(why) = &failure.unknown {
        writeln!(out, "{}\n", plain(why))?;
    }
    for (command, what) in commands(report, failure) {
        writeln!(out, "- {}: {what}", code(&command))?;
    }
    writeln!(out)
}

fn place(at: &FilePlace, report: &RunReport) -> String {
    let shown = code(&at.shown()).replace('|', "\\|");
    match at.address(report.links.as_deref()) {
        Some(address) => format!("[{shown}](<{address}>)"),
        None => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::super::run::tests::run_with;
    use super::*;

    #[test]
    fn whatever_a_program_says_stays_text() {
        let text = run_markdown(&run_with("a|b`\n# no <b>"));
        let headings: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
        assert_eq!(headings, ["# 2 failures", "## 1. ``a|b`␤# no <b>``", "## 2. ``a|b`␤# no <b>``"]);
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!(rows.len(), 4);
        for row in rows {
            assert_eq!(row.replace("\\|", "").matches('|').count(), 4, "{row}");
        }
        // The address is one of the file, whatever it is called.
        assert!(text.contains("(<https://example.org/blob/1/a%7Cb%60%0A%23%20no%20%3Cb%3E#L3>)"), "{text}");
    }

    #[test]
    fn a_likely_place_is_never_said_to_be_the_fault() {
        let text = run_markdown(&run_with("x"));
        assert_eq!(text.matches(CAUTION).count(), 1);
        assert!(text.contains("| 62 % | `x` |") && !text.contains("efect") && !text.contains("guilty code"));
    }

    #[test]
    fn nothing_failed_is_said() {
        let mut run = run_with("x");
        run.failures.clear();
        assert!(run_markdown(&run).starts_with("# Something failed that is not in the recording\n"));
        run.remarks.clear();
        assert!(!run.has_failed() && run_markdown(&run).starts_with("# Nothing failed\n"));
    }
}
