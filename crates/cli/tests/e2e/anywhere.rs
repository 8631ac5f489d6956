//! Recordings of real programs can be replayed from anywhere, without some of their calls, and while they grow.

#[path = "../../../trace/tests/replay/resume.rs"]
mod resume;

use std::fs;
use std::path::Path;

use trace::frame_reader::Piece;
use trace::{FrameReader, FrameWriter, Recording, ReplayLimits, StreamId};

use crate::debuggee::{Program, Recorded, jdk17, scratch};

const PROGRAMS: [(&str, &[&str], &str); 5] = [
    ("events", &["Events", "2"], "full"),
    ("events", &["Events", "1"], "heap"),
    ("awkward", &["ConstructorExceptions"], "full"),
    ("awkward", &["StaticInit"], "full"),
    ("awkward", &["Synchronization"], "full"),
];

#[test]
fn recordings_can_be_replayed_from_anywhere() {
    for (group, command, detail) in PROGRAMS {
        let (_, recorded) = Program::new(group, command).record(&jdk17(), &["--detail", detail]);
        let recording = open(&recorded.path());
        for thread in recording.threads() {
            check(&recorded, &recording, thread.stream);
        }
    }
}

fn check(recorded: &Recorded, recording: &Recording, stream: StreamId) {
    resume::check(recording, stream, &[97, 10_001]);
    let frames = FrameReader::open(&recorded.path()).unwrap();
    let log: Vec<u8> = frames
        .pieces(stream)
        .iter()
        .flat_map(|piece| match piece {
            Piece::Frame(frame) => frames.load(frame).unwrap(),
            Piece::Missing { .. } => panic!("a piece is missing"),
        })
        .collect();
    // An odd stride meets all kinds of places.
    let cuts = (1..log.len()).rev().step_by(log.len() / 8 + 1);
    let dir = tempfile::tempdir_in(scratch()).unwrap();
    resume::a_growing_log_tells_only_what_stays(recording, stream, cuts, |cut| {
        let target = dir.path().join(cut.to_string());
        fs::create_dir(&target).unwrap();
        fs::copy(recorded.path().join("manifest.json"), target.join("manifest.json")).unwrap();
        let mut writer = FrameWriter::create(&target).unwrap();
        for other in frames.streams() {
            for piece in frames.pieces(other) {
                let Piece::Frame(frame) = piece else { continue };
                if other != stream {
                    let header = frame.header;
                    let bytes = frames.load(frame).unwrap();
                    writer.write(other.0, header.chunk_number, header.chunks, header.last, &bytes).unwrap();
                }
            }
        }
        // Other borders than the whole recording has.
        for (chunk_number, piece) in pieces(&log[..cut]).into_iter().enumerate() {
            writer.write(stream.0, chunk_number as u32, 1, false, piece).unwrap();
        }
        open(&target)
    });
}

/// Three pieces; no record crosses a border, but the last may be cut off.
fn pieces(mut log: &[u8]) -> Vec<&[u8]> {
    let size = log.len() / 3 + 1;
    let mut pieces = Vec::new();
    while !log.is_empty() {
        let mut border = 0;
        while border < size && border < log.len() {
            border += trace::record::length(&log[border..]).unwrap_or(log.len());
        }
        let (piece, rest) = log.split_at(border.min(log.len()));
        pieces.push(piece);
        log = rest;
    }
    pieces
}

fn open(path: &Path) -> Recording {
    let mut recording = Recording::open(path).unwrap();
    recording.set_limits(ReplayLimits { at_end: 100_000, elsewhere: 100 });
    recording
}
