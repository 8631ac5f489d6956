//! The pieces of one stream and where each starts in the stream's bytes. Frames come in any order and are put in
//! their place when nothing before them is missing; chunks that no file has yet follow behind. An offset, once
//! given, stays: a chunk in memory is the beginning of what a frame will hold.

use std::collections::BTreeMap;

use crate::frame::Header;
use crate::frame_reader::{Frame, Piece, StoredIn};
use crate::tail::TailChunk;

#[derive(Default)]
pub(crate) struct Stream {
    pieces: Vec<Piece>,
    /// Where each piece starts; ascending, equal where a piece is missing.
    starts: Vec<u64>,
    end: u64,
    /// How many of the pieces, at the end, are chunks that no file has.
    live_pieces: usize,
    /// Number of the chunk after the last piece that is in a file.
    next: u64,
    /// Found and not among the pieces.
    waiting: Vec<Frame>,
    live: BTreeMap<u32, TailChunk>,
    /// Frames found one after the other without a hole: number of the next chunk, bytes.
    chain: (u64, u64),
}

impl Stream {
    /// Takes a frame in. Says where it starts if it goes on where the one found before it ended.
    pub fn found(&mut self, frame: Frame) -> Option<u64> {
        self.waiting.push(frame);
        let (next, start) = self.chain;
        if u64::from(frame.header.chunk_number) != next {
            return None;
        }
        self.chain = (next + u64::from(frame.header.chunks), start + u64::from(frame.header.raw));
        Some(start)
    }

    /// Takes a chunk in that no file has yet; false if it says nothing new.
    pub fn offer(&mut self, chunk: TailChunk) -> bool {
        let known = self.live.get(&chunk.chunk_number);
        let says_more =
            known.is_none_or(|known| !known.full && (chunk.full || chunk.bytes.len() > known.bytes.len()));
        let wanted = u64::from(chunk.chunk_number) >= self.next && says_more;
        if wanted {
            self.live.insert(chunk.chunk_number, chunk);
        }
        wanted
    }

    /// Puts what was found in its place. `note` is told what is wrong with a frame.
    pub fn place(&mut self, at_end: bool, mut note: impl FnMut(Frame, String)) {
        self.take_back_live();
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.sort_by_key(|frame| frame.header.chunk_number);
        for frame in waiting {
            let chunk_number = u64::from(frame.header.chunk_number);
            if chunk_number < self.next {
                note(frame, format!("frame {chunk_number} is there twice"));
                continue;
            }
            if chunk_number > self.next {
                if !at_end {
                    self.waiting.push(frame);
                    continue;
                }
                note(
                    frame,
                    format!("chunks {} to {} before this frame are missing", self.next, chunk_number - 1),
                );
                self.push(Piece::Missing { chunks: (chunk_number - self.next) as u32 });
            }
            self.push(Piece::Frame(frame));
            self.next = chunk_number + u64::from(frame.header.chunks);
        }
        if at_end {
            self.live.clear();
            return;
        }
        let next = self.next;
        self.live.retain(|&chunk_number, _| u64::from(chunk_number) >= next);
        for (_, frame) in self.live_from(self.next, self.end) {
            self.push(Piece::Frame(frame));
            self.live_pieces += 1;
        }
    }

    /// What `place` would put behind the pieces that are in files, and where.
    pub fn ahead(&self) -> Vec<(u64, Frame)> {
        let filed = self.pieces.len() - self.live_pieces;
        let mut end = self.starts.get(filed).copied().unwrap_or(self.end);
        let mut next = self.next;
        let mut waiting = self.waiting.clone();
        waiting.sort_by_key(|frame| frame.header.chunk_number);
        let mut ahead = Vec::new();
        for frame in waiting {
            if u64::from(frame.header.chunk_number) == next {
                ahead.push((end, frame));
                next += u64::from(frame.header.chunks);
                end += u64::from(frame.header.raw);
            }
        }
        ahead.extend(self.live_from(next, end));
        ahead
    }

    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    pub fn end(&self) -> u64 {
        self.end
    }

    pub fn start_of(&self, piece: usize) -> Option<u64> {
        self.starts.get(piece).copied()
    }

    pub fn piece_at(&self, offset: u64) -> Option<(usize, u64)> {
        if offset >= self.end {
            return None;
        }
        // Of pieces that start at the same place, only the last is not empty.
        let piece = self.starts.partition_point(|&start| start <= offset).checked_sub(1)?;
        Some((piece, self.starts[piece]))
    }

    /// The bytes of a chunk in memory, as many as `frame` says: there may be more by now.
    pub fn live(&self, frame: &Frame) -> Option<&[u8]> {
        self.live.get(&frame.header.chunk_number)?.bytes.get(..frame.header.raw as usize)
    }

    pub fn push(&mut self, piece: Piece) {
        self.starts.push(self.end);
        if let Piece::Frame(frame) = &piece {
            self.end += u64::from(frame.header.raw);
        }
        self.pieces.push(piece);
    }

    fn take_back_live(&mut self) {
        let filed = self.pieces.len() - self.live_pieces;
        self.end = self.starts.get(filed).copied().unwrap_or(self.end);
        self.pieces.truncate(filed);
        self.starts.truncate(filed);
        self.live_pieces = 0;
    }

    /// Chunks in memory from number `next` on. Behind one that was not full when it was copied nothing may follow,
    /// though the next one be there: the thread has written more to it since.
    fn live_from(&self, mut next: u64, mut end: u64) -> Vec<(u64, Frame)> {
        let mut frames = Vec::new();
        while let Some(chunk) = u32::try_from(next).ok().and_then(|next| self.live.get(&next)) {
            let size = chunk.bytes.len() as u32;
            let header = Header {
                stream: chunk.stream.0,
                chunk_number: chunk.chunk_number,
                chunks: 1,
                codec: 0,
                last: chunk.last,
                raw: size,
                size,
                check: 0,
            };
            frames.push((end, Frame { place: StoredIn::Live, header }));
            next += 1;
            end += u64::from(size);
            if !chunk.full {
                break;
            }
        }
        frames
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::StreamId;

    fn frame(chunk_number: u32, chunks: u16, raw: u32) -> Frame {
        let header =
            Header { stream: 1, chunk_number, chunks, codec: 0, last: false, raw, size: raw, check: 0 };
        Frame { place: StoredIn::File { file: 0, offset: u64::from(chunk_number) }, header }
    }

    fn chunk(chunk_number: u32, bytes: usize, full: bool) -> TailChunk {
        TailChunk {
            stream: StreamId(1),
            chunk_number,
            bytes: vec![chunk_number as u8; bytes],
            last: false,
            full,
        }
    }

    fn place(stream: &mut Stream, at_end: bool) -> Vec<String> {
        let mut notes = Vec::new();
        stream.place(at_end, |_, what| notes.push(what));
        notes
    }

    #[test]
    fn frames_take_the_place_of_chunks_and_no_position_changes() {
        let mut stream = Stream::default();
        stream.found(frame(0, 2, 20));
        assert!(stream.offer(chunk(2, 10, true)) && stream.offer(chunk(3, 4, false)));
        assert!(stream.offer(chunk(4, 9, true)), "kept, but not shown behind one that is not full");
        assert_eq!(place(&mut stream, false), [""; 0]);
        assert_eq!((stream.pieces().len(), stream.end()), (3, 34));
        assert_eq!(
            (stream.piece_at(20), stream.piece_at(33), stream.piece_at(34)),
            (Some((1, 20)), Some((2, 30)), None)
        );
        assert!(!stream.offer(chunk(3, 4, false)) && stream.offer(chunk(3, 7, true)));
        assert_eq!(stream.ahead().iter().map(|&(start, _)| start).collect::<Vec<_>>(), [20, 30, 37]);
        assert_eq!(
            stream.live(match &stream.pieces()[2] {
                Piece::Frame(frame) => frame,
                _ => panic!(),
            }),
            Some(&[3; 4][..])
        );
        stream.found(frame(2, 2, 17));
        place(&mut stream, false);
        assert_eq!((stream.pieces().len(), stream.end(), stream.piece_at(36)), (3, 46, Some((1, 20))));
        assert!(!stream.offer(chunk(3, 9, true)), "a file has it");
    }

    #[test]
    fn a_hole_is_waited_for_until_the_end() {
        let mut stream = Stream::default();
        assert_eq!((stream.found(frame(0, 1, 5)), stream.found(frame(2, 1, 5))), (Some(0), None));
        assert_eq!(stream.found(frame(0, 1, 5)), None);
        assert_eq!(place(&mut stream, false), ["frame 0 is there twice"]);
        assert_eq!(stream.pieces().len(), 1);
        assert_eq!(place(&mut stream, true), ["chunks 1 to 1 before this frame are missing"]);
        assert_eq!(stream.pieces()[1], Piece::Missing { chunks: 1 });
        assert_eq!((stream.piece_at(4), stream.piece_at(5)), (Some((0, 0)), Some((2, 5))));
    }
}
