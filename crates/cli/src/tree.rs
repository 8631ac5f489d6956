//! `inquest tree`: the call tree, a row per call.

use anyhow::Result;
use past::{CallInfo, Ending, Past, StreamId};
use wire::CallRow;

use crate::args::TreeArgs;
use crate::opened;
use crate::terminal::{Style, Terminal};

/// Rows that are asked for at once.
const PAGE: usize = 1000;
/// Rows for a person who did not say how many.
const FOR_A_PERSON: usize = 1000;

pub fn run(typed: &TreeArgs) -> Result<()> {
    let past = opened::open(&typed.recording)?;
    let root = typed.root.as_deref().map(|name| past.find_call(name)).transpose()?;
    let mut out = Terminal::open();
    let limit = typed.limit.unwrap_or(if typed.recording.json { usize::MAX } else { FOR_A_PERSON });
    let mut rows = past.tree_rows(root, typed.depth, !typed.no_library).skip(typed.from);
    if typed.recording.json {
        let mut array = out.array()?;
        for row in rows.by_ref().take(limit) {
            if let Some(info) = past.call(row.call) {
                array.push(&CallRow::of(&past, &info, row.depth, &opened::SHORT))?;
            }
        }
        array.end()?;
        out.flush()?;
        return Ok(());
    }
    let mut shown = 0;
    let several = past.thread_count() > 1;
    let mut thread: Option<StreamId> = None;
    for row in rows.by_ref().take(limit) {
        let before = thread.replace(row.call.stream);
        if several && before.is_none_or(|before| !past.are_of_one_thread(before, row.call.stream)) {
            out.line(&[(Style::Cyan, &format!("thread {}", past.thread_name(row.call.stream)))])?;
        }
        if let Some(info) = past.call(row.call) {
            print_row(&mut out, &past, &info, row.depth)?;
        }
        shown += 1;
        if shown % PAGE == 0 {
            out.flush()?;
        }
    }
    let more = rows.next().is_some();
    out.flush()?;
    if more {
        crate::pager::remark(format!(
            "there is more; --from {} goes on, --limit, --root and --depth choose",
            typed.from + limit
        ));
    }
    Ok(())
}

fn print_row(out: &mut Terminal, past: &Past, info: &CallInfo, depth: u32) -> Result<()> {
    let indent = "  ".repeat(depth as usize);
    let words = words::call(past, info.id, &opened::SHORT);
    let unfinished = if info.ending == Ending::Open { " unfinished" } else { "" };
    let gap = if words.end.is_empty() { "" } else { " " };
    let rest = format!("{}{gap}{}", words.args, words.end);
    let style = match info.ending {
        _ if info.library => Style::Faint,
        Ending::Threw(_) => Style::Red,
        Ending::Open => Style::Yellow,
        Ending::Returned(_) => Style::Bold,
    };
    let body = if info.library { Style::Faint } else { Style::Plain };
    out.line(&[(Style::Plain, &indent), (style, &words.name), (body, &rest), (Style::Yellow, unfinished)])?;
    Ok(())
}
