//! Reads a deflated entry piece by piece: entries may be larger than memory.

use std::io::{self, Read};

use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};

const BUFFER: usize = 64 << 10;

pub struct Inflating<R> {
    from: R,
    state: Box<InflateState>,
    packed: Vec<u8>,
    at: usize,
    is_over: bool,
}

impl<R: Read> Inflating<R> {
    pub fn new(from: R) -> Inflating<R> {
        let state = InflateState::new_boxed(DataFormat::Raw);
        Inflating { from, state, packed: Vec::new(), at: 0, is_over: false }
    }
}

impl<R: Read> Read for Inflating<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        while !self.is_over {
            if self.at == self.packed.len() {
                self.packed.resize(BUFFER, 0);
                let length = self.from.read(&mut self.packed)?;
                self.packed.truncate(length);
                self.at = 0;
            }
            let ended = self.packed.is_empty();
            let result = inflate(&mut self.state, &self.packed[self.at..], out, MZFlush::None);
            self.at += result.bytes_consumed;
            match result.status {
                Ok(MZStatus::StreamEnd) => self.is_over = true,
                Ok(_) | Err(MZError::Buf) if !ended || result.bytes_written > 0 => {}
                _ => {
                    return Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        "its compressed data are no such",
                    ));
                }
            }
            if result.bytes_written > 0 {
                return Ok(result.bytes_written);
            }
        }
        Ok(0)
    }
}
