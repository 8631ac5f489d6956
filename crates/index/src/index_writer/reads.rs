//! What code of the program read: values that no recorded write had told, and fields that libraries declare, which hold what was
//! read of them until code of a library runs.

use base::FieldId;
use trace::{Callee, FieldRef, ObjectId, Read, Value};

use super::{At, Writing};
use crate::posting::{Key, NO_BCI, PostingKind};
use crate::reads::{Fits, Origin, is_told, is_zero};

impl Writing<'_> {
    /// A location holds another value than the one that was last written or read there. Where other threads run, one of
    /// them may have written it, and that is recorded.
    #[cold]
    pub(super) fn is_changed(&self, object: Option<ObjectId>, before: Value, value: Value) -> bool {
        let is_sure = object.is_none_or(|object| object.is_program() && !self.objects.is_doubtful(object));
        is_sure && self.files.reads.alone && !self.are_one_text(before, value)
    }

    /// Up to when the old value was there is told too.
    #[cold]
    pub(super) fn changed(
        &mut self,
        key: Key,
        field: FieldId,
        old: (Value, Option<u64>),
        value: Value,
        read: &Read<'_>,
    ) {
        self.files.read_fields.insert(field.0);
        if let (before, Some(then)) = old {
            self.post_read(key, before, then, NO_BCI);
        }
        self.post_read(key, value, self.writer.ordinal, read.site.bci);
    }

    /// A field was read that a library declares, which writes to it unseen: it holds that until code of a library runs.
    #[cold]
    pub(super) fn read_of_library(
        &mut self,
        object: ObjectId,
        field: &FieldRef,
        value: Value,
        read: &Read<'_>,
    ) {
        if self.objects.is_doubtful(object) || !is_told(value) {
            return;
        }
        let Some(field) = self.library_field(field) else { return };
        let (key, at) = (Key::field(object, field), self.writer.ordinal);
        let fits = self.files.reads.read(key, value, at);
        if self.writer.told.insert(key) || fits != Fits::Same {
            self.post_read(key, value, at, read.site.bci);
        }
    }

    /// Code of a library may have run: nobody knows what its fields hold.
    pub(super) fn forget_libraries(&mut self, at: At) {
        for key in std::mem::take(&mut self.writer.told) {
            self.post(key, PostingKind::Read(Value::Top), At { bci: NO_BCI, library: true, ..at });
        }
    }

    /// Does a call work on values alone, or print them? No code of a library runs then that has to do with its other objects.
    pub(super) fn is_harmless(&self, callee: &Callee, receiver: Option<Value>, args: &[Value]) -> bool {
        let is_value = |value: &Value| !matches!(value, Value::Object(_) | Value::Pending(_) | Value::Top);
        let prints = |stream: ObjectId| {
            let ty = self.objects.type_of(stream).and_then(|ty| self.program.type_info(ty));
            ty.is_some_and(|ty| ty.name == jdk::names::PRINT_STREAM)
        };
        let effect = || jdk::calls::effect(&callee.owner, &callee.name);
        let by_itself = match receiver {
            Some(Value::Object(stream)) => prints(stream),
            receiver => receiver.is_none_or(|one| is_value(&one)) && effect() == jdk::calls::Effect::None,
        };
        by_itself && args.iter().all(is_value)
    }

    pub(super) fn library_field(&mut self, field: &FieldRef) -> Option<FieldId> {
        self.files.library_fields.of_use(field, self.program)
    }

    /// Has nothing told what a field of an object holds that is not remembered?
    pub(super) fn is_untold(&mut self, object: ObjectId, field: FieldId, value: Value, ever: bool) -> bool {
        if !object.is_program() || self.objects.is_doubtful(object) {
            return false;
        }
        let reads = &mut self.files.reads;
        let untold = ever && reads.alone;
        match reads.origin(object) {
            Origin::Unknown => true,
            Origin::Foreign if is_zero(value) => true,
            Origin::Foreign | Origin::Made => {
                !is_zero(value) && (untold || reads.is_unwritten(self.program, field))
            }
        }
    }

    /// A string of the code and one that was recorded may be the same.
    pub(super) fn are_one_text(&self, one: Value, other: Value) -> bool {
        let text = |value: Value| match value {
            Value::Str(id) => {
                self.objects.string(id).filter(|text| !text.is_redacted()).map(|text| text.text)
            }
            Value::Literal { class, index } => self.program.literal(class, index).map(str::to_owned),
            _ => None,
        };
        text(one).is_some_and(|one| text(other).is_some_and(|other| one == other))
    }

    /// It holds from the event before the read on.
    pub(super) fn post_read(&mut self, key: Key, value: Value, at: u64, bci: u16) {
        let at = At { ordinal: at.saturating_sub(1), bci, library: false };
        self.post(key, PostingKind::Read(value), at);
    }
}
