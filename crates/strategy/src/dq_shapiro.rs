//! D&Q (Shapiro): the heaviest node with w ≤ W/2; if there is none, the lightest of all. Among equals the one nearer
//! to r comes first, then the earlier.

use tree::{Order, Suspects};

use crate::choice::{Choice, ChoiceRule};
use crate::definition::{Choose, Definition, Weights};
use crate::path::{Candidate, View};

pub(crate) const DEFINITION: Definition = Definition {
    name: "dq-shapiro",
    summary: "The call with the most suspects in it, but at most half of all.",
    weights: Weights::Alike,
    choose: Choose::Walk(choose),
    divides: true,
};

fn choose(suspects: &mut Suspects) -> Option<Choice> {
    let view = View::now(suspects);
    let half = view.total(suspects) / 2.0;
    // Candidates come level by level, so the first of equals is the one wanted.
    let candidates = view.candidates(suspects, Order::Weight, 2);
    let first = |better: fn(f64, f64) -> bool| {
        move |best: Candidate, other: Candidate| if better(other.weight, best.weight) { other } else { best }
    };
    let light =
        candidates.iter().copied().filter(|it| it.weight <= half).reduce(first(|one, other| one > other));
    let best = light.or_else(|| candidates.into_iter().reduce(first(|one, other| one < other)))?;
    Some(Choice::of(suspects, best.node, ChoiceRule::AtMostHalf))
}
