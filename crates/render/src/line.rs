//! A value on one line. Once the line is as wide as it may be, no further part is begun, but every bracket is
//! closed, so that a line that was cut still reads as what it is.

use base::literal::{double, float, int};
use base::{ObjectId, Value};

use crate::fields::Steps;
use crate::form::{Form, Label, Part, REPEATED, Style, Wish, form};
use crate::heap::{Heap, KnownValue};
use crate::limits::RenderLimits;
use crate::names::{enum_name, short_name};
use crate::node::ValueKind;
use crate::scalars;

pub(crate) fn text(heap: &dyn Heap, value: KnownValue, descriptor: &str, limits: &RenderLimits) -> String {
    line(heap, value, descriptor, limits, false, Vec::new(), &Steps::new())
}

pub(crate) fn nested(heap: &dyn Heap, value: KnownValue, descriptor: &str, limits: &RenderLimits) -> String {
    let steps = Steps::new();
    let mut line = Line { nested: true, ..Line::new(heap, limits, &steps) };
    line.value(value, descriptor, limits.depth, false);
    line.text
}

/// A line within a tree: `above` are the objects that are being shown further up.
pub(crate) fn line(
    heap: &dyn Heap,
    value: KnownValue,
    descriptor: &str,
    limits: &RenderLimits,
    raw: bool,
    above: Vec<ObjectId>,
    steps: &Steps,
) -> String {
    let mut line = Line { raw, above, ..Line::new(heap, limits, steps) };
    line.value(value, descriptor, limits.depth, false);
    line.text
}

/// Kind and text of a value that is no object, and whether it is known.
pub(crate) fn simple(
    heap: &dyn Heap,
    value: Value,
    descriptor: &str,
    limits: &RenderLimits,
) -> (ValueKind, String, bool) {
    let letter = descriptor.as_bytes().first().copied();
    let small = |bits: i32, letter: Option<u8>| {
        let kind = match letter {
            Some(b'Z') => ValueKind::Boolean,
            Some(b'C') => ValueKind::Char,
            _ => ValueKind::Number,
        };
        (kind, int(bits, letter), true)
    };
    let unknown = |text: &str| (ValueKind::Unknown, text.to_owned(), false);
    match value {
        Value::Int(bits) => small(bits, letter),
        Value::Long(value) => (ValueKind::Number, value.to_string(), true),
        Value::Float(value) => (ValueKind::Number, float(value), true),
        Value::Double(value) => (ValueKind::Number, double(value), true),
        Value::Null => (ValueKind::Null, "null".to_owned(), true),
        Value::Box { kind: b'F', bits } => (ValueKind::Number, float(f32::from_bits(bits as u32)), true),
        Value::Box { kind, bits } => small(bits, Some(kind)),
        Value::Box64 { kind: b'D', bits } => (ValueKind::Number, double(f64::from_bits(bits as u64)), true),
        Value::Box64 { bits, .. } => (ValueKind::Number, bits.to_string(), true),
        Value::Str(_) | Value::Literal { .. } => match heap.string(value) {
            Some(text) => {
                let (limit, known) = (limits.string.min(limits.width), !text.is_redacted());
                let text = scalars::string(&text.text, u64::from(text.chars), text.cut, limit);
                (ValueKind::Text, text, known)
            }
            None => (ValueKind::Text, "?".to_owned(), false),
        },
        Value::Class(ty) => match heap.class_name(ty) {
            Some(name) => (ValueKind::Class, format!("{}.class", short_name(&name)), true),
            None => (ValueKind::Class, "?".to_owned(), false),
        },
        Value::Enum { ty, ordinal } => match heap.enum_constant(value) {
            Some((class, constant)) => (ValueKind::Enum, format!("{}.{constant}", enum_name(&class)), true),
            None => {
                let class = heap.class_name(ty).map_or_else(|| "?".to_owned(), |name| enum_name(&name));
                (ValueKind::Enum, format!("{class}.#{ordinal}"), false)
            }
        },
        Value::Pending(pending) => (ValueKind::Object, format!("new#{}", pending.0), false),
        Value::Object(id) => (ValueKind::Reference, heap.name(id), true),
        Value::Unidentified => unknown("an object without name"),
        Value::ReturnAddress(_) => unknown("a return address"),
        Value::Top => unknown("nothing"),
    }
}

/// Chars of what names an object that is shown by its name.
const NAMING: usize = 24;

struct Line<'h> {
    heap: &'h dyn Heap,
    limits: RenderLimits,
    raw: bool,
    /// Ordinary objects within others are shown with their fields too, not by name.
    nested: bool,
    text: String,
    chars: usize,
    above: Vec<ObjectId>,
    steps: &'h Steps,
}

impl<'h> Line<'h> {
    fn new(heap: &'h dyn Heap, limits: &RenderLimits, steps: &'h Steps) -> Line<'h> {
        let (text, above) = (String::new(), Vec::new());
        Line { heap, limits: *limits, raw: false, nested: false, text, chars: 0, above, steps }
    }

    /// `within` tells that the value is part of an ordinary object: there, other such objects are shown by name.
    fn value(&mut self, value: KnownValue, descriptor: &str, depth: usize, within: bool) {
        match value {
            KnownValue::Unknown => self.push("?"),
            KnownValue::Value(Value::Object(id)) | KnownValue::Seen(Value::Object(id)) => {
                self.object(id, depth, within)
            }
            KnownValue::Value(value) | KnownValue::Seen(value) => {
                let (_, text, _) = simple(self.heap, value, descriptor, &self.limits);
                self.push(&text);
            }
        }
    }

    fn object(&mut self, object: ObjectId, depth: usize, within: bool) {
        if self.above.contains(&object) {
            let name = self.heap.name(object);
            return self.push(&name);
        }
        let parts = if depth == 0 { 0 } else { self.limits.elements };
        let string = self.limits.string.min(self.limits.width);
        let form = form(self.heap, object, Wish { parts, string, raw: self.raw, steps: self.steps });
        let ordinary = within && !self.nested && form.kind == ValueKind::Object;
        let by_name = form.nests() && form.count() > 0 && (depth == 0 || ordinary);
        if by_name || ordinary && form.unknown {
            let name = self.heap.name(object);
            self.push(&name);
            if self.limits.named && form.kind == ValueKind::Object {
                self.naming_field(object);
            }
            return;
        }
        self.above.push(object);
        self.form(&form, depth.saturating_sub(1), within || form.kind == ValueKind::Object);
        self.above.pop();
    }

    /// `{tagName="ol"}`, if the object has a field by which a person recognises it, and that is short.
    fn naming_field(&mut self, object: ObjectId) {
        let wish = Wish { parts: usize::MAX, string: NAMING, raw: false, steps: self.steps };
        let form = form(self.heap, object, wish);
        let naming = form.parts.iter().find(|part| part.names_thing());
        let Some((Label::Name(name), part)) = naming.map(|part| (&part.label, part)) else { return };
        let (KnownValue::Value(value) | KnownValue::Seen(value)) = part.value else { return };
        let (_, text, known) = simple(self.heap, value, &part.descriptor, &self.limits);
        if known && text.chars().count() <= NAMING {
            self.push(&format!("{{{name}={text}}}"));
        }
    }

    fn form(&mut self, form: &Form, depth: usize, within: bool) {
        self.push(&form.head);
        match form.style {
            Style::Head => {}
            Style::Bare => self.parts(form, depth, within),
            Style::Brackets(open, close) => {
                self.push(open.encode_utf8(&mut [0; 4]));
                self.parts(form, depth, within);
                self.push(close.encode_utf8(&mut [0; 4]));
            }
        }
    }

    /// Parts in their order; if not all have room, those first that say which object it is, and last what nobody has set.
    fn parts(&mut self, form: &Form, depth: usize, within: bool) {
        let mut parts: Vec<&Part> = form.parts.iter().collect();
        let (end, chars) = (self.text.len(), self.chars);
        if !self.parts_in_order(form, &parts, depth, within)
            && form.kind == ValueKind::Object
            && !parts.is_sorted_by_key(|part| part.rank())
        {
            self.text.truncate(end);
            self.chars = chars;
            parts.sort_by_key(|part| part.rank());
            self.parts_in_order(form, &parts, depth, within);
        }
    }

    /// Were all of them told?
    fn parts_in_order(&mut self, form: &Form, parts: &[&Part], depth: usize, within: bool) -> bool {
        let mut left = form.parts.len() as u64 + form.repeats + form.more;
        let mut comma = "";
        let mut at = 0;
        while let Some(part) = parts.get(at) {
            // To say that there is one more takes as much room as the only one.
            let only = at == 0 && left == 1;
            if self.chars >= self.limits.width && !only {
                break;
            }
            self.push(comma);
            match &part.label {
                Label::Name(name) if form.style != Style::Bare => self.push(&format!("{name}=")),
                Label::Name(_) | Label::Index(_) => {}
                Label::Key(key) => {
                    self.value(*key, "", depth, within);
                    self.push("=");
                }
            }
            self.value(part.value, &part.descriptor, depth, within);
            let (row, count) = row(&parts[at..], form.repeats);
            if count > 1 {
                self.push(&format!(" × {count}"));
            }
            (at, left, comma) = (at + row, left - count, ", ");
        }
        if left > 0 {
            self.push(&format!("{comma}… {left} more"));
        }
        left == 0
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.chars += text.chars().count();
    }
}

/// How many of the parts are told at once, and of how many elements that tells: long rows of equals are counted.
fn row(parts: &[&Part], repeats: u64) -> (usize, u64) {
    let equals = |part: &&&Part| part.value == parts[0].value && matches!(part.label, Label::Index(_));
    let row = parts.iter().take_while(equals).count();
    let count = row as u64 + if row == parts.len() { repeats } else { 0 };
    if count < REPEATED as u64 { (1, 1) } else { (row, count) }
}
