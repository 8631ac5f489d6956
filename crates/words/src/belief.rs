//! What is believed, in words: the likeliest places, what an answer would make of them, how sure a verdict is.

use session::{AskReason, AskedQuestion, Doubt, LikelyPlace};

use crate::dialogue::reason;
use crate::quantity::count;

/// `about 3 to 7 questions left`
pub fn questions_left((few, many): (u32, u32)) -> String {
    match (few, many) {
        (1, 1) => "about 1 question left".to_owned(),
        (few, many) if few == many => format!("about {few} questions left"),
        (few, many) => format!("{few} to {} questions left", count(u64::from(many))),
    }
}

/// `41 %`; nothing is told as sure that is not.
pub fn percent(chance: f64) -> String {
    match chance * 100.0 {
        percent if percent < 1.0 => "< 1 %".to_owned(),
        percent if percent > 99.0 => "> 99 %".to_owned(),
        percent => format!("{percent:.0} %"),
    }
}

/// The likeliest places on one line: `Cart.total 41 %, Money.times 22 %`; none if nothing is believed.
pub fn likeliest(places: &[LikelyPlace]) -> Option<String> {
    let place = |place: &LikelyPlace| format!("{} {}", place.method, percent(place.chance));
    let told: Vec<String> = places.iter().filter(|place| place.chance >= TOLD).map(place).collect();
    (!told.is_empty()).then(|| told.join(", "))
}

/// What is less likely is not worth a word.
const TOLD: f64 = 0.01;

/// Why this is asked: what was believed, and what either answer would mean.
pub fn why(asked: &AskedQuestion) -> String {
    let mut text = reason(&asked.why);
    let AskReason::Chosen(chosen) = &asked.why else { return text };
    let Some(teaches) = chosen.teaches.filter(|_| !asked.places.is_empty()) else { return text };
    text.push_str(&format!("\nIt is wrong with a probability of {}.", percent(teaches.wrong)));
    text.push_str("\nLikeliest now, and if this is wrong or right:");
    for place in &asked.places {
        let after = |chance: Option<f64>| chance.map_or("?".to_owned(), percent);
        let (wrong, right) = (after(place.if_wrong), after(place.if_right));
        text.push_str(&format!("\n  {}  {}, {wrong} or {right}", place.method, percent(place.chance)));
    }
    text
}

/// Why a verdict is not certain, and what would make it so.
pub fn doubt(doubt: &Doubt) -> String {
    let calls = if doubt.unjudged == 1 { "call in it was" } else { "calls in it were" };
    let mut text = format!(
        "likely, not certain: {}; {} {calls} not judged",
        percent(doubt.chance),
        count(u64::from(doubt.unjudged))
    );
    if let Some(elsewhere) = likeliest(&doubt.elsewhere) {
        text.push_str(&format!(". Otherwise: {elsewhere}"));
    }
    text
}

/// What was changed since the program is known to have worked, if anything was.
pub fn other_code(names: &[String]) -> Option<String> {
    const NAMED: usize = 3;
    let named = names.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let others = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {} more", count(more as u64)),
    };
    (!names.is_empty()).then(|| format!("changed since it worked: {named}{others}"))
}

/// `4 calls of Planner.canBoard were right so far: t trusts the others`
pub fn often_right((method, calls): &(String, usize)) -> String {
    format!("{} calls of {method} were right so far: t trusts the others", count(*calls as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_and_ranges_read_well() {
        assert_eq!([0.004, 0.01, 0.413, 0.999].map(percent), ["< 1 %", "1 %", "41 %", "> 99 %"]);
        assert_eq!(questions_left((1, 1)), "about 1 question left");
        assert_eq!(questions_left((4, 4)), "about 4 questions left");
        assert_eq!(questions_left((3, 1200)), "3 to 1,200 questions left");
    }
}
