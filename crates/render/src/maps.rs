//! Maps of the JDK, in the order in which Java iterates over them. `Map.of` and `Set.of` are iterated from a place
//! that is drawn at each start of the JVM and recorded nowhere: they are shown in the order of their tables.

use std::cmp::Ordering;

use base::{ObjectId, Value};
use jdk::collections::{Bound, Layout, PairNode, TreeNode, layout};

use crate::content::{Content, Gathering, Item, Recognised};
use crate::fields::{Fields, Reader, Ref};
use crate::heap::KnownValue;
use crate::held;
use crate::node::ValueKind;
use crate::parts::Home;

/// The pairs of a map, by the class that a map of that layout has.
pub(crate) fn map(reader: &Reader<'_>, class: &str, object: ObjectId, limit: usize) -> Recognised<Content> {
    let Some((layout, jdk::collections::CollectionKind::Map)) = layout(class) else {
        return Recognised::OtherClass;
    };
    let fields = reader.fields(object);
    let pairs = match *layout {
        Layout::Buckets { table, size, backwards, node } => {
            let size = size.and_then(|size| fields.count(size));
            buckets(reader, fields.reference(table), size, backwards, node, limit)
        }
        Layout::LinkedPairs { head, size, node } => {
            linked_pairs(reader, fields.reference(head), fields.count(size), node, limit)
        }
        Layout::Tree { root, size, node, .. } => {
            tree(reader, fields.reference(root), fields.count(size), node, limit)
        }
        Layout::SubTree { map, low, high, descending } => {
            let descends = reader.is_a(object, descending);
            sub_tree(&fields, map, (low, high), descends, limit)
        }
        Layout::Reversed { base } => reversed(reader, fields.object(base), limit),
        Layout::SkipList { head, header, node, .. } => {
            skip_list(reader, fields.reference(head), header, node, limit)
        }
        Layout::Delegated { map } => delegated(reader, fields.object(map), limit),
        Layout::OpenTable { table, size } => open_table(reader, &fields, table, size, limit),
        Layout::EnumTable { values, size, universe, class, null } => {
            let constants = Constants::of(reader, fields.get(universe), fields.get(class));
            enum_table(reader, fields.object(values), fields.count(size), &constants, null, limit)
        }
        Layout::SinglePair { key, value } => pair(ValueKind::Map, fields.get(key), fields.get(value)),
        Layout::Empty => Some(Content::empty(ValueKind::Map)),
        _ => return Recognised::OtherClass,
    };
    pairs.into()
}

/// The pairs of whatever map the object is.
pub(crate) fn map_of(reader: &Reader<'_>, object: ObjectId, limit: usize) -> Option<Content> {
    for class in reader.classes(object) {
        match map(reader, &class, object, limit) {
            Recognised::OtherClass => {}
            Recognised::ContentUnknown => return None,
            Recognised::Content(content) => return Some(content),
        }
    }
    None
}

/// An entry of a map as a pair.
pub(crate) fn entry(reader: &Reader<'_>, class: &str, object: ObjectId) -> Recognised<Content> {
    let Some((&Layout::Entry { key, value }, _)) = layout(class) else { return Recognised::OtherClass };
    let fields = reader.fields(object);
    pair(ValueKind::Entry, fields.get(key), fields.get(value)).into()
}

/// What is read from its end has to be gathered whole, up to so many pairs.
const WHOLE: usize = 100_000;

/// So many views may lie on one another.
const HOPS: u32 = 16;

fn buckets(
    reader: &Reader<'_>,
    table: Option<Ref>,
    size: Option<u32>,
    backwards: bool,
    layout: PairNode,
    limit: usize,
) -> Option<Content> {
    if size == Some(0) {
        return Some(Content::empty(ValueKind::Map));
    }
    let Ref::To(table) = table? else { return Some(Content::empty(ValueKind::Map)) };
    let length = reader.heap.length(table)?;
    let mut pairs = Gathering::new(limit, size);
    for index in 0..length {
        let index = if backwards { length - 1 - index } else { index };
        if !reader.step() {
            pairs.gap();
            break;
        }
        let go_on = match reader.reference(reader.heap.element(table, index)) {
            Some(Ref::Null) => true,
            Some(Ref::To(node)) => chain(reader, node, &layout, &mut pairs),
            None => {
                pairs.gap();
                true
            }
        };
        if !go_on {
            break;
        }
    }
    pairs.content(ValueKind::Map)
}

/// The nodes of one bucket; false if the walk may end.
fn chain(reader: &Reader<'_>, first: ObjectId, layout: &PairNode, pairs: &mut Gathering) -> bool {
    let mut next = Some(Ref::To(first));
    loop {
        let node = match next {
            Some(Ref::To(node)) if reader.step() => node,
            Some(Ref::Null) => return true,
            _ => {
                pairs.gap();
                return true;
            }
        };
        let fields = reader.fields(node);
        if let Some(special) = layout.special
            && fields.int(special.hash).is_none_or(|hash| hash < 0)
        {
            next = fields.reference(special.first);
            continue;
        }
        let pair = Item::pair(fields.get(layout.key), fields.get(layout.value));
        if !pairs.add(pair.at(Home::Field(node, layout.value))) {
            return false;
        }
        next = reader.reference(fields.lowest(layout.next));
    }
}

fn linked_pairs(
    reader: &Reader<'_>,
    head: Option<Ref>,
    size: Option<u32>,
    layout: PairNode,
    limit: usize,
) -> Option<Content> {
    let mut pairs = Gathering::new(limit, size);
    let mut next = head;
    loop {
        let node = match next {
            Some(Ref::To(node)) if reader.step() => node,
            Some(Ref::Null) => break,
            _ => {
                pairs.gap();
                break;
            }
        };
        let fields = reader.fields(node);
        let pair = Item::pair(fields.get(layout.key), fields.get(layout.value));
        if !pairs.add(pair.at(Home::Field(node, layout.value))) {
            break;
        }
        next = fields.reference(layout.next);
    }
    pairs.content(ValueKind::Map)
}

/// The walk goes down to the left and keeps the way back on a stack of its own: a tree that damage made a
/// circle is left when the steps are used up.
fn tree(
    reader: &Reader<'_>,
    root: Option<Ref>,
    size: Option<u32>,
    layout: TreeNode,
    limit: usize,
) -> Option<Content> {
    let mut pairs = Gathering::new(limit, size);
    let mut above: Vec<(Item, Option<Ref>)> = Vec::new();
    let mut next = root;
    loop {
        match next {
            Some(Ref::To(node)) => {
                if !reader.step() {
                    pairs.gap();
                    break;
                }
                let fields = reader.fields(node);
                let pair = Item::pair(fields.get(layout.key), fields.get(layout.value));
                above.push((pair.at(Home::Field(node, layout.value)), fields.reference(layout.right)));
                next = fields.reference(layout.left);
                continue;
            }
            Some(Ref::Null) => {}
            None => pairs.gap(),
        }
        let Some((pair, right)) = above.pop() else { break };
        if !pairs.add(pair) {
            break;
        }
        next = right;
    }
    pairs.content(ValueKind::Map)
}

/// A view of a part of a tree map. Its bounds are looked for among the keys as far as these have an order that is known
/// here: a comparator, or a key's own `compareTo`, only the program can ask.
fn sub_tree(
    fields: &Fields<'_>,
    map: &str,
    (low, high): (Bound, Bound),
    descends: bool,
    limit: usize,
) -> Option<Content> {
    let reader = fields.reader;
    let _inside = reader.inside(HOPS)?;
    let map = fields.object(map)?;
    let is_open = (fields.flag(low.open)?, fields.flag(high.open)?);
    if is_open == (true, true) && !descends {
        return map_of(reader, map, limit);
    }
    let mut content = map_of(reader, map, WHOLE)?;
    if is_open != (true, true) {
        if content.more > 0 || !held::is_natural(reader, map) {
            return None;
        }
        let low = (!is_open.0).then_some((low, Ordering::Greater));
        let high = (!is_open.1).then_some((high, Ordering::Less));
        for (bound, side) in low.into_iter().chain(high) {
            let (key, inclusive) = (fields.get(bound.key), fields.flag(bound.inclusive)?);
            let is_within = |item: &Item| {
                let order = compare(reader, item.key?, key)?;
                Some(order == side || inclusive && order == Ordering::Equal)
            };
            let within: Option<Vec<bool>> = content.items.iter().map(is_within).collect();
            let mut within = within?.into_iter();
            content.items.retain(|_| within.next() == Some(true));
        }
    }
    if descends { backwards(content, limit) } else { Some(content.cut(limit)) }
}

/// The natural order of two strings, or of two whole numbers of one type.
fn compare(reader: &Reader<'_>, one: KnownValue, other: KnownValue) -> Option<Ordering> {
    let (one, other) = (reader.value(one)?, reader.value(other)?);
    match (one, other) {
        (Value::Box { kind, bits: one }, Value::Box { kind: same, bits: other })
            if kind == same && kind != b'F' =>
        {
            Some(one.cmp(&other))
        }
        (Value::Box64 { kind: b'J', bits: one }, Value::Box64 { kind: b'J', bits: other }) => {
            Some(one.cmp(&other))
        }
        _ => {
            let text = |value| reader.heap.string(value).filter(|text| !text.cut);
            let (one, other) = (text(one)?, text(other)?);
            Some(base::text::units(&one.text).cmp(base::text::units(&other.text)))
        }
    }
}

fn reversed(reader: &Reader<'_>, base: Option<ObjectId>, limit: usize) -> Option<Content> {
    let _inside = reader.inside(HOPS)?;
    backwards(map_of(reader, base?, WHOLE)?, limit)
}

fn delegated(reader: &Reader<'_>, map: Option<ObjectId>, limit: usize) -> Option<Content> {
    let _inside = reader.inside(HOPS)?;
    map_of(reader, map?, limit)
}

/// From the end on; `None` if the end was not reached.
pub(crate) fn backwards(mut content: Content, limit: usize) -> Option<Content> {
    if content.more > 0 {
        return None;
    }
    content.items.reverse();
    Some(content.cut(limit))
}

fn skip_list(
    reader: &Reader<'_>,
    head: Option<Ref>,
    header: &str,
    layout: PairNode,
    limit: usize,
) -> Option<Content> {
    let Ref::To(head) = head? else {
        return Some(Content::empty(ValueKind::Map));
    };
    let mut pairs = Gathering::new(limit, None);
    // The first node is a header without a pair.
    let header = reader.fields(head).object(header)?;
    let mut next = reader.fields(header).reference(layout.next);
    loop {
        let node = match next {
            Some(Ref::To(node)) if reader.step() => node,
            Some(Ref::Null) => break,
            _ => {
                pairs.gap();
                break;
            }
        };
        let fields = reader.fields(node);
        let value = fields.get(layout.value);
        // Nodes without a value are removed ones.
        let pair = Item::pair(fields.get(layout.key), value).at(Home::Field(node, layout.value));
        if reader.value(value) != Some(Value::Null) && !pairs.add(pair) {
            break;
        }
        next = fields.reference(layout.next);
    }
    pairs.content(ValueKind::Map)
}

/// Keys and values side by side in one array, with empty places between the pairs.
fn open_table(
    reader: &Reader<'_>,
    fields: &Fields<'_>,
    table: &str,
    size: &str,
    limit: usize,
) -> Option<Content> {
    let size = fields.count(size);
    if size == Some(0) {
        return Some(Content::empty(ValueKind::Map));
    }
    let table = fields.object(table)?;
    let mut pairs = Gathering::new(limit, size);
    for index in 0..reader.heap.length(table)? / 2 {
        if !reader.step() {
            pairs.gap();
            break;
        }
        let key = reader.heap.element(table, 2 * index);
        match reader.value(key) {
            Some(Value::Null) => {}
            None => pairs.gap(),
            Some(_) => {
                let pair = Item::pair(key, reader.heap.element(table, 2 * index + 1));
                if !pairs.add(pair.at(Home::Element(table, 2 * index + 1))) {
                    break;
                }
            }
        }
    }
    pairs.content(ValueKind::Map)
}

fn enum_table(
    reader: &Reader<'_>,
    values: Option<ObjectId>,
    size: Option<u32>,
    constants: &Constants,
    null: &str,
    limit: usize,
) -> Option<Content> {
    if size == Some(0) {
        return Some(Content::empty(ValueKind::Map));
    }
    let values = values?;
    let mut pairs = Gathering::new(limit, size);
    for index in 0..reader.heap.length(values)? {
        let value = reader.heap.element(values, index);
        let shown = match reader.value(value) {
            Some(Value::Null) => continue,
            None => {
                pairs.gap();
                continue;
            }
            // The map's own stand-in for null.
            Some(Value::Object(id)) if reader.is_a(id, null) => KnownValue::Value(Value::Null),
            Some(_) => value,
        };
        let pair = Item::pair(constants.at(reader, index), shown);
        if !pairs.add(pair.at(Home::Element(values, index))) {
            break;
        }
    }
    pairs.content(ValueKind::Map)
}

fn pair(kind: ValueKind, key: KnownValue, value: KnownValue) -> Option<Content> {
    let known = key != KnownValue::Unknown || value != KnownValue::Unknown;
    known.then(|| Content::of(kind, vec![Item::pair(key, value)]))
}

/// The constants of an enum by their ordinals: from the array that the collection shares with its class, or by
/// the class alone.
pub(crate) struct Constants {
    universe: Option<ObjectId>,
    class: Option<Value>,
}

impl Constants {
    pub fn of(reader: &Reader<'_>, universe: KnownValue, class: KnownValue) -> Self {
        let universe = match reader.reference(universe) {
            Some(Ref::To(array)) => Some(array),
            _ => None,
        };
        Constants { universe, class: reader.value(class) }
    }

    pub fn at(&self, reader: &Reader<'_>, ordinal: u32) -> KnownValue {
        let listed = self.universe.map_or(KnownValue::Unknown, |array| reader.heap.element(array, ordinal));
        if listed != KnownValue::Unknown {
            return listed;
        }
        if let (Some(Value::Class(ty)), Ok(ordinal)) = (self.class, u16::try_from(ordinal)) {
            let constant = Value::Enum { ty, ordinal };
            if reader.heap.enum_constant(constant).is_some() {
                return KnownValue::Value(constant);
            }
        }
        KnownValue::Unknown
    }
}
