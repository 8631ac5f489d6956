//! What is left of the candidates, bundled by place and operation, the most telling first. Everything is a number until
//! it is shown: there may be thousands, and names are long.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use past::{CallId, Time};
use pointsto::{CodePoint, MemberName, MethodNo, Solution};
use trace::Site;

use super::search::{Candidate, Group};
use super::{Certainty, ChainCall, Omission, OmissionExtent, Operation, Prevention};

/// Events that one omission lists.
const LISTED: usize = 100;

/// The number of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct ChainNo(usize);

/// A call on the way: its instruction, what it calls, and whether a library calls that back.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct StepNo {
    method: MethodNo,
    bci: u16,
    callee: MethodNo,
    back: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    at: Site,
    kind: Prevention,
    extent: OmissionExtent,
    /// The operation.
    method: MethodNo,
    bci: u16,
    chain: ChainNo,
}

struct Bundle<'a> {
    operation: &'a Operation,
    calls: u16,
    instead: bool,
    certain: Vec<(Time, CallId)>,
    possible: Vec<(Time, CallId)>,
    /// Something was not looked at.
    more: bool,
}

pub struct Bundles<'a> {
    solution: &'a Solution,
    bundles: HashMap<Key, Bundle<'a>>,
    chains: Vec<Vec<StepNo>>,
    numbers: HashMap<Vec<StepNo>, ChainNo>,
    /// By group and link.
    known: HashMap<(usize, Option<u32>), ChainNo>,
}

impl<'a> Bundles<'a> {
    pub fn new(solution: &'a Solution) -> Bundles<'a> {
        let (bundles, numbers, known) = (HashMap::new(), HashMap::new(), HashMap::new());
        Bundles { solution, bundles, chains: Vec::new(), numbers, known }
    }

    pub fn add(
        &mut self,
        candidate: &Candidate,
        groups: &'a [Group],
        certain: &[(Time, CallId)],
        possible: &[(Time, CallId)],
        more: bool,
    ) {
        let chain = self.chain(candidate, groups);
        let group = &groups[candidate.group];
        for op in candidate.ops.iter().map(|&op| &group.ops[op]) {
            let key = Key {
                at: Site { method: candidate.id, bci: candidate.stop.bci },
                kind: candidate.stop.kind,
                extent: candidate.extent,
                method: op.method,
                bci: op.bci,
                chain,
            };
            let bundle = self.bundles.entry(key).or_insert_with(|| Bundle {
                operation: &op.operation,
                calls: candidate.calls(groups),
                instead: true,
                certain: Vec::new(),
                possible: Vec::new(),
                more: false,
            });
            if bundle.certain.is_empty() && !certain.is_empty() {
                bundle.operation = &op.operation;
            }
            bundle.instead &= candidate.instead;
            bundle.certain.extend(certain);
            bundle.possible.extend(possible);
            bundle.more |= more;
        }
    }

    fn chain(&mut self, candidate: &Candidate, groups: &[Group]) -> ChainNo {
        let at = (candidate.group, candidate.link);
        if let Some(&known) = self.known.get(&at) {
            return known;
        }
        let links = groups[candidate.group].links.on_from(candidate.link);
        let steps = links.map(|link| {
            let (method, bci, callee, back) = (link.method, link.bci, link.callee, link.back);
            StepNo { method, bci, callee, back }
        });
        let steps: Vec<StepNo> = steps.collect();
        let chains = &mut self.chains;
        let number = *self.numbers.entry(steps).or_insert_with_key(|steps| {
            chains.push(steps.clone());
            ChainNo(chains.len() - 1)
        });
        self.known.insert(at, number);
        number
    }

    /// The most telling first, as many as are wanted.
    pub fn ranked(self, limit: usize) -> Vec<Omission> {
        let names = self.names();
        // Whatever ranks the same comes in the order of its names.
        let named = |method: MethodNo| names.get(&method).map_or(0, |(number, _)| *number);
        let chains: Vec<Vec<_>> = self
            .chains
            .iter()
            .map(|chain| {
                let numbers =
                    chain.iter().map(|step| (named(step.method), step.bci, named(step.callee), step.back));
                numbers.collect()
            })
            .collect();
        let ranked = self.bundles.into_iter().map(|(key, mut bundle)| {
            let certain = !bundle.certain.is_empty();
            let events = if certain { &mut bundle.certain } else { &mut bundle.possible };
            events.sort_unstable();
            events.dedup();
            let last = events.last().map(|&(time, _)| time);
            let late = matches!(key.kind, Prevention::Dispatch | Prevention::Uncalled);
            let lesser = key.extent == OmissionExtent::Partial || bundle.instead;
            let weak =
                (bundle.instead, key.kind != Prevention::LoopEnd && key.extent == OmissionExtent::Partial);
            let rank = (lesser, !certain, weak, late, bundle.calls, Reverse(last));
            let place = (key.at, key.kind, key.extent, named(key.method), key.bci);
            (rank, place, key, bundle)
        });
        let mut list: Vec<_> = ranked.collect();
        list.sort_unstable_by(|one, other| {
            let by_chain = || chains[one.2.chain.0].cmp(&chains[other.2.chain.0]);
            (one.0, one.1).cmp(&(other.0, other.1)).then_with(by_chain)
        });
        list.truncate(limit);
        let member = |method: MethodNo| names[&method].1.clone();
        let shown = list.into_iter().map(|(_, _, key, bundle)| {
            let certain = !bundle.certain.is_empty();
            let events = if certain { bundle.certain } else { bundle.possible };
            let steps = self.chains[key.chain.0].iter().map(|step| ChainCall {
                site: CodePoint { method: member(step.method), bci: step.bci },
                to: member(step.callee),
                back: step.back,
            });
            Omission {
                at: key.at,
                kind: key.kind,
                count: (!bundle.more).then_some(events.len() as u64),
                events: events.into_iter().take(LISTED).map(|(time, call)| (call, time)).collect(),
                chain: steps.collect(),
                place: CodePoint { method: member(key.method), bci: key.bci },
                operation: bundle.operation.clone(),
                certainty: if certain { Certainty::Certain } else { Certainty::Possible },
                extent: key.extent,
                instead: bundle.instead,
            }
        });
        shown.collect()
    }

    /// The methods that are to be named, with their places in the order of names.
    fn names(&self) -> HashMap<MethodNo, (usize, MemberName)> {
        let steps = self.chains.iter().flatten().flat_map(|step| [step.method, step.callee]);
        let all: BTreeSet<MethodNo> = steps.chain(self.bundles.keys().map(|key| key.method)).collect();
        let mut named: Vec<(MemberName, MethodNo)> =
            all.into_iter().map(|method| (self.solution.member(method), method)).collect();
        named.sort_unstable();
        named.into_iter().enumerate().map(|(at, (name, method))| (method, (at, name))).collect()
    }
}
