//! Objects made anew: records from their components, values of the JDK from their text, objects of the program by the
//! constructor call that is recorded of them.

use base::FieldId;
use jdk::scalars::FromText;
use past::{CallInfo, Ending, KnownValue, ObjectId, RenderLimits, Target, Use, Value};
use render::Heap;

use super::WhyNot;
use super::inputs::Inputs;
use super::literal::MAX_STRING;
use super::touched::touched;

impl Inputs<'_> {
    /// A record is what its components are: Java promises that one made of the same components is its equal.
    pub(super) fn record(&mut self, object: ObjectId, class: &str) -> Result<String, WhyNot> {
        let name = self.names.of_class(class)?;
        let mut components = Vec::new();
        for field in self.past.heap_at(self.time).fields(object) {
            components.push(self.expression(field.value, &field.descriptor, false, Some(&field.name))?);
        }
        let generic = if self.is_generic(class) { "<>" } else { "" };
        Ok(format!("new {name}{generic}({})", components.join(", ")))
    }

    pub(super) fn is_generic(&self, class: &str) -> bool {
        let file = self.names.class(class).and_then(|class| classfile::ClassFile::parse(&class.bytes).ok());
        let Some(file) = file else { return false };
        let signature = file.attribute("Signature").and_then(|attribute| {
            let index = u16::from_be_bytes([*attribute.info.first()?, *attribute.info.get(1)?]);
            file.pool.utf8(index).ok()
        });
        signature.is_some_and(|signature| signature.first() == Some(&b'<'))
    }

    /// Objects of the JDK that stand for one value, made from its text.
    pub(super) fn scalar(&mut self, object: ObjectId, class: &str) -> Option<Result<String, WhyNot>> {
        let heap = self.past.heap_at(self.time);
        if class == "java/lang/StringBuilder" {
            let text = heap.builder(object);
            return Some(self.text(text).map(|text| format!("new StringBuilder({text})")));
        }
        let from_text = jdk::scalars::scalar(class)?.from_text?;
        let limits = RenderLimits { string: MAX_STRING, width: MAX_STRING, ..RenderLimits::default() };
        let text = self.past.known_text(KnownValue::Value(Value::Object(object)), "", self.time, &limits);
        if !text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.:".contains(c)) {
            return Some(Err(WhyNot(format!("the value of a {} is not known", base::simple_name(class)))));
        }
        let name = self.names.jdk(&class.replace('/', "."));
        Some(Ok(match from_text {
            FromText::Constructor => format!("new {name}(\"{text}\")"),
            FromText::Method(method) => format!("{name}.{method}(\"{text}\")"),
        }))
    }

    pub(super) fn program_object(
        &mut self,
        object: ObjectId,
        class: &str,
        hint: Option<&str>,
    ) -> Result<String, WhyNot> {
        let shown = base::simple_name(class);
        let name = self.names.of_class(class)?;
        if self.names.is_inner(class) {
            return Err(WhyNot(format!("a {shown} needs the object that it is an inner one of")));
        }
        let heap = self.past.heap_at(self.time);
        let above = heap.supertypes(object).into_iter().skip(1);
        if let Some(library) =
            above.into_iter().find(|up| up != jdk::names::OBJECT && self.names.class(up).is_none())
        {
            return Err(WhyNot(format!(
                "a {shown} is a {}: what that keeps cannot be set",
                base::simple_name(&library)
            )));
        }
        let info = self.constructor(object, class).ok_or_else(|| {
            WhyNot(format!("the recording has no constructor call of {}", self.past.object_name(object)))
        })?;
        let changed = info
            .args
            .iter()
            .any(|arg| touched(self.past, KnownValue::Value(arg.value), info.entry, self.time));
        let mut args = Vec::new();
        for arg in &info.args {
            args.push(self.expression(
                KnownValue::Value(arg.value),
                &arg.descriptor,
                false,
                Some(&arg.name),
            )?);
        }
        let generic = if self.is_generic(class) { "<>" } else { "" };
        let flags = self.past.method_of(info.id).and_then(|id| self.past.program().method(id));
        let flags = flags.map_or(0, |(_, method)| method.access);
        let made = match self.names.may_use(flags, class) {
            true => format!("new {name}{generic}({})", args.join(", ")),
            false => {
                self.helpers.insert("make");
                let mut types = Vec::new();
                for arg in &info.args {
                    types.push(format!("{}.class", self.names.of(&arg.descriptor)?));
                }
                let args: String = args.iter().map(|arg| format!(", {arg}")).collect();
                format!("({name}) make({name}.class, new Class<?>[] {{{}}}{args})", types.join(", "))
            }
        };
        let variable = self.declare(object, &made, hint, "")?;
        // From here on other objects may refer to it.
        self.open.remove(&object);
        self.assign_later_writes(object, &variable, &info, changed)?;
        Ok(variable)
    }

    /// Writes again what was written after the constructor returned, directly or in what it refers to.
    pub(super) fn assign_later_writes(
        &mut self,
        object: ObjectId,
        variable: &str,
        made: &CallInfo,
        all: bool,
    ) -> Result<(), WhyNot> {
        let program = self.past.program();
        let Some(ty) = self.past.type_of(object) else { return Ok(()) };
        for (id, field) in program.instance_fields(ty) {
            let location = past::Location::Field { object, field: id };
            let known = self.past.value_at(&location, self.time);
            let written =
                self.past.last_write(&location, self.time).is_some_and(|entry| entry.time > made.exit);
            let shared = matches!(known, KnownValue::Value(Value::Object(value))
                if self.references.get(&value).is_some_and(|&count| count > 1)
                    && !made.args.iter().any(|arg| arg.value == Value::Object(value)));
            let plain =
                !matches!(known, KnownValue::Value(Value::Object(_)) | KnownValue::Seen(Value::Object(_)));
            let as_made = plain && !all && self.past.value_at(&location, made.exit) == known;
            if as_made || !(all || written || shared || touched(self.past, known, made.exit, self.time)) {
                continue;
            }
            let value = self.expression(known, &field.descriptor, false, Some(&field.name))?;
            self.assign(variable, id, &value)?;
        }
        Ok(())
    }

    /// `object.field = value`, by reflection where the compiler would not let it; a static's object is its class.
    pub fn assign(&mut self, object: &str, field: FieldId, value: &str) -> Result<(), WhyNot> {
        let program = self.past.program();
        let Some((class, field)) = program.field(field) else {
            return Err(WhyNot("a field is not known".to_owned()));
        };
        let owner = self.names.of_class(&class.name)?;
        let fixed = field.access & classfile::access::FINAL != 0;
        if self.names.may_use(field.access, &class.name) && !fixed {
            self.statements.push(format!("{object}.{} = {value};", field.name));
            return Ok(());
        }
        if field.is_static() && fixed {
            return Err(WhyNot(format!("{owner}.{} is final and was changed", field.name)));
        }
        self.helpers.insert("set");
        let target = if field.is_static() { "null" } else { object };
        self.statements.push(format!("set({target}, {owner}.class, \"{}\", {value});", field.name));
        Ok(())
    }

    /// The call that made the object, if it returned before the moment.
    pub(super) fn constructor(&self, object: ObjectId, class: &str) -> Option<CallInfo> {
        for used in self.past.uses(object).take(16) {
            let Use::Passed { call: id, part: 0 } = used else { continue };
            let Some(row) = self.past.call_row(id) else { continue };
            let Target::Method(method) = row.target else { continue };
            let Some((owner, method)) = self.past.program().method(method) else { continue };
            if method.is_constructor() && owner.name == class {
                let info = self.past.call(id)?;
                return (matches!(info.ending, Ending::Returned(_)) && info.exit < self.time).then_some(info);
            }
        }
        None
    }
}
