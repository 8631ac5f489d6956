//! `inquest dump`: every event on a line of its own, for tests and bug reports; or, raw, every stored record.

use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::Path;

use anyhow::{Result, bail};
use trace::frame_reader::Piece;
use trace::record::Records;
use trace::tables::{self, FailedRecord, MarkRecord, NumbersRecord, TableRecord};
use trace::{FrameReader, StreamId, text};
use wire::RecordedEvent;

use crate::args::DumpArgs;
use crate::open;

pub fn run(typed: &DumpArgs) -> Result<()> {
    let place = open::one(&typed.dir)?;
    let mut out = Lines { out: BufWriter::new(io::stdout().lock()), left: typed.limit.unwrap_or(u64::MAX) };
    if typed.raw {
        dump_records(typed, &place, &mut out)?
    } else {
        dump_events(typed, &place, &mut out)?
    }
    out.out.flush()?;
    Ok(())
}

/// Output with a limit.
struct Lines<W: Write> {
    out: W,
    left: u64,
}

impl<W: Write> Lines<W> {
    /// Breaks off when enough was written, or when writing fails.
    fn add(&mut self, line: std::fmt::Arguments<'_>) -> ControlFlow<io::Result<()>> {
        if self.left == 0 {
            return ControlFlow::Break(Ok(()));
        }
        self.left -= 1;
        match writeln!(self.out, "{line}") {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(Err(error)),
        }
    }
}

fn dump_events(typed: &DumpArgs, place: &Path, out: &mut Lines<impl Write>) -> Result<()> {
    let recording = open::recording(place)?;
    let threads = recording.threads();
    let streams = chosen(typed, threads.iter().map(|thread| thread.stream))?;
    for stream in streams {
        let mut ended = None;
        recording.events(stream, |event| {
            let line = words::recorded_event(&recording, event);
            let added = if typed.json {
                let place = event.site.map(|site| recording.place(site));
                let event = RecordedEvent {
                    thread: stream.0,
                    depth: event.depth,
                    kind: event.kind.name().to_owned(),
                    place,
                    library: event.library,
                    text: line,
                };
                match serde_json::to_string(&event) {
                    Ok(line) => out.add(format_args!("{line}")),
                    Err(error) => ControlFlow::Break(Err(error.into())),
                }
            } else {
                out.add(format_args!("{}\t{}\t{line}", stream.0, event.depth))
            };
            match added {
                ControlFlow::Continue(()) => ControlFlow::Continue(()),
                ControlFlow::Break(result) => {
                    ended = Some(result);
                    ControlFlow::Break(())
                }
            }
        });
        if let Some(result) = ended {
            return Ok(result?);
        }
    }
    Ok(())
}

fn dump_records(typed: &DumpArgs, place: &Path, out: &mut Lines<impl Write>) -> Result<()> {
    let frames = FrameReader::open(place)?;
    for stream in chosen(typed, frames.streams())? {
        let mut table = Vec::new();
        for piece in frames.pieces(stream) {
            let (chunk_number, bytes) = match piece {
                Piece::Missing { chunks } => {
                    if let ControlFlow::Break(result) =
                        out.add(format_args!("{}\tmissing\t{chunks} chunks", stream.0))
                    {
                        return Ok(result?);
                    }
                    continue;
                }
                Piece::Frame(frame) => (frame.header.chunk_number, frames.load(frame).unwrap_or_default()),
            };
            if stream == StreamId::TABLES {
                table.extend(bytes);
                continue;
            }
            let mut records = Records::new(&bytes);
            loop {
                let at = records.offset();
                let Some(record) = records.next() else { break };
                if let ControlFlow::Break(result) =
                    out.add(format_args!("{}\t{chunk_number}+{at}\t{record:?}", stream.0))
                {
                    return Ok(result?);
                }
            }
        }
        let mut result = ControlFlow::Continue(());
        tables::for_each(&table, |record| {
            if result.is_continue() {
                result = out.add(format_args!("0\t{}", table_line(&record)));
            }
        });
        if let ControlFlow::Break(result) = result {
            return Ok(result?);
        }
    }
    Ok(())
}

/// A record of the table stream without its bulk.
fn table_line(record: &TableRecord<'_>) -> String {
    match record {
        TableRecord::Class(class) => format!(
            "class {} {} {:?} from {}: methods from {} ({}), {} sites, {} degraded, {} bytes",
            class.class.0,
            text::from_modified(class.name),
            class.detail,
            text::from_modified(class.source),
            class.first_method.0,
            class.methods,
            class.sites.len(),
            class.degraded.len(),
            class.bytes.len()
        ),
        TableRecord::Type(ty) => {
            format!("type {} {} flags {}", ty.ty.0, text::from_modified(ty.name), ty.flags)
        }
        TableRecord::Thread(thread) => {
            format!("thread {} {} id {}", thread.stream.0, text::from_modified(thread.name), thread.thread)
        }
        TableRecord::Note { code, text } => format!("note {code} {}", text::from_modified(text)),
        TableRecord::Numbers(NumbersRecord { stream, kind, first, end }) => {
            format!("numbers {first} to {end} of kind {kind} in stream {}", stream.0)
        }
        TableRecord::Mark(MarkRecord { stream, what, ordering }) => {
            format!("stream {} {what} at ordering point {ordering}", stream.0)
        }
        TableRecord::Failed(FailedRecord { stream, method, ty }) => {
            format!("failed: method {} in stream {}, exception of type {}", method.0 as i32, stream.0, ty.0)
        }
        TableRecord::String { id, chars, .. } => format!("string {} of {chars} characters", id.0),
        TableRecord::Fields { ty, fields } => format!("fields of type {}: {}", ty.0, names(fields)),
        TableRecord::Layout(layout) => {
            let name = text::from_modified(layout.name);
            format!("layout {} {name}: {}", layout.class.0, names(&layout.fields))
        }
    }
}

fn names(fields: &[(&[u8], &[u8])]) -> String {
    fields.iter().map(|(name, _)| text::from_modified(name)).collect::<Vec<_>>().join(", ")
}

/// The thread that was asked for, or all.
fn chosen(typed: &DumpArgs, streams: impl Iterator<Item = StreamId>) -> Result<Vec<StreamId>> {
    let streams: Vec<_> = streams.collect();
    match typed.thread {
        None => Ok(streams),
        Some(number) if streams.contains(&StreamId(number)) => Ok(vec![StreamId(number)]),
        Some(number) => {
            let known: Vec<_> = streams.iter().map(|stream| stream.0.to_string()).collect();
            bail!("the recording has no thread {number}; it has {}", known.join(", "))
        }
    }
}
