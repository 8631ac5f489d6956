//! Chunk files on their way into an archive. They go in as they are, so that they come out as they are and an index fits
//! them: without lz4 in between the archive would be a tenth to a sixth smaller, and take three times as long. Where
//! something is taken out, frame by frame is unpacked, changed and compressed again.

use std::io::{self, Read, Write};

use trace::frame::{HEADER, Header};

use crate::error::{Error, Result};
use crate::redact::damaged;

/// Is it the name of a chunk file?
pub fn is_one(name: &str) -> bool {
    let number = name.strip_prefix("chunks-").and_then(|name| name.strip_suffix(".inq"));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Makes other chunks of those of a frame.
pub type Change<'c> = dyn FnMut(&Header, &[u8]) -> Result<Vec<u8>> + 'c;

/// Writes the frames of a chunk file, each with what `change` makes of its chunks. Of what is no whole frame nobody
/// knows what it holds: that is refused.
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
        let end = header.frame(&change(&header, &raw)?, true, &mut frame);
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

/// Copies all that is left. `done` is told how many bytes were read.
pub fn copy(from: &mut dyn Read, to: &mut dyn Write, done: &mut dyn FnMut(u64)) -> io::Result<()> {
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

    /// Each byte one higher.
    fn changed(bytes: &[u8]) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        let mut higher = |_: &Header, raw: &[u8]| Ok(raw.iter().map(|byte| byte + 1).collect());
        let failed = |source| Error::Read { path: "a test".into(), source };
        change(&mut &*bytes, &mut out, &mut |_| {}, &mut higher, &failed).map(|()| out)
    }

    fn file() -> Vec<u8> {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = trace::FrameWriter::create(dir.path()).unwrap();
        for (number, raw) in [&[7; 5000][..], &[], &[1, 2, 3].repeat(400)].iter().enumerate() {
            writer.write(1, number as u32, 1, number == 2, raw).unwrap();
        }
        std::fs::read(dir.path().join(trace::frame::file_name(0))).unwrap()
    }

    #[test]
    fn every_frame_is_changed_and_whole_again() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(trace::frame::file_name(0)), changed(&file()).unwrap()).unwrap();
        let frames = trace::FrameReader::open(dir.path()).unwrap();
        assert!(frames.damaged().is_empty() && frames.is_ended(trace::StreamId(1)));
        let loaded = frames.pieces(trace::StreamId(1)).iter().map(|piece| match piece {
            trace::frame_reader::Piece::Frame(frame) => frames.load(frame).unwrap(),
            trace::frame_reader::Piece::Missing { .. } => panic!("a frame is missing"),
        });
        assert_eq!(loaded.collect::<Vec<_>>(), [vec![8; 5000], vec![], [2, 3, 4].repeat(400)]);
    }

    #[test]
    fn what_is_no_whole_frame_is_refused() {
        let file = file();
        for at in 0..file.len() {
            let mut damaged = file.clone();
            damaged[at] ^= 0x20;
            assert!(changed(&damaged).is_err(), "byte {at}");
        }
        assert!(changed(&file[..file.len() - 1]).is_err());
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
