//! Which field an instruction means: the class that declares it, found as the JVM does. Its number is that of the
//! class and of the field in it, so it is the same in whatever order classes are looked at.

use std::sync::OnceLock;

use classfile::{access, opcode};

use crate::class_model::Field;
use crate::code::Code;
use crate::event::FieldRef;
use crate::ids::{FieldId, TypeId};
use crate::program::{Class, MAX_SUPERS, Program};
use crate::tables::Detail;

/// How to find the class that declares a field, and which it is once it was found.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    from: From,
    found: OnceLock<FieldId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    /// The owner, as code of this loader sees it.
    Loader(u32),
    /// An object's type, behind this many fields of the same name and descriptor.
    Type(TypeId, usize),
}

impl Declared {
    pub fn by_loader(loader: u32) -> Declared {
        Declared { from: From::Loader(loader), found: OnceLock::new() }
    }

    pub fn by_type(ty: TypeId, behind: usize) -> Declared {
        Declared { from: From::Type(ty, behind), found: OnceLock::new() }
    }
}

/// Whether it was found yet makes no difference.
impl PartialEq for Declared {
    fn eq(&self, other: &Declared) -> bool {
        self.from == other.from
    }
}

impl Eq for Declared {}

impl FieldRef {
    /// Whose code names it; none if a table of an object's type does.
    pub(crate) fn loader(&self) -> Option<u32> {
        match self.declared.from {
            From::Loader(loader) => Some(loader),
            From::Type(..) => None,
        }
    }

    /// The field's number; none as long as the class that declares it is not in the recording, or if it has too
    /// large a number.
    pub fn id(&self, program: &Program) -> Option<FieldId> {
        if let Some(&found) = self.declared.found.get() {
            return Some(found);
        }
        let found = match self.declared.from {
            From::Loader(loader) => {
                self.look_in(program, program.class_named(&self.owner, loader)?, &mut { MAX_SUPERS })
            }
            From::Type(ty, behind) => {
                let (name, descriptor) = (&self.name, &self.descriptor);
                let mut fields = program.instance_fields(ty);
                // The record of a type has its own fields first, and none of the program's.
                fields.reverse();
                let same = |&(id, field): &(FieldId, &Field)| {
                    field.name == *name
                        && field.descriptor == *descriptor
                        && program.class(id.class()).is_some_and(|class| class.detail == Detail::Library)
                };
                fields.into_iter().filter(same).nth(behind).map(|(id, _)| id)
            }
        }?;
        Some(*self.declared.found.get_or_init(|| found))
    }

    /// In the class itself, then in its interfaces, then in its superclass. `left`: guards against circles.
    fn look_in(&self, program: &Program, class: &Class, left: &mut usize) -> Option<FieldId> {
        *left = left.checked_sub(1)?;
        let model = program.model(class)?;
        let own = |field: &Field| field.name == self.name && field.descriptor == self.descriptor;
        if let Some(index) = model.fields.iter().position(own) {
            return FieldId::new(class.id, index);
        }
        model.interfaces.iter().chain(&model.super_name).find_map(|name| {
            let above = program.class_named(name, class.loader)?;
            self.look_in(program, above, left)
        })
    }
}

impl Program {
    /// The field with this number, and the class that declares it.
    pub fn field(&self, id: FieldId) -> Option<(&Class, &Field)> {
        let class = self.class(id.class())?;
        Some((class, self.model(class)?.fields.get(id.index())?))
    }

    /// Is there no code in the recording that could write a field of an object? Told of private fields only: others may be
    /// written from anywhere.
    pub fn is_unwritten(&self, id: FieldId) -> bool {
        let Some((class, field)) = self.field(id) else { return false };
        if field.access & access::PRIVATE == 0 {
            return false;
        }
        let outermost = |name: &str| name.split('$').next().unwrap_or(name).to_owned();
        let nest = outermost(&class.name);
        let writes = |code: &Code| {
            code.insns.iter().filter(|insn| insn.op == opcode::PUTFIELD).any(|insn| {
                let named = code.fields.get(insn.b as usize);
                named.is_some_and(|named| named.name == field.name && named.owner == class.name)
            })
        };
        let mates = self.classes().iter().filter(|mate| outermost(&mate.name) == nest);
        !mates.flat_map(|mate| self.codes(mate)).flatten().any(writes)
    }

    /// The fields of an object of this type, those of its superclasses first, as far as these are in the recording.
    pub fn instance_fields(&self, mut ty: TypeId) -> Vec<(FieldId, &Field)> {
        for _ in 0..MAX_SUPERS {
            let Some(info) = self.type_info(ty) else { break };
            let class = info.class.and_then(|class| self.class(class));
            let Some(class) = class.or_else(|| self.class_named(&info.name, info.loader)) else {
                let Some(above) = info.super_type else { break };
                ty = above;
                continue;
            };
            let mut classes: Vec<&Class> = self.supers(&class.name, class.loader).collect();
            classes.reverse();
            return classes.into_iter().flat_map(|class| self.own_fields(class, false)).collect();
        }
        Vec::new()
    }

    /// The static fields that a class declares.
    pub fn static_fields<'a>(&'a self, class: &'a Class) -> impl Iterator<Item = (FieldId, &'a Field)> {
        self.own_fields(class, true)
    }

    fn own_fields<'a>(
        &'a self,
        class: &'a Class,
        is_static: bool,
    ) -> impl Iterator<Item = (FieldId, &'a Field)> {
        let fields = self.model(class).map_or(&[][..], |model| &model.fields).iter().enumerate();
        let fits = move |field: &Field| (field.access & access::STATIC != 0) == is_static;
        fields.filter_map(move |(index, field)| {
            Some((FieldId::new(class.id, index).filter(|_| fits(field))?, field))
        })
    }
}
