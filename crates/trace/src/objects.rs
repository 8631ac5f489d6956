//! What is known of objects, arrays and strings from their first sight. Ids are dense sequences handed out in
//! blocks, so the tables are columns in pages, indexed by id; rare facts are in hash maps beside them.

use std::collections::{HashMap, HashSet};

use crate::ids::{ObjectId, StringId, TypeId};
use crate::record::Record;
use crate::tables::string_flag;
use crate::text;

/// Type of every object, length of every array, content of every string.
#[derive(Default)]
pub struct Objects {
    program: Pages<ObjectEntry>,
    library: Pages<ObjectEntry>,
    count: u64,
    strings: Pages<u32>,
    contents: Vec<StringEntry>,
    bytes: Vec<u8>,
    messages: HashMap<ObjectId, StringId>,
    enum_objects: HashMap<ObjectId, (u16, StringId)>,
    enum_names: HashMap<(TypeId, u16), StringId>,
    doubtful: HashSet<ObjectId>,
}

/// A string's content as far as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    pub text: String,
    /// Length of the whole string in the program, in UTF-16 units.
    pub chars: u32,
    /// True if `text` is only its beginning.
    pub cut: bool,
}

impl Objects {
    pub fn type_of(&self, id: ObjectId) -> Option<TypeId> {
        self.entry(id).map(|entry| entry.ty)
    }

    /// The length of an array; `None` if the id is no array or was never defined.
    #[inline]
    pub fn length(&self, id: ObjectId) -> Option<u32> {
        self.entry(id).filter(|entry| entry.length != NO_ARRAY).map(|entry| entry.length)
    }

    pub fn string(&self, id: StringId) -> Option<Text> {
        let number = *self.strings.get(id.0)? as usize;
        let entry = self.contents.get(number.checked_sub(1)?)?;
        let bytes = self.bytes.get(entry.start as usize..)?.get(..entry.size as usize)?;
        Some(Text {
            text: text::from_java(bytes, entry.flags & string_flag::UTF16 != 0),
            chars: entry.chars,
            cut: entry.flags & string_flag::CUT != 0,
        })
    }

    /// The detail message of an exception.
    pub fn message(&self, id: ObjectId) -> Option<StringId> {
        self.messages.get(&id).copied()
    }

    /// Ordinal and name, if the object is an enum constant of the program.
    pub fn enum_object(&self, id: ObjectId) -> Option<(u16, StringId)> {
        self.enum_objects.get(&id).copied()
    }

    /// The name of a library's enum constant.
    pub fn enum_name(&self, ty: TypeId, ordinal: u16) -> Option<StringId> {
        self.enum_names.get(&(ty, ordinal)).copied()
    }

    /// May another object have the same identity?
    pub fn is_doubtful(&self, id: ObjectId) -> bool {
        self.doubtful.contains(&id)
    }

    /// How many objects and arrays were seen.
    pub fn count(&self) -> u64 {
        self.count
    }

    pub fn doubtful_count(&self) -> u64 {
        self.doubtful.len() as u64
    }

    pub fn string_count(&self) -> u64 {
        self.contents.len() as u64
    }

    /// Takes a definition record in; other records change nothing.
    pub fn define(&mut self, record: &Record<'_>) {
        match *record {
            Record::Object { id, ty } => self.define_object(id, ty, NO_ARRAY),
            Record::Array { id, ty, length } => self.define_object(id, ty, length),
            Record::EnumObject { id, ty, ordinal, name } => {
                self.define_object(id, ty, NO_ARRAY);
                self.enum_objects.insert(id, (ordinal, name));
            }
            Record::String { id, chars, flags, data } => self.define_string(id, chars, flags, data),
            Record::Exception { id, message } if message.0 != 0 => {
                self.messages.insert(id, message);
            }
            Record::EnumName { ty, ordinal, name } => {
                self.enum_names.insert((ty, ordinal), name);
            }
            Record::Doubt(id) => {
                self.doubtful.insert(id);
            }
            _ => {}
        }
    }

    pub fn define_string(&mut self, id: StringId, chars: u32, flags: u8, data: &[u8]) {
        let Ok(number) = u32::try_from(self.contents.len() + 1) else { return };
        let slot = self.strings.slot(id.0);
        if *slot == 0 {
            *slot = number;
            let (start, size) = (self.bytes.len() as u64, data.len() as u32);
            self.contents.push(StringEntry { start, size, chars, flags });
            self.bytes.extend_from_slice(data);
        }
    }

    fn define_object(&mut self, id: ObjectId, ty: TypeId, length: u32) {
        let pages = if id.is_program() { &mut self.program } else { &mut self.library };
        let entry = pages.slot(id.number());
        if entry.ty == TypeId::NONE {
            self.count += 1;
        } else {
            // An object is introduced once: these are two, under one name.
            self.doubtful.insert(id);
        }
        *entry = ObjectEntry { ty, length };
    }

    #[inline]
    fn entry(&self, id: ObjectId) -> Option<&ObjectEntry> {
        let pages = if id.is_program() { &self.program } else { &self.library };
        pages.get(id.number()).filter(|entry| entry.ty != TypeId::NONE)
    }
}

/// The length of what is no array.
const NO_ARRAY: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct ObjectEntry {
    ty: TypeId,
    length: u32,
}

impl Default for ObjectEntry {
    fn default() -> Self {
        ObjectEntry { ty: TypeId::NONE, length: NO_ARRAY }
    }
}

struct StringEntry {
    start: u64,
    size: u32,
    chars: u32,
    flags: u8,
}

const PAGE: usize = 256;

/// A column that is indexed by id. Pages come into being when something in them is defined; the directory
/// holds page numbers + 1, so that an outlier of an id costs little.
struct Pages<T> {
    directory: Vec<u32>,
    entries: Vec<T>,
}

impl<T> Default for Pages<T> {
    fn default() -> Self {
        Pages { directory: Vec::new(), entries: Vec::new() }
    }
}

impl<T: Copy + Default> Pages<T> {
    #[inline]
    fn get(&self, id: u32) -> Option<&T> {
        let page = *self.directory.get(id as usize / PAGE)? as usize;
        self.entries.get(page.checked_sub(1)? * PAGE + id as usize % PAGE)
    }

    fn slot(&mut self, id: u32) -> &mut T {
        let page = id as usize / PAGE;
        if self.directory.len() <= page {
            self.directory.resize(page + 1, 0);
        }
        if self.directory[page] == 0 {
            self.entries.resize(self.entries.len() + PAGE, T::default());
            self.directory[page] = (self.entries.len() / PAGE) as u32;
        }
        &mut self.entries[(self.directory[page] as usize - 1) * PAGE + id as usize % PAGE]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_found_by_id_and_nothing_else_is() {
        let mut objects = Objects::default();
        let (array, object) = (ObjectId(5000), ObjectId(0x8000_0001));
        objects.define(&Record::Array { id: array, ty: TypeId(3), length: 0 });
        objects.define(&Record::Object { id: object, ty: TypeId(4) });
        objects.define(&Record::String { id: StringId(9), chars: 2, flags: 0, data: b"hi" });
        assert_eq!((objects.type_of(array), objects.length(array)), (Some(TypeId(3)), Some(0)));
        assert_eq!((objects.type_of(object), objects.length(object)), (Some(TypeId(4)), None));
        assert_eq!(objects.type_of(ObjectId(1)), None);
        assert_eq!(objects.string(StringId(9)).map(|text| text.text).as_deref(), Some("hi"));
        assert_eq!(objects.string(StringId(8)), None);
        assert_eq!((objects.count(), objects.string_count()), (2, 1));
    }
}
