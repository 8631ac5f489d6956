//! Which blocks every way to a block leads through. By the iterative algorithm of Cooper, Harvey and Kennedy, which
//! is fast on graphs as small as methods.

use crate::cfg::{BlockId, Cfg};

pub struct Dominators {
    /// By block: the closest one that dominates it; the first block's is itself. None: control never gets there.
    immediate: Vec<Option<BlockId>>,
    /// By block: its place in an order in which a block comes before what lies behind it, loops aside.
    order: Vec<u32>,
    /// Blocks in that order.
    pub reverse_postorder: Vec<BlockId>,
}

impl Dominators {
    pub fn of(cfg: &Cfg) -> Dominators {
        let reverse_postorder = reverse_postorder(cfg);
        let mut order = vec![u32::MAX; cfg.blocks.len()];
        for (at, block) in reverse_postorder.iter().enumerate() {
            order[usize::from(block.0)] = at as u32;
        }
        let mut immediate = vec![None; cfg.blocks.len()];
        if let Some(&entry) = reverse_postorder.first() {
            immediate[usize::from(entry.0)] = Some(entry);
        }
        let mut found = Dominators { immediate, order, reverse_postorder };
        let mut changed = true;
        while changed {
            changed = false;
            for at in 1..found.reverse_postorder.len() {
                let block = found.reverse_postorder[at];
                let known = cfg.before(block).map(|edge| edge.from);
                let known = known.filter(|from| found.immediate[usize::from(from.0)].is_some());
                let closest = known.reduce(|one, other| found.meet(one, other));
                if closest != found.immediate[usize::from(block.0)] {
                    found.immediate[usize::from(block.0)] = closest;
                    changed = true;
                }
            }
        }
        found
    }

    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        self.immediate[usize::from(block.0)].filter(|&above| above != block)
    }

    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.immediate[usize::from(block.0)].is_some()
    }

    /// Does every way to `block` lead through `by`? Each block dominates itself.
    pub fn dominates(&self, by: BlockId, block: BlockId) -> bool {
        if !self.is_reachable(block) {
            return false;
        }
        let mut at = Some(block);
        while let Some(block) = at {
            if block == by {
                return true;
            }
            at = self.immediate(block);
        }
        false
    }

    fn meet(&self, mut one: BlockId, mut other: BlockId) -> BlockId {
        let order = |block: BlockId| self.order[usize::from(block.0)];
        while one != other {
            let later = if order(one) > order(other) { &mut one } else { &mut other };
            *later = self.immediate[usize::from(later.0)].unwrap_or(BlockId(0));
        }
        one
    }
}

fn reverse_postorder(cfg: &Cfg) -> Vec<BlockId> {
    let mut order = Vec::with_capacity(cfg.blocks.len());
    let mut seen = vec![false; cfg.blocks.len()];
    let Some(first) = seen.first_mut() else { return order };
    *first = true;
    // A block, and how many of its edges were followed.
    let mut open = vec![(BlockId(0), 0)];
    while let Some((block, next)) = open.last_mut() {
        let Some(&edge) = cfg.successors[usize::from(block.0)].get(*next) else {
            order.push(*block);
            open.pop();
            continue;
        };
        *next += 1;
        let to = cfg.edge_of(edge).to;
        if !std::mem::replace(&mut seen[usize::from(to.0)], true) {
            open.push((to, 0));
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::tests::{TRY, WHILE, method};

    #[test]
    fn blocks_are_dominated_by_what_every_way_to_them_leads_through() {
        let code = method(&WHILE, &[], &[0]);
        let found = code.dominators();
        let immediate = |block| found.immediate(BlockId(block)).map(|block| block.0);
        assert_eq!([0, 1, 2, 3].map(immediate), [None, Some(0), Some(1), Some(1)]);
        assert!(found.dominates(BlockId(1), BlockId(2)) && !found.dominates(BlockId(2), BlockId(1)));
        // By the definition: without the one block, the other is not reached.
        let code = method(&TRY, &[(4, 6, 7)], &[0, 1]);
        for (by, block) in code.cfg.ids().flat_map(|by| code.cfg.ids().map(move |block| (by, block))) {
            let mut seen = vec![by];
            let mut open = if by == BlockId(0) { vec![] } else { vec![BlockId(0)] };
            while let Some(next) = open.pop() {
                seen.push(next);
                let after = code.cfg.after(next).map(|edge| edge.to);
                open.extend(after.filter(|to| !seen.contains(to)));
            }
            let cut_off = by == block || !seen.contains(&block);
            assert_eq!(code.dominators().dominates(by, block), cut_off, "{by:?} {block:?}");
        }
    }
}
