//! D&Q (Hirunkitti): of the heaviest node with w ≤ W/2 and the lightest with w ≥ W/2 the one nearer to W/2.

use tree::{Order, Suspects};

use crate::choice::{Choice, ChoiceRule};
use crate::definition::{Choose, Definition, Weights};
use crate::path::{Candidate, View, least};

pub(crate) const DEFINITION: Definition = Definition {
    name: "dq-hirunkitti",
    summary: "The call nearest to half of the suspects, from below or from above.",
    weights: Weights::Alike,
    choose: Choose::Walk(choose),
    divides: true,
};

fn choose(suspects: &mut Suspects) -> Option<Choice> {
    let view = View::now(suspects);
    let half = view.total(suspects) / 2.0;
    let candidates = view.candidates(suspects, Order::Weight, 2);
    let (light, heavy): (Vec<Candidate>, Vec<Candidate>) =
        candidates.into_iter().partition(|it| it.weight <= half);
    let light = least(&light, |it| -it.weight);
    let heavy = least(&heavy, |it| it.weight);
    let best = match (light, heavy) {
        (Some(light), Some(heavy)) if half - light.weight < heavy.weight - half => light,
        (light, heavy) => heavy.or(light)?,
    };
    Some(Choice::of(suspects, best.node, ChoiceRule::NearestHalf))
}
