//! How long a hunt took, in lines of a terminal.

use std::time::Duration;

use session::{Author, Summary};

use crate::dialogue::{answer, author};
use crate::quantity::duration;
use crate::question::listed;
use crate::style::{Line, Style};

pub fn summary(summary: &Summary) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let time = |milliseconds: u64| duration(Duration::from_millis(milliseconds));
    let (thought, timed) = summary.thought();
    let persons = summary.answers.iter().filter(|given| given.by == Author::Person).count();
    let came = match summary.verdict.as_deref() {
        Some("buggy") => "the bug was found",
        Some("correct") => "nothing is wrong, by these answers",
        Some("suspects") => "only what nobody could judge is left",
        _ => "it is not at its end",
    };
    lines.push(vec![
        (Style::Plain, "The hunt in ".to_owned()),
        (Style::Bold, summary.root.clone()),
        (Style::Plain, format!(" took {}: {came}.", time(summary.lasted()))),
    ]);
    let questions = if persons == 1 { "question" } else { "questions" };
    let mut text = format!("{persons} {questions} to you");
    if timed > 0 {
        text += &format!(", {} in all, {} each", time(thought), time(thought / timed as u64));
    }
    let others = summary.answers.len() - persons;
    if others > 0 {
        text += &format!("; {others} answered by others");
    }
    lines.push(vec![(Style::Plain, format!("{text}."))]);
    for given in &summary.answers {
        let took = given.took.map_or_else(|| "–".to_owned(), time);
        let by =
            if given.by == Author::Person { String::new() } else { format!("  ({})", author(&given.by)) };
        let back = if given.holds { "" } else { "  taken back" };
        lines.push(vec![
            (Style::Faint, format!("{took:>10}  ")),
            (Style::Plain, format!("{}  ", listed(&given.question))),
            (Style::Yellow, answer(&given.answer)),
            (Style::Faint, format!("{by}{back}")),
        ]);
    }
    lines
}
