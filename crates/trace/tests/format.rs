//! The format's reader and writer against each other, and against bytes that nobody wrote.

use std::borrow::Cow;
use std::fs;

use proptest::collection::vec;
use proptest::prelude::*;
use trace::frame::{FrameWriter, HEADER};
use trace::frame_reader::{FrameReader, Piece};
use trace::record::{self, Record, Records, tag};
use trace::tables::{
    self, ClassRecord, Detail, FailedRecord, MarkRecord, NumbersRecord, TableRecord, ThreadRecord, TypeRecord,
};
use trace::{ClassId, Manifest, MethodId, ObjectId, SiteId, StreamId, StringId, TypeId};

/// A record that owns its data, so that it can be generated.
#[derive(Clone, Debug)]
struct Made {
    tag: u8,
    a: u32,
    b: u32,
    c: u16,
    long: i64,
    data: Vec<u8>,
}

impl Made {
    fn record(&self) -> Record<'_> {
        let Made { tag, a, b, c, long, ref data } = *self;
        let (id, ty, site) = (ObjectId(a), TypeId(b), SiteId(a));
        match tag {
            tag::I32 => Record::I32(a as i32),
            tag::I64 => Record::I64(long),
            tag::REF => Record::Ref(a),
            tag::STR => Record::Str(StringId(a)),
            tag::BOX => Record::Box { kind: b'I', bits: a as i32 },
            tag::BOX64 => Record::Box64 { kind: b'D', bits: long },
            tag::CLASS => Record::Class(ty),
            tag::ENUM => Record::Enum { ty, ordinal: c },
            tag::ENTER => Record::Enter(MethodId(a)),
            tag::EXIT => Record::Exit,
            tag::UNWIND => Record::Unwind { depth: a },
            tag::CATCH => Record::Catch { depth: a, handler: c },
            tag::RETURN => Record::Return,
            tag::SEQ => Record::Seq(long as u64 >> 8),
            tag::STOP => Record::Stop { reason: c as u8 },
            tag::EXIT_VALUE => Record::ExitValue,
            tag::OBJECT => Record::Object { id, ty },
            tag::ARRAY => Record::Array { id, ty, length: a },
            tag::STRING => Record::String { id: StringId(a), chars: b, flags: 1, data },
            tag::ENUM_OBJECT => Record::EnumObject { id, ty, ordinal: c, name: StringId(a) },
            tag::EXCEPTION => Record::Exception { id, message: StringId(b) },
            tag::ENUM_NAME => Record::EnumName { ty, ordinal: c, name: StringId(a) },
            tag::DOUBT => Record::Doubt(id),
            tag::FIELD => Record::Field(site),
            tag::STATIC => Record::Static(site),
            tag::ELEMENT => Record::Element(site),
            tag::COPY => Record::Copy(site),
            tag::CONTENT => {
                let count = (data.len() / 4) as u16;
                let data = &data[..usize::from(count) * 4];
                Record::Content { id, length: a, from: b, count, kind: b'F', data }
            }
            tag::FIELDS => Record::Fields { id, count: c as u8 },
            tag::CONTENTS => Record::Contents { id, length: a, from: b, count: c },
            tag::CALL => Record::Call { site, values: c as u8 },
            _ => Record::New(site),
        }
    }
}

fn made() -> impl Strategy<Value = Made> {
    let tag = prop_oneof![1..9u8, 0x10..0x18u8, 0x20..0x27u8, 0x30..0x37u8, Just(0x40), Just(0x43)];
    (tag, any::<u32>(), any::<u32>(), any::<u16>(), any::<i64>(), vec(any::<u8>(), 0..600))
        .prop_map(|(tag, a, b, c, long, data)| Made { tag, a, b, c, long, data })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn records_are_read_as_they_were_written(list in vec(made(), 0..30)) {
        let mut bytes = Vec::new();
        list.iter().for_each(|made| made.record().encode(&mut bytes));
        let read: Vec<Record<'_>> = Records::new(&bytes).collect();
        let written: Vec<Record<'_>> = list.iter().map(Made::record).collect();
        prop_assert_eq!(read, written);
        prop_assert_eq!(record::valid_len(&bytes), bytes.len());
        // What follows in a chunk that is not full yet is zero.
        bytes.extend([0; 20]);
        prop_assert_eq!(record::valid_len(&bytes), bytes.len() - 20);
    }

    #[test]
    fn a_record_that_is_cut_is_not_valid(made in made()) {
        let mut bytes = Vec::new();
        Record::Exit.encode(&mut bytes);
        made.record().encode(&mut bytes);
        for cut in 1..bytes.len() {
            prop_assert_eq!(record::valid_len(&bytes[..cut]), 1, "cut at {}", cut);
        }
    }

    #[test]
    fn no_bytes_make_the_decoders_panic(bytes in vec(any::<u8>(), 0..300)) {
        let valid = record::valid_len(&bytes);
        prop_assert!(valid <= bytes.len());
        let mut records = Records::new(&bytes);
        records.by_ref().count();
        prop_assert!(records.offset() >= valid);
        let mut found = 0;
        let skipped = tables::for_each(&bytes, |_| found += 1);
        prop_assert!(skipped <= bytes.len());
    }

    #[test]
    fn frames_are_read_as_they_were_written(
        list in vec((0..4u32, 1..4u16, vec(prop_oneof![Just(7u8), any::<u8>()], 0..3000)), 1..20),
        limit in 1..20_000u64,
    ) {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = FrameWriter::with_file_limit(dir.path(), limit).unwrap();
        let mut next = [0; 4];
        for (stream, chunks, raw) in &list {
            let chunk_number = &mut next[*stream as usize];
            writer.write(*stream, *chunk_number, *chunks, false, raw).unwrap();
            *chunk_number += u32::from(*chunks);
        }
        let reader = FrameReader::open(dir.path()).unwrap();
        prop_assert_eq!(reader.damaged(), &[]);
        prop_assert_eq!(reader.bytes(), writer.bytes_written());
        for stream in 0..4 {
            let written: Vec<&[u8]> =
                list.iter().filter(|frame| frame.0 == stream).map(|frame| frame.2.as_slice()).collect();
            prop_assert_eq!(contents(&reader, StreamId(stream)).concat(), written.concat());
        }
    }

    #[test]
    fn a_damaged_byte_costs_at_most_its_frame(at in 0..10_000usize, byte: u8) {
        let dir = tempfile::tempdir().unwrap();
        let frames = three_frames();
        let mut writer = FrameWriter::create(dir.path()).unwrap();
        for (chunk_number, frame) in frames.iter().enumerate() {
            writer.write(1, chunk_number as u32, 1, false, frame).unwrap();
        }
        let file = dir.path().join("chunks-000.inq");
        let mut bytes = fs::read(&file).unwrap();
        let at = at % bytes.len();
        prop_assume!(bytes[at] != byte);
        bytes[at] = byte;
        fs::write(&file, bytes).unwrap();
        let reader = FrameReader::open(dir.path()).unwrap();
        prop_assert!(!reader.damaged().is_empty());
        let left = contents(&reader, StreamId(1));
        prop_assert_eq!(left.len(), 2);
        prop_assert!(left.iter().all(|frame| frames.contains(frame)));
    }
}

#[test]
fn a_file_that_is_cut_anywhere_keeps_its_whole_frames() {
    let dir = tempfile::tempdir().unwrap();
    let frames = three_frames();
    let mut writer = FrameWriter::create(dir.path()).unwrap();
    let mut ends = vec![0];
    for (chunk_number, frame) in frames.iter().enumerate() {
        writer.write(1, chunk_number as u32, 1, chunk_number == 2, frame).unwrap();
        ends.push(writer.bytes_written() as usize);
    }
    let file = dir.path().join("chunks-000.inq");
    let bytes = fs::read(&file).unwrap();
    for cut in 0..=bytes.len() {
        fs::write(&file, &bytes[..cut]).unwrap();
        let reader = FrameReader::open(dir.path()).unwrap();
        let whole = ends.iter().filter(|&&end| end <= cut).count() - 1;
        assert_eq!(contents(&reader, StreamId(1)), frames[..whole], "cut at {cut}");
        assert_eq!(reader.damaged().is_empty(), ends.contains(&cut), "cut at {cut}");
        assert_eq!(reader.is_ended(StreamId(1)), whole == 3);
    }
}

#[test]
fn frames_are_read_whether_they_were_compressed_or_not() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = FrameWriter::create(dir.path()).unwrap();
    let frames = [vec![7; 5000], vec![8; 5000], vec![9; 5000]];
    let mut sizes = vec![0];
    for (chunk_number, frame) in frames.iter().enumerate() {
        writer.compresses = chunk_number != 1;
        writer.write(1, chunk_number as u32, 1, false, frame).unwrap();
        sizes.push(writer.bytes_written());
    }
    assert_eq!(contents(&FrameReader::open(dir.path()).unwrap(), StreamId(1)), frames);
    let sizes: Vec<u64> = sizes.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(sizes[1] == 5000 + HEADER as u64 && sizes[0] < 100 && sizes[2] < 100, "{sizes:?}");
}

#[test]
fn bytes_that_are_no_frames_are_stepped_over() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = FrameWriter::create(dir.path()).unwrap();
    writer.write(5, 0, 1, false, b"hello").unwrap();
    let file = dir.path().join("chunks-000.inq");
    let frame = fs::read(&file).unwrap();
    // A magic in the rubbish, one that claims four gigabytes, and one across the window's edge.
    let mut bytes = b"IQF1IQF1 rubbish".to_vec();
    bytes.extend([&b"IQF1"[..], &[0xff; HEADER - 4]].concat());
    bytes.resize((64 << 10) + 15, 0);
    bytes.extend(&frame);
    fs::write(&file, bytes).unwrap();
    let reader = FrameReader::open(dir.path()).unwrap();
    assert_eq!(contents(&reader, StreamId(5)), [b"hello"]);
    assert!(!reader.damaged().is_empty());
}

#[test]
fn a_missing_and_a_double_frame_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = FrameWriter::create(dir.path()).unwrap();
    for (chunk_number, chunks) in [(0, 2), (5, 1), (5, 1)] {
        writer.write(3, chunk_number, chunks, false, b"x").unwrap();
    }
    let reader = FrameReader::open(dir.path()).unwrap();
    let said: Vec<&str> = reader.damaged().iter().map(|damage| damage.what.as_str()).collect();
    assert_eq!(said, ["chunks 2 to 4 before this frame are missing", "frame 5 is there twice"]);
    assert!(matches!(
        reader.pieces(StreamId(3)),
        [Piece::Frame(_), Piece::Missing { chunks: 3 }, Piece::Frame(_)]
    ));
}

#[test]
fn tables_are_read_as_they_were_written_and_found_again_behind_a_hole() {
    let class = ClassRecord {
        class: ClassId(1),
        first_method: MethodId(10),
        methods: 2,
        detail: Detail::Full,
        flags: 1,
        loader: 3,
        name: b"demo/Main",
        source: b"app.jar",
        degraded: Cow::Borrowed(&[(1, 2)]),
        first_site: SiteId(4),
        sites: Cow::Borrowed(&[(0, 5), (1, 7)]),
        bytes: &[0xca, 0xfe],
        announced: Cow::Borrowed(&[3, 40]),
    };
    let ty = TypeRecord {
        ty: TypeId(9),
        loader: 0,
        class: ClassId(1),
        super_type: TypeId::NONE,
        flags: 4,
        name: b"demo/Main",
    };
    let thread =
        ThreadRecord { stream: StreamId(2), thread: 77, flags: 3, name: "wörker".as_bytes(), started: 5 };
    let mut bytes = Vec::new();
    tables::encode_class(&mut bytes, &class);
    tables::encode_type(&mut bytes, &ty);
    tables::encode_thread(&mut bytes, &thread);
    tables::encode_note(&mut bytes, 3, b"stopped");
    tables::encode_fields(&mut bytes, TypeId(9), &[(b"size", b"I"), (b"next", b"Ldemo/Main;")]);
    tables::encode_string(&mut bytes, StringId(8), 3, 0, b"abc");
    let stream = StreamId(2);
    let numbers = NumbersRecord { stream, kind: 2, first: 1024, end: 2048 };
    let mark = MarkRecord { stream, what: 1, ordering: 1 << 40 };
    let failed = FailedRecord { stream, method: MethodId(u32::MAX), ty: TypeId(9) };
    tables::encode_numbers(&mut bytes, &numbers);
    tables::encode_mark(&mut bytes, &mark);
    tables::encode_failed(&mut bytes, &failed);
    let written = [
        TableRecord::Numbers(numbers),
        TableRecord::Mark(mark),
        TableRecord::Failed(failed),
        TableRecord::Class(class),
        TableRecord::Type(ty),
        TableRecord::Thread(thread),
        TableRecord::Note { code: 3, text: b"stopped" },
        TableRecord::Fields { ty: TypeId(9), fields: vec![(b"size", b"I"), (b"next", b"Ldemo/Main;")] },
        TableRecord::String { id: StringId(8), chars: 3, flags: 0, data: b"abc" },
    ];
    let read = |bytes: &[u8]| {
        let mut count = 0;
        tables::for_each(bytes, |record| {
            assert!(written.contains(&record));
            count += 1;
        });
        count
    };
    assert_eq!(read(&bytes), written.len());
    for lost in 0..bytes.len() {
        assert_eq!(read(&bytes[lost..]), whole_records(&bytes, lost), "lost {lost}");
        let cut = &bytes[..lost];
        assert!(read(cut) <= written.len() - usize::from(lost < bytes.len()));
    }
}

#[test]
fn a_manifest_keeps_what_it_does_not_know_and_refuses_another_format() {
    let dir = tempfile::tempdir().unwrap();
    let none = Manifest::load(dir.path()).unwrap_err().to_string();
    assert!(none.contains("is not a recording"), "{none}");
    let mut manifest = Manifest { pid: 7, command: vec!["java".into()], ..Manifest::default() };
    manifest.more.insert("colour".into(), "blue".into());
    manifest.store(dir.path()).unwrap();
    assert_eq!(Manifest::load(dir.path()).unwrap(), manifest);
    let file = dir.path().join("manifest.json");
    fs::write(&file, r#"{"format": 7, "pid": "of another kind"}"#).unwrap();
    assert_eq!(
        Manifest::load(dir.path()).unwrap_err().to_string(),
        "this recording has format 7; this inquest reads formats up to 3: use a newer inquest"
    );
    for bad in ["", "{", "[]", r#"{"pid": 1}"#, r#"{"format": "one"}"#] {
        fs::write(&file, bad).unwrap();
        assert!(
            Manifest::load(dir.path()).unwrap_err().to_string().contains("cannot be understood"),
            "{bad}"
        );
    }
}

/// How many records start at or after an offset.
fn whole_records(bytes: &[u8], from: usize) -> usize {
    let mut at = 0;
    let mut count = 0;
    while let Some((_, length)) = tables::decode(&bytes[at..]) {
        count += usize::from(at >= from);
        at += length;
    }
    count
}

/// One that compresses, one that does not, one that is small.
fn three_frames() -> Vec<Vec<u8>> {
    let noise = (0..500u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8);
    vec![vec![9; 400], noise.collect(), b"end".to_vec()]
}

fn contents(reader: &FrameReader, stream: StreamId) -> Vec<Vec<u8>> {
    let frames = reader.pieces(stream).iter().filter_map(|piece| match piece {
        Piece::Frame(frame) => Some(reader.load(frame).unwrap()),
        Piece::Missing { .. } => None,
    });
    frames.collect()
}

#[test]
fn of_a_chunk_that_is_being_written_only_what_is_surely_whole_counts() {
    use trace::record::{live_len, valid_len};
    // seq, i64 0, string "ab", ref.
    let mut bytes = vec![0x15, 1, 0, 0, 0, 0, 0, 0];
    bytes.extend([2, 0, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend([0x22, 9, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, b'a', b'b']);
    bytes.extend([3, 7, 0, 0, 0]);
    let whole = bytes.len();
    bytes.resize(200, 0);
    assert_eq!((whole, valid_len(&bytes)), (36, 36));
    // (how far the first copy had anything, how far the copies agree, what counts)
    for (begun, steady, counts) in [
        (33, 200, 36), // the last record is written at one stroke, and stood there twice
        (33, 32, 31),  // it may have been half there
        (32, 200, 36),
        (31, 31, 17), // a string that nothing follows may lack its text
        (30, 200, 17),
        (9, 200, 8), // a long of which only the tag was seen
        (2, 200, 8),
        (2, 1, 0),
        (0, 200, 8),
    ] {
        assert_eq!(live_len(&bytes, begun, steady), counts, "{begun} {steady}");
    }
}
