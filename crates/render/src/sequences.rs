//! Lists, queues and sets of the JDK. Most stand on an array: then elements are read where they are asked for,
//! whatever the size of the list. Sets stand on maps and are walked as these are.

use base::{ObjectId, Value};
use jdk::collections::{Layout, LinkNode, ViewOf, layout};

use crate::content::{Content, Gathering, Item, Recognised};
use crate::fields::{Fields, Reader, Ref};
use crate::heap::KnownValue;
use crate::maps::{self, Constants};
use crate::node::ValueKind;
use crate::parts::Home;

/// The elements of a collection, by the class that a collection of that layout has.
pub(crate) fn sequence(
    reader: &Reader<'_>,
    class: &str,
    object: ObjectId,
    limit: usize,
) -> Recognised<Content> {
    let Some((layout, kind)) = layout(class) else { return Recognised::OtherClass };
    let kind = match kind {
        jdk::collections::CollectionKind::List => ValueKind::List,
        jdk::collections::CollectionKind::Set => ValueKind::Set,
        _ => return Recognised::OtherClass,
    };
    match slice(reader, class, object, HOPS) {
        Recognised::Content(slice) => return Recognised::Content(slice.content(reader, limit)),
        Recognised::ContentUnknown => return Recognised::ContentUnknown,
        Recognised::OtherClass => {}
    }
    let fields = reader.fields(object);
    let elements = match *layout {
        Layout::Linked { first, size, node } => {
            let size = size.and_then(|size| fields.count(size));
            linked(reader, limit, size, fields.reference(first), node)
        }
        Layout::Ring { array, head, tail } => ring_to(&fields, array, head, tail, limit),
        Layout::CountedRing { array, head, count } => counted_ring(&fields, array, head, count, limit),
        Layout::Part { list, offset, size, .. } => part(&fields, list, offset, size, limit),
        Layout::Reversed { base } => reversed(reader, fields.object(base), limit),
        Layout::OneOrTwo { first, second } => one_or_two(reader, fields.get(first), fields.get(second), kind),
        Layout::Sparse { array, size } => sparse(&fields, array, size, limit, kind),
        Layout::Single { element } => single(fields.get(element), kind),
        Layout::Copies { element, count } => copies(&fields, element, count, limit),
        Layout::Empty => Some(Content::empty(kind)),
        Layout::Keys { map } => keys(reader, fields.object(map), limit),
        Layout::Bits { words, universe, class } => {
            let constants = Constants::of(reader, fields.get(universe), fields.get(class));
            enum_set(reader, fields.get(words), &constants, limit)
        }
        Layout::View { of, map, reversed } => {
            let backwards = reversed.and_then(|flag| fields.flag(flag)) == Some(true);
            view_of_map(reader, fields.object(map), of, backwards, limit)
        }
        _ => return Recognised::OtherClass,
    };
    elements.into()
}

/// The collection that a wrapper stands for.
pub(crate) fn unwrapped(reader: &Reader<'_>, object: ObjectId) -> Recognised<ObjectId> {
    match around(reader, object) {
        Some(field) => reader.fields(object).object(field).into(),
        None => Recognised::OtherClass,
    }
}

/// The field of a wrapper that has what it is wrapped around.
pub(crate) fn around(reader: &Reader<'_>, object: ObjectId) -> Option<jdk::Field> {
    reader.classes(object).iter().find_map(|class| match layout(class) {
        Some((Layout::Wrapper { around }, _)) => Some(*around),
        _ => None,
    })
}

/// So many views may lie on one another.
const HOPS: u32 = 16;

/// What is read from its end has to be gathered whole, up to so many elements.
const WHOLE: usize = 100_000;

/// A part of an array.
pub(crate) struct Slice {
    /// `None` if there is no element.
    pub array: Option<ObjectId>,
    from: u32,
    pub count: u32,
}

/// The part of an array that a list is, if it is one.
pub(crate) fn slice_of(reader: &Reader<'_>, object: ObjectId) -> Option<Slice> {
    let mut inner = object;
    for _ in 0..HOPS {
        for class in reader.classes(inner) {
            match slice(reader, &class, inner, HOPS) {
                Recognised::Content(slice) => return Some(slice),
                Recognised::ContentUnknown => return None,
                Recognised::OtherClass => {}
            }
        }
        match unwrapped(reader, inner) {
            Recognised::Content(next) => inner = next,
            _ => return None,
        }
    }
    None
}

impl Slice {
    fn content(&self, reader: &Reader<'_>, limit: usize) -> Content {
        let shown = (self.count as usize).min(limit) as u32;
        let items = (0..shown).map(|index| self.item(reader, index)).collect();
        Content { kind: ValueKind::List, items, more: u64::from(self.count - shown) }
    }

    pub fn item(&self, reader: &Reader<'_>, index: u32) -> Item {
        match (self.array, self.from.checked_add(index)) {
            (Some(array), Some(index)) => {
                Item::element(reader.heap.element(array, index)).at(Home::Element(array, index))
            }
            _ => Item::element(KnownValue::Unknown),
        }
    }
}

fn slice(reader: &Reader<'_>, class: &str, object: ObjectId, hops: u32) -> Recognised<Slice> {
    let (array, count) = match layout(class) {
        Some((Layout::Array { array, size, .. }, _)) => (*array, *size),
        Some((Layout::Part { list, offset, size, of_array: true }, _)) => {
            return sub_slice(&reader.fields(object), list, offset, size, hops);
        }
        _ => return Recognised::OtherClass,
    };
    let fields = reader.fields(object);
    let array = fields.object(array);
    let count = match count {
        Some(count) => fields.count(count),
        None => array.and_then(|array| reader.heap.length(array)),
    };
    match (array, count) {
        (_, Some(0)) => Recognised::Content(Slice { array: None, from: 0, count: 0 }),
        (Some(array), Some(count)) => Recognised::Content(Slice { array: Some(array), from: 0, count }),
        _ => Recognised::ContentUnknown,
    }
}

/// The root of a sub list may be another kind of list (`List.of(1, 2)`): then there is no array below it.
fn sub_slice(fields: &Fields<'_>, list: &str, offset: &str, size: &str, hops: u32) -> Recognised<Slice> {
    let reader = fields.reader;
    let (Some(root), Some(offset), Some(count)) =
        (fields.object(list), fields.count(offset), fields.count(size))
    else {
        return Recognised::ContentUnknown;
    };
    if hops == 0 {
        return Recognised::ContentUnknown;
    }
    for class in reader.classes(root) {
        match slice(reader, &class, root, hops - 1) {
            Recognised::OtherClass => {}
            Recognised::ContentUnknown => return Recognised::ContentUnknown,
            Recognised::Content(root) => {
                return match root.from.checked_add(offset) {
                    Some(from) => Recognised::Content(Slice { array: root.array, from, count }),
                    None => Recognised::ContentUnknown,
                };
            }
        }
    }
    Recognised::OtherClass
}

fn part(fields: &Fields<'_>, list: &str, offset: &str, size: &str, limit: usize) -> Option<Content> {
    let (root, offset) = (fields.object(list)?, fields.count(offset)? as usize);
    let count = fields.count(size)? as usize;
    let shown = count.min(limit);
    let end = offset.checked_add(shown).filter(|&end| end <= WHOLE)?;
    let mut content = sequence_of(fields.reader, root, end)?;
    if content.items.len() < end {
        return None;
    }
    content.items.drain(..offset);
    Some(Content { more: (count - shown) as u64, ..content })
}

fn reversed(reader: &Reader<'_>, base: Option<ObjectId>, limit: usize) -> Option<Content> {
    let mut content = sequence_of(reader, base?, WHOLE)?;
    if content.more > 0 {
        return None;
    }
    content.items.reverse();
    Some(content.cut(limit))
}

/// The elements of whatever collection the object is.
fn sequence_of(reader: &Reader<'_>, object: ObjectId, limit: usize) -> Option<Content> {
    let _inside = reader.inside(HOPS)?;
    for class in reader.classes(object) {
        match sequence(reader, &class, object, limit) {
            Recognised::OtherClass => {}
            Recognised::ContentUnknown => return None,
            Recognised::Content(content) => return Some(content),
        }
    }
    None
}

fn linked(
    reader: &Reader<'_>,
    limit: usize,
    size: Option<u32>,
    first: Option<Ref>,
    layout: LinkNode,
) -> Option<Content> {
    let mut elements = Gathering::new(limit, size);
    let mut next = match layout.before {
        Some(before) => first_of(reader, first, before),
        None => first,
    };
    let mut last = None;
    loop {
        let node = match next {
            // A node that leads to itself was taken out, and nobody knows what comes behind it.
            Some(Ref::To(node)) if last != Some(node) && reader.step() => node,
            Some(Ref::Null) => break,
            _ => {
                elements.gap();
                break;
            }
        };
        let fields = reader.fields(node);
        let item = fields.get(layout.item);
        // In the concurrent queues a node without an item is a header, or a removed one.
        let is_element = size.is_some() || reader.value(item) != Some(Value::Null);
        if is_element && !elements.add(Item::element(item).at(Home::Field(node, layout.item))) {
            break;
        }
        next = fields.reference(layout.next);
        last = Some(node);
    }
    elements.content(ValueKind::List)
}

/// The node that has none before it, from any node on; none if the way there is not known.
fn first_of(reader: &Reader<'_>, node: Option<Ref>, before: &str) -> Option<Ref> {
    let Some(Ref::To(mut node)) = node else { return node };
    while reader.step() {
        match reader.fields(node).reference(before)? {
            Ref::Null => return Some(Ref::To(node)),
            Ref::To(previous) if previous != node => node = previous,
            Ref::To(_) => return None,
        }
    }
    None
}

fn ring_to(fields: &Fields<'_>, array: &str, head: &str, tail: &str, limit: usize) -> Option<Content> {
    let (head, tail) = (fields.count(head)?, fields.count(tail)?);
    if head == tail {
        return Some(Content::empty(ValueKind::List));
    }
    let array = fields.object(array)?;
    let length = fields.reader.heap.length(array)?;
    let count = if head < tail { tail - head } else { length.checked_sub(head)?.checked_add(tail)? };
    ring(fields.reader, array, head, count, limit)
}

fn counted_ring(fields: &Fields<'_>, array: &str, head: &str, count: &str, limit: usize) -> Option<Content> {
    let count = fields.count(count)?;
    if count == 0 {
        return Some(Content::empty(ValueKind::List));
    }
    ring(fields.reader, fields.object(array)?, fields.count(head)?, count, limit)
}

/// Elements of an array that goes on at its start when it comes to its end.
fn ring(reader: &Reader<'_>, array: ObjectId, from: u32, count: u32, limit: usize) -> Option<Content> {
    let length = u64::from(reader.heap.length(array)?);
    if u64::from(count) > length || u64::from(from) >= length {
        return None;
    }
    let shown = (count as usize).min(limit) as u32;
    let place = |index: u32| ((u64::from(from) + u64::from(index)) % length) as u32;
    let at = |place: u32| Item::element(reader.heap.element(array, place)).at(Home::Element(array, place));
    let items = (0..shown).map(|index| at(place(index))).collect();
    Some(Content { kind: ValueKind::List, items, more: u64::from(count - shown) })
}

/// The second of two elements is a plain `Object` of the library's where there is only one.
fn one_or_two(
    reader: &Reader<'_>,
    first: KnownValue,
    second: KnownValue,
    kind: ValueKind,
) -> Option<Content> {
    if first == KnownValue::Unknown && second == KnownValue::Unknown {
        return None;
    }
    let absent = match reader.value(second) {
        Some(Value::Object(id)) => reader.heap.type_name(id).as_deref() == Some(jdk::names::OBJECT),
        Some(Value::Null) => true,
        _ => false,
    };
    let mut items = vec![Item::element(first)];
    items.extend((!absent).then(|| Item::element(second)));
    Some(Content::of(kind, items))
}

/// Elements with empty places between them.
fn sparse(fields: &Fields<'_>, array: &str, size: &str, limit: usize, kind: ValueKind) -> Option<Content> {
    let reader = fields.reader;
    let size = fields.count(size);
    if size == Some(0) {
        return Some(Content::empty(kind));
    }
    let array = fields.object(array)?;
    let mut elements = Gathering::new(limit, size);
    for index in 0..reader.heap.length(array)? {
        if !reader.step() {
            elements.gap();
            break;
        }
        let element = reader.heap.element(array, index);
        match reader.value(element) {
            Some(Value::Null) => {}
            None => elements.gap(),
            Some(_) => {
                if !elements.add(Item::element(element).at(Home::Element(array, index))) {
                    break;
                }
            }
        }
    }
    elements.content(ValueKind::Set)
}

fn single(element: KnownValue, kind: ValueKind) -> Option<Content> {
    (element != KnownValue::Unknown).then(|| Content::of(kind, vec![Item::element(element)]))
}

fn copies(fields: &Fields<'_>, element: &str, count: &str, limit: usize) -> Option<Content> {
    let count = fields.count(count)?;
    let shown = (count as usize).min(limit);
    let items = vec![Item::element(fields.get(element)); shown];
    Some(Content { kind: ValueKind::List, items, more: u64::from(count) - shown as u64 })
}

fn enum_set(reader: &Reader<'_>, words: KnownValue, constants: &Constants, limit: usize) -> Option<Content> {
    let words = match reader.value(words)? {
        Value::Long(word) => vec![word],
        Value::Object(array) => self::words(reader, array, u32::MAX)?,
        _ => return None,
    };
    let constant = |ordinal| Item::element(constants.at(reader, ordinal));
    let items: Vec<Item> = bits(&words).take(limit).map(constant).collect();
    let more = ones(&words) - items.len() as u64;
    Some(Content { kind: ValueKind::Set, items, more })
}

/// The first words of an array of longs; `None` if one of them is not known.
pub(crate) fn words(reader: &Reader<'_>, array: ObjectId, count: u32) -> Option<Vec<i64>> {
    let count = reader.heap.length(array)?.min(count);
    (0..count)
        .map(|index| if reader.step() { reader.int(reader.heap.element(array, index)) } else { None })
        .collect()
}

/// The numbers of the bits that are set, upwards.
pub(crate) fn bits(words: &[i64]) -> impl Iterator<Item = u32> + '_ {
    words
        .iter()
        .zip(0u32..)
        .flat_map(|(&word, at)| (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at * 64 + bit))
}

pub(crate) fn ones(words: &[i64]) -> u64 {
    words.iter().map(|word| u64::from(word.count_ones())).sum()
}

fn keys(reader: &Reader<'_>, map: Option<ObjectId>, limit: usize) -> Option<Content> {
    let pairs = maps::map_of(reader, map?, limit)?;
    Some(pairs.map(ValueKind::Set, |pair| Item::element(pair.key.unwrap_or(KnownValue::Unknown))))
}

/// `keySet()`, `values()` and `entrySet()` of a map.
fn view_of_map(
    reader: &Reader<'_>,
    map: Option<ObjectId>,
    of: ViewOf,
    backwards: bool,
    limit: usize,
) -> Option<Content> {
    let mut pairs = maps::map_of(reader, map?, if backwards { WHOLE } else { limit })?;
    if backwards {
        pairs = maps::backwards(pairs, limit)?;
    }
    Some(match of {
        ViewOf::Keys => {
            pairs.map(ValueKind::Set, |pair| Item::element(pair.key.unwrap_or(KnownValue::Unknown)))
        }
        ViewOf::Values => pairs.map(ValueKind::List, |pair| Item::element(pair.value)),
        ViewOf::Entries => pairs.map(ValueKind::Set, |pair| pair),
    })
}
