//! What arrays and objects were seen to hold, what is copied and filled, and what libraries may have done to what they were given.

use base::Target;
use trace::{BulkWrite, Callee, Elements, ObjectId, Value};

use super::{At, Kind, Open, Writing};
use crate::error::Result;
use crate::packed::Packed;
use crate::posting::{Key, PostingKind};

impl Writing<'_> {
    pub(super) fn bulk(&mut self, bulk: BulkWrite, at: At) {
        let objects = self.objects;
        let whole = |array: ObjectId| objects.length(array).unwrap_or(0);
        let number = |number: i32| number.max(0) as u32;
        let (array, what) = match bulk {
            BulkWrite::Copy { target: Value::Object(target), source, from, to, length } => {
                if let Value::Object(source) = source {
                    self.files.reads.copied(source, target, number(to));
                }
                let what = match source {
                    Value::Object(source) => PostingKind::Copied {
                        source,
                        from: number(from),
                        to: number(to),
                        length: number(length),
                    },
                    _ => PostingKind::Filled {
                        from: number(to),
                        to: number(to).saturating_add(number(length)),
                        value: Value::Top,
                    },
                };
                (target, what)
            }
            BulkWrite::Clone { source: Value::Object(source), target: Value::Object(target) } => {
                if self.objects.length(target).is_none() {
                    self.post(Key::created(target), PostingKind::Created, at);
                }
                self.files.reads.make(target);
                (target, PostingKind::Copied { source, from: 0, to: 0, length: whole(target) })
            }
            BulkWrite::Fill { array: Value::Object(array), range, value } => {
                let (from, to) = range.map_or((0, whole(array)), |(from, to)| (number(from), number(to)));
                (array, PostingKind::Filled { from, to, value })
            }
            _ => return,
        };
        self.post_range(array, what, at);
    }

    pub(super) fn contents(
        &mut self,
        array: ObjectId,
        (from, length): (u32, u32),
        elements: Elements<'_>,
        at: At,
    ) -> Result<()> {
        let place = self.files.contents.length();
        let count = match elements {
            Elements::Primitive { kind, data } => {
                self.files.contents.append(&[kind])?;
                self.files.contents.append(data)?;
                data.len() / trace::record::element_size(kind).unwrap_or(1)
            }
            Elements::References(values) => {
                self.scratch(|out| {
                    out.push(b'L');
                    for &value in values {
                        let packed = Packed::from(value);
                        out.push(packed.kind);
                        out.extend_from_slice(&packed.bits.to_le_bytes());
                    }
                });
                self.files.contents.append(&self.writer.scratch)?;
                values.len()
            }
        };
        let count = count as u32;
        let end = from.saturating_add(count);
        let whole = end >= length;
        if from == 0 {
            if let Some(buffer) = self.writer.buffering.of.take() {
                self.files.wrapped.put(buffer, array);
            }
            self.writer.is_written_down = !whole && self.files.reads.is_made(array) && self.is_observed();
        }
        let is_all = self.writer.is_written_down || self.writer.filled.is_some_and(|filled| filled <= end);
        // Nothing of an array that has elements: they were taken out of the recording.
        let is_redacted = count == 0 && length > 0;
        let cut = is_redacted || self.files.reads.is_cut(end, length) && !is_all;
        if whole || cut {
            self.files.reads.looked_at(array, end, cut);
        }
        self.post_range(array, PostingKind::SeenRange { at: place, from, count, cut }, at);
        if let (Elements::References(values), true) = (elements, self.writer.fresh.contains(&array)) {
            self.created_within(values, at);
        }
        Ok(())
    }

    /// Is what the library wrote recorded, that is out or came back last?
    pub(super) fn is_observed(&self) -> bool {
        let open = match self.writer.open.last() {
            Some(Open { kind: Kind::Made, call: Some(call), .. }) => match call.target {
                Target::Library(callee) => Some(callee),
                Target::Method(_) => None,
            },
            _ => self.writer.back,
        };
        let callee = open.and_then(|callee| self.program.callee(callee));
        callee
            .is_some_and(|(owner, name, _)| jdk::calls::effect(&owner, &name) == jdk::calls::Effect::Observed)
    }

    /// Arrays that came into being together with the one that holds them.
    pub(super) fn created_within(&mut self, values: &[Value], at: At) {
        for &value in values {
            let Value::Object(inner) = value else { continue };
            if self.objects.length(inner).is_some() && !self.writer.fresh.contains(&inner) {
                self.post(Key::created(inner), PostingKind::Created, at);
                self.files.reads.make(inner);
                // Only an array of arrays is looked into, and few of them: those are what is searched here.
                let ty = self.objects.type_of(inner).and_then(|ty| self.program.type_info(ty));
                if ty.is_some_and(|ty| ty.name.starts_with("[[")) && self.writer.fresh.len() < 1000 {
                    self.writer.fresh.push(inner);
                }
            }
        }
    }

    pub(super) fn object_contents(&mut self, object: ObjectId, values: &[Value], at: At) {
        let program = self.program;
        let Some(ty) = self.objects.type_of(object) else { return };
        for (field, &value) in program.fields(ty).iter().zip(values) {
            // Of a library's class that is not in the recording nothing can be asked either.
            if let Some(field) = field.id(program) {
                self.post(Key::field(object, field), PostingKind::Seen(value), at);
            }
        }
    }

    /// What is written through a buffer is written to its array, and nobody sees it.
    pub(super) fn buffered(&mut self, callee: &Callee, receiver: Option<Value>, args: &[Value], at: At) {
        let wrapped = &self.files.wrapped;
        self.writer.buffering = wrapped.called(&callee.owner, &callee.name, receiver);
        if wrapped.is_empty() {
            return;
        }
        let arrays: Vec<ObjectId> = wrapped.written(&callee.owner, &callee.name, receiver, args).collect();
        arrays.into_iter().for_each(|array| self.forget(array, at));
    }

    pub(super) fn give(&mut self, args: &[Value]) {
        let Some(row) = self.writer.open.last().map(|open| open.row) else { return };
        for &value in args {
            if let Value::Object(object) = value
                && self.objects.length(object).is_some()
            {
                self.writer.given.push((row, object));
            }
        }
    }

    /// An array may hold anything from here on.
    pub(super) fn forget(&mut self, array: ObjectId, at: At) {
        let to = self.objects.length(array).unwrap_or(0);
        self.post_range(array, PostingKind::Filled { from: 0, to, value: Value::Top }, at);
        self.files.reads.looked_at(array, 0, true);
    }

    pub(super) fn captured(&mut self, args: &[Value], at: At) {
        for &value in args {
            let Value::Object(object) = value else { continue };
            let ty = self.objects.type_of(object).and_then(|ty| self.program.type_info(ty));
            if ty.is_some_and(|ty| jdk::effects::form(&ty.name).is_some()) {
                self.post(Key::uses(object), PostingKind::Captured, at);
            }
        }
    }

    /// A call into a library threw: what it wrote before into the arrays that it was given was not looked at.
    pub(super) fn gave_up(&mut self, exception: Option<Value>, at: At) {
        let Some(Open { row, call: Some(call), .. }) = self.writer.open.last() else { return };
        let (row, target) = (*row, call.target);
        if self.writer.given.last().is_none_or(|&(last, _)| last != row) {
            return;
        }
        let Target::Library(callee) = target else { return };
        let Some((owner, name, _)) = self.program.callee(callee) else { return };
        let class = match exception {
            Some(Value::Object(id)) => self.objects.type_of(id).and_then(|ty| self.program.type_info(ty)),
            _ => None,
        };
        // What the JDK refuses it refuses at once.
        let refused = class.is_some_and(|class| jdk::effects::is_refusal(&class.name));
        if refused && jdk::owner::is_jdk(&owner) || jdk::arrays::leaves_arrays(&owner, &name) {
            return;
        }
        let given = &self.writer.given;
        let first = given.partition_point(|&(other, _)| other < row);
        let arrays: Vec<ObjectId> = given[first..].iter().map(|&(_, array)| array).collect();
        arrays.into_iter().for_each(|array| self.forget(array, at));
    }

    /// Any other failure is found before anything is copied.
    pub(super) fn is_store_failure(&self, exception: Option<Value>) -> bool {
        match exception {
            Some(Value::Object(id)) => self
                .objects
                .type_of(id)
                .is_none_or(|ty| self.program.is_subtype(ty, "java/lang/ArrayStoreException")),
            _ => true,
        }
    }
}
