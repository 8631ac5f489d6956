//! Maps of the JDK, in the order in which Java iterates over them. `Map.of` and `Set.of` are iterated from a place
//! that is drawn at each start of the JVM and recorded nowhere: they are shown in the order of their tables.

use base::{ObjectId, Value};

use crate::content::{Content, Gathering, Item, Look};
use crate::fields::{Reader, Ref};
use crate::heap::Known;
use crate::node::Kind;
use crate::parts::Home;

/// The pairs of a map, by the class that a map of that layout has.
pub(crate) fn map(reader: &Reader<'_>, class: &str, object: ObjectId, limit: usize) -> Look<Content> {
    let pairs = match class {
        "java/util/HashMap" => hash_map(reader, object, limit),
        "java/util/LinkedHashMap" => linked_hash_map(reader, object, limit),
        "java/util/TreeMap" => tree_map(reader, object, limit),
        "java/util/TreeMap$NavigableSubMap" => whole_sub_map(reader, object, limit),
        "java/util/LinkedHashMap$ReversedLinkedHashMapView" | "java/util/ReverseOrderSortedMapView" => {
            reversed(reader, object, limit)
        }
        "java/util/Hashtable" => buckets(reader, object, limit, &HASHTABLE),
        "java/util/WeakHashMap" => buckets(reader, object, limit, &WEAK_HASH_MAP),
        "java/util/concurrent/ConcurrentHashMap" => buckets(reader, object, limit, &CONCURRENT_HASH_MAP),
        "java/util/concurrent/ConcurrentSkipListMap" => skip_list(reader, object, limit),
        "java/util/Properties" => properties(reader, object, limit),
        "java/util/IdentityHashMap" | "java/util/ImmutableCollections$MapN" => {
            open_table(reader, object, limit)
        }
        "java/util/EnumMap" => enum_map(reader, object, limit),
        "java/util/ImmutableCollections$Map1" => single(reader, object, "k0", "v0"),
        "java/util/Collections$SingletonMap" => single(reader, object, "k", "v"),
        "java/util/Collections$EmptyMap" => Some(Content::empty(Kind::Map)),
        _ => return Look::Other,
    };
    pairs.into()
}

/// The pairs of whatever map the object is.
pub(crate) fn map_of(reader: &Reader<'_>, object: ObjectId, limit: usize) -> Option<Content> {
    for class in reader.classes(object) {
        match map(reader, &class, object, limit) {
            Look::Other => {}
            Look::Unknown => return None,
            Look::Found(content) => return Some(content),
        }
    }
    None
}

/// An entry of a map as a pair.
pub(crate) fn entry(reader: &Reader<'_>, class: &str, object: ObjectId) -> Look<Content> {
    let fields = reader.fields(object);
    let (key, value) = match class {
        "java/util/HashMap$Node"
        | "java/util/TreeMap$Entry"
        | "java/util/Hashtable$Entry"
        | "java/util/AbstractMap$SimpleEntry"
        | "java/util/AbstractMap$SimpleImmutableEntry"
        | "java/util/KeyValueHolder" => (fields.get("key"), fields.get("value")),
        "java/util/WeakHashMap$Entry" => (fields.get("referent"), fields.get("value")),
        "java/util/concurrent/ConcurrentHashMap$Node" | "java/util/concurrent/ConcurrentHashMap$MapEntry" => {
            (fields.get("key"), fields.get("val"))
        }
        _ => return Look::Other,
    };
    if key == Known::Unknown && value == Known::Unknown {
        return Look::Unknown;
    }
    Look::Found(Content::of(Kind::Entry, vec![Item::pair(key, value)]))
}

/// What is read from its end has to be gathered whole, up to so many pairs.
const WHOLE: usize = 100_000;

/// So many views may lie on one another.
const HOPS: u32 = 16;

/// How a hash table with chains is laid out and walked.
struct Layout {
    size: &'static str,
    key: &'static str,
    value: &'static str,
    /// Iterated from the end of the table.
    backwards: bool,
}

const HASH_MAP: Layout = Layout { size: "size", key: "key", value: "value", backwards: false };
const HASHTABLE: Layout = Layout { size: "count", backwards: true, ..HASH_MAP };
const WEAK_HASH_MAP: Layout = Layout { key: "referent", backwards: true, ..HASH_MAP };
/// Its size is spread over several counters, so it is found by counting.
const CONCURRENT_HASH_MAP: Layout = Layout { size: "", value: "val", ..HASH_MAP };

fn hash_map(reader: &Reader<'_>, object: ObjectId, limit: usize) -> Option<Content> {
    buckets(reader, object, limit, &HASH_MAP)
}

fn buckets(reader: &Reader<'_>, object: ObjectId, limit: usize, layout: &Layout) -> Option<Content> {
    let fields = reader.fields(object);
    let size = fields.count(layout.size);
    if size == Some(0) {
        return Some(Content::empty(Kind::Map));
    }
    let Ref::To(table) = fields.reference("table")? else { return Some(Content::empty(Kind::Map)) };
    let length = reader.heap.length(table)?;
    let mut pairs = Gathering::new(limit, size);
    for index in 0..length {
        let index = if layout.backwards { length - 1 - index } else { index };
        if !reader.step() {
            pairs.gap();
            break;
        }
        let go_on = match reader.reference(reader.heap.element(table, index)) {
            Some(Ref::Null) => true,
            Some(Ref::To(node)) => chain(reader, node, layout, &mut pairs),
            None => {
                pairs.gap();
                true
            }
        };
        if !go_on {
            break;
        }
    }
    pairs.content(Kind::Map)
}

/// The nodes of one bucket; false if the walk may end.
fn chain(reader: &Reader<'_>, first: ObjectId, layout: &Layout, pairs: &mut Gathering) -> bool {
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
        if layout.value == "val" && fields.int("hash").is_none_or(|hash| hash < 0) {
            // No pair, but the head of a tree, or of a table that is being moved.
            next = fields.reference("first");
            continue;
        }
        let pair = Item::pair(fields.get(layout.key), fields.get(layout.value));
        if !pairs.add(pair.at(Home::Field(node, layout.value))) {
            return false;
        }
        next = reader.reference(fields.lowest("next"));
    }
}

fn linked_hash_map(reader: &Reader<'_>, object: ObjectId, limit: usize) -> Option<Content> {
    let fields = reader.fields(object);
    let mut pairs = Gathering::new(limit, fields.count("size"));
    let mut next = fields.reference("head");
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
        let pair = Item::pair(fields.get("key"), fields.get("value"));
        if !pairs.add(pair.at(Home::Field(node, "value"))) {
            break;
        }
        next = fields.reference("after");
    }
    pairs.content(Kind::Map)
}

/// The walk goes down to the left and keeps the way back on a stack of its own: a tree that damage made a
/// circle is left when the steps are used up.
fn tree_map(reader: &Reader<'_>, object: ObjectId, limit: usize) -> Option<Content> {
    let fields = reader.fields(object);
    let mut pairs = Gathering::new(limit, fields.count("size"));
    let mut above: Vec<(Item, Option<Ref>)> = Vec::new();
    let mut next = fields.reference("root");
    loop {
        match next {
            Some(Ref::To(node)) => {
                if !reader.step() {
                    pairs.gap();
                    break;
                }
                let fields = reader.fields(node);
                let pair = Item::pair(fields.get("key"), fields.get("value"));
                above.push((pair.at(Home::Field(node, "value")), fields.reference("right")));
                next = fields.reference("left");
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
    pairs.content(Kind::Map)
}

/// A view of a tree map from its start to its end. For any other one keys would have to be compared, as only the
/// program can.
fn whole_sub_map(reader: &Reader<'_>, object: ObjectId, limit: usize) -> Option<Content> {
    let fields = reader.fields(object);
    if !(fields.flag("fromStart")? && fields.flag("toEnd")?) {
        return None;
    }
    let map = fields.object("m")?;
    if reader.is_a(object, "java/util/TreeMap$DescendingSubMap") {
        return backwards(tree_map(reader, map, WHOLE)?, limit);
    }
    tree_map(reader, map, limit)
}

fn reversed(reader: &Reader<'_>, object: ObjectId, limit: usize) -> Option<Content> {
    let base = reader.fields(object).object("base")?;
    let _inside = reader.inside(HOPS)?;
    backwards(map_of(reader, base, WHOLE)?, limit)
}

/// From the end on; `None` if the end was not reached.
fn backwards(mut content: Content, limit: usize) -> Option<Content> {
    if content.more > 0 {
        return None;
    }
    content.items.reverse();
    Some(content.cut(limit))
}

fn skip_list(reader: &Reader<'_>, object: ObjectId, limit: usize) -> Option<Content> {
    let Ref::To(head) = reader.fields(object).reference("head")? else {
        return Some(Content::empty(Kind::Map));
    };
    let mut pairs = Gathering::new(limit, None);
    // The first node is a header without a pair.
    let header = reader.fields(head).object("node")?;
    let mut next = reader.fields(header).reference("next");
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
        let value = fields.get("val");
        // Nodes without a value are removed ones.
        let pair = Item::pair(fields.get("key"), value).at(Home::Field(node, "val"));
        if reader.value(value) != Some(Value::Null) && !pairs.add(pair) {
            break;
        }
        next = fields.reference("next");
    }
    pairs.content(Kind::Map)
}

fn properties(reader: &Reader<'_>, object: ObjectId, limit: usize) -> Option<Content> {
    let map = reader.fields(object).object("map")?;
    buckets(reader, map, limit, &CONCURRENT_HASH_MAP)
}

/// Keys and values side by side in one array, with empty places between the pairs.
fn open_table(reader: &Reader<'_>, object: ObjectId, limit: usize) -> Option<Content> {
    let fields = reader.fields(object);
    let size = fields.count("size");
    if size == Some(0) {
        return Some(Content::empty(Kind::Map));
    }
    let table = fields.object("table")?;
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
    pairs.content(Kind::Map)
}

fn enum_map(reader: &Reader<'_>, object: ObjectId, limit: usize) -> Option<Content> {
    let fields = reader.fields(object);
    let size = fields.count("size");
    if size == Some(0) {
        return Some(Content::empty(Kind::Map));
    }
    let values = fields.object("vals")?;
    let constants = Constants::of(reader, fields.get("keyUniverse"), fields.get("keyType"));
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
            Some(Value::Object(id)) if reader.is_a(id, "java/util/EnumMap$1") => Known::Value(Value::Null),
            Some(_) => value,
        };
        let pair = Item::pair(constants.at(reader, index), shown);
        if !pairs.add(pair.at(Home::Element(values, index))) {
            break;
        }
    }
    pairs.content(Kind::Map)
}

fn single(reader: &Reader<'_>, object: ObjectId, key: &str, value: &str) -> Option<Content> {
    let fields = reader.fields(object);
    let (key, value) = (fields.get(key), fields.get(value));
    (key != Known::Unknown || value != Known::Unknown)
        .then(|| Content::of(Kind::Map, vec![Item::pair(key, value)]))
}

/// The constants of an enum by their ordinals: from the array that the collection shares with its class, or by
/// the class alone.
pub(crate) struct Constants {
    universe: Option<ObjectId>,
    class: Option<Value>,
}

impl Constants {
    pub fn of(reader: &Reader<'_>, universe: Known, class: Known) -> Self {
        let universe = match reader.reference(universe) {
            Some(Ref::To(array)) => Some(array),
            _ => None,
        };
        Constants { universe, class: reader.value(class) }
    }

    pub fn at(&self, reader: &Reader<'_>, ordinal: u32) -> Known {
        let listed = self.universe.map_or(Known::Unknown, |array| reader.heap.element(array, ordinal));
        if listed != Known::Unknown {
            return listed;
        }
        if let (Some(Value::Class(ty)), Ok(ordinal)) = (self.class, u16::try_from(ordinal)) {
            let constant = Value::Enum { ty, ordinal };
            if reader.heap.enum_constant(constant).is_some() {
                return Known::Value(constant);
            }
        }
        Known::Unknown
    }
}
