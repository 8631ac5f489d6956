//! From operations to what may have prevented them: for every executed method on a way to one, the shapes of its calls
//! in which that way was not gone. Candidates only; values and times are looked at afterwards.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use past::Past;
use pointsto::{MethodNo, ObjectNo, Solution};
use trace::MethodId;

use super::bodies::{Bodies, MethodBody};
use super::chains::{ChainLinks, Chains};
use super::dominant::{Stop, Way, did_another, is_in_loop, partial_stops, skipped, stops};
use super::operations::Op;
use super::paths::{Base, Done, Path, Resolver};
use super::{OmissionExtent, OmissionOptions, PartialReason, Prevention};
use crate::executed::{Executed, ShapeId};

/// More are not looked at.
const MAX_CANDIDATES: usize = 10_000;
/// Calls behind which a call that went elsewhere is still of interest; and if it is not known whether the object would
/// have been reached.
const ELSEWHERE: u16 = 3;
const ELSEWHERE_UNKNOWN: u16 = 1;

/// The operations of one method that get at the object on the same path, and the ways to them.
pub struct Group {
    pub method: MethodNo,
    pub ops: Vec<Op>,
    pub links: ChainLinks,
}

/// An event of calls of one shape that may have prevented operations of a group.
pub struct Candidate {
    pub method: MethodNo,
    pub id: MethodId,
    pub body: Arc<MethodBody>,
    pub shape: ShapeId,
    /// The instruction that was not executed.
    pub target: u16,
    pub stop: Stop,
    pub extent: OmissionExtent,
    /// The way that was taken led to another operation on the object.
    pub instead: bool,
    pub group: usize,
    /// Which operations of the group.
    pub ops: Arc<[usize]>,
    pub link: Option<u32>,
    /// How the object would have been got at; unknown where values are not asked about.
    pub path: Arc<Path>,
    /// Instructions between the event and the target.
    pub skipped: Arc<HashSet<u16>>,
    /// For a call that went elsewhere: the method that would have led to the operation.
    pub missed: Option<MethodNo>,
}

impl Candidate {
    pub fn calls(&self, groups: &[Group]) -> u16 {
        self.link.map_or(0, |at| groups[self.group].links.list[at as usize].calls)
    }

    /// May code that would have been executed write what the path goes through?
    pub fn reassigns(&self, resolver: &mut Resolver<'_, '_>, groups: &[Group]) -> bool {
        let done = Done { ran: &|_| true, skipped: &|bci| self.skipped.contains(&bci) };
        if resolver.may_reassign(self.method, self.target, Some(done), &self.path) {
            return true;
        }
        let group = &groups[self.group];
        let mut at = self.link;
        while let Some(link) = at.map(|at| &group.links.list[at as usize]) {
            let places: Vec<u16> = match link.next {
                Some(next) => vec![group.links.list[next as usize].bci],
                None => self.ops.iter().map(|&op| group.ops[op].bci).collect(),
            };
            if places.iter().any(|&place| resolver.may_reassign(link.callee, place, None, &self.path)) {
                return true;
            }
            at = link.next;
        }
        false
    }
}

#[derive(Default)]
pub struct Candidates {
    pub groups: Vec<Group>,
    pub candidates: Vec<Candidate>,
    pub partial: Vec<PartialReason>,
}

/// A place in an executed method that leads to operations.
#[derive(Clone)]
struct Target {
    bci: u16,
    group: usize,
    ops: Arc<[usize]>,
    link: Option<u32>,
}

pub struct OmissionSearch<'a, 'p> {
    pub past: &'a Past,
    pub solution: &'a Solution,
    pub executed: &'a Executed,
    pub bodies: &'a mut Bodies<'p>,
    pub options: &'a OmissionOptions,
    /// What paths are to lead to; empty if values are not to decide.
    pub objects: &'a [ObjectNo],
    found: Candidates,
    /// By group: is one of its operations in a loop?
    looping: HashMap<usize, bool>,
}

/// Calls of one shape of a method.
struct Here<'a> {
    method: MethodNo,
    id: MethodId,
    body: &'a Arc<MethodBody>,
    shape: ShapeId,
    way: Way<'a>,
}

impl<'a, 'p> OmissionSearch<'a, 'p> {
    pub fn new(
        past: &'a Past,
        solution: &'a Solution,
        executed: &'a Executed,
        bodies: &'a mut Bodies<'p>,
        options: &'a OmissionOptions,
        objects: &'a [ObjectNo],
    ) -> OmissionSearch<'a, 'p> {
        OmissionSearch {
            past,
            solution,
            executed,
            bodies,
            options,
            objects,
            found: Candidates::default(),
            looping: HashMap::new(),
        }
    }

    pub fn run(mut self, ops: Vec<Op>) -> Candidates {
        let mut chains = Chains::new(self.past, self.solution);
        let mut targets: BTreeMap<MethodNo, Vec<Target>> = BTreeMap::new();
        for (method, path, ops) in self.grouped(ops) {
            let group = self.found.groups.len();
            let links = chains.to(self.bodies, method, &path, self.objects, self.options.chain);
            if links.cut {
                let method = self.solution.member(method).name;
                self.found.partial.push(PartialReason::ManyWays { method });
            }
            for (at, op) in ops.iter().enumerate() {
                let target = Target { bci: op.bci, group, ops: Arc::new([at]), link: None };
                targets.entry(method).or_default().push(target);
            }
            let all: Arc<[usize]> = (0..ops.len()).collect();
            for (at, link) in links.list.iter().enumerate() {
                let target = Target { bci: link.bci, group, ops: all.clone(), link: Some(at as u32) };
                targets.entry(link.method).or_default().push(target);
            }
            self.found.groups.push(Group { method, ops, links });
        }
        let mut unknown = 0;
        for (method, targets) in targets {
            unknown += self.method(method, &targets);
        }
        if unknown > 0 {
            self.found.partial.push(PartialReason::UnknownCalls(unknown));
        }
        if self.found.candidates.len() >= MAX_CANDIDATES {
            self.found.partial.push(PartialReason::ManyCandidates(MAX_CANDIDATES));
        }
        self.found
    }

    /// Operations by method and path.
    fn grouped(&mut self, ops: Vec<Op>) -> Vec<(MethodNo, Path, Vec<Op>)> {
        let mut groups: Vec<(MethodNo, Path, Vec<Op>)> = Vec::new();
        let mut by_key: HashMap<(MethodNo, Path), usize> = HashMap::new();
        for op in ops {
            let body = self.bodies.of(self.solution, op.method);
            let path = match (body, op.operand.filter(|_| !self.objects.is_empty())) {
                (Some(body), Some(operand)) => {
                    self.resolver().operand(op.method, &body, op.bci, operand, None)
                }
                _ => Path::unknown(),
            };
            let at = *by_key.entry((op.method, path.clone())).or_insert_with(|| {
                groups.push((op.method, path, Vec::new()));
                groups.len() - 1
            });
            groups[at].2.push(op);
        }
        groups
    }

    /// Looks at all shapes of a method; gives the calls of which nothing is known.
    fn method(&mut self, method: MethodNo, targets: &[Target]) -> u64 {
        let member = self.bodies.member(self.solution, method);
        let ids = self.bodies.ids(&member).into_iter();
        let ids: Vec<MethodId> = ids.filter(|&id| !self.executed.shapes(id).is_empty()).collect();
        if ids.is_empty() {
            return 0;
        }
        let Some(body) = self.bodies.of(self.solution, method) else { return 0 };
        let mut by_place: BTreeMap<u16, Vec<&Target>> = BTreeMap::new();
        for target in targets {
            by_place.entry(target.bci).or_default().push(target);
        }
        let places: Vec<u16> = by_place.keys().copied().collect();
        let mut unknown = 0;
        for id in ids {
            for &shape in self.executed.shapes(id) {
                let facts = self.executed.shape(shape);
                if facts.unknown {
                    unknown += facts.calls;
                    continue;
                }
                let ran = |bci: u16| facts.ran(&body.code, bci);
                let way = Way::new(&body.code, &facts.thrown, |edge| facts.took(edge), ran);
                let here = Here { method, id, body: &body, shape, way };
                for (&place, targets) in &by_place {
                    self.place(&here, place, targets, &places);
                }
            }
        }
        unknown
    }

    fn place(&mut self, here: &Here<'_>, bci: u16, targets: &[&Target], places: &[u16]) {
        let way = &here.way;
        let ran = way.ran(bci);
        let (stops, extent) = match ran {
            false => (stops(way, bci), OmissionExtent::Total),
            true => (partial_stops(way, bci), OmissionExtent::Partial),
        };
        let judged = stops.into_iter().map(|stop| (did_another(way, &stop, places), stop));
        // That something else was done in the other iterations is no omission of this.
        let stops: Vec<(bool, Stop)> =
            judged.filter(|(instead, _)| extent == OmissionExtent::Total || !instead).collect();
        if !stops.is_empty() {
            // Only values are asked about that.
            let skipped = if self.objects.is_empty() { HashSet::new() } else { skipped(way, bci) };
            let skipped = Arc::new(skipped);
            for target in targets {
                if extent == OmissionExtent::Partial && self.is_far(target) {
                    continue;
                }
                let Some(path) = self.path(here, target, &skipped, false).map(Arc::new) else { continue };
                for (instead, stop) in stops.iter().cloned() {
                    let (path, skipped) = (path.clone(), skipped.clone());
                    self.add(here, target, stop, (extent, instead), path, skipped, None);
                }
            }
        }
        if ran {
            for target in targets {
                self.elsewhere(here, target);
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "all that a candidate is")]
    fn add(
        &mut self,
        here: &Here<'_>,
        target: &Target,
        stop: Stop,
        (extent, instead): (OmissionExtent, bool),
        path: Arc<Path>,
        skipped: Arc<HashSet<u16>>,
        missed: Option<MethodNo>,
    ) {
        if self.found.candidates.len() == MAX_CANDIDATES {
            return;
        }
        self.found.candidates.push(Candidate {
            method: here.method,
            id: here.id,
            body: here.body.clone(),
            shape: here.shape,
            target: target.bci,
            stop,
            extent,
            instead,
            group: target.group,
            ops: target.ops.clone(),
            link: target.link,
            path,
            skipped,
            missed,
        });
    }

    /// Too far from the operation for a partial omission: it has a loop of its own, or there are calls in between.
    fn is_far(&mut self, target: &Target) -> bool {
        let group = &self.found.groups[target.group];
        let Some(link) = target.link.map(|at| &group.links.list[at as usize]) else { return false };
        if link.calls > 1 {
            return true;
        }
        *self.looping.entry(target.group).or_insert_with(|| {
            let body = self.bodies.of(self.solution, group.method);
            body.is_none_or(|body| group.ops.iter().any(|op| is_in_loop(&body.code, op.bci)))
        })
    }

    /// A call that was made, but may have gone to another method than the one that leads to the operation.
    fn elsewhere(&mut self, here: &Here<'_>, target: &Target) {
        let Some(at) = target.link else { return };
        let link = &self.found.groups[target.group].links.list[at as usize];
        let (back, callee, calls) = (link.back, link.callee, link.calls);
        let chosen = self.solution.callees(here.method, target.bci).len() > 1;
        let known = link.path.base != Base::Unknown || self.objects.is_empty();
        if calls > (if known { ELSEWHERE } else { ELSEWHERE_UNKNOWN }) || !(back || chosen) {
            return;
        }
        let kind = if back { Prevention::Uncalled } else { Prevention::Dispatch };
        let skipped = Arc::new(HashSet::new());
        let Some(path) = self.path(here, target, &skipped, !back) else { return };
        if path.base == Base::Unknown && calls > ELSEWHERE_UNKNOWN && !self.objects.is_empty() {
            return;
        }
        let stop = Stop { bci: target.bci, kind, ways: Vec::new() };
        self.add(here, target, stop, (OmissionExtent::Total, false), Arc::new(path), skipped, Some(callee));
    }

    /// How operations would have got at the object, from the executed method; none if they would not have. `other`: the
    /// call would have had another receiver.
    fn path(
        &mut self,
        here: &Here<'_>,
        target: &Target,
        skipped: &HashSet<u16>,
        other: bool,
    ) -> Option<Path> {
        if self.objects.is_empty() {
            return Some(Path::unknown());
        }
        let done = Done { ran: &|bci| here.way.ran(bci), skipped: &|bci| skipped.contains(&bci) };
        let group = &self.found.groups[target.group];
        let mut resolver = Resolver { bodies: self.bodies, solution: self.solution };
        let path = match target.link {
            None => {
                let operand = group.ops[target.ops[0]].operand?;
                resolver.operand(here.method, here.body, target.bci, operand, Some(done))
            }
            Some(at) => {
                let link = &group.links.list[at as usize];
                // The object's own class decides where calls on it go.
                if other && *link.path == Path::of(Base::Argument(0)) {
                    return None;
                }
                let path = resolver.through(here.body, link, &link.path, Some(done), other);
                if link.back && link.calls > 1 && path.base == Base::Unknown {
                    return None;
                }
                path
            }
        };
        (!path.is_nothing()).then_some(path)
    }

    fn resolver(&mut self) -> Resolver<'_, 'p> {
        Resolver { bodies: self.bodies, solution: self.solution }
    }
}
