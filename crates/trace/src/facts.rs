//! What is known of few objects: messages of exceptions, enum constants, doubtful identities. Maps while they are
//! collected; once stored, sorted rows in a mapped file that are searched in place, so that opening reads none.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use crate::column::Column;
use crate::error::{Error, Result};
use crate::ids::{ObjectId, StringId, TypeId};

pub(crate) enum ObjectFacts {
    Collected(Collected),
    Stored(Stored),
}

#[derive(Default)]
pub(crate) struct Collected {
    messages: HashMap<ObjectId, StringId>,
    enum_objects: HashMap<ObjectId, (u16, StringId)>,
    enum_names: HashMap<(TypeId, u16), StringId>,
    doubtful: HashSet<ObjectId>,
}

/// A file: header (see `Header`), then the tables, each a sequence of rows of numbers, ascending by key.
pub(crate) struct Stored {
    column: Column,
    tables: [Table; TABLES],
}

/// Where a table lies in the file: from which byte, how many rows.
#[derive(Clone, Copy, Default)]
struct Table {
    start: usize,
    rows: usize,
}

/// What the file of facts says about the other files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub objects: u64,
    pub strings: u64,
    /// Bytes of the columns: program objects, library objects, strings, text.
    pub columns: [u64; 4],
}

const MAGIC: [u8; 8] = *b"INQFACT1";
const TABLES: usize = 6;
const MESSAGES: usize = 0;
const ENUM_OBJECTS: usize = 1;
const ENUM_NAMES: usize = 2;
const DOUBTFUL: usize = 3;
const PROGRAM_BLOCKS: usize = 4;
const LIBRARY_BLOCKS: usize = 5;
/// Numbers per row of each table; the key comes first.
const WIDTHS: [usize; TABLES] = [2, 3, 3, 1, 1, 1];
/// Magic, sizes, rows per table, checksum of all that.
const HEADER: usize = 8 + 6 * 8 + TABLES * 8 + 8;

impl Default for ObjectFacts {
    fn default() -> Self {
        ObjectFacts::Collected(Collected::default())
    }
}

impl ObjectFacts {
    pub fn message(&self, id: ObjectId) -> Option<StringId> {
        match self {
            ObjectFacts::Collected(facts) => facts.messages.get(&id).copied(),
            ObjectFacts::Stored(facts) => {
                facts.find(MESSAGES, [id.0, 0], 1).map(|row| StringId(facts.at(row, 1)))
            }
        }
    }

    pub fn enum_object(&self, id: ObjectId) -> Option<(u16, StringId)> {
        match self {
            ObjectFacts::Collected(facts) => facts.enum_objects.get(&id).copied(),
            ObjectFacts::Stored(facts) => facts
                .find(ENUM_OBJECTS, [id.0, 0], 1)
                .map(|row| (facts.at(row, 1) as u16, StringId(facts.at(row, 2)))),
        }
    }

    pub fn enum_name(&self, ty: TypeId, ordinal: u16) -> Option<StringId> {
        match self {
            ObjectFacts::Collected(facts) => facts.enum_names.get(&(ty, ordinal)).copied(),
            ObjectFacts::Stored(facts) => {
                facts.find(ENUM_NAMES, [ty.0, ordinal.into()], 2).map(|row| StringId(facts.at(row, 2)))
            }
        }
    }

    pub fn is_doubtful(&self, id: ObjectId) -> bool {
        match self {
            ObjectFacts::Collected(facts) => facts.doubtful.contains(&id),
            ObjectFacts::Stored(facts) => facts.find(DOUBTFUL, [id.0, 0], 1).is_some(),
        }
    }

    pub fn doubtful_count(&self) -> u64 {
        match self {
            ObjectFacts::Collected(facts) => facts.doubtful.len() as u64,
            ObjectFacts::Stored(facts) => facts.tables[DOUBTFUL].rows as u64,
        }
    }

    // Where two definitions disagree (a damaged recording) the smaller one stays: the result must not depend on
    // the order in which streams are read. Stored facts do not change any more.

    pub fn add_message(&mut self, id: ObjectId, message: StringId) {
        if let ObjectFacts::Collected(facts) = self {
            let kept = facts.messages.entry(id).or_insert(message);
            *kept = message.min(*kept);
        }
    }

    pub fn add_enum_object(&mut self, id: ObjectId, ordinal: u16, name: StringId) {
        if let ObjectFacts::Collected(facts) = self {
            let kept = facts.enum_objects.entry(id).or_insert((ordinal, name));
            *kept = (ordinal, name).min(*kept);
        }
    }

    pub fn add_enum_name(&mut self, ty: TypeId, ordinal: u16, name: StringId) {
        if let ObjectFacts::Collected(facts) = self {
            let kept = facts.enum_names.entry((ty, ordinal)).or_insert(name);
            *kept = name.min(*kept);
        }
    }

    pub fn doubt(&mut self, id: ObjectId) {
        if let ObjectFacts::Collected(facts) = self {
            facts.doubtful.insert(id);
        }
    }

    /// The blocks of the object columns that hold something: of program objects, of library objects.
    pub fn blocks(&self) -> Option<[Vec<u32>; 2]> {
        let ObjectFacts::Stored(facts) = self else { return None };
        Some([PROGRAM_BLOCKS, LIBRARY_BLOCKS].map(|table| {
            let Table { start, rows } = facts.tables[table];
            (0..rows).map(|row| facts.at(start + row * 4, 0)).collect()
        }))
    }

    /// Writes the file and goes on with it.
    pub fn store(&mut self, path: &Path, sizes: Sizes, blocks: [Vec<u32>; 2]) -> Result<()> {
        let ObjectFacts::Collected(facts) = self else { return Ok(()) };
        let tables = facts.rows(blocks);
        let mut bytes = MAGIC.to_vec();
        let numbers = [sizes.objects, sizes.strings].into_iter().chain(sizes.columns);
        numbers.chain(tables.iter().map(|rows| rows.len() as u64)).for_each(|n| put(&mut bytes, n));
        let check = u64::from(crc32fast::hash(&bytes));
        put(&mut bytes, check);
        for (rows, width) in tables.iter().zip(WIDTHS) {
            for row in rows {
                row[..width].iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
            }
        }
        fs::write(path, &bytes).map_err(|source| Error::Write { path: path.to_owned(), source })?;
        *self = ObjectFacts::open(path)?.0;
        Ok(())
    }

    pub fn open(path: &Path) -> Result<(ObjectFacts, Sizes)> {
        let bad = |why: &str| Error::BadTables { path: path.to_owned(), why: why.to_owned() };
        let length =
            fs::metadata(path).map_err(|source| Error::Read { path: path.to_owned(), source })?.len();
        let column = Column::open(path, length)?;
        let header = column.bytes().get(..HEADER).ok_or_else(|| bad("it is too short"))?;
        if header[..8] != MAGIC {
            return Err(bad("it is no table of this version"));
        }
        if column.word(HEADER - 8) != u64::from(crc32fast::hash(&header[..HEADER - 8])) {
            return Err(bad("its checksum does not fit"));
        }
        let number = |at: usize| column.word(8 + at * 8);
        let sizes = Sizes { objects: number(0), strings: number(1), columns: [2, 3, 4, 5].map(number) };
        let mut tables = [Table::default(); TABLES];
        let mut start = HEADER as u64;
        for (at, table) in tables.iter_mut().enumerate() {
            let rows = number(6 + at);
            *table = Table { start: start as usize, rows: rows as usize };
            let size = rows.checked_mul(WIDTHS[at] as u64 * 4);
            start = size.and_then(|size| start.checked_add(size)).ok_or_else(|| bad("it is too short"))?;
        }
        if start != length {
            return Err(bad("its length does not fit its header"));
        }
        Ok((ObjectFacts::Stored(Stored { column, tables }), sizes))
    }
}

impl Collected {
    /// The tables as rows, sorted.
    fn rows(&self, blocks: [Vec<u32>; 2]) -> [Vec<[u32; 3]>; TABLES] {
        let messages = self.messages.iter().map(|(id, message)| [id.0, message.0, 0]).collect();
        let objects =
            self.enum_objects.iter().map(|(id, (ordinal, name))| [id.0, u32::from(*ordinal), name.0]);
        let names = self.enum_names.iter().map(|((ty, ordinal), name)| [ty.0, u32::from(*ordinal), name.0]);
        let doubtful = self.doubtful.iter().map(|id| [id.0, 0, 0]).collect();
        let [program, library] = blocks.map(|blocks| blocks.into_iter().map(|block| [block, 0, 0]).collect());
        let mut tables = [messages, objects.collect(), names.collect(), doubtful, program, library];
        tables.iter_mut().for_each(|rows: &mut Vec<_>| rows.sort_unstable());
        tables
    }
}

impl Stored {
    /// Where the row with this key starts; the first `width` numbers of a row are its key.
    fn find(&self, table: usize, key: [u32; 2], width: usize) -> Option<usize> {
        let Table { start, rows } = self.tables[table];
        let row = |at: usize| start + at * WIDTHS[table] * 4;
        let key_at = |at: usize| [self.at(row(at), 0), if width == 2 { self.at(row(at), 1) } else { 0 }];
        let (mut low, mut high) = (0, rows);
        while low < high {
            let middle = low + (high - low) / 2;
            match key_at(middle).cmp(&key) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(row(middle)),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    fn at(&self, row: usize, number: usize) -> u32 {
        let bytes = self.column.bytes().get(row + number * 4..).and_then(|bytes| bytes.first_chunk());
        bytes.map_or(0, |&bytes| u32::from_le_bytes(bytes))
    }
}

fn put(bytes: &mut Vec<u8>, number: u64) {
    bytes.extend_from_slice(&number.to_le_bytes());
}
