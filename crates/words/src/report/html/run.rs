//! The report of a run as a page that stands alone.

use std::fmt::{self, Write};

use super::super::run::{
    CAUTION, COMPARED, Failure, FilePlace, RunReport, commands, heading, run_of, what, whereabouts,
};
use super::{code, foot, head, text};

pub fn run_html(report: &RunReport) -> String {
    let mut out = String::new();
    // A string takes whatever is written.
    let _ = page(&mut out, report);
    out
}

fn page(out: &mut String, report: &RunReport) -> fmt::Result {
    head(out, &heading(report))?;
    writeln!(out, "<h1>{}</h1>", text(&heading(report)))?;
    writeln!(out, "<p class=\"place\">{} {}</p>", text(&run_of(report)), code(&report.command.join(" ")))?;
    for remark in &report.remarks {
        writeln!(out, "<p class=\"warn\">{}</p>", text(remark))?;
    }
    for failure in &report.failures {
        one(out, report, failure)?;
    }
    writeln!(out, "<p class=\"note\">{} {}.</p>", text(&whereabouts(report)), code(&report.recording))?;
    out.push_str("<footer>Made by Inquest.</footer>\n");
    foot(out);
    Ok(())
}

fn one(out: &mut String, report: &RunReport, failure: &Failure) -> fmt::Result {
    writeln!(out, "<h2>{}. {}</h2>", failure.number, code(&failure.shown_by))?;
    let at = failure.place.as_ref().map_or(String::new(), |at| format!(" at {}", place(at, report)));
    let jvm = failure.jvm.as_ref().map_or(String::new(), |jvm| format!(" in {}", code(jvm)));
    let what = what(failure).map_or(text(COMPARED), code);
    writeln!(out, "<p class=\"call\">{what}{at}{jvm}</p>")?;
    out.push_str("<table class=\"facts\">\n");
    for (name, value) in
        [("expected", &failure.expected), ("was", &failure.actual), ("message", &failure.message)]
    {
        if let Some(value) = value {
            writeln!(out, "<tr><th scope=\"row\">{name}</th><td>{}</td></tr>", text(value))?;
        }
    }
    out.push_str("</table>\n");
    if !failure.likely.is_empty() {
        out.push_str(
            "<table class=\"facts\">\n<tr><th scope=\"col\">likely</th><th scope=\"col\">method</th>",
        );
        out.push_str("<th scope=\"col\">place</th></tr>\n");
        for likely in &failure.likely {
            let at = likely.place.as_ref().map_or("?".to_owned(), |at| place(at, report));
            let (chance, method) = (text(&likely.percent()), text(&likely.method));
            writeln!(out, "<tr><td>{chance}</td><td>{method}</td><td>{at}</td></tr>")?;
        }
        writeln!(out, "</table>\n<p class=\"note\">{}</p>", text(CAUTION))?;
    }
    if let Some(why) = &failure.unknown {
        writeln!(out, "<p class=\"note\">{}</p>", text(why))?;
    }
    out.push_str("<ul>\n");
    for (command, what) in commands(report, failure) {
        writeln!(out, "<li>{}: {}</li>", code(&command), text(what))?;
    }
    out.push_str("</ul>\n");
    Ok(())
}

fn place(at: &FilePlace, report: &RunReport) -> String {
    let shown = code(&at.shown());
    match at.address(report.links.as_deref()) {
        Some(address) => format!("<a href=\"{}\">{shown}</a>", text(&address)),
        None => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::run::tests::run_with;
    use super::*;

    #[test]
    fn nothing_that_a_program_stored_becomes_markup() {
        let word = "]]><!--</title></style><script src='//x'>\u{0}\u{202e}\"";
        let page = run_html(&run_with(word));
        assert!(page.matches(&text(word)).count() > 15, "{page}");
        assert!(!page.contains(word) && !page.contains("<script") && !page.contains("<!--"));
        assert!(!page.contains(['\0', '\u{202e}']));
    }
}
