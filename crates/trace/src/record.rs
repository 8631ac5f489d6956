//! The records of a thread stream: tags, framing, typed access. Framing needs no knowledge of classes, so the
//! collector can find the valid part of a chunk and every reader can step over what it does not want.

use crate::ids::{MethodId, ObjectId, SiteId, StringId, TypeId};

/// Tags as in docs/format.md, which writes them in hexadecimal.
pub mod tag {
    pub use crate::codes::tag::*;

    /// Values: they stand by themselves or after a record that announces them.
    pub fn is_value(tag: u8) -> bool {
        (I32..=I16).contains(&tag) || tag >= TINY
    }

    /// The number in a tag from `TINY` on.
    #[inline]
    pub fn tiny(tag: u8) -> i32 {
        i32::from(tag - TINY) - 1
    }

    /// Definitions that may stand before any record and are no events. (34–36 are events: they have a time.)
    pub fn is_definition(tag: u8) -> bool {
        (OBJECT..=DOUBT).contains(&tag)
    }
}

/// One record. Values that a record announces are records of their own and are not part of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Record<'a> {
    End,
    I32(i32),
    I64(i64),
    /// 0 = null, `ObjectId::UNIDENTIFIED` = not known which.
    Ref(u32),
    Str(StringId),
    Box {
        kind: u8,
        bits: i32,
    },
    Box64 {
        kind: u8,
        bits: i64,
    },
    Class(TypeId),
    Enum {
        ty: TypeId,
        ordinal: u16,
    },
    Enter(MethodId),
    Exit,
    Unwind {
        depth: u32,
    },
    Catch {
        depth: u32,
        handler: u16,
    },
    Return,
    Seq(u64),
    Stop {
        reason: u8,
    },
    ExitValue,
    /// The call that was announced after so many linked calls is not linked.
    Unlinked {
        links: u32,
    },
    /// So many calls were linked so far in the outermost call.
    Links(u32),
    Object {
        id: ObjectId,
        ty: TypeId,
    },
    Array {
        id: ObjectId,
        ty: TypeId,
        length: u32,
    },
    String {
        id: StringId,
        chars: u32,
        flags: u8,
        data: &'a [u8],
    },
    EnumObject {
        id: ObjectId,
        ty: TypeId,
        ordinal: u16,
        name: StringId,
    },
    Exception {
        id: ObjectId,
        message: StringId,
    },
    EnumName {
        ty: TypeId,
        ordinal: u16,
        name: StringId,
    },
    Doubt(ObjectId),
    Field(SiteId),
    Static(SiteId),
    Element(SiteId),
    Copy(SiteId),
    /// What a library object holds: `count` values follow.
    Fields {
        id: ObjectId,
        count: u8,
    },
    /// Elements of a primitive array; `data` holds them little-endian, each of the size of `kind`.
    Content {
        id: ObjectId,
        length: u32,
        from: u32,
        count: u16,
        kind: u8,
        data: &'a [u8],
    },
    /// Elements of an array of references: `count` values follow.
    Contents {
        id: ObjectId,
        length: u32,
        from: u32,
        count: u16,
    },
    Call {
        site: SiteId,
        values: u8,
    },
    New(SiteId),
}

/// Bytes of one element of a primitive array, by its descriptor letter.
pub fn element_size(kind: u8) -> Option<usize> {
    Some(match kind {
        b'Z' | b'B' => 1,
        b'C' | b'S' => 2,
        b'I' | b'F' => 4,
        b'J' | b'D' => 8,
        _ => return None,
    })
}

/// Length of the record at the start of `bytes`, tag included; `None` if it is unknown or cut short.
#[inline]
pub fn length(bytes: &[u8]) -> Option<usize> {
    let fixed = LENGTHS[usize::from(*bytes.first()?)];
    let length = match fixed {
        0 => return None,
        VARIABLE => match bytes[0] {
            tag::STRING => 12 + usize::from(short(bytes, 10)?),
            _ => 16 + usize::from(short(bytes, 13)?) * element_size(*bytes.get(15)?)?,
        },
        fixed => usize::from(fixed),
    };
    (length <= bytes.len()).then_some(length)
}

/// The methods that whole records at the start of `bytes` enter. Other records are only stepped over, which is all that counting takes.
pub fn for_each_entered(bytes: &[u8], mut see: impl FnMut(MethodId)) {
    let mut at = 0;
    while let Some(length) = length(&bytes[at..]) {
        if matches!(bytes[at], tag::ENTER | tag::ENTER_SHORT)
            && let Some((Record::Enter(method), _)) = decode(&bytes[at..])
        {
            see(method);
        }
        at += length;
    }
}

/// How many bytes at the start of `bytes` are whole records: up to the first end tag, or to the first thing
/// that is no record. This is the valid part of a chunk that its thread still owns.
pub fn valid_len(bytes: &[u8]) -> usize {
    let mut at = 0;
    while at < bytes.len() && bytes[at] != tag::END {
        match length(&bytes[at..]) {
            Some(length) => at += length,
            None => break,
        }
    }
    at
}

/// As `valid_len`, for a chunk whose thread is writing to it. Threads write a record's length before its data, and a
/// record before the next, but a tag before what follows it. So a record is whole if something behind it had been
/// `begun` before `bytes` were copied; the last one, only if it is written at one stroke and was the same in an
/// earlier copy (`steady`).
pub fn live_len(bytes: &[u8], begun: usize, steady: usize) -> usize {
    let mut at = 0;
    while at < bytes.len() && bytes[at] != tag::END {
        let Some(length) = length(&bytes[at..]) else { break };
        let end = at + length;
        if end >= begun && !(end <= steady && is_one_stroke(bytes[at])) {
            break;
        }
        at = end;
    }
    at
}

/// Does the recorder write such a record with a single store?
fn is_one_stroke(tag: u8) -> bool {
    (tag::is_value(tag) && !matches!(tag, tag::I64 | tag::BOX64))
        || (tag::ENTER..=tag::LINKS).contains(&tag)
        || (tag::FIELD..=tag::FIELDS).contains(&tag)
        || matches!(tag, tag::DOUBT | tag::NEW)
}

/// Decodes the record at the start of `bytes` and says how long it is.
pub fn decode(bytes: &[u8]) -> Option<(Record<'_>, usize)> {
    let length = length(bytes)?;
    let body = &bytes[1..length];
    let u32_at = |at: usize| word(body, at).unwrap_or(0);
    let u16_at = |at: usize| short(body, at).unwrap_or(0);
    let object = |at: usize| ObjectId(u32_at(at));
    let record = match bytes[0] {
        tag::END => Record::End,
        tag::I32 => Record::I32(u32_at(0) as i32),
        tag::I64 => Record::I64(long(body, 0).unwrap_or(0)),
        tag::REF => Record::Ref(u32_at(0)),
        tag::STR => Record::Str(StringId(u32_at(0))),
        tag::BOX => Record::Box { kind: body[0], bits: u32_at(1) as i32 },
        tag::BOX64 => Record::Box64 { kind: body[0], bits: long(body, 1).unwrap_or(0) },
        tag::CLASS => Record::Class(TypeId(u32_at(0))),
        tag::ENUM => Record::Enum { ty: TypeId(u32_at(0)), ordinal: u16_at(4) },
        tag::I8 => Record::I32(body[0] as i8 as i32),
        tag::I16 => Record::I32(i32::from(u16_at(0) as i16)),
        tag::NULL => Record::Ref(0),
        tiny if tiny >= tag::TINY => Record::I32(tag::tiny(tiny)),
        tag::ENTER => Record::Enter(MethodId(u32_at(0))),
        tag::ENTER_SHORT => Record::Enter(MethodId(u16_at(0).into())),
        tag::EXIT => Record::Exit,
        tag::UNWIND => Record::Unwind { depth: u32_at(0) },
        tag::CATCH => Record::Catch { depth: u32_at(0), handler: u16_at(4) },
        tag::RETURN => Record::Return,
        tag::SEQ => Record::Seq(u64::from(u32_at(0)) | u64::from(u32_at(3) >> 8) << 32),
        tag::STOP => Record::Stop { reason: body[0] },
        tag::EXIT_VALUE => Record::ExitValue,
        tag::UNLINKED => Record::Unlinked { links: u32_at(0) },
        tag::LINKS => Record::Links(u32_at(0)),
        tag::OBJECT => Record::Object { id: object(0), ty: TypeId(u32_at(4)) },
        tag::ARRAY => Record::Array { id: object(0), ty: TypeId(u32_at(4)), length: u32_at(8) },
        tag::STRING => {
            Record::String { id: StringId(u32_at(0)), chars: u32_at(4), flags: body[8], data: &body[11..] }
        }
        tag::ENUM_OBJECT => Record::EnumObject {
            id: object(0),
            ty: TypeId(u32_at(4)),
            ordinal: u16_at(8),
            name: StringId(u32_at(10)),
        },
        tag::EXCEPTION => Record::Exception { id: object(0), message: StringId(u32_at(4)) },
        tag::ENUM_NAME => {
            Record::EnumName { ty: TypeId(u32_at(0)), ordinal: u16_at(4), name: StringId(u32_at(6)) }
        }
        tag::DOUBT => Record::Doubt(object(0)),
        tag::FIELD => Record::Field(SiteId(u32_at(0))),
        tag::STATIC => Record::Static(SiteId(u32_at(0))),
        tag::ELEMENT => Record::Element(SiteId(u32_at(0))),
        tag::COPY => Record::Copy(SiteId(u32_at(0))),
        tag::FIELDS => Record::Fields { id: object(0), count: body[4] },
        tag::CONTENT => Record::Content {
            id: object(0),
            length: u32_at(4),
            from: u32_at(8),
            count: u16_at(12),
            kind: body[14],
            data: &body[15..],
        },
        tag::CONTENTS => {
            Record::Contents { id: object(0), length: u32_at(4), from: u32_at(8), count: u16_at(12) }
        }
        tag::CALL => Record::Call { site: SiteId(u32_at(0)), values: body[4] },
        tag::NEW => Record::New(SiteId(u32_at(0))),
        _ => return None,
    };
    Some((record, length))
}

/// The records of a piece of a thread stream, one after the other; ends at the first thing that is none.
pub struct Records<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Records<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Records { bytes, at: 0 }
    }

    /// How far it got.
    pub fn offset(&self) -> usize {
        self.at
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        let (record, length) = decode(&self.bytes[self.at..])?;
        self.at += length;
        Some(record)
    }
}

impl Record<'_> {
    /// Appends the record's bytes. Lengths that do not fit their field are the caller's mistake.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let mut put = |tag: u8, parts: &[&[u8]]| {
            out.push(tag);
            parts.iter().for_each(|part| out.extend_from_slice(part));
        };
        match *self {
            Record::End => put(tag::END, &[]),
            Record::I32(v) => put(tag::I32, &[&v.to_le_bytes()]),
            Record::I64(v) => put(tag::I64, &[&v.to_le_bytes()]),
            Record::Ref(id) => put(tag::REF, &[&id.to_le_bytes()]),
            Record::Str(id) => put(tag::STR, &[&id.0.to_le_bytes()]),
            Record::Box { kind, bits } => put(tag::BOX, &[&[kind], &bits.to_le_bytes()]),
            Record::Box64 { kind, bits } => put(tag::BOX64, &[&[kind], &bits.to_le_bytes()]),
            Record::Class(ty) => put(tag::CLASS, &[&ty.0.to_le_bytes()]),
            Record::Enum { ty, ordinal } => {
                put(tag::ENUM, &[&ty.0.to_le_bytes(), &ordinal.to_le_bytes()]);
            }
            Record::Enter(method) => put(tag::ENTER, &[&method.0.to_le_bytes()]),
            Record::Exit => put(tag::EXIT, &[]),
            Record::Unwind { depth } => put(tag::UNWIND, &[&depth.to_le_bytes()]),
            Record::Catch { depth, handler } => {
                put(tag::CATCH, &[&depth.to_le_bytes(), &handler.to_le_bytes()]);
            }
            Record::Return => put(tag::RETURN, &[]),
            Record::Seq(number) => put(tag::SEQ, &[&number.to_le_bytes()[..7]]),
            Record::Stop { reason } => put(tag::STOP, &[&[reason]]),
            Record::ExitValue => put(tag::EXIT_VALUE, &[]),
            Record::Links(count) => put(tag::LINKS, &[&count.to_le_bytes()]),
            Record::Unlinked { links } => put(tag::UNLINKED, &[&links.to_le_bytes()]),
            Record::Object { id, ty } => put(tag::OBJECT, &[&id.0.to_le_bytes(), &ty.0.to_le_bytes()]),
            Record::Array { id, ty, length } => {
                put(tag::ARRAY, &[&id.0.to_le_bytes(), &ty.0.to_le_bytes(), &length.to_le_bytes()]);
            }
            Record::String { id, chars, flags, data } => {
                let size = (data.len() as u16).to_le_bytes();
                put(tag::STRING, &[&id.0.to_le_bytes(), &chars.to_le_bytes(), &[flags], &size, data]);
            }
            Record::EnumObject { id, ty, ordinal, name } => put(
                tag::ENUM_OBJECT,
                &[&id.0.to_le_bytes(), &ty.0.to_le_bytes(), &ordinal.to_le_bytes(), &name.0.to_le_bytes()],
            ),
            Record::Exception { id, message } => {
                put(tag::EXCEPTION, &[&id.0.to_le_bytes(), &message.0.to_le_bytes()]);
            }
            Record::EnumName { ty, ordinal, name } => {
                put(tag::ENUM_NAME, &[&ty.0.to_le_bytes(), &ordinal.to_le_bytes(), &name.0.to_le_bytes()]);
            }
            Record::Doubt(id) => put(tag::DOUBT, &[&id.0.to_le_bytes()]),
            Record::Field(site) => put(tag::FIELD, &[&site.0.to_le_bytes()]),
            Record::Static(site) => put(tag::STATIC, &[&site.0.to_le_bytes()]),
            Record::Element(site) => put(tag::ELEMENT, &[&site.0.to_le_bytes()]),
            Record::Copy(site) => put(tag::COPY, &[&site.0.to_le_bytes()]),
            Record::Fields { id, count } => put(tag::FIELDS, &[&id.0.to_le_bytes(), &[count]]),
            Record::Content { id, length, from, count, kind, data } => {
                let (id, length, from) = (id.0.to_le_bytes(), length.to_le_bytes(), from.to_le_bytes());
                put(tag::CONTENT, &[&id, &length, &from, &count.to_le_bytes(), &[kind], data]);
            }
            Record::Contents { id, length, from, count } => {
                let (id, length, from) = (id.0.to_le_bytes(), length.to_le_bytes(), from.to_le_bytes());
                put(tag::CONTENTS, &[&id, &length, &from, &count.to_le_bytes()]);
            }
            Record::Call { site, values } => put(tag::CALL, &[&site.0.to_le_bytes(), &[values]]),
            Record::New(site) => put(tag::NEW, &[&site.0.to_le_bytes()]),
        }
    }
}

const VARIABLE: u8 = 255;

/// Length of each record by its tag: 0 = no such tag, `VARIABLE` = it says itself.
static LENGTHS: [u8; 256] = {
    let mut lengths = [0; 256];
    let fixed = [
        (tag::END, 1),
        (tag::I32, 5),
        (tag::I64, 9),
        (tag::REF, 5),
        (tag::STR, 5),
        (tag::BOX, 6),
        (tag::BOX64, 10),
        (tag::CLASS, 5),
        (tag::ENUM, 7),
        (tag::I8, 2),
        (tag::NULL, 1),
        (tag::I16, 3),
        (tag::ENTER, 5),
        (tag::ENTER_SHORT, 3),
        (tag::EXIT, 1),
        (tag::UNWIND, 5),
        (tag::CATCH, 7),
        (tag::RETURN, 1),
        (tag::SEQ, 8),
        (tag::STOP, 2),
        (tag::EXIT_VALUE, 1),
        (tag::UNLINKED, 5),
        (tag::LINKS, 5),
        (tag::OBJECT, 9),
        (tag::ARRAY, 13),
        (tag::STRING, VARIABLE),
        (tag::ENUM_OBJECT, 15),
        (tag::EXCEPTION, 9),
        (tag::ENUM_NAME, 11),
        (tag::DOUBT, 5),
        (tag::FIELD, 5),
        (tag::STATIC, 5),
        (tag::ELEMENT, 5),
        (tag::COPY, 5),
        (tag::FIELDS, 6),
        (tag::CONTENT, VARIABLE),
        (tag::CONTENTS, 15),
        (tag::CALL, 6),
        (tag::NEW, 5),
    ];
    let mut i = 0;
    while i < fixed.len() {
        lengths[fixed[i].0 as usize] = fixed[i].1;
        i += 1;
    }
    let mut tiny = tag::TINY as usize;
    while tiny < lengths.len() {
        lengths[tiny] = 1;
        tiny += 1;
    }
    lengths
};

#[inline]
pub(crate) fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

#[inline]
pub(crate) fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[inline]
pub(crate) fn long(bytes: &[u8], at: usize) -> Option<i64> {
    Some(i64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}
