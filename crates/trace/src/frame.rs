//! Frames: the compressed, checksummed pieces of streams in the `chunks-NNN.inq` files, and their writer.
//! A frame is written with one call and taken back if that fails, so a file never ends in half a frame
//! unless the machine itself went down.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

pub const MAGIC: [u8; 4] = *b"IQF1";
/// Bytes of a frame before its payload.
pub const HEADER: usize = 28;
/// A chunk file that has reached this size is not continued.
pub const FILE_LIMIT: u64 = 1 << 30;

const STORED: u8 = 0;
const LZ4: u8 = 1;

/// A frame's header, without magic and checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub stream: u32,
    /// Number of the first chunk in the frame, per stream.
    pub chunk_number: u32,
    /// How many chunks the frame holds.
    pub chunks: u16,
    pub codec: u8,
    /// The stream ends here, as far as the writer knew.
    pub last: bool,
    /// Bytes after decompression.
    pub raw: u32,
    /// Bytes of payload.
    pub size: u32,
    pub check: u32,
}

impl Header {
    /// Reads a header; `None` if `bytes` do not start with one.
    pub fn decode(bytes: &[u8]) -> Option<Header> {
        let bytes: &[u8; HEADER] = bytes.get(..HEADER)?.try_into().ok()?;
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let header = Header {
            stream: word(4),
            chunk_number: word(8),
            chunks: u16::from_le_bytes([bytes[12], bytes[13]]),
            codec: bytes[14],
            last: bytes[15] == 1,
            raw: word(16),
            size: word(20),
            check: word(24),
        };
        let sound = bytes[..4] == MAGIC
            && header.chunks > 0
            && header.codec <= LZ4
            && bytes[15] <= 1
            && u64::from(header.raw) <= largest_raw(header.codec, header.size);
        sound.then_some(header)
    }

    /// Does the checksum fit header and payload?
    pub fn checks(&self, header: &[u8], payload: &[u8]) -> bool {
        header.len() >= HEADER && checksum(&header[..HEADER - 4], payload) == self.check
    }

    /// The frame's chunks, decompressed; `None` if the payload is not what the header says.
    pub fn unpack(&self, payload: &[u8]) -> Option<Vec<u8>> {
        if payload.len() != self.size as usize || u64::from(self.raw) > largest_raw(self.codec, self.size) {
            return None;
        }
        let raw = self.raw as usize;
        match self.codec {
            STORED => (payload.len() == raw).then(|| payload.to_vec()),
            LZ4 => lz4_flex::block::decompress(payload, raw).ok().filter(|bytes| bytes.len() == raw),
            _ => None,
        }
    }

    /// Puts a frame like this one, but with these chunks, at the start of `packed`, and says how long it is. It is
    /// compressed if that is wanted and makes it smaller; `codec`, `raw`, `size` and `check` follow from that.
    pub fn frame(&self, raw: &[u8], compresses: bool, packed: &mut Vec<u8>) -> usize {
        packed.resize(HEADER + lz4_flex::block::get_maximum_output_size(raw.len()), 0);
        let compressed =
            compresses.then(|| lz4_flex::block::compress_into(raw, &mut packed[HEADER..]).ok()).flatten();
        let (codec, size) = match compressed {
            Some(size) if size < raw.len() => (LZ4, size),
            _ => {
                packed[HEADER..HEADER + raw.len()].copy_from_slice(raw);
                (STORED, raw.len())
            }
        };
        let end = HEADER + size;
        let header = Header { codec, raw: raw.len() as u32, size: size as u32, ..*self };
        let header = header.encode(&packed[HEADER..end]);
        packed[..HEADER].copy_from_slice(&header);
        end
    }

    fn encode(&self, payload: &[u8]) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..8].copy_from_slice(&self.stream.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.chunk_number.to_le_bytes());
        bytes[12..14].copy_from_slice(&self.chunks.to_le_bytes());
        bytes[14] = self.codec;
        bytes[15] = u8::from(self.last);
        bytes[16..20].copy_from_slice(&self.raw.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.size.to_le_bytes());
        let check = checksum(&bytes[..24], payload);
        bytes[24..].copy_from_slice(&check.to_le_bytes());
        bytes
    }
}

/// Appends frames to the chunk files of one recording.
pub struct FrameWriter {
    dir: PathBuf,
    file: File,
    number: u32,
    /// Length of the current file up to its last whole frame.
    length: u64,
    written: u64,
    limit: u64,
    packed: Vec<u8>,
    /// Frames are compressed, if that makes them smaller.
    pub compresses: bool,
}

impl FrameWriter {
    /// Creates the first chunk file in `dir`, which must exist and hold none.
    pub fn create(dir: &Path) -> io::Result<FrameWriter> {
        FrameWriter::with_file_limit(dir, FILE_LIMIT)
    }

    /// As `create`, with another size from which on a file is not continued.
    pub fn with_file_limit(dir: &Path, limit: u64) -> io::Result<FrameWriter> {
        let file = new_file(dir, 0)?;
        Ok(FrameWriter {
            dir: dir.to_owned(),
            file,
            number: 0,
            length: 0,
            written: 0,
            limit,
            packed: Vec::new(),
            compresses: true,
        })
    }

    /// Writes one frame: `chunks` chunks of `stream`, the first of which has number `chunk_number`. After an error the
    /// file ends with the last whole frame, and the same frame may be written again.
    pub fn write(
        &mut self,
        stream: u32,
        chunk_number: u32,
        chunks: u16,
        last: bool,
        raw: &[u8],
    ) -> io::Result<()> {
        let raw_size = u32::try_from(raw.len())
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a frame holds at most 4 GiB"))?;
        if self.length >= self.limit {
            self.file = new_file(&self.dir, self.number + 1)?;
            self.number += 1;
            self.length = 0;
        }
        // One buffer for header and payload: the frame goes out in one write.
        let header =
            Header { stream, chunk_number, chunks, codec: STORED, last, raw: raw_size, size: 0, check: 0 };
        let end = header.frame(raw, self.compresses, &mut self.packed);
        if let Err(error) = self.file.write_all(&self.packed[..end]) {
            // A tail that cannot be taken back is a damaged frame to the reader, not a loss of what is before.
            let _ = self.file.set_len(self.length);
            let _ = self.file.seek(SeekFrom::Start(self.length));
            return Err(error);
        }
        self.length += end as u64;
        self.written += end as u64;
        Ok(())
    }

    /// Makes sure that what was written survives a crash of the machine.
    pub fn flush(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// Bytes in all chunk files so far.
    pub fn bytes_written(&self) -> u64 {
        self.written
    }
}

/// The name of the chunk file with this number.
pub fn file_name(number: u32) -> String {
    format!("chunks-{number:03}.inq")
}

fn new_file(dir: &Path, number: u32) -> io::Result<File> {
    File::options().write(true).create_new(true).open(dir.join(file_name(number)))
}

fn checksum(header: &[u8], payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(header);
    hasher.update(payload);
    hasher.finalize()
}

/// An lz4 block cannot grow by more than 255 times, so a header cannot ask for more memory than that.
fn largest_raw(codec: u8, size: u32) -> u64 {
    match codec {
        STORED => u64::from(size),
        _ => u64::from(size) * 255 + 64,
    }
}
