//! What a verdict takes for granted: code in the guilty call that nobody judged because it is a library's, or because a
//! person trusts it. The defect may as well be there, so it is named.

use std::collections::BTreeMap;

use analysis::observed::RunClasses;
use base::{CallId, Target};
use past::Past;

use super::Guilty;
use crate::oracle::TrustedCode;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedPart {
    /// `rates.jar`; the package where it is not known which jar it is, the method for what a person trusts.
    pub name: String,
    pub calls: u64,
}

/// Calls that are looked at, at most.
const MAX_CALLS: u32 = 1_000_000;

/// The most called first. The JDK is left out, and so is who runs tests.
pub(super) fn trusted(past: &Past, found: &Guilty<'_>) -> Vec<TrustedPart> {
    let Some(call) = found.subject.call() else { return Vec::new() };
    let Some(row) = past.call_row(call) else { return Vec::new() };
    let (mut libraries, mut methods) = (BTreeMap::<String, u64>::new(), BTreeMap::<String, u64>::new());
    let mut index = call.index + 1;
    let end = call.index + row.size.min(MAX_CALLS);
    while index < end {
        let id = CallId { index, ..call };
        let Some(row) = past.call_row(id) else { break };
        let said = found.trust.trusts_call(past, id).map(|rule| &rule.code);
        index += match (row.target, said) {
            (Target::Library(_), _) => {
                *libraries.entry(past.target(row.target).0).or_default() += 1;
                1
            }
            (_, Some(TrustedCode::Named { .. })) => {
                *methods.entry(past.method_name(row.target)).or_default() += 1;
                row.size.max(1)
            }
            // What compilers write only leads to what is the program's.
            (_, Some(_)) => 1,
            // It was judged, or is settled by what was.
            (_, None) => row.size.max(1),
        };
    }
    libraries.retain(|owner, _| !jdk::owner::is_jdk(owner) && !jdk::testing::is_runner(owner));
    let mut parts = methods;
    if !libraries.is_empty() {
        let classes = RunClasses::new(past);
        let path = classes.path();
        for (owner, calls) in libraries {
            let place = path.place_of(&owner);
            if place.is_some() && place == path.image() {
                continue;
            }
            let jar = place.and_then(|place| Some(place.file_name()?.to_string_lossy().into_owned()));
            let package =
                || owner.rsplit_once('/').map_or(owner.clone(), |(package, _)| package.replace('/', "."));
            *parts.entry(jar.unwrap_or_else(package)).or_default() += calls;
        }
    }
    let mut parts: Vec<TrustedPart> =
        parts.into_iter().map(|(name, calls)| TrustedPart { name, calls }).collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.calls));
    parts
}
