//! A recording of tests that pass: what was called there is right. It only ever says that a call is: a call of the
//! same code that was asked the same and answered the same.

use std::collections::{HashMap, HashSet};

use base::{CallId, MethodId, Target};
use past::{MethodGroup, Past};

use super::OracleError;
use super::reference::looks;
use crate::entry::{SymptomReason, symptom};
use crate::fingerprint::{Fingerprint, Fingerprints, code, fingerprints};

/// Calls of one method that are known of, at most.
const MAX_LISTED: u64 = 500_000;
/// Calls with the same arguments that are looked into, at most.
const MAX_COMPARED: usize = 400;

pub struct Passing {
    past: Past,
    /// Methods by owner, name and descriptor.
    groups: HashMap<(String, String, String), MethodGroup>,
    listed: HashMap<MethodGroup, HashMap<Fingerprint, Vec<CallId>>>,
    /// Calls whose fingerprints are made are taken out of `listed` and kept here.
    known: HashSet<Fingerprints>,
    codes: HashMap<MethodId, Option<Fingerprint>>,
}

impl Passing {
    /// A recording with a test that failed, or that ended by an exception, does not say what is right.
    pub fn new(past: Past, name: &str) -> Result<Passing, OracleError> {
        let symptom = symptom(&past, None).ok().flatten();
        let failed = symptom.and_then(|symptom| match symptom.why {
            SymptomReason::FailedTest { test, message, .. } => Some(format!("{test} failed: {message}")),
            SymptomReason::Uncaught { exception } => Some(format!("it ended by {exception}")),
            SymptomReason::Named | SymptomReason::Main | SymptomReason::FirstCall => None,
        });
        if let Some(why) = failed {
            return Err(OracleError::NotPassing { name: name.to_owned(), why });
        }
        let methods = past.methods();
        let groups = methods.map(|(group, owner, name, descriptor, _)| {
            ((owner.to_owned(), name.to_owned(), descriptor.to_owned()), group)
        });
        let groups = groups.collect();
        let (listed, known, codes) = (HashMap::new(), HashSet::new(), HashMap::new());
        Ok(Passing { past, groups, listed, known, codes })
    }

    /// Was the same asked and answered in a test that passed?
    pub fn confirms(&mut self, past: &Past, call: CallId) -> bool {
        self.find(past, call).unwrap_or(false)
    }

    fn find(&mut self, past: &Past, call: CallId) -> Option<bool> {
        let row = past.call_row(call)?;
        let Target::Method(method) = row.target else { return None };
        let group = *self.groups.get(&past.target(row.target))?;
        let looks = looks(past, call)?;
        if !self.has_code(group, code(past.program(), method)?) {
            return None;
        }
        let wanted = fingerprints(past, call)?;
        if self.known.contains(&wanted) {
            return Some(true);
        }
        let mut calls = std::mem::take(self.candidates(group).get_mut(&looks)?);
        let mut found = false;
        while !found && let Some(other) = calls.pop() {
            let Some(prints) = fingerprints(&self.past, other) else { continue };
            self.known.insert(prints);
            found = prints == wanted;
        }
        self.candidates(group).insert(looks, calls);
        Some(found)
    }

    fn has_code(&mut self, group: MethodGroup, wanted: Fingerprint) -> bool {
        let (past, codes) = (&self.past, &mut self.codes);
        let method = past.ranked(group, 0).and_then(|call| past.method_of(call));
        method.is_some_and(|method| {
            let code = codes.entry(method).or_insert_with(|| code(past.program(), method));
            *code == Some(wanted)
        })
    }

    fn candidates(&mut self, group: MethodGroup) -> &mut HashMap<Fingerprint, Vec<CallId>> {
        let past = &self.past;
        self.listed.entry(group).or_insert_with(|| {
            let mut listed: HashMap<Fingerprint, Vec<CallId>> = HashMap::new();
            let count = past.call_count(group).min(MAX_LISTED);
            for call in (0..count).rev().filter_map(|rank| past.ranked(group, rank)) {
                if let Some(looks) = looks(past, call) {
                    let calls = listed.entry(looks).or_default();
                    if calls.len() < MAX_COMPARED {
                        calls.push(call);
                    }
                }
            }
            listed
        })
    }
}
