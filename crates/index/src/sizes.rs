//! The sizes of calls once more, in a column of their own: four bytes per call, so that walking over the children of a
//! call with very many reads little. A stream's sizes lie side by side, from where its first block is on.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::error::{Result, cannot_write};
use crate::file::BLOCK;

pub(crate) const FILE: &str = "call-sizes";
/// Sizes of a stream that are kept before they are written.
const KEPT: usize = 1 << 14;

pub(crate) struct SizeWriter {
    path: PathBuf,
    file: File,
    /// By stream: where the next goes in the file, and those that are not there yet.
    streams: BTreeMap<u32, (u64, Vec<u8>)>,
}

impl SizeWriter {
    pub fn create(dir: &Path) -> Result<SizeWriter> {
        let path = dir.join(FILE);
        // Whoever has the one before mapped keeps it.
        let _ = std::fs::remove_file(&path);
        let file = File::create(&path).map_err(cannot_write(&path))?;
        Ok(SizeWriter { path, file, streams: BTreeMap::new() })
    }

    /// A stream whose blocks come after so many others.
    pub fn begin(&mut self, stream: u32, blocks: u64) {
        self.streams.insert(stream, (blocks * BLOCK * 4, Vec::new()));
    }

    /// The size of the stream's next call.
    pub fn push(&mut self, stream: u32, size: u32) -> Result<()> {
        let Some((at, bytes)) = self.streams.get_mut(&stream) else { return Ok(()) };
        bytes.extend_from_slice(&size.to_le_bytes());
        if bytes.len() >= KEPT * 4 {
            self.file.write_all_at(bytes, *at).map_err(cannot_write(&self.path))?;
            *at += bytes.len() as u64;
            bytes.clear();
        }
        Ok(())
    }

    pub fn finish(self, blocks: u64) -> Result<()> {
        let failed = cannot_write(&self.path);
        for (at, bytes) in self.streams.values() {
            self.file.write_all_at(bytes, *at).map_err(cannot_write(&self.path))?;
        }
        self.file.set_len(blocks * BLOCK * 4).map_err(failed)
    }
}
