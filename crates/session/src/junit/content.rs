//! What is in a collection of `java.util`, as values, and how Java makes such a collection. Known by the names of the
//! JDK's fields; a class that is not here cannot be made in a test.

use past::{HeapAt, Known, ObjectId, Value};
use render::Heap;

/// How a collection is made from what is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recipe {
    /// `new ArrayList<>(elements)`
    Copy(&'static str),
    /// `new Stack()`, then `addAll`.
    Filled(&'static str),
    /// `new HashMap()`, then `put` for each pair.
    Put(&'static str),
    /// `Arrays.asList(…)`
    AsList,
    /// `List.of(…)`, `Set.of(…)`; for pairs `Map.of(…)`.
    Of(&'static str),
    /// `Collections.emptyList()`
    Empty(&'static str),
    /// `Collections.singletonList(…)`
    Singleton(&'static str),
    /// `Collections.unmodifiableList(…)`
    Wrapper(&'static str),
    /// `Optional.of(…)` or `Optional.empty()`
    Optional(&'static str),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Content {
    Elements(Vec<Known>),
    Pairs(Vec<(Known, Known)>),
}

/// More elements than this are not written into a test.
pub(super) const MAX_ELEMENTS: usize = 500;

pub(super) struct Unknown;

/// None for a class that is no collection; an error where what is in it is not known, or too much.
pub(super) fn content(heap: &HeapAt<'_>, object: ObjectId) -> Option<Result<(Recipe, Content), Unknown>> {
    let class = heap.type_name(object)?;
    let name = class.strip_prefix("java/util/")?;
    let recipe = recipe(name)?;
    Some(read(heap, object, name).map(|content| (recipe, content)).ok_or(Unknown))
}

fn recipe(name: &str) -> Option<Recipe> {
    Some(match name {
        "ArrayList" => Recipe::Copy("ArrayList"),
        "LinkedList" => Recipe::Copy("LinkedList"),
        "ArrayDeque" => Recipe::Copy("ArrayDeque"),
        "Vector" => Recipe::Copy("Vector"),
        "HashSet" => Recipe::Copy("HashSet"),
        "LinkedHashSet" => Recipe::Copy("LinkedHashSet"),
        "TreeSet" => Recipe::Copy("TreeSet"),
        "PriorityQueue" => Recipe::Copy("PriorityQueue"),
        "Stack" => Recipe::Filled("Stack"),
        "HashMap" => Recipe::Put("HashMap"),
        "LinkedHashMap" => Recipe::Put("LinkedHashMap"),
        "TreeMap" => Recipe::Put("TreeMap"),
        "Arrays$ArrayList" => Recipe::AsList,
        "ImmutableCollections$List12" | "ImmutableCollections$ListN" => Recipe::Of("List"),
        "ImmutableCollections$Set12" | "ImmutableCollections$SetN" => Recipe::Of("Set"),
        "ImmutableCollections$Map1" | "ImmutableCollections$MapN" => Recipe::Of("Map"),
        "Collections$EmptyList" => Recipe::Empty("emptyList"),
        "Collections$EmptySet" => Recipe::Empty("emptySet"),
        "Collections$EmptyMap" => Recipe::Empty("emptyMap"),
        "Collections$SingletonList" => Recipe::Singleton("singletonList"),
        "Collections$SingletonSet" => Recipe::Singleton("singleton"),
        "Collections$UnmodifiableList" | "Collections$UnmodifiableRandomAccessList" => {
            Recipe::Wrapper("unmodifiableList")
        }
        "Collections$UnmodifiableSet" => Recipe::Wrapper("unmodifiableSet"),
        "Collections$UnmodifiableCollection" => Recipe::Wrapper("unmodifiableCollection"),
        "Collections$UnmodifiableMap" => Recipe::Wrapper("unmodifiableMap"),
        "Optional" => Recipe::Optional("Optional"),
        "OptionalInt" => Recipe::Optional("OptionalInt"),
        "OptionalLong" => Recipe::Optional("OptionalLong"),
        "OptionalDouble" => Recipe::Optional("OptionalDouble"),
        _ => return None,
    })
}

fn read(heap: &HeapAt<'_>, object: ObjectId, name: &str) -> Option<Content> {
    let reader = Reader { heap };
    let elements = match name {
        "ArrayList" => reader.array(reader.object(object, "elementData")?, reader.count(object, "size")?)?,
        "Vector" | "Stack" => {
            reader.array(reader.object(object, "elementData")?, reader.count(object, "elementCount")?)?
        }
        "LinkedList" => {
            let mut elements = Vec::new();
            let mut node = reader.reference(object, "first")?;
            while let Some(at) = node {
                (elements.len() < MAX_ELEMENTS).then_some(())?;
                elements.push(reader.field(at, "item"));
                node = reader.reference(at, "next")?;
            }
            elements
        }
        "ArrayDeque" => {
            let array = reader.object(object, "elements")?;
            let length = heap.length(array)? as usize;
            let (head, tail) = (reader.count(object, "head")?, reader.count(object, "tail")?);
            let count = (tail + length - head).checked_rem(length)?;
            (count <= MAX_ELEMENTS).then_some(())?;
            (0..count).map(|at| heap.element(array, ((head + at) % length) as u32)).collect()
        }
        "HashSet" | "LinkedHashSet" => reader.keys(reader.object(object, "map")?)?,
        "TreeSet" => reader.keys(reader.object(object, "m")?)?,
        "PriorityQueue" => {
            (reader.reference(object, "comparator")?.is_none()).then_some(())?;
            reader.array(reader.object(object, "queue")?, reader.count(object, "size")?)?
        }
        "HashMap" | "LinkedHashMap" | "TreeMap" => return Some(Content::Pairs(reader.pairs(object)?)),
        "Arrays$ArrayList" => {
            let array = reader.object(object, "a")?;
            reader.array(array, heap.length(array)? as usize)?
        }
        "ImmutableCollections$ListN" => {
            let array = reader.object(object, "elements")?;
            reader.array(array, heap.length(array)? as usize)?
        }
        "ImmutableCollections$List12" | "ImmutableCollections$Set12" => {
            let second = reader.field(object, "e1");
            // A second element that is not there is a plain object that stands for nothing.
            let is_there = match second {
                Known::Value(Value::Object(id)) | Known::Seen(Value::Object(id)) => {
                    heap.type_name(id).as_deref() != Some("java/lang/Object")
                }
                Known::Unknown | Known::Value(Value::Unidentified) | Known::Seen(Value::Unidentified) => {
                    return None;
                }
                known => known != Known::Value(Value::Null) && known != Known::Seen(Value::Null),
            };
            [reader.field(object, "e0")].into_iter().chain(is_there.then_some(second)).collect()
        }
        "ImmutableCollections$SetN" => {
            let array = reader.object(object, "elements")?;
            let all = reader.array(array, heap.length(array)? as usize)?;
            all.into_iter().filter(|known| !is_null(*known)).collect()
        }
        "ImmutableCollections$Map1" => {
            return Some(Content::Pairs(vec![(reader.field(object, "k0"), reader.field(object, "v0"))]));
        }
        "ImmutableCollections$MapN" => {
            let array = reader.object(object, "table")?;
            let all = reader.array(array, heap.length(array)? as usize)?;
            let pairs = all.chunks_exact(2).map(|pair| (pair[0], pair[1]));
            return Some(Content::Pairs(pairs.filter(|(key, _)| !is_null(*key)).collect()));
        }
        "Collections$EmptyList" | "Collections$EmptySet" | "Collections$EmptyMap" => Vec::new(),
        "Collections$SingletonList" | "Collections$SingletonSet" => vec![reader.field(object, "element")],
        "Collections$UnmodifiableMap" => vec![reader.field(object, "m")],
        name if name.starts_with("Collections$Unmodifiable") => vec![reader.field(object, "c")],
        "Optional" => match reader.field(object, "value") {
            known if is_null(known) => Vec::new(),
            known => vec![known],
        },
        _ => match reader.field(object, "isPresent") {
            Known::Value(Value::Int(0)) | Known::Seen(Value::Int(0)) => Vec::new(),
            Known::Unknown => return None,
            _ => vec![reader.field(object, "value")],
        },
    };
    (!elements.contains(&Known::Unknown)).then_some(Content::Elements(elements))
}

fn is_null(known: Known) -> bool {
    matches!(known, Known::Value(Value::Null) | Known::Seen(Value::Null))
}

struct Reader<'h> {
    heap: &'h HeapAt<'h>,
}

impl Reader<'_> {
    fn field(&self, object: ObjectId, name: &str) -> Known {
        let fields = self.heap.fields(object);
        fields.iter().find(|field| field.name == name).map_or(Known::Unknown, |field| field.value)
    }

    /// The object that a field refers to; the inner none for null, the outer where it is not known.
    fn reference(&self, object: ObjectId, name: &str) -> Option<Option<ObjectId>> {
        match self.field(object, name) {
            Known::Value(Value::Object(id)) | Known::Seen(Value::Object(id)) => Some(Some(id)),
            known if is_null(known) => Some(None),
            _ => None,
        }
    }

    fn object(&self, object: ObjectId, name: &str) -> Option<ObjectId> {
        self.reference(object, name)?
    }

    fn count(&self, object: ObjectId, name: &str) -> Option<usize> {
        match self.field(object, name) {
            Known::Value(Value::Int(count)) | Known::Seen(Value::Int(count)) => usize::try_from(count).ok(),
            _ => None,
        }
    }

    fn array(&self, array: ObjectId, count: usize) -> Option<Vec<Known>> {
        (count <= MAX_ELEMENTS.max(64)).then_some(())?;
        Some((0..count as u32).map(|at| self.heap.element(array, at)).collect())
    }

    fn keys(&self, map: ObjectId) -> Option<Vec<Known>> {
        Some(self.pairs(map)?.into_iter().map(|(key, _)| key).collect())
    }

    fn pairs(&self, map: ObjectId) -> Option<Vec<(Known, Known)>> {
        let mut pairs = Vec::new();
        let pair = |node| (self.field(node, "key"), self.field(node, "value"));
        match self.heap.type_name(map)?.as_str() {
            "java/util/LinkedHashMap" => {
                let mut node = self.reference(map, "head")?;
                while let Some(at) = node {
                    (pairs.len() < MAX_ELEMENTS).then_some(())?;
                    pairs.push(pair(at));
                    node = self.reference(at, "after")?;
                }
            }
            "java/util/HashMap" => {
                let Some(table) = self.reference(map, "table")? else { return Some(pairs) };
                for slot in 0..self.heap.length(table)?.min(1 << 14) {
                    let mut node = match self.heap.element(table, slot) {
                        Known::Value(Value::Object(id)) | Known::Seen(Value::Object(id)) => Some(id),
                        known if is_null(known) => None,
                        _ => return None,
                    };
                    while let Some(at) = node {
                        (pairs.len() < MAX_ELEMENTS).then_some(())?;
                        pairs.push(pair(at));
                        node = self.reference(at, "next")?;
                    }
                }
            }
            "java/util/TreeMap" => {
                (self.reference(map, "comparator")?.is_none()).then_some(())?;
                let mut open = Vec::new();
                let mut node = self.reference(map, "root")?;
                while node.is_some() || !open.is_empty() {
                    while let Some(at) = node {
                        (open.len() + pairs.len() < MAX_ELEMENTS).then_some(())?;
                        open.push(at);
                        node = self.reference(at, "left")?;
                    }
                    let Some(at) = open.pop() else { break };
                    pairs.push(pair(at));
                    node = self.reference(at, "right")?;
                }
            }
            _ => return None,
        }
        let known = |(key, value): &(Known, Known)| *key != Known::Unknown && *value != Known::Unknown;
        pairs.iter().all(known).then_some(pairs)
    }
}
