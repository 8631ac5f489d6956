//! Blocks that are asked for again and again, decoded: of postings, and of calls. A block is read posting by posting, some
//! microseconds for each look; whoever compares what objects hold looks into the same few blocks thousands of times,
//! and finds a posting here by halving. Whoever goes over calls asks for neighbours.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::posting::Stored;

/// Blocks that are kept, at most: some 10 KB each of postings, 35 KB of calls.
const SLOTS: usize = 512;

/// A block: where its segment begins, or its stream, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockId {
    pub segment: u64,
    pub block: usize,
}

/// Each block has one place, which it shares with others: who comes last has it. A block that is asked for once is
/// only noted, because decoding all of it costs more than that one look.
pub(crate) struct Blocks<T> {
    slots: Mutex<Vec<Slot<T>>>,
}

struct Slot<T> {
    id: Option<BlockId>,
    block: Option<Arc<T>>,
}

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Blocks { slots: Mutex::default() }
    }
}

/// The postings of a block in order of key and time, and where each is in order of time alone, once that was asked for: a
/// short stretch of time has few of them.
pub(crate) struct DecodedBlock {
    pub postings: Vec<Stored>,
    by_time: OnceLock<Vec<(u64, u32)>>,
}

impl DecodedBlock {
    pub fn new(postings: Vec<Stored>) -> DecodedBlock {
        DecodedBlock { postings, by_time: OnceLock::new() }
    }

    /// Where the postings of a stretch of time are, ascending.
    pub fn within(&self, from: u64, to: u64) -> Vec<u32> {
        let by_time = self.by_time.get_or_init(|| {
            let mut list: Vec<(u64, u32)> =
                self.postings.iter().enumerate().map(|(at, posting)| (posting.ordinal, at as u32)).collect();
            list.sort_unstable();
            list
        });
        let first = by_time.partition_point(|&(ordinal, _)| ordinal < from);
        let stretch = by_time[first..].iter().take_while(|&&(ordinal, _)| ordinal <= to);
        let mut places: Vec<u32> = stretch.map(|&(_, at)| at).collect();
        places.sort_unstable();
        places
    }
}

impl<T> Blocks<T> {
    /// A block, if it was asked for before; `decode` gives it.
    pub fn get(&self, id: BlockId, decode: impl FnOnce() -> Option<T>) -> Option<Arc<T>> {
        let place = (id.segment as usize / 64).wrapping_mul(0x9e37_79b1).wrapping_add(id.block) % SLOTS;
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if slots.is_empty() {
            slots.resize_with(SLOTS, || Slot { id: None, block: None });
        }
        let slot = &mut slots[place];
        if slot.id != Some(id) {
            *slot = Slot { id: Some(id), block: None };
            return None;
        }
        if slot.block.is_none() {
            slot.block = decode().map(Arc::new);
        }
        slot.block.clone()
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
        let blocks: Blocks<u8> = Blocks::default();
        let id = |block| BlockId { segment: 0, block };
        let never = || panic!("decoded");
        let seven = || Some(7);
        assert!(blocks.get(id(1), never).is_none());
        assert!(blocks.get(id(1), seven).is_some());
        assert!(blocks.get(id(1), never).is_some());
        // Another one that has the same place.
        assert!(blocks.get(id(1 + SLOTS), never).is_none());
        assert!(blocks.get(id(1), never).is_none());
        blocks.get(id(1), seven);
        blocks.clear();
        assert!(blocks.get(id(1), never).is_none());
    }
}
