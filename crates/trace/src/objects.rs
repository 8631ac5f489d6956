//! What is known of objects, arrays and strings from their first sight. Ids are dense sequences handed out in
//! blocks, so the tables are columns indexed by id, in mapped memory: a recording may have more objects than memory
//! has room for. Rare facts lie beside them (`facts.rs`).

use std::path::{Path, PathBuf};

use crate::column::{BLOCK, Column};
use crate::error::Result;
use crate::facts::{ObjectFacts, Sizes};
use crate::ids::{ObjectId, StringId, TypeId};
use crate::record::Record;
use crate::tables::string_flag;
use base::{Text, text};

/// Type of every object, length of every array, content of every string.
///
/// An object is a word of its column: type + 1 in the upper half, length + 1 in the lower (0 for what is no array).
/// A string is two words: where its content starts in `text`, and flags, in the first; size and characters in the
/// second. So 0 is what was never defined, which is what memory holds before anything is written.
#[derive(Default)]
pub struct Objects {
    program: Column,
    library: Column,
    strings: Column,
    text: Column,
    facts: ObjectFacts,
    count: u64,
    string_count: u64,
    /// The folder of the files, if it is files.
    dir: Option<PathBuf>,
}

impl Objects {
    /// Tables in new files in a folder, which is made if it is not there. `seal` completes them.
    pub fn create(dir: &Path) -> Result<Objects> {
        std::fs::create_dir_all(dir)
            .map_err(|source| crate::Error::Write { path: dir.to_owned(), source })?;
        // Without it the others count for nothing: so files that are being written cannot be taken for whole ones.
        let facts = dir.join(FACTS);
        match std::fs::remove_file(&facts) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                return Err(crate::Error::Write { path: facts, source });
            }
            _ => {}
        }
        let [program, library, strings, text] = COLUMNS.map(|name| Column::create(&dir.join(name)));
        Ok(Objects {
            program: program?,
            library: library?,
            strings: strings?,
            text: text?,
            dir: Some(dir.to_owned()),
            ..Objects::default()
        })
    }

    /// The tables that `seal` left in a folder, to be read only. Takes the same time for any number of objects.
    pub fn open(dir: &Path) -> Result<Objects> {
        let (facts, sizes) = ObjectFacts::open(&dir.join(FACTS))?;
        let open = |at: usize| Column::open(&dir.join(COLUMNS[at]), sizes.columns[at]);
        Ok(Objects {
            program: open(0)?,
            library: open(1)?,
            strings: open(2)?,
            text: open(3)?,
            facts,
            count: sizes.objects,
            string_count: sizes.strings,
            dir: Some(dir.to_owned()),
        })
    }

    /// Cuts files down to what is used and writes the rare facts; nothing can be defined afterwards. Says if
    /// something did not fit. Tables in memory stay as they are.
    pub fn seal(&mut self) -> Result<()> {
        let Some(dir) = &self.dir else { return Ok(()) };
        if let ObjectFacts::Stored(_) = self.facts {
            return Ok(());
        }
        let blocks = [&self.program, &self.library].map(|column| column.blocks().collect());
        for column in [&mut self.program, &mut self.library, &mut self.strings, &mut self.text] {
            column.seal()?;
        }
        let columns = [&self.program, &self.library, &self.strings, &self.text];
        let sizes = Sizes {
            objects: self.count,
            strings: self.string_count,
            columns: columns.map(|column| column.used() as u64),
        };
        self.facts.store(&dir.join(FACTS), sizes, blocks)
    }

    pub fn type_of(&self, id: ObjectId) -> Option<TypeId> {
        match (self.entry(id) >> 32) as u32 {
            0 => None,
            ty => Some(TypeId(ty - 1)),
        }
    }

    /// The length of an array; `None` if the id is no array or was never defined.
    // Not inlined, to keep the interpreter's loop small.
    #[inline(never)]
    pub fn length(&self, id: ObjectId) -> Option<u32> {
        match self.entry(id) as u32 {
            0 => None,
            length => Some(length - 1),
        }
    }

    /// All objects and arrays: those of program classes, then those of libraries, each in order of their numbers.
    pub fn ids(&self) -> impl Iterator<Item = (ObjectId, TypeId)> + '_ {
        let [program, library] = self
            .facts
            .blocks()
            .unwrap_or_else(|| [&self.program, &self.library].map(|column| column.blocks().collect()));
        let of = |column, bit: u32, blocks: Vec<u32>| {
            let numbers = |block: u32| (0..PER_BLOCK).map(move |at| block * PER_BLOCK + at);
            blocks.into_iter().flat_map(numbers).filter_map(move |number| {
                let ty = (Column::word(column, number as usize * 8) >> 32) as u32;
                Some((ObjectId(number | bit), TypeId(ty.checked_sub(1)?)))
            })
        };
        // A block number that no id can be in comes from a damaged file.
        let sound = |blocks: Vec<u32>| blocks.into_iter().filter(|&block| block < MAX_BLOCKS).collect();
        of(&self.program, 1 << 31, sound(program)).chain(of(&self.library, 0, sound(library)))
    }

    pub fn string(&self, id: StringId) -> Option<Text> {
        let (bytes, chars, flags) = self.content(id)?;
        if chars == 0 && flags & string_flag::CUT != 0 {
            return Some(Text::redacted());
        }
        Some(Text {
            text: text::from_java(bytes, flags & string_flag::UTF16 != 0),
            chars,
            cut: flags & string_flag::CUT != 0,
        })
    }

    /// The detail message of an exception.
    pub fn message(&self, id: ObjectId) -> Option<StringId> {
        self.facts.message(id)
    }

    /// Ordinal and name, if the object is an enum constant of the program.
    pub fn enum_object(&self, id: ObjectId) -> Option<(u16, StringId)> {
        self.facts.enum_object(id)
    }

    /// The name of a library's enum constant.
    pub fn enum_name(&self, ty: TypeId, ordinal: u16) -> Option<StringId> {
        self.facts.enum_name(ty, ordinal)
    }

    /// May another object have the same identity?
    pub fn is_doubtful(&self, id: ObjectId) -> bool {
        self.facts.is_doubtful(id)
    }

    /// Gives memory back that is only a copy of files.
    pub fn release(&self) {
        [&self.program, &self.library, &self.strings, &self.text].into_iter().for_each(Column::release);
    }

    /// How many objects and arrays were seen.
    pub fn count(&self) -> u64 {
        self.count
    }

    pub fn doubtful_count(&self) -> u64 {
        self.facts.doubtful_count()
    }

    pub fn string_count(&self) -> u64 {
        self.string_count
    }

    /// Takes a definition record in; other records change nothing.
    pub fn define(&mut self, record: &Record<'_>) {
        match *record {
            Record::Object { id, ty } => self.define_object(id, ty, NO_ARRAY),
            Record::Array { id, ty, length } => self.define_object(id, ty, length),
            Record::EnumObject { id, ty, ordinal, name } => {
                self.define_object(id, ty, NO_ARRAY);
                self.facts.add_enum_object(id, ordinal, name);
            }
            Record::String { id, chars, flags, data } => self.define_string(id, chars, flags, data),
            Record::Exception { id, message } if message.0 != 0 => self.facts.add_message(id, message),
            Record::EnumName { ty, ordinal, name } => self.facts.add_enum_name(ty, ordinal, name),
            Record::Doubt(id) => self.facts.doubt(id),
            _ => {}
        }
    }

    pub fn define_string(&mut self, id: StringId, chars: u32, flags: u8, data: &[u8]) {
        let flags = flags & (string_flag::UTF16 | string_flag::CUT);
        match self.content(id) {
            None => self.string_count += 1,
            // As in `define_object`.
            Some(known) if known <= (data, chars, flags) => return,
            Some(_) => {}
        }
        let (start, at) = (self.text.used(), id.0 as usize * STRING);
        let mut entry = [0; STRING];
        entry[..8].copy_from_slice(&((start as u64) << 8 | u64::from(flags | DEFINED)).to_le_bytes());
        entry[8..12].copy_from_slice(&(data.len() as u32).to_le_bytes());
        entry[12..].copy_from_slice(&chars.to_le_bytes());
        if self.text.write(start, data) {
            self.strings.write(at, &entry);
        }
    }

    fn define_object(&mut self, id: ObjectId, ty: TypeId, length: u32) {
        let known = self.entry(id);
        let entry = u64::from(ty.0.wrapping_add(1)) << 32 | u64::from(length.wrapping_add(1));
        if known == 0 {
            self.count += 1;
        } else {
            // An object is introduced once: these are two, under one name. Which one is kept must not depend on the
            // order in which streams are read.
            self.facts.doubt(id);
            if known <= entry {
                return;
            }
        }
        let column = if id.is_program() { &mut self.program } else { &mut self.library };
        column.write(id.number() as usize * 8, &entry.to_le_bytes());
    }

    /// Bytes, characters and flags of a string.
    fn content(&self, id: StringId) -> Option<(&[u8], u32, u8)> {
        let at = id.0 as usize * STRING;
        let (place, sizes) = (self.strings.word(at), self.strings.word(at + 8));
        let bytes = self.text.bytes().get((place >> 8) as usize..)?.get(..sizes as u32 as usize)?;
        (place as u8 & DEFINED != 0).then_some((bytes, (sizes >> 32) as u32, place as u8 & !DEFINED))
    }

    #[inline]
    fn entry(&self, id: ObjectId) -> u64 {
        let column = if id.is_program() { &self.program } else { &self.library };
        column.word(id.number() as usize * 8)
    }
}

/// The files of a folder; the facts come last and say how long the others are.
const COLUMNS: [&str; 4] = ["objects.program", "objects.library", "strings", "text"];
const FACTS: &str = "facts";

/// The length of what is no array.
const NO_ARRAY: u32 = u32::MAX;
/// Bytes of a string's entry.
const STRING: usize = 16;
/// Bit of a string's flags in its entry: there is such a string.
const DEFINED: u8 = 0x80;
/// Objects in a block of a column.
const PER_BLOCK: u32 = (BLOCK / 8) as u32;
const MAX_BLOCKS: u32 = (1 << 31) / PER_BLOCK;

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_string_that_was_taken_out_is_told_from_an_empty_one() {
        let mut objects = Objects::default();
        objects.define(&Record::String { id: StringId(1), chars: 0, flags: 0, data: b"" });
        objects.define(&Record::String {
            id: StringId(2),
            chars: 0,
            flags: string_flag::CUT,
            data: &[0; 600],
        });
        let [empty, taken] = [1, 2].map(|id| objects.string(StringId(id)).unwrap());
        assert!(!empty.is_redacted() && empty.text.is_empty());
        assert!(taken.is_redacted() && taken.cut && taken.text == text::REDACTED);
    }

    const ARRAY: ObjectId = ObjectId(5000);
    const OBJECT: ObjectId = ObjectId(0x8000_0001);
    const WILD: ObjectId = ObjectId(0xffff_fff0);
    const CONSTANT: ObjectId = ObjectId(0x8000_0002);

    fn define(objects: &mut Objects) {
        objects.define(&Record::Array { id: ARRAY, ty: TypeId(3), length: 0 });
        objects.define(&Record::Object { id: OBJECT, ty: TypeId(0) });
        objects.define(&Record::Object { id: WILD, ty: TypeId(7) });
        objects.define(&Record::EnumObject { id: CONSTANT, ty: TypeId(5), ordinal: 2, name: StringId(9) });
        objects.define(&Record::String { id: StringId(9), chars: 2, flags: 0, data: b"hi" });
        objects.define(&Record::String { id: StringId(0), chars: 5, flags: 2, data: b"" });
        objects.define(&Record::Exception { id: OBJECT, message: StringId(9) });
        objects.define(&Record::EnumName { ty: TypeId(6), ordinal: 1, name: StringId(9) });
        objects.define(&Record::EnumName { ty: TypeId(6), ordinal: 0, name: StringId(8) });
        objects.define(&Record::Doubt(ARRAY));
    }

    fn check(objects: &Objects) {
        assert_eq!((objects.type_of(ARRAY), objects.length(ARRAY)), (Some(TypeId(3)), Some(0)));
        assert_eq!((objects.type_of(OBJECT), objects.length(OBJECT)), (Some(TypeId(0)), None));
        assert_eq!((objects.type_of(ObjectId(1)), objects.type_of(ObjectId(0x7fff_ffff))), (None, None));
        assert_eq!(objects.string(StringId(9)).map(|text| text.text).as_deref(), Some("hi"));
        assert!(objects.string(StringId(0)).is_some_and(|text| text.cut && text.chars == 5));
        assert_eq!((objects.string(StringId(8)), objects.string(StringId(u32::MAX))), (None, None));
        assert_eq!((objects.message(OBJECT), objects.message(ARRAY)), (Some(StringId(9)), None));
        assert_eq!(objects.enum_object(CONSTANT), Some((2, StringId(9))));
        assert_eq!(objects.enum_object(OBJECT), None);
        assert_eq!(objects.enum_name(TypeId(6), 1), Some(StringId(9)));
        assert_eq!(objects.enum_name(TypeId(6), 2), None);
        assert_eq!((objects.is_doubtful(ARRAY), objects.is_doubtful(OBJECT)), (true, false));
        assert_eq!((objects.count(), objects.string_count(), objects.doubtful_count()), (4, 2, 1));
        let ids = [(OBJECT, TypeId(0)), (CONSTANT, TypeId(5)), (WILD, TypeId(7)), (ARRAY, TypeId(3))];
        assert_eq!(objects.ids().collect::<Vec<_>>(), ids);
    }

    #[test]
    fn definitions_are_found_by_id_and_nothing_else_is() {
        let mut objects = Objects::default();
        define(&mut objects);
        check(&objects);
    }

    #[test]
    fn tables_in_files_say_the_same_before_and_after_they_are_sealed() {
        let dir = tempfile::tempdir().unwrap();
        let mut objects = Objects::create(dir.path()).unwrap();
        define(&mut objects);
        check(&objects);
        assert!(Objects::open(dir.path()).is_err(), "not sealed yet");
        objects.seal().unwrap();
        check(&objects);
        check(&Objects::open(dir.path()).unwrap());
    }

    #[test]
    fn the_same_definitions_give_the_same_files() {
        let [one, two] = [(); 2].map(|()| {
            let dir = tempfile::tempdir().unwrap();
            let mut objects = Objects::create(dir.path()).unwrap();
            define(&mut objects);
            objects.seal().unwrap();
            let small = ["objects.library", "strings", "text", "facts"];
            small.map(|name| fs::read(dir.path().join(name)).unwrap())
        });
        assert_eq!(one, two);
    }

    #[test]
    fn contradicting_definitions_end_the_same_in_any_order() {
        let records = [
            Record::Object { id: OBJECT, ty: TypeId(4) },
            Record::Array { id: OBJECT, ty: TypeId(3), length: 9 },
            Record::String { id: StringId(1), chars: 1, flags: 0, data: b"b" },
            Record::String { id: StringId(1), chars: 1, flags: 0, data: b"a" },
            Record::Exception { id: OBJECT, message: StringId(2) },
            Record::Exception { id: OBJECT, message: StringId(1) },
        ];
        let say = |objects: &Objects| {
            let known = (objects.type_of(OBJECT), objects.length(OBJECT), objects.is_doubtful(OBJECT));
            (known, objects.string(StringId(1)), objects.message(OBJECT), objects.count())
        };
        let (mut there, mut back) = (Objects::default(), Objects::default());
        records.iter().for_each(|record| there.define(record));
        records.iter().rev().for_each(|record| back.define(record));
        assert_eq!(say(&there), say(&back));
        assert!(there.is_doubtful(OBJECT));
    }

    #[test]
    fn damaged_files_are_refused_or_read_without_harm() {
        let dir = tempfile::tempdir().unwrap();
        let mut objects = Objects::create(dir.path()).unwrap();
        define(&mut objects);
        objects.seal().unwrap();
        drop(objects);
        for name in ["objects.library", "strings", "text", "facts"] {
            let path = dir.path().join(name);
            let good = fs::read(&path).unwrap();
            for length in [0, 1, good.len() - 1, good.len() + 1] {
                let mut bad = good.clone();
                bad.resize(length, 0);
                fs::write(&path, &bad).unwrap();
                assert!(Objects::open(dir.path()).is_err(), "{name} of {length} bytes");
            }
            for at in 0..good.len().min(400) {
                let mut bad = good.clone();
                bad[at] ^= 0xff;
                fs::write(&path, &bad).unwrap();
                if let Ok(objects) = Objects::open(dir.path()) {
                    (0..20).for_each(|id| drop((objects.string(StringId(id)), objects.length(ObjectId(id)))));
                    assert!(objects.ids().count() <= 100_000 && !objects.is_doubtful(WILD));
                }
            }
            fs::remove_file(&path).unwrap();
            assert!(Objects::open(dir.path()).is_err(), "without {name}");
            fs::write(&path, &good).unwrap();
        }
        check(&Objects::open(dir.path()).unwrap());
    }
}
