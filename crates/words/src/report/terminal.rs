//! A report on the terminal: the guilty lines first, then what proves them guilty and how they were found.

use session::{Author, Question, QuestionPart, Report, ReportLine};

use crate::belief::doubt;
use crate::dialogue::{answer, answer_word, author, elsewhere, trusted};
use crate::omission::prevention;
use crate::question::{called, held, listed, meanwhile, outcome, question_line, thrown};
use crate::style::{Line, Style};

/// Lines that did not run and are farther than this from one that did are left out.
const AROUND: u32 = 2;
/// What did not happen, as far as it is listed.
const MISSING: usize = 5;

pub fn terminal(report: &Report) -> Vec<Line> {
    let mut out = Lines::default();
    write(report, &mut out);
    out.0
}

/// Lines as they are made.
#[derive(Default)]
struct Lines(Vec<Line>);

impl Lines {
    fn line(&mut self, pieces: &[(Style, &str)]) {
        self.0.push(pieces.iter().map(|&(style, text)| (style, text.to_owned())).collect());
    }
}

fn write(report: &Report, out: &mut Lines) {
    out.line(&[(Style::Bold, "defect in "), (Style::Red, &report.method), (Style::Faint, &place(report))]);
    out.line(&[(Style::Plain, &format!("  {}", question_line(&report.counterexample)))]);
    if let Some(why) = &report.doubt {
        out.line(&[(Style::Yellow, &format!("  {}", doubt(why)))]);
    }
    if !report.trusted.is_empty() {
        let text = format!("  or in what it trusted: {}", trusted(&report.trusted));
        out.line(&[(Style::Yellow, &text)]);
    }
    for place in elsewhere(report) {
        out.line(&[(Style::Yellow, &format!("  or {place}"))]);
    }
    for made in &report.made {
        out.line(&[
            (Style::Faint, &format!("  line {}  ", made.line)),
            (Style::Plain, &made.text),
            (Style::Faint, &format!("  made {} = ", made.location)),
            (Style::Red, &made.value),
        ]);
    }
    if let Some(good) = &report.good {
        out.line(&[(Style::Faint, "  good run  "), (Style::Green, &question_line(good))]);
    }
    if let Some(expected) = &report.expected {
        out.line(&[(Style::Faint, "  expected  "), (Style::Green, expected)]);
    }
    out.line(&[]);
    code(report, out);
    if report.likely.len() < report.lines.len() && !report.likely.is_empty() {
        out.line(&[(
            Style::Faint,
            "  ● what came out depends on it   ○ it ran, but what came out does not depend on it",
        )]);
        if !report.unsure.is_empty() {
            out.line(&[(Style::Faint, "  ◐ it may depend on it: nobody can be sure")]);
        }
    }
    counterexample(&report.counterexample, out);
    if let Some(missing) = report.missing.as_ref().filter(|missing| !missing.balloons.is_empty()) {
        out.line(&[(Style::Cyan, "what did not happen")]);
        for balloon in missing.balloons.iter().take(MISSING) {
            let at = match (&balloon.at.file, balloon.at.line) {
                (Some(file), Some(line)) => format!("{file}:{line}"),
                _ => balloon.at.call.clone(),
            };
            out.line(&[
                (Style::Plain, "  "),
                (Style::Yellow, &balloon.operation),
                (Style::Faint, &format!("  prevented at {at} ({})", prevention(balloon.at.kind))),
            ]);
        }
    }
    if let Some(why) = &report.missing_failed {
        out.line(&[(Style::Cyan, "what did not happen")]);
        out.line(&[(Style::Plain, &format!("  could not be looked for: {why}"))]);
    }
    if report.path.len() > 1 {
        out.line(&[(Style::Cyan, "from the symptom")]);
        for step in &report.path {
            out.line(&[(Style::Plain, &format!("  {}", listed(&step.question)))]);
        }
    }
    if !report.answers.is_empty() {
        out.line(&[(Style::Cyan, "answers")]);
        for given in &report.answers {
            let by =
                if given.by == Author::Person { String::new() } else { format!("({}) ", author(&given.by)) };
            let style = if answer_word(&given.answer) == "wrong" { Style::Red } else { Style::Green };
            // First what was said: a line that is cut at the window's edge must not lose that.
            out.line(&[
                (style, &format!("  {:<7}", answer(&given.answer))),
                (Style::Faint, &by),
                (Style::Plain, &format!("  {}", listed(&given.question))),
            ]);
        }
    }
    if !report.origins.is_empty() {
        out.line(&[(Style::Cyan, "where the values came from")]);
    }
    for origin in &report.origins {
        out.line(&[(Style::Plain, &format!("  {} = ", origin.location)), (Style::Red, &origin.value)]);
        for write in &origin.writes {
            let at = match (&write.file, write.line) {
                (Some(file), Some(line)) => format!("  {file}:{line}"),
                _ => String::new(),
            };
            let call = write.call.as_deref().unwrap_or("");
            out.line(&[
                (Style::Faint, &format!("  {:>8}  ", write.time)),
                (Style::Plain, &write.value),
                (Style::Faint, &format!("  {call}{at}")),
            ]);
        }
        if origin.more {
            out.line(&[(Style::Faint, "            …")]);
        }
        out.line(&[(Style::Faint, &format!("    {}", origin.command))]);
    }
}

fn place(report: &Report) -> String {
    let file = report.file.as_deref().unwrap_or("");
    match (report.lines.first(), report.lines.last()) {
        (Some(first), Some(last)) if first != last => format!("  {file}:{first}-{last}"),
        (Some(line), _) => format!("  {file}:{line}"),
        _ => format!("  {file}"),
    }
}

fn code(report: &Report, out: &mut Lines) {
    if let Some(why) = &report.suspicious {
        out.line(&[(Style::Yellow, &format!("  this may not be the source that ran: {why}"))]);
    }
    let near = |line: &ReportLine| {
        let is_near = |other: &ReportLine| other.guilty && other.number.abs_diff(line.number) <= AROUND;
        line.guilty || report.code.iter().any(is_near)
    };
    // Without a source a line is worth showing for its number or what was written on it.
    let bare = report.source.is_none() && !report.bytecode;
    if bare && !report.code.is_empty() {
        out.line(&[(Style::Faint, "  the source was not found (--source)")]);
    }
    let says = |line: &ReportLine| !bare || line.likely || !line.values.is_empty();
    let mut gap = false;
    for line in report.code.iter().filter(|line| says(line)) {
        if !near(line) {
            gap = true;
            continue;
        }
        if std::mem::take(&mut gap) && Some(line.number) != report.code.first().map(|line| line.number) {
            out.line(&[(Style::Faint, "     …")]);
        }
        let narrowed = !report.likely.is_empty();
        let (mark, style) = match (line.guilty, line.executed) {
            (true, _) if narrowed && line.unsure => ("◐ ", Style::Plain),
            (true, _) if narrowed && !line.likely => ("○ ", Style::Plain),
            (true, _) => ("● ", Style::Plain),
            (_, true) => ("· ", Style::Plain),
            _ => ("  ", Style::Faint),
        };
        let values: Vec<String> =
            line.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let values = if values.is_empty() { String::new() } else { format!("   // {}", values.join(", ")) };
        out.line(&[
            (Style::Red, mark),
            (Style::Faint, &format!("{:>5}  ", line.number)),
            (style, &line.text.replace('\t', "    ")),
            (Style::Yellow, &values),
        ]);
    }
}

fn counterexample(question: &Question, out: &mut Lines) {
    out.line(&[(Style::Cyan, "counterexample")]);
    let mut row = |name: &str, before: &str, after: Option<&str>| match after {
        Some(after) => out.line(&[
            (Style::Faint, &format!("  {name:<9} ")),
            (Style::Plain, before),
            (Style::Plain, " → "),
            (Style::Red, after),
        ]),
        None => out.line(&[(Style::Faint, &format!("  {name:<9} ")), (Style::Plain, before)]),
    };
    for QuestionPart { name, before, after, .. } in question.receiver.iter().chain(&question.args) {
        row(name, held(before), after.as_ref().map(held));
    }
    for (location, value) in &question.reads {
        row(location, held(value), None);
    }
    for change in &question.changes {
        match change.before.is_empty() {
            true => row(&change.location, &outcome(&change.after), None),
            false => {
                let meanwhile = change.meanwhile.as_ref().map_or(String::new(), meanwhile);
                row(
                    &change.location,
                    &change.before,
                    Some(&format!("{}{meanwhile}", outcome(&change.after))),
                );
            }
        }
    }
    for member in &question.members {
        row("call", &called(member), None);
    }
    if let Some(result) = &question.result {
        row("result", result, None);
    }
    if let Some(exception) = &question.thrown {
        row("threw", thrown(exception), None);
    }
}
