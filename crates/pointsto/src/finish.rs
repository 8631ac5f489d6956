//! The end of the analysis: what is asked for later is copied out of the graph, every set once. A lambda's own method,
//! which no class file has, is replaced by what it calls.

use std::collections::hash_map::Entry;

use crate::graph::{GraphNode, NO_NODE};
use crate::hash::Map;
use crate::hierarchy::{ClassIndex, ClassState, MethodIndex};
use crate::lists::{Lists, Texts};
use crate::names::Name;
use crate::set::Set;
use crate::solution::{ELEMENTS, MethodNo, MethodRow, NOWHERE, ObjectNo, ObjectRow, Solution, UsedRow};
use crate::world::{self, CallSite, World};

/// Sets by content; the graph's own are taken, since it is not needed any more.
#[derive(Default)]
struct Sets {
    all: Vec<Set>,
    by_hash: Map<u64, Vec<u32>>,
    of_node: Map<GraphNode, u32>,
}

impl Sets {
    fn number(&mut self, world: &mut World<'_>, node: GraphNode) -> u32 {
        if node == NO_NODE {
            return 0;
        }
        let node = world.graph.find(node);
        match self.of_node.entry(node) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let set = world.graph.take_points(node);
                let same = self.by_hash.entry(set.digest()).or_default();
                let number = match same.iter().find(|&&n| self.all[n as usize].same(&set)) {
                    Some(&n) => n,
                    None => {
                        let n = self.all.len() as u32;
                        self.all.push(set);
                        same.push(n);
                        n
                    }
                };
                *new.insert(number)
            }
        }
    }
}

#[derive(Default)]
struct Words {
    texts: Texts,
    numbers: Map<Name, u32>,
}

impl Words {
    fn number(&mut self, world: &World<'_>, name: Name) -> u32 {
        match self.numbers.entry(name) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => *new.insert(self.texts.push(&world.h.names.text(name))),
        }
    }
}

impl World<'_> {
    pub fn finish(mut self) -> Solution {
        let mut sets = Sets::default();
        sets.by_hash.insert(Set::default().digest(), vec![0]);
        sets.all.push(Set::default());
        let mut words = Words::default();
        let numbers = self.number_methods();
        let mut s = Solution::default();
        let methods: Vec<MethodIndex> = numbers.order.clone();
        for &m in &methods {
            let method = self.h.method(m);
            let sig = self.h.sigs.get(method.sig);
            s.methods.push(MethodRow {
                class: method.class.0,
                name: words.number(&self, sig.name),
                descriptor: words.number(&self, sig.descriptor),
                program: self.h.is_program(m),
                reached: self.reached_at.contains_key(&m),
            });
        }
        self.finish_classes(&mut s, &mut words);
        self.finish_used(&mut s, &methods, &mut sets);
        self.finish_calls(&mut s, &numbers, &mut sets);
        self.finish_objects(&mut s, &numbers, &mut words, &mut sets);
        s.sets = sets.all;
        s.texts = words.texts;
        s.left_out = std::mem::take(&mut self.h.left_out);
        s.left_out.sort();
        s.left_out.dedup();
        s
    }

    /// Reached methods first, then the rest of the program's classes that were read.
    fn number_methods(&self) -> Numbers {
        let mut order: Vec<MethodIndex> = self
            .reached
            .iter()
            .map(|r| r.method)
            .filter(|&m| !self.lambdas.contains_key(&self.h.method(m).class))
            .collect();
        for c in self.h.classes.iter().filter(|c| c.program && c.state == ClassState::Loaded) {
            order.extend(c.methods.clone().map(MethodIndex).filter(|m| !self.reached_at.contains_key(m)));
        }
        let by_id = order.iter().enumerate().map(|(n, &m)| (m, MethodNo(n as u32))).collect();
        Numbers { order, by_id }
    }

    fn finish_classes(&mut self, s: &mut Solution, words: &mut Words) {
        let count = self.h.classes.len() as u32;
        for c in (0..count).map(ClassIndex) {
            let class = &self.h.classes[c.0 as usize];
            let (name, named) = (class.name, class.state == ClassState::Named);
            let number = words.number(self, name);
            s.classes.push(number);
            let supers = if named { Box::default() } else { self.h.supers(c) };
            s.supers.push(supers.iter().map(|c| c.0));
        }
        // Looking for supertypes may have met new names.
        for c in count..self.h.classes.len() as u32 {
            let name = self.h.classes[c as usize].name;
            let number = words.number(self, name);
            s.classes.push(number);
            s.supers.push([]);
        }
    }

    fn finish_used(&mut self, s: &mut Solution, methods: &[MethodIndex], sets: &mut Sets) {
        for &m in methods {
            let mut row = Vec::new();
            let mut parameters = Vec::new();
            let mut given = Vec::new();
            if let Some(&at) = self.reached_at.get(&m) {
                let r = &self.reached[at as usize];
                let (used, first, count) = (r.used.clone(), r.parameters, r.count);
                given.extend_from_slice(&self.given[r.given.start as usize..r.given.end as usize]);
                for u in used {
                    let u = self.used[u as usize];
                    let set = sets.number(self, u.node);
                    row.push(UsedRow { bci: u.bci, operand: u.operand, written: u.written, set });
                }
                row.sort_by_key(|u: &UsedRow| (u.bci, u.operand, !u.written));
                row.dedup_by_key(|u| (u.bci, u.operand));
                let positions = self.h.sigs.get(self.h.method(m).sig).parameters.len() + 1;
                if count > 0 {
                    for n in 0..positions.min(255) {
                        let node = self.position(m, n as u8).filter(|&p| p < count);
                        parameters.push(node.map_or(0, |p| sets.number(self, first + p)));
                    }
                }
            }
            s.used.push(row);
            s.parameters.push(parameters);
            s.given.push(given);
        }
    }

    fn finish_calls(&mut self, s: &mut Solution, numbers: &Numbers, sets: &mut Sets) {
        let count = numbers.order.len();
        let mut made: Map<u32, Vec<MethodIndex>> = Map::default();
        for &(site, target) in &self.calls {
            let caller = self.sites[site as usize].caller;
            if !numbers.by_id.contains_key(&self.reached[caller as usize].method) {
                made.entry(caller).or_default().push(target);
            }
        }
        // Caller, place, callee; a place without callees too.
        let mut edges: Vec<(u32, u16, u32)> = Vec::with_capacity(self.calls.len());
        let mut results: Vec<(u32, (u16, u32))> = Vec::new();
        for site in self.sites.clone() {
            let Some(&caller) = numbers.by_id.get(&self.reached[site.caller as usize].method) else {
                continue;
            };
            edges.push((caller.0, site.bci, NOWHERE));
            if site.to != NO_NODE && s.methods[caller.0 as usize].program {
                results.push((caller.0, (site.bci, sets.number(self, site.to))));
            }
        }
        for &(site, target) in &self.calls {
            let CallSite { caller, bci, .. } = self.sites[site as usize];
            let Some(&caller) = numbers.by_id.get(&self.reached[caller as usize].method) else { continue };
            let mut targets = vec![target];
            let mut seen = Vec::new();
            while let Some(t) = targets.pop() {
                if let Some(n) = numbers.by_id.get(&t) {
                    edges.push((caller.0, bci, n.0));
                } else if let Some(&at) = self.reached_at.get(&t)
                    && !seen.contains(&at)
                {
                    seen.push(at);
                    targets.extend(made.get(&at).into_iter().flatten());
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        results.sort_unstable();
        results.dedup_by_key(|r| (r.0, r.1.0));
        s.results = Lists::group(results, count);
        let mut places: Vec<(u32, (u16, u32, u32))> = Vec::new();
        for &(caller, bci, callee) in &edges {
            let at = s.callees.len() as u32;
            match places.last_mut() {
                Some((c, (b, ..))) if (*c, *b) == (caller, bci) => {}
                _ => places.push((caller, (bci, at, at))),
            }
            if callee != NOWHERE {
                s.callees.push(MethodNo(callee));
                if let Some((_, (_, _, end))) = places.last_mut() {
                    *end = at + 1;
                }
            }
        }
        s.calls = Lists::group(places, count);
        let mut callers: Vec<(u32, (MethodNo, u16))> =
            edges.iter().filter(|e| e.2 != NOWHERE).map(|e| (e.2, (MethodNo(e.0), e.1))).collect();
        callers.sort_unstable();
        s.callers = Lists::group(callers, count);
    }

    fn finish_objects(&mut self, s: &mut Solution, numbers: &Numbers, words: &mut Words, sets: &mut Sets) {
        for (n, o) in self.objects.iter().enumerate() {
            let place = o.created.and_then(|(m, bci)| Some((*numbers.by_id.get(&m)?, bci)));
            let (method, bci) = place.map_or((NOWHERE, 0), |(m, bci)| (m.0, bci));
            s.objects.push(ObjectRow { class: o.class.0, method, bci });
            if let Some((m, bci)) = place {
                s.created.push((m, bci, ObjectNo(n as u32)));
            }
        }
        s.created.sort_unstable();
        let mut fields: Vec<((u32, u32), GraphNode)> = self.fields.iter().map(|(&k, &v)| (k, v)).collect();
        fields.sort_unstable();
        let mut contents = Vec::with_capacity(fields.len());
        for ((object, field), node) in fields {
            let set = sets.number(self, node);
            if set != 0 {
                let name = if field == world::ELEMENTS {
                    ELEMENTS
                } else {
                    let name = self.h.fields[field as usize].name;
                    words.number(self, name)
                };
                contents.push((object, (name, set)));
            }
        }
        s.contents = Lists::group(contents, self.objects.len());
    }
}

struct Numbers {
    order: Vec<MethodIndex>,
    by_id: Map<MethodIndex, MethodNo>,
}
