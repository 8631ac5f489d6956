//! The table stream (stream 0): classes with their original bytes, layouts, types, threads, notes, long strings.
//! One sequence of `kind, length, payload` across its chunks; the agent encodes, the reader decodes, both here.

use std::borrow::Cow;

pub use crate::codes::{mark, note, numbered, string_flag, thread_flag, type_flag};
use crate::ids::{ClassId, MethodId, SiteId, StreamId, StringId, TypeId};
use crate::record::{long, short, word};

/// Flags of a layout.
pub mod layout_flag {
    /// The class declares `hashCode()`.
    pub const HASHES: u8 = 1;
}

/// What is recorded of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    Calls,
    Heap,
    Full,
    /// Writes to the heap below program calls.
    Library,
}

impl Detail {
    pub fn from_code(code: u8) -> Option<Detail> {
        [Detail::Calls, Detail::Heap, Detail::Full, Detail::Library].get(usize::from(code)).copied()
    }
}

/// Degraded: the method is recorded at detail `calls`, because it grew past the class file's limits.
pub const DEGRADED_TO_CALLS: u8 = 1;
/// Degraded: the method is not recorded at all.
pub const NOT_RECORDED: u8 = 2;
/// Flag of a class of which nothing is recorded.
pub const CLASS_NOT_RECORDED: u8 = 1;
/// Flag of a class of a library whose writes by offset and by handle are recorded too.
pub const CLASS_SWAPS_RECORDED: u8 = 2;
/// Flag of the class that is meant where a call is linked by the name of a class: the first of that name.
pub const CLASS_LINKS: u8 = 4;
/// Flag of a class record that says which of its calls are announced.
const CLASS_ANNOUNCES: u8 = 8;

#[derive(Clone, Debug, PartialEq)]
pub struct ClassRecord<'a> {
    pub class: ClassId,
    pub first_method: MethodId,
    pub methods: u16,
    pub detail: Detail,
    pub flags: u8,
    pub loader: u32,
    /// Modified UTF-8, with slashes.
    pub name: &'a [u8],
    /// Where it was loaded from.
    pub source: &'a [u8],
    /// (index of the method in its class, reason)
    pub degraded: Cow<'a, [(u16, u8)]>,
    pub first_site: SiteId,
    /// (index of the method in its class, bci)
    pub sites: Cow<'a, [(u16, u16)]>,
    /// The original class file.
    pub bytes: &'a [u8],
    /// Which methods are announced where its code calls them, as indices into its constant pool, ascending.
    pub announced: Cow<'a, [u16]>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TypeRecord<'a> {
    pub ty: TypeId,
    pub loader: u32,
    /// `ClassId::NONE` for a type without class record.
    pub class: ClassId,
    /// `TypeId::NONE` for none.
    pub super_type: TypeId,
    pub flags: u8,
    pub name: &'a [u8],
}

#[derive(Clone, Debug, PartialEq)]
pub struct ThreadRecord<'a> {
    pub stream: StreamId,
    pub thread: u64,
    pub flags: u8,
    pub name: &'a [u8],
    /// Nanoseconds since the recording's start.
    pub started: u64,
}

/// What is known of a class of a library whose code is not in the recording: enough to say what its objects hold.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutRecord<'a> {
    pub class: ClassId,
    pub loader: u32,
    /// See [`layout_flag`].
    pub flags: u8,
    /// Modified UTF-8, with slashes.
    pub name: &'a [u8],
    /// Empty if there is none.
    pub super_name: &'a [u8],
    /// Name and descriptor of the instance fields that it declares and that are recorded.
    pub fields: Vec<(&'a [u8], &'a [u8])>,
}

/// Which numbers a stream defines from here on: so a definition is found without reading every stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumbersRecord {
    pub stream: StreamId,
    /// See [`numbered`].
    pub kind: u8,
    pub first: u32,
    /// The first number behind them. Of constants of enums, `first` is the type and this is the ordinal.
    pub end: u32,
}

/// Something about a stream, and the counter of ordering points at that moment: what a stream has is numbered above that
/// of its beginning, and not above that of its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkRecord {
    pub stream: StreamId,
    /// See [`mark`].
    pub what: u8,
    pub ordering: u64,
}

/// An outermost call of a stream ended by an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedRecord {
    pub stream: StreamId,
    /// `MethodId(u32::MAX)` if it is not known.
    pub method: MethodId,
    /// The exception's.
    pub ty: TypeId,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TableRecord<'a> {
    Class(ClassRecord<'a>),
    Layout(LayoutRecord<'a>),
    Type(TypeRecord<'a>),
    Thread(ThreadRecord<'a>),
    Note {
        code: u8,
        text: &'a [u8],
    },
    String {
        id: StringId,
        chars: u32,
        flags: u8,
        data: &'a [u8],
    },
    /// Name and descriptor of the instance fields of a library class, its own first, then its superclasses'.
    Fields {
        ty: TypeId,
        fields: Vec<(&'a [u8], &'a [u8])>,
    },
    Numbers(NumbersRecord),
    Mark(MarkRecord),
    Failed(FailedRecord),
}

const CLASS: u8 = 1;
const TYPE: u8 = 2;
const THREAD: u8 = 3;
const NOTE: u8 = 4;
const STRING: u8 = 5;
const FIELDS: u8 = 6;
const LAYOUT: u8 = 7;
const NUMBERS: u8 = 8;
const MARK: u8 = 9;
const FAILED: u8 = 10;

pub fn encode_class(out: &mut Vec<u8>, class: &ClassRecord<'_>) {
    record(out, CLASS, |out| {
        put32(out, class.class.0);
        put32(out, class.first_method.0);
        put16(out, class.methods);
        let announces = if class.announced.is_empty() { 0 } else { CLASS_ANNOUNCES };
        out.extend_from_slice(&[class.detail as u8, class.flags | announces]);
        put32(out, class.loader);
        put_text(out, class.name);
        put_text(out, class.source);
        put16(out, class.degraded.len() as u16);
        for &(method, reason) in class.degraded.iter().take(usize::from(u16::MAX)) {
            put16(out, method);
            out.push(reason);
        }
        put32(out, class.first_site.0);
        put32(out, class.sites.len() as u32);
        for &(method, bci) in class.sites.iter() {
            put16(out, method);
            put16(out, bci);
        }
        put32(out, class.bytes.len() as u32);
        out.extend_from_slice(class.bytes);
        if announces != 0 {
            put16(out, class.announced.len() as u16);
            class.announced.iter().for_each(|&index| put16(out, index));
        }
    });
}

pub fn encode_type(out: &mut Vec<u8>, ty: &TypeRecord<'_>) {
    record(out, TYPE, |out| {
        put32(out, ty.ty.0);
        put32(out, ty.loader);
        put32(out, ty.class.0);
        put32(out, ty.super_type.0);
        out.push(ty.flags);
        put_text(out, ty.name);
    });
}

pub fn encode_thread(out: &mut Vec<u8>, thread: &ThreadRecord<'_>) {
    record(out, THREAD, |out| {
        put32(out, thread.stream.0);
        out.extend_from_slice(&thread.thread.to_le_bytes());
        out.push(thread.flags);
        put_text(out, thread.name);
        out.extend_from_slice(&thread.started.to_le_bytes());
    });
}

pub fn encode_numbers(out: &mut Vec<u8>, numbers: &NumbersRecord) {
    record(out, NUMBERS, |out| {
        put32(out, numbers.stream.0);
        out.push(numbers.kind);
        put32(out, numbers.first);
        put32(out, numbers.end);
    });
}

pub fn encode_mark(out: &mut Vec<u8>, mark: &MarkRecord) {
    record(out, MARK, |out| {
        put32(out, mark.stream.0);
        out.push(mark.what);
        out.extend_from_slice(&mark.ordering.to_le_bytes());
    });
}

pub fn encode_failed(out: &mut Vec<u8>, failed: &FailedRecord) {
    record(out, FAILED, |out| {
        put32(out, failed.stream.0);
        put32(out, failed.method.0);
        put32(out, failed.ty.0);
    });
}

pub fn encode_note(out: &mut Vec<u8>, code: u8, text: &[u8]) {
    record(out, NOTE, |out| {
        out.push(code);
        put_text(out, text);
    });
}

pub fn encode_string(out: &mut Vec<u8>, id: StringId, chars: u32, flags: u8, data: &[u8]) {
    record(out, STRING, |out| {
        put32(out, id.0);
        put32(out, chars);
        out.push(flags);
        put32(out, data.len() as u32);
        out.extend_from_slice(data);
    });
}

pub fn encode_layout(out: &mut Vec<u8>, layout: &LayoutRecord<'_>) {
    record(out, LAYOUT, |out| {
        put32(out, layout.class.0);
        put32(out, layout.loader);
        out.push(layout.flags);
        put_text(out, layout.name);
        put_text(out, layout.super_name);
        put_names(out, &layout.fields);
    });
}

pub fn encode_fields(out: &mut Vec<u8>, ty: TypeId, fields: &[(&[u8], &[u8])]) {
    record(out, FIELDS, |out| {
        put32(out, ty.0);
        put_names(out, fields);
    });
}

/// Names with their descriptors.
fn put_names(out: &mut Vec<u8>, names: &[(&[u8], &[u8])]) {
    let names = &names[..names.len().min(usize::from(u16::MAX))];
    put16(out, names.len() as u16);
    for (name, descriptor) in names {
        put_text(out, name);
        put_text(out, descriptor);
    }
}

/// Decodes the record at the start of `bytes` and says how long it is; `None` if it is cut short or malformed.
pub fn decode(bytes: &[u8]) -> Option<(TableRecord<'_>, usize)> {
    let length = word(bytes, 1)? as usize;
    let mut fields = Fields(bytes.get(5..5usize.checked_add(length)?)?);
    let record = match bytes[0] {
        CLASS => TableRecord::Class(fields.class()?),
        TYPE => TableRecord::Type(TypeRecord {
            ty: TypeId(fields.u32()?),
            loader: fields.u32()?,
            class: ClassId(fields.u32()?),
            super_type: TypeId(fields.u32()?),
            flags: fields.u8()?,
            name: fields.text()?,
        }),
        THREAD => TableRecord::Thread(ThreadRecord {
            stream: StreamId(fields.u32()?),
            thread: fields.u64()?,
            flags: fields.u8()?,
            name: fields.text()?,
            started: fields.u64()?,
        }),
        NOTE => TableRecord::Note { code: fields.u8()?, text: fields.text()? },
        STRING => TableRecord::String {
            id: StringId(fields.u32()?),
            chars: fields.u32()?,
            flags: fields.u8()?,
            data: {
                let size = fields.u32()? as usize;
                fields.take(size)?
            },
        },
        FIELDS => TableRecord::Fields { ty: TypeId(fields.u32()?), fields: fields.names()? },
        LAYOUT => TableRecord::Layout(LayoutRecord {
            class: ClassId(fields.u32()?),
            loader: fields.u32()?,
            flags: fields.u8()?,
            name: fields.text()?,
            super_name: fields.text()?,
            fields: fields.names()?,
        }),
        NUMBERS => TableRecord::Numbers(NumbersRecord {
            stream: StreamId(fields.u32()?),
            kind: fields.u8()?,
            first: fields.u32()?,
            end: fields.u32()?,
        }),
        MARK => TableRecord::Mark(MarkRecord {
            stream: StreamId(fields.u32()?),
            what: fields.u8()?,
            ordering: fields.u64()?,
        }),
        FAILED => TableRecord::Failed(FailedRecord {
            stream: StreamId(fields.u32()?),
            method: MethodId(fields.u32()?),
            ty: TypeId(fields.u32()?),
        }),
        _ => return None,
    };
    fields.0.is_empty().then_some((record, 5 + length))
}

/// Goes through the records of one unbroken piece of the table stream. A piece after a loss may start inside a
/// record: then the first place from which a record can be read is searched. Says how many bytes were no record.
pub fn for_each<'a>(piece: &'a [u8], mut see: impl FnMut(TableRecord<'a>)) -> usize {
    let mut at = 0;
    let mut skipped = 0;
    while at < piece.len() {
        match decode(&piece[at..]) {
            Some((record, length)) => {
                see(record);
                at += length;
            }
            None => {
                at += 1;
                skipped += 1;
            }
        }
    }
    skipped
}

fn record(out: &mut Vec<u8>, kind: u8, payload: impl FnOnce(&mut Vec<u8>)) {
    out.push(kind);
    let at = out.len();
    put32(out, 0);
    payload(out);
    let length = (out.len() - at - 4) as u32;
    out[at..at + 4].copy_from_slice(&length.to_le_bytes());
}

fn put16(out: &mut Vec<u8>, value: u16) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn put32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

/// A text that is longer than its length field can say is cut.
fn put_text(out: &mut Vec<u8>, text: &[u8]) {
    let text = &text[..text.len().min(usize::from(u16::MAX))];
    put16(out, text.len() as u16);
    out.extend_from_slice(text);
}

/// What is left of a payload.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, size: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(size)?;
        self.0 = rest;
        Some(taken)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn u16(&mut self) -> Option<u16> {
        short(self.take(2)?, 0)
    }

    fn u32(&mut self) -> Option<u32> {
        word(self.take(4)?, 0)
    }

    fn u64(&mut self) -> Option<u64> {
        long(self.take(8)?, 0).map(|value| value as u64)
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let size = usize::from(self.u16()?);
        self.take(size)
    }

    fn names(&mut self) -> Option<Vec<(&'a [u8], &'a [u8])>> {
        let count = self.u16()?;
        (0..count).map(|_| Some((self.text()?, self.text()?))).collect()
    }

    fn class(&mut self) -> Option<ClassRecord<'a>> {
        let mut class = ClassRecord {
            class: ClassId(self.u32()?),
            first_method: MethodId(self.u32()?),
            methods: self.u16()?,
            detail: Detail::from_code(self.u8()?)?,
            flags: self.u8()?,
            loader: self.u32()?,
            name: self.text()?,
            source: self.text()?,
            degraded: {
                let count = usize::from(self.u16()?);
                let entries = self.take(count * 3)?.chunks_exact(3);
                entries.map(|entry| (u16::from_le_bytes([entry[0], entry[1]]), entry[2])).collect()
            },
            first_site: SiteId(self.u32()?),
            sites: {
                let count = self.u32()? as usize;
                let entries = self.take(count.checked_mul(4)?)?.chunks_exact(4);
                let pair = |entry: &[u8]| {
                    (u16::from_le_bytes([entry[0], entry[1]]), u16::from_le_bytes([entry[2], entry[3]]))
                };
                entries.map(pair).collect()
            },
            bytes: {
                let size = self.u32()? as usize;
                self.take(size)?
            },
            announced: Cow::Borrowed(&[]),
        };
        if class.flags & CLASS_ANNOUNCES != 0 {
            class.flags &= !CLASS_ANNOUNCES;
            let count = self.u16()?;
            class.announced = (0..count).map(|_| self.u16()).collect::<Option<Vec<_>>>()?.into();
        }
        Some(class)
    }
}
