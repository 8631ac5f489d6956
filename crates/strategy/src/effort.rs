//! The least effort rather than the fewest questions. A question about two numbers is quickly answered, one about a
//! large heap is not: of the nodes that divide nearly as well as the strategy's own choice this takes the one with the
//! least cost(v) + c · e(v), where e(v) is the expected number of questions after it (`ChoiceReason::expected`) and c
//! the mean cost of the nodes compared, as an estimate of what the later ones cost.

use tree::{Node, Order, Suspects};

use crate::choice::{Choice, ChoiceRule};
use crate::path::View;

/// Nodes compared, at most: telling what a question costs means to make it.
const COMPARED: usize = 12;

pub(crate) fn choose(suspects: &mut Suspects, choice: Choice, cost: &dyn Fn(Node) -> f64) -> Option<Choice> {
    let smaller = |choice: &Choice| choice.why.inside.min(choice.why.outside);
    let candidates = View::now(suspects).candidates(suspects, Order::Weight, 4);
    let mut near: Vec<Choice> = candidates
        .into_iter()
        .filter(|it| it.node != choice.node)
        .map(|it| Choice::of(suspects, it.node, ChoiceRule::LeastEffort))
        .filter(|it| smaller(it) * 2.0 >= smaller(&choice))
        .collect();
    near.sort_by(|one, other| smaller(other).total_cmp(&smaller(one)).then(one.node.cmp(&other.node)));
    near.truncate(COMPARED - 1);
    near.insert(0, choice);
    let costs: Vec<f64> = near.iter().map(|it| cost(it.node)).collect();
    let mean = costs.iter().sum::<f64>() / costs.len() as f64;
    let effort = |at: usize| costs[at] + mean * near[at].why.expected;
    (0..near.len())
        .reduce(|best, other| if effort(other) < effort(best) { other } else { best })
        .map(|at| near[at])
}
