//! Things that share a name, in order: the calls of a method, the objects of a class. They are what `merge#3` and
//! `ArrayList@1` count. Three files: the groups sorted by name, the names, the members group by group.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

use memmap2::MmapMut;
use trace::{ObjectId, Objects, Program, StreamId, TypeId, simple_name};

use crate::call::{CallId, Target};
use crate::error::{Result, cannot_write};
use crate::file::{Appender, Bytes, Row, Rows, u32_at, write_rows};
use crate::lists::GroupRow;

/// What is in a group.
pub(crate) trait Member: Row + Copy {}

impl Row for ObjectId {
    const SIZE: usize = 4;

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        ObjectId(u32_at(bytes, 0))
    }
}

impl Row for CallId {
    const SIZE: usize = 8;

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.stream.0.to_le_bytes());
        out.extend_from_slice(&self.index.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        CallId { stream: StreamId(u32_at(bytes, 0)), index: u32_at(bytes, 4) }
    }
}

impl Member for ObjectId {}
impl Member for CallId {}

/// The groups of one index, mapped.
pub(crate) struct Groups<M> {
    groups: Rows<GroupRow>,
    names: Bytes,
    members: Rows<M>,
}

impl<M: Member> Groups<M> {
    pub fn open(dir: &Path, name: &str) -> Result<Groups<M>> {
        Ok(Groups {
            groups: Rows::open(&dir.join(name))?,
            names: Bytes::open(&dir.join(format!("{name}-names")))?,
            members: Rows::open(&dir.join(format!("{name}-members")))?,
        })
    }

    pub fn len(&self) -> usize {
        self.groups.len()
    }

    pub fn name(&self, group: usize) -> &str {
        self.groups.get(group).map_or("", |row| self.name_of(&row))
    }

    pub fn count(&self, group: usize) -> u64 {
        self.groups.get(group).map_or(0, |row| row.count)
    }

    /// The group of exactly this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        let at = self.groups.partition_point(0, self.groups.len(), |row| self.name_of(row) < name);
        (self.name(at) == name && at < self.groups.len()).then_some(at)
    }

    /// The member with this number, from 0.
    pub fn member(&self, group: usize, at: u64) -> Option<M> {
        let row = self.groups.get(group).filter(|row| at < row.count)?;
        self.members.get(usize::try_from(row.first.checked_add(at)?).ok()?)
    }

    /// How many members come before the one that `before` tells apart.
    pub fn rank(&self, group: usize, before: impl Fn(&M) -> bool) -> Option<u64> {
        let row = self.groups.get(group)?;
        let (from, to) = (row.first as usize, row.first.checked_add(row.count)? as usize);
        Some(self.members.partition_point(from, to, before) as u64 - row.first)
    }

    fn name_of(&self, row: &GroupRow) -> &str {
        let start = row.name as usize;
        let bytes = self.names.get().get(start..start.saturating_add(row.name_length as usize));
        bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("")
    }
}

/// Writes groups. `members` is walked twice: to count, and to put each member in its place; within a group the order
/// is that of the walk, unless `sort` says otherwise.
pub(crate) fn write<M: Member>(
    dir: &Path,
    name: &str,
    names: Vec<String>,
    members: impl Fn(&mut dyn FnMut(usize, M)),
    sort: Option<&dyn Fn(&mut Vec<M>)>,
) -> Result<()> {
    let mut counts = vec![0u64; names.len()];
    members(&mut |group, _| counts[group] += 1);
    let mut order: Vec<usize> = (0..names.len()).filter(|&group| counts[group] > 0).collect();
    order.sort_by(|&a, &b| names[a].cmp(&names[b]));
    let mut text = Appender::create(dir.join(format!("{name}-names")))?;
    let mut rows = Vec::new();
    let mut next = vec![0u64; names.len()];
    let mut first = 0;
    for &group in &order {
        let place = text.length();
        text.append(names[group].as_bytes())?;
        let (name_length, count) = (names[group].len() as u32, counts[group]);
        rows.push(GroupRow { name: place, name_length, first, count });
        next[group] = first;
        first += count;
    }
    text.flush()?;
    let path = dir.join(format!("{name}-members"));
    let file = File::options()
        .create(true)
        .truncate(true)
        .read(true)
        .write(true)
        .open(&path)
        .map_err(cannot_write(&path))?;
    if first > 0 {
        file.set_len(first * M::SIZE as u64).map_err(cannot_write(&path))?;
        // SAFETY: the file is new and in a folder that only this process writes to.
        let mut map = unsafe { MmapMut::map_mut(&file) }.map_err(cannot_write(&path))?;
        let mut bytes = Vec::with_capacity(M::SIZE);
        members(&mut |group, member| {
            bytes.clear();
            member.encode(&mut bytes);
            let start = next[group] as usize * M::SIZE;
            if let Some(place) = map.get_mut(start..start + M::SIZE) {
                place.copy_from_slice(&bytes);
            }
            next[group] += 1;
        });
        for (row, sort) in rows.iter().zip(std::iter::repeat(sort).map_while(|sort| sort)) {
            let range = row.first as usize * M::SIZE..(row.first + row.count) as usize * M::SIZE;
            let mut list: Vec<M> = map[range.clone()].chunks_exact(M::SIZE).map(M::decode).collect();
            sort(&mut list);
            bytes.clear();
            list.iter().for_each(|member| member.encode(&mut bytes));
            map[range].copy_from_slice(&bytes);
        }
        map.flush().map_err(cannot_write(&path))?;
    }
    write_rows(dir.join(name), rows)
}

/// The name under which calls of a target are filed: owner, name and descriptor.
pub(crate) fn method_name(program: &Program, target: Target) -> Option<String> {
    match target {
        Target::Method(method) => {
            let (class, method) = program.method(method)?;
            Some(format!("{}\0{}\0{}", class.name, method.name, method.descriptor))
        }
        Target::Library(callee) => {
            let (owner, name, descriptor) = program.callee(callee)?;
            Some(format!("{owner}\0{name}\0{descriptor}"))
        }
    }
}

/// The objects of the recording by the simple name of their class: all that share it are counted together, so that
/// a name never means two objects.
pub(crate) fn write_objects(dir: &Path, program: &Program, objects: &Objects) -> Result<()> {
    let mut names: Vec<String> = Vec::new();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut by_type: HashMap<TypeId, usize> = HashMap::new();
    for (_, ty) in objects.ids() {
        by_type.entry(ty).or_insert_with(|| {
            let name = program.type_info(ty).map_or_else(|| "object".to_owned(), |ty| simple_name(&ty.name));
            *numbers.entry(name.clone()).or_insert_with(|| {
                names.push(name);
                names.len() - 1
            })
        });
    }
    let members = |tell: &mut dyn FnMut(usize, ObjectId)| {
        for (id, ty) in objects.ids() {
            tell(by_type[&ty], id);
        }
    };
    write(dir, "objects", names, members, None)
}
