//! How far a log that still grows can be relied on. What replay tells may depend on what comes next, so it must
//! not come to the end of what is there: it stops before the last record that is whole together with its values.
//! `seq`, contents and definitions do not count as such, because replay looks behind them.

use super::source::Log;
use crate::program::Program;
use crate::record::{self, Record, tag};

/// The offset where the last group of the log begins that replay never looks beyond. Only the last pieces are read.
pub(crate) fn firm(program: &Program, log: &Log<'_>) -> u64 {
    let mut window = Vec::new();
    for piece in (0..log.starts.len().saturating_sub(1)).rev() {
        let Some(mut bytes) = (log.load)(piece) else { return log.starts[piece + 1] };
        bytes.append(&mut window);
        window = bytes;
        if let Some(at) = last_group(program, &window, piece == 0) {
            return log.starts[piece] + at as u64;
        }
    }
    0
}

/// The most values that a record announces.
const MOST_VALUES: usize = u16::MAX as usize;

/// Where the last whole group begins. The first values belong to a record before `bytes`, unless nothing is before.
fn last_group(program: &Program, bytes: &[u8], from_start: bool) -> Option<usize> {
    let mut found = None;
    let mut foreign = if from_start { 0 } else { MOST_VALUES };
    let mut at = 0;
    loop {
        let Some(next) = step_over_definitions(bytes, at) else { return found };
        at = next;
        let Some((record, length)) = bytes.get(at..).and_then(record::decode) else { return found };
        let start = at;
        at += length;
        if tag::is_value(bytes[start]) {
            if foreign == 0 {
                found = Some(start);
            }
            foreign = foreign.saturating_sub(1);
            continue;
        }
        foreign = 0;
        for _ in 0..values(program, &record) {
            let Some(next) = step_over_definitions(bytes, at) else { return found };
            match bytes.get(next) {
                None => return found,
                // Fewer values than announced: a stack overflow kept them from being recorded.
                Some(&tag) if !tag::is_value(tag) => break,
                Some(_) => {}
            }
            let Some(length) = record::length(&bytes[next..]) else { return found };
            at = next + length;
        }
        let looked_behind = matches!(
            record,
            Record::Seq(_) | Record::Fields { .. } | Record::Content { .. } | Record::Contents { .. }
        );
        if !looked_behind {
            found = Some(start);
        }
    }
}

/// The next record that is no definition, or where the bytes end; none if a definition is not whole.
fn step_over_definitions(bytes: &[u8], mut at: usize) -> Option<usize> {
    while let Some(&tag) = bytes.get(at)
        && (tag == tag::END || tag::is_definition(tag))
    {
        at += record::length(&bytes[at..])?;
    }
    Some(at)
}

/// How many values follow a record.
fn values(program: &Program, record: &Record<'_>) -> usize {
    match *record {
        Record::Enter(id) => program.method(id).map_or(0, |(_, method)| {
            let receiver = !method.is_static() && !method.is_constructor();
            method.kinds.len() + usize::from(receiver)
        }),
        Record::ExitValue | Record::Unwind { .. } | Record::Catch { .. } => 1,
        Record::Static(_) | Record::New(_) => 1,
        Record::Field(_) => 2,
        Record::Element(_) => 3,
        Record::Copy(_) => 5,
        Record::Fields { count, .. } => count.into(),
        Record::Contents { count, .. } => count.into(),
        Record::Call { values, .. } => values.into(),
        _ => 0,
    }
}
