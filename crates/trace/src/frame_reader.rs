//! Finds the frames of a recording and puts them in order per stream. Every frame's checksum is looked at
//! once, here; what is damaged is reported and stepped over, so that one bad byte costs one frame. While a recording
//! grows, the pieces of a stream are its frames so far, and behind them chunks that are not in a file yet.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::error::{Error, Result};
use crate::frame::{self, HEADER, Header, MAGIC};
use crate::ids::StreamId;
use crate::stream::Stream;
use crate::tail::TailChunk;

/// Something in the chunk files that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    pub file: String,
    pub offset: u64,
    /// The stream that lost something, as far as that can be told.
    pub stream: Option<StreamId>,
    pub what: String,
}

/// A frame that was found and checked; or a chunk that is not in a file yet, described as a frame of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    pub(crate) place: StoredIn,
    pub header: Header,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoredIn {
    File {
        file: u32,
        offset: u64,
    },
    /// In memory, for as long as no file has it.
    Live,
}

impl Frame {
    /// Where it starts in its file; 0 if it is in none yet.
    pub fn offset(&self) -> u64 {
        match self.place {
            StoredIn::File { offset, .. } => offset,
            StoredIn::Live => 0,
        }
    }

    pub fn is_live(&self) -> bool {
        self.place == StoredIn::Live
    }
}

/// A stream as the chunk files have it: frames in order, and the places where some are missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Frame(Frame),
    Missing { chunks: u32 },
}

/// The frames of one recording, by stream.
#[derive(Default)]
pub struct FrameReader {
    pub(crate) files: Vec<ChunkFile>,
    pub(crate) streams: BTreeMap<StreamId, Stream>,
    pub(crate) damaged: Vec<Damage>,
    /// Streams that have something which is not among their pieces yet.
    pub(crate) news: BTreeSet<StreamId>,
    pub(crate) raw: u64,
    /// Frames were not looked at when they were found.
    pub(crate) unchecked: bool,
}

pub(crate) struct ChunkFile {
    pub file: File,
    pub name: String,
    pub length: u64,
    /// How far it was read.
    pub read: u64,
}

/// A frame as the scan comes by it.
pub(crate) struct ScannedFrame<'a> {
    pub frame: Frame,
    pub name: &'a str,
    /// Where it starts in its stream; none if something before it was not found yet, or it is there twice.
    pub start: Option<u64>,
    pub payload: &'a [u8],
    /// Bytes of all files that were read.
    pub done: u64,
    /// Bytes of all files.
    pub all: u64,
}

impl FrameReader {
    /// Reads and checks all chunk files in `dir`. A folder without any is an empty recording.
    pub fn open(dir: &Path) -> Result<FrameReader> {
        FrameReader::open_with(dir, &mut |_| {})
    }

    /// As `open`; shows `visit` every frame while its bytes are at hand.
    pub(crate) fn open_with(dir: &Path, visit: &mut dyn FnMut(ScannedFrame<'_>)) -> Result<FrameReader> {
        let mut reader = FrameReader::default();
        reader.scan(&[dir], false, visit)?;
        reader.place(true);
        Ok(reader)
    }

    /// As `open`, but reads the headers of frames only: each frame is checked when it is loaded. None if something is not as
    /// it should be, which only `open` can make sense of.
    pub fn glance(dir: &Path) -> Result<Option<FrameReader>> {
        let mut reader = FrameReader { unchecked: true, ..FrameReader::default() };
        reader.find_files(dir)?;
        for number in 0..reader.files.len() {
            let file = &mut reader.files[number];
            let cannot = |source| Error::Read { path: file.name.clone().into(), source };
            file.length = file.file.metadata().map_err(cannot)?.len();
            let mut at = 0;
            while at < file.length {
                let mut bytes = [0; HEADER];
                if file.length - at < HEADER as u64 {
                    return Ok(None);
                }
                file.file.read_exact_at(&mut bytes, at).map_err(cannot)?;
                let end = |header: &Header| at + HEADER as u64 + u64::from(header.size);
                let Some(header) = Header::decode(&bytes).filter(|header| end(header) <= file.length) else {
                    return Ok(None);
                };
                let frame = Frame { place: StoredIn::File { file: number as u32, offset: at }, header };
                reader.streams.entry(StreamId(header.stream)).or_default().found(frame);
                reader.raw += u64::from(header.raw);
                at = end(&header);
            }
            file.read = file.length;
        }
        reader.place(true);
        Ok(reader.damaged.is_empty().then_some(reader))
    }

    /// Forgets all streams but the tables and these.
    pub(crate) fn keep_only(&mut self, streams: &BTreeSet<StreamId>) {
        self.streams.retain(|stream, _| *stream == StreamId::TABLES || streams.contains(stream));
        self.raw = self.streams.values().map(Stream::end).sum();
    }

    /// Reads what is new in the chunk files of these folders. What is not whole at the end of a recording that grows
    /// is left for the next time.
    pub(crate) fn scan(
        &mut self,
        dirs: &[&Path],
        grows: bool,
        visit: &mut dyn FnMut(ScannedFrame<'_>),
    ) -> Result<()> {
        for dir in dirs {
            self.find_files(dir)?;
        }
        let mut all = 0;
        for file in &mut self.files {
            let cannot = |source| Error::Read { path: file.name.clone().into(), source };
            file.length = file.file.metadata().map_err(cannot)?.len();
            all += file.length;
        }
        let mut done = 0;
        for number in 0..self.files.len() {
            let last = number + 1 == self.files.len();
            let file = &mut self.files[number];
            let (streams, news, raw) = (&mut self.streams, &mut self.news, &mut self.raw);
            let mut scan = Scan {
                file: &file.file,
                name: &file.name,
                length: file.length,
                waits: grows && last,
                damaged: &mut self.damaged,
            };
            let reached = scan.run(file.read, |header, offset, payload| {
                let frame = Frame { place: StoredIn::File { file: number as u32, offset }, header };
                let stream = StreamId(header.stream);
                let start = streams.entry(stream).or_default().found(frame);
                news.insert(stream);
                *raw += u64::from(header.raw);
                let end = offset + HEADER as u64 + payload.len() as u64;
                visit(ScannedFrame { frame, name: &file.name, start, payload, done: done + end, all });
            });
            file.read = reached.map_err(|source| Error::Read { path: file.name.clone().into(), source })?;
            done += file.length;
        }
        Ok(())
    }

    /// Takes chunks in that are in no file yet; those that a file has are left.
    pub(crate) fn offer(&mut self, chunks: Vec<TailChunk>) {
        for chunk in chunks {
            let stream = chunk.stream;
            if self.streams.entry(stream).or_default().offer(chunk) {
                self.news.insert(stream);
            }
        }
    }

    /// Puts what was found among the pieces; says which streams have more than before. At the end, what is still
    /// missing is missing for good.
    pub(crate) fn place(&mut self, at_end: bool) -> BTreeSet<StreamId> {
        let mut news = std::mem::take(&mut self.news);
        if at_end {
            news.extend(self.streams.keys());
        }
        news.retain(|&stream| self.place_stream(stream, at_end));
        news
    }

    /// As `place`, of one stream.
    pub(crate) fn place_stream(&mut self, stream: StreamId, at_end: bool) -> bool {
        let Some(pieces) = self.streams.get_mut(&stream) else { return false };
        let before = pieces.end();
        let (files, damaged) = (&self.files, &mut self.damaged);
        pieces.place(at_end, |frame, what| {
            let name = file_name(files, &frame);
            damaged.push(Damage { file: name, offset: frame.offset(), stream: Some(stream), what });
        });
        pieces.end() > before
    }

    /// What `place` would add to a stream, and where it would start.
    pub(crate) fn ahead(&self, stream: StreamId) -> Vec<(u64, Frame)> {
        self.streams.get(&stream).map(Stream::ahead).unwrap_or_default()
    }

    /// All streams that have at least one piece, in order of their numbers.
    pub fn streams(&self) -> impl Iterator<Item = StreamId> + '_ {
        self.streams.iter().filter(|(_, pieces)| !pieces.pieces().is_empty()).map(|(&stream, _)| stream)
    }

    /// The pieces of a stream in order; empty for a stream without frames.
    pub fn pieces(&self, stream: StreamId) -> &[Piece] {
        self.streams.get(&stream).map_or(&[], Stream::pieces)
    }

    /// Which piece of a stream holds the byte at `offset`, and at which offset that piece starts.
    pub fn piece_at(&self, stream: StreamId, offset: u64) -> Option<(usize, u64)> {
        self.streams.get(&stream)?.piece_at(offset)
    }

    /// Where a stream's piece with this index starts.
    pub fn start_of(&self, stream: StreamId, piece: usize) -> Option<u64> {
        self.streams.get(&stream)?.start_of(piece)
    }

    /// Bytes of a stream, decompressed.
    pub fn length_of(&self, stream: StreamId) -> u64 {
        self.streams.get(&stream).map_or(0, Stream::end)
    }

    /// Does the stream's last frame say that the stream ends there?
    pub fn is_ended(&self, stream: StreamId) -> bool {
        matches!(self.pieces(stream).last(), Some(Piece::Frame(frame)) if frame.header.last)
    }

    /// The decompressed chunks of a frame; `None` if the file changed under us or holds no lz4 block.
    pub fn load(&self, frame: &Frame) -> Option<Vec<u8>> {
        let StoredIn::File { file, offset } = frame.place else {
            return self.streams.get(&StreamId(frame.header.stream))?.live(frame).map(<[u8]>::to_vec);
        };
        let mut payload = vec![0; frame.header.size as usize];
        let file = &self.files.get(file as usize)?.file;
        file.read_exact_at(&mut payload, offset + HEADER as u64).ok()?;
        if self.unchecked {
            let mut header = [0; HEADER];
            file.read_exact_at(&mut header, offset).ok()?;
            if !frame.header.checks(&header, &payload) {
                return None;
            }
        }
        frame.header.unpack(&payload)
    }

    /// The name of the file that a frame is in.
    pub fn file_of(&self, frame: &Frame) -> String {
        file_name(&self.files, frame)
    }

    pub fn damaged(&self) -> &[Damage] {
        &self.damaged
    }

    /// Bytes of all chunk files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.length).sum()
    }

    /// Bytes of all frames, decompressed.
    pub fn raw_bytes(&self) -> u64 {
        self.raw
    }

    /// Opens the chunk files that are new in a folder.
    fn find_files(&mut self, dir: &Path) -> Result<()> {
        for name in chunk_files(dir)? {
            if self.files.iter().any(|known| known.name == name) {
                continue;
            }
            let path = dir.join(&name);
            match File::open(&path) {
                Ok(file) => self.files.push(ChunkFile { file, name, length: 0, read: 0 }),
                // Moved up since it was listed: the next folder has it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(source) => return Err(Error::Read { path, source }),
            }
        }
        Ok(())
    }
}

fn file_name(files: &[ChunkFile], frame: &Frame) -> String {
    match frame.place {
        StoredIn::File { file, .. } => {
            files.get(file as usize).map(|file| file.name.clone()).unwrap_or_default()
        }
        StoredIn::Live => String::new(),
    }
}

/// One chunk file being read from its start to its end.
struct Scan<'a> {
    file: &'a File,
    name: &'a str,
    length: u64,
    /// What is not whole may become so: stop there and look again later.
    waits: bool,
    damaged: &'a mut Vec<Damage>,
}

impl Scan<'_> {
    /// Reads on from `at`; says how far it came.
    fn run(&mut self, mut at: u64, mut found: impl FnMut(Header, u64, &[u8])) -> io::Result<u64> {
        let mut payload = Vec::new();
        // A file made to contain many false headers must not be read again for each of them.
        let mut budget = self.length.saturating_mul(4) + (1 << 20);
        while at < self.length {
            let mut header = [0; HEADER];
            let left = self.length - at;
            if left < HEADER as u64 {
                if self.waits {
                    return Ok(at);
                }
                self.damage(at, None, format!("{left} bytes at the end are no whole frame"));
                break;
            }
            self.file.read_exact_at(&mut header, at)?;
            let what = match Header::decode(&header) {
                None => "no frame starts here".to_owned(),
                Some(one) if u64::from(one.size) > left - HEADER as u64 => {
                    if self.waits {
                        return Ok(at);
                    }
                    self.damage(at, Some(one.stream), format!("frame {} is cut short", one.chunk_number));
                    at = self.next_magic(at + 1)?;
                    continue;
                }
                Some(one) => {
                    budget = budget.saturating_sub(u64::from(one.size));
                    payload.resize(one.size as usize, 0);
                    self.file.read_exact_at(&mut payload, at + HEADER as u64)?;
                    if one.checks(&header, &payload) {
                        found(one, at, &payload);
                        at += HEADER as u64 + u64::from(one.size);
                        continue;
                    }
                    format!("the checksum of frame {} does not fit", one.chunk_number)
                }
            };
            if self.waits {
                return Ok(at);
            }
            let stream = Header::decode(&header).map(|one| one.stream);
            self.damage(at, stream, what);
            if budget == 0 {
                self.damage(at, None, "too many false frames, the rest of the file is not read".to_owned());
                break;
            }
            at = self.next_magic(at + 1)?;
        }
        Ok(self.length)
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

/// Bytes of all chunk files in a folder.
pub fn file_bytes(dir: &Path) -> Result<u64> {
    let mut bytes = 0;
    for name in chunk_files(dir)? {
        let path = dir.join(name);
        bytes += fs::metadata(&path).map_err(|source| Error::Read { path, source })?.len();
    }
    Ok(bytes)
}

/// The names of the chunk files in a folder, in order of their numbers.
pub(crate) fn chunk_files(dir: &Path) -> Result<Vec<String>> {
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
