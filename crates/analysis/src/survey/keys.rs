//! A small table of locations, each with the event that touched it last. Every heap access of a run goes through one
//! of these, so they are plain open addressing with exact keys, and are emptied without being freed.

use std::hash::BuildHasher;

use past::ObjectId;
use rustc_hash::FxBuildHasher;
use trace::FieldId;

/// A location: the object and the place in it, exactly. Never 0.
pub type LocationKey = u64;

pub fn field(object: ObjectId, field: FieldId) -> LocationKey {
    u64::from(object.0) << 32 | u64::from(field.0)
}

pub fn of_static(field: FieldId) -> LocationKey {
    u64::from(ObjectId::UNIDENTIFIED) << 32 | u64::from(field.0)
}

pub fn element(array: ObjectId, index: u32) -> LocationKey {
    u64::from(array.0) << 32 | u64::from(index)
}

/// All that a library keeps in an object of its own.
pub fn whole(object: ObjectId) -> LocationKey {
    u64::from(object.0) << 32 | u64::from(u32::MAX)
}

/// What is known by its name alone: a file, a property of the system.
pub fn named(name: &str) -> LocationKey {
    // No object has the number 0.
    u64::from(FxBuildHasher.hash_one(name) as u32 | 1)
}

/// Keys with the ordinal of the last event that counts.
#[derive(Clone, Debug, Default)]
pub struct LocationKeys {
    slots: Vec<(LocationKey, u64)>,
    len: usize,
}

const SMALLEST: usize = 16;
/// Larger tables are given back when they are emptied.
const KEPT: usize = 64;

impl LocationKeys {
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn clear(&mut self) {
        if self.len == 0 {
            return;
        }
        self.len = 0;
        if self.slots.len() > KEPT {
            self.slots = Vec::new();
        } else {
            self.slots.fill((0, 0));
        }
    }

    pub fn get(&self, key: LocationKey) -> Option<u64> {
        if self.len == 0 {
            return None;
        }
        let (found, stamp) = self.slots[self.place(key)];
        (found == key).then_some(stamp)
    }

    pub fn contains(&self, key: LocationKey) -> bool {
        self.get(key).is_some()
    }

    /// Puts the key in, if it is not there, and lets its stamp be at least this. Gives what it was.
    #[inline]
    pub fn raise(&mut self, key: LocationKey, stamp: u64) -> Option<u64> {
        if (self.len + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        let at = self.place(key);
        let slot = &mut self.slots[at];
        if slot.0 == key {
            let before = slot.1;
            slot.1 = before.max(stamp);
            return Some(before);
        }
        *slot = (key, stamp);
        self.len += 1;
        None
    }

    pub fn iter(&self) -> impl Iterator<Item = (LocationKey, u64)> + '_ {
        self.slots.iter().copied().filter(|&(key, _)| key != 0)
    }

    /// Takes all of the other in; the smaller one is put into the larger one.
    pub fn absorb(&mut self, other: &mut LocationKeys) {
        if other.len > self.len {
            std::mem::swap(self, other);
        }
        for (key, stamp) in other.iter() {
            self.raise(key, stamp);
        }
        other.clear();
    }

    #[inline]
    fn place(&self, key: LocationKey) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.slots[at].0 != key && self.slots[at].0 != 0 {
            at = (at + 1) & mask;
        }
        at
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(SMALLEST);
        let old = std::mem::replace(&mut self.slots, vec![(0, 0); size]);
        self.len = 0;
        for (key, stamp) in old.into_iter().filter(|&(key, _)| key != 0) {
            self.raise(key, stamp);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_holds_what_was_put_in_with_the_latest_stamp() {
        let mut keys = LocationKeys::default();
        for key in 1..1000 {
            keys.raise(key * 0x1_0000_0001, key);
        }
        assert_eq!(keys.raise(0x1_0000_0001, 5000), Some(1));
        assert_eq!(keys.raise(0x1_0000_0001, 3), Some(5000));
        assert_eq!((keys.len(), keys.get(0x1_0000_0001), keys.get(7)), (999, Some(5000), None));
        let mut other = LocationKeys::default();
        other.raise(7, 1);
        other.absorb(&mut keys);
        assert_eq!((other.len(), other.get(7), keys.len()), (1000, Some(1), 0));
        assert_eq!(other.iter().map(|(_, stamp)| stamp).max(), Some(5000));
    }
}
