//! Which chunks make up the next frames. Chunks of one stream can be seen out of order (the sweep over the pool
//! passes a chunk just before it fills), so a frame holds only consecutive ones, and a stream goes on only where
//! its last frame ended. Pure: chunks in, frames out.

use std::collections::HashMap;

use pool::FullChunk;

/// Chunks per frame at most: enough for the compressor's window, small enough to be read back for one question.
pub(crate) const FRAME_CHUNKS: usize = 16;

/// Number of the next chunk that each stream has to write.
#[derive(Debug, Default, Clone)]
pub(crate) struct Written(HashMap<u32, u32>);

impl Written {
    pub fn next(&self, stream: u32) -> u32 {
        self.0.get(&stream).copied().unwrap_or(0)
    }

    pub fn advance(&mut self, stream: u32, next: u32) {
        self.0.insert(stream, next);
    }

    /// Streams other than the table stream.
    pub fn threads(&self) -> usize {
        self.0.keys().filter(|stream| **stream != 0).count()
    }
}

/// Chunks of one stream, consecutive, at least one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PlannedFrame {
    pub chunks: Vec<FullChunk>,
}

impl PlannedFrame {
    pub fn stream(&self) -> u32 {
        self.chunks[0].stream
    }

    pub fn first_chunk(&self) -> u32 {
        self.chunks[0].chunk_number
    }

    /// Number of the chunk after the frame.
    pub fn next(&self) -> u32 {
        self.first_chunk().saturating_add(self.chunks.len() as u32)
    }

    pub fn is_last(&self) -> bool {
        self.chunks.iter().any(|chunk| chunk.last)
    }
}

/// How willing a plan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Eagerness {
    /// Only frames that will not get better by waiting: full ones, and ends of streams.
    Whole,
    /// Everything that is in order.
    InOrder,
    /// Everything: nothing that is missing will come any more.
    Everything,
}

/// The frames to write now, and chunks that are in files already. `chunks` must be sorted.
pub(crate) fn plan(
    chunks: &[FullChunk],
    written: &Written,
    eagerness: Eagerness,
) -> (Vec<PlannedFrame>, Vec<FullChunk>) {
    let mut frames = Vec::new();
    let mut known = Vec::new();
    for stream in chunks.chunk_by(|a, b| a.stream == b.stream) {
        let next = written.next(stream[0].stream);
        let fresh = stream.partition_point(|chunk| chunk.chunk_number < next);
        known.extend_from_slice(&stream[..fresh]);
        let mut expected = next;
        for run in stream[fresh..].chunk_by(|a, b| b.chunk_number.checked_sub(1) == Some(a.chunk_number)) {
            if eagerness != Eagerness::Everything && run[0].chunk_number != expected {
                break;
            }
            for chunks in run.chunks(FRAME_CHUNKS) {
                let frame = PlannedFrame { chunks: chunks.to_vec() };
                if eagerness == Eagerness::Whole && chunks.len() < FRAME_CHUNKS && !frame.is_last() {
                    break;
                }
                expected = frame.next();
                frames.push(frame);
            }
        }
    }
    (frames, known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(stream: u32, chunk_number: u32) -> FullChunk {
        FullChunk { stream, chunk_number, index: stream * 1000 + chunk_number, length: 1, last: false }
    }

    fn frames(chunks: &[FullChunk], written: &Written, eagerness: Eagerness) -> Vec<(u32, u32, usize)> {
        let (frames, _) = plan(chunks, written, eagerness);
        frames.iter().map(|frame| (frame.stream(), frame.first_chunk(), frame.chunks.len())).collect()
    }

    #[test]
    fn consecutive_chunks_share_frames_of_sixteen() {
        let chunks: Vec<_> = (0..20).map(|chunk_number| chunk(1, chunk_number)).collect();
        let written = Written::default();
        assert_eq!(frames(&chunks, &written, Eagerness::InOrder), [(1, 0, 16), (1, 16, 4)]);
        assert_eq!(frames(&chunks, &written, Eagerness::Whole), [(1, 0, 16)]);
    }

    #[test]
    fn a_chunk_that_came_too_early_waits_for_the_one_before() {
        let mut written = Written::default();
        let chunks = [chunk(1, 1), chunk(1, 2), chunk(2, 0), chunk(2, 2)];
        assert_eq!(frames(&chunks, &written, Eagerness::InOrder), [(2, 0, 1)]);
        written.advance(1, 1);
        assert_eq!(frames(&chunks, &written, Eagerness::InOrder), [(1, 1, 2), (2, 0, 1)]);
    }

    #[test]
    fn at_the_end_nothing_is_held_back() {
        let chunks = [chunk(1, 1), chunk(1, 2), chunk(1, 5)];
        assert_eq!(frames(&chunks, &Written::default(), Eagerness::Everything), [(1, 1, 2), (1, 5, 1)]);
    }

    #[test]
    fn the_end_of_a_stream_is_worth_a_short_frame() {
        let mut end = chunk(1, 0);
        end.last = true;
        assert_eq!(frames(&[end, chunk(2, 0)], &Written::default(), Eagerness::Whole), [(1, 0, 1)]);
    }

    #[test]
    fn what_is_written_already_is_not_written_again() {
        let mut written = Written::default();
        written.advance(1, 2);
        let chunks = [chunk(1, 0), chunk(1, 1), chunk(1, 2)];
        let (frames, known) = plan(&chunks, &written, Eagerness::Everything);
        assert_eq!(frames.len(), 1);
        assert_eq!(frames[0].first_chunk(), 2);
        assert_eq!(known, chunks[..2]);
    }
}
