//! Which branches decide whether a block runs: control dependence, from post-dominators. Exceptions that may arise
//! anywhere decide nothing here, or everything would hang on everything: an explicit `throw` goes to its handlers or out of
//! the method, and what runs only in handlers hangs on what was caught.

use crate::cfg::{BlockExit, BlockId, Cfg};

pub struct Control {
    /// By block: the blocks whose branch or switch decides whether it runs.
    on: Vec<Vec<BlockId>>,
    /// By block: can it be reached without an exception being caught?
    plain: Vec<bool>,
}

impl Control {
    pub fn of(cfg: &Cfg) -> Control {
        let count = cfg.blocks.len();
        let exit = count;
        let mut successors: Vec<Vec<usize>> = cfg.ids().map(|block| ways(cfg, block, exit)).collect();
        successors.push(Vec::new());
        let mut predecessors = turned(&successors);
        connect_endless(&mut successors, &mut predecessors, exit);
        let above = post_dominators(&successors, &predecessors, exit);
        let mut on = vec![Vec::new(); count];
        for block in cfg.ids() {
            if !matches!(cfg.block(block).exit, BlockExit::Branches { .. } | BlockExit::Switches { .. }) {
                continue;
            }
            let from = usize::from(block.0);
            for &to in &successors[from] {
                let mut at = Some(to);
                while let Some(next) = at.filter(|&next| next != exit && Some(next) != above[from]) {
                    if !on[next].contains(&block) {
                        on[next].push(block);
                    }
                    at = above[next];
                }
            }
        }
        Control { on, plain: plain(cfg) }
    }

    /// The blocks whose branch or switch decides whether a block runs.
    pub fn on(&self, block: BlockId) -> &[BlockId] {
        self.on.get(usize::from(block.0)).map_or(&[], Vec::as_slice)
    }

    /// Is a block reached only after an exception was caught?
    pub fn is_handler(&self, block: BlockId) -> bool {
        !self.plain.get(usize::from(block.0)).copied().unwrap_or(true)
    }
}

/// Can control come back to a block?
pub fn is_in_a_loop(cfg: &Cfg, block: BlockId) -> bool {
    let mut seen = vec![false; cfg.blocks.len()];
    let mut open: Vec<BlockId> = cfg.after(block).map(|edge| edge.to).collect();
    while let Some(next) = open.pop() {
        if next == block {
            return true;
        }
        if !std::mem::replace(&mut seen[usize::from(next.0)], true) {
            open.extend(cfg.after(next).map(|edge| edge.to));
        }
    }
    false
}

/// Where control goes from a block; out of the method if nowhere else.
fn ways(cfg: &Cfg, block: BlockId, exit: usize) -> Vec<usize> {
    let throws = cfg.block(block).exit == BlockExit::Throws;
    let ways = cfg.after(block).filter(|edge| throws || !edge.exceptional).map(|edge| usize::from(edge.to.0));
    let mut ways: Vec<usize> = ways.collect();
    ways.dedup();
    if ways.is_empty() {
        ways.push(exit);
    }
    ways
}

fn turned(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (from, ways) in successors.iter().enumerate() {
        for &to in ways {
            predecessors[to].push(from);
        }
    }
    predecessors
}

/// From where a loop has no end, it is as if its last block could leave the method.
fn connect_endless(successors: &mut [Vec<usize>], predecessors: &mut [Vec<usize>], exit: usize) {
    let mut leaves = vec![false; successors.len()];
    let mut open = vec![exit];
    let mut next = exit;
    loop {
        while let Some(block) = open.pop() {
            if !std::mem::replace(&mut leaves[block], true) {
                open.extend(&predecessors[block]);
            }
        }
        let Some(last) = (0..next).rev().find(|&block| !leaves[block]) else { return };
        successors[last].push(exit);
        predecessors[exit].push(last);
        open.push(last);
        next = last;
    }
}

/// By block: the closest one that every way out leads through; `exit` is the root.
fn post_dominators(
    successors: &[Vec<usize>],
    predecessors: &[Vec<usize>],
    exit: usize,
) -> Vec<Option<usize>> {
    let mut order = Vec::with_capacity(successors.len());
    let mut seen = vec![false; successors.len()];
    let mut open = vec![(exit, 0)];
    seen[exit] = true;
    while let Some((block, next)) = open.last_mut() {
        let Some(&before) = predecessors[*block].get(*next) else {
            order.push(*block);
            open.pop();
            continue;
        };
        *next += 1;
        if !std::mem::replace(&mut seen[before], true) {
            open.push((before, 0));
        }
    }
    order.reverse();
    let mut place = vec![usize::MAX; successors.len()];
    for (at, &block) in order.iter().enumerate() {
        place[block] = at;
    }
    let mut above: Vec<Option<usize>> = vec![None; successors.len()];
    above[exit] = Some(exit);
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &order[1..] {
            let known = successors[block].iter().copied().filter(|&to| above[to].is_some());
            let closest = known.reduce(|mut one, mut other| {
                while one != other {
                    let later = if place[one] > place[other] { &mut one } else { &mut other };
                    *later = above[*later].unwrap_or(exit);
                }
                one
            });
            if closest != above[block] {
                above[block] = closest;
                changed = true;
            }
        }
    }
    above
}

fn plain(cfg: &Cfg) -> Vec<bool> {
    let mut seen = vec![false; cfg.blocks.len()];
    let mut open: Vec<BlockId> = cfg.ids().take(1).collect();
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut seen[usize::from(block.0)], true) {
            open.extend(cfg.after(block).filter(|edge| !edge.exceptional).map(|edge| edge.to));
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use classfile::opcode as op;

    use super::*;
    use crate::code::tests::{DO, TRY, WHILE, method};

    /// block<controllers, blocks by number.
    fn drawn(bytes: &[u8], handlers: &[(u16, u16, u16)]) -> String {
        let code = method(bytes, handlers, &[0, 1]);
        let control = Control::of(&code.cfg);
        let one = |block: BlockId| {
            let on: Vec<String> = control.on(block).iter().map(|by| by.0.to_string()).collect();
            format!("{}{}<{}", block.0, if control.is_handler(block) { "!" } else { "" }, on.join(","))
        };
        code.cfg.ids().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_loop_decides_on_its_body_and_on_itself() {
        assert_eq!(drawn(&WHILE, &[]), "0< 1<1 2<1 3<");
        assert_eq!(drawn(&DO, &[]), "0< 1<1 2<");
    }

    #[test]
    fn what_runs_in_a_handler_only_is_told_apart() {
        assert_eq!(drawn(&TRY, &[(4, 6, 7)]), "0< 1<0 2<0 3!<0");
    }

    #[test]
    fn an_endless_loop_and_several_exits_have_their_controllers() {
        // for (;;) { if (a) f(); else g(); }, with `nop` for calls
        let endless = [op::ILOAD_0, op::IFEQ, 0, 7, op::NOP, op::GOTO, 0, 4, op::NOP, op::GOTO, 0xff, 0xf7];
        // Its head runs again whatever the branch says.
        assert_eq!(drawn(&endless, &[]), "0< 1<0 2<0 3<");
        // if (a) return; nop; return;
        let early = [op::ILOAD_0, op::IFEQ, 0, 4, op::RETURN, op::NOP, op::RETURN];
        assert_eq!(drawn(&early, &[]), "0< 1<0 2<0");
    }
}
