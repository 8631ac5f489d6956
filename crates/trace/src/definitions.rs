//! Takes the definitions of all threads in: objects, arrays and strings may be used in another stream than the one
//! that defines them, so they are read before anything is replayed. Each is read once, though a chunk may be seen
//! while it grows, then whole, then in a frame: so it is noted how far each stream was read.

use std::collections::HashMap;

use crate::frame_reader::{Damage, Frame, FrameReader, Piece, ScannedFrame};
use crate::ids::StreamId;
use crate::objects::Objects;
use crate::record::{self, tag};

#[derive(Default)]
pub(crate) struct Definitions {
    /// Bytes of each stream whose definitions are known.
    reached: HashMap<StreamId, u64>,
    /// Frames that are not made of records, with stream and number to put them in order.
    bad: Vec<(StreamId, u32, Damage)>,
}

impl Definitions {
    /// A frame that the scan found. One that is out of order is left to `rest`.
    pub fn found(&mut self, objects: &mut Objects, found: &ScannedFrame<'_>) {
        let ScannedFrame { frame, start: Some(start), payload, name, .. } = found else { return };
        let stream = StreamId(frame.header.stream);
        if stream != StreamId::TABLES && self.reached(stream) < start + u64::from(frame.header.raw) {
            self.define(objects, stream, *start, frame, frame.header.unpack(payload), name);
        }
    }

    /// What is among a stream's pieces, or ahead of them, and was not read yet.
    pub fn rest(&mut self, objects: &mut Objects, frames: &FrameReader, stream: StreamId) {
        if stream == StreamId::TABLES {
            return;
        }
        let first = frames.piece_at(stream, self.reached(stream)).map_or(usize::MAX, |(piece, _)| piece);
        for (at, piece) in frames.pieces(stream).iter().enumerate().skip(first) {
            let (Piece::Frame(frame), Some(start)) = (piece, frames.start_of(stream, at)) else { continue };
            self.define(objects, stream, start, frame, frames.load(frame), &frames.file_of(frame));
        }
        for (start, frame) in frames.ahead(stream) {
            if self.reached(stream) < start + u64::from(frame.header.raw) {
                self.define(objects, stream, start, &frame, frames.load(&frame), &frames.file_of(&frame));
            }
        }
    }

    /// What was found to be no records since the last time, in order.
    pub fn damage(&mut self) -> Vec<Damage> {
        let mut bad = std::mem::take(&mut self.bad);
        bad.sort_by_key(|&(stream, chunk_number, _)| (stream, chunk_number));
        bad.into_iter().map(|(.., damage)| damage).collect()
    }

    fn reached(&self, stream: StreamId) -> u64 {
        self.reached.get(&stream).copied().unwrap_or(0)
    }

    fn define(
        &mut self,
        objects: &mut Objects,
        stream: StreamId,
        start: u64,
        frame: &Frame,
        bytes: Option<Vec<u8>>,
        file: &str,
    ) {
        let known = self.reached(stream).saturating_sub(start) as usize;
        let whole = bytes.is_some_and(|bytes| define_all(objects, bytes.get(known..).unwrap_or_default()));
        if !whole {
            let damage = Damage {
                file: file.to_owned(),
                offset: frame.offset(),
                stream: Some(stream),
                what: format!("frame {} holds something that is no record", frame.header.chunk_number),
            };
            self.bad.push((stream, frame.header.chunk_number, damage));
        }
        let reached = self.reached.entry(stream).or_default();
        *reached = (*reached).max(start + u64::from(frame.header.raw));
    }
}

fn define_all(objects: &mut Objects, bytes: &[u8]) -> bool {
    let mut at = 0;
    while let Some(&tag) = bytes.get(at) {
        let rest = &bytes[at..];
        let Some(length) = record::length(rest) else { return false };
        if tag::is_definition(tag)
            && let Some((record, _)) = record::decode(rest)
        {
            objects.define(&record);
        }
        at += length;
    }
    true
}
