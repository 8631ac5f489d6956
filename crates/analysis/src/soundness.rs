//! Is the points-to analysis right about what really happened? Everything that a recorded run showed of calls and of
//! objects in variables must be in the static result. What is not is counted, with the reason where there is one that an
//! analysis of code cannot be blamed for. Nothing here looks at what the analysis was told of the run.

mod happened;

use std::collections::{BTreeMap, HashMap, HashSet};

use index::Evidence;
use past::Past;
use pointsto::{ClassNo, MemberName, MethodNo, ObjectNo, OperandNo, Solution};
use trace::{MethodId, Program, Site};

use crate::observed::RunClasses;
use crate::observed::member;
use happened::{Allocation, AllocationNo, Observations, Pair};

pub use happened::CodeVariable;

/// Why something that happened is not in the result although the analysis makes no mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Excuse {
    /// The class with the variable, or with the instruction that created the object, was made while the program ran.
    /// Its code is recorded, but by which ways it was tied to the rest is not in any code.
    Generated,
    /// The class could not be read, or another loader has another class of that name.
    LeftOut,
    /// Reflection took or gave objects of this origin, or created the object that a method was called on.
    Reflection,
    /// The same for methods that write to memory past the VM, and for the collector, which calls finalizers.
    Native,
}

/// Distinct facts of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    pub observed: u64,
    pub contained: u64,
    pub explained: BTreeMap<Excuse, u64>,
    pub missing: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Soundness {
    /// Methods that a library or the VM called.
    pub entered: Counted,
    /// From an instruction to the method that it called, both in the program.
    pub calls: Counted,
    /// Where an object was, and where it was created.
    pub pairs: Counted,
    /// Methods that the analysis says may run, and those of the program among them.
    pub reached: u64,
    pub reached_program: u64,
    /// The first of what is missing, for a person.
    pub examples: Vec<String>,
    /// And of the pairs that are not contained for a reason.
    pub explained: Vec<String>,
}

/// So many examples are kept of each kind.
const EXAMPLES: usize = 40;

/// What a run showed, to be compared with any number of results.
pub struct Run<'a> {
    past: &'a Past,
    happened: Observations,
}

impl<'a> Run<'a> {
    /// Replays the whole recording, twice.
    pub fn new(past: &'a Past) -> Run<'a> {
        Run { past, happened: Observations::of(past.recording()) }
    }

    pub fn check(&self, solution: &Solution, classes: &RunClasses<'_>) -> Soundness {
        let program = self.past.recording().program();
        let mut out = Soundness::default();
        for method in solution.reached() {
            out.reached += 1;
            out.reached_program += u64::from(solution.is_program(method));
        }
        let mut checking = Checking {
            program,
            solution,
            classes,
            happened: &self.happened,
            methods: HashMap::new(),
            created: HashMap::new(),
        };
        for method in sorted(self.happened.entered.iter()) {
            let contained = checking.method(method).is_some_and(|method| solution.is_reached(method));
            out.entered.count(contained, || checking.why_method(method, None));
            if !contained {
                out.examples
                    .extend(example(out.entered.missing, || format!("entered {}", checking.name(method))));
            }
        }
        let own: HashSet<(Site, MethodId)> = self.happened.own_calls.iter().collect();
        for (site, method) in sorted(self.happened.calls.iter()) {
            let contained = checking.has_call(site, method);
            let reflected = (!own.contains(&(site, method))).then_some(Excuse::Reflection);
            let reason = checking.why_method(method, Some(site)).or(reflected);
            out.calls.count(contained, || reason);
            if !contained && reason.is_none() {
                let text = || format!("call {} -> {}", checking.place(site), checking.name(method));
                out.examples.extend(example(out.calls.missing, text));
            }
        }
        for pair in sorted(self.happened.pairs.iter()) {
            let contained = checking.has_pair(pair);
            let reason = if contained { None } else { checking.why_pair(pair) };
            out.pairs.count(contained, || reason);
            match reason {
                _ if contained => {}
                None => out.examples.extend(example(out.pairs.missing, || checking.shown(pair))),
                Some(reason) => {
                    let text = || format!("{reason:?}: {}", checking.shown(pair));
                    out.explained.extend(example(out.pairs.explained(), text));
                }
            }
        }
        out
    }
}

fn sorted<T: Ord>(facts: impl Iterator<Item = T>) -> Vec<T> {
    let mut facts: Vec<T> = facts.collect();
    facts.sort_unstable();
    facts
}

fn example(missing: u64, text: impl FnOnce() -> String) -> Option<String> {
    (missing <= EXAMPLES as u64).then(text)
}

impl Counted {
    fn count(&mut self, contained: bool, reason: impl FnOnce() -> Option<Excuse>) {
        self.observed += 1;
        if contained {
            self.contained += 1;
        } else if let Some(reason) = reason() {
            *self.explained.entry(reason).or_default() += 1;
        } else {
            self.missing += 1;
        }
    }

    pub fn explained(&self) -> u64 {
        self.explained.values().sum()
    }
}

struct Checking<'a> {
    program: &'a Program,
    solution: &'a Solution,
    classes: &'a RunClasses<'a>,
    happened: &'a Observations,
    methods: HashMap<MethodId, Option<MethodNo>>,
    created: HashMap<AllocationNo, Vec<ObjectNo>>,
}

impl Checking<'_> {
    fn method(&mut self, method: MethodId) -> Option<MethodNo> {
        let (program, solution) = (self.program, self.solution);
        *self.methods.entry(method).or_insert_with(|| solution.method(&member(program, method)?))
    }

    fn has_call(&mut self, site: Site, method: MethodId) -> bool {
        let (Some(caller), Some(callee)) = (self.method(site.method), self.method(method)) else {
            return false;
        };
        self.solution.is_reached(callee) && self.solution.callees(caller, site.bci).contains(&callee)
    }

    fn has_pair(&mut self, pair: Pair) -> bool {
        let Some(method) = self.method(pair.method) else { return false };
        let created = self.created(pair.object);
        if created.is_empty() {
            return false;
        }
        let held = match pair.variable {
            CodeVariable::Operand(bci, at) => self.solution.points_to(method, bci, OperandNo(at)),
            CodeVariable::Parameter(at) => self.solution.parameter(method, at),
            CodeVariable::Result(bci) => self.solution.result(method, bci),
        };
        created.iter().any(|object| held.binary_search(object).is_ok())
    }

    /// The abstract objects of an instruction; of arrays of arrays, those of the right dimension.
    fn created(&mut self, number: AllocationNo) -> Vec<ObjectNo> {
        if let Some(known) = self.created.get(&number) {
            return known.clone();
        }
        let Allocation { site, inner, ref class } = self.happened.allocations[number.0 as usize];
        let mut objects = match self.method(site.method) {
            Some(method) => self.solution.created_at(method, site.bci),
            None => Vec::new(),
        };
        if class.starts_with("[[") || inner > 0 {
            let solution = self.solution;
            let wanted: Option<ClassNo> = solution.class(class.get(usize::from(inner)..).unwrap_or(""));
            objects.retain(|&object| Some(solution.object(object).class) == wanted);
        }
        self.created.insert(number, objects.clone());
        objects
    }

    /// Why a call or an entry may be missing.
    fn why_method(&self, method: MethodId, site: Option<Site>) -> Option<Excuse> {
        let class = self.why_class(method);
        class.or_else(|| site.and_then(|site| self.why_class(site.method)))
    }

    fn why_pair(&self, pair: Pair) -> Option<Excuse> {
        let allocation = &self.happened.allocations[pair.object.0 as usize];
        self.why_class(pair.method)
            .or_else(|| self.why_class(allocation.site.method))
            .or_else(|| self.happened.given.get(&pair.object).copied())
    }

    fn why_class(&self, method: MethodId) -> Option<Excuse> {
        let (class, _) = self.program.method(method)?;
        if self.classes.ambiguous().binary_search(&class.name.as_str()).is_ok()
            || self.solution.left_out().iter().any(|(name, _)| *name == class.name)
        {
            return Some(Excuse::LeftOut);
        }
        self.classes.path().place_of(&class.name).is_none().then_some(Excuse::Generated)
    }

    fn name(&self, method: MethodId) -> String {
        let named = |member: MemberName| format!("{}.{}{}", member.class, member.name, member.descriptor);
        member(self.program, method).map_or_else(|| "?".to_owned(), named)
    }

    fn place(&self, site: Site) -> String {
        format!("{}:{}", self.name(site.method), site.bci)
    }

    fn shown(&mut self, pair: Pair) -> String {
        let Allocation { site, inner, class } = self.happened.allocations[pair.object.0 as usize].clone();
        let reached = self.method(pair.method).is_some_and(|method| self.solution.is_reached(method));
        let known = !self.created(pair.object).is_empty();
        let note = match (reached, known) {
            (false, _) => " (the method is not reached)",
            (_, false) => " (nothing is created there)",
            _ => "",
        };
        let variable = match pair.variable {
            CodeVariable::Operand(bci, at) => format!("operand {at} at {bci}"),
            CodeVariable::Parameter(at) => format!("parameter {at}"),
            CodeVariable::Result(bci) => format!("result at {bci}"),
        };
        let class = class.get(usize::from(inner)..).unwrap_or("").to_owned();
        format!("{} {variable} <- {class} of {}{note}", self.name(pair.method), self.place(site))
    }
}
