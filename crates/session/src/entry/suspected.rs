//! In which streams of a large recording something failed, by what its tables say: outermost calls that ended by an exception. A test
//! that should have thrown it did not fail. What fails without an exception is only found when everything is looked at.

use std::collections::{BTreeMap, HashMap, HashSet};

use base::{MethodId, StreamId};
use past::{FailedCall, Glance};

use super::Testing;
use super::annotations::testing;

/// The streams to look at first, those that say most of what is wrong first; then those that had not ended.
pub fn suspected(glance: &Glance) -> Vec<StreamId> {
    let mut methods: HashMap<MethodId, Option<Testing>> = HashMap::new();
    let last: HashSet<StreamId> =
        glance.by_thread().values().filter_map(|streams| streams.last().map(|one| one.stream)).collect();
    let mut ranked: BTreeMap<StreamId, u8> = BTreeMap::new();
    for call in glance.outline().failed() {
        let known = call.method.map(|method| {
            methods.entry(method).or_insert_with(|| testing(glance.program(), method)).as_ref()
        });
        if let Some(rank) = rank(glance, call, known, &last) {
            let own = ranked.entry(call.stream).or_insert(rank);
            *own = rank.min(*own);
        }
    }
    let unended = glance.streams().filter(|&stream| last.contains(&stream) && !glance.is_ended(stream));
    for stream in unended {
        ranked.entry(stream).or_insert(UNENDED);
    }
    // If nothing failed, nothing says where to begin.
    if ranked.values().all(|&rank| rank == UNENDED) {
        return Vec::new();
    }
    let mut streams: Vec<(u8, StreamId)> = ranked.into_iter().map(|(stream, rank)| (rank, stream)).collect();
    streams.sort_unstable();
    streams.into_iter().map(|(_, stream)| stream).collect()
}

const UNENDED: u8 = 4;

/// The less the more it says; none if it is no failure. `known`: what is known of the method, if that is known.
fn rank(
    glance: &Glance,
    call: &FailedCall,
    known: Option<Option<&Testing>>,
    last: &HashSet<StreamId>,
) -> Option<u8> {
    let is = |class: &str| glance.program().is_subtype(call.exception, class);
    if jdk::testing::NO_FAILURE.iter().any(|class| is(class)) {
        return None;
    }
    match known {
        Some(Some(testing)) if testing.expected.iter().any(|class| is(class)) => None,
        Some(Some(testing)) if testing.expects_by_rule => Some(2),
        Some(Some(_)) => Some(0),
        None => Some(1),
        // What a library called, and caught: unless its thread did nothing after it, or it asserted something.
        Some(None) if is(jdk::names::ASSERTION_ERROR) => Some(1),
        Some(None) => last.contains(&call.stream).then_some(3),
    }
}
