//! `inquest doctor`: what works on this machine, found out by trying where that is quick, and what to do about the rest.

mod build_tools;
mod javas;
mod machine;

use anyhow::Result;
use wire::{Doctor, DoctorCheck};

use crate::args::DoctorArgs;
use crate::page::browser;
use crate::terminal::{Style, Terminal};

/// False if programs cannot be recorded here.
pub fn run(typed: &DoctorArgs) -> Result<bool> {
    let mut checks = vec![machine::agent()];
    checks.extend(javas::javas());
    checks.push(machine::memory());
    checks.push(machine::disk());
    checks.push(machine::rights());
    checks.extend(build_tools::build_tools());
    checks.push(page());
    checks.push(browser());
    let found = Doctor { ok: checks.iter().all(|check| check.ok), checks };
    let mut out = Terminal::open();
    match typed.json {
        true => out.json(&found)?,
        false => print(&mut out, &found)?,
    }
    out.flush()?;
    Ok(found.ok)
}

fn print(out: &mut Terminal, found: &Doctor) -> Result<()> {
    for DoctorCheck { check, ok, text, advice } in &found.checks {
        let (mark, style) = match (ok, advice) {
            (false, _) => ("✗", Style::Red),
            (true, Some(_)) => ("!", Style::Yellow),
            (true, None) => ("✓", Style::Green),
        };
        out.wrapped(0, &[(style, mark), (Style::Faint, &format!(" {check:<11}")), (Style::Plain, text)])?;
        if let Some(advice) = advice {
            out.wrapped(13, &[(Style::Faint, advice)])?;
        }
    }
    let (text, style) = match found.ok {
        true => ("Programs can be recorded here.", Style::Green),
        false => ("Programs cannot be recorded here: see what is marked with ✗.", Style::Red),
    };
    Ok(out.line(&[(style, text)])?)
}

fn page() -> DoctorCheck {
    match server::has_page() {
        true => good("page", "this binary has the page of `inquest open` in it"),
        false => note(
            "page",
            "this binary was built without the page of `inquest open`; all other commands work",
            "for the page, install Node.js and npm, and build with `make build` or `make install`",
        ),
    }
}

fn browser() -> DoctorCheck {
    match browser::opener().map(|program| (program, javas::on_path(program))) {
        Ok((program, true)) => good("browser", format!("`inquest open` opens it by {program}")),
        Ok((program, false)) => note("browser", format!("there is no {program} to open one with"), OPEN_IT),
        Err(why) => note("browser", why, OPEN_IT),
    }
}

const OPEN_IT: &str = "`inquest open` prints its address: open that, over ssh through a tunnel as it says; `inquest ask` needs no browser";

fn good(check: &str, text: impl Into<String>) -> DoctorCheck {
    DoctorCheck { check: check.to_owned(), ok: true, text: text.into(), advice: None }
}

/// It could be better.
fn note(check: &str, text: impl Into<String>, advice: impl Into<String>) -> DoctorCheck {
    DoctorCheck { advice: Some(advice.into()), ..good(check, text) }
}

/// Nothing can be recorded because of it.
fn bad(check: &str, text: impl Into<String>, advice: impl Into<String>) -> DoctorCheck {
    DoctorCheck { ok: false, ..note(check, text, advice) }
}
