//! Fields that a library's class declares of which nothing is in the recording but that code of the program uses them
//! (`point.x`, a protected field of a superclass). Which class declares one is not known; what stands for it is the
//! class where the search for it leaves the recording. They are numbered by the index, in the order in which they were used.

use std::collections::HashMap;

use crate::class_model::Field;
use crate::event::FieldRef;
use crate::ids::{ClassId, FieldId, TypeId};
use crate::program::{Class, MAX_SUPERS, Program};
use crate::tables::LayoutRecord;

/// A field by its names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LibraryField {
    /// With slashes: the first class from the one that the code names, up, that is not in the recording with all its fields.
    pub owner: String,
    pub name: String,
    pub descriptor: String,
}

/// Those that the program uses, with their numbers.
#[derive(Default)]
pub(crate) struct LibraryFields {
    /// One class for each owner, with the fields of it that are used.
    classes: Vec<Class>,
    numbers: HashMap<LibraryField, FieldId>,
}

/// Gives numbers to library fields.
#[derive(Default)]
pub struct LibraryFieldNumbers {
    owners: HashMap<String, (usize, usize)>,
    numbers: HashMap<LibraryField, FieldId>,
    list: Vec<LibraryField>,
    /// By the class that code names: what was found for its fields, so that it is not looked for at each use.
    uses: HashMap<String, Vec<Use>>,
}

struct Use {
    loader: u32,
    name: String,
    descriptor: String,
    number: Option<FieldId>,
}

impl LibraryFieldNumbers {
    /// The number of a field that code names and nothing in the recording declares.
    pub fn of_use(&mut self, field: &FieldRef, program: &Program) -> Option<FieldId> {
        let loader = field.loader()?;
        let is_it =
            |one: &&Use| one.loader == loader && one.name == field.name && one.descriptor == field.descriptor;
        let known = self.uses.get(&field.owner);
        if let Some(known) = known.and_then(|known| known.iter().find(is_it)) {
            return known.number;
        }
        let number = field.library_field(program).and_then(|field| self.number(field));
        let [name, descriptor] = [&field.name, &field.descriptor].map(String::clone);
        let uses = self.uses.entry(field.owner.clone()).or_default();
        uses.push(Use { loader, name, descriptor, number });
        number
    }

    /// The number of a field, a new one if it has none; none if there are too many.
    pub fn number(&mut self, field: LibraryField) -> Option<FieldId> {
        if let Some(&number) = self.numbers.get(&field) {
            return Some(number);
        }
        let next = self.owners.len();
        let (class, fields) = self.owners.entry(field.owner.clone()).or_insert((next, 0));
        let number = FieldId::of_library(*class, *fields)?;
        *fields += 1;
        self.list.push(field.clone());
        self.numbers.insert(field, number);
        Some(number)
    }

    /// All of them, in the order in which they got their numbers.
    pub fn list(&self) -> &[LibraryField] {
        &self.list
    }
}

impl FieldRef {
    /// The names of a field that nothing in the recording declares.
    pub fn library_field(&self, program: &Program) -> Option<LibraryField> {
        let mut name = self.owner.as_str();
        for _ in 0..MAX_SUPERS {
            match program.class_named(name, self.loader()?) {
                Some(class) if !class.bytes.is_empty() => {
                    name = program.model(class)?.super_name.as_deref()?;
                }
                _ => break,
            }
        }
        if name == jdk::names::OBJECT {
            return None;
        }
        let [owner, name, descriptor] = [name, &self.name, &self.descriptor].map(str::to_owned);
        Some(LibraryField { owner, name, descriptor })
    }

    /// The field's number, one that a library declares included if its use is known.
    pub fn used_id(&self, program: &Program) -> Option<FieldId> {
        self.id(program).or_else(|| {
            let fields = &program.library_fields;
            if fields.numbers.is_empty() {
                return None;
            }
            fields.numbers.get(&self.library_field(program)?).copied()
        })
    }
}

impl Program {
    /// From now on these fields of libraries have numbers, as [`LibraryFieldNumbers`] gives them.
    pub fn use_library_fields(&mut self, list: &[LibraryField]) {
        let mut numbers = LibraryFieldNumbers::default();
        let mut layouts: Vec<LayoutRecord<'_>> = Vec::new();
        for field in list {
            let Some(number) = numbers.number(field.clone()) else { continue };
            let own = (field.name.as_bytes(), field.descriptor.as_bytes());
            match layouts.iter_mut().find(|layout| layout.class == number.class()) {
                Some(layout) => layout.fields.push(own),
                None => layouts.push(LayoutRecord {
                    class: number.class(),
                    loader: 0,
                    flags: 0,
                    name: field.owner.as_bytes(),
                    super_name: b"",
                    fields: vec![own],
                }),
            }
        }
        let classes = layouts.iter().map(Class::of_layout).collect();
        self.library_fields = LibraryFields { classes, numbers: numbers.numbers };
    }

    pub(crate) fn library_class(&self, id: ClassId) -> Option<&Class> {
        self.library_fields.classes.iter().find(|class| class.id == id)
    }

    /// The fields of an object of this type that libraries declare and the program uses.
    pub fn library_fields(&self, ty: TypeId) -> Vec<(FieldId, &Field)> {
        let mut found = Vec::new();
        for class in &self.library_fields.classes {
            if !self.is_subtype(ty, &class.name) {
                continue;
            }
            let fields = self.model(class).map_or(&[][..], |model| &model.fields).iter().enumerate();
            found.extend(fields.filter_map(|(at, field)| Some((FieldId::new(class.id, at)?, field))));
        }
        found
    }

    /// May a library's field of objects of this type go by another number too? The program names it by several classes.
    pub fn has_other_name(&self, ty: TypeId, id: FieldId) -> bool {
        let Some((_, field)) = self.field(id) else { return true };
        let alike = |&(other, named): &(FieldId, &Field)| {
            other != id && named.name == field.name && named.descriptor == field.descriptor
        };
        self.library_fields(ty).iter().any(alike)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn library_fields_keep_the_numbers_that_they_were_given() {
        let field = |owner: &str, name: &str| LibraryField {
            owner: owner.to_owned(),
            name: name.to_owned(),
            descriptor: "I".to_owned(),
        };
        let mut numbers = LibraryFieldNumbers::default();
        let given = [field("p/A", "x"), field("q/B", "x"), field("p/A", "y"), field("p/A", "x")];
        let given = given.map(|field| (numbers.number(field.clone()).unwrap(), field));
        assert_eq!(given[0].0, given[3].0);
        assert_eq!(numbers.list().len(), 3);
        let mut program = Program::default();
        program.use_library_fields(numbers.list());
        for (number, field) in given {
            let (class, found) = program.field(number).unwrap();
            assert!(number.is_of_library());
            assert_eq!((&class.name, &found.name), (&field.owner, &field.name));
        }
    }
}
