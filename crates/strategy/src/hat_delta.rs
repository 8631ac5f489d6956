//! Hat-Delta: asks about r while it is not judged, then, among the nodes up to three levels below it, about one whose
//! method got the smallest share of correct answers, (correct + 1) / (answers + 2): a method never asked about stands
//! in the middle. Of more than 64 such nodes the heaviest children are looked at, the upper levels first.

use tree::{Node, Order, Suspects};

use crate::choice::{Choice, ChoiceRule};
use crate::definition::{Choose, Definition, Weights};
use crate::learned::Learned;
use crate::path::{Candidate, least};
use crate::top_down;

pub(crate) const DEFINITION: Definition = Definition {
    name: "hat-delta",
    summary: "Near the wrong call, the method with the smallest share of right answers.",
    weights: Weights::Alike,
    choose: Choose::WalkByAnswers(choose),
    divides: false,
};

const LEVELS: usize = 3;
const MANY: usize = 64;

fn choose(suspects: &mut Suspects, learned: &Learned) -> Option<Choice> {
    let root = suspects.root();
    if suspects.askable(root) {
        return top_down::choose(suspects);
    }
    let mut nodes: Vec<Node> = Vec::new();
    let mut level = vec![root];
    for _ in 0..LEVELS {
        let from = nodes.len();
        for node in level {
            nodes.extend(suspects.best(node, Order::Weight, MANY - nodes.len()));
        }
        level = nodes[from..].to_vec();
    }
    let tree = suspects.tree();
    let share = |it: &Candidate| {
        let (correct, wrong) = learned.answers.get(&tree.group(it.node)).copied().unwrap_or_default();
        f64::from(correct + 1) / f64::from(correct + wrong + 2)
    };
    let candidates: Vec<Candidate> =
        nodes.into_iter().map(|node| Candidate { node, weight: suspects.weight(node), below: 0.0 }).collect();
    let best = least(&candidates, share)?;
    Some(Choice::of(suspects, best.node, ChoiceRule::LeastCorrect))
}
