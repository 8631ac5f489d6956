//! The bytes of something that is kept, to be looked at. Mapped wherever there is a file: what is kept goes with the
//! recording's size, and memory does not.

use std::fs::File;
use std::ops::Deref;

use memmap2::{Advice, Mmap};

#[derive(Debug)]
pub struct Content(Bytes);

#[derive(Debug)]
enum Bytes {
    Mapped(Mmap),
    Memory(Vec<u8>),
}

impl Content {
    pub(crate) fn mapped(file: &File) -> Option<Content> {
        // SAFETY: the file is written once, under another name or none, and only read afterwards. If somebody truncates
        // it nevertheless, the process gets SIGBUS: there is no portable way to be safe from that.
        let map = unsafe { Mmap::map(file) }.ok()?;
        let _ = map.advise(Advice::Random);
        Some(Content(Bytes::Mapped(map)))
    }
}

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Content {
        Content(Bytes::Memory(bytes))
    }
}

impl Deref for Content {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Mapped(map) => map,
            Bytes::Memory(bytes) => bytes,
        }
    }
}
