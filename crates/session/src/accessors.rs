//! Calls that only hand on what a field holds, a constant, or what another such call gives. Whether they are right is nothing that a person
//! should be asked as long as anything else is left: what they gave is seen where it is used.

use std::collections::HashMap;

use base::MethodId;
use past::Past;
use strategy::Choice;
use tree::{Node, Suspects};

/// The suspects of a call that are looked at to know that it does nothing else, and those among which another one is looked for.
const WITHIN: u32 = 8;
const OTHERS: usize = 4_096;
/// Other choices that are made before the first one is asked after all.
const TRIES: usize = 16;

/// What is known of methods.
#[derive(Default)]
pub(crate) struct Accessors {
    known: HashMap<MethodId, bool>,
}

impl Accessors {
    /// The choice, or the next best one that is more than handing on what is there; `choose` is asked for others while those
    /// are put off, and `method` says what a node is a call of, if it is one.
    pub fn pass_over(
        &mut self,
        past: &Past,
        suspects: &mut Suspects,
        first: Choice,
        method: &dyn Fn(Node) -> Option<MethodId>,
        choose: &mut dyn FnMut(&mut Suspects) -> Option<Choice>,
    ) -> Choice {
        if !self.hands_on(past, suspects, first.node, method) || !self.others(past, suspects, method) {
            return first;
        }
        let mut without = suspects.clone();
        let mut last = first.node;
        for _ in 0..TRIES {
            without.defer(last);
            match choose(&mut without) {
                Some(other) if self.hands_on(past, &without, other.node, method) => last = other.node,
                Some(other) => return other,
                None => break,
            }
        }
        first
    }

    /// Is there nothing suspected in a node but calls that hand on?
    fn hands_on(
        &mut self,
        past: &Past,
        suspects: &Suspects,
        node: Node,
        method: &dyn Fn(Node) -> Option<MethodId>,
    ) -> bool {
        let end = suspects.tree().end(node);
        end.0 - node.0 <= WITHIN && (node.0..end.0).all(|at| self.is(past, Node(at), method))
    }

    /// Is anything else suspected, beside the call that is wrong?
    fn others(
        &mut self,
        past: &Past,
        suspects: &Suspects,
        method: &dyn Fn(Node) -> Option<MethodId>,
    ) -> bool {
        let root = suspects.root_wrong().then(|| suspects.root());
        let left = suspects.remaining().filter(|&node| Some(node) != root && suspects.askable(node));
        let mut left = left.filter(|&node| suspects.own(node) > 0.0).take(OTHERS);
        left.any(|node| !self.is(past, node, method))
    }

    fn is(&mut self, past: &Past, node: Node, method: &dyn Fn(Node) -> Option<MethodId>) -> bool {
        let Some(method) = method(node) else { return false };
        *self.known.entry(method).or_insert_with(|| analysis::substance::is_accessor(past.program(), method))
    }
}
