//! A report as Markdown, to be kept or sent. Values come from the program and may hold anything: each stands in code
//! whose fence is longer than any within it.

use std::fmt::Write;

use session::{Question, QuestionPart, Report, ReportLine};

use crate::belief::doubt;
use crate::dialogue::{answer, author, elsewhere, trusted};
use crate::omission::prevention;
use crate::question::{called, held, listed, meanwhile, outcome, question_line, question_note, thrown};

pub fn markdown(report: &Report) -> String {
    let mut out = String::new();
    let _ = write(&mut out, report);
    out
}

fn write(out: &mut String, report: &Report) -> std::fmt::Result {
    let place = place(report);
    writeln!(out, "# Defect in {}\n", code(&report.method))?;
    writeln!(out, "{}{place}.\n", code(&report.call))?;
    writeln!(out, "{}\n", code(&question_line(&report.counterexample)))?;
    if let Some(why) = &report.doubt {
        writeln!(out, "This is {}.\n", plain(&doubt(why)))?;
    }
    for place in elsewhere(report) {
        writeln!(out, "Or {}.\n", plain(&place))?;
    }
    if !report.trusted.is_empty() {
        writeln!(out, "Or in what it trusted: {}.\n", plain(&trusted(&report.trusted)))?;
    }
    for made in &report.made {
        let (line, location, value) = (code(&made.text), code(&made.location), code(&made.value));
        writeln!(out, "Line {} made {location} = {value}: {line}\n", made.line)?;
    }
    if let Some(good) = &report.good {
        writeln!(out, "In the good run: {}\n", code(&question_line(good)))?;
    }
    if let Some(expected) = &report.expected {
        writeln!(out, "Expected: {}\n", code(expected))?;
    }
    if let Some(why) = &report.suspicious {
        writeln!(out, "The source may not be what ran: {}\n", plain(why))?;
    }
    guilty(out, report)?;
    counterexample(out, &report.counterexample)?;
    if let Some(missing) = report.missing.as_ref().filter(|missing| !missing.balloons.is_empty()) {
        writeln!(out, "## What did not happen\n")?;
        for balloon in &missing.balloons {
            let at = match (&balloon.at.file, balloon.at.line) {
                (Some(file), Some(line)) => code(&format!("{file}:{line}")),
                _ => code(&balloon.at.call),
            };
            let kind = prevention(balloon.at.kind);
            writeln!(out, "- {}, prevented at {at} ({kind})", code(&balloon.operation))?;
        }
        writeln!(out)?;
    }
    if let Some(why) = &report.missing_failed {
        writeln!(out, "## What did not happen\n\nIt could not be looked for: {}.\n", plain(why))?;
    }
    if !report.path.is_empty() {
        writeln!(out, "## From the symptom to the defect\n")?;
        for (number, step) in (1..).zip(&report.path) {
            writeln!(out, "{number}. {} {}", code(step.question.call()), code(&listed(&step.question)))?;
        }
        writeln!(out)?;
    }
    if !report.answers.is_empty() {
        writeln!(out, "## Answers\n")?;
        writeln!(out, "| question | answer | by |\n|---|---|---|")?;
        for given in &report.answers {
            let row =
                [code(&listed(&given.question)), plain(&answer(&given.answer)), plain(&author(&given.by))];
            writeln!(out, "| {} |", row.map(|cell| cell.replace('|', "\\|")).join(" | "))?;
        }
        writeln!(out)?;
    }
    if !report.origins.is_empty() {
        writeln!(out, "## Where the values came from\n")?;
        for origin in &report.origins {
            writeln!(out, "- {} = {}", code(&origin.location), code(&origin.value))?;
            for write in &origin.writes {
                let by = write.call.as_ref().map_or(String::new(), |call| format!(" by {}", code(call)));
                let at = match (&write.file, write.line) {
                    (Some(file), Some(line)) => format!(" at {}", code(&format!("{file}:{line}"))),
                    _ => String::new(),
                };
                writeln!(out, "  - time {}: {}{by}{at}", write.time, code(&write.value))?;
            }
            writeln!(out, "  - all of them: {}", code(&origin.command))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn place(report: &Report) -> String {
    let Some(file) = &report.file else { return String::new() };
    match (report.lines.first(), report.lines.last()) {
        (Some(first), Some(last)) if report.bytecode => {
            format!(" in {}, instructions {first} to {last}", code(file))
        }
        (Some(first), Some(last)) if first == last => format!(" in {}, line {first}", code(file)),
        (Some(first), Some(last)) => format!(" in {}, lines {first} to {last}", code(file)),
        _ => format!(" in {}", code(file)),
    }
}

fn guilty(out: &mut String, report: &Report) -> std::fmt::Result {
    if report.code.is_empty() {
        return Ok(());
    }
    writeln!(out, "## Guilty code\n")?;
    let narrowed = !report.likely.is_empty() && report.likely.len() < report.lines.len();
    writeln!(out, "`>` marks the guilty lines, `.` others that ran.")?;
    if narrowed {
        writeln!(out, "`:` marks those guilty lines on which what came out does not depend.")?;
    }
    if narrowed && !report.unsure.is_empty() {
        writeln!(out, "`?` marks those on which it may depend.")?;
    }
    writeln!(out)?;
    let width = report.code.iter().map(|line| line.number.to_string().len()).max().unwrap_or(1);
    let text = |line: &ReportLine| {
        let mark = match (line.guilty, line.executed) {
            (true, _) if narrowed && line.unsure => '?',
            (true, _) if narrowed && !line.likely => ':',
            (true, _) => '>',
            (_, true) => '.',
            _ => ' ',
        };
        let values: Vec<String> =
            line.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let values = if values.is_empty() { String::new() } else { format!("  // {}", values.join(", ")) };
        let text = format!("{mark} {:>width$}  {}{values}", line.number, line.text.replace('\t', "    "));
        one_line(text.trim_end())
    };
    let lines: Vec<String> = report.code.iter().map(text).collect();
    let fence = "`".repeat(3.max(longest_run(&lines.join("\n")) + 1));
    let language = if report.bytecode { "" } else { "java" };
    writeln!(out, "{fence}{language}\n{}\n{fence}\n", lines.join("\n"))
}

fn counterexample(out: &mut String, question: &Question) -> std::fmt::Result {
    writeln!(out, "## Counterexample\n")?;
    let part = |part: &QuestionPart| {
        let (name, before) = (code(&part.name), code(held(&part.before)));
        match &part.after {
            Some(after) => format!("- {name}: {before} → {}", code(held(after))),
            None => format!("- {name}: {before}"),
        }
    };
    for one in question.receiver.iter().chain(&question.args) {
        writeln!(out, "{}", part(one))?;
    }
    if let Some(count) = question.iterations {
        writeln!(out, "- iterations: {count}")?;
    }
    for (location, value) in &question.reads {
        writeln!(out, "- read {} = {}", code(location), code(held(value)))?;
    }
    for change in &question.changes {
        let (location, before, after) =
            (code(&change.location), code(&change.before), code(&outcome(&change.after)));
        let meanwhile = change.meanwhile.as_ref().map_or(String::new(), |other| plain(&meanwhile(other)));
        match change.before.is_empty() {
            true => writeln!(out, "- {location}: {after}{meanwhile}")?,
            false => writeln!(out, "- changed {location}: {before} → {after}{meanwhile}")?,
        }
    }
    for member in &question.members {
        writeln!(out, "- call {}", code(&called(member)))?;
    }
    if let Some(result) = &question.result {
        writeln!(out, "- result: {}", code(result))?;
    }
    if let Some(exception) = &question.thrown {
        writeln!(out, "- threw {}", code(thrown(exception)))?;
    }
    if let Some(note) = &question.note {
        writeln!(out, "- {}", plain(&question_note(note)))?;
    }
    writeln!(out)
}

/// Inline code. A fence of backticks must be longer than any run within, and padded if it would touch one.
pub(super) fn code(text: &str) -> String {
    let text = one_line(text);
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    let fence = "`".repeat(longest_run(&text) + 1);
    // A space on both sides is taken off again; so is one that the text has itself.
    let touches = text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']);
    let pad = if touches { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Words outside of code, with nothing left that Markdown would take for more than text.
pub(super) fn plain(text: &str) -> String {
    let mut words = String::new();
    for c in one_line(text).chars() {
        if "\\`*_{}[]<>#|!~&".contains(c) {
            words.push('\\');
        }
        words.push(c);
    }
    words
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '␤' } else { c }).collect()
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_holds_any_value() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code("``x"), "``` ``x ```");
        assert_eq!(code("a\nb"), "`a␤b`");
        assert_eq!(code(" "), "`   `");
        assert_eq!(code(""), "(empty)");
    }

    #[test]
    fn words_stay_words() {
        assert_eq!(plain("a*b* <i> [x](y) | `z`\n# h"), "a\\*b\\* \\<i\\> \\[x\\](y) \\| \\`z\\`␤\\# h");
    }
}
