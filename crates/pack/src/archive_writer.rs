//! Writes a zip archive, entry by entry, without ever going back: so nothing needs to be in memory or in a temporary
//! file, and what is interrupted is a file without a directory at its end, which nobody takes for a whole one.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress_to_output, create_comp_flags_from_zip_params,
};
use rawzip::{CompressionMethod, ZipArchiveWriter};

use crate::error::{Error, Result};

/// Higher levels take twice as long for some percent.
const LEVEL: i32 = 6;

/// A file that gets its name when it is whole.
pub struct ArchiveWriter {
    path: PathBuf,
    temporary: PathBuf,
    zip: Option<ZipArchiveWriter<BufWriter<File>>>,
}

impl ArchiveWriter {
    pub fn create(path: &Path) -> Result<ArchiveWriter> {
        if path.exists() {
            return Err(Error::Exists { path: path.to_owned() });
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let temporary = path.with_file_name(format!(".{name}.{}", std::process::id()));
        remove_leftovers(path, &format!(".{name}."));
        let file =
            File::create(&temporary).map_err(|source| Error::Write { path: path.to_owned(), source })?;
        let zip = Some(ZipArchiveWriter::new(BufWriter::new(file)));
        Ok(ArchiveWriter { path: path.to_owned(), temporary, zip })
    }

    /// An entry of this name with what `fill` writes.
    pub fn entry(&mut self, name: &str, fill: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        let path = self.path.clone();
        let cannot = |source| Error::Write { path: path.clone(), source };
        let zip = self.zip.as_mut().ok_or_else(|| cannot(io::ErrorKind::Other.into()))?;
        let entry = zip.new_file(name).compression_method(CompressionMethod::DEFLATE).start();
        let (mut entry, config) = entry.map_err(|error| cannot(io::Error::other(error)))?;
        let mut writer = config.wrap(Deflating::new(&mut entry));
        fill(&mut writer)?;
        let (mut deflating, descriptor) = writer.finish().map_err(|error| cannot(io::Error::other(error)))?;
        deflating.put(&[], TDEFLFlush::Finish).map_err(cannot)?;
        entry.finish(descriptor).map_err(|error| cannot(io::Error::other(error)))?;
        Ok(())
    }

    /// Completes the file and gives it its name; says how long it is.
    pub fn finish(mut self) -> Result<u64> {
        let cannot = |source| Error::Write { path: self.path.clone(), source };
        let Some(zip) = self.zip.take() else { return Ok(0) };
        let buffered = zip.finish().map_err(|error| cannot(io::Error::other(error)))?;
        let file = buffered.into_inner().map_err(|error| cannot(error.into_error()))?;
        file.sync_all().map_err(cannot)?;
        let bytes = file.metadata().map_err(cannot)?.len();
        // Unlike a rename, this never takes the place of a file that somebody else has made meanwhile.
        match fs::hard_link(&self.temporary, &self.path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(Error::Exists { path: self.path.clone() });
            }
            Err(_) => fs::rename(&self.temporary, &self.path).map_err(cannot)?,
        }
        Ok(bytes)
    }
}

impl Drop for ArchiveWriter {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Unfinished files of this name whose processes are no more.
fn remove_leftovers(path: &Path, start: &str) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(start)?.parse::<u32>().ok());
        if process.is_some_and(|process| !Path::new("/proc").join(process.to_string()).exists()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Compresses what is written to it.
struct Deflating<W> {
    out: W,
    compressor: Box<CompressorOxide>,
}

impl<W: Write> Deflating<W> {
    fn new(out: W) -> Deflating<W> {
        // Zip has the bare stream, without a header of its own.
        let flags = create_comp_flags_from_zip_params(LEVEL, -15, 0);
        Deflating { out, compressor: Box::new(CompressorOxide::new(flags)) }
    }

    fn put(&mut self, mut bytes: &[u8], flush: TDEFLFlush) -> io::Result<()> {
        loop {
            let mut failed = None;
            let (status, taken) = compress_to_output(&mut self.compressor, bytes, flush, |packed| {
                failed = self.out.write_all(packed).err();
                failed.is_none()
            });
            if let Some(error) = failed {
                return Err(error);
            }
            bytes = bytes.get(taken..).unwrap_or_default();
            match status {
                TDEFLStatus::Done => return Ok(()),
                TDEFLStatus::Okay if bytes.is_empty() && flush == TDEFLFlush::None => return Ok(()),
                TDEFLStatus::Okay => {}
                _ => return Err(io::Error::other("what is to be compressed was refused")),
            }
        }
    }
}

impl<W: Write> Write for Deflating<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.put(bytes, TDEFLFlush::None)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
