//! The failed tests as JUnit's XML, which pipelines list. It has what failed only: what passed is in the files that the build
//! tool writes.

use std::fmt::Write;

use session::SymptomKind;
use words::{CAUTION, Failure, RunReport};

pub fn junit_xml(report: &RunReport) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // A string takes whatever is written.
    let _ = write(&mut out, report);
    out
}

fn write(out: &mut String, report: &RunReport) -> std::fmt::Result {
    let all = report.failures.len() + report.remarks.len();
    let failures = report.failures.iter().filter(|failure| is_failure(failure)).count();
    let counts = format!("tests=\"{all}\" failures=\"{failures}\" errors=\"{}\"", all - failures);
    writeln!(out, "<testsuites name=\"inquest\" {counts}>")?;
    writeln!(out, "  <testsuite name=\"inquest\" {counts} skipped=\"0\">")?;
    for failure in &report.failures {
        let (class, name) = named(failure);
        let file = failure.place.as_ref().filter(|place| place.found);
        let file = file.map_or(String::new(), |place| format!(" file=\"{}\"", escaped(&place.path)));
        writeln!(out, "    <testcase classname=\"{}\" name=\"{}\"{file}>", escaped(&class), escaped(&name))?;
        let element = if is_failure(failure) { "failure" } else { "error" };
        let (text, kind) = (escaped(&failure.text), failure.kind.name());
        writeln!(
            out,
            "      <{element} message=\"{text}\" type=\"{kind}\">{}</{element}>",
            escaped(&told(report, failure))
        )?;
        writeln!(out, "    </testcase>")?;
    }
    for remark in &report.remarks {
        writeln!(out, "    <testcase classname=\"inquest\" name=\"exit code\">")?;
        writeln!(out, "      <error message=\"{}\" type=\"exit\"/>", escaped(remark))?;
        writeln!(out, "    </testcase>")?;
    }
    writeln!(out, "  </testsuite>\n</testsuites>")
}

/// JUnit tells what did not hold from what did not work.
fn is_failure(failure: &Failure) -> bool {
    matches!(failure.kind, SymptomKind::Assertion | SymptomKind::ExpectedException)
}

/// A test's class, as other tools name it, and what is behind it.
fn named(failure: &Failure) -> (String, String) {
    let class = failure.class.clone().unwrap_or_default();
    let simple = class.rsplit('.').next().unwrap_or_default();
    let name = failure.shown_by.strip_prefix(simple).and_then(|rest| rest.strip_prefix('.'));
    let name = name.unwrap_or(&failure.shown_by).to_owned();
    (class, name)
}

fn told(report: &RunReport, failure: &Failure) -> String {
    let mut text = failure.message.as_ref().unwrap_or(&failure.text).clone();
    if let Some(place) = &failure.place {
        let _ = write!(text, "\nat {}", place.shown());
    }
    if !failure.likely.is_empty() {
        text.push_str("\n\nLikeliest places:");
        for likely in &failure.likely {
            let at = likely.place.as_ref().map_or(String::new(), |place| format!("  {}", place.shown()));
            let _ = write!(text, "\n  {:>6}  {}{at}", likely.percent(), likely.method);
        }
        let _ = write!(text, "\n{CAUTION}");
    }
    let _ = write!(text, "\n\ninquest ask {} --symptom {}", report.recording, failure.number);
    text
}

/// Text and attributes. XML has no way to hold most control characters.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            c if c < ' ' => out.push(char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}')),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn any_text_is_well_formed() {
        assert_eq!(
            escaped("a<b> & \"c\"\n\u{0}\u{1b}[1m\u{ffff}"),
            "a&lt;b&gt; &amp; &quot;c&quot;&#10;␀␛[1m\u{fffd}"
        );
    }
}
