//! Lists, queues and sets of the JDK. Most stand on an array: then elements are read where they are asked for,
//! whatever the size of the list. Sets stand on maps and are walked as these are.

use base::{ObjectId, Value};

use crate::content::{Content, Gathering, Item, Look};
use crate::fields::{Reader, Ref};
use crate::heap::Known;
use crate::maps::{self, Constants};
use crate::node::Kind;
use crate::parts::Home;

/// The elements of a collection, by the class that a collection of that layout has.
pub(crate) fn sequence(reader: &Reader<'_>, class: &str, object: ObjectId, limit: usize) -> Look<Content> {
    match slice(reader, class, object, HOPS) {
        Look::Found(slice) => return Look::Found(slice.content(reader, limit)),
        Look::Unknown => return Look::Unknown,
        Look::Other => {}
    }
    let fields = || reader.fields(object);
    let elements = match class {
        "java/util/LinkedList" => linked(reader, limit, fields().count("size"), fields().reference("first")),
        "java/util/concurrent/LinkedBlockingDeque" => {
            linked(reader, limit, fields().count("count"), fields().reference("first"))
        }
        "java/util/concurrent/LinkedBlockingQueue" | "java/util/concurrent/ConcurrentLinkedQueue" => {
            linked(reader, limit, None, fields().reference("head"))
        }
        "java/util/ArrayDeque" => array_deque(reader, object, limit),
        "java/util/concurrent/ArrayBlockingQueue" => array_blocking_queue(reader, object, limit),
        "java/util/AbstractList$SubList"
        | "java/util/ArrayList$SubList"
        | "java/util/ImmutableCollections$SubList" => sub_list(reader, object, limit),
        "java/util/ReverseOrderListView"
        | "java/util/ReverseOrderDequeView"
        | "java/util/ReverseOrderSortedSetView"
        | "java/util/concurrent/CopyOnWriteArrayList$Reversed" => {
            reversed(reader, fields().object("base"), limit)
        }
        // It extends what it is a view of, but has nothing in the fields that it inherits.
        "java/util/LinkedList$ReverseOrderLinkedListView" => reversed(reader, fields().object("list"), limit),
        "java/util/ImmutableCollections$List12" => one_or_two(reader, object, Kind::List),
        "java/util/ImmutableCollections$Set12" => one_or_two(reader, object, Kind::Set),
        "java/util/ImmutableCollections$SetN" => sparse(reader, object, limit),
        "java/util/Collections$SingletonList" => singleton(reader, object, Kind::List),
        "java/util/Collections$SingletonSet" => singleton(reader, object, Kind::Set),
        "java/util/Collections$CopiesList" => copies(reader, object, limit),
        "java/util/Collections$EmptyList" => Some(Content::empty(Kind::List)),
        "java/util/Collections$EmptySet" => Some(Content::empty(Kind::Set)),
        "java/util/HashSet" => keys(reader, fields().object("map"), limit),
        "java/util/TreeSet"
        | "java/util/Collections$SetFromMap"
        | "java/util/concurrent/ConcurrentSkipListSet" => keys(reader, fields().object("m"), limit),
        "java/util/RegularEnumSet" | "java/util/JumboEnumSet" => enum_set(reader, object, limit),
        class => return view_of_map(reader, class, object, limit),
    };
    elements.into()
}

/// The collection that a wrapper of `Collections` stands for.
pub(crate) fn unwrapped(reader: &Reader<'_>, object: ObjectId) -> Look<ObjectId> {
    for class in reader.classes(object) {
        let field = match class.as_str() {
            "java/util/Collections$UnmodifiableCollection"
            | "java/util/Collections$SynchronizedCollection"
            | "java/util/Collections$CheckedCollection" => "c",
            "java/util/Collections$UnmodifiableMap"
            | "java/util/Collections$SynchronizedMap"
            | "java/util/Collections$CheckedMap" => "m",
            "java/util/Collections$AsLIFOQueue" => "q",
            "java/util/Collections$UnmodifiableMap$UnmodifiableEntrySet$UnmodifiableEntry" => "e",
            "java/util/Properties$EntrySet" => "entrySet",
            "java/util/concurrent/CopyOnWriteArraySet" => "al",
            "java/util/concurrent/atomic/AtomicIntegerArray"
            | "java/util/concurrent/atomic/AtomicLongArray"
            | "java/util/concurrent/atomic/AtomicReferenceArray" => "array",
            _ => continue,
        };
        return reader.fields(object).object(field).into();
    }
    Look::Other
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
                Look::Found(slice) => return Some(slice),
                Look::Unknown => return None,
                Look::Other => {}
            }
        }
        match unwrapped(reader, inner) {
            Look::Found(next) => inner = next,
            _ => return None,
        }
    }
    None
}

impl Slice {
    fn content(&self, reader: &Reader<'_>, limit: usize) -> Content {
        let shown = (self.count as usize).min(limit) as u32;
        let items = (0..shown).map(|index| self.item(reader, index)).collect();
        Content { kind: Kind::List, items, more: u64::from(self.count - shown) }
    }

    pub fn item(&self, reader: &Reader<'_>, index: u32) -> Item {
        match (self.array, self.from.checked_add(index)) {
            (Some(array), Some(index)) => {
                Item::element(reader.heap.element(array, index)).at(Home::Element(array, index))
            }
            _ => Item::element(Known::Unknown),
        }
    }
}

fn slice(reader: &Reader<'_>, class: &str, object: ObjectId, hops: u32) -> Look<Slice> {
    let (array, count) = match class {
        "java/util/ArrayList" => ("elementData", Some("size")),
        "java/util/Vector" => ("elementData", Some("elementCount")),
        "java/util/PriorityQueue" | "java/util/concurrent/PriorityBlockingQueue" => ("queue", Some("size")),
        "java/util/Arrays$ArrayList" => ("a", None),
        "java/util/ImmutableCollections$ListN" => ("elements", None),
        "java/util/concurrent/CopyOnWriteArrayList" => ("array", None),
        "java/util/ArrayList$SubList"
        | "java/util/ImmutableCollections$SubList"
        | "java/util/concurrent/CopyOnWriteArrayList$COWSubList" => {
            return sub_slice(reader, object, hops);
        }
        _ => return Look::Other,
    };
    let fields = reader.fields(object);
    let array = fields.object(array);
    let count = match count {
        Some(count) => fields.count(count),
        None => array.and_then(|array| reader.heap.length(array)),
    };
    match (array, count) {
        (_, Some(0)) => Look::Found(Slice { array: None, from: 0, count: 0 }),
        (Some(array), Some(count)) => Look::Found(Slice { array: Some(array), from: 0, count }),
        _ => Look::Unknown,
    }
}

/// The root of a sub list may be another kind of list (`List.of(1, 2)`): then there is no array below it.
fn sub_slice(reader: &Reader<'_>, object: ObjectId, hops: u32) -> Look<Slice> {
    let fields = reader.fields(object);
    let root = fields.object("root").or_else(|| fields.object("this$0"));
    let (Some(root), Some(offset), Some(count)) = (root, fields.count("offset"), fields.count("size")) else {
        return Look::Unknown;
    };
    if hops == 0 {
        return Look::Unknown;
    }
    for class in reader.classes(root) {
        match slice(reader, &class, root, hops - 1) {
            Look::Other => {}
            Look::Unknown => return Look::Unknown,
            Look::Found(root) => {
                return match root.from.checked_add(offset) {
                    Some(from) => Look::Found(Slice { array: root.array, from, count }),
                    None => Look::Unknown,
                };
            }
        }
    }
    Look::Other
}

fn sub_list(reader: &Reader<'_>, object: ObjectId, limit: usize) -> Option<Content> {
    let fields = reader.fields(object);
    let (root, offset) = (fields.object("root")?, fields.count("offset")? as usize);
    let count = fields.count("size")? as usize;
    let shown = count.min(limit);
    let end = offset.checked_add(shown).filter(|&end| end <= WHOLE)?;
    let mut content = sequence_of(reader, root, end)?;
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
            Look::Other => {}
            Look::Unknown => return None,
            Look::Found(content) => return Some(content),
        }
    }
    None
}

fn linked(reader: &Reader<'_>, limit: usize, size: Option<u32>, first: Option<Ref>) -> Option<Content> {
    let mut elements = Gathering::new(limit, size);
    let mut next = first;
    loop {
        let node = match next {
            Some(Ref::To(node)) if reader.step() => node,
            Some(Ref::Null) => break,
            _ => {
                elements.gap();
                break;
            }
        };
        let fields = reader.fields(node);
        let item = fields.get("item");
        // In the concurrent queues a node without an item is a header, or a removed one.
        let is_element = size.is_some() || reader.value(item) != Some(Value::Null);
        if is_element && !elements.add(Item::element(item).at(Home::Field(node, "item"))) {
            break;
        }
        next = fields.reference("next");
    }
    elements.content(Kind::List)
}

fn array_deque(reader: &Reader<'_>, object: ObjectId, limit: usize) -> Option<Content> {
    let fields = reader.fields(object);
    let (head, tail) = (fields.count("head")?, fields.count("tail")?);
    if head == tail {
        return Some(Content::empty(Kind::List));
    }
    let array = fields.object("elements")?;
    let length = reader.heap.length(array)?;
    let count = if head < tail { tail - head } else { length.checked_sub(head)?.checked_add(tail)? };
    ring(reader, array, head, count, limit)
}

fn array_blocking_queue(reader: &Reader<'_>, object: ObjectId, limit: usize) -> Option<Content> {
    let fields = reader.fields(object);
    let count = fields.count("count")?;
    if count == 0 {
        return Some(Content::empty(Kind::List));
    }
    ring(reader, fields.object("items")?, fields.count("takeIndex")?, count, limit)
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
    Some(Content { kind: Kind::List, items, more: u64::from(count - shown) })
}

/// The second of two elements is a plain `Object` of the library's where there is only one.
fn one_or_two(reader: &Reader<'_>, object: ObjectId, kind: Kind) -> Option<Content> {
    let fields = reader.fields(object);
    let (first, second) = (fields.get("e0"), fields.get("e1"));
    if first == Known::Unknown && second == Known::Unknown {
        return None;
    }
    let absent = match reader.value(second) {
        Some(Value::Object(id)) => reader.heap.type_name(id).as_deref() == Some("java/lang/Object"),
        Some(Value::Null) => true,
        _ => false,
    };
    let mut items = vec![Item::element(first)];
    items.extend((!absent).then(|| Item::element(second)));
    Some(Content::of(kind, items))
}

/// Elements with empty places between them.
fn sparse(reader: &Reader<'_>, object: ObjectId, limit: usize) -> Option<Content> {
    let fields = reader.fields(object);
    let size = fields.count("size");
    if size == Some(0) {
        return Some(Content::empty(Kind::Set));
    }
    let array = fields.object("elements")?;
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
    elements.content(Kind::Set)
}

fn singleton(reader: &Reader<'_>, object: ObjectId, kind: Kind) -> Option<Content> {
    let element = reader.fields(object).get("element");
    (element != Known::Unknown).then(|| Content::of(kind, vec![Item::element(element)]))
}

fn copies(reader: &Reader<'_>, object: ObjectId, limit: usize) -> Option<Content> {
    let fields = reader.fields(object);
    let count = fields.count("n")?;
    let shown = (count as usize).min(limit);
    let items = vec![Item::element(fields.get("element")); shown];
    Some(Content { kind: Kind::List, items, more: u64::from(count) - shown as u64 })
}

fn enum_set(reader: &Reader<'_>, object: ObjectId, limit: usize) -> Option<Content> {
    let fields = reader.fields(object);
    let words = match reader.value(fields.get("elements"))? {
        Value::Long(word) => vec![word],
        Value::Object(array) => words(reader, array, u32::MAX)?,
        _ => return None,
    };
    let constants = Constants::of(reader, fields.get("universe"), fields.get("elementType"));
    let constant = |ordinal| Item::element(constants.at(reader, ordinal));
    let items: Vec<Item> = bits(&words).take(limit).map(constant).collect();
    let more = ones(&words) - items.len() as u64;
    Some(Content { kind: Kind::Set, items, more })
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
    Some(pairs.map(Kind::Set, |pair| Item::element(pair.key.unwrap_or(Known::Unknown))))
}

/// `keySet()`, `values()` and `entrySet()` are inner classes of their maps, with the map in a field.
fn view_of_map(reader: &Reader<'_>, class: &str, object: ObjectId, limit: usize) -> Look<Content> {
    let Some(inner) = class.strip_prefix("java/util/").and_then(|class| class.rsplit('$').next()) else {
        return Look::Other;
    };
    let (kind, of_pair): (Kind, fn(Item) -> Item) = match inner {
        "KeySet" | "LinkedKeySet" | "KeySetView" => {
            (Kind::Set, |pair| Item::element(pair.key.unwrap_or(Known::Unknown)))
        }
        "Values" | "LinkedValues" | "ValuesView" | "ValueCollection" => {
            (Kind::List, |pair| Item::element(pair.value))
        }
        "EntrySet" | "LinkedEntrySet" | "EntrySetView" => (Kind::Set, |pair| pair),
        _ => return Look::Other,
    };
    let fields = reader.fields(object);
    if class == "java/util/Properties$EntrySet" {
        // A wrapper of another view.
        return Look::Other;
    }
    let Some(map) = ["this$0", "m", "map"].iter().find_map(|name| fields.object(name)) else {
        return Look::Unknown;
    };
    let backwards = fields.flag("reversed") == Some(true);
    let Some(mut pairs) = maps::map_of(reader, map, if backwards { WHOLE } else { limit }) else {
        return Look::Unknown;
    };
    if backwards && pairs.more > 0 {
        return Look::Unknown;
    }
    if backwards {
        pairs.items.reverse();
        pairs = pairs.cut(limit);
    }
    Look::Found(pairs.map(kind, of_pair))
}
