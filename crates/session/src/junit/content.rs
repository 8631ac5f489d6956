//! What is in a collection of the JDK, as far as Java can make one anew from that: the recipe comes from the tables of
//! `jdk`, the values from `render`. A class without a recipe cannot be made in a test.

use jdk::collections::{Recipe, collection};
use past::{HeapAt, ObjectId};
use render::{Heap, Items, held, wrapped};

/// More elements than this are not written into a test.
pub(super) const MAX_ELEMENTS: usize = 500;

pub(super) struct Unknown;

/// None for a class that is no collection; an error where what is in it is not known, or too much.
pub(super) fn content(heap: &HeapAt<'_>, object: ObjectId) -> Option<Result<(Recipe, Items), Unknown>> {
    let recipe = collection(&heap.type_name(object)?)?.recipe?;
    Some(read(heap, object, recipe).map(|items| (recipe, items)).ok_or(Unknown))
}

fn read(heap: &HeapAt<'_>, object: ObjectId, recipe: Recipe) -> Option<Items> {
    match recipe {
        Recipe::Empty(_) => return Some(Items::Elements(Vec::new())),
        Recipe::Wrapper(_) => return wrapped(heap, object).map(|inner| Items::Elements(vec![inner])),
        _ => {}
    }
    // A comparator cannot be made again.
    held(heap, object, MAX_ELEMENTS).filter(|held| held.natural).map(|held| held.items)
}
