//! A report as one page that stands alone: no script, nothing loaded, light and dark, fit to print. What a program
//! stored may look like markup: every piece of text goes through `text`, and the page's own policy forbids the rest.

mod about;
mod run;

use std::fmt::{self, Write};

use session::{ChangedLocation, Question, QuestionPart, Report, ReportLine};

use crate::belief::doubt;
use crate::dialogue::{answer, author, elsewhere, trusted};
use crate::omission::prevention;
use crate::question::{called, held, listed, meanwhile, outcome, question_line, question_note, thrown};

pub use about::About;
pub use run::run_html;

const STYLE: &str = include_str!("style.css");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

pub fn html(report: &Report, about: &About) -> String {
    let mut out = String::new();
    // A string takes whatever is written.
    let _ = page(&mut out, report, about);
    out
}

fn page(out: &mut String, report: &Report, about: &About) -> fmt::Result {
    head(out, &format!("Defect in {}", report.method))?;
    writeln!(out, "<h1>Defect in {}</h1>", code(&report.method))?;
    writeln!(out, "<p class=\"place\">{}{}</p>", code(&report.call), place(report))?;
    writeln!(out, "<p class=\"call\">{}</p>", code(&question_line(&report.counterexample)))?;
    if let Some(why) = &report.doubt {
        writeln!(out, "<p class=\"warn\">This is {}.</p>", text(&doubt(why)))?;
    }
    for place in elsewhere(report) {
        writeln!(out, "<p>Or {}.</p>", text(&place))?;
    }
    if !report.trusted.is_empty() {
        writeln!(out, "<p>Or in what it trusted: {}.</p>", text(&trusted(&report.trusted)))?;
    }
    for made in &report.made {
        let (line, location, value) = (code(&made.text), code(&made.location), code(&made.value));
        writeln!(out, "<p>Line {} made {location} = {value}: {line}</p>", made.line)?;
    }
    if let Some(good) = &report.good {
        writeln!(out, "<p>In the good run: {}</p>", code(&question_line(good)))?;
    }
    if let Some(expected) = &report.expected {
        writeln!(out, "<p>Expected: {}</p>", code(expected))?;
    }
    if let Some(why) = &report.suspicious {
        writeln!(out, "<p class=\"warn\">The source may not be what ran: {}</p>", text(why))?;
    }
    guilty(out, report)?;
    counterexample(out, &report.counterexample)?;
    found(out, report)?;
    about::write(out, about)?;
    foot(out);
    Ok(())
}

/// What comes before the content of a page.
fn head(out: &mut String, title: &str) -> fmt::Result {
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n",
        text(title)
    )
}

fn foot(out: &mut String) {
    out.push_str("</main>\n</body>\n</html>\n");
}

fn place(report: &Report) -> String {
    let Some(file) = &report.file else { return String::new() };
    let what = if report.bytecode { "instruction" } else { "line" };
    match (report.lines.first(), report.lines.last()) {
        (Some(first), Some(last)) if first == last => format!(" in {}, {what} {first}", code(file)),
        (Some(first), Some(last)) => format!(" in {}, {what}s {first} to {last}", code(file)),
        _ => format!(" in {}", code(file)),
    }
}

fn guilty(out: &mut String, report: &Report) -> fmt::Result {
    if report.code.is_empty() {
        return Ok(());
    }
    let narrowed = !report.likely.is_empty() && report.likely.len() < report.lines.len();
    out.push_str("<h2>Guilty code</h2>\n<figure>\n<figcaption>● guilty");
    if narrowed {
        out.push_str(", ○ guilty, but what came out does not depend on it");
    }
    if narrowed && !report.unsure.is_empty() {
        out.push_str(", ◐ guilty, and it may depend on it");
    }
    out.push_str(", · ran</figcaption>\n<div class=\"scroll\"><table class=\"source\">\n");
    for line in &report.code {
        let (mark, class) = mark(line, narrowed);
        let values: Vec<String> =
            line.values.iter().map(|(name, value)| text(&format!("{name} = {value}"))).collect();
        let values = match values.is_empty() {
            true => String::new(),
            false => format!("<span class=\"values\">{}</span>", values.join(", ")),
        };
        writeln!(
            out,
            "<tr class=\"{class}\"><td class=\"mark\">{mark}</td><td class=\"number\">{}</td><td>{}{values}</td></tr>",
            line.number,
            text(&line.text.replace('\t', "    ")),
        )?;
    }
    out.push_str("</table></div>\n</figure>\n");
    Ok(())
}

fn mark(line: &ReportLine, narrowed: bool) -> (&'static str, &'static str) {
    match (line.guilty, line.executed) {
        (true, _) if narrowed && line.unsure => ("◐", "guilty"),
        (true, _) if narrowed && !line.likely => ("○", "guilty"),
        (true, _) => ("●", "likely"),
        (_, true) => ("·", "ran"),
        _ => ("", "idle"),
    }
}

fn counterexample(out: &mut String, question: &Question) -> fmt::Result {
    out.push_str("<h2>Counterexample</h2>\n<table class=\"facts\">\n");
    out.push_str(
        "<tr><th scope=\"col\">what</th><th scope=\"col\">before</th><th scope=\"col\">after</th></tr>\n",
    );
    for part in question.receiver.iter().chain(&question.args) {
        let after = part.after.as_ref().map(|after| (held(after), class(part)));
        row(out, &part.name, held(&part.before), after)?;
        for inner in &part.parts {
            change(out, inner)?;
        }
    }
    if let Some(count) = question.iterations {
        row(out, "iterations", &count.to_string(), None)?;
    }
    for (location, value) in &question.reads {
        row(out, &format!("read {location}"), held(value), None)?;
    }
    for one in &question.changes {
        change(out, one)?;
        for inner in &one.parts {
            change(out, inner)?;
        }
    }
    for member in &question.members {
        row(out, "call", &called(member), None)?;
    }
    if let Some(result) = &question.result {
        row(out, "result", "", Some((result, "")))?;
    }
    if let Some(exception) = &question.thrown {
        row(out, "threw", "", Some((thrown(exception), "changed")))?;
    }
    out.push_str("</table>\n");
    if let Some(note) = &question.note {
        writeln!(out, "<p class=\"note\">{}</p>", text(&question_note(note)))?;
    }
    Ok(())
}

fn class(part: &QuestionPart) -> &'static str {
    if part.itself { "changed" } else { "within" }
}

fn change(out: &mut String, shown: &ChangedLocation) -> fmt::Result {
    let class = if shown.within { "within" } else { "changed" };
    let meanwhile = shown.meanwhile.as_ref().map_or(String::new(), meanwhile);
    row(out, &shown.location, &shown.before, Some((&format!("{}{meanwhile}", outcome(&shown.after)), class)))
}

fn row(out: &mut String, name: &str, before: &str, after: Option<(&str, &str)>) -> fmt::Result {
    let (name, before) = (text(name), text(before));
    let after = match after {
        Some((after, class)) => format!("<td class=\"{class}\">{}</td>", text(after)),
        None => "<td></td>".to_owned(),
    };
    writeln!(out, "<tr><th scope=\"row\">{name}</th><td>{before}</td>{after}</tr>")
}

/// How it came to be known, and where to look next.
fn found(out: &mut String, report: &Report) -> fmt::Result {
    if let Some(missing) = report.missing.as_ref().filter(|missing| !missing.balloons.is_empty()) {
        out.push_str("<h2>What did not happen</h2>\n<ul>\n");
        for balloon in &missing.balloons {
            let at = match (&balloon.at.file, balloon.at.line) {
                (Some(file), Some(line)) => code(&format!("{file}:{line}")),
                _ => code(&balloon.at.call),
            };
            let (what, kind) = (code(&balloon.operation), text(prevention(balloon.at.kind)));
            writeln!(out, "<li>{what}, prevented at {at} ({kind})</li>")?;
        }
        out.push_str("</ul>\n");
    }
    if let Some(why) = &report.missing_failed {
        writeln!(out, "<h2>What did not happen</h2>\n<p>It could not be looked for: {}.</p>", text(why))?;
    }
    if !report.path.is_empty() {
        out.push_str("<h2>From the symptom to the defect</h2>\n<ol>\n");
        for step in &report.path {
            writeln!(out, "<li>{}<br>{}</li>", code(step.question.call()), code(&listed(&step.question)))?;
        }
        out.push_str("</ol>\n");
    }
    if !report.answers.is_empty() {
        out.push_str("<h2>Answers</h2>\n<table class=\"facts\">\n<tr><th scope=\"col\">question</th>");
        out.push_str("<th scope=\"col\">answer</th><th scope=\"col\">by</th></tr>\n");
        for given in &report.answers {
            let cells = [listed(&given.question), answer(&given.answer), author(&given.by)]
                .map(|cell| format!("<td>{}</td>", text(&cell)));
            writeln!(out, "<tr>{}</tr>", cells.concat())?;
        }
        out.push_str("</table>\n");
    }
    if !report.origins.is_empty() {
        out.push_str("<h2>Where the values came from</h2>\n<ul>\n");
        for origin in &report.origins {
            writeln!(out, "<li>{} = {}\n<ul>", code(&origin.location), code(&origin.value))?;
            for write in &origin.writes {
                let by = write.call.as_ref().map_or(String::new(), |call| format!(" by {}", code(call)));
                let at = match (&write.file, write.line) {
                    (Some(file), Some(line)) => format!(" at {}", code(&format!("{file}:{line}"))),
                    _ => String::new(),
                };
                writeln!(out, "<li>time {}: {}{by}{at}</li>", write.time, code(&write.value))?;
            }
            writeln!(out, "<li>all of them: {}</li>\n</ul></li>", code(&origin.command))?;
        }
        out.push_str("</ul>\n");
    }
    Ok(())
}

fn code(words: &str) -> String {
    match words.is_empty() {
        true => "<code>(empty)</code>".to_owned(),
        false => format!("<code>{}</code>", text(words)),
    }
}

/// Any text as text: nothing in it is markup, and what cannot be seen or would turn the line around is shown as a sign.
fn text(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for c in words.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\u{7f}' => out.push('␡'),
            c if c < ' ' => out.push(char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}')),
            c if c.is_control() || is_turn(c) || is_noncharacter(c) => {
                let _ = write!(out, "⟨U+{:04X}⟩", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

/// Characters that change the direction of what follows.
fn is_turn(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn is_noncharacter(c: char) -> bool {
    matches!(c, '\u{fdd0}'..='\u{fdef}') || (c as u32) & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use session::{
        Answer, Author, Balloon, Became, CallEnd, CallLine, Certainty, GivenAnswer, Held, Incomplete,
        LineValue, ListedQuestion, MadeAt, Meanwhile, Missing, NodeKind, OmissionExtent, PathNode,
        PreventedAt, Prevention, QuestionAbout, QuestionNote, StatementAction, Subject, Thrown, ValueOrigin,
        Wrote,
    };

    use super::*;

    #[test]
    fn text_stays_text() {
        for (given, shown) in [
            ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("\" onmouseover='x'", "&quot; onmouseover=&#39;x&#39;"),
            ("&lt;", "&amp;lt;"),
            ("a\0b\nc\u{1b}[31m\u{7f}", "a␀b␊c␛[31m␡"),
            ("\u{202e}gpj.exe\u{85}", "⟨U+202E⟩gpj.exe⟨U+0085⟩"),
            // What is left of a lone surrogate.
            ("\u{fffd}\u{ffff}", "\u{fffd}⟨U+FFFF⟩"),
            ("größe 🙂", "größe 🙂"),
        ] {
            assert_eq!(text(given), shown, "{given:?}");
        }
    }

    /// A report in which everything that a program or a person can choose is the same hostile text.
    fn hostile(words: &str) -> (Report, About) {
        let own = || words.to_owned();
        let subject = Subject::Call { call: 1 };
        let shown = || ChangedLocation {
            location: own(),
            name: own(),
            before: own(),
            after: Became::Value(own()),
            within: false,
            parts: Vec::new(),
            meanwhile: Some(Meanwhile { value: Some(own()), thread: own(), call: None }),
            difference: None,
            noise: None,
            rooted: true,
        };
        let part = || QuestionPart {
            name: own(),
            before: Held::Value(own()),
            after: Some(Held::Value(own())),
            changed: true,
            itself: true,
            is_object: true,
            parts: vec![shown()],
            difference: None,
            looked_at: true,
        };
        let call = || CallLine {
            name: own(),
            of: Some(own()),
            constructs: false,
            args: vec![LineValue { before: own(), after: Some(own()) }],
            end: CallEnd::Threw(Thrown::Value(own())),
        };
        let counterexample = Question {
            subject,
            kind: NodeKind::Call,
            call: own(),
            method: own(),
            constructs: false,
            // Short enough to be said as a whole.
            about: QuestionAbout::Statement {
                up_to: true,
                line: None,
                bci: 3,
                source: Some(own()),
                did: StatementAction::Returned,
            },
            members: vec![call()],
            member_calls: vec![1],
            still: Vec::new(),
            kept: Vec::new(),
            receiver: Some(part()),
            args: vec![part()],
            result: Some(own()),
            result_is_object: false,
            thrown: Some(Thrown::Value(own())),
            arose: Some(own()),
            finished: true,
            changes: vec![shown()],
            reads: vec![(own(), Held::Value(own()))],
            iterations: Some(3),
            note: Some(QuestionNote::Variables(vec![(own(), own())])),
            more: false,
            cost: 1.0,
        };
        let listed = || ListedQuestion::Known(Box::new(counterexample.clone()));
        let line = ReportLine {
            number: 7,
            text: own(),
            executed: true,
            guilty: true,
            likely: true,
            unsure: false,
            values: vec![(own(), own())],
        };
        let write = Wrote { time: 4, value: own(), call: Some(own()), file: Some(own()), line: Some(3) };
        let (file, kind) = (Some(own()), Prevention::Branch);
        let at = PreventedAt { call: own(), number: 1, time: 2, file, line: Some(3), kind };
        let balloon = Balloon {
            at,
            operation: own(),
            called: Some(own()),
            chain: vec![own()],
            file: Some(own()),
            line: Some(3),
            ways: 0,
            events: 1,
            more: false,
            times: vec![2],
            calls: Vec::new(),
            certainty: Certainty::Certain,
            extent: OmissionExtent::Total,
            instead: false,
        };
        let missing = Missing {
            object: own(),
            time: 2,
            balloons: vec![balloon],
            reads: 0,
            hidden: 0,
            partial: vec![Incomplete::Detail(own())],
            unchangeable: None,
            writes: 0,
            writers: Vec::new(),
        };
        let report = Report {
            subject,
            kind: NodeKind::Call,
            call: own(),
            method: own(),
            file: Some(own()),
            source: Some(own()),
            bytecode: false,
            suspicious: Some(own()),
            lines: vec![7],
            likely: vec![],
            unsure: vec![],
            made: vec![MadeAt { line: 3, text: own(), location: own(), value: own() }],
            good: Some(Box::new(counterexample.clone())),
            code: vec![line],
            counterexample: counterexample.clone(),
            expected: Some(own()),
            path: vec![PathNode { subject, question: listed() }],
            answers: vec![GivenAnswer {
                subject,
                question: listed(),
                answer: Answer::Wrong { because: Some(own()), missing: None, expected: None },
                by: Author::Agent(own()),
            }],
            origins: vec![ValueOrigin {
                location: own(),
                value: own(),
                writes: vec![write],
                command: own(),
                more: true,
            }],
            missing: Some(missing),
            trusted: vec![],
            keepers: vec![],
            earlier: vec![own()],
            doubt: None,
            missing_failed: Some(own()),
        };
        let about = About {
            recording: own(),
            command: vec![own()],
            symptom: own(),
            symptom_why: own(),
            strategy: own(),
            transforms: vec![own()],
            at: 0,
        };
        (report, about)
    }

    #[test]
    fn nothing_that_a_program_stored_becomes_markup() {
        let word = "]]><!--</title></style><script src='//x'>\u{0}\u{202e}\"";
        let (report, about) = hostile(word);
        let page = html(&report, &about);
        assert!(page.matches(&text(word)).count() > 30, "{page}");
        assert!(!page.contains(word));
        assert!(!page.contains("<script") && !page.contains("<!--"));
        assert!(!page.contains(['\0', '\u{202e}']));
        // The same page as with harmless text, but for the text.
        let (plain, about) = hostile("q");
        assert_eq!(page.replace(&text(word), "q"), html(&plain, &about));
    }
}
