//! A cursor over big-endian bytes that never reads past the end.

use crate::{Error, Result};

#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    pub bytes: &'a [u8],
    pub pos: usize,
    what: &'static str,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8], what: &'static str) -> Self {
        Cursor { bytes, pos: 0, what }
    }

    pub fn at(bytes: &'a [u8], pos: usize, what: &'static str) -> Self {
        Cursor { bytes, pos, what }
    }

    pub fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let end =
            self.pos.checked_add(n).filter(|&e| e <= self.bytes.len()).ok_or(Error::Truncated(self.what))?;
        let slice = &self.bytes[self.pos..end];
        self.pos = end;
        Ok(slice)
    }

    pub fn u1(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    pub fn u2(&mut self) -> Result<u16> {
        let b = self.take(2)?;
        Ok(u16::from_be_bytes([b[0], b[1]]))
    }

    pub fn u4(&mut self) -> Result<u32> {
        let b = self.take(4)?;
        Ok(u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
    }

    pub fn at_end(&self) -> bool {
        self.pos == self.bytes.len()
    }
}

pub(crate) fn u2(bytes: &[u8], pos: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(pos..pos + 2)?.try_into().ok()?))
}

pub(crate) fn i4(bytes: &[u8], pos: usize) -> Option<i32> {
    Some(i32::from_be_bytes(bytes.get(pos..pos + 4)?.try_into().ok()?))
}

pub(crate) fn put_u2(out: &mut Vec<u8>, v: u16) {
    out.extend_from_slice(&v.to_be_bytes());
}

pub(crate) fn put_u4(out: &mut Vec<u8>, v: u32) {
    out.extend_from_slice(&v.to_be_bytes());
}
