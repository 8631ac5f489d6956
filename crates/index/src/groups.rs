//! Things that share a name, in order: the calls of a method, the objects of a class. They are what `merge#3` and
//! `ArrayList@1` count. Members come in order and are packed into blocks of 256 (two columns of steps) as they come, so that making the
//! lists takes one pass and little memory, and finding a member or its number one binary search and one block.
//!
//! Files: the groups sorted by name, the names, the list of blocks sorted by group, the blocks' bytes.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use base::{CallId, ObjectId, StreamId, Target, TypeId, simple_name};
use trace::{Objects, Program};

use crate::column::{self, Column};
use crate::error::Result;
use crate::file::{Appender, Bytes, FixedRow, RowFile, u32_at, u64_at, write_rows};

/// Members per block.
const BLOCK: u32 = 256;

/// What is in a group, as two numbers.
pub(crate) trait GroupMember: Copy {
    fn pair(self) -> (u32, u32);
    fn of_pair(pair: (u32, u32)) -> Self;
}

impl GroupMember for ObjectId {
    fn pair(self) -> (u32, u32) {
        (0, self.0)
    }

    fn of_pair((_, id): (u32, u32)) -> Self {
        ObjectId(id)
    }
}

impl GroupMember for CallId {
    fn pair(self) -> (u32, u32) {
        (self.stream.0, self.index)
    }

    fn of_pair((stream, index): (u32, u32)) -> Self {
        CallId { stream: StreamId(stream), index }
    }
}

struct GroupRow {
    name: u64,
    name_length: u32,
    blocks: u32,
    first_block: u64,
    count: u64,
}

impl FixedRow for GroupRow {
    const SIZE: usize = 32;

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.name.to_le_bytes());
        out.extend_from_slice(&self.name_length.to_le_bytes());
        out.extend_from_slice(&self.blocks.to_le_bytes());
        out.extend_from_slice(&self.first_block.to_le_bytes());
        out.extend_from_slice(&self.count.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        GroupRow {
            name: u64_at(bytes, 0),
            name_length: u32_at(bytes, 8),
            blocks: u32_at(bytes, 12),
            first_block: u64_at(bytes, 16),
            count: u64_at(bytes, 24),
        }
    }
}

/// A block: its first member, and where the others are. All blocks of a group but the last are full.
#[derive(Clone, Copy)]
struct BlockRow {
    group: u32,
    members: u32,
    first: (u32, u32),
    offset: u64,
}

impl FixedRow for BlockRow {
    const SIZE: usize = 24;

    fn encode(&self, out: &mut Vec<u8>) {
        for word in [self.group, self.members, self.first.0, self.first.1] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.extend_from_slice(&self.offset.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        BlockRow {
            group: u32_at(bytes, 0),
            members: u32_at(bytes, 4),
            first: (u32_at(bytes, 8), u32_at(bytes, 12)),
            offset: u64_at(bytes, 16),
        }
    }
}

/// Writes groups, member by member.
pub(crate) struct GroupsWriter {
    dir: PathBuf,
    name: &'static str,
    groups: Vec<Group>,
    numbers: HashMap<String, u32>,
    rows: Vec<BlockRow>,
    out: Appender,
    buffers: (Vec<u64>, Vec<u8>),
}

struct Group {
    name: String,
    count: u64,
    /// The members of the block that is being filled.
    block: Vec<(u32, u32)>,
}

impl GroupsWriter {
    pub fn create(dir: &Path, name: &'static str) -> Result<GroupsWriter> {
        Ok(GroupsWriter {
            dir: dir.to_owned(),
            name,
            groups: Vec::new(),
            numbers: HashMap::new(),
            rows: Vec::new(),
            out: Appender::create(dir.join(format!("{name}-members")))?,
            buffers: (Vec::new(), Vec::new()),
        })
    }

    /// The number of the group with this name.
    pub fn group(&mut self, name: String) -> u32 {
        let groups = &mut self.groups;
        *self.numbers.entry(name).or_insert_with_key(|name| {
            groups.push(Group { name: name.clone(), count: 0, block: Vec::new() });
            groups.len() as u32 - 1
        })
    }

    #[inline]
    pub fn push(&mut self, number: u32, member: impl GroupMember) -> Result<()> {
        let group = &mut self.groups[number as usize];
        group.block.push(member.pair());
        group.count += 1;
        if group.block.len() == BLOCK as usize {
            self.close(number)?;
        }
        Ok(())
    }

    fn close(&mut self, number: u32) -> Result<()> {
        let group = &mut self.groups[number as usize];
        let Some(&first) = group.block.first() else { return Ok(()) };
        let members = group.block.len() as u32;
        self.rows.push(BlockRow { group: number, members, first, offset: self.out.length() });
        let (steps, bytes) = &mut self.buffers;
        bytes.clear();
        for part in [|pair: (u32, u32)| pair.0, |pair: (u32, u32)| pair.1] {
            steps.clear();
            steps.extend(group.block.windows(2).map(|pair| step(part(pair[0]), part(pair[1]))));
            column::write(steps, bytes);
        }
        group.block.clear();
        self.out.append(bytes)
    }

    pub fn finish(mut self) -> Result<()> {
        for number in 0..self.groups.len() as u32 {
            self.close(number)?;
        }
        self.out.flush()?;
        let mut order: Vec<usize> = (0..self.groups.len()).collect();
        order.sort_by(|&a, &b| self.groups[a].name.cmp(&self.groups[b].name));
        let mut place = vec![0u32; order.len()];
        for (at, &group) in order.iter().enumerate() {
            place[group] = at as u32;
        }
        for row in &mut self.rows {
            row.group = place[row.group as usize];
        }
        // Blocks of one group came in order, and stay so.
        self.rows.sort_by_key(|row| row.group);
        let mut names = Appender::create(self.dir.join(format!("{}-names", self.name)))?;
        let mut rows = Vec::with_capacity(order.len());
        let mut first_block = 0;
        for &group in &order {
            let group = &self.groups[group];
            let blocks = group.count.div_ceil(u64::from(BLOCK));
            rows.push(GroupRow {
                name: names.length(),
                name_length: group.name.len() as u32,
                blocks: blocks as u32,
                first_block,
                count: group.count,
            });
            names.append(group.name.as_bytes())?;
            first_block += blocks;
        }
        names.flush()?;
        write_rows(self.dir.join(format!("{}-blocks", self.name)), self.rows)?;
        write_rows(self.dir.join(self.name), rows)
    }
}

/// The way from one number to another, small if they are near.
fn step(from: u32, to: u32) -> u64 {
    let difference = i64::from(to) - i64::from(from);
    ((difference << 1) ^ (difference >> 63)) as u64
}

fn stepped(from: u32, step: u64) -> u32 {
    let difference = (step >> 1) as i64 ^ -((step & 1) as i64);
    (i64::from(from).wrapping_add(difference)) as u32
}

/// The groups of one index, mapped.
pub(crate) struct Groups<M> {
    groups: RowFile<GroupRow>,
    names: Bytes,
    blocks: RowFile<BlockRow>,
    bytes: Bytes,
    members: PhantomData<M>,
}

impl<M: GroupMember> Groups<M> {
    pub fn open(dir: &Path, name: &str) -> Result<Groups<M>> {
        Ok(Groups {
            groups: RowFile::open(&dir.join(name))?,
            names: Bytes::open(&dir.join(format!("{name}-names")))?,
            blocks: RowFile::open(&dir.join(format!("{name}-blocks")))?,
            bytes: Bytes::open(&dir.join(format!("{name}-members")))?,
            members: PhantomData,
        })
    }

    pub fn release(&self) {
        self.blocks.release();
        self.bytes.release();
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
        (at < self.groups.len() && self.name(at) == name).then_some(at)
    }

    /// The member with this number, from 0.
    pub fn member(&self, group: usize, at: u64) -> Option<M> {
        let row = self.groups.get(group).filter(|row| at < row.count)?;
        let block = self.blocks.get(usize::try_from(row.first_block + at / u64::from(BLOCK)).ok()?)?;
        self.walk(&block).nth((at % u64::from(BLOCK)) as usize)
    }

    /// The members from this number on.
    pub fn members(&self, group: usize, from: u64) -> impl Iterator<Item = M> + '_ {
        let row = self.groups.get(group).filter(|row| from < row.count);
        let blocks = row.map_or(0..0, |row| {
            row.first_block + from / u64::from(BLOCK)..row.first_block + u64::from(row.blocks)
        });
        let blocks = blocks.map_while(|at| self.blocks.get(usize::try_from(at).ok()?));
        let members = blocks.flat_map(|block| self.walk(&block).collect::<Vec<_>>());
        members.skip((from % u64::from(BLOCK)) as usize)
    }

    /// How many members come before the one that `before` tells apart.
    pub fn rank(&self, group: usize, before: impl Fn(&M) -> bool) -> Option<u64> {
        let row = self.groups.get(group)?;
        let from = usize::try_from(row.first_block).ok()?;
        let to = from.checked_add(row.blocks as usize)?;
        let after = self.blocks.partition_point(from, to, |block| before(&M::of_pair(block.first)));
        let Some(block) = after.checked_sub(1).filter(|&block| block >= from) else { return Some(0) };
        let inside = self.walk(&self.blocks.get(block)?).take_while(|member| before(member)).count();
        Some((block - from) as u64 * u64::from(BLOCK) + inside as u64)
    }

    fn walk(&self, block: &BlockRow) -> impl Iterator<Item = M> + '_ {
        let columns = || {
            let (mut at, steps) =
                (usize::try_from(block.offset).ok()?, block.members.checked_sub(1)? as usize);
            let one = Column::read(self.bytes.get(), &mut at, steps)?;
            Some((one, Column::read(self.bytes.get(), &mut at, steps)?))
        };
        let (one, other) = columns().unwrap_or_default();
        let first = (block.members > 0).then_some(block.first);
        let steps = one.iter().zip(other.iter());
        let rest = steps.scan(block.first, |(a, b), (x, y)| {
            (*a, *b) = (stepped(*a, x), stepped(*b, y));
            Some((*a, *b))
        });
        first.into_iter().chain(rest).map(M::of_pair)
    }

    fn name_of(&self, row: &GroupRow) -> &str {
        let start = row.name as usize;
        let bytes = self.names.get().get(start..start.saturating_add(row.name_length as usize));
        bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("")
    }
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
    let mut writer = GroupsWriter::create(dir, "objects")?;
    let mut by_type: HashMap<TypeId, u32> = HashMap::new();
    let mut last = None;
    for (id, ty) in objects.ids() {
        let number = match last {
            Some((known, number)) if known == ty => number,
            _ => *by_type.entry(ty).or_insert_with(|| {
                let ty = program.type_info(ty);
                writer.group(ty.map_or_else(|| "object".to_owned(), |ty| simple_name(&ty.name)))
            }),
        };
        last = Some((ty, number));
        writer.push(number, id)?;
    }
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn members_are_found_by_number_and_numbers_by_member(
            script in proptest::collection::vec((0u32..4, 1u32..1000), 1..2000),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let mut writer = GroupsWriter::create(dir.path(), "things").unwrap();
            let mut naive: Vec<Vec<ObjectId>> = vec![Vec::new(); 4];
            let mut id = 0;
            for (group, distance) in script {
                id += distance;
                // Names in another order than their groups come.
                let number = writer.group(format!("group {}", 9 - group));
                writer.push(number, ObjectId(id)).unwrap();
                naive[group as usize].push(ObjectId(id));
            }
            writer.finish().unwrap();
            let groups: Groups<ObjectId> = Groups::open(dir.path(), "things").unwrap();
            for (group, members) in naive.iter().enumerate().filter(|(_, members)| !members.is_empty()) {
                let found = groups.find(&format!("group {}", 9 - group)).unwrap();
                prop_assert_eq!(groups.count(found), members.len() as u64);
                prop_assert_eq!(groups.member(found, members.len() as u64), None);
                for from in [0, members.len() / 2, members.len()] {
                    let rest: Vec<ObjectId> = groups.members(found, from as u64).collect();
                    prop_assert_eq!(&rest, &members[from..]);
                }
                for (rank, &member) in members.iter().enumerate() {
                    prop_assert_eq!(groups.member(found, rank as u64), Some(member));
                    prop_assert_eq!(groups.rank(found, |other| *other < member), Some(rank as u64));
                }
            }
            prop_assert_eq!(groups.find("group"), None);
        }
    }
}
