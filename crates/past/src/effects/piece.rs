//! What was written, piece by piece: exact where it follows from what is recorded, marked where it does not. Texts are
//! kept as Java has them, in units of UTF-16.

use index::{CallId, Ending, Time};
use jdk::effects::{Edit, Taken, Unit};
use render::{Heap, KnownValue};
use trace::{ObjectId, Value};

use super::Deed;
use crate::past::{BareCall, Passed, Past};

/// Longer pieces are not read out of arrays.
const MAX_LENGTH: usize = 1 << 20;

#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    Text(Vec<u16>),
    Bytes(Vec<u8>),
    /// A format with its arguments, where the text depends on more than these: `text` is what it most likely is.
    Formatted {
        format: Vec<u16>,
        args: Vec<Value>,
        text: Option<Vec<u16>>,
    },
    /// A value (with its descriptor), in a form that is not known: what its own `toString` gave, or bytes.
    Value(Value, String),
    Unknown,
}

/// Is all of it known to the letter?
pub fn is_exact(pieces: &[Piece]) -> bool {
    pieces.iter().all(|piece| matches!(piece, Piece::Text(_) | Piece::Bytes(_)))
}

/// Pieces with those that follow each other joined.
pub fn joined<'p>(pieces: impl IntoIterator<Item = &'p Piece>) -> Vec<Piece> {
    let mut all: Vec<Piece> = Vec::new();
    for piece in pieces {
        match (all.last_mut(), piece) {
            (Some(Piece::Text(before)), Piece::Text(text)) => before.extend(text),
            (Some(Piece::Bytes(before)), Piece::Bytes(bytes)) => before.extend(bytes),
            _ => all.push(piece.clone()),
        }
    }
    all.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
    all.retain(|piece| !matches!(piece, Piece::Bytes(bytes) if bytes.is_empty()));
    all
}

impl Past {
    /// What a call writes, from this argument on.
    pub(super) fn unit(&self, info: &BareCall, unit: Unit, at: usize) -> Vec<Piece> {
        let value = || {
            info.args.get(at).map_or(Piece::Unknown, |arg| Piece::Value(arg.value, arg.descriptor.clone()))
        };
        let or_value = |piece: Option<Piece>| vec![piece.unwrap_or_else(value)];
        match unit {
            Unit::Text if info.args.len() <= at => Vec::new(),
            Unit::Text => or_value(self.argument_text(info, at).map(Piece::Text)),
            Unit::Line => {
                let mut pieces =
                    if info.args.len() <= at { Vec::new() } else { self.unit(info, Unit::Text, at) };
                pieces.push(self.line_end());
                joined(&pieces)
            }
            Unit::TextFromTo | Unit::TextOfLength => or_value(self.part(info, at, unit == Unit::TextFromTo)),
            Unit::Char => or_value(int(info, at).map(|code| Piece::Text(vec![code as u16]))),
            Unit::CodePoint => or_value(code_point(int(info, at)).map(Piece::Text)),
            Unit::Repeated => or_value(self.repeated(info, at)),
            Unit::Formatted => self.formatted(info, at),
            Unit::Byte => or_value(int(info, at).map(|byte| Piece::Bytes(vec![byte as u8]))),
            Unit::Bytes | Unit::BytesOfLength => or_value(self.byte_range(info, at, unit)),
            Unit::Number(size) => or_value(number(info, at, usize::from(size)).map(Piece::Bytes)),
            Unit::Chars => {
                let text = self.string_argument(info, at);
                or_value(
                    text.map(|text| Piece::Bytes(text.iter().flat_map(|unit| unit.to_be_bytes()).collect())),
                )
            }
            Unit::LowBytes => {
                let text = self.string_argument(info, at);
                or_value(text.map(|text| Piece::Bytes(text.iter().map(|&unit| unit as u8).collect())))
            }
            Unit::Utf => {
                or_value(self.string_argument(info, at).and_then(|text| utf(&text)).map(Piece::Bytes))
            }
            Unit::Value => {
                info.args.iter().map(|arg| Piece::Value(arg.value, arg.descriptor.clone())).take(4).collect()
            }
        }
    }

    /// What an edit of a builder does; none if that cannot be told.
    pub(super) fn edit(&self, info: &BareCall, edit: Edit) -> Option<(Deed, Vec<Piece>)> {
        let index = |at: usize| int(info, at).and_then(|value| u32::try_from(value).ok());
        let text = |at: usize| {
            let arg = info.args.get(at)?;
            let value = || Piece::Value(arg.value, arg.descriptor.clone());
            Some(vec![self.argument_text(info, at).map_or_else(value, Piece::Text)])
        };
        Some(match edit {
            Edit::Make => return None,
            Edit::Insert => (Deed::Insert(index(0)?), text(1)?),
            Edit::InsertPart => {
                let from_to = info.args.get(1)?.descriptor != "[C";
                (Deed::Insert(index(0)?), vec![self.part(info, 1, from_to).unwrap_or(Piece::Unknown)])
            }
            Edit::Delete => (Deed::Replace(index(0)?, index(1)?), Vec::new()),
            Edit::DeleteAt => (Deed::Replace(index(0)?, index(0)?.checked_add(1)?), Vec::new()),
            Edit::Replace => (Deed::Replace(index(0)?, index(1)?), text(2)?),
            Edit::SetLength => (Deed::SetLength(index(0)?), Vec::new()),
            Edit::SetAt => (Deed::SetAt(index(0)?), text(1)?),
            Edit::Reverse => (Deed::Reverse, Vec::new()),
            Edit::Clear => (Deed::Clear, Vec::new()),
        })
    }

    /// What a call gave that reads.
    pub(super) fn taken(&self, info: &BareCall, taken: Taken) -> Vec<Piece> {
        let Ending::Returned(result) = info.ending else { return vec![Piece::Unknown] };
        let range = |from: usize, length: usize| self.elements_taken(info, from, length);
        let offset = int(info, 1).and_then(|at| usize::try_from(at).ok()).unwrap_or(0);
        match (taken, result) {
            (Taken::Result, None) if info.method.ends_with(".new") => {
                info.receiver.map(|made| Piece::Value(made, String::new())).into_iter().collect()
            }
            (Taken::Result, Some(Value::Object(array)))
                if matches!(info.result_descriptor.as_str(), "[B" | "[C") =>
            {
                let length = self.array_length(array).map_or(0, |length| length as usize);
                self.elements_of(info.id, array, 0, length)
            }
            (Taken::Result, Some(value)) => vec![Piece::Value(value, info.result_descriptor.clone())],
            (Taken::Code, Some(Value::Int(-1))) => Vec::new(),
            (Taken::Code, Some(Value::Int(code))) if info.method.contains("Reader") => {
                vec![Piece::Text(vec![code as u16])]
            }
            (Taken::Code, Some(Value::Int(code))) => vec![Piece::Value(Value::Int(code), "I".to_owned())],
            (Taken::Into, Some(Value::Int(count))) => match usize::try_from(count) {
                Ok(count) => range(offset, count),
                Err(_) => Vec::new(),
            },
            (Taken::All, _) => {
                let length = match (int(info, 2), info.args.first().map(|arg| arg.value)) {
                    (Some(length), _) => usize::try_from(length).ok(),
                    (None, Some(Value::Object(array))) => {
                        self.array_length(array).map(|length| length as usize)
                    }
                    _ => None,
                };
                length.map_or_else(|| vec![Piece::Unknown], |length| range(offset, length))
            }
            _ => vec![Piece::Unknown],
        }
    }

    /// What came into the array that a call was given.
    fn elements_taken(&self, info: &BareCall, from: usize, length: usize) -> Vec<Piece> {
        match info.args.first() {
            Some(&Passed { value: Value::Object(array), .. }) => {
                self.elements_of(info.id, array, from, length)
            }
            _ => vec![Piece::Unknown],
        }
    }

    /// Elements of an array that a call filled, as they were when it had come back. Of a long array the first are known.
    fn elements_of(&self, call: CallId, array: ObjectId, from: usize, length: usize) -> Vec<Piece> {
        let class = self.class_of(array);
        let all = self.array_length(array).unwrap_or(0) as usize;
        let fits = length <= MAX_LENGTH && from.checked_add(length).is_some_and(|end| end <= all);
        let (true, Some("[B" | "[C"), Some(time)) = (fits, class, self.looked_at(call, array)) else {
            return vec![Piece::Unknown];
        };
        let codes: Vec<i32> = (from..from + length).map_while(|at| self.code(array, at, time)).collect();
        if codes.is_empty() && length > 0 {
            return vec![Piece::Unknown];
        }
        let is_whole = codes.len() == length;
        let known = match class {
            Some("[B") => Piece::Bytes(codes.into_iter().map(|code| code as u8).collect()),
            _ => Piece::Text(codes.into_iter().map(|code| code as u16).collect()),
        };
        if is_whole { vec![known] } else { vec![known, Piece::Unknown] }
    }

    fn string_argument(&self, info: &BareCall, at: usize) -> Option<Vec<u16>> {
        let arg = info.args.get(at)?;
        let text = self.heap_at(info.entry).string(arg.value)?;
        (!text.cut).then(|| base::text::units(&text.text).collect())
    }

    /// What `String.valueOf` made of an argument of this call.
    pub(super) fn argument_text(&self, info: &BareCall, at: usize) -> Option<Vec<u16>> {
        let arg = info.args.get(at)?;
        self.plain_text(arg.value, &arg.descriptor, info)
    }

    /// What `String.valueOf` makes of a value in a call, if that follows from what is recorded.
    pub(super) fn plain_text(&self, value: Value, descriptor: &str, info: &BareCall) -> Option<Vec<u16>> {
        let heap = self.heap_at(info.entry);
        if let Some(text) = heap.string(value) {
            return (!text.cut).then(|| base::text::units(&text.text).collect());
        }
        let text = match value {
            Value::Null if descriptor != "[C" => "null".to_owned(),
            Value::Int(code) if descriptor == "C" => return Some(vec![code as u16]),
            Value::Box { kind: b'C', bits } => return Some(vec![bits as u16]),
            Value::Int(_) | Value::Long(_) | Value::Float(_) | Value::Double(_) => {
                self.recording.value(value, descriptor)
            }
            Value::Box { .. } | Value::Box64 { .. } => self.recording.value(value, ""),
            Value::Object(array) if descriptor == "[C" => {
                let length = self.array_length(array)? as usize;
                let codes = self.codes(array, 0, length, info.entry)?;
                return Some(codes.into_iter().map(|code| code as u16).collect());
            }
            Value::Object(object) => return self.object_text(object, info),
            _ => return None,
        };
        Some(base::text::units(&text).collect())
    }

    fn object_text(&self, object: ObjectId, info: &BareCall) -> Option<Vec<u16>> {
        let heap = self.heap_at(info.entry);
        // The program's own `toString`, as the library called it.
        for child in self.index.children(info.id, 0, 64) {
            let Some(args) = self.index.arguments(child) else { continue };
            let Some(row) = self.index.call(child) else { continue };
            if args.receiver != Some(Value::Object(object)) || !args.values.is_empty() {
                continue;
            }
            if self.target(row.target).1 != "toString" {
                continue;
            }
            let Ending::Returned(Some(value)) = row.ending else { return None };
            let text = match value {
                Value::Null => return Some("null".encode_utf16().collect()),
                value => heap.string(value)?,
            };
            return (!text.cut).then(|| base::text::units(&text.text).collect());
        }
        if let Some(Content::Text(text)) = self.content_at(object, info.entry) {
            return Some(text);
        }
        if object.is_program() {
            // An enum without a `toString` of its own: then there is no call of it either.
            let (_, name) = heap.enum_constant(Value::Object(object))?;
            return (!self.has_method(object, "toString")).then(|| name.encode_utf16().collect());
        }
        None
    }

    /// Does a class of the program that the object is of declare a method of this name?
    fn has_method(&self, object: ObjectId, name: &str) -> bool {
        let program = self.recording.program();
        let mut ty = self.type_of(object);
        for _ in 0..1000 {
            let Some(info) = ty.and_then(|ty| program.type_info(ty)) else { return false };
            let class = info.class.and_then(|class| program.class(class));
            if let Some(class) = class
                && program.model(class).is_none_or(|model| model.methods.iter().any(|own| own.name == name))
                && !jdk::owner::is_jdk(&class.name)
            {
                return true;
            }
            ty = info.super_type;
        }
        true
    }

    /// A part of the argument: from one index to another, or by offset and length.
    fn part(&self, info: &BareCall, at: usize, from_to: bool) -> Option<Piece> {
        let from = usize::try_from(int(info, at + 1)?).ok()?;
        let second = usize::try_from(int(info, at + 2)?).ok()?;
        let to = if from_to { second } else { from.checked_add(second)? };
        let arg = info.args.get(at)?;
        if let (Value::Object(array), "[C") = (arg.value, arg.descriptor.as_str()) {
            let codes = self.codes(array, from, to.checked_sub(from)?, info.entry)?;
            return Some(Piece::Text(codes.into_iter().map(|code| code as u16).collect()));
        }
        let text = self.argument_text(info, at)?;
        Some(Piece::Text(text.get(from..to)?.to_vec()))
    }

    fn byte_range(&self, info: &BareCall, at: usize, unit: Unit) -> Option<Piece> {
        let Value::Object(array) = info.args.get(at)?.value else { return None };
        let (from, length) = match unit {
            Unit::BytesOfLength => {
                (usize::try_from(int(info, at + 1)?).ok()?, usize::try_from(int(info, at + 2)?).ok()?)
            }
            _ => (0, self.array_length(array)? as usize),
        };
        let codes = self.codes(array, from, length, info.entry)?;
        Some(Piece::Bytes(codes.into_iter().map(|code| code as u8).collect()))
    }

    fn repeated(&self, info: &BareCall, at: usize) -> Option<Piece> {
        let count = usize::try_from(int(info, at + 1)?).ok()?;
        let one = match info.args.get(at)?.descriptor.as_str() {
            "I" => code_point(int(info, at))?,
            _ => self.argument_text(info, at)?,
        };
        (one.len().checked_mul(count)? <= MAX_LENGTH).then(|| Piece::Text(one.repeat(count)))
    }

    /// Elements of an array of numbers.
    pub(super) fn codes(&self, array: ObjectId, from: usize, length: usize, time: Time) -> Option<Vec<i32>> {
        let all = self.array_length(array)? as usize;
        if length > MAX_LENGTH || from.checked_add(length)? > all {
            return None;
        }
        (from..from + length).map(|at| self.code(array, at, time)).collect()
    }

    fn code(&self, array: ObjectId, at: usize, time: Time) -> Option<i32> {
        match self.element_at(array, u32::try_from(at).ok()?, time) {
            KnownValue::Value(Value::Int(code)) | KnownValue::Seen(Value::Int(code)) => Some(code),
            _ => None,
        }
    }

    /// What ends a line: the system's, unless it was set when the program was started.
    pub(super) fn line_end(&self) -> Piece {
        let manifest = self.recording.manifest();
        let is_set = manifest.command.iter().any(|word| word.starts_with("-Dline.separator"));
        if is_set { Piece::Unknown } else { Piece::Text(vec![u16::from(b'\n')]) }
    }
}

use super::content::Content;

pub(super) fn int(info: &BareCall, at: usize) -> Option<i32> {
    match info.args.get(at)?.value {
        Value::Int(value) => Some(value),
        _ => None,
    }
}

fn code_point(code: Option<i32>) -> Option<Vec<u16>> {
    let code = u32::try_from(code?).ok()?;
    match char::from_u32(code) {
        Some(one) => Some(one.encode_utf16(&mut [0; 2]).to_vec()),
        // Half of a pair.
        None => u16::try_from(code).ok().map(|unit| vec![unit]),
    }
}

fn number(info: &BareCall, at: usize, size: usize) -> Option<Vec<u8>> {
    let bits = match info.args.get(at)?.value {
        Value::Int(value) => value as u32 as u64,
        Value::Long(value) => value as u64,
        Value::Float(value) if value.is_nan() => 0x7fc0_0000,
        Value::Float(value) => u64::from(value.to_bits()),
        Value::Double(value) if value.is_nan() => 0x7ff8_0000_0000_0000,
        Value::Double(value) => value.to_bits(),
        _ => return None,
    };
    Some(bits.to_be_bytes()[8 - size..].to_vec())
}

/// Modified UTF-8 with its length before it, as `DataOutput.writeUTF` has it.
fn utf(text: &[u16]) -> Option<Vec<u8>> {
    let mut bytes = vec![0, 0];
    for &unit in text {
        match unit {
            1..=0x7f => bytes.push(unit as u8),
            0 | 0x80..=0x7ff => bytes.extend([0xc0 | (unit >> 6) as u8, 0x80 | (unit & 0x3f) as u8]),
            _ => bytes.extend([
                0xe0 | (unit >> 12) as u8,
                0x80 | (unit >> 6 & 0x3f) as u8,
                0x80 | (unit & 0x3f) as u8,
            ]),
        }
    }
    let length = u16::try_from(bytes.len() - 2).ok()?.to_be_bytes();
    bytes[..2].copy_from_slice(&length);
    Some(bytes)
}
