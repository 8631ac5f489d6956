//! Values, places and events as plain text, for `dump` and for bug reports. The dialogue's own wording is made
//! elsewhere; here everything is shown as it was recorded, one line per event.

use std::fmt::Write;

use base::literal::{double, float, int, quoted};
use base::simple_name;

use crate::event::{BulkWrite, Elements, Event, EventKind, Site};
use crate::ids::{MethodId, ObjectId, StringId, TypeId};
use crate::recording::Recording;
use crate::value::Value;

impl Recording {
    /// `Class.method`, without package.
    pub fn method_name(&self, method: MethodId) -> String {
        match self.program().method(method) {
            Some((class, method)) => format!("{}.{}", simple_name(&class.name), method.name),
            None => format!("method {}", method.0),
        }
    }

    /// The line of an instruction, where the class file tells it.
    pub fn line_of(&self, site: Site) -> Option<u16> {
        self.program().method(site.method)?.1.line(site.bci)
    }

    /// The file that a method was compiled from, where the class file tells it.
    pub fn source_file(&self, method: MethodId) -> Option<&str> {
        let (class, _) = self.program().method(method)?;
        self.program().model(class)?.source_file.as_deref()
    }

    /// Name and descriptor of a local variable at an instruction, where the class file tells them.
    pub fn local_name(&self, site: Site, slot: u16) -> Option<(&str, &str)> {
        self.program().method(site.method)?.1.local(slot, site.bci)
    }

    /// `Class.method:line`, or with `@bci` where there are no lines.
    pub fn place(&self, site: Site) -> String {
        let method = self.method_name(site.method);
        match self.line_of(site) {
            Some(line) => format!("{method}:{line}"),
            None => format!("{method}@{}", site.bci),
        }
    }

    /// The name of a type as in source code, without package: `ArrayList`, `int[]`.
    pub fn type_name(&self, ty: TypeId) -> String {
        match self.program().type_info(ty) {
            Some(ty) => simple_name(&ty.name),
            None => format!("type {}", ty.0),
        }
    }

    /// A value in plain form. `descriptor` tells booleans and chars from ints.
    pub fn value(&self, value: Value, descriptor: &str) -> String {
        match value {
            Value::Int(bits) => int(bits, descriptor.as_bytes().first().copied()),
            Value::Long(value) => value.to_string(),
            Value::Float(value) => float(value),
            Value::Double(value) => double(value),
            Value::Null => "null".to_owned(),
            Value::Object(id) => self.object(id),
            Value::Unidentified => "an object without name".to_owned(),
            Value::Str(id) => self.string(id),
            Value::Literal { class, index } => match self.program().literal(class, index) {
                Some(text) => quoted(text),
                None => "an unknown string".to_owned(),
            },
            Value::Box { kind: b'F', bits } => float(f32::from_bits(bits as u32)),
            Value::Box { kind, bits } => int(bits, Some(kind)),
            Value::Box64 { kind: b'D', bits } => double(f64::from_bits(bits as u64)),
            Value::Box64 { bits, .. } => bits.to_string(),
            Value::Class(ty) => format!("{}.class", self.type_name(ty)),
            Value::Enum { ty, ordinal } => {
                let name = self.objects().enum_name(ty, ordinal).and_then(|name| self.objects().string(name));
                let name = name.map_or_else(|| format!("#{ordinal}"), |name| name.text);
                format!("{}.{name}", self.type_name(ty))
            }
            Value::Pending(pending) => format!("new#{}", pending.0),
            Value::ReturnAddress(_) => "a return address".to_owned(),
            Value::Top => "nothing".to_owned(),
        }
    }

    /// One line: kind, place, details.
    pub fn event_line(&self, event: &Event<'_>) -> String {
        let mut line = event.kind.name().to_owned();
        if let Some(site) = event.site {
            line.push(' ');
            line.push_str(&self.place(site));
        }
        if event.library {
            line.push_str(" (library)");
        }
        self.details(event, &mut line);
        line
    }

    fn details(&self, event: &Event<'_>, line: &mut String) {
        let any = |value: Value| self.value(value, "");
        let maybe = |value: Option<Value>, descriptor: &str| match value {
            Some(value) => self.value(value, descriptor),
            None => "-".to_owned(),
        };
        let method = event.site.and_then(|site| self.program().method(site.method)).map(|(_, method)| method);
        let descriptor = method.map_or("", |method| method.descriptor.as_str());
        // Writing into a String cannot fail.
        let _ = match event.kind {
            EventKind::ThreadStart | EventKind::ThreadEnd => Ok(()),
            EventKind::Enter { receiver, args, called } => {
                let by = if called { "" } else { " by-library" };
                let this = receiver.map_or(String::new(), |this| format!(" this={}", any(this)));
                write!(line, "{by}{this} ({})", self.arguments(args, descriptor))
            }
            EventKind::Exit { value } => write!(line, " {}", maybe(value, result_of(descriptor))),
            EventKind::Unwind { exception, recorded } => {
                write!(line, " {}{}", maybe(exception, ""), if recorded { "" } else { " (concluded)" })
            }
            EventKind::Call { callee, args } => {
                let instance = callee.receiver && !args.is_empty();
                let (this, rest) = args.split_at(usize::from(instance));
                let this = this.first().map_or(String::new(), |&this| format!(" on {}", any(this)));
                let rest = self.arguments(rest, &callee.descriptor);
                write!(line, " {}.{}{this} ({rest})", simple_name(&callee.owner), callee.name)
            }
            EventKind::Return { value } => write!(line, " {}", maybe(value, "")),
            EventKind::FieldWrite { object, field, value } => {
                write!(line, " {}.{} = {}", any(object), field.name, self.value(value, &field.descriptor))
            }
            EventKind::StaticWrite { field, value } => {
                let value = self.value(value, &field.descriptor);
                write!(line, " {}.{} = {value}", simple_name(&field.owner), field.name)
            }
            EventKind::ArrayWrite { array, index, value } => {
                write!(
                    line,
                    " {}[{index}] = {}",
                    any(array),
                    self.value(value, &self.element_descriptor(array))
                )
            }
            EventKind::LocalWrite { slot, value } => {
                match event.site.and_then(|at| self.local_name(at, slot)) {
                    Some((name, descriptor)) => write!(line, " {name} = {}", self.value(value, descriptor)),
                    None => write!(line, " local{slot} = {}", any(value)),
                }
            }
            EventKind::Branch { taken } => write!(line, " {}", if taken { "taken" } else { "not taken" }),
            EventKind::Switch { key, case: Some(case) } => write!(line, " {key} case {case}"),
            EventKind::Switch { key, case: None } => write!(line, " {key} default"),
            EventKind::New { class, object } => write!(line, " {} {}", simple_name(class), any(object)),
            EventKind::Named { pending, object } => write!(line, " new#{} is {}", pending.0, any(object)),
            EventKind::NewArray { class, array } => write!(line, " {} {}", simple_name(class), any(array)),
            EventKind::Throw { exception } | EventKind::Catch { exception } => {
                self.exception(line, exception)
            }
            EventKind::MonitorEnter { object } | EventKind::MonitorExit { object } => {
                write!(line, " {}", any(object))
            }
            EventKind::OrderingPoint { number } => write!(line, " {number}"),
            EventKind::BulkWrite(BulkWrite::Copy { source, from, target, to, length }) => {
                write!(line, " {}[{to}..] = {}[{from}..] x {length}", any(target), any(source))
            }
            EventKind::BulkWrite(BulkWrite::Clone { source, target }) => {
                write!(line, " {} = copy of {}", any(target), any(source))
            }
            EventKind::BulkWrite(BulkWrite::Fill { array, range, value }) => {
                let range = range.map_or(String::new(), |(from, to)| format!("{from}..{to}"));
                write!(
                    line,
                    " {}[{range}] = {}",
                    any(array),
                    self.value(value, &self.element_descriptor(array))
                )
            }
            EventKind::ArrayContents { array, length, from, elements } => {
                let (count, list) = self.elements(elements);
                write!(
                    line,
                    " {}[{from}..{}] of {length}: {list}",
                    self.object(array),
                    u64::from(from) + count
                )
            }
            EventKind::ObjectContents { object, values } => {
                let ty = self.objects().type_of(object);
                let fields = ty.map_or(&[][..], |ty| self.program().fields(ty));
                let known = fields.iter().map(|field| (field.name.as_str(), field.descriptor.as_str()));
                let named = known.chain(std::iter::repeat(("?", ""))).zip(values);
                let texts: Vec<String> = named
                    .map(|((name, descriptor), &value)| format!("{name} = {}", self.value(value, descriptor)))
                    .collect();
                write!(line, " {} {{{}}}", self.object(object), texts.join(", "))
            }
            EventKind::Gap { why } => write!(line, " {why}"),
            EventKind::Stop { reason } => write!(line, " reason {reason}"),
        };
    }

    fn exception(&self, line: &mut String, exception: Option<Value>) -> std::fmt::Result {
        let Some(exception) = exception else { return write!(line, " -") };
        write!(line, " {}", self.value(exception, ""))?;
        if let Value::Object(id) = exception
            && let Some(message) = self.objects().message(id)
        {
            write!(line, " {}", self.string(message))?;
        }
        Ok(())
    }

    fn object(&self, id: ObjectId) -> String {
        if let Some((_, name)) = self.objects().enum_object(id)
            && let Some(name) = self.objects().string(name)
        {
            let ty = self.objects().type_of(id).map_or(String::new(), |ty| self.type_name(ty));
            return format!("{ty}.{}", name.text);
        }
        let doubt = if self.objects().is_doubtful(id) { "?" } else { "" };
        match self.objects().type_of(id) {
            Some(ty) => format!("{}@{}{doubt}", self.type_name(ty), id.number()),
            None => format!("object@{}{doubt}", id.number()),
        }
    }

    fn string(&self, id: StringId) -> String {
        match self.objects().string(id) {
            Some(text) if text.cut => format!("{}… ({} chars)", quoted(&text.text), text.chars),
            Some(text) => quoted(&text.text),
            None => format!("string {}", id.0),
        }
    }

    fn arguments(&self, args: &[Value], descriptor: &str) -> String {
        let parsed = classfile::MethodDescriptor::parse(descriptor.as_bytes()).ok();
        let kind = |at: usize| {
            let parameter = parsed.as_ref().and_then(|parsed| parsed.parameters.get(at).copied());
            std::str::from_utf8(parameter.unwrap_or(b"")).unwrap_or("")
        };
        let texts: Vec<String> =
            args.iter().enumerate().map(|(at, &arg)| self.value(arg, kind(at))).collect();
        texts.join(", ")
    }

    fn element_descriptor(&self, array: Value) -> String {
        let Value::Object(id) = array else { return String::new() };
        let ty = self.objects().type_of(id).and_then(|ty| self.program().type_info(ty));
        ty.and_then(|ty| ty.name.strip_prefix('[')).unwrap_or("").to_owned()
    }

    fn elements(&self, elements: Elements<'_>) -> (u64, String) {
        let texts: Vec<String> = match elements {
            Elements::References(values) => values.iter().map(|&value| self.value(value, "")).collect(),
            Elements::Primitive { kind, data } => {
                let size = crate::record::element_size(kind).unwrap_or(1);
                data.chunks_exact(size).map(|bytes| element(kind, bytes)).collect()
            }
        };
        (texts.len() as u64, texts.join(", "))
    }
}

fn result_of(descriptor: &str) -> &str {
    descriptor.rsplit(')').next().unwrap_or("")
}

fn element(kind: u8, bytes: &[u8]) -> String {
    let mut padded = [0; 8];
    padded[..bytes.len()].copy_from_slice(bytes);
    let bits = i64::from_le_bytes(padded);
    match kind {
        b'J' => bits.to_string(),
        b'D' => double(f64::from_bits(bits as u64)),
        b'F' => float(f32::from_bits(bits as u32)),
        b'S' => (bits as i16).to_string(),
        b'B' => (bits as i8).to_string(),
        kind => int(bits as i32, Some(kind)),
    }
}
