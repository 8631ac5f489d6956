//! Failures that likely have one cause. Those that show at the same place of the program, or at the same line of one test that runs with
//! several values, are taken for one. Of the rest the fewest methods are looked for of which each failure has one among those that
//! are believed to be wrong most, before anybody was asked. It is a guess, and is called one: each failure keeps its number.

use std::collections::HashMap;
use std::mem;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use past::{Past, Settings};

use super::failures::Failure;
use crate::open;
use crate::opened;
use crate::symptoms::Run;

/// Somebody waits for the list: what is not worked out by then stands by itself.
const MOST: Duration = Duration::from_millis(1200);
/// A method may be the cause if it is at least so likely as a share of the likeliest.
const NEARLY: f64 = 0.5;

/// Places in the list, of which those of a group likely have one cause. In the order of the list, by their first.
pub fn groups(run: &mut Run, list: &[Failure], settings: &Settings) -> Result<Vec<Vec<usize>>> {
    let mut groups = by_place(list);
    if groups.len() < 2 {
        return Ok(groups);
    }
    let (places, jvms): (Vec<PathBuf>, Vec<Arc<Past>>) =
        mem::take(&mut run.jvms).into_iter().map(|(place, past)| (place, Arc::new(past))).unzip();
    let began = Instant::now();
    let mut causes: Vec<HashMap<String, f64>> = Vec::new();
    for group in &groups {
        let failure = &list[group[0]];
        let known = failure.is_test && began.elapsed() < MOST;
        causes.push(if known { causes_of(&jvms[failure.listed.jvm], failure) } else { HashMap::new() });
    }
    for (place, past) in places.into_iter().zip(jvms) {
        let past = match Arc::into_inner(past) {
            Some(past) => past,
            None => opened::failed(open::as_it_is(place.clone()), settings)?,
        };
        run.jvms.push((place, past));
    }
    let mut merged: Vec<Vec<usize>> = Vec::new();
    for together in fewest(&causes) {
        let mut all: Vec<usize> =
            together.into_iter().flat_map(|group| mem::take(&mut groups[group])).collect();
        all.sort_unstable();
        merged.push(all);
    }
    merged.sort_unstable();
    Ok(merged)
}

/// Those that show at one place, in the order of the list.
fn by_place(list: &[Failure]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut known: HashMap<(String, Option<u32>, &str), usize> = HashMap::new();
    for (at, failure) in list.iter().enumerate() {
        let row = &failure.row;
        let Some(file) = row.place.file.clone().filter(|_| row.place.line.is_some()) else {
            groups.push(vec![at]);
            continue;
        };
        // An assertion is somebody's helper, perhaps: it must be the same test, too.
        let test = if row.kind == "assertion" { failure.method() } else { row.kind.as_str() };
        let group = *known.entry((file, row.place.line, test)).or_insert(groups.len());
        match groups.get_mut(group) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    groups
}

/// The methods that may be the cause, and how likely each is.
fn causes_of(past: &Arc<Past>, failure: &Failure) -> HashMap<String, f64> {
    let places = session::likely(past, &failure.listed.symptom, None).unwrap_or_default();
    past.make_room();
    let most = places.first().map_or(0.0, |place| place.chance);
    places
        .into_iter()
        .filter(|place| place.chance >= most * NEARLY)
        .map(|one| (one.method, one.chance))
        .collect()
}

/// Groups of failures of which each has a common cause, as few as the one that explains most at each step gives.
fn fewest(causes: &[HashMap<String, f64>]) -> Vec<Vec<usize>> {
    let mut left: Vec<usize> = (0..causes.len()).collect();
    let mut groups = Vec::new();
    while !left.is_empty() {
        let mut explained: HashMap<&str, (usize, f64)> = HashMap::new();
        for (cause, chance) in left.iter().flat_map(|&at| &causes[at]) {
            let (count, sum) = explained.entry(cause).or_default();
            *count += 1;
            *sum += chance;
        }
        // Names last, so that the same run is always told in the same way.
        let best = explained.into_iter().max_by(|(name, (count, sum)), (other, (more, larger))| {
            count.cmp(more).then(sum.total_cmp(larger)).then(other.cmp(name))
        });
        let Some((cause, _)) = best else {
            groups.extend(left.drain(..).map(|at| vec![at]));
            break;
        };
        let (together, rest) = left.iter().partition(|&&at| causes[at].contains_key(cause));
        groups.push(together);
        left = rest;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn causes(all: &[&[(&str, f64)]]) -> Vec<HashMap<String, f64>> {
        all.iter().map(|one| one.iter().map(|&(name, chance)| (name.to_owned(), chance)).collect()).collect()
    }

    #[test]
    fn one_cause_explains_as_many_failures_as_it_can() {
        let all = causes(&[
            &[("Money.share", 0.3), ("Cart.add", 0.2)],
            &[("Cart.total", 0.4), ("Money.share", 0.3)],
            &[("Stock.take", 0.9)],
            &[],
            &[("Money.share", 0.1)],
        ]);
        assert_eq!(fewest(&all), [vec![0, 1, 4], vec![2], vec![3]]);
        assert_eq!(fewest(&[]), Vec::<Vec<usize>>::new());
    }
}
