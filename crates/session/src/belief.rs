//! What is believed of the code of a recording: which methods are how likely wrong before anything is answered, which calls
//! would show it, and what answers made of that. The arithmetic is `strategy`'s; here is what only the recording knows.
//!
//! Where the part that is looked at is small enough to be replayed, a hypothesis is about what a branch leads to, and its
//! calls are those that took it: a call that was right and went another way says nothing of it. Otherwise it is about a
//! method as a whole.

mod calls;
mod changed;
mod clues;
mod places;
mod prior;
mod spectrum;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use base::MethodId;
use strategy::{Belief, CallClass, Hypothesis, Judgement, UnitId};
use tree::{CodeGroup, Fragment, MemoryTree, Node, PlainRow, Suspicion, Tree};

use crate::answer::Author;
use crate::plain::PlainTree;
use crate::state::SearchState;

pub use changed::{Changed, ChangedError};
pub use clues::Clue;
use clues::Nodes;
pub use places::LikelyPlace;
pub(crate) use places::places;

/// Calls that are listed in all; more are represented by some.
const ROOM: usize = 1 << 16;
/// For what lies outside of the part that is looked at.
const ROOM_OUTSIDE: usize = 1 << 14;
/// How likely it is in what was changed, if somebody says what was.
const IN_CHANGED: f64 = 0.85;
/// A clue that leads to less code than this share of an average method says little.
const LITTLE: f64 = 0.2;
/// A method that is twice as large is wrong 2^this times as often: much of a large one is plain.
const SIZE: f64 = 0.3;
/// The share of a method's code that is in its loops, where these are asked about on their own.
const IN_LOOPS: f64 = 0.5;

/// What speaks for or against code beside answers.
#[derive(Clone, Debug, Default)]
pub struct Reasons {
    pub changed: Option<Changed>,
    /// The methods that were other code where the program is known to have worked.
    pub other_code: HashSet<MethodId>,
    pub clues: Vec<Clue>,
    /// How many tests that passed in other JVMs of the run ran a method.
    pub tested: HashMap<MethodId, u32>,
}

/// An answer by the calls that it is about, in the plain tree.
pub struct Lesson {
    pub first: Node,
    pub end: Node,
    pub judgement: Judgement,
    pub reliability: f64,
}

/// How far somebody's word is believed.
pub fn reliability(by: &Author) -> f64 {
    match by {
        Author::Person => strategy::PERSON,
        Author::Reference(_) => 0.98,
        Author::Remembered | Author::Rule | Author::Inferred => 0.95,
        Author::Assertion => 0.95,
        Author::Tests(_) | Author::Agent(_) => 0.9,
        Author::Command { reliability, .. } => reliability.share(),
    }
}

/// What is believed before anything was said about what lies in the part that is looked at. `outside`: what was said before
/// of what is not in it; `pointed`: where the value came from that somebody called wrong.
pub fn begin(state: &SearchState, reasons: &Reasons, pointed: Option<&Clue>, outside: &[Lesson]) -> Belief {
    let plain = &state.plain;
    let clues = pointed.map_or(&reasons.clues[..], std::slice::from_ref);
    let clues: Vec<(Nodes, f64)> = clues.iter().map(|clue| (clue.nodes(plain), clue.share)).collect();
    let mut sketch = match &state.tree {
        Some(tree) => of_memory(state, tree, &clues),
        None => of_index(state, &clues),
    };
    let methods = sketch.methods(plain);
    let past = plain.past();
    let priors = prior::priors(past, state.symptom_root(), &methods);
    // Where tests were replayed beside this one, more is known of them than which methods they ran.
    let spectrum = spectrum::spectrum(plain, &methods, &reasons.tested, !state.in_tests.is_empty());
    let own = sketch.own_weights();
    let scale = |(&group, &own): (&CodeGroup, &f64)| {
        let prior = priors.get(&group);
        let factor = prior.map_or(1.0, |prior| prior.factor) * spectrum.get(&group).copied().unwrap_or(1.0);
        // Where nothing was replayed, what there is in the method as a whole counts.
        match sketch.replayed && own > 0.0 {
            true => factor,
            false => factor * prior.map_or(1.0, |prior| prior.substance) / own.max(f64::MIN_POSITIVE),
        }
    };
    let scales: Vec<f64> = sketch.units.iter().zip(&own).map(scale).collect();
    sketch.drafts.iter_mut().for_each(|one| one.weight *= scales[one.unit]);
    let own = sketch.own_weights();
    sketch.drafts.iter_mut().for_each(|one| one.weight *= own[one.unit].powf(SIZE - 1.0) * one.cleared);
    if let Some(changed) = &reasons.changed {
        let touched = changed.touched(past, &methods);
        sketch.favour(IN_CHANGED, |group| touched.contains(&group));
    }
    let other: HashSet<CodeGroup> =
        methods.iter().filter(|(_, id)| reasons.other_code.contains(id)).map(|&(group, _)| group).collect();
    sketch.favour(IN_CHANGED, |group| other.contains(&group));
    sketch.mix(&clues);
    let earlier = earlier(plain, &methods, &priors, outside);
    sketch.finish(earlier)
}

/// A hypothesis before it is weighed against the others.
struct Draft {
    unit: usize,
    weight: f64,
    classes: Vec<u32>,
    /// What tests that passed left of the suspicion, 1 for all of it.
    cleared: f64,
}

/// All that a belief is made from.
#[derive(Default)]
struct Sketch {
    units: Vec<CodeGroup>,
    numbers: HashMap<CodeGroup, usize>,
    classes: Vec<CallClass>,
    /// By class: a bit for each clue that its calls are among.
    clues: Vec<u8>,
    drafts: Vec<Draft>,
    /// Weights are of what was executed.
    replayed: bool,
}

/// What was learned of a method outside of the part that is looked at: ln of how likely the answers are if it is wrong, and
/// how many of its calls were right.
type Earlier = HashMap<CodeGroup, (f64, f64)>;

impl Sketch {
    fn unit(&mut self, group: CodeGroup) -> usize {
        *self.numbers.entry(group).or_insert_with(|| {
            self.units.push(group);
            self.units.len() - 1
        })
    }

    /// What the hypotheses of each unit weigh together.
    fn own_weights(&self) -> Vec<f64> {
        let mut own = vec![0.0; self.units.len()];
        self.drafts.iter().for_each(|one| own[one.unit] += one.weight);
        own
    }

    /// The methods of the units, by any of their calls.
    fn methods(&self, plain: &PlainTree) -> Vec<(CodeGroup, MethodId)> {
        let past = plain.past();
        let wanted: HashSet<u32> = self.units.iter().map(|group| group.0).collect();
        let of = |group| past.ranked(group, 0).and_then(|call| past.method_of(call));
        let methods = past.methods().filter(|(group, ..)| wanted.contains(&group.number()));
        methods.filter_map(|(group, ..)| Some((CodeGroup(group.number()), of(group)?))).collect()
    }

    /// Gives those that pass this share of all that is believed, however few they are.
    fn favour(&mut self, share: f64, passes: impl Fn(CodeGroup) -> bool) {
        let all: f64 = self.drafts.iter().map(|one| one.weight).sum();
        let chosen = |one: &Draft, units: &[CodeGroup]| passes(units[one.unit]);
        let some: f64 = self.drafts.iter().filter(|one| chosen(one, &self.units)).map(|one| one.weight).sum();
        if some <= 0.0 || all <= 0.0 {
            return;
        }
        for one in &mut self.drafts {
            let more = if chosen(one, &self.units) { share * all / some } else { 0.0 };
            one.weight *= 1.0 - share + more;
        }
    }

    /// Splits each hypothesis: the wrong calls are among those of a clue, for each of them, or anywhere.
    fn mix(&mut self, clues: &[(Nodes, f64)]) {
        let all: f64 = self.drafts.iter().map(|one| one.weight).sum();
        let little = LITTLE * all / self.units.len().max(1) as f64;
        let (mut rest, mut mixed) = (1.0, Vec::new());
        for (at, &(_, share)) in clues.iter().enumerate() {
            let narrowed = self.drafts.iter().filter_map(|one| {
                let among = |class: &u32| self.clues[*class as usize] >> at & 1 == 1;
                let classes: Vec<u32> = one.classes.iter().copied().filter(among).collect();
                (!classes.is_empty()).then_some(Draft { classes, ..*one })
            });
            let narrowed: Vec<Draft> = narrowed.collect();
            let some: f64 = narrowed.iter().map(|one| one.weight).sum();
            if some > 0.0 {
                let share = share * some / (some + little);
                let scale = share * all / some;
                mixed.extend(narrowed.into_iter().map(|one| Draft { weight: one.weight * scale, ..one }));
                rest -= share;
            }
        }
        self.drafts.iter_mut().for_each(|one| one.weight *= rest);
        self.drafts.extend(mixed);
    }

    fn finish(self, earlier: Earlier) -> Belief {
        let Sketch { units, classes, drafts, .. } = self;
        let mut calls = vec![0.0; units.len()];
        let size = |classes_of: &[u32]| -> f64 {
            classes_of
                .iter()
                .map(|&at| classes[at as usize].calls.len() as f64 * classes[at as usize].each)
                .sum()
        };
        for one in &drafts {
            calls[one.unit] = f64::max(calls[one.unit], size(&one.classes));
        }
        let hypotheses = drafts.into_iter().map(|one| {
            let right = earlier.get(&units[one.unit]).map_or(0.0, |&(_, right)| right);
            // What was right elsewhere went this way as often as what is here.
            let share = size(&one.classes) / calls[one.unit].max(1.0);
            Hypothesis {
                unit: UnitId(one.unit as u32),
                weight: one.weight,
                classes: one.classes,
                right: right * share,
            }
        });
        let hypotheses: Vec<Hypothesis> = hypotheses.collect();
        let ln: Vec<f64> = units.iter().map(|group| earlier.get(group).map_or(0.0, |&(ln, _)| ln)).collect();
        let mut belief = Belief::new(units, classes, hypotheses);
        belief.heard(|one| ln[one.unit.0 as usize]);
        belief
    }
}

/// What answers about other parts taught of methods as a whole.
fn earlier(
    plain: &PlainTree,
    methods: &[(CodeGroup, MethodId)],
    priors: &HashMap<CodeGroup, prior::Prior>,
    outside: &[Lesson],
) -> Earlier {
    if outside.is_empty() {
        return Earlier::new();
    }
    let known: HashSet<CodeGroup> = methods.iter().map(|&(group, _)| group).collect();
    let listed = calls::listed(plain, Node(0), plain.end(Node(0)), ROOM_OUTSIDE);
    let listed: Vec<calls::Listed> = listed.into_iter().filter(|one| known.contains(&one.group)).collect();
    let groups: Vec<CodeGroup> = listed.iter().map(|one| one.group).collect();
    let hypothesis = |unit: usize| Hypothesis {
        unit: UnitId(unit as u32),
        weight: priors.get(&groups[unit]).map_or(1.0, |prior| prior.substance * prior.factor),
        classes: vec![unit as u32],
        right: 0.0,
    };
    let hypotheses = (0..groups.len()).map(hypothesis).collect();
    let classes = listed.into_iter().map(|one| CallClass { calls: one.calls.into(), each: one.each });
    let mut belief = Belief::new(groups.clone(), classes.collect(), hypotheses);
    for lesson in outside {
        belief.observe(lesson.first, lesson.end, lesson.judgement, lesson.reliability);
    }
    let lessons = belief.lessons().map(|(one, ln, right)| (groups[one.unit.0 as usize], (ln, right)));
    lessons.collect()
}

/// Methods as a whole, by the calls that the index lists.
fn of_index(state: &SearchState, clues: &[(Nodes, f64)]) -> Sketch {
    let root = state.suspects.root();
    let mut sketch = Sketch::default();
    // Calls that a clue names are not represented by others.
    let mut named: HashMap<CodeGroup, BTreeSet<Node>> = HashMap::new();
    for (nodes, _) in clues {
        for &node in nodes.0.iter().filter(|&&node| state.suspects.holds(node)) {
            named.entry(state.plain.group(node)).or_default().insert(node);
        }
    }
    for listed in calls::listed(&state.plain, root, state.plain.end(root), ROOM) {
        let unit = sketch.unit(listed.group);
        let own = named.remove(&listed.group).unwrap_or_default();
        let others = listed.calls.into_iter().filter(|call| !own.contains(call)).map(|call| (call, false));
        let mut parts: BTreeMap<(u8, bool), Vec<Node>> = BTreeMap::new();
        for (node, own) in own.iter().map(|&call| (call, true)).chain(others) {
            parts.entry((among(clues, node, node), own)).or_default().push(node);
        }
        let mut classes = Vec::new();
        for ((mask, own), calls) in parts {
            classes.push(sketch.classes.len() as u32);
            let each = if own { 1.0 } else { listed.each };
            sketch.classes.push(CallClass { calls: calls.into(), each });
            sketch.clues.push(mask);
        }
        sketch.drafts.push(Draft { unit, weight: 1.0, classes, cleared: 1.0 });
    }
    sketch
}

/// A bit for each clue that has one of the nodes from one to another, both included.
fn among(clues: &[(Nodes, f64)], first: Node, last: Node) -> u8 {
    let bits = clues.iter().enumerate().map(|(at, (nodes, _))| u8::from(nodes.have(first, last)) << at);
    bits.fold(0, |mask, bit| mask | bit)
}

/// What makes calls alike in a tree in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Alike {
    /// They covered the same.
    Covered(u32),
    /// They are runs of one loop.
    Loop(CodeGroup),
}

/// What each branch leads to, by the calls that took it; loops and methods as a whole where that is not known.
fn of_memory(state: &SearchState, tree: &MemoryTree, clues: &[(Nodes, f64)]) -> Sketch {
    let plain = &state.plain;
    let methods = plain.past().methods().count() as u32;
    let mut sketch = Sketch { replayed: state.coverage.is_some(), ..Sketch::default() };
    let among = |node: Node| {
        let fragment = tree.fragment(node);
        among(clues, Node(fragment.row().0), Node(fragment.last().0))
    };
    let mut lists: BTreeMap<(usize, Alike, u8), Vec<Node>> = BTreeMap::new();
    let (root, end) = (state.suspects.root(), tree.end(state.suspects.root()));
    for node in (root.0..end.0).map(Node).filter(|&node| tree.suspicion(node) == Suspicion::Suspect) {
        let group = tree.group(node);
        let signature = || state.coverage.as_ref().map_or(0, |known| known.signature[node.0 as usize]);
        let (owner, alike) = match group.0 < methods {
            true => (group, Alike::Covered(signature())),
            false => (owner_of(plain, tree, node), Alike::Loop(group)),
        };
        let unit = sketch.unit(owner);
        lists.entry((unit, alike, among(node))).or_default().push(node);
    }
    // By unit and what is alike: the classes.
    let mut of_unit: BTreeMap<usize, BTreeMap<Alike, Vec<u32>>> = BTreeMap::new();
    for ((unit, alike, mask), calls) in lists {
        of_unit.entry(unit).or_default().entry(alike).or_default().push(sketch.classes.len() as u32);
        sketch.classes.push(CallClass { calls: calls.into(), each: 1.0 });
        sketch.clues.push(mask);
    }
    for (unit, kinds) in of_unit {
        let mut covered: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let (mut uncovered, mut loops) = (Vec::new(), Vec::new());
        for (alike, classes) in kinds {
            match (alike, &state.coverage) {
                (Alike::Covered(signature), Some(coverage)) => {
                    for &entity in &coverage.signatures[signature as usize] {
                        covered.entry(entity).or_default().extend(&classes);
                    }
                    if coverage.signatures[signature as usize].is_empty() {
                        uncovered.extend(classes);
                    }
                }
                (Alike::Covered(_), None) => uncovered.extend(classes),
                (Alike::Loop(_), _) => loops.push(classes),
            }
        }
        // Branches that the same calls took cannot be told apart.
        let mut told: BTreeMap<Vec<u32>, Told> = BTreeMap::new();
        for (entity, mut classes) in covered {
            classes.sort_unstable();
            let substance = state.substance.get(entity as usize).copied().unwrap_or(1.0);
            let tests = state.in_tests.get(entity as usize).copied().unwrap_or(0);
            told.entry(classes).or_default().add(substance, spectrum::left_by(tests as usize));
        }
        if !uncovered.is_empty() {
            told.entry(uncovered).or_default().add(1.0, 1.0);
        }
        let own: f64 = told.values().map(|one| one.substance).sum();
        let in_tests = told.values().map(|one| one.left).sum::<f64>() / own.max(f64::MIN_POSITIVE);
        let outside_of_loops = if loops.is_empty() || told.is_empty() { 1.0 } else { 1.0 - IN_LOOPS };
        let in_loop = own.max(1.0) * IN_LOOPS / loops.len().max(1) as f64;
        let drafts = told.into_iter().map(|(classes, one)| Draft {
            unit,
            weight: one.substance * outside_of_loops,
            classes,
            cleared: one.left / one.substance.max(f64::MIN_POSITIVE),
        });
        // What of a method is in its loops tests ran as they ran the method.
        let cleared = if own > 0.0 { in_tests } else { 1.0 };
        let loops = loops.into_iter().map(|classes| Draft { unit, weight: in_loop, classes, cleared });
        sketch.drafts.extend(drafts.chain(loops));
    }
    sketch
}

/// Branches that the same calls took.
#[derive(Default)]
struct Told {
    substance: f64,
    /// The same less what tests that passed took from it.
    left: f64,
}

impl Told {
    fn add(&mut self, substance: f64, left: f64) {
        self.substance += substance;
        self.left += substance * left;
    }
}

/// The group of a node's code; of a loop, that of the method which it is in.
pub(crate) fn owner_of(plain: &PlainTree, tree: &MemoryTree, node: Node) -> CodeGroup {
    match tree.fragment(node) {
        Fragment::Loop { call: PlainRow(row), .. } | Fragment::Iterations { call: PlainRow(row), .. } => {
            plain.group(Node(row))
        }
        _ => tree.group(node),
    }
}
