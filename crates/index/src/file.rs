//! The two shapes of index files: rows of one size, and bytes that rows point into. Written through a buffer,
//! read through a mapping, so that what the operating system keeps of them is its own business and never counts
//! against the memory setting. Readers decode from bytes: a damaged file gives wrong rows or none, never a crash.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::marker::PhantomData;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use memmap2::{Advice, Mmap, UncheckedAdvice};

use crate::error::{Result, cannot_read, cannot_write};

/// Something of a fixed size in a file.
pub(crate) trait FixedRow: Sized {
    const SIZE: usize;
    fn encode(&self, out: &mut Vec<u8>);
    /// From exactly `SIZE` bytes.
    fn decode(bytes: &[u8]) -> Self;
}

/// Appends to a file.
pub(crate) struct Appender {
    path: PathBuf,
    file: BufWriter<File>,
    length: u64,
}

impl Appender {
    /// A file of that name that is there already goes, but whoever has it mapped keeps it.
    pub fn create(path: PathBuf) -> Result<Appender> {
        let _ = std::fs::remove_file(&path);
        let file = File::options()
            .create(true)
            .truncate(true)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(cannot_write(&path))?;
        Ok(Appender { path, file: BufWriter::with_capacity(1 << 18, file), length: 0 })
    }

    /// How long the file is, what is still in the buffer included.
    pub fn length(&self) -> u64 {
        self.length
    }

    pub fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.length += bytes.len() as u64;
        self.file.write_all(bytes).map_err(cannot_write(&self.path))
    }

    pub fn flush(&mut self) -> Result<()> {
        self.file.flush().map_err(cannot_write(&self.path))
    }
}

/// Writes rows that are complete when they come.
pub(crate) struct RowWriter<T> {
    out: Appender,
    scratch: Vec<u8>,
    rows: PhantomData<T>,
}

impl<T: FixedRow> RowWriter<T> {
    pub fn create(path: PathBuf) -> Result<RowWriter<T>> {
        Ok(RowWriter { out: Appender::create(path)?, scratch: Vec::new(), rows: PhantomData })
    }

    pub fn push(&mut self, row: &T) -> Result<()> {
        self.scratch.clear();
        row.encode(&mut self.scratch);
        self.out.append(&self.scratch)
    }

    pub fn flush(&mut self) -> Result<()> {
        self.out.flush()
    }
}

/// Writes a whole file of rows at once.
pub(crate) fn write_rows<T: FixedRow>(path: PathBuf, rows: impl IntoIterator<Item = T>) -> Result<()> {
    let mut writer = RowWriter::create(path)?;
    for row in rows {
        writer.push(&row)?;
    }
    writer.flush()
}

/// A mapped file.
pub(crate) struct Bytes {
    map: Option<Mmap>,
}

impl Bytes {
    pub fn open(path: &Path) -> Result<Bytes> {
        let file = File::open(path).map_err(cannot_read(path))?;
        let length = file.metadata().map_err(cannot_read(path))?.len();
        if length == 0 {
            return Ok(Bytes { map: None });
        }
        // SAFETY: index files are written once, under another folder name, and only read afterwards. If somebody
        // truncates one nevertheless, the process gets SIGBUS: there is no portable way to be safe from that.
        let map = unsafe { Mmap::map(&file) }.map_err(cannot_read(path))?;
        // Questions jump about: reading ahead would only fill memory.
        let _ = map.advise(Advice::Random);
        Ok(Bytes { map: Some(map) })
    }

    pub fn get(&self) -> &[u8] {
        self.map.as_deref().unwrap_or(&[])
    }

    /// Asks for a stretch to be read while something else is done.
    pub fn read_ahead(&self, from: usize, length: usize) {
        if let Some(map) = &self.map
            && let Some(left) = map.len().checked_sub(from)
        {
            let _ = map.advise_range(Advice::WillNeed, from, length.min(left));
        }
    }

    /// Lets go of the pages that were read; they come back from the file when they are asked for again.
    pub fn release(&self) {
        if let Some(map) = &self.map {
            // SAFETY: the mapping is of a file and is only read, so what is dropped is read again as it was.
            let _ = unsafe { map.unchecked_advise(UncheckedAdvice::DontNeed) };
        }
    }
}

/// A mapped file of rows.
pub(crate) struct RowFile<T> {
    bytes: Bytes,
    rows: PhantomData<T>,
}

impl<T: FixedRow> RowFile<T> {
    pub fn open(path: &Path) -> Result<RowFile<T>> {
        Ok(RowFile { bytes: Bytes::open(path)?, rows: PhantomData })
    }

    pub fn release(&self) {
        self.bytes.release();
    }

    pub fn len(&self) -> usize {
        self.bytes.get().len() / T::SIZE
    }

    pub fn get(&self, at: usize) -> Option<T> {
        let start = at.checked_mul(T::SIZE)?;
        self.bytes.get().get(start..start.checked_add(T::SIZE)?).map(T::decode)
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = T> + '_ {
        self.bytes.get().chunks_exact(T::SIZE).map(T::decode)
    }

    /// The number of leading rows for which `before` holds; the rows must be sorted accordingly.
    pub fn partition_point(&self, from: usize, to: usize, before: impl Fn(&T) -> bool) -> usize {
        let (mut low, mut high) = (from, to.min(self.len()));
        while low < high {
            let middle = low + (high - low) / 2;
            match self.get(middle) {
                Some(row) if before(&row) => low = middle + 1,
                _ => high = middle,
            }
        }
        low
    }
}

/// Rows of many streams in one file: a stream owns blocks of `BLOCK` rows, in the order in which it filled them.
/// Rows may be changed later; only those of open calls are, so nearly all changes hit the newest block in memory.
pub(crate) struct Striped<T> {
    path: PathBuf,
    file: File,
    /// Blocks handed out so far.
    blocks: u32,
    scratch: Vec<u8>,
    rows: PhantomData<T>,
}

/// What one stream has in a striped file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stripe {
    /// The blocks that the stream owns, in order.
    pub blocks: Vec<u32>,
    pub rows: u64,
    /// Encoded rows of the newest blocks that are not in the file yet.
    tail: Vec<u8>,
    /// The row that `tail` begins with; at a block's border.
    tail_from: u64,
}

/// Rows per block.
pub(crate) const BLOCK: u64 = 64;
/// Blocks of a stream that are kept in memory before they are written.
const KEPT: u64 = 32;

impl<T: FixedRow> Striped<T> {
    pub fn create(path: PathBuf) -> Result<Striped<T>> {
        let file = File::options()
            .create(true)
            .truncate(true)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(cannot_write(&path))?;
        Ok(Striped { path, file, blocks: 0, scratch: Vec::new(), rows: PhantomData })
    }

    pub fn push(&mut self, stripe: &mut Stripe, row: &T) -> Result<()> {
        self.reserve(stripe)?;
        stripe.tail.truncate(stripe.tail.len() - T::SIZE);
        row.encode(&mut stripe.tail);
        Ok(())
    }

    /// A new row without content.
    pub fn reserve(&mut self, stripe: &mut Stripe) -> Result<()> {
        if stripe.rows.is_multiple_of(BLOCK) {
            stripe.blocks.push(self.blocks);
            self.blocks += 1;
            if stripe.rows - stripe.tail_from >= KEPT * BLOCK {
                self.write_tail(stripe)?;
                stripe.tail.clear();
                stripe.tail_from = stripe.rows;
            }
        }
        stripe.tail.resize(stripe.tail.len() + T::SIZE, 0);
        stripe.rows += 1;
        Ok(())
    }

    pub fn set(&mut self, stripe: &mut Stripe, at: u64, row: &T) -> Result<()> {
        self.scratch.clear();
        row.encode(&mut self.scratch);
        if at >= stripe.tail_from {
            let start = (at - stripe.tail_from) as usize * T::SIZE;
            stripe.tail[start..start + T::SIZE].copy_from_slice(&self.scratch);
            return Ok(());
        }
        self.file.write_all_at(&self.scratch, self.place(stripe, at)).map_err(cannot_write(&self.path))
    }

    /// A row as it is now.
    pub fn get(&self, stripe: &Stripe, at: u64) -> Option<T> {
        if at >= stripe.rows {
            return None;
        }
        if let Some(within) = at.checked_sub(stripe.tail_from) {
            let start = within as usize * T::SIZE;
            return stripe.tail.get(start..start + T::SIZE).map(T::decode);
        }
        let mut row = vec![0; T::SIZE];
        self.file.read_exact_at(&mut row, self.place(stripe, at)).ok()?;
        Some(T::decode(&row))
    }

    /// Writes what is still in memory. The stripe can be gone on with.
    pub fn flush(&mut self, stripe: &Stripe) -> Result<()> {
        self.write_tail(stripe)
    }

    /// Writes what is still in memory, and keeps none of it: no row follows.
    pub fn close(&mut self, stripe: &mut Stripe) -> Result<()> {
        self.write_tail(stripe)?;
        (stripe.tail, stripe.tail_from) = (Vec::new(), stripe.rows);
        Ok(())
    }

    fn write_tail(&mut self, stripe: &Stripe) -> Result<()> {
        let first = (stripe.tail_from / BLOCK) as usize;
        for (at, block) in stripe.tail.chunks(BLOCK as usize * T::SIZE).enumerate() {
            let Some(&number) = stripe.blocks.get(first + at) else { break };
            let place = u64::from(number) * BLOCK * T::SIZE as u64;
            self.file.write_all_at(block, place).map_err(cannot_write(&self.path))?;
        }
        Ok(())
    }

    fn place(&self, stripe: &Stripe, at: u64) -> u64 {
        let block = stripe.blocks.get((at / BLOCK) as usize).copied().unwrap_or(0);
        (u64::from(block) * BLOCK + at % BLOCK) * T::SIZE as u64
    }
}

impl FixedRow for u64 {
    const SIZE: usize = 8;

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        u64_at(bytes, 0)
    }
}

impl FixedRow for u32 {
    const SIZE: usize = 4;

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        u32_at(bytes, 0)
    }
}

pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    uint_at(bytes, at, 2) as u16
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    uint_at(bytes, at, 4) as u32
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    uint_at(bytes, at, 8)
}

/// A little-endian number of `size` bytes; bytes that are not there count as zero.
#[inline]
pub(crate) fn uint_at(bytes: &[u8], at: usize, size: usize) -> u64 {
    let mut word = [0; 8];
    if let Some(found) = bytes.get(at..at + size) {
        word[..size].copy_from_slice(found);
    }
    u64::from_le_bytes(word)
}
