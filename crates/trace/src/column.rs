//! A column of mapped memory that grows: anonymous, or a file. It is zero where nothing was written, and only the
//! blocks that were written to take memory or disk, so a wild id costs one block and not the hole before it. This is
//! the crate's one file with `unsafe`.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use memmap2::{MmapMut, MmapOptions, RemapOptions, UncheckedAdvice};

use crate::error::{Error, Result};

/// Disk is reserved in steps of this many bytes.
pub(crate) const BLOCK: usize = 256 << 10;

/// Bytes by offset.
#[derive(Default)]
pub(crate) struct Column {
    /// None while there is nothing. One type for all kinds of memory: reading is on the replay's hot path.
    map: Option<MmapMut>,
    behind: Behind,
    /// Bytes up to the end of the last one written.
    used: usize,
    /// One bit per block: was something written to it?
    touched: Vec<u64>,
    /// Set once there was no room: what comes after is not kept.
    full: Option<Error>,
}

/// What the memory belongs to.
#[derive(Default)]
enum Behind {
    #[default]
    Nothing,
    File {
        file: File,
        path: PathBuf,
    },
    /// A file that is only read.
    Sealed,
}

impl Column {
    /// A new file, in place of one that may be there.
    pub fn create(path: &Path) -> Result<Column> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path);
        let file = file.map_err(|source| Error::Write { path: path.to_owned(), source })?;
        Ok(Column { behind: Behind::File { file, path: path.to_owned() }, ..Column::default() })
    }

    /// A file that `seal` left, which must have `length` bytes.
    pub fn open(path: &Path, length: u64) -> Result<Column> {
        let cannot = |source| Error::Read { path: path.to_owned(), source };
        let file = File::open(path).map_err(cannot)?;
        let found = file.metadata().map_err(cannot)?.len();
        let used = usize::try_from(length).ok().filter(|_| found == length);
        let used = used.ok_or_else(|| Error::BadTables {
            path: path.to_owned(),
            why: format!("it has {found} bytes, not {length}"),
        })?;
        if used == 0 {
            return Ok(Column { behind: Behind::Sealed, ..Column::default() });
        }
        // SAFETY: the file is part of an index that nobody writes once it is sealed, and the mapping is private: we
        // write neither. Every value read from it is checked as if it came from a file.
        let map = unsafe { MmapOptions::new().no_reserve_swap().map_copy(&file) }.map_err(cannot)?;
        Ok(Column { map: Some(map), behind: Behind::Sealed, used, ..Column::default() })
    }

    /// Lets go of the pages of a file; they come back when they are asked for again. Memory without a file stays.
    pub fn release(&self) {
        if let (Some(map), Behind::Sealed | Behind::File { .. }) = (&self.map, &self.behind) {
            // SAFETY: nothing was written to a sealed column's memory, and what was written to a file's goes to the file, as
            // that mapping is shared: so what is dropped is read again as it was.
            let _ = unsafe { map.unchecked_advise(UncheckedAdvice::DontNeed) };
        }
    }

    /// Everything that is mapped: at least what was written, zeros behind it.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        self.map.as_deref().unwrap_or_default()
    }

    /// Bytes up to the end of the last one written.
    pub fn used(&self) -> usize {
        self.used
    }

    /// The eight bytes at an offset as a number; 0 where nothing was written.
    #[inline]
    pub fn word(&self, at: usize) -> u64 {
        match self.bytes().get(at..).and_then(|bytes| bytes.first_chunk()) {
            Some(&bytes) => u64::from_le_bytes(bytes),
            None => 0,
        }
    }

    /// Writes bytes. False if there is no room for them: then `seal` will say why.
    pub fn write(&mut self, at: usize, bytes: &[u8]) -> bool {
        let Some(end) = at.checked_add(bytes.len()) else { return false };
        if !self.make_room(at, end) {
            return false;
        }
        let Some(room) = self.map.as_mut().and_then(|map| map.get_mut(at..end)) else { return false };
        room.copy_from_slice(bytes);
        self.used = self.used.max(end);
        true
    }

    /// The blocks that were written to, ascending.
    pub fn blocks(&self) -> impl Iterator<Item = u32> + '_ {
        let bits = |(at, &word): (usize, &u64)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at as u32 * 64 + bit)
        };
        self.touched.iter().enumerate().flat_map(bits)
    }

    /// Cuts a file down to what was written; from now on it is only read. Says if something did not fit.
    pub fn seal(&mut self) -> Result<()> {
        if let Some(error) = self.full.take() {
            return Err(error);
        }
        let Behind::File { file, path } = &self.behind else { return Ok(()) };
        self.map = None;
        file.set_len(self.used as u64).map_err(|source| Error::Write { path: path.clone(), source })?;
        let (path, used, touched) = (path.clone(), self.used, std::mem::take(&mut self.touched));
        *self = Column::open(&path, used as u64)?;
        self.touched = touched;
        Ok(())
    }

    #[inline]
    fn make_room(&mut self, from: usize, end: usize) -> bool {
        let last = end.saturating_sub(1) / BLOCK;
        (from / BLOCK..=last).all(|block| {
            self.touched.get(block / 64).is_some_and(|word| word >> (block % 64) & 1 == 1)
                || self.touch(block)
        })
    }

    #[cold]
    fn touch(&mut self, block: usize) -> bool {
        if self.full.is_some() {
            return false;
        }
        if let Err(error) = self.reserve(block) {
            self.full = Some(error);
            return false;
        }
        if self.touched.len() <= block / 64 {
            self.touched.resize(block / 64 + 1, 0);
        }
        self.touched[block / 64] |= 1 << (block % 64);
        true
    }

    fn reserve(&mut self, block: usize) -> Result<()> {
        let (length, needed) = (self.bytes().len(), (block + 1) * BLOCK);
        match &self.behind {
            Behind::Nothing => {
                let grown = if needed > length { needed.max(length * 2) } else { length };
                match &mut self.map {
                    Some(map) => remap(map, grown).map_err(no_memory)?,
                    none => {
                        let map = MmapOptions::new().len(grown).no_reserve_swap().map_anon();
                        *none = Some(map.map_err(no_memory)?);
                    }
                }
            }
            Behind::File { file, path } => {
                let cannot = |source| Error::Write { path: path.clone(), source };
                // Running out of disk must be an error here, not a signal when a page is written; where a file lies in memory (tmpfs)
                // not when it is read either, so nothing is mapped that there is no room for.
                allocate(file, block * BLOCK).map_err(cannot)?;
                if needed > length {
                    file.set_len(needed as u64).map_err(cannot)?;
                }
                match &mut self.map {
                    Some(map) => remap(map, needed).map_err(cannot)?,
                    none => {
                        // SAFETY: the file was made by us for this index; nobody else writes it, and what is read
                        // from the mapping is only ever taken as bytes.
                        *none = Some(unsafe { MmapOptions::new().map_mut(file) }.map_err(cannot)?);
                    }
                }
            }
            Behind::Sealed => return Err(no_memory(io::ErrorKind::PermissionDenied.into())),
        }
        Ok(())
    }
}

fn remap(map: &mut MmapMut, length: usize) -> io::Result<()> {
    if map.len() >= length {
        return Ok(());
    }
    // SAFETY: we hold the mapping exclusively, so no address into it is alive; a file behind it was made as long
    // as this before.
    unsafe { map.remap(length, RemapOptions::new().may_move(true)) }
}

fn allocate(file: &File, at: usize) -> io::Result<()> {
    // SAFETY: plain system call on an open descriptor.
    let result = unsafe { libc::fallocate(file.as_raw_fd(), 0, at as libc::off_t, BLOCK as libc::off_t) };
    match io::Error::last_os_error() {
        _ if result == 0 => Ok(()),
        // A file system that cannot reserve: nothing is lost but the warning.
        error if error.raw_os_error() == Some(libc::EOPNOTSUPP) => Ok(()),
        error => Err(error),
    }
}

fn no_memory(source: io::Error) -> Error {
    Error::Memory { source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_wild_offset_takes_one_block_of_disk_and_reads_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("column");
        let mut column = Column::create(&path).unwrap();
        let far = (1usize << 31) * 8;
        assert!(column.write(8, &1u64.to_le_bytes()));
        assert!(column.write(far, &7u64.to_le_bytes()));
        assert_eq!((column.word(8), column.word(far), column.word(far - 8)), (1, 7, 0));
        assert_eq!(column.blocks().collect::<Vec<_>>(), [0, (far / BLOCK) as u32]);
        column.seal().unwrap();
        let metadata = std::fs::metadata(&path).unwrap();
        assert_eq!(metadata.len(), far as u64 + 8);
        assert!(metadata.blocks() * 512 <= 4 * BLOCK as u64, "{} blocks", metadata.blocks());
        let again = Column::open(&path, far as u64 + 8).unwrap();
        assert_eq!(
            (again.word(8), again.word(far), again.word(far + 1), again.word(usize::MAX)),
            (1, 7, 0, 0)
        );
        assert!(Column::open(&path, far as u64 + 7).is_err());
    }

    #[test]
    fn what_was_written_is_there_after_the_memory_was_let_go() {
        let dir = tempfile::tempdir().unwrap();
        let mut column = Column::create(&dir.path().join("column")).unwrap();
        assert!(column.write(8, &7u64.to_le_bytes()));
        column.release();
        assert!(column.write(16, &8u64.to_le_bytes()));
        column.release();
        assert_eq!((column.word(8), column.word(16)), (7, 8));
        let mut memory = Column::default();
        assert!(memory.write(8, &7u64.to_le_bytes()));
        memory.release();
        assert_eq!(memory.word(8), 7);
    }

    #[test]
    fn anonymous_memory_grows_and_keeps_what_is_in_it() {
        let mut column = Column::default();
        assert_eq!((column.word(0), column.used()), (0, 0));
        for at in 0..5 * BLOCK / 8 {
            assert!(column.write(at * 8, &(at as u64).to_le_bytes()));
        }
        assert!((0..5 * BLOCK / 8).all(|at| column.word(at * 8) == at as u64));
        assert!(!column.write(usize::MAX - 2, &[1; 8]));
    }
}
