//! Names, places and single values as plain text, as they were recorded. What an event says is made elsewhere.

use base::literal::{double, float, int, quoted};
use base::{simple_name, text};

use crate::event::Site;
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
            Some(text) if text.is_redacted() => text::REDACTED.to_owned(),
            Some(text) if text.cut => format!("{}… ({} chars)", quoted(&text.text), text.chars),
            Some(text) => quoted(&text.text),
            None => format!("string {}", id.0),
        }
    }
}
