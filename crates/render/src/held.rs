//! What a collection of the JDK holds, as values: for a client that makes such a collection anew. Exact or nothing: an
//! element that is not known spoils the whole.

use base::ObjectId;
use jdk::collections::{Layout, layout};

use crate::content::{Content, Item, Recognised};
use crate::fields::{Reader, Ref, Steps};
use crate::heap::{Heap, KnownValue};
use crate::node::ValueKind;
use crate::{maps, scalars, sequences};

/// All that is in a collection, in the order in which Java iterates.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectionContent {
    pub items: Items,
    /// False if the order is that of a comparator.
    pub natural: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Items {
    Elements(Vec<KnownValue>),
    Pairs(Vec<(KnownValue, KnownValue)>),
}

/// What is in a list, a set, a map or an optional; `None` if a part of it is not known, or there is more than `limit`.
/// Wrappers are not looked through.
pub fn held(heap: &dyn Heap, object: ObjectId, limit: usize) -> Option<CollectionContent> {
    let steps = Steps::new();
    let reader = Reader::new(heap, &steps);
    for class in reader.classes(object) {
        for read in [maps::map, sequences::sequence, optional] {
            match read(&reader, &class, object, limit) {
                Recognised::OtherClass => {}
                Recognised::ContentUnknown => return None,
                Recognised::Content(content) => {
                    let natural = is_natural(&reader, object);
                    return Some(CollectionContent { items: items(content)?, natural });
                }
            }
        }
    }
    None
}

/// What a wrapper is wrapped around.
pub fn wrapped(heap: &dyn Heap, object: ObjectId) -> Option<KnownValue> {
    let steps = Steps::new();
    let reader = Reader::new(heap, &steps);
    let around = sequences::around(&reader, object)?;
    Some(reader.fields(object).get(around)).filter(|known| *known != KnownValue::Unknown)
}

fn optional(reader: &Reader<'_>, class: &str, object: ObjectId, _limit: usize) -> Recognised<Content> {
    match scalars::optional(reader, class, object) {
        Recognised::OtherClass => Recognised::OtherClass,
        Recognised::ContentUnknown => Recognised::ContentUnknown,
        Recognised::Content(value) => {
            let items = value.into_iter().map(Item::element).collect();
            Recognised::Content(Content::of(ValueKind::Optional, items))
        }
    }
}

fn items(content: Content) -> Option<Items> {
    if content.more > 0 || content.items.iter().any(|item| item.value == KnownValue::Unknown) {
        return None;
    }
    if content.kind != ValueKind::Map && content.items.iter().all(|item| item.key.is_none()) {
        return Some(Items::Elements(content.items.into_iter().map(|item| item.value).collect()));
    }
    let pair = |item: Item| Some((item.key.filter(|key| *key != KnownValue::Unknown)?, item.value));
    content.items.into_iter().map(pair).collect::<Option<_>>().map(Items::Pairs)
}

/// Does no comparator decide the order? False where that is not known, and for views that have an order of their own.
pub(crate) fn is_natural(reader: &Reader<'_>, object: ObjectId) -> bool {
    let fields = reader.fields(object);
    for class in reader.classes(object) {
        match layout(&class) {
            None => {}
            Some((
                Layout::Array { comparator: Some(comparator), .. } | Layout::Tree { comparator, .. },
                _,
            )) => {
                return fields.reference(comparator) == Some(Ref::Null);
            }
            Some((Layout::SubTree { .. } | Layout::Reversed { .. }, _)) => return false,
            Some((Layout::Keys { map }, _)) => {
                let Some(_inside) = reader.inside(1) else { return false };
                return fields.object(map).is_some_and(|map| is_natural(reader, map));
            }
            Some(_) => return true,
        }
    }
    true
}
