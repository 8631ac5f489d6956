//! How a collection is laid out: which fields lead to what is in it. The variants are the ways in which the JDK does
//! that; whoever reads a heap knows how to walk each of them.

use crate::Field;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Elements from the start of an array: so many, or as the array is long. A comparator may keep them in order.
    Array {
        array: Field,
        size: Option<Field>,
        comparator: Option<Field>,
    },
    /// A part of another list. `of_array`: if that stands on an array, so does this.
    Part {
        list: Field,
        offset: Field,
        size: Field,
        of_array: bool,
    },
    /// Nodes, each with the next. Without a size, a node without an item is a header or a removed one.
    Linked {
        first: Field,
        size: Option<Field>,
        node: LinkNode,
    },
    /// An array that goes on at its start when it comes to its end, from `head` to before `tail`.
    Ring {
        array: Field,
        head: Field,
        tail: Field,
    },
    /// The same with a number of elements.
    CountedRing {
        array: Field,
        head: Field,
        count: Field,
    },
    /// Another one from its end on.
    Reversed {
        base: Field,
    },
    /// The second is a plain `Object` of the library's where there is only one.
    OneOrTwo {
        first: Field,
        second: Field,
    },
    /// Elements of an array with empty places between them.
    Sparse {
        array: Field,
        size: Field,
    },
    Single {
        element: Field,
    },
    /// The same element several times.
    Copies {
        element: Field,
        count: Field,
    },
    Empty,
    /// The keys of a map.
    Keys {
        map: Field,
    },
    /// A bit for each constant of an enum, in a long or in an array of longs.
    Bits {
        words: Field,
        universe: Field,
        class: Field,
    },
    /// A view of a map, from its end on if a flag says so.
    View {
        of: ViewOf,
        map: Field,
        reversed: Option<Field>,
    },

    /// A hash table with chains. Without a size the pairs are counted. `backwards`: iterated from the table's end.
    Buckets {
        table: Field,
        size: Option<Field>,
        backwards: bool,
        node: PairNode,
    },
    /// Pairs, each with the next.
    LinkedPairs {
        head: Field,
        size: Field,
        node: PairNode,
    },
    Tree {
        root: Field,
        size: Field,
        comparator: Field,
        node: TreeNode,
    },
    /// A part of a tree, between two bounds. From the end on in a class below this one.
    SubTree {
        map: Field,
        low: Bound,
        high: Bound,
        descending: &'static str,
    },
    /// The head's index leads to a node without a pair, from which the others follow. Nodes without a value are
    /// removed ones.
    SkipList {
        head: Field,
        index: &'static str,
        header: Field,
        node: PairNode,
    },
    /// Keys and values side by side in one array, with empty places between the pairs.
    OpenTable {
        table: Field,
        size: Field,
    },
    /// Values by the ordinals of their keys. `null` is the class of what stands for null.
    EnumTable {
        values: Field,
        size: Field,
        universe: Field,
        class: Field,
        null: &'static str,
    },
    SinglePair {
        key: Field,
        value: Field,
    },
    /// The pairs of the map that it keeps.
    Delegated {
        map: Field,
    },

    /// A pair of a map.
    Entry {
        key: Field,
        value: Field,
    },

    /// One element if the flag says so; without a flag, if it is not null.
    Optional {
        value: Field,
        present: Option<Field>,
    },

    /// Stands for what it is wrapped around.
    Wrapper {
        around: Field,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewOf {
    Keys,
    Values,
    Entries,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkNode {
    pub class: &'static str,
    pub item: Field,
    pub next: Field,
    /// The one before it, where the collection's own field may lag behind the first node.
    pub before: Option<Field>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairNode {
    pub class: &'static str,
    pub key: Field,
    pub value: Field,
    /// Of the lowest class that has a field of that name.
    pub next: Field,
    pub special: Option<Special>,
}

/// Nodes that are no pair, but the head of a tree or of a table that is being moved: a negative number says so, and the
/// pairs of a tree follow from its first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Special {
    pub hash: Field,
    pub class: &'static str,
    pub first: Field,
}

/// Where a part of a tree begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// A flag: there is no bound.
    pub open: Field,
    pub key: Field,
    pub inclusive: Field,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeNode {
    pub class: &'static str,
    pub key: Field,
    pub value: Field,
    pub left: Field,
    pub right: Field,
}

impl Layout {
    /// All fields that it reads in an object of the class itself.
    pub fn fields(&self) -> Vec<Field> {
        let with = |fields: &[Field], further: &[Option<Field>]| {
            fields.iter().copied().chain(further.iter().copied().flatten()).collect()
        };
        match *self {
            Layout::Array { array, size, comparator } => with(&[array], &[size, comparator]),
            Layout::Part { list, offset, size, of_array: _ } => with(&[list, offset, size], &[]),
            Layout::Linked { first, size, node: _ } => with(&[first], &[size]),
            Layout::Ring { array, head, tail } => with(&[array, head, tail], &[]),
            Layout::CountedRing { array, head, count } => with(&[array, head, count], &[]),
            Layout::Reversed { base } => with(&[base], &[]),
            Layout::OneOrTwo { first, second } => with(&[first, second], &[]),
            Layout::Sparse { array, size } => with(&[array, size], &[]),
            Layout::Single { element } => with(&[element], &[]),
            Layout::Copies { element, count } => with(&[element, count], &[]),
            Layout::Empty => Vec::new(),
            Layout::Keys { map } | Layout::Delegated { map } => with(&[map], &[]),
            Layout::Bits { words, universe, class } => with(&[words, universe, class], &[]),
            // The flag is there from JDK 21 on.
            Layout::View { of: _, map, reversed: _ } => with(&[map], &[]),
            Layout::Buckets { table, size, backwards: _, node: _ } => with(&[table], &[size]),
            Layout::LinkedPairs { head, size, node: _ } => with(&[head, size], &[]),
            Layout::Tree { root, size, comparator, node: _ } => with(&[root, size, comparator], &[]),
            Layout::SubTree { map, low, high, descending: _ } => {
                with(&[map, low.open, low.key, low.inclusive, high.open, high.key, high.inclusive], &[])
            }
            Layout::SkipList { head, index: _, header: _, node: _ } => with(&[head], &[]),
            Layout::OpenTable { table, size } => with(&[table, size], &[]),
            Layout::EnumTable { values, size, universe, class, null: _ } => {
                with(&[values, size, universe, class], &[])
            }
            Layout::SinglePair { key, value } | Layout::Entry { key, value } => with(&[key, value], &[]),
            Layout::Optional { value, present } => with(&[value], &[present]),
            Layout::Wrapper { around } => with(&[around], &[]),
        }
    }

    /// The other classes that it relies on, with the fields that it reads in their objects.
    pub fn inner(&self) -> Vec<(&'static str, Vec<Field>)> {
        let pairs = |node: PairNode| {
            let mut inner = vec![(node.class, vec![node.key, node.value, node.next])];
            if let Some(special) = node.special {
                inner.push((special.class, vec![special.hash, special.first]));
            }
            inner
        };
        match *self {
            Layout::Linked { node, .. } => {
                let fields = [node.item, node.next].into_iter().chain(node.before);
                vec![(node.class, fields.collect())]
            }
            Layout::Buckets { node, .. } | Layout::LinkedPairs { node, .. } => pairs(node),
            Layout::Tree { node, .. } => {
                vec![(node.class, vec![node.key, node.value, node.left, node.right])]
            }
            Layout::SubTree { descending, .. } => vec![(descending, Vec::new())],
            Layout::SkipList { index, header, node, .. } => {
                let mut inner = pairs(node);
                inner.push((index, vec![header]));
                inner
            }
            Layout::EnumTable { null, .. } => vec![(null, Vec::new())],
            _ => Vec::new(),
        }
    }
}
