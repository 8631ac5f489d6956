//! Fields and methods by number: which class declares a field that code names, which fields an object has, what
//! an instruction calls. Resolved as the JVM does, as far as the classes are in the recording.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

use classfile::{ClassFile, Constant};

use crate::class_model::Field;
use crate::event::FieldRef;
use crate::ids::{CalleeId, FieldId, TypeId};
use crate::program::{Class, Program};
use crate::text::from_modified;

/// The number of a field once it is known. Only a memory: two references to a field are equal without it.
#[derive(Debug)]
pub(crate) struct Resolved(AtomicU32);

impl Default for Resolved {
    fn default() -> Self {
        Resolved(AtomicU32::new(u32::MAX))
    }
}

impl Clone for Resolved {
    fn clone(&self) -> Self {
        Resolved(AtomicU32::new(self.0.load(Ordering::Relaxed)))
    }
}

impl PartialEq for Resolved {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Resolved {}

impl Program {
    /// The number of the field that code names; none if its class is not in the recording (yet).
    #[inline]
    pub fn field_id(&self, field: &FieldRef) -> Option<FieldId> {
        match field.resolved.0.load(Ordering::Relaxed) {
            u32::MAX => self.resolve(field),
            id => Some(FieldId(id)),
        }
    }

    #[cold]
    fn resolve(&self, field: &FieldRef) -> Option<FieldId> {
        let classes = self.supers(&field.owner, field.loader);
        let id = classes.into_iter().find_map(|class| {
            let fields = &self.model(class)?.fields;
            let is_it = |own: &Field| own.name == field.name && own.descriptor == field.descriptor;
            FieldId::new(class.id, fields.iter().position(is_it)?)
        })?;
        field.resolved.0.store(id.0, Ordering::Relaxed);
        Some(id)
    }

    /// The class that declares a field, and the field.
    pub fn field(&self, id: FieldId) -> Option<(&Class, &Field)> {
        let class = self.class(id.class())?;
        Some((class, self.model(class)?.fields.get(id.index())?))
    }

    /// All instance fields of an object of a type, those of superclasses first.
    pub fn instance_fields(&self, ty: TypeId) -> Vec<(FieldId, &Field)> {
        let Some(ty) = self.type_info(ty) else { return Vec::new() };
        let mut classes: Vec<&Class> = self.supers(&ty.name, ty.loader).collect();
        classes.reverse();
        classes.into_iter().flat_map(|class| self.fields_of(class, false)).collect()
    }

    /// The static fields that a class declares.
    pub fn static_fields<'a>(&'a self, class: &'a Class) -> Vec<(FieldId, &'a Field)> {
        self.fields_of(class, true)
    }

    /// The numbers of `fields(ty)`, in the same order.
    pub fn field_ids(&self, ty: TypeId) -> Vec<Option<FieldId>> {
        let Some(info) = self.type_info(ty) else { return Vec::new() };
        // Each class's own, from the type itself upwards: a name that is there twice is meant that way.
        let mut all: Vec<(FieldId, &Field)> = Vec::new();
        for class in self.supers(&info.name, info.loader) {
            all.extend(self.fields_of(class, false));
        }
        let find = |field: &FieldRef| {
            let at = all
                .iter()
                .position(|(_, own)| own.name == field.name && own.descriptor == field.descriptor)?;
            Some(all.remove(at).0)
        };
        self.fields(ty).iter().map(find).collect()
    }

    fn fields_of<'a>(&'a self, class: &'a Class, is_static: bool) -> Vec<(FieldId, &'a Field)> {
        let fields = self.model(class).map_or(&[][..], |model| &model.fields);
        let numbered = fields.iter().enumerate().filter(|(_, field)| field.is_static() == is_static);
        numbered.filter_map(|(index, field)| Some((FieldId::new(class.id, index)?, field))).collect()
    }

    /// Owner (with slashes), name and descriptor of what an instruction calls.
    pub fn callee(&self, id: CalleeId) -> Option<(String, String, String)> {
        let class = self.class(id.class)?;
        let callees = class.callees.get_or_init(|| {
            let Ok(file) = ClassFile::parse(&class.bytes) else { return HashMap::new() };
            let indices = (1..file.pool.len()).filter_map(|index| u16::try_from(index).ok());
            let member = |index: u16| {
                let is_method = matches!(
                    file.pool.get(index).ok()?,
                    Constant::Method { .. } | Constant::InterfaceMethod { .. }
                );
                let member = file.pool.member(index).ok().filter(|_| is_method)?;
                let text = from_modified;
                Some((index, (text(member.class), text(member.name), text(member.descriptor))))
            };
            indices.filter_map(member).collect()
        });
        callees.get(&id.index).cloned()
    }
}
