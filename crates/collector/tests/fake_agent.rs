//! The collector against an agent that is played by the test: it makes a pool, writes chunks, and dies in various ways.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use collector::{Collector, LiveTail, ProcessExit, Salvage, StopReason, gather, salvage};
use pool::{AgentState, CHUNK_SIZE, Lock, Pool, Setup};
use trace::frame_reader::Piece;
use trace::{FrameReader, Manifest, ObjectId, Recording, StreamId, Tail, TypeId, tables};

/// Pid of a command that is no JVM, so that nobody waits for an exit code.
const NO_JVM: u32 = u32::MAX;

struct FakeAgent {
    pool: Arc<Pool>,
    lock: Option<Lock>,
    dir: PathBuf,
}

impl FakeAgent {
    fn start(parent: &Path, pid: u32, capacity: u32) -> FakeAgent {
        let dir = parent.join(format!("jvm-{pid}"));
        fs::create_dir(&dir).unwrap();
        let lock = Lock::try_hold(&dir.join(Lock::DEBUGGEE)).unwrap();
        Manifest { pid, command: vec!["fake".to_owned()], ..Manifest::default() }.store(&dir).unwrap();
        let fallback = dir.join("pool.data");
        let setup = Setup { capacity, debuggee: pid, collector: std::process::id(), fallback: &fallback };
        let pool = Pool::create(setup).unwrap();
        pool.set_agent_state(AgentState::Recording);
        fs::write(dir.join("pool.tmp"), pool.path().as_os_str().as_encoded_bytes()).unwrap();
        fs::rename(dir.join("pool.tmp"), dir.join("pool")).unwrap();
        FakeAgent { pool: Arc::new(pool), lock, dir }
    }

    /// Hands over chunks `from..to` of a stream.
    fn write(&self, stream: u32, from: u32, to: u32, last: bool) {
        for chunk_number in from..to {
            let index = self.begin(stream, chunk_number, CHUNK_SIZE);
            self.pool.publish(index, CHUNK_SIZE / 9 * 9, last && chunk_number + 1 == to);
        }
    }

    /// Begins a chunk and leaves it unpublished, with about `bytes` of records in it.
    fn begin(&self, stream: u32, chunk_number: u32, bytes: usize) -> u32 {
        let chunk = self.pool.acquire(stream, chunk_number).unwrap();
        for at in (0..bytes / 9 * 9).step_by(9) {
            // SAFETY: within the chunk, which is ours.
            unsafe {
                std::ptr::copy_nonoverlapping(record(chunk_number, at).as_ptr(), chunk.data.add(at), 9)
            };
        }
        chunk.index
    }

    fn die(&mut self) {
        self.lock = None;
    }

    fn end_well(&mut self) {
        self.pool.set_agent_state(AgentState::Ended);
        self.die();
    }
}

/// An `i64` record whose value says where it stands.
fn record(chunk_number: u32, at: usize) -> [u8; 9] {
    let mut bytes = [2; 9];
    bytes[1..].copy_from_slice(&(u64::from(chunk_number) << 32 | at as u64).to_le_bytes());
    bytes
}

/// The records of a stream as the files have them: (chunk, place in it). No gap is allowed.
fn records(dir: &Path, stream: u32) -> Vec<(u32, usize)> {
    let reader = FrameReader::open(dir).unwrap();
    assert_eq!(reader.damaged(), []);
    let mut records = Vec::new();
    for piece in reader.pieces(StreamId(stream)) {
        let Piece::Frame(frame) = piece else { panic!("stream {stream} has a gap") };
        for bytes in reader.load(frame).unwrap().chunks_exact(9) {
            let value = u64::from_le_bytes(bytes[1..].try_into().unwrap());
            records.push(((value >> 32) as u32, value as u32 as usize));
        }
    }
    records
}

fn expected(chunks: u32, unfinished: usize) -> Vec<(u32, usize)> {
    let whole = (0..chunks)
        .flat_map(|chunk_number| (0..CHUNK_SIZE / 9 * 9).step_by(9).map(move |at| (chunk_number, at)));
    whole.chain((0..unfinished / 9 * 9).step_by(9).map(|at| (chunks, at))).collect()
}

fn exit(pid: u32, code: Option<i32>) -> ProcessExit {
    ProcessExit { pid, code, signal: if code.is_none() { Some(9) } else { None } }
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_run_that_ends_well_is_complete_and_leaves_only_its_recording() {
    let parent = tempfile::tempdir().unwrap();
    let collector = Collector::start(parent.path(), 77).unwrap();
    let mut agent = FakeAgent::start(parent.path(), 77, 64);
    agent.write(1, 0, 200, true);
    agent.write(2, 0, 5, false);
    agent.begin(2, 5, 100);
    let pool_file = agent.pool.path().to_path_buf();
    agent.die();
    let summary = collector.finish(exit(77, Some(3)));
    assert_eq!(records(&agent.dir, 1), expected(200, 0));
    assert_eq!(records(&agent.dir, 2), expected(5, 100));
    assert!(FrameReader::open(&agent.dir).unwrap().is_ended(StreamId(1)));
    assert!(!pool_file.exists());
    assert!(names(&agent.dir).iter().all(|name| name == "manifest.json" || name.starts_with("chunks-")));
    let jvm = &summary.jvms[0];
    assert_eq!((jvm.pid, jvm.threads, jvm.chunks, jvm.complete), (77, 2, 206, true));
    assert_eq!(jvm.problem, None);
    let manifest = Manifest::load(&agent.dir).unwrap();
    assert_eq!((manifest.exit, manifest.complete), (Some(3), true));
    assert_eq!(manifest.command, ["fake"]);
    assert_eq!(manifest.more["bytes"], jvm.bytes);
}

#[test]
fn a_killed_jvm_keeps_what_its_threads_had_in_hand() {
    let parent = tempfile::tempdir().unwrap();
    let collector = Collector::start(parent.path(), 78).unwrap();
    let mut agent = FakeAgent::start(parent.path(), 78, 64);
    agent.write(1, 0, 3, false);
    agent.begin(1, 3, 900);
    agent.begin(2, 0, 0);
    agent.die();
    let summary = collector.finish(exit(78, None));
    assert_eq!(records(&agent.dir, 1), expected(3, 900));
    assert!(!summary.jvms[0].complete);
    let manifest = Manifest::load(&agent.dir).unwrap();
    assert_eq!((manifest.exit, manifest.complete), (None, false));
    assert_eq!(manifest.more["signal"], 9);
}

#[test]
fn child_jvms_are_closed_one_by_one_while_the_command_runs() {
    let parent = tempfile::tempdir().unwrap();
    let collector = Collector::start(parent.path(), NO_JVM).unwrap();
    let mut first = FakeAgent::start(parent.path(), 101, 64);
    let mut second = FakeAgent::start(parent.path(), 102, 64);
    first.write(1, 0, 20, true);
    second.write(1, 0, 30, true);
    first.end_well();
    let start = Instant::now();
    while first.dir.join("pool").exists() {
        assert!(start.elapsed() < Duration::from_secs(10));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(second.dir.join("pool").exists());
    second.end_well();
    let summary = collector.finish(exit(NO_JVM, Some(0)));
    assert_eq!(summary.jvms.len(), 2);
    assert!(summary.jvms.iter().all(|jvm| jvm.complete));
    assert_eq!(records(&second.dir, 1), expected(30, 0));
}

#[test]
fn a_jvm_that_outlives_its_command_is_asked_to_stop() {
    let parent = tempfile::tempdir().unwrap();
    let collector = Collector::start(parent.path(), NO_JVM).unwrap();
    let agent = FakeAgent::start(parent.path(), 103, 64);
    agent.write(1, 0, 2, false);
    let summary = collector.finish(exit(NO_JVM, Some(0)));
    assert_eq!(agent.pool.stopped(), Some(StopReason::Asked));
    assert!(!summary.jvms[0].complete);
    assert_eq!(records(&agent.dir, 1), expected(2, 0));
}

#[test]
fn a_failed_write_stops_the_recording_and_keeps_what_the_pool_has() {
    let parent = tempfile::tempdir().unwrap();
    let collector = Collector::start(parent.path(), NO_JVM).unwrap();
    let mut agent = FakeAgent::start(parent.path(), 104, 4096);
    // In the way of the first chunk file.
    fs::create_dir(agent.dir.join("chunks-000.inq")).unwrap();
    agent.write(1, 0, 40, false);
    let start = Instant::now();
    while agent.pool.stopped().is_none() {
        assert!(start.elapsed() < Duration::from_secs(10));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(agent.pool.acquire(1, 40).is_err());
    fs::remove_dir(agent.dir.join("chunks-000.inq")).unwrap();
    agent.end_well();
    let summary = collector.finish(exit(NO_JVM, Some(0)));
    let stopped = summary.jvms[0].stopped.as_ref().unwrap();
    assert_eq!(stopped.reason, StopReason::WriteError);
    assert!(!summary.jvms[0].complete);
    assert!(Manifest::load(&agent.dir).unwrap().stopped.unwrap().contains("could not be written"));
    assert_eq!(records(&agent.dir, 1), expected(40, 0));
}

#[test]
fn an_agent_that_never_got_ready_is_reported() {
    let parent = tempfile::tempdir().unwrap();
    let collector = Collector::start(parent.path(), NO_JVM).unwrap();
    fs::create_dir(parent.path().join("jvm-5")).unwrap();
    let summary = collector.finish(exit(NO_JVM, Some(0)));
    assert_eq!(summary.jvms.len(), 0);
    assert_eq!(summary.failed[0].0, parent.path().join("jvm-5"));
}

#[test]
fn a_recording_without_its_collector_is_salvaged_by_the_first_of_many_readers() {
    let parent = tempfile::tempdir().unwrap();
    let mut agent = FakeAgent::start(parent.path(), 105, 4096);
    agent.write(1, 0, 1000, false);
    agent.begin(1, 1000, 450);
    assert!(matches!(salvage(&agent.dir), Ok(Salvage::StillRunning)));
    agent.die();
    let dir = &agent.dir;
    let done: Vec<bool> = std::thread::scope(|scope| {
        let readers: Vec<_> =
            (0..6).map(|_| scope.spawn(move || matches!(salvage(dir).unwrap(), Salvage::Done(_)))).collect();
        readers.into_iter().map(|reader| reader.join().unwrap()).collect()
    });
    assert_eq!(done.iter().filter(|done| **done).count(), 1);
    assert_eq!(records(dir, 1), expected(1000, 450));
    assert!(names(dir).iter().all(|name| name == "manifest.json" || name.starts_with("chunks-")));
    assert!(matches!(salvage(dir), Ok(Salvage::NotNeeded)));
}

#[test]
fn salvage_adds_only_what_the_files_do_not_have() {
    let parent = tempfile::tempdir().unwrap();
    let mut agent = FakeAgent::start(parent.path(), 106, 4096);
    agent.write(1, 0, 40, false);
    // A collector that was killed after writing two frames, and half of a third, before it released any chunk.
    let mut writer = trace::FrameWriter::create(&agent.dir).unwrap();
    for first in [0, 16] {
        let bytes: Vec<u8> = (first..first + 16)
            .flat_map(|chunk_number| {
                (0..CHUNK_SIZE / 9 * 9).step_by(9).flat_map(move |at| record(chunk_number, at))
            })
            .collect();
        writer.write(1, first, 16, false, &bytes).unwrap();
    }
    let file = agent.dir.join("chunks-000.inq");
    let mut bytes = fs::read(&file).unwrap();
    bytes.extend_from_within(..1000);
    fs::write(&file, bytes).unwrap();
    fs::create_dir(agent.dir.join("rest-0")).unwrap();
    agent.die();
    assert!(matches!(salvage(&agent.dir), Ok(Salvage::Done(_))));
    assert_eq!(records(&agent.dir, 1), expected(40, 0));
}

#[test]
fn a_lost_pool_leaves_a_recording_that_says_it_is_not_complete() {
    let parent = tempfile::tempdir().unwrap();
    let mut agent = FakeAgent::start(parent.path(), 107, 64);
    fs::remove_file(agent.pool.path()).unwrap();
    agent.die();
    assert!(matches!(salvage(&agent.dir), Ok(Salvage::PoolLost)));
    assert!(!Manifest::load(&agent.dir).unwrap().complete);
    assert!(matches!(salvage(&agent.dir), Ok(Salvage::NotNeeded)));
}

#[test]
fn the_table_streams_last_record_keeps_its_trailing_zeros() {
    let parent = tempfile::tempdir().unwrap();
    let mut agent = FakeAgent::start(parent.path(), 108, 64);
    let table = [4, 6, 0, 0, 0, 1, 2, 3, 0, 0, 0];
    let chunk = agent.pool.acquire(0, 0).unwrap();
    // SAFETY: the chunk is ours.
    unsafe { std::ptr::copy_nonoverlapping(table.as_ptr(), chunk.data, table.len()) };
    agent.die();
    salvage(&agent.dir).unwrap();
    let reader = FrameReader::open(&agent.dir).unwrap();
    let [Piece::Frame(frame)] = reader.pieces(StreamId(0)) else { panic!("one frame expected") };
    assert_eq!(reader.load(frame).unwrap(), table);
}

#[test]
fn a_pool_smaller_than_the_run_only_makes_it_wait() {
    let parent = tempfile::tempdir().unwrap();
    let collector = Collector::start(parent.path(), NO_JVM).unwrap();
    let mut agent = FakeAgent::start(parent.path(), 109, 32);
    agent.write(1, 0, 3000, true);
    agent.end_well();
    let summary = collector.finish(exit(NO_JVM, Some(0)));
    assert!(summary.jvms[0].complete);
    assert_eq!(records(&agent.dir, 1), expected(3000, 0));
}

/// Writes into a chunk that the agent owns.
fn put(chunk: pool::Chunk, at: usize, bytes: &[u8]) {
    // SAFETY: within the chunk, which is ours.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), chunk.data.add(at), bytes.len()) };
}

fn follow(dir: &Path) -> Recording {
    let tail = LiveTail::open(dir).map(|tail| Box::new(tail) as Box<dyn Tail + Send>);
    Recording::follow(dir, tail, None).unwrap()
}

/// The bytes of a stream as a recording shows them.
fn shown(recording: &Recording, stream: u32) -> Vec<u8> {
    let frames = recording.frames();
    let mut bytes = Vec::new();
    for piece in frames.pieces(StreamId(stream)) {
        let Piece::Frame(frame) = piece else { panic!("stream {stream} has a gap") };
        bytes.extend(frames.load(frame).unwrap());
    }
    bytes
}

#[test]
fn a_follower_sees_what_threads_have_in_hand_and_at_the_end_what_a_reader_sees() {
    let parent = tempfile::tempdir().unwrap();
    let mut agent = FakeAgent::start(parent.path(), 110, 64);
    let collector = Collector::start(parent.path(), NO_JVM).unwrap();
    let table = agent.pool.acquire(0, 0).unwrap();
    let mut record = Vec::new();
    tables::encode_note(&mut record, 1, b"first");
    put(table, 0, &record);
    agent.pool.note(table.index, record.len());
    let chunk = agent.pool.acquire(1, 0).unwrap();
    let object = [0x20, 5, 0, 0, 0x80, 3, 0, 0, 0];
    put(chunk, 0, &[&object[..], &[0x0a, 0x0a]].concat());

    let mut recording = follow(&agent.dir);
    assert_eq!(recording.program().notes().len(), 1);
    assert_eq!(shown(&recording, 1), [&object[..], &[0x0a, 0x0a]].concat());
    assert_eq!(recording.objects().type_of(ObjectId(0x8000_0005)), Some(TypeId(3)));
    assert!(recording.may_grow(StreamId(1)) && recording.may_grow(StreamId(9)));
    assert!(!recording.refresh().unwrap());

    // More in the same chunk, then the next one; the collector takes them when it likes.
    put(chunk, 11, &object.map(|byte| if byte == 5 { 6 } else { byte }));
    put(chunk, 20, &[0x0a]);
    tables::encode_note(&mut record, 1, b"second");
    put(table, 0, &record);
    agent.pool.note(table.index, record.len());
    assert!(recording.refresh().unwrap());
    assert_eq!((shown(&recording, 1).len(), recording.objects().count()), (21, 2));
    assert_eq!(recording.program().notes().len(), 2);
    agent.pool.publish(chunk.index, 21, false);
    agent.write(1, 1, 40, true);
    while recording.may_grow(StreamId(1)) {
        recording.refresh().unwrap();
    }
    assert_eq!(recording.objects().doubtful_count(), 0, "each definition is taken in once");

    agent.end_well();
    collector.finish(exit(NO_JVM, Some(0)));
    assert!(gather(parent.path()).unwrap());
    assert!(recording.is_live() && recording.refresh().unwrap());
    assert!(!recording.is_live() && !recording.refresh().unwrap());
    assert_eq!(recording.path(), parent.path());
    let read = Recording::open(parent.path()).unwrap();
    assert_eq!(recording.frames().pieces(StreamId(1)), read.frames().pieces(StreamId(1)));
    assert_eq!(shown(&recording, 1), shown(&read, 1));
    assert_eq!(recording.damaged(), read.damaged());
    assert_eq!(recording.objects().count(), read.objects().count());
    assert_eq!(recording.program().notes(), read.program().notes());
    assert!(recording.manifest().complete);
}

/// Looks all the time while two threads write and the collector moves chunks to files under its eyes.
#[test]
fn what_a_follower_was_shown_stays_and_only_gets_longer() {
    let parent = tempfile::tempdir().unwrap();
    let mut agent = FakeAgent::start(parent.path(), 111, 64);
    let collector = Collector::start(parent.path(), NO_JVM).unwrap();
    let mut recording = follow(&agent.dir);
    let mut before = [Vec::new(), Vec::new()];
    std::thread::scope(|scope| {
        let writing = [1, 2].map(|stream| {
            let agent = &agent;
            scope.spawn(move || agent.write(stream, 0, 600, true))
        });
        while !writing.iter().all(|thread| thread.is_finished()) {
            recording.refresh().unwrap();
            for (stream, before) in [1, 2].into_iter().zip(&mut before) {
                let now = shown(&recording, stream);
                assert!(now.starts_with(before), "stream {stream} changed");
                let expected = now.chunks_exact(9).enumerate().all(|(at, bytes)| {
                    let per_chunk = CHUNK_SIZE / 9;
                    bytes == record((at / per_chunk) as u32, at % per_chunk * 9)
                });
                assert!(expected, "stream {stream} is not what was written");
                *before = now;
            }
        }
    });
    agent.end_well();
    collector.finish(exit(NO_JVM, Some(0)));
    recording.refresh().unwrap();
    assert!(!recording.is_live());
    assert_eq!(records(recording.path(), 2), expected(600, 0));
    assert_eq!(shown(&recording, 1).len(), 600 * (CHUNK_SIZE / 9 * 9));
}

#[test]
fn half_a_frame_is_no_damage_while_the_recording_grows() {
    let parent = tempfile::tempdir().unwrap();
    let agent = FakeAgent::start(parent.path(), 112, 64);
    let whole = parent.path().join("whole");
    fs::create_dir(&whole).unwrap();
    let mut writer = trace::FrameWriter::create(&whole).unwrap();
    writer.write(1, 0, 1, false, &[0x0a; 100]).unwrap();
    writer.write(1, 1, 1, false, &record(1, 0)).unwrap();
    let bytes = fs::read(whole.join("chunks-000.inq")).unwrap();
    let mut recording = follow(&agent.dir);
    let mut lengths = Vec::new();
    for length in 0..=bytes.len() {
        fs::write(agent.dir.join("chunks-000.inq"), &bytes[..length]).unwrap();
        recording.refresh().unwrap();
        assert_eq!(recording.damaged(), []);
        lengths.push(recording.frames().length_of(StreamId(1)));
    }
    lengths.dedup();
    assert_eq!(lengths, [0, 100, 109]);
    fs::remove_file(agent.pool.path()).unwrap();
}
