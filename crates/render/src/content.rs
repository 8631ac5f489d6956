//! What a collection holds, gathered up to a limit. Elements and pairs are gathered alike, so that the keys, the
//! values and the entries of a map are views of one walk.

use crate::heap::KnownValue;
use crate::node::ValueKind;
use crate::parts::Home;

/// What a look at an object of some class gave.
pub(crate) enum Recognised<T> {
    /// The class is not one that is known here.
    OtherClass,
    /// The class is known, but not what the object holds.
    ContentUnknown,
    Content(T),
}

impl<T> From<Option<T>> for Recognised<T> {
    fn from(found: Option<T>) -> Self {
        found.map_or(Recognised::ContentUnknown, Recognised::Content)
    }
}

pub(crate) struct Content {
    pub kind: ValueKind,
    pub items: Vec<Item>,
    /// How many there are besides.
    pub more: u64,
}

/// An element, or a pair with its key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Item {
    pub key: Option<KnownValue>,
    pub value: KnownValue,
    /// Where the value lies, if that is one place.
    pub home: Option<Home>,
}

impl Item {
    pub fn element(value: KnownValue) -> Item {
        Item { key: None, value, home: None }
    }

    pub fn pair(key: KnownValue, value: KnownValue) -> Item {
        Item { key: Some(key), value, home: None }
    }

    pub fn at(self, home: Home) -> Item {
        Item { home: Some(home), ..self }
    }
}

/// Gathers the items of a walk.
pub(crate) struct Gathering {
    limit: usize,
    /// The size that the collection has by its own account.
    size: Option<u64>,
    items: Vec<Item>,
    /// Which of the items stand for a gap.
    gaps: Vec<usize>,
    met: u64,
    gapped: bool,
}

impl Gathering {
    pub fn new(limit: usize, size: Option<u32>) -> Self {
        let size = size.map(u64::from);
        Gathering { limit, size, items: Vec::new(), gaps: Vec::new(), met: 0, gapped: false }
    }

    /// Takes an item; false if the walk may end here.
    pub fn add(&mut self, item: Item) -> bool {
        self.met += 1;
        if self.items.len() < self.limit {
            self.items.push(item);
        }
        // Without a size the rest is walked too, to count it.
        self.items.len() < self.limit || (self.size.is_none() && self.limit > 0)
    }

    /// Notes that there may be any number of items here that are not known.
    pub fn gap(&mut self) {
        self.gapped = true;
        let after_gap = self.gaps.last().is_some_and(|&at| at + 1 == self.items.len());
        if self.items.len() < self.limit && !after_gap {
            self.gaps.push(self.items.len());
            self.items.push(Item::element(KnownValue::Unknown));
        }
    }

    /// The content; `None` if nothing of it was found.
    pub fn content(mut self, kind: ValueKind) -> Option<Content> {
        if self.gapped && self.met == 0 && self.size != Some(0) {
            return None;
        }
        let shown = (self.items.len() - self.gaps.len()) as u64;
        let stopped = self.items.len() >= self.limit;
        let all = if stopped { self.size.unwrap_or(self.met).max(self.met) } else { self.met };
        if self.size == Some(self.met) {
            // All are there, so nothing is in the gaps.
            for at in self.gaps.into_iter().rev() {
                self.items.remove(at);
            }
        }
        Some(Content { kind, items: self.items, more: all - shown })
    }
}

impl Content {
    pub fn empty(kind: ValueKind) -> Content {
        Content { kind, items: Vec::new(), more: 0 }
    }

    pub fn of(kind: ValueKind, items: Vec<Item>) -> Content {
        Content { kind, items, more: 0 }
    }

    /// Keeps at most `limit` items.
    pub fn cut(mut self, limit: usize) -> Content {
        self.more += self.items.len().saturating_sub(limit) as u64;
        self.items.truncate(limit);
        self
    }

    pub fn map(mut self, kind: ValueKind, change: impl Fn(Item) -> Item) -> Content {
        self.kind = kind;
        self.items.iter_mut().for_each(|item| *item = change(*item));
        self
    }
}
