//! Collections, entries and optionals: which fields hold what is in them, and how Java makes one. One row per class; a
//! class without a row is laid out as the class above it.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::Field;

mod layout;
mod recipe;
mod table;

pub use layout::{Bound, Layout, LinkNode, PairNode, TreeNode, ViewOf};
pub use recipe::Recipe;
pub use table::COLLECTIONS;

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collection {
    pub class: &'static str,
    pub kind: CollectionKind,
    /// None if it is laid out as the class above it.
    pub layout: Option<Layout>,
    /// How one is made in a test; None if that cannot be done from what is in it.
    pub recipe: Option<Recipe>,
    /// The first JDK that has the class, if that is after 17.
    pub since: u8,
}

/// How a collection is shown and walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectionKind {
    List,
    Set,
    Map,
    /// A pair of a map.
    Entry,
    Optional,
}

/// The row of a class.
pub fn collection(class: &str) -> Option<&'static Collection> {
    static BY_CLASS: LazyLock<HashMap<&str, &Collection>> =
        LazyLock::new(|| COLLECTIONS.iter().map(|row| (row.class, row)).collect());
    BY_CLASS.get(class).copied()
}

/// The layout that a class itself has, and the kind of collection that it is.
pub fn layout(class: &str) -> Option<(&'static Layout, CollectionKind)> {
    let row = collection(class)?;
    row.layout.as_ref().map(|layout| (layout, row.kind))
}

/// Collections that compare by identity: their elements have to be compared instead.
pub const WITHOUT_EQUALS: [&str; 2] = ["java/util/ArrayDeque", "java/util/PriorityQueue"];

pub fn has_equals(class: &str) -> bool {
    !WITHOUT_EQUALS.contains(&class)
}

/// The kind of collection that a variable of this type of `java.util` holds, as far as that is a list or a set.
pub fn kind_of_type(class: &str) -> Option<CollectionKind> {
    let name = class.strip_prefix("java/util/")?;
    match name {
        "Collection" | "Vector" | "Stack" => Some(CollectionKind::List),
        name if name.ends_with("List") => Some(CollectionKind::List),
        name if name.ends_with("Set") => Some(CollectionKind::Set),
        _ => None,
    }
}

/// The field of an entry that is its key, in most maps.
pub const KEY: Field = "key";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_one_row() {
        for row in &COLLECTIONS {
            assert_eq!(collection(row.class), Some(row), "{} is there twice", row.class);
            assert!(row.layout.is_some() || row.recipe.is_some(), "{} says nothing", row.class);
        }
    }

    #[test]
    fn a_class_without_a_layout_of_its_own_has_that_of_the_class_above() {
        assert_eq!(layout("java/util/Stack"), None);
        assert!(matches!(layout("java/util/Vector"), Some((Layout::Array { .. }, CollectionKind::List))));
        assert_eq!(collection("java/util/Stack").unwrap().recipe, Some(Recipe::Filled("Stack")));
        assert_eq!(layout("demo/ArrayList"), None);
    }
}
