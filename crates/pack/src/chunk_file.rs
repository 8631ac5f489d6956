//! Chunk files on their way into an archive and out again. Their frames are compressed for speed, each by itself; the
//! archive compresses better what is not compressed yet. So frames go in as they are before compression, and are
//! compressed again when they come out: the file is the same as before, or, where the recorder had no time to
//! compress, smaller. What is no frame (damage) goes through as it is.

use std::io::{self, Read, Write};

use trace::frame::{HEADER, Header};

use crate::error::{Error, Result};
use crate::redact::damaged;

/// Is it the name of a chunk file?
pub fn is_one(name: &str) -> bool {
    let number = name.strip_prefix("chunks-").and_then(|name| name.strip_suffix(".inq"));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Copies frames from one file to another; there they are compressed or not. `done` is told how many bytes were read.
pub fn copy(
    from: &mut dyn Read,
    to: &mut dyn Write,
    compresses: bool,
    done: &mut dyn FnMut(u64),
) -> io::Result<()> {
    let mut frame = Vec::new();
    let mut payload = Vec::new();
    loop {
        let mut head = [0; HEADER];
        let length = fill(from, &mut head)?;
        let Some(header) = Header::decode(&head[..length]) else {
            to.write_all(&head[..length])?;
            done(length as u64);
            return rest(from, to, done);
        };
        payload.clear();
        from.take(u64::from(header.size)).read_to_end(&mut payload)?;
        done((length + payload.len()) as u64);
        let sound = payload.len() == header.size as usize && header.checks(&head, &payload);
        match header.unpack(&payload).filter(|_| sound) {
            Some(raw) => {
                let end = header.frame(&raw, compresses, &mut frame);
                to.write_all(&frame[..end])?;
            }
            None => {
                to.write_all(&head)?;
                to.write_all(&payload)?;
            }
        }
    }
}

/// Makes other chunks of those of a frame.
pub type Change<'c> = dyn FnMut(&Header, &[u8]) -> Result<Vec<u8>> + 'c;

/// Writes the frames of a chunk file, uncompressed, each with what `change` makes of its chunks. Of what is no whole
/// frame nobody knows what it holds: that is refused.
pub fn change(
    from: &mut dyn Read,
    to: &mut dyn Write,
    done: &mut dyn FnMut(u64),
    change: &mut Change<'_>,
    failed: &dyn Fn(io::Error) -> Error,
) -> Result<()> {
    let mut frame = Vec::new();
    let mut payload = Vec::new();
    loop {
        let mut head = [0; HEADER];
        let length = fill(from, &mut head).map_err(failed)?;
        if length == 0 {
            return Ok(());
        }
        let header = Header::decode(&head[..length]).ok_or_else(damaged)?;
        payload.clear();
        from.take(u64::from(header.size)).read_to_end(&mut payload).map_err(failed)?;
        done((length + payload.len()) as u64);
        let raw = header.unpack(&payload).filter(|_| header.checks(&head, &payload)).ok_or_else(damaged)?;
        let end = header.frame(&change(&header, &raw)?, false, &mut frame);
        to.write_all(&frame[..end]).map_err(failed)?;
    }
}

/// As many bytes as there are, up to the length of `bytes`.
fn fill(from: &mut dyn Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < bytes.len() {
        match from.read(&mut bytes[filled..])? {
            0 => break,
            more => filled += more,
        }
    }
    Ok(filled)
}

/// Copies all that is left.
pub fn rest(from: &mut dyn Read, to: &mut dyn Write, done: &mut dyn FnMut(u64)) -> io::Result<()> {
    let mut bytes = vec![0; 256 << 10];
    loop {
        let length = from.read(&mut bytes)?;
        if length == 0 {
            return Ok(());
        }
        to.write_all(&bytes[..length])?;
        done(length as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copied(bytes: &[u8], compresses: bool) -> Vec<u8> {
        let mut out = Vec::new();
        copy(&mut &*bytes, &mut out, compresses, &mut |_| {}).unwrap();
        out
    }

    fn file() -> Vec<u8> {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = trace::FrameWriter::create(dir.path()).unwrap();
        let noise: Vec<u8> = (0..200u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for (number, raw) in [&[7; 5000][..], &noise, &[], &[1, 2, 3].repeat(400)].iter().enumerate() {
            writer.write(1, number as u32, 1, number == 3, raw).unwrap();
        }
        std::fs::read(dir.path().join(trace::frame::file_name(0))).unwrap()
    }

    #[test]
    fn a_file_comes_out_as_it_went_in() {
        let file = file();
        let inside = copied(&file, false);
        assert!(inside.len() > file.len());
        assert_eq!(copied(&inside, true), file);
    }

    #[test]
    fn what_is_damaged_stays_as_it_is() {
        let file = file();
        for at in 0..file.len() {
            let mut damaged = file.clone();
            damaged[at] ^= 0x20;
            let out = copied(&copied(&damaged, false), true);
            assert!(out == damaged, "byte {at}");
            let cut = &file[..at];
            assert!(copied(&copied(cut, false), true) == cut, "cut at {at}");
        }
    }

    #[test]
    fn chunk_files_are_known_by_their_names() {
        for (name, is) in
            [("chunks-000.inq", true), ("chunks-1234.inq", true), ("chunks-.inq", false), ("x", false)]
        {
            assert_eq!(is_one(name), is, "{name}");
        }
    }
}
