//! Blocks of segments that are asked for again and again, decoded. A block is read posting by posting, some
//! microseconds for each look; whoever compares what objects hold looks into the same few blocks thousands of times,
//! and finds a posting here by halving.

use std::sync::{Arc, Mutex, PoisonError};

use crate::posting::Stored;

/// Blocks that are kept, at most: some 16 KB each.
const SLOTS: usize = 1024;

/// A block in its file: where its segment begins, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockId {
    pub segment: u64,
    pub block: usize,
}

/// Each block has one place, which it shares with others: who comes last has it. A block that is asked for once is
/// only noted, because decoding all of it costs more than that one look.
#[derive(Default)]
pub(crate) struct Blocks {
    slots: Mutex<Vec<Slot>>,
}

#[derive(Clone, Default)]
struct Slot {
    id: Option<BlockId>,
    postings: Option<Arc<Vec<Stored>>>,
}

impl Blocks {
    /// The postings of a block, if it was asked for before; `decode` gives them.
    pub fn get(&self, id: BlockId, decode: impl FnOnce() -> Vec<Stored>) -> Option<Arc<Vec<Stored>>> {
        let place = (id.segment as usize / 64).wrapping_mul(0x9e37_79b1).wrapping_add(id.block) % SLOTS;
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if slots.is_empty() {
            slots.resize(SLOTS, Slot::default());
        }
        let slot = &mut slots[place];
        if slot.id != Some(id) {
            *slot = Slot { id: Some(id), postings: None };
            return None;
        }
        Some(Arc::clone(slot.postings.get_or_insert_with(|| Arc::new(decode()))))
    }

    /// Gives the memory back.
    pub fn clear(&self) {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_decoded_when_it_is_asked_for_again_and_only_then() {
        let blocks = Blocks::default();
        let id = |block| BlockId { segment: 0, block };
        let never = || panic!("decoded");
        assert!(blocks.get(id(1), never).is_none());
        assert!(blocks.get(id(1), Vec::new).is_some());
        assert!(blocks.get(id(1), never).is_some());
        // Another one that has the same place.
        assert!(blocks.get(id(1 + SLOTS), never).is_none());
        assert!(blocks.get(id(1), never).is_none());
        blocks.get(id(1), Vec::new);
        blocks.clear();
        assert!(blocks.get(id(1), never).is_none());
    }
}
