//! What failed, for a person: on stderr, because stdout is the build's. In a terminal a number is enough to go on; otherwise each failure
//! has the command that debugs it.

use std::io::{self, Write};
use std::time::Duration;

use anyhow::Result;
use words::{count, duration, size};

use super::failures::{Failure, Failures};
use crate::record::options::RecordOptions;
use crate::record::summary::shown;
use crate::report::shell_word;

/// Failures, or groups of them, that are listed.
const LISTED: usize = 20;
/// Tests of one group that are named.
const NAMED: usize = 5;

/// How many tests ran and how they ended, and where their recording is.
pub fn print_summary(found: &Failures, options: &RecordOptions, time: Duration) {
    let Failures { tests, skipped, jvms, bytes, .. } = *found;
    let failed = found.failed();
    let some = |number: u64, word: &str| (number > 0).then(|| format!("{} {word}", count(number)));
    let ran = match tests {
        0 => "no test of JUnit or TestNG ran".to_owned(),
        _ => {
            let parts = [some(found.passed(), "passed"), some(failed, "failed"), some(skipped, "skipped")];
            let noun = if tests == 1 { "test" } else { "tests" };
            format!("{} {noun}: {}", count(tests), parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
        }
    };
    let jvms = if jvms == 1 { String::new() } else { format!("{jvms} JVMs, ") };
    let (dir, size, time) = (shown(&found.dir), size(bytes), duration(time));
    eprintln!("inquest: {ran}; recorded to {dir} ({jvms}{size}, {time})");
    for line in found.taken.lines() {
        eprintln!("inquest: {line}");
    }
    if found.list.is_empty() && found.code != 0 {
        eprintln!(
            "inquest: {} ended with exit code {}, and nothing that was recorded says why: its own output may",
            options.command[0].display(),
            found.code
        );
    }
}

/// `keys`: a number will be asked for, so that commands need not be typed.
pub fn print(found: &Failures, keys: bool) {
    let mut err = io::stderr().lock();
    let dir = shell_word(&shown(&found.dir));
    for group in found.groups.iter().take(LISTED) {
        let first = &found.list[group[0]];
        let _ = writeln!(err, "{}", line(first));
        if group.len() > 1 {
            let others = &group[1..];
            let named = |&at: &usize| format!("{} {}", found.list[at].listed.number, found.list[at].name);
            let names: Vec<String> = others.iter().take(NAMED).map(named).collect();
            let more = match others.len() - names.len() {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            let alike = format!("{} tests fail alike, likely for one reason: also", group.len());
            let _ = writeln!(err, "       {alike} {}{more}", names.join(", "));
        }
        if !keys {
            let number = match first.listed.number {
                1 => String::new(),
                number => format!(" --symptom {number}"),
            };
            let _ = writeln!(err, "       inquest ask {dir}{number}");
        }
    }
    if found.groups.len() > LISTED {
        let more = found.groups.len() - LISTED;
        let _ = writeln!(err, "  and {more} more: `inquest symptoms {dir}` lists all");
    }
}

fn line(failure: &Failure) -> String {
    let place = match (&failure.row.place.file, failure.row.place.line) {
        (Some(file), Some(line)) => format!("  {file}:{line}"),
        _ => String::new(),
    };
    format!("{:>3}  {}: {}{place}", failure.listed.number, failure.name, failure.row.text)
}

/// Which failure to debug, by its number; none if the person does not want to.
pub fn choose(found: &Failures) -> Result<Option<usize>> {
    let numbers: Vec<usize> = found.list.iter().map(|one| one.listed.number).collect();
    loop {
        eprint!("inquest: which one? Its number, Enter for {}, q for none: ", numbers[0]);
        io::stderr().flush()?;
        let mut typed = String::new();
        // The end of input is a no.
        if io::stdin().read_line(&mut typed)? == 0 {
            eprintln!();
            return Ok(None);
        }
        match typed.trim() {
            "" => return Ok(Some(numbers[0])),
            "q" | "n" => return Ok(None),
            text => match text.parse::<usize>() {
                Ok(number) if numbers.contains(&number) => return Ok(Some(number)),
                _ => eprintln!("inquest: there is no number {text} in the list"),
            },
        }
    }
}
