//! D&Q nearest: the node whose w is nearest to W/2.

use tree::{Order, Suspects};

use crate::choice::{Choice, ChoiceRule};
use crate::definition::{Choose, Definition, Weights};
use crate::path::{View, least};

pub(crate) const DEFINITION: Definition = Definition {
    name: "dq-nearest",
    summary: "The call whose suspects are nearest to half.",
    weights: Weights::Alike,
    choose: Choose::Walk(choose),
    divides: true,
};

pub(crate) fn choose(suspects: &mut Suspects) -> Option<Choice> {
    let view = View::now(suspects);
    let total = view.total(suspects);
    let candidates = view.candidates(suspects, Order::Weight, 2);
    let best = least(&candidates, |it| (2.0 * it.weight - total).abs())?;
    Some(Choice::of(suspects, best.node, ChoiceRule::NearestHalf))
}
