//! Follows a call through the blocks of its method, by the events of its own code. Branches and switches say where
//! they went; everything else goes on in the only way that there is, and that is made up for at the next event.

use trace::{EventKind, kinds};

use crate::cfg::{Block, BlockExit, BlockId, Cfg, EdgeId};

/// Where a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk {
    block: BlockId,
    /// The instruction that is executed next is here or behind, in the same block.
    from: u32,
    /// The instruction before that calls something that did not come back yet.
    called: bool,
    /// The events do not fit the code: nothing more is said.
    lost: bool,
}

impl Default for Walk {
    fn default() -> Self {
        Walk { block: BlockId(0), from: 0, called: false, lost: false }
    }
}

impl Walk {
    pub fn block(&self) -> BlockId {
        self.block
    }

    /// The bci up to which the block was executed, one past it.
    pub fn reached(&self) -> u32 {
        self.from
    }

    pub fn is_lost(&self) -> bool {
        self.lost
    }

    /// Takes an event of the call's own code in, and tells the edges that control took up to it, and because of it.
    #[inline]
    pub fn event(&mut self, cfg: &Cfg, bci: u16, kind: &EventKind<'_>, tell: &mut impl FnMut(EdgeId, u32)) {
        if self.lost {
            return;
        }
        let fresh = match kind {
            EventKind::LocalWrite { .. }
            | EventKind::Call { .. }
            | EventKind::FieldWrite { .. }
            | EventKind::StaticWrite { .. }
            | EventKind::ArrayWrite { .. }
            | EventKind::New { .. }
            | EventKind::NewArray { .. } => true,
            EventKind::Branch { taken } => {
                if self.arrive(cfg, bci, true, tell)
                    && let Block { last, exit: BlockExit::Branches { taken: yes, not }, .. } =
                        *cfg.block(self.block)
                    && last == bci
                {
                    self.take_edge(cfg, if *taken { yes } else { not }, tell);
                } else {
                    self.lost = true;
                }
                return;
            }
            EventKind::Switch { case, .. } => {
                self.switch(cfg, bci, *case, tell);
                return;
            }
            EventKind::Catch { .. } => {
                let to = cfg.block_at(bci);
                match to.and_then(|to| cfg.exceptional(self.block, to)) {
                    Some(edge) => self.take_edge(cfg, edge, tell),
                    None => self.lost = true,
                }
                return;
            }
            // It leaves a call, or is the first that an instruction is heard of.
            EventKind::Throw { .. } => !self.called,
            kinds! { monitors Return Exit Named } => false,
            kinds! { threads contents losses Enter Unwind BulkWrite OrderingPoint } => return,
        };
        self.called = matches!(kind, EventKind::Call { .. });
        self.arrive(cfg, bci, fresh, tell);
    }

    /// After the last event of a call that did not end: if it leads into a circle without any event, it is in there.
    pub fn drift(&mut self, cfg: &Cfg, tell: &mut impl FnMut(EdgeId, u32)) {
        let mut way = Vec::new();
        let mut seen = vec![false; cfg.blocks.len()];
        let (mut at, mut from) = (self.block, self.from);
        while !seen[usize::from(at.0)] {
            seen[usize::from(at.0)] = true;
            let block = cfg.block(at);
            let (BlockExit::Falls(edge) | BlockExit::Goes(edge)) = block.exit else { return };
            if self.lost || from < block.quiet_from {
                return;
            }
            way.push(edge);
            at = cfg.edge_of(edge).to;
            from = cfg.block(at).first.into();
        }
        // The last edge closes the circle.
        way.pop();
        for edge in way {
            self.take_edge(cfg, edge, tell);
        }
    }

    fn switch(&mut self, cfg: &Cfg, bci: u16, case: Option<u32>, tell: &mut impl FnMut(EdgeId, u32)) {
        if self.arrive(cfg, bci, true, tell)
            && let BlockExit::Switches { cases, default } = &cfg.block(self.block).exit
            && let Some(&edge) = case.map_or(Some(default), |case| cases.get(case as usize))
        {
            self.take_edge(cfg, edge, tell);
        } else {
            self.lost = true;
        }
    }

    /// Goes on to an instruction; false if there is no way. `fresh`: it was not executed before this event.
    #[inline]
    fn arrive(&mut self, cfg: &Cfg, bci: u16, fresh: bool, tell: &mut impl FnMut(EdgeId, u32)) -> bool {
        let here = u32::from(bci);
        let mut left = cfg.blocks.len() + 1;
        loop {
            let block = cfg.block(self.block);
            // What was begun already may be told more of.
            let from = if fresh { self.from } else { self.from.saturating_sub(1).max(block.first.into()) };
            if (from..=u32::from(block.last)).contains(&here) {
                self.from = self.from.max(here + 1);
                return true;
            }
            let (BlockExit::Falls(edge) | BlockExit::Goes(edge)) = block.exit else { break };
            left -= 1;
            if left == 0 {
                break;
            }
            self.take_edge(cfg, edge, tell);
        }
        self.lost = true;
        false
    }

    #[inline]
    fn take_edge(&mut self, cfg: &Cfg, edge: EdgeId, tell: &mut impl FnMut(EdgeId, u32)) {
        let reached = self.from;
        self.block = cfg.edge_of(edge).to;
        self.from = cfg.block(self.block).first.into();
        tell(edge, reached);
    }
}

#[cfg(test)]
mod tests {
    use trace::Value;

    use super::*;
    use crate::code::tests::{DO, TRY, WHILE, method};

    /// Where the blocks begin that events lead to; none if they do not fit the code.
    fn way(bytes: &[u8], handlers: &[(u16, u16, u16)], events: &[(u16, EventKind<'_>)]) -> Option<Vec<u16>> {
        let code = method(bytes, handlers, &[0, 1]);
        let (mut walk, mut way) = (Walk::default(), Vec::new());
        for (bci, kind) in events {
            walk.event(&code.cfg, *bci, kind, &mut |edge, _| {
                way.push(code.cfg.block(code.cfg.edge_of(edge).to).first);
            });
        }
        (!walk.is_lost()).then_some(way)
    }

    const WRITE: EventKind<'static> = EventKind::LocalWrite { slot: 1, value: Value::Int(0) };

    #[test]
    fn jumps_without_events_are_made_up_for_at_the_next_event() {
        let branch = |taken| EventKind::Branch { taken };
        let exit = EventKind::Exit { value: None };
        let events = [(1, WRITE), (4, branch(false)), (7, WRITE), (4, branch(true)), (13, exit)];
        assert_eq!(way(&WHILE, &[], &events), Some(vec![2, 7, 2, 13]));
        let events = [(1, WRITE), (2, WRITE), (7, branch(true)), (2, WRITE), (7, branch(false)), (10, exit)];
        assert_eq!(way(&DO, &[], &events), Some(vec![2, 2, 10]));
    }

    #[test]
    fn an_exception_leads_to_its_handler() {
        let events = [
            (1, EventKind::Branch { taken: false }),
            (5, EventKind::Throw { exception: None }),
            (7, EventKind::Catch { exception: None }),
            (8, EventKind::Exit { value: None }),
        ];
        assert_eq!(way(&TRY, &[(4, 6, 7)], &events), Some(vec![4, 7]));
    }

    #[test]
    fn an_instruction_that_fails_in_a_later_round_was_come_back_to() {
        use classfile::opcode as op;
        // for (;;) o.f();
        let bytes = [op::ALOAD_0, op::INVOKEVIRTUAL, 0, 1, op::GOTO, 0xff, 0xfc];
        let throws = (1, EventKind::Throw { exception: None });
        let comes_back = (1, EventKind::Return { value: None });
        assert_eq!(way(&bytes, &[], &[throws]), Some(vec![]));
        assert_eq!(way(&bytes, &[], &[comes_back, throws]), Some(vec![0]));
    }

    #[test]
    fn events_that_do_not_fit_the_code_are_noticed() {
        // The branch before the body was not told.
        assert_eq!(way(&WHILE, &[], &[(1, WRITE), (7, WRITE)]), None);
        assert_eq!(way(&WHILE, &[], &[(1, WRITE), (2, EventKind::Branch { taken: true })]), None);
    }

    #[test]
    fn a_circle_without_events_is_where_an_open_call_must_be() {
        use classfile::opcode as op;
        // i = 0; for (;;) ;
        let code = method(&[op::ICONST_0, op::ISTORE_1, op::GOTO, 0, 0], &[], &[]);
        let (mut walk, mut edges) = (Walk::default(), 0);
        walk.event(&code.cfg, 1, &WRITE, &mut |_, _| edges += 1);
        walk.drift(&code.cfg, &mut |_, _| edges += 1);
        assert_eq!((edges, walk.block()), (1, BlockId(1)));
        // Where something has to happen next, it is not known that it got there.
        let code = method(&WHILE, &[], &[0]);
        let mut walk = Walk::default();
        walk.drift(&code.cfg, &mut |_, _| panic!("an edge"));
        assert_eq!(walk.block(), BlockId(0));
    }
}
