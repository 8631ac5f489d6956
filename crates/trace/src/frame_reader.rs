//! Finds the frames of a recording and puts them in order per stream. Every frame's checksum is looked at
//! once, here; what is damaged is reported and stepped over, so that one bad byte costs one frame.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::error::{Error, Result};
use crate::frame::{self, HEADER, Header, MAGIC};
use crate::ids::StreamId;

/// Something in the chunk files that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    pub file: String,
    pub offset: u64,
    /// The stream that lost something, as far as that can be told.
    pub stream: Option<StreamId>,
    pub what: String,
}

/// A frame that was found and checked.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    file: u32,
    offset: u64,
    pub header: Header,
}

impl Frame {
    /// Where it starts in its file.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

/// A stream as the chunk files have it: frames in order, and the places where some are missing.
#[derive(Clone, Debug)]
pub enum Piece {
    Frame(Frame),
    Missing { chunks: u32 },
}

/// The frames of one recording, by stream.
pub struct FrameReader {
    files: Vec<File>,
    names: Vec<String>,
    streams: BTreeMap<StreamId, Vec<Piece>>,
    damaged: Vec<Damage>,
    bytes: u64,
    raw: u64,
}

impl FrameReader {
    /// Reads and checks all chunk files in `dir`. A folder without any is an empty recording.
    pub fn open(dir: &Path) -> Result<FrameReader> {
        let mut reader = FrameReader {
            files: Vec::new(),
            names: Vec::new(),
            streams: BTreeMap::new(),
            damaged: Vec::new(),
            bytes: 0,
            raw: 0,
        };
        let mut found: BTreeMap<StreamId, Vec<Frame>> = BTreeMap::new();
        for name in chunk_files(dir)? {
            let path = dir.join(&name);
            let cannot = |source| Error::Read { path: path.clone(), source };
            let file = File::open(&path).map_err(cannot)?;
            let length = file.metadata().map_err(cannot)?.len();
            reader.bytes += length;
            let number = reader.files.len() as u32;
            let mut scan = Scan {
                file: &file,
                name: &name,
                number,
                length,
                found: &mut found,
                damaged: &mut reader.damaged,
            };
            scan.run().map_err(cannot)?;
            reader.files.push(file);
            reader.names.push(name);
        }
        for (stream, frames) in found {
            reader.raw += frames.iter().map(|frame| u64::from(frame.header.raw)).sum::<u64>();
            let pieces = in_order(stream, frames, &reader.names, &mut reader.damaged);
            reader.streams.insert(stream, pieces);
        }
        Ok(reader)
    }

    /// All streams that have at least one frame, in order of their numbers.
    pub fn streams(&self) -> impl Iterator<Item = StreamId> + '_ {
        self.streams.keys().copied()
    }

    /// The pieces of a stream in order; empty for a stream without frames.
    pub fn pieces(&self, stream: StreamId) -> &[Piece] {
        self.streams.get(&stream).map_or(&[], Vec::as_slice)
    }

    /// Does the stream's last frame say that the stream ends there?
    pub fn is_ended(&self, stream: StreamId) -> bool {
        matches!(self.pieces(stream).last(), Some(Piece::Frame(frame)) if frame.header.last)
    }

    /// The decompressed chunks of a frame; `None` if the file changed under us or holds no lz4 block.
    pub fn load(&self, frame: &Frame) -> Option<Vec<u8>> {
        let mut payload = vec![0; frame.header.size as usize];
        let file = self.files.get(frame.file as usize)?;
        file.read_exact_at(&mut payload, frame.offset + HEADER as u64).ok()?;
        frame.header.unpack(&payload)
    }

    /// The name of the file that a frame is in.
    pub fn file_of(&self, frame: &Frame) -> String {
        self.names.get(frame.file as usize).cloned().unwrap_or_default()
    }

    pub fn damaged(&self) -> &[Damage] {
        &self.damaged
    }

    /// Bytes of all chunk files.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of all streams, decompressed.
    pub fn raw_bytes(&self) -> u64 {
        self.raw
    }
}

/// One chunk file being read from its start to its end.
struct Scan<'a> {
    file: &'a File,
    name: &'a str,
    number: u32,
    length: u64,
    found: &'a mut BTreeMap<StreamId, Vec<Frame>>,
    damaged: &'a mut Vec<Damage>,
}

impl Scan<'_> {
    fn run(&mut self) -> io::Result<()> {
        let mut payload = Vec::new();
        let mut at = 0;
        // A file made to contain many false headers must not be read again for each of them.
        let mut budget = self.length.saturating_mul(4) + (1 << 20);
        while at < self.length {
            let mut header = [0; HEADER];
            let left = self.length - at;
            if left < HEADER as u64 {
                self.damage(at, None, format!("{left} bytes at the end are no whole frame"));
                break;
            }
            self.file.read_exact_at(&mut header, at)?;
            let what = match Header::decode(&header) {
                None => "no frame starts here".to_owned(),
                Some(found) if u64::from(found.size) > left - HEADER as u64 => {
                    self.damage(at, Some(found.stream), format!("frame {} is cut short", found.seq));
                    at = self.next_magic(at + 1)?;
                    continue;
                }
                Some(found) => {
                    budget = budget.saturating_sub(u64::from(found.size));
                    payload.resize(found.size as usize, 0);
                    self.file.read_exact_at(&mut payload, at + HEADER as u64)?;
                    if found.checks(&header, &payload) {
                        let frame = Frame { file: self.number, offset: at, header: found };
                        self.found.entry(StreamId(found.stream)).or_default().push(frame);
                        at += HEADER as u64 + u64::from(found.size);
                        continue;
                    }
                    format!("the checksum of frame {} does not fit", found.seq)
                }
            };
            let stream = Header::decode(&header).map(|found| found.stream);
            self.damage(at, stream, what);
            if budget == 0 {
                self.damage(at, None, "too many false frames, the rest of the file is not read".to_owned());
                break;
            }
            at = self.next_magic(at + 1)?;
        }
        Ok(())
    }

    fn damage(&mut self, offset: u64, stream: Option<u32>, what: String) {
        self.damaged.push(Damage { file: self.name.to_owned(), offset, stream: stream.map(StreamId), what });
    }

    /// Where the next magic starts at or after `from`; the file's end if there is none.
    fn next_magic(&self, mut from: u64) -> io::Result<u64> {
        let mut window = vec![0; 64 << 10];
        while from < self.length {
            let size = (self.length - from).min(window.len() as u64) as usize;
            self.file.read_exact_at(&mut window[..size], from)?;
            if let Some(found) = window[..size].windows(MAGIC.len()).position(|bytes| bytes == MAGIC) {
                return Ok(from + found as u64);
            }
            if size < window.len() {
                break;
            }
            from += (size - MAGIC.len() + 1) as u64;
        }
        Ok(self.length)
    }
}

fn chunk_files(dir: &Path) -> Result<Vec<String>> {
    let cannot = |source| Error::Read { path: dir.to_owned(), source };
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).map_err(cannot)? {
        let name = entry.map_err(cannot)?.file_name();
        if let Some(name) = name.to_str()
            && let Some(number) = name.strip_prefix("chunks-").and_then(|rest| rest.strip_suffix(".inq"))
            && let Ok(number) = number.parse::<u32>()
            && name == frame::file_name(number)
        {
            names.push((number, name.to_owned()));
        }
    }
    names.sort();
    Ok(names.into_iter().map(|(_, name)| name).collect())
}

fn in_order(
    stream: StreamId,
    mut frames: Vec<Frame>,
    names: &[String],
    damaged: &mut Vec<Damage>,
) -> Vec<Piece> {
    frames.sort_by_key(|frame| frame.header.seq);
    let mut pieces = Vec::with_capacity(frames.len());
    let mut next = 0u64;
    for frame in frames {
        let seq = u64::from(frame.header.seq);
        let note = |what| Damage {
            file: names.get(frame.file as usize).cloned().unwrap_or_default(),
            offset: frame.offset,
            stream: Some(stream),
            what,
        };
        if seq < next {
            damaged.push(note(format!("frame {seq} is there twice")));
            continue;
        }
        if seq > next {
            damaged.push(note(format!("chunks {next} to {} before this frame are missing", seq - 1)));
            pieces.push(Piece::Missing { chunks: (seq - next) as u32 });
        }
        next = seq + u64::from(frame.header.chunks);
        pieces.push(Piece::Frame(frame));
    }
    pieces
}
