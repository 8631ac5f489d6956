//! What every call executed, read plainly: all events of a thread in order, each call followed through its code one
//! instruction at a time when it is over. Nothing that the finder uses for this is used here.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;

use analysis::cfg::BlockExit;
use analysis::code::{Code, Codes};
use index::Evidence;
use past::{CallId, ObjectId, Past, Position};
use trace::{Event, EventKind, MethodId, Site, Value};

/// A call that ended, and what is known of all it did itself.
pub struct Activation {
    pub call: CallId,
    pub code: Arc<Code>,
    /// By the place of an instruction in the method.
    pub executed: Vec<bool>,
    /// The branches and switches that it executed, with the ordinal of the last event of each.
    pub jumps: BTreeMap<u16, u64>,
}

/// An event that says where control went.
#[derive(Clone, Copy)]
enum Turn {
    Branch(bool),
    Switch(Option<u32>),
    Throw,
    Catch,
}

struct Open {
    call: CallId,
    method: MethodId,
    turns: Vec<(u16, Turn)>,
    jumps: BTreeMap<u16, u64>,
    lost: bool,
}

/// Tells every call that ended and of which everything is known, in the order in which they end.
pub fn activations(past: &Past, tell: &mut dyn FnMut(&Activation)) {
    let mut codes = Codes::default();
    for stream in past.streams() {
        let (mut open, mut ordinal): (Vec<Open>, u64) = (Vec::new(), 0);
        past.recording().events(stream, |event| {
            let at = Position { stream, ordinal };
            ordinal += 1;
            if let Some(over) = take(past, &mut open, event, at)
                && let Some(activation) = finish(past, &mut codes, over)
            {
                tell(&activation);
            }
            ControlFlow::Continue(())
        });
    }
}

/// Takes an event in; gives the call that ends with it.
fn take(past: &Past, open: &mut Vec<Open>, event: &Event<'_>, at: Position) -> Option<Open> {
    let depth = event.depth as usize;
    if let EventKind::Enter { .. } = event.kind {
        open.truncate(depth.saturating_sub(1));
        let (call, method) = (past.index().call_at(at)?, event.site?.method);
        open.push(Open { call, method, turns: Vec::new(), jumps: BTreeMap::new(), lost: false });
        return None;
    }
    let own = open.get_mut(depth.checked_sub(1)?)?;
    if let EventKind::Gap { .. } = event.kind {
        own.lost = true;
    }
    if let Some(site) = event.site.filter(|site| !event.library && site.method == own.method) {
        let turn = match event.kind {
            EventKind::Branch { taken } => Some(Turn::Branch(taken)),
            EventKind::Switch { case, .. } => Some(Turn::Switch(case)),
            EventKind::Throw { .. } => Some(Turn::Throw),
            EventKind::Catch { .. } => Some(Turn::Catch),
            _ => None,
        };
        if matches!(turn, Some(Turn::Branch(_) | Turn::Switch(_))) {
            own.jumps.insert(site.bci, at.ordinal);
        }
        own.turns.extend(turn.map(|turn| (site.bci, turn)));
    }
    if matches!(event.kind, EventKind::Exit { .. } | EventKind::Unwind { .. }) {
        open.truncate(depth);
        return open.pop();
    }
    None
}

fn finish(past: &Past, codes: &mut Codes, over: Open) -> Option<Activation> {
    let code =
        codes.get(past.recording().program(), over.method).filter(|code| code.replayed && !over.lost)?;
    let executed = follow(&code, &over.turns)?;
    Some(Activation { call: over.call, code, executed, jumps: over.jumps })
}

/// Goes through the code from its beginning to where the call ended. None if turns and code do not fit.
fn follow(code: &Code, turns: &[(u16, Turn)]) -> Option<Vec<bool>> {
    let mut executed = vec![false; code.insns.len()];
    let mut turns = turns.iter().copied().peekable();
    let mut at = 0;
    loop {
        executed[at] = true;
        let bci = code.insns[at].bci;
        if turns.next_if(|&(place, turn)| place == bci && matches!(turn, Turn::Throw)).is_some() {
            match turns.next() {
                Some((handler, Turn::Catch)) => at = code.at(handler)?,
                None => return Some(executed),
                Some(_) => return None,
            }
            continue;
        }
        let block = code.cfg.block(code.cfg.block_at(bci)?);
        if bci != block.last {
            at += 1;
            continue;
        }
        let edge = match (&block.exit, turns.peek().filter(|(place, _)| *place == bci)) {
            (BlockExit::Falls(edge) | BlockExit::Goes(edge), _) => *edge,
            (BlockExit::Branches { taken, not }, Some((_, Turn::Branch(jumped)))) => {
                let edge = if *jumped { *taken } else { *not };
                turns.next();
                edge
            }
            (BlockExit::Switches { cases, default }, Some((_, Turn::Switch(case)))) => {
                let edge = case.map_or(Some(*default), |case| cases.get(case as usize).copied())?;
                turns.next();
                edge
            }
            (BlockExit::Returns, None) => return turns.next().is_none().then_some(executed),
            _ => return None,
        };
        at = code.at(code.cfg.block(code.cfg.edge_of(edge).to).first)?;
    }
}

/// The objects that the program's own code made, with the instruction that did and when.
pub fn created(past: &Past) -> BTreeMap<ObjectId, (Site, Position)> {
    let mut found = BTreeMap::new();
    for stream in past.streams() {
        let (mut pending, mut ordinal) = (HashMap::new(), 0);
        past.recording().events(stream, |event| {
            let here = event.site.filter(|_| !event.library).map(|site| (site, Position { stream, ordinal }));
            ordinal += 1;
            let Some(here) = here else { return ControlFlow::Continue(()) };
            match event.kind {
                EventKind::New { object: Value::Pending(id), .. } => {
                    pending.insert(id, here);
                }
                EventKind::Named { pending: id, object: Value::Object(named) } => {
                    found.extend(pending.remove(&id).map(|made| (named, made)));
                }
                EventKind::New { object: Value::Object(made), .. }
                | EventKind::NewArray { array: Value::Object(made), .. } => {
                    found.insert(made, here);
                }
                _ => {}
            }
            ControlFlow::Continue(())
        });
    }
    found
}
