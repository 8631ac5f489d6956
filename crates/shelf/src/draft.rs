//! Something that is being written, at any place and in any order: what is known late may belong to the front.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::content::Content;

#[derive(Debug)]
pub struct Draft(Out);

#[derive(Debug)]
enum Out {
    File(File),
    Memory(Vec<u8>),
}

impl Draft {
    /// In a file without a name, which is gone when nobody looks at it any more.
    pub fn unnamed() -> io::Result<Draft> {
        tempfile::tempfile().map(Draft::in_file)
    }

    pub fn in_memory() -> Draft {
        Draft(Out::Memory(Vec::new()))
    }

    pub(crate) fn in_file(file: File) -> Draft {
        Draft(Out::File(file))
    }

    /// Places that are never written hold zeros.
    pub fn write_at(&mut self, bytes: &[u8], at: u64) -> io::Result<()> {
        match &mut self.0 {
            Out::File(file) => file.write_all_at(bytes, at),
            Out::Memory(memory) => {
                let at = usize::try_from(at).map_err(io::Error::other)?;
                let end = at.checked_add(bytes.len()).ok_or(io::ErrorKind::OutOfMemory)?;
                if memory.len() < end {
                    memory.resize(end, 0);
                }
                memory[at..end].copy_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// Cuts it off, or fills it up with zeros.
    pub fn set_len(&mut self, length: u64) -> io::Result<()> {
        match &mut self.0 {
            Out::File(file) => file.set_len(length),
            Out::Memory(memory) => {
                memory.resize(usize::try_from(length).map_err(io::Error::other)?, 0);
                Ok(())
            }
        }
    }

    /// What was written; none if the file cannot be mapped.
    pub fn into_content(self) -> Option<Content> {
        match self.0 {
            Out::File(file) => Content::mapped(&file),
            Out::Memory(memory) => Some(memory.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_and_memory_take_in_the_same_writes() {
        for mut draft in [Draft::in_memory(), Draft::unnamed().unwrap()] {
            draft.write_at(b"end", 5).unwrap();
            draft.write_at(b"to", 0).unwrap();
            draft.write_at(b"N", 6).unwrap();
            draft.set_len(7).unwrap();
            assert_eq!(&*draft.into_content().unwrap(), b"to\0\0\0eN");
        }
    }
}
