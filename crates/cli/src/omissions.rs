//! `inquest omissions`: what should have happened to an object but did not.

use anyhow::Result;
use past::Past;
use session::{Balloon, Certainty, Finder, Missing, OmissionExtent, OmissionOptions};
use words::prevention;

use crate::args::OmissionsArgs;
use crate::opened;
use crate::progress::ProgressLine;
use crate::terminal::{Style, Terminal};

/// False if there is no sign of an omission.
pub fn run(typed: &OmissionsArgs) -> Result<bool> {
    let past = opened::open(&typed.recording)?;
    let at = typed.at.as_deref().map(|text| past.find_time(text)).transpose()?;
    // A name that is wrong is told before anything is worked out.
    past.find_value(&typed.object, at)?;
    let mut progress = ProgressLine::waiting();
    let finder = Finder::open(&past, &mut |step| progress.preparing(step))?;
    progress.clear();
    let options = OmissionOptions {
        at,
        reads: typed.reads,
        chain: typed.chain,
        limit: typed.limit,
        ..OmissionOptions::default()
    };
    let found = finder.find(&past, &typed.object, &options, &typed.hide)?;
    let mut out = Terminal::open();
    if typed.recording.json {
        let mut array = out.array()?;
        for balloon in &found.balloons {
            array.push(&wire::Balloon::from(balloon.clone()))?;
        }
        array.end()?;
    } else {
        print(&past, &found, &mut out)?;
    }
    out.flush()?;
    for why in &found.partial {
        crate::pager::remark(format!("this may not be all: {}", words::incomplete(why)));
    }
    Ok(!found.balloons.is_empty())
}

pub fn print(past: &Past, found: &Missing, out: &mut Terminal) -> Result<()> {
    if found.balloons.is_empty() {
        let what = if found.partial.is_empty() { "no sign of an omission" } else { "nothing found" };
        out.line(&[(Style::Bold, &found.object), (Style::Plain, &format!("  {what}"))])?;
        out.line(&[(Style::Faint, &format!("  {}", instead(found)))])?;
    }
    let group = |balloon: &Balloon| match balloon.extent {
        _ if balloon.instead => 2,
        OmissionExtent::Partial => 1,
        OmissionExtent::Total => 0,
    };
    for (at, what) in [
        (0, "could have happened to it and did not"),
        (1, "happened to it, but maybe not often enough"),
        (2, "did not happen, but something else was done to it instead"),
    ] {
        let list: Vec<&Balloon> = found.balloons.iter().filter(|balloon| group(balloon) == at).collect();
        if list.is_empty() {
            continue;
        }
        out.line(&[(Style::Bold, &found.object), (Style::Faint, &format!("  {what}"))])?;
        for balloon in list {
            one(past, balloon, out)?;
        }
    }
    let mut left = Vec::new();
    if found.reads > 0 {
        left.push(format!("{} that would only have read it (--reads)", found.reads));
    }
    if found.hidden > 0 {
        left.push(format!("{} of hidden methods", found.hidden));
    }
    if !left.is_empty() {
        out.line(&[(Style::Faint, &format!("  not shown: {}", left.join(", ")))])?;
    }
    Ok(())
}

/// What to do where nothing was left out.
fn instead(found: &Missing) -> String {
    if let Some(class) = &found.unchangeable {
        return words::unchangeable(class);
    }
    let hint = "`inquest history` and `inquest slice` tell where a wrong value came from";
    match (found.writes, found.writers.first()) {
        _ if !found.partial.is_empty() => "Not everything could be looked at.".to_owned(),
        (0, _) => format!(
            "Nothing was written to it after it was made, and no code of the program would have; {hint}."
        ),
        (writes, Some((method, _))) => {
            let times = if writes == 1 { "once".to_owned() } else { format!("{writes} times") };
            format!("It was written {times} after it was made, most often by {method}; {hint}.")
        }
        (..) => format!("If a wrong value was written: {hint}."),
    }
}

fn one(past: &Past, balloon: &Balloon, out: &mut Terminal) -> Result<()> {
    let at = &balloon.at;
    let place = place(at.file.as_deref(), at.line);
    let source = line(past, balloon).unwrap_or_default();
    out.line(&[
        (Style::Red, &format!("  {:<10}", prevention(at.kind))),
        (Style::Cyan, &place),
        (Style::Plain, &format!("  {source}")),
    ])?;
    let way = if balloon.chain.is_empty() {
        String::new()
    } else {
        format!("  through {}", balloon.chain.join(" → "))
    };
    let may = if balloon.certainty == Certainty::Certain { "" } else { "maybe " };
    out.line(&[
        (Style::Faint, &format!("            left out  {may}")),
        (Style::Yellow, &balloon.operation),
        (Style::Faint, &format!("  {}{way}", self::place(balloon.file.as_deref(), balloon.line))),
    ])?;
    let often = match (balloon.events, balloon.more) {
        (1, false) => String::new(),
        (count, more) => format!(", {}{count} times", if more { "at least " } else { "" }),
    };
    let ways = match balloon.ways {
        0 => String::new(),
        1 => "; so was another way there".to_owned(),
        ways => format!("; so were {ways} other ways there"),
    };
    out.line(&[(Style::Faint, &format!("            in {} at time {}{often}{ways}", at.call, at.time))])?;
    Ok(())
}

fn place(file: Option<&str>, line: Option<u32>) -> String {
    match (file, line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.to_owned(),
        _ => String::new(),
    }
}

/// The source line of what prevented it, if it can be read.
fn line(past: &Past, balloon: &Balloon) -> Option<String> {
    let call = past::CallId::of_number(balloon.at.number)?;
    let (class, _) = past.program().method(past.method_of(call)?)?;
    let source = past.sources().find(&class.name, balloon.at.file.as_deref())?;
    source.line(balloon.at.line?).map(|text| text.trim().to_owned())
}
