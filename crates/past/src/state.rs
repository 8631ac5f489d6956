//! The value of a location at a moment: its last write before, found by its key. What was written as part of a range
//! (a copy, a fill) or only seen from outside is found here too, and what nobody can know is said to be unknown.

use std::sync::PoisonError;

use classfile::{ClassFile, Member, opcode};
use index::{Index, Key, PostingKind, Time, TimedPosting};
use render::KnownValue;
use trace::tables::Detail;
use trace::{Class, FieldId, ObjectId, Site, Value};

use crate::location::Location;
use crate::past::Past;

/// Copies of copies are followed so far.
const MAX_COPIES: usize = 10_000;
/// Range writes that do not touch the element are passed over so many times.
const MAX_RANGES: usize = 100_000;

impl Past {
    /// What a location held right after the event of this time.
    pub fn value_at(&self, location: &Location, time: Time) -> KnownValue {
        self.stay_small();
        match location {
            Location::Field { object, field } => self.field_at(*object, *field, time),
            Location::Static(field) => self.static_at(*field, time),
            Location::Element { array, index } => self.element_at(*array, *index, time),
            Location::Local { call, name } => self.local_at(*call, name, time),
        }
    }

    /// The descriptor of what a location holds; empty if it is not known.
    pub fn descriptor(&self, location: &Location) -> String {
        match location {
            Location::Field { field, .. } | Location::Static(field) => self
                .recording
                .program()
                .field(*field)
                .map_or(String::new(), |(_, field)| field.descriptor.clone()),
            Location::Element { array, .. } => self.element_descriptor(*array),
            Location::Local { call, name } => self.local_descriptor(*call, name),
        }
    }

    pub(crate) fn field_at(&self, object: ObjectId, field: FieldId, time: Time) -> KnownValue {
        let told = self.told_at(object, field, time);
        self.unless_read(Key::field(object, field), field, time, told)
    }

    fn told_at(&self, object: ObjectId, field: FieldId, time: Time) -> KnownValue {
        let (mut object, mut time) = (object, time);
        for _ in 0..MAX_COPIES {
            let own = self.index.last(Key::field(object, field), time);
            // A copy has what the original had, until it is written.
            let copied = self.index.last(Key::ranges(object), time);
            let copied = copied.filter(|copied| own.is_none_or(|own| own.time < copied.time));
            if copied.is_some() && field.is_of_library() {
                break;
            }
            match copied.map(|copied| (copied.posting.what, copied.time.0.checked_sub(1))) {
                Some((PostingKind::Copied { source, .. }, Some(before))) => {
                    (object, time) = (source, Time(before))
                }
                _ => return self.written_at(own, object, field, time),
            }
        }
        KnownValue::Unknown
    }

    /// What a field holds by its last write, if there is one.
    fn written_at(
        &self,
        own: Option<TimedPosting>,
        object: ObjectId,
        field: FieldId,
        time: Time,
    ) -> KnownValue {
        match own {
            Some(found) => match self.recording.program().field(field) {
                Some((class, _)) if writes_are_missed(class) => KnownValue::Unknown,
                _ if field.is_of_library() && !self.is_told_alone(object, field) => KnownValue::Unknown,
                _ => known(&found),
            },
            None => match self.recording.program().field(field) {
                Some((class, of)) if is_followed(class) && self.is_as_made(object, field, of, time) => {
                    KnownValue::Value(default(&of.descriptor))
                }
                // What never changes was so before it was seen.
                Some((class, _)) if jdk::values::is_unchangeable(&class.name) => {
                    let first = self.index.all(Key::field(object, field), None).next();
                    first.map_or(KnownValue::Unknown, |found| known(&found))
                }
                _ => KnownValue::Unknown,
            },
        }
    }

    pub(crate) fn static_at(&self, field: FieldId, time: Time) -> KnownValue {
        if let Some(found) = self.index.last(Key::of_static(field), time) {
            return self.unless_read(Key::of_static(field), field, time, known(&found));
        }
        let Some((class, field)) = self.recording.program().field(field) else { return KnownValue::Unknown };
        match field.constant {
            Some(value) => KnownValue::Value(value),
            // It may have been written where nobody has looked.
            None if self.index.is_part() => KnownValue::Unknown,
            None if is_followed(class) => KnownValue::Value(default(&field.descriptor)),
            None => KnownValue::Unknown,
        }
    }

    pub(crate) fn element_at(&self, array: ObjectId, index: u32, time: Time) -> KnownValue {
        let (mut array, mut index, mut time) = (array, index, time);
        for _ in 0..MAX_COPIES {
            let Some(found) = last_touch(&self.index, array, index, time) else {
                return self.untouched_at(array, time);
            };
            match found.posting.what {
                PostingKind::Filled { value, .. } if value != Value::Top => return KnownValue::Value(value),
                PostingKind::SeenRange { .. } => {
                    let value = self.index.content(found.position.stream, found.posting.what, index);
                    return value.map_or(KnownValue::Unknown, KnownValue::Seen);
                }
                PostingKind::Copied { source, from, to, .. } => {
                    let Some(before) = found.time.0.checked_sub(1) else { return KnownValue::Unknown };
                    (array, index, time) = (source, from.wrapping_add(index - to), Time(before));
                }
                _ => return known(&found),
            }
        }
        KnownValue::Unknown
    }

    /// What an element holds that nothing has touched.
    pub(crate) fn untouched_at(&self, array: ObjectId, time: Time) -> KnownValue {
        let descriptor = self.element_descriptor(array);
        match self.index.last(Key::created(array), time) {
            Some(made) if !(descriptor.starts_with('[') && self.makes_several(&made)) => {
                KnownValue::Value(default(&descriptor))
            }
            _ => KnownValue::Unknown,
        }
    }

    /// Was the object made at or before this time, by code that is recorded?
    pub(crate) fn created_by(&self, object: ObjectId, time: Time) -> bool {
        self.index.last(Key::created(object), time).is_some()
    }
}

impl Past {
    /// Is all that is known of a library's field told under one number, and by one thread?
    fn is_told_alone(&self, object: ObjectId, field: FieldId) -> bool {
        let ty = self.recording.objects().type_of(object);
        let has_one_name = ty.is_some_and(|ty| !self.recording.program().has_other_name(ty, field));
        has_one_name && self.one_thread
    }

    /// Did one instruction make the array and arrays in it (`new int[2][3]`)? Those are not recorded.
    fn makes_several(&self, made: &TimedPosting) -> bool {
        let method = self.index.call_at(made.position).and_then(|call| self.method_of(call));
        let Some(method) = method else { return false };
        let site = Site { method, bci: made.posting.bci };
        let mut known = self.several.lock().unwrap_or_else(PoisonError::into_inner);
        *known.entry(site).or_insert_with(|| {
            let opcode = || {
                let (class, method) = self.recording.program().method(site.method)?;
                let file = ClassFile::parse(&class.bytes).ok()?;
                let is_it = |member: &&Member<'_>| {
                    member.name == method.name.as_bytes() && member.descriptor == method.descriptor.as_bytes()
                };
                let code = file.methods.iter().find(is_it)?.code(&file).ok()??;
                let mut insns = code.insns().map_while(|insn| insn.ok());
                insns.find(|insn| insn.pc == u32::from(site.bci)).map(|insn| insn.op)
            };
            opcode() == Some(opcode::MULTIANEWARRAY)
        })
    }
}

/// Is every write of this class's code recorded? Then what has no write holds zeros.
fn is_followed(class: &Class) -> bool {
    class.recorded && matches!(class.detail, Detail::Heap | Detail::Full)
}

/// Does the class write some of its fields past the recorder?
fn writes_are_missed(class: &Class) -> bool {
    !is_followed(class) && !class.swaps && jdk::unseen::writes_by_swapping(&class.name)
}

/// The last posting that says something of an array's element: a write of its own, or one of a range with it.
pub(crate) fn last_touch(index: &Index, array: ObjectId, element: u32, time: Time) -> Option<TimedPosting> {
    let own = index.last(Key::element(array, element), time);
    let mut until = time;
    for _ in 0..MAX_RANGES {
        let Some(range) = index.last(Key::ranges(array), until) else { break };
        // What was read right after a sighting is filed with it.
        if own.is_some_and(|own| own.time >= range.time) {
            break;
        }
        if covers(range.posting.what, element) {
            return Some(range);
        }
        let Some(before) = range.time.0.checked_sub(1) else { break };
        until = Time(before);
    }
    own
}

/// Does a write to a range include this element?
pub(crate) fn covers(what: PostingKind, element: u32) -> bool {
    match what {
        PostingKind::Copied { to, length, .. } => {
            element.checked_sub(to).is_some_and(|offset| offset < length)
        }
        PostingKind::Filled { from, to, .. } => (from..to).contains(&element),
        PostingKind::SeenRange { from, count, cut, .. } => {
            element.checked_sub(from).is_some_and(|offset| offset < count || cut)
        }
        _ => false,
    }
}

/// What a location holds by a posting of it alone.
pub(crate) fn known(found: &TimedPosting) -> KnownValue {
    match found.posting.what {
        PostingKind::Written(Value::Top) | PostingKind::Read(Value::Top) => KnownValue::Unknown,
        PostingKind::Written(value) => KnownValue::Value(value),
        PostingKind::Seen(value) | PostingKind::Read(value) => KnownValue::Seen(value),
        _ => KnownValue::Unknown,
    }
}

/// What a new object's field or a new array's element holds.
pub(crate) fn default(descriptor: &str) -> Value {
    match descriptor.as_bytes().first() {
        Some(b'J') => Value::Long(0),
        Some(b'F') => Value::Float(0.0),
        Some(b'D') => Value::Double(0.0),
        Some(b'L' | b'[') | None => Value::Null,
        _ => Value::Int(0),
    }
}
