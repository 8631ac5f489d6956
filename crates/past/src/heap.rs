//! The heap at one moment, as the renderer wants it.

use index::Time;
use render::{FieldValue, Heap, KnownValue, RenderLimits, RenderedNode};
use trace::{Field, FieldId, ObjectId, Text, TypeId, Value, tables::type_flag};

use crate::past::Past;

pub struct HeapAt<'p> {
    pub past: &'p Past,
    pub time: Time,
}

impl Past {
    pub fn heap_at(&self, time: Time) -> HeapAt<'_> {
        HeapAt { past: self, time }
    }

    /// A value on one line, as it was at a time.
    pub fn text(&self, value: Value, descriptor: &str, time: Time) -> String {
        render::text(&self.heap_at(time), value, descriptor, &RenderLimits::default())
    }

    /// A value with its parts, as it was at a time; `raw` for the plain fields.
    pub fn node(
        &self,
        known: KnownValue,
        descriptor: &str,
        time: Time,
        limits: &RenderLimits,
        raw: bool,
    ) -> RenderedNode {
        let heap = self.heap_at(time);
        match raw {
            true => render::raw_node(&heap, known, descriptor, limits),
            false => render::node(&heap, known, descriptor, limits),
        }
    }

    /// What is known of a value on one line, as it was at a time.
    pub fn known_text(
        &self,
        known: KnownValue,
        descriptor: &str,
        time: Time,
        limits: &RenderLimits,
    ) -> String {
        render::text(&self.heap_at(time), known, descriptor, limits)
    }

    /// The same with the fields of ordinary objects within others.
    pub fn nested_text(
        &self,
        known: KnownValue,
        descriptor: &str,
        time: Time,
        limits: &RenderLimits,
    ) -> String {
        render::nested_text(&self.heap_at(time), known, descriptor, limits)
    }
}

impl Heap for HeapAt<'_> {
    fn type_name(&self, object: ObjectId) -> Option<String> {
        self.past.class_of(object).map(str::to_owned)
    }

    fn supertypes(&self, object: ObjectId) -> Vec<String> {
        let program = self.past.recording.program();
        let first = self.past.recording.objects().type_of(object);
        let up = |&ty: &TypeId| program.type_info(ty)?.super_type;
        std::iter::successors(first, up)
            .take(1000)
            .filter_map(|ty| program.type_info(ty))
            .map(|ty| ty.name.clone())
            .collect()
    }

    fn fields(&self, object: ObjectId) -> Vec<FieldValue> {
        let Some(ty) = self.past.recording.objects().type_of(object) else { return Vec::new() };
        let program = self.past.recording.program();
        let told = |(id, field): (FieldId, &Field)| FieldValue {
            name: field.name.clone(),
            declared_in: program.field(id).map_or(String::new(), |(class, _)| class.name.clone()),
            descriptor: field.descriptor.clone(),
            value: self.past.field_at(object, id, self.time),
        };
        // Of what else a library keeps nothing is said: so neither of what is not known of these.
        let of_libraries = program.library_fields(ty).into_iter().map(told);
        let known = of_libraries.filter(|field| field.value != KnownValue::Unknown);
        program.instance_fields(ty).into_iter().map(told).chain(known).collect()
    }

    fn length(&self, array: ObjectId) -> Option<u32> {
        self.past.recording.objects().length(array)
    }

    fn element(&self, array: ObjectId, index: u32) -> KnownValue {
        self.past.element_at(array, index, self.time)
    }

    fn elements(&self, array: ObjectId, from: u32, count: u32) -> Vec<KnownValue> {
        self.past.elements_at(array, from, count, self.time)
    }

    fn string(&self, value: Value) -> Option<Text> {
        match value {
            Value::Str(id) => self.past.recording.objects().string(id),
            Value::Literal { class, index } => {
                let text = self.past.recording.program().literal(class, index)?.to_owned();
                if base::text::is_filler(&text) {
                    return Some(Text::redacted());
                }
                Some(Text { chars: base::text::units(&text).count() as u32, text, cut: false })
            }
            _ => None,
        }
    }

    fn class_name(&self, ty: TypeId) -> Option<String> {
        self.past.recording.program().type_info(ty).map(|ty| ty.name.clone())
    }

    fn enum_constant(&self, value: Value) -> Option<(String, String)> {
        let objects = self.past.recording.objects();
        let (ty, name) = match value {
            Value::Enum { ty, ordinal } => (ty, objects.enum_name(ty, ordinal)?),
            Value::Object(id) => (objects.type_of(id)?, objects.enum_object(id)?.1),
            _ => return None,
        };
        let program = self.past.recording.program();
        let mut info = program.type_info(ty)?;
        // A constant with a body has a class of its own below the enum.
        if info.flags & type_flag::ENUM == 0
            && let Some(up) = info.super_type.and_then(|up| program.type_info(up))
            && up.name != jdk::names::ENUM
        {
            info = up;
        }
        Some((info.name.clone(), objects.string(name)?.text))
    }

    fn message(&self, exception: ObjectId) -> Option<Text> {
        let objects = self.past.recording.objects();
        let own = objects.message(exception).and_then(|message| objects.string(message));
        match own {
            Some(message) if !message.text.is_empty() => Some(message),
            own => self.past.late_message(exception).or(own),
        }
    }

    fn is_record(&self, object: ObjectId) -> bool {
        self.supertypes(object).get(1).is_some_and(|name| name == jdk::names::RECORD)
    }

    fn name(&self, object: ObjectId) -> String {
        self.past.object_name(object)
    }

    fn builder(&self, object: ObjectId) -> Option<Text> {
        self.past.builder_at(object, self.time)
    }

    fn lambda(&self, object: ObjectId) -> Option<String> {
        self.past.lambda_place(object)
    }
}
