//! Rows of calls, packed: up to 256 that began one after the other, as columns. What the others tell is not stored: the
//! depths of the calls say who called whom, how large a call is and how many it made, as far as that lies within the
//! block; an end is told from where the last call in it began. Calls that reach beyond the block say so themselves, or,
//! if they had not ended yet, elsewhere.
//!
//! Bytes: a bit per call, is it of program code; depths; callers before the block, one for each depth that the block comes
//! down to; the calls that reach beyond; entries by steps; ends; shapes; and of the values their bits, objects and other
//! references as numbers in lists of those that occur.

use base::{Ending, Target, Value};

use crate::call::{CallRow, LateRow};
use crate::column::{self, Column};
use crate::packed::{Packed, get, kind, put, unzigzag, zigzag};
use crate::shapes::{End, NUMBERS, OBJECTS, OTHERS, Outline, ShapeRow, Shapes, class_of};

/// Calls per block.
pub(crate) const ROWS: usize = 256;

/// A call that is not packed yet, and where its arguments are among the values.
#[derive(Clone, Copy)]
pub(crate) struct Unpacked {
    pub call: CallRow,
    pub has_receiver: bool,
    pub args: u16,
    pub values: u32,
}

/// What a block is made of.
pub(crate) struct Unpackeds<'a> {
    /// The number of the first row.
    pub first: u32,
    pub rows: &'a [Unpacked],
    pub values: &'a [Packed],
    /// The calls that are open end elsewhere, from this place on.
    pub late: Option<u64>,
}

/// Packs blocks; keeps its buffers.
#[derive(Default)]
pub(crate) struct Packer {
    column: Vec<u64>,
    steps: Vec<u64>,
    values: [Vec<u64>; 3],
    list: Vec<u64>,
    numbers: Vec<u32>,
    used: Vec<u32>,
    open: Vec<usize>,
    outer: Vec<u64>,
}

impl Packer {
    /// Appends a block; gives the objects that its calls used, in order.
    pub fn pack(&mut self, block: &Unpackeds<'_>, shapes: &mut Shapes, out: &mut Vec<u8>) -> &[u64] {
        let rows = block.rows;
        let entries = |at: usize| rows[at].call.entry;
        for eight in rows.chunks(8) {
            let bits = eight.iter().enumerate().map(|(at, row)| u8::from(is_program(&row.call)) << at);
            out.push(bits.fold(0, |byte, bit| byte | bit));
        }
        self.write(rows.iter().map(|row| u64::from(row.call.depth)), out);
        self.find_open(block);
        put(out, self.outer.len() as u64);
        column::write(&self.outer, out);
        // Those that are still open at its end reach beyond.
        let open = std::mem::take(&mut self.open);
        put(out, open.len() as u64);
        let is_late = |row: &Unpacked| block.late.is_some() && row.call.ending == Ending::Open;
        let known = |at: usize, what: fn(&CallRow) -> u64| {
            if is_late(&rows[at]) { 0 } else { what(&rows[at].call) }
        };
        put(out, block.late.unwrap_or(0));
        self.write(open.iter().map(|&at| u64::from(is_late(&rows[at]))), out);
        self.write(open.iter().map(|&at| known(at, |call| u64::from(call.size))), out);
        self.write(open.iter().map(|&at| known(at, |call| u64::from(call.children))), out);
        self.write(open.iter().map(|&at| known(at, |call| call.exit - call.entry)), out);
        let mut last = rows.first().map_or(0, |row| row.call.entry);
        self.write(rows.iter().map(|row| row.call.entry - std::mem::replace(&mut last, row.call.entry)), out);
        let mut is_open = [false; ROWS];
        open.iter().for_each(|&at| is_open[at] = true);
        let tail = |(at, row): (usize, &Unpacked)| match is_open[at] {
            true => 0,
            false => row.call.exit - entries(at + row.call.size as usize - 1),
        };
        self.write(rows.iter().enumerate().map(tail), out);
        self.open = open;
        self.write_shapes(block, shapes, out);
        self.write_values(block, out);
        &self.list
    }

    fn write(&mut self, values: impl Iterator<Item = u64>, out: &mut Vec<u8>) {
        self.column.clear();
        self.column.extend(values);
        column::write(&self.column, out);
    }

    /// The calls that are open at the end of the block, and the callers that are before it.
    fn find_open(&mut self, block: &Unpackeds<'_>) {
        self.open.clear();
        self.outer.clear();
        let mut least = u32::MAX;
        for (at, Unpacked { call, .. }) in block.rows.iter().enumerate() {
            while self.open.pop_if(|above| block.rows[*above].call.depth >= call.depth).is_some() {}
            self.open.push(at);
            if call.depth < least {
                least = call.depth;
                // How far before the block; 0 for none.
                self.outer.push(call.parent.map_or(0, |parent| u64::from(block.first - parent)));
            }
        }
    }

    fn write_shapes(&mut self, block: &Unpackeds<'_>, shapes: &mut Shapes, out: &mut Vec<u8>) {
        self.column.clear();
        self.used.clear();
        for row in block.rows {
            let kinds = args(block, row).iter().map(|value| value.kind);
            let (end, result) = match row.call.ending {
                Ending::Open if block.late.is_some() => (End::Late, None),
                Ending::Open => (End::Open, None),
                Ending::Returned(value) => (End::Returned, value),
                Ending::Threw(value) => (End::Threw, value),
            };
            let result = result.map(|value| Packed::from(value).kind).filter(|&kind| kind != kind::TOP);
            let (target, bci, has_receiver) = (row.call.target, row.call.bci, row.has_receiver);
            let shape = shapes.number(Outline { target, bci, end, result, has_receiver }, kinds);
            // Numbers in the block go by first use.
            let shape = shape as usize;
            if self.numbers.len() <= shape {
                self.numbers.resize(shape + 1, u32::MAX);
            }
            if self.numbers[shape] == u32::MAX {
                self.numbers[shape] = self.used.len() as u32;
                self.used.push(shape as u32);
            }
            self.column.push(u64::from(self.numbers[shape]));
        }
        self.steps.clear();
        self.steps.extend(self.used.iter().map(|&shape| u64::from(shape)));
        put(out, self.steps.len() as u64);
        column::write(&self.steps, out);
        column::write(&self.column, out);
        self.used.iter().for_each(|&shape| self.numbers[shape as usize] = u32::MAX);
    }

    fn write_values(&mut self, block: &Unpackeds<'_>, out: &mut Vec<u8>) {
        self.values.iter_mut().for_each(Vec::clear);
        for row in block.rows {
            let result = match row.call.ending {
                Ending::Returned(value) | Ending::Threw(value) => value.map(Packed::from),
                Ending::Open => None,
            };
            for &value in result.iter().chain(args(block, row)) {
                if let Some(class) = class_of(value.kind) {
                    self.values[class].push(match value.kind {
                        kind::INT => zigzag(value.bits as i32 as u64),
                        kind::LONG | kind::BOX_LONG => zigzag(value.bits),
                        _ => value.bits,
                    });
                }
            }
        }
        self.write_numbers(out);
        // Objects last: their list is what is given back.
        for class in [OTHERS, OBJECTS] {
            self.write_listed(class, out);
        }
    }

    /// Numbers as they are, or, if they are long and the same ones come again and again, by their numbers in a list.
    fn write_numbers(&mut self, out: &mut Vec<u8>) {
        let start = out.len();
        out.push(0);
        column::write(&self.values[NUMBERS], out);
        let length = out.len() - start;
        if length > self.values[NUMBERS].len() * 3 / 2 {
            let listed = out.len();
            out.push(1);
            self.write_listed(NUMBERS, out);
            if out.len() - listed < length {
                out.drain(start..listed);
            } else {
                out.truncate(listed);
            }
        }
    }

    fn write_listed(&mut self, class: usize, out: &mut Vec<u8>) {
        let values = &self.values[class];
        self.list.clear();
        self.list.extend_from_slice(values);
        self.list.sort_unstable();
        self.list.dedup();
        put(out, self.list.len() as u64);
        column::write_steps(&self.list, &mut self.steps, out);
        self.column.clear();
        let list = &self.list;
        self.column.extend(values.iter().map(|value| list.partition_point(|other| other < value) as u64));
        column::write(&self.column, out);
    }
}

fn args<'a>(block: &Unpackeds<'a>, row: &Unpacked) -> &'a [Packed] {
    let start = row.values as usize;
    block.values.get(start..start + usize::from(row.args)).unwrap_or(&[])
}

fn is_program(call: &CallRow) -> bool {
    matches!(call.target, Target::Method(_))
}

/// Which of a block's calls are of program code: how many before one, and is it.
pub(crate) fn programs_before(bytes: &[u8], at: usize) -> u32 {
    let (whole, rest) = (at / 8, at % 8);
    let ones: u32 = bytes.iter().take(whole).map(|byte| byte.count_ones()).sum();
    let last = bytes.get(whole).copied().unwrap_or(0);
    ones + (last & ((1u16 << rest) - 1) as u8).count_ones()
}

pub(crate) fn is_program_at(bytes: &[u8], at: usize) -> bool {
    bytes.get(at / 8).copied().unwrap_or(0) >> (at % 8) & 1 == 1
}

/// The shape of the calls of a block: who called whom.
#[derive(Clone, Copy)]
pub(crate) struct BlockTree<'a> {
    rows: usize,
    depths: Column<'a>,
    outer: Column<'a>,
    first_late: u64,
    late: Column<'a>,
    sizes: Column<'a>,
    children: Column<'a>,
    lengths: Column<'a>,
}

/// Where a call's subtree ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Within the block: so many calls.
    Within(usize),
    /// Beyond it; the number among those that do.
    Beyond(usize),
}

impl<'a> BlockTree<'a> {
    /// The tree of a block with so many rows; `at` is moved behind it.
    pub fn read(bytes: &'a [u8], at: &mut usize, rows: usize) -> Option<BlockTree<'a>> {
        *at += rows.div_ceil(8);
        let count = |at: &mut usize| Some(usize::try_from(get(bytes, at)?).ok()?.min(ROWS));
        let depths = Column::read(bytes, at, rows)?;
        let outer = count(at)?;
        let outer = Column::read(bytes, at, outer)?;
        let open = count(at)?;
        let first_late = get(bytes, at)?;
        let mut next = || Column::read(bytes, at, open);
        let (late, sizes, children, lengths) = (next()?, next()?, next()?, next()?);
        Some(BlockTree { rows, depths, outer, first_late, late, sizes, children, lengths })
    }

    pub fn extent(&self, at: usize) -> Extent {
        let depth = self.depths.get(at);
        match self.depths.first_at_most(depth, at + 1, self.rows) {
            Some(end) => Extent::Within(end - at),
            None => {
                // Behind it, those that reach beyond are those above which nothing comes down again.
                let (mut least, mut behind) = (u64::MAX, 0);
                for next in (at + 1..self.rows).rev() {
                    let depth = self.depths.get(next);
                    if depth < least {
                        (least, behind) = (depth, behind + 1);
                    }
                }
                Extent::Beyond(self.sizes.len().saturating_sub(behind + 1))
            }
        }
    }

    /// The place where the end of a call is written that reaches beyond, if not here.
    pub fn late(&self, beyond: usize) -> Option<u64> {
        (self.late.get(beyond) != 0).then(|| {
            // In a deep recursion all of them are, and nobody has to count.
            let before = match self.late.constant() {
                Some(_) => beyond,
                None => (0..beyond).filter(|&before| self.late.get(before) != 0).count(),
            };
            self.first_late.wrapping_add(before as u64)
        })
    }

    pub fn size(&self, beyond: usize) -> u32 {
        self.sizes.get(beyond) as u32
    }

    /// The caller of a call: in the block, or so many rows before it.
    fn parent(&self, at: usize) -> Option<Caller> {
        let depth = self.depths.get(at);
        if depth == 0 {
            return None;
        }
        if let Some(found) = (0..at).rev().find(|&before| self.depths.get(before) < depth) {
            return Some(Caller::Within(found));
        }
        let (mut least, mut level) = (u64::MAX, 0usize);
        for before in 0..=at {
            let depth = self.depths.get(before);
            if depth < least {
                (least, level) = (depth, level + 1);
            }
        }
        Some(Caller::Before(self.outer.get(level.checked_sub(1)?) as u32))
            .filter(|&one| one != Caller::Before(0))
    }

    fn children_within(&self, at: usize, size: usize) -> u32 {
        let depth = self.depths.get(at).wrapping_add(1);
        (at + 1..at + size).filter(|&next| self.depths.get(next) == depth).count() as u32
    }
}

/// When each of a block's calls began, and the number of its shape.
pub(crate) fn entries_and_shapes(bytes: &[u8], place: BlockPlace) -> Option<Vec<(u64, u32)>> {
    let mut at = 0;
    BlockTree::read(bytes, &mut at, place.rows)?;
    let (steps, _) = (Column::read(bytes, &mut at, place.rows)?, Column::read(bytes, &mut at, place.rows)?);
    let listed = usize::try_from(get(bytes, &mut at)?).ok()?;
    let list: Vec<u32> = Column::read(bytes, &mut at, listed)?.iter().map(|shape| shape as u32).collect();
    let shapes = Column::read(bytes, &mut at, place.rows)?;
    let mut entry = place.first_entry;
    let both = steps.all().into_iter().zip(shapes.all()).map(|(step, shape)| {
        entry = entry.wrapping_add(step);
        Some((entry, *list.get(shape as usize)?))
    });
    both.collect()
}

/// How far each of a block's calls began after the one before.
pub(crate) fn entry_steps(bytes: &[u8], rows: usize) -> Option<Column<'_>> {
    let mut at = 0;
    BlockTree::read(bytes, &mut at, rows)?;
    Column::read(bytes, &mut at, rows)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Caller {
    Within(usize),
    Before(u32),
}

/// A block in its bytes.
pub(crate) struct CallBlock<'a> {
    pub tree: BlockTree<'a>,
    /// The number of its first row, and the ordinal of that one's first event.
    first: u32,
    first_entry: u64,
    entries: Column<'a>,
    tails: Column<'a>,
    shapes: Vec<ShapeRow>,
    shape: Column<'a>,
    numbers: Numbers<'a>,
    others: Listed<'a>,
    objects: Listed<'a>,
}

/// Values by their number in a list of those that occur.
#[derive(Clone, Copy)]
struct Listed<'a> {
    list: Column<'a>,
    values: Column<'a>,
}

#[derive(Clone, Copy)]
enum Numbers<'a> {
    Plain(Column<'a>),
    Listed(Listed<'a>),
}

impl Numbers<'_> {
    fn get(&self, at: usize) -> u64 {
        match self {
            Numbers::Plain(column) => column.get(at),
            Numbers::Listed(listed) => listed.get(at),
        }
    }

    fn all(&self) -> Vec<u64> {
        match self {
            Numbers::Plain(column) => column.all(),
            Numbers::Listed(listed) => {
                let list = listed.list();
                let number = |at: u64| list.get(at as usize).copied().unwrap_or(0);
                listed.values.all().into_iter().map(number).collect()
            }
        }
    }
}

impl<'a> Listed<'a> {
    fn get(&self, at: usize) -> u64 {
        self.list.sum(self.values.get(at) as usize)
    }

    /// What occurs, ascending.
    fn list(&self) -> Vec<u64> {
        let mut list = self.list.all();
        let mut sum = 0u64;
        for one in &mut list {
            sum = sum.wrapping_add(*one);
            *one = sum;
        }
        list
    }

    fn read(bytes: &'a [u8], at: &mut usize, count: usize) -> Option<Listed<'a>> {
        let listed = usize::try_from(get(bytes, at)?).ok().filter(|&listed| listed <= count)?;
        Some(Listed { list: Column::read(bytes, at, listed)?, values: Column::read(bytes, at, count)? })
    }
}

/// What is known of a block without reading it.
#[derive(Clone, Copy)]
pub(crate) struct BlockPlace {
    pub rows: usize,
    pub first: u32,
    pub first_entry: u64,
}

/// A block, decoded.
pub(crate) struct DecodedCalls {
    rows: Vec<DecodedCall>,
    arguments: Vec<Value>,
}

struct DecodedCall {
    call: CallRow,
    /// Where its arguments begin.
    args: u32,
    has_receiver: bool,
}

impl DecodedCalls {
    pub fn call(&self, at: usize) -> Option<&CallRow> {
        self.rows.get(at).map(|row| &row.call)
    }

    /// Is the first one the receiver, and all of them.
    pub fn arguments(&self, at: usize) -> Option<(bool, &[Value])> {
        let row = self.rows.get(at)?;
        let end = self.rows.get(at + 1).map_or(self.arguments.len(), |next| next.args as usize);
        Some((row.has_receiver, self.arguments.get(row.args as usize..end)?))
    }

    /// How many of them began up to an event.
    pub fn begun(&self, ordinal: u64) -> usize {
        self.rows.partition_point(|row| row.call.entry <= ordinal)
    }

    pub fn calls(&self) -> impl Iterator<Item = &CallRow> {
        self.rows.iter().map(|row| &row.call)
    }
}

/// The values of a block, one after the other.
struct Values {
    numbers: std::vec::IntoIter<u64>,
    listed: [(Vec<u64>, std::vec::IntoIter<u64>); 2],
}

impl Values {
    fn of(block: &CallBlock<'_>) -> Values {
        let listed = |of: &Listed<'_>| (of.list(), of.values.all().into_iter());
        let numbers = block.numbers.all().into_iter();
        Values { numbers, listed: [listed(&block.objects), listed(&block.others)] }
    }

    /// The next value, of this kind.
    fn next(&mut self, value_kind: u8) -> Value {
        let mut of_list = |which: usize| {
            let (list, values) = &mut self.listed[which];
            values.next().and_then(|at| list.get(at as usize).copied()).unwrap_or(0)
        };
        let bits = match class_of(value_kind) {
            None => 0,
            Some(OBJECTS) => of_list(0),
            Some(OTHERS) => of_list(1),
            _ => match (value_kind, unzigzag(self.numbers.next().unwrap_or(0))) {
                (kind::INT, number) => u64::from(number as u32),
                (_, number) => number,
            },
        };
        Value::from(Packed { kind: value_kind, bits })
    }
}

fn ending(end: End, result: Option<Value>) -> Ending {
    match end {
        End::Returned => Ending::Returned(result),
        End::Threw => Ending::Threw(result),
        End::Open | End::Late => Ending::Open,
    }
}

/// A call that a block has, its values aside.
struct Frame {
    shape: ShapeRow,
    entry: u64,
    /// Where the first of its values is, in each class.
    values: [usize; 3],
}

impl<'a> CallBlock<'a> {
    pub fn read(
        bytes: &'a [u8],
        place: BlockPlace,
        shape_row: impl Fn(u32) -> Option<ShapeRow>,
    ) -> Option<CallBlock<'a>> {
        let BlockPlace { rows, first, first_entry } = place;
        let mut at = 0;
        let tree = BlockTree::read(bytes, &mut at, rows)?;
        let (entries, tails) = (Column::read(bytes, &mut at, rows)?, Column::read(bytes, &mut at, rows)?);
        let listed = usize::try_from(get(bytes, &mut at)?).ok().filter(|&listed| listed <= rows)?;
        let list = Column::read(bytes, &mut at, listed)?;
        let shapes = list.iter().map(|number| shape_row(number as u32)).collect::<Option<Vec<_>>>()?;
        let shape = Column::read(bytes, &mut at, rows)?;
        let mut counts = [0usize; 3];
        for number in shape.iter() {
            let shape = shapes.get(number as usize)?;
            counts.iter_mut().zip(shape.classes).for_each(|(sum, count)| *sum += usize::from(count));
        }
        let is_listed = *bytes.get(at)? != 0;
        at += 1;
        let numbers = match is_listed {
            true => Numbers::Listed(Listed::read(bytes, &mut at, counts[NUMBERS])?),
            false => Numbers::Plain(Column::read(bytes, &mut at, counts[NUMBERS])?),
        };
        let others = Listed::read(bytes, &mut at, counts[OTHERS])?;
        let objects = Listed::read(bytes, &mut at, counts[OBJECTS])?;
        Some(CallBlock { tree, first, first_entry, entries, tails, shapes, shape, numbers, others, objects })
    }

    pub fn rows(&self) -> usize {
        self.tree.rows
    }

    pub fn entry(&self, at: usize) -> u64 {
        self.first_entry.wrapping_add(self.entries.sum(at))
    }

    /// A row; `late` has the ends that are elsewhere.
    pub fn call(&self, at: usize, late: impl Fn(u64) -> Option<LateRow>) -> Option<CallRow> {
        let frame = self.frame(at)?;
        let (exit, size, children, ending) = match self.tree.extent(at) {
            Extent::Within(size) => {
                let last = frame.entry.wrapping_add(
                    (at + 1..at + size).fold(0u64, |sum, row| sum.wrapping_add(self.entries.get(row))),
                );
                let exit = last.wrapping_add(self.tails.get(at));
                (exit, size as u32, self.tree.children_within(at, size), self.ending(&frame))
            }
            Extent::Beyond(beyond) => match self.tree.late(beyond) {
                Some(slot) => {
                    let LateRow { exit, size, children, ending } = late(slot)?;
                    (exit, size, children, ending)
                }
                None => {
                    let exit = frame.entry.wrapping_add(self.tree.lengths.get(beyond));
                    let children = self.tree.children.get(beyond) as u32;
                    (exit, self.tree.size(beyond), children, self.ending(&frame))
                }
            },
        };
        let parent = self.tree.parent(at).and_then(|caller| match caller {
            Caller::Within(row) => Some(self.first + row as u32),
            Caller::Before(rows) => self.first.checked_sub(rows),
        });
        let depth = self.tree.depths.get(at) as u32;
        let ShapeRow { target, bci, .. } = frame.shape;
        Some(CallRow { target, parent, depth, entry: frame.entry, exit, bci, size, children, ending })
    }

    /// All of it; `kinds` are those of all shapes, `late` has the ends that are elsewhere.
    pub fn decoded(&self, kinds: &[u8], late: impl Fn(u64) -> Option<LateRow>) -> Option<DecodedCalls> {
        let depths = self.tree.depths.all();
        let (steps, tails, numbers) = (self.entries.all(), self.tails.all(), self.shape.all());
        let mut values = Values::of(self);
        let mut rows: Vec<DecodedCall> = Vec::with_capacity(depths.len());
        let mut arguments = Vec::with_capacity(depths.len() * 2);
        let mut open: Vec<usize> = Vec::new();
        let (mut least, mut level) = (u64::MAX, 0usize);
        let mut entry = self.first_entry;
        let end = |rows: &mut Vec<DecodedCall>, above: usize, at: usize| {
            let last = rows[at - 1].call.entry;
            let call = &mut rows[above].call;
            (call.size, call.exit) = ((at - above) as u32, last.wrapping_add(tails[above]));
        };
        for (at, &depth) in depths.iter().enumerate() {
            entry = entry.wrapping_add(steps[at]);
            while let Some(above) = open.pop_if(|above| depths[*above] >= depth) {
                end(&mut rows, above, at);
            }
            if depth < least {
                (least, level) = (depth, level + 1);
            }
            let parent = match open.last() {
                Some(&above) => {
                    rows[above].call.children += 1;
                    Some(self.first.wrapping_add(above as u32))
                }
                None if depth == 0 => None,
                None => {
                    let before = level.checked_sub(1).map_or(0, |level| self.tree.outer.get(level)) as u32;
                    self.first.checked_sub(before).filter(|_| before > 0)
                }
            };
            open.push(at);
            let shape = self.shapes.get(numbers[at] as usize)?;
            let result = shape.result.map(|kind| values.next(kind));
            let ending = ending(shape.end, result);
            let (target, bci, depth) = (shape.target, shape.bci, depth as u32);
            let call =
                CallRow { target, parent, depth, entry, exit: entry, bci, size: 1, children: 0, ending };
            let start = shape.kinds as usize;
            let kinds = kinds.get(start..start.checked_add(usize::from(shape.args))?)?;
            let (args, has_receiver) = (arguments.len() as u32, shape.has_receiver);
            arguments.extend(kinds.iter().map(|&kind| values.next(kind & 0xf)));
            rows.push(DecodedCall { call, args, has_receiver });
        }
        for (beyond, &at) in open.iter().enumerate() {
            let call = &mut rows[at].call;
            match self.tree.late(beyond) {
                Some(slot) => {
                    let LateRow { exit, size, children, ending } = late(slot)?;
                    (call.exit, call.size, call.children, call.ending) = (exit, size, children, ending);
                }
                None => {
                    call.exit = call.entry.wrapping_add(self.tree.lengths.get(beyond));
                    call.size = self.tree.size(beyond);
                    call.children = self.tree.children.get(beyond) as u32;
                }
            }
        }
        Some(DecodedCalls { rows, arguments })
    }

    /// Does a call of it use an object?
    pub fn lists(&self, object: u32) -> bool {
        let mut sum = 0u64;
        self.objects.list.iter().any(|step| {
            sum = sum.wrapping_add(step);
            sum == u64::from(object)
        })
    }

    /// Receiver and arguments; `kinds` are those of all shapes.
    pub fn arguments(&self, at: usize, kinds: &[u8]) -> Option<(bool, Vec<Value>)> {
        let mut frame = self.frame(at)?;
        if let Some(result) = frame.shape.result {
            self.value(result, &mut frame.values);
        }
        let start = frame.shape.kinds as usize;
        let kinds = kinds.get(start..start.checked_add(usize::from(frame.shape.args))?)?;
        let values =
            kinds.iter().map(|&kind| Value::from(self.value(kind & 0xf, &mut frame.values))).collect();
        Some((frame.shape.has_receiver, values))
    }

    fn frame(&self, at: usize) -> Option<Frame> {
        let mut values = [0; 3];
        for before in 0..at {
            let shape = self.shapes.get(self.shape.get(before) as usize)?;
            values.iter_mut().zip(shape.classes).for_each(|(sum, count)| *sum += usize::from(count));
        }
        let shape = *self.shapes.get(self.shape.get(at) as usize)?;
        (at < self.rows()).then(|| Frame { shape, entry: self.entry(at), values })
    }

    fn ending(&self, frame: &Frame) -> Ending {
        let mut places = frame.values;
        let result = frame.shape.result.map(|kind| Value::from(self.value(kind, &mut places)));
        ending(frame.shape.end, result)
    }

    /// The next value, of this kind.
    fn value(&self, value_kind: u8, places: &mut [usize; 3]) -> Packed {
        let Some(class) = class_of(value_kind) else { return Packed { kind: value_kind, bits: 0 } };
        let place = places[class];
        places[class] += 1;
        let bits = match class {
            NUMBERS => match value_kind {
                kind::INT => u64::from(unzigzag(self.numbers.get(place)) as u32),
                _ => unzigzag(self.numbers.get(place)),
            },
            OBJECTS => self.objects.get(place),
            _ => self.others.get(place),
        };
        Packed { kind: value_kind, bits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{MethodId, ObjectId, StringId};
    use proptest::prelude::*;

    /// A step of a thread: a call begins, with these values and from this place, or the innermost ends.
    #[derive(Clone, Debug)]
    enum Step {
        Begin(u32, u16, Vec<Value>),
        End(Option<Value>),
    }

    fn any_value() -> impl Strategy<Value = Value> {
        prop_oneof![
            (0u32..9).prop_map(|id| Value::Object(ObjectId(id))),
            any::<u32>().prop_map(|id| Value::Object(ObjectId(id))),
            any::<i32>().prop_map(Value::Int),
            any::<i64>().prop_map(Value::Long),
            any::<u32>().prop_map(|id| Value::Str(StringId(id))),
            Just(Value::Null),
            (-1e9f64..1e9).prop_map(Value::Double),
        ]
    }

    fn any_step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (0u32..5, 0u16..4, proptest::collection::vec(any_value(), 0..4))
                .prop_map(|(method, bci, args)| Step::Begin(method, bci, args)),
            proptest::option::of(any_value()).prop_map(Step::End),
        ]
    }

    /// The rows that the steps leave, those before the block among them, with their values.
    fn run(steps: &[Step]) -> (Vec<Unpacked>, Vec<Packed>) {
        let (mut rows, mut values, mut open): (Vec<Unpacked>, Vec<Packed>, Vec<usize>) = Default::default();
        for (ordinal, step) in steps.iter().enumerate() {
            match step {
                Step::Begin(method, bci, args) => {
                    let parent = open.last().copied();
                    if let Some(parent) = parent {
                        rows[parent].call.children += 1;
                    }
                    let call = CallRow {
                        target: Target::Method(MethodId(*method)),
                        parent: parent.map(|parent| parent as u32),
                        depth: open.len() as u32,
                        entry: ordinal as u64 * 3,
                        exit: 0,
                        bci: *bci,
                        size: 1,
                        children: 0,
                        ending: Ending::Open,
                    };
                    open.push(rows.len());
                    rows.push(Unpacked {
                        call,
                        has_receiver: !args.is_empty() && bci % 2 == 0,
                        args: args.len() as u16,
                        values: values.len() as u32,
                    });
                    values.extend(args.iter().map(|&value| Packed::from(value)));
                }
                Step::End(value) => {
                    if let Some(at) = open.pop() {
                        rows[at].call.exit = ordinal as u64 * 3 + 1;
                        rows[at].call.size = (rows.len() - at) as u32;
                        rows[at].call.ending = Ending::Returned(*value);
                    }
                }
            }
        }
        for at in open {
            rows[at].call.exit = steps.len() as u64 * 3;
            rows[at].call.size = (rows.len() - at) as u32;
        }
        (rows, values)
    }

    proptest! {
        #[test]
        fn every_row_comes_back_alone_and_with_all_others(
            steps in proptest::collection::vec(any_step(), 1..600), from in 0usize..40, late in any::<bool>(),
        ) {
            let (rows, values) = run(&steps);
            let from = from.min(rows.len());
            let rows = &rows[from..rows.len().min(from + ROWS)];
            prop_assume!(!rows.is_empty());
            let mut shapes = Shapes::default();
            let mut bytes = Vec::new();
            let block = Unpackeds { first: from as u32, rows, values: &values, late: late.then_some(100) };
            let used = Packer::default().pack(&block, &mut shapes, &mut bytes).to_vec();
            let place = BlockPlace { rows: rows.len(), first: from as u32, first_entry: rows[0].call.entry };
            let block = CallBlock::read(&bytes, place, |number| shapes.rows.get(number as usize).copied()).unwrap();
            // What is late, in the order of rows.
            let open = rows.iter().map(|row| &row.call).filter(|call| call.ending == Ending::Open);
            let late: Vec<LateRow> = open.map(LateRow::from).collect();
            let late = |slot: u64| late.get((slot as usize).checked_sub(100)?).copied();
            let decoded = block.decoded(&shapes.kinds, late).unwrap();
            let all: Vec<CallRow> = decoded.calls().copied().collect();
            let tree = BlockTree::read(&bytes, &mut 0, rows.len()).unwrap();
            for (at, row) in rows.iter().enumerate() {
                prop_assert_eq!(block.call(at, late), Some(row.call));
                prop_assert_eq!(all[at], row.call);
                prop_assert_eq!(is_program_at(&bytes, at), true);
                prop_assert_eq!(programs_before(&bytes, at), at as u32);
                if let Extent::Within(size) = tree.extent(at) {
                    prop_assert_eq!(size as u32, row.call.size);
                }
                let start = row.values as usize;
                let args: Vec<Value> =
                    values[start..start + usize::from(row.args)].iter().map(|&value| Value::from(value)).collect();
                for object in args.iter().filter_map(|value| match value {
                    Value::Object(id) => Some(u64::from(id.0)),
                    _ => None,
                }) {
                    prop_assert!(used.contains(&object) && block.lists(object as u32));
                }
                prop_assert_eq!(decoded.arguments(at), Some((row.has_receiver, args.as_slice())));
                prop_assert_eq!(decoded.call(at), Some(&row.call));
                prop_assert_eq!(block.arguments(at, &shapes.kinds), Some((row.has_receiver, args)));
            }
        }

        #[test]
        fn damaged_blocks_never_panic(
            steps in proptest::collection::vec(any_step(), 1..300),
            damage in proptest::collection::vec((any::<u16>(), any::<u8>()), 1..20),
        ) {
            let (rows, values) = run(&steps);
            prop_assume!(!rows.is_empty());
            let rows = &rows[..rows.len().min(ROWS)];
            let mut shapes = Shapes::default();
            let mut bytes = Vec::new();
            Packer::default().pack(&Unpackeds { first: 0, rows, values: &values, late: Some(0) }, &mut shapes, &mut bytes);
            for (at, byte) in damage {
                let at = usize::from(at) % bytes.len();
                bytes[at] = byte;
            }
            let place = BlockPlace { rows: rows.len(), first: 0, first_entry: 0 };
            let late = |_| Some(LateRow { exit: 1, size: 1, children: 0, ending: Ending::Open });
            if let Some(block) = CallBlock::read(&bytes, place, |number| shapes.rows.get(number as usize).copied()) {
                if let Some(decoded) = block.decoded(&shapes.kinds, late) {
                    (0..rows.len()).for_each(|at| assert!(decoded.arguments(at).is_some()));
                }
                block.lists(7);
                for at in 0..rows.len() {
                    block.call(at, late);
                    block.arguments(at, &shapes.kinds);
                }
            }
        }
    }
}
