//! Failures that likely have one cause: those of which the same code is believed to be wrong most, before anybody was asked. Somebody
//! waits for the list, so what is not worked out in time stands by itself.

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

const MOST: Duration = Duration::from_millis(1500);

/// Places in the list, of which those of a group likely have one cause. In the order of the list, by their first.
pub fn groups(run: &mut Run, list: &[Failure], settings: &Settings) -> Result<Vec<Vec<usize>>> {
    if list.len() < 2 {
        return Ok((0..list.len()).map(|at| vec![at]).collect());
    }
    let (places, jvms): (Vec<PathBuf>, Vec<Arc<Past>>) =
        mem::take(&mut run.jvms).into_iter().map(|(place, past)| (place, Arc::new(past))).unzip();
    let began = Instant::now();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut by_cause: HashMap<String, usize> = HashMap::new();
    for (at, failure) in list.iter().enumerate() {
        let cause = (began.elapsed() < MOST).then(|| cause(&jvms[failure.listed.jvm], failure)).flatten();
        match cause {
            Some(cause) => match by_cause.get(&cause) {
                Some(&group) => groups[group].push(at),
                None => {
                    by_cause.insert(cause, groups.len());
                    groups.push(vec![at]);
                }
            },
            None => groups.push(vec![at]),
        }
    }
    for (place, past) in places.into_iter().zip(jvms) {
        let past = match Arc::into_inner(past) {
            Some(past) => past,
            None => opened::failed(open::as_it_is(place.clone()), settings)?,
        };
        run.jvms.push((place, past));
    }
    Ok(groups)
}

/// The method that is likeliest to be wrong.
fn cause(past: &Arc<Past>, failure: &Failure) -> Option<String> {
    let places = session::likely(past, &failure.listed.symptom, None).ok()?;
    past.make_room();
    if std::env::var_os("INQUEST_DEBUG_ALIKE").is_some() {
        for place in places.iter().take(4) {
            eprintln!("{} {} {:.2}", failure.name, place.method, place.chance);
        }
    }
    places.into_iter().next().map(|place| place.method)
}
