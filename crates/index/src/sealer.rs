//! Sorts and writes full segments on a thread of its own, while replay goes on filling the next. At most two buffers are
//! under way.

use std::mem;
use std::path::Path;

use crate::background::{Background, Work};
use crate::error::Result;
use crate::file::{Appender, RowWriter};
use crate::posting::Stored;
use crate::segment::{self, SegmentRow};

/// Postings per segment, about: more, and the edges of a long call take longer to look through; fewer, and there are
/// more segments to ask.
pub(crate) const FULL: usize = 1 << 18;

pub(crate) struct Sealer(Background<Unsealed>);

struct Unsealed {
    stream: u32,
    postings: Vec<Stored>,
}

struct SegmentFiles {
    postings: Appender,
    list: RowWriter<SegmentRow>,
    bytes: Vec<u8>,
}

impl Work<Unsealed> for SegmentFiles {
    fn work(&mut self, job: &mut Unsealed) -> Result<()> {
        self.bytes.clear();
        let row = segment::seal(&job.postings, job.stream, self.postings.length(), &mut self.bytes);
        self.postings.append(&self.bytes)?;
        self.list.push(&row)?;
        job.postings.clear();
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.postings.flush()?;
        self.list.flush()
    }
}

impl Sealer {
    pub fn create(dir: &Path) -> Result<Sealer> {
        let files = SegmentFiles {
            postings: Appender::create(dir.join("postings"))?,
            list: RowWriter::create(dir.join("segments"))?,
            bytes: Vec::new(),
        };
        Ok(Sealer(Background::start("index-sort", dir, 1, files)?))
    }

    /// Takes the postings away and leaves an empty buffer.
    pub fn seal(&mut self, stream: u32, postings: &mut Vec<Stored>) -> Result<()> {
        if postings.is_empty() {
            return Ok(());
        }
        let empty = self.0.done().map(|job| job.postings).unwrap_or_default();
        self.0.send(Unsealed { stream, postings: mem::replace(postings, empty) })
    }

    /// Waits until everything is in the files.
    pub fn flush(&mut self) -> Result<()> {
        self.0.flush()
    }
}
