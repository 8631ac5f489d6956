//! The frame directory as a file: which frame of which stream lies where. With it a recording is opened without
//! reading its chunk files; it is refused if those are not the ones that it was made from.

use std::fs::{self, File};
use std::path::Path;

use crate::error::{Error, Result};
use crate::frame::Header;
use crate::frame_reader::{ChunkFile, Damage, Frame, FrameReader, Piece, StoredIn, chunk_files};
use crate::ids::StreamId;
use crate::stream::Stream;

const MAGIC: [u8; 8] = *b"INQDIR01";

impl FrameReader {
    /// Writes the directory. Chunks that are in no file are left out.
    pub fn store(&self, path: &Path) -> Result<()> {
        let mut out = Writer(MAGIC.to_vec());
        out.u32(self.files.len() as u32);
        for file in &self.files {
            out.text(&file.name);
            out.u64(file.length);
        }
        out.u64(self.raw);
        out.u32(self.damaged.len() as u32);
        for damage in &self.damaged {
            out.text(&damage.file);
            out.u64(damage.offset);
            out.u64(damage.stream.map_or(u64::MAX, |stream| stream.0.into()));
            out.text(&damage.what);
        }
        out.u32(self.streams().count() as u32);
        for stream in self.streams() {
            let is_stored = |piece: &&Piece| !matches!(piece, Piece::Frame(frame) if frame.is_live());
            out.u32(stream.0);
            out.u64(self.pieces(stream).iter().filter(is_stored).count() as u64);
            for piece in self.pieces(stream).iter().filter(is_stored) {
                out.piece(piece);
            }
        }
        let check = crc32fast::hash(&out.0);
        out.u32(check);
        fs::write(path, &out.0).map_err(|source| Error::Write { path: path.to_owned(), source })
    }

    /// Opens the recording in `dir` with the directory that `store` wrote.
    pub fn load_directory(dir: &Path, path: &Path) -> Result<FrameReader> {
        let bytes = fs::read(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
        let bad = |why: &str| Error::BadTables { path: path.to_owned(), why: why.to_owned() };
        let (content, check) = bytes.split_last_chunk().ok_or_else(|| bad("it is too short"))?;
        if !content.starts_with(&MAGIC) {
            return Err(bad("it is no frame directory of this version"));
        }
        if crc32fast::hash(content) != u32::from_le_bytes(*check) {
            return Err(bad("its checksum does not fit"));
        }
        let mut input = Reader(&content[MAGIC.len()..]);
        let files = input.files().ok_or_else(|| bad("its list of files is cut short"))?;
        let mut reader = FrameReader { files: open_files(dir, path, files)?, ..FrameReader::default() };
        input.content(&mut reader).ok_or_else(|| bad("it is cut short"))?;
        Ok(reader)
    }
}

fn open_files(dir: &Path, path: &Path, expected: Vec<(String, u64)>) -> Result<Vec<ChunkFile>> {
    let stale = |why: String| Error::Stale { path: path.to_owned(), why };
    let names = chunk_files(dir)?;
    if !names.iter().eq(expected.iter().map(|(name, _)| name)) {
        return Err(stale(format!("the recording has {} chunk files, not {}", names.len(), expected.len())));
    }
    let mut files = Vec::with_capacity(names.len());
    for (name, length) in expected {
        let place = dir.join(&name);
        let cannot = |source| Error::Read { path: place.clone(), source };
        let file = File::open(&place).map_err(cannot)?;
        let found = file.metadata().map_err(cannot)?.len();
        if found != length {
            return Err(stale(format!("{name} has {found} bytes, not {length}")));
        }
        files.push(ChunkFile { file, name, length, read: length });
    }
    Ok(files)
}

struct Writer(Vec<u8>);

impl Writer {
    fn u32(&mut self, number: u32) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn u64(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.u32(text.len() as u32);
        self.0.extend_from_slice(text.as_bytes());
    }

    fn piece(&mut self, piece: &Piece) {
        match piece {
            Piece::Frame(Frame { place: StoredIn::File { file, offset }, header }) => {
                self.u32(*file);
                self.u64(*offset);
                self.u32(header.chunk_number);
                self.u32(u32::from(header.chunks));
                self.u32(u32::from(header.codec) << 8 | u32::from(header.last));
                self.u32(header.raw);
                self.u32(header.size);
                self.u32(header.check);
            }
            Piece::Missing { chunks } => {
                self.u32(MISSING);
                self.u32(*chunks);
            }
            Piece::Frame(Frame { place: StoredIn::Live, .. }) => {}
        }
    }
}

/// Stands for a file's number where frames are missing.
const MISSING: u32 = u32::MAX;

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn u32(&mut self) -> Option<u32> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*number))
    }

    fn u64(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn text(&mut self) -> Option<String> {
        let size = self.u32()? as usize;
        let (text, rest) = self.0.split_at_checked(size)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    fn files(&mut self) -> Option<Vec<(String, u64)>> {
        let count = self.u32()?;
        (0..count).map(|_| Some((self.text()?, self.u64()?))).collect()
    }

    fn content(&mut self, reader: &mut FrameReader) -> Option<()> {
        reader.raw = self.u64()?;
        for _ in 0..self.u32()? {
            let (file, offset) = (self.text()?, self.u64()?);
            let stream = u32::try_from(self.u64()?).ok().map(StreamId);
            reader.damaged.push(Damage { file, offset, stream, what: self.text()? });
        }
        for _ in 0..self.u32()? {
            let stream = self.u32()?;
            let mut pieces = Stream::default();
            for _ in 0..self.u64()? {
                let piece = self.piece(stream)?;
                pieces.push(piece);
            }
            reader.streams.insert(StreamId(stream), pieces);
        }
        self.0.is_empty().then_some(())
    }

    fn piece(&mut self, stream: u32) -> Option<Piece> {
        let file = self.u32()?;
        if file == MISSING {
            return Some(Piece::Missing { chunks: self.u32()? });
        }
        let (offset, chunk_number, chunks) = (self.u64()?, self.u32()?, u16::try_from(self.u32()?).ok()?);
        let flags = self.u32()?;
        let header = Header {
            stream,
            chunk_number,
            chunks,
            codec: (flags >> 8) as u8,
            last: flags & 1 == 1,
            raw: self.u32()?,
            size: self.u32()?,
            check: self.u32()?,
        };
        Some(Piece::Frame(Frame { place: StoredIn::File { file, offset }, header }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::FrameWriter;

    /// Two files, a stream with a hole, and damage at the end of a file.
    fn recording(dir: &Path) {
        let mut writer = FrameWriter::with_file_limit(dir, 100).unwrap();
        writer.write(0, 0, 1, false, b"tables").unwrap();
        writer.write(7, 0, 2, false, &[1; 200]).unwrap();
        writer.write(7, 5, 1, true, &[2; 50]).unwrap();
        let last = dir.join("chunks-000.inq");
        let mut bytes = fs::read(&last).unwrap();
        bytes.extend_from_slice(b"half a frame");
        fs::write(last, bytes).unwrap();
    }

    fn describe(reader: &FrameReader) -> String {
        let mut text = format!("{} {} {:?}", reader.bytes(), reader.raw_bytes(), reader.damaged());
        for stream in reader.streams() {
            let pieces = reader.pieces(stream);
            text += &format!("\n{stream:?} {} {pieces:?}", reader.is_ended(stream));
            for offset in 0..=reader.length_of(stream) {
                text += &format!(" {:?}", reader.piece_at(stream, offset));
            }
            for piece in pieces {
                let Piece::Frame(frame) = piece else { continue };
                text += &format!(" {:?}", reader.load(frame));
            }
        }
        text
    }

    #[test]
    fn a_stored_directory_says_what_reading_the_files_said() {
        let dir = tempfile::tempdir().unwrap();
        recording(dir.path());
        let path = dir.path().join("frames");
        let read = FrameReader::open(dir.path()).unwrap();
        assert_eq!(read.damaged().len(), 2);
        read.store(&path).unwrap();
        let loaded = FrameReader::load_directory(dir.path(), &path).unwrap();
        assert_eq!(describe(&loaded), describe(&read));
        let offset = |at| read.piece_at(StreamId(7), at);
        assert_eq!((offset(199), offset(200), offset(250)), (Some((0, 0)), Some((2, 200)), None));
    }

    #[test]
    fn a_directory_of_other_files_is_stale_and_a_damaged_one_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        recording(dir.path());
        let path = dir.path().join("frames");
        FrameReader::open(dir.path()).unwrap().store(&path).unwrap();
        let good = fs::read(&path).unwrap();
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1;
            fs::write(&path, &bad).unwrap();
            assert!(matches!(FrameReader::load_directory(dir.path(), &path), Err(Error::BadTables { .. })));
            fs::write(&path, &good[..at]).unwrap();
            assert!(matches!(FrameReader::load_directory(dir.path(), &path), Err(Error::BadTables { .. })));
        }
        fs::write(&path, &good).unwrap();
        let extra = dir.path().join("chunks-002.inq");
        fs::write(&extra, b"").unwrap();
        assert!(matches!(FrameReader::load_directory(dir.path(), &path), Err(Error::Stale { .. })));
        fs::remove_file(&extra).unwrap();
        assert!(FrameReader::load_directory(dir.path(), &path).is_ok());
        let first = dir.path().join("chunks-000.inq");
        fs::OpenOptions::new().write(true).open(first).unwrap().set_len(10).unwrap();
        assert!(matches!(FrameReader::load_directory(dir.path(), &path), Err(Error::Stale { .. })));
    }
}
