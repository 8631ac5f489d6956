//! The last look: everything that goes into the packed file passes here, and what is secret must not be in it. So the
//! promise does not hang on the care with which each part was rewritten.

use std::io::{self, Write};

use super::needles::Needles;

pub struct Scanning<'n, 'w> {
    needles: &'n Needles,
    out: &'w mut dyn Write,
    /// The end of what went by: a secret may lie across two pieces.
    tail: Vec<u8>,
    pub found: bool,
}

impl<'n, 'w> Scanning<'n, 'w> {
    pub fn new(needles: &'n Needles, out: &'w mut dyn Write) -> Scanning<'n, 'w> {
        Scanning { needles, out, tail: Vec::new(), found: false }
    }
}

impl Write for Scanning<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.tail.extend_from_slice(bytes);
        self.found |= self.needles.is_in(&self.tail);
        let keep = self.needles.longest().saturating_sub(1).min(self.tail.len());
        self.tail.drain(..self.tail.len() - keep);
        self.out.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
