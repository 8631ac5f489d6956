//! The guilty lines: those that the found node executed, without those that its children did. A line that did not run
//! is never among them, whatever stands next to it.

use std::collections::BTreeSet;

use past::{CallId, CallInfo, Past, SourceView};

use super::{Guilty, ReportLine};
use crate::question::{Span, between, loop_run, stretch};
use crate::subject::Subject;

pub(super) struct Code {
    pub source: Option<String>,
    pub bytecode: bool,
    pub suspicious: Option<String>,
    pub lines: Vec<ReportLine>,
}

/// Statements that are looked at to tell a node's own from its children's.
const STATEMENTS: usize = 500_000;
/// Calls of a run whose lines are put together.
const MEMBERS: usize = 64;

pub(super) fn code(past: &Past, found: &Guilty<'_>) -> Code {
    let nothing = || Code { source: None, bytecode: false, suspicious: None, lines: Vec::new() };
    let Some(call) = found.subject.call() else { return nothing() };
    // Of an iteration, what later ones wrote on the same lines would be false.
    let until = past.call(call).and_then(|info| span(past, &info, &found.subject)).map(|span| span.to);
    let Some(view) = past.source_until(call, until) else { return nothing() };
    let guilty = match found.subject {
        Subject::Run { last, .. } => run(past, call, last, &view),
        Subject::Call { .. }
        | Subject::Thread { .. }
        | Subject::Nest { .. }
        | Subject::Loop { .. }
        | Subject::Statement { .. } => own(past, call, found).unwrap_or_else(|| executed(&view)),
    };
    let SourceView { file, bytecode, suspicious, lines } = view;
    let lines = lines.into_iter().map(|line| ReportLine {
        executed: line.executed > 0,
        guilty: line.executed > 0 && guilty.contains(&line.number),
        likely: false,
        unsure: false,
        number: line.number,
        text: line.text,
        values: line.values,
    });
    let lines: Vec<ReportLine> = lines.collect();
    // Without a source there are numbers only.
    let is_text = !bytecode && lines.iter().any(|line| !line.text.is_empty());
    Code { source: file.filter(|_| is_text), bytecode, suspicious, lines }
}

fn executed(view: &SourceView) -> BTreeSet<u32> {
    view.lines.iter().filter(|line| line.executed > 0).map(|line| line.number).collect()
}

/// What the members of a run executed, as far as they are calls of one method.
fn run(past: &Past, first: CallId, last: u64, view: &SourceView) -> BTreeSet<u32> {
    let last = CallId::of_number(last).unwrap_or(first);
    let (members, _) = between(past, first, last);
    let method = past.method_of(first);
    let mut lines = executed(view);
    for member in members.into_iter().skip(1).take(MEMBERS).filter(|&member| past.method_of(member) == method)
    {
        lines.extend(past.source(member).iter().flat_map(executed));
    }
    lines
}

/// The lines of the statements that lie in the subject and in none of its children. None if nothing of the kind is known,
/// or no child lies in the same call: then all that ran in the call is its own.
fn own(past: &Past, call: CallId, found: &Guilty<'_>) -> Option<BTreeSet<u32>> {
    let info = past.call(call)?;
    let children: Vec<Span> = found
        .children
        .iter()
        .filter(|child| child.call() == Some(call))
        .filter_map(|child| span(past, &info, child))
        .collect();
    let within: Vec<Span> = match found.subject {
        Subject::Loop { .. } | Subject::Statement { .. } => {
            span(past, &info, &found.subject).into_iter().collect()
        }
        Subject::Call { .. } | Subject::Thread { .. } | Subject::Run { .. } | Subject::Nest { .. } => {
            if children.is_empty() {
                return None;
            }
            Span::of_call(past, call).into_iter().collect()
        }
    };
    let contains =
        |spans: &[Span], from: u64, to: u64| spans.iter().any(|span| span.from <= from && to <= span.to);
    let by_line = past.method_of(call).and_then(|id| past.program().method(id));
    let by_line = by_line.is_some_and(|(_, method)| !method.lines().is_empty());
    let statements = analysis::statements(past, call, STATEMENTS).ok()?;
    let lines = |children: &[Span]| -> BTreeSet<u32> {
        let own = statements
            .list
            .iter()
            .filter(|one| contains(&within, one.first, one.last) && !contains(children, one.first, one.last));
        own.filter_map(|one| if by_line { one.line.map(u32::from) } else { Some(u32::from(one.bci)) })
            .collect()
    };
    let own = lines(&children);
    // Each iteration of a loop is right, and the loop is not: it is all of it.
    Some(if own.is_empty() { lines(&[]) } else { own })
}

/// The events of what lies in a call; none for a call of its own.
fn span(past: &Past, info: &CallInfo, subject: &Subject) -> Option<Span> {
    match *subject {
        Subject::Loop { run, from, to, .. } => {
            let run = loop_run(past, info, run).ok()?;
            Some(stretch(info, &run, from, to))
        }
        Subject::Statement { at, .. } => {
            let statements = analysis::statements(past, info.id, at as usize + 1).ok()?;
            let found = statements.list.get(at as usize)?;
            Some(Span { stream: info.id.stream, from: found.first, to: found.last })
        }
        Subject::Call { .. } | Subject::Thread { .. } | Subject::Run { .. } | Subject::Nest { .. } => None,
    }
}
