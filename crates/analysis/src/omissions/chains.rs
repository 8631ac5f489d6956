//! How control could have got to an operation: backwards over calls, from the method that has it. Through a library
//! only where it may call the program back with something that it was given there.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use index::{Evidence, Target};
use past::{CallId, Past};
use pointsto::{ClassNo, MemberName, MethodNo, ObjectNo, OperandNo, Solution};

use super::bodies::Bodies;
use super::paths::{Base, Path, Resolver};
use super::subject::number;
use trace::MethodId;

/// Places from which an operation can be reached; more are not looked at.
const MAX_LINKS: usize = 5_000;
/// A chain goes on over so many calls if it is not known how the object is got at, unless there are few ways at all.
const UNKNOWN_CALLS: u16 = 3;
const UNKNOWN_LINKS: usize = 64;
/// Methods of libraries that may call a method back: if there are more, only what was seen counts.
const MAX_LIBRARIES: usize = 32;
/// Calls within libraries that a call back may be behind, and methods on the way.
const LIBRARY_CALLS: usize = 8;
const MAX_LEADING: usize = 2000;
/// Calls of a method that are looked at to find where it was called back.
const MAX_LOOKED_AT: usize = 512;

/// A call that leads to the operations of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainLink {
    pub method: MethodNo,
    /// The call instruction.
    pub bci: u16,
    /// The method that it calls.
    pub callee: MethodNo,
    /// The link in the callee; none if the callee has the operation.
    pub next: Option<u32>,
    /// A library is called, and calls `callee` back.
    pub back: bool,
    /// Calls up to the operation, this one included.
    pub calls: u16,
    /// How the operation gets at the object, in terms of the callee.
    pub path: Arc<Path>,
}

/// All ways to the operations of one method, the shortest first.
#[derive(Clone, Debug, Default)]
pub struct ChainLinks {
    pub list: Vec<ChainLink>,
    /// There were too many.
    pub cut: bool,
}

impl ChainLinks {
    /// A link, and those behind it up to the operation.
    pub fn on_from(&self, link: Option<u32>) -> impl Iterator<Item = &ChainLink> {
        let at = |number: u32| &self.list[number as usize];
        std::iter::successors(link.map(at), move |link| link.next.map(at))
    }
}

pub struct Chains<'a> {
    past: &'a Past,
    solution: &'a Solution,
    backs: HashMap<MethodNo, Vec<(MethodNo, u16)>>,
    calls_of_libraries: HashMap<Vec<MethodNo>, Arc<[(MethodNo, u16)]>>,
    lambdas: OnceLock<HashMap<MemberName, Vec<ObjectNo>>>,
}

impl<'a> Chains<'a> {
    pub fn new(past: &'a Past, solution: &'a Solution) -> Chains<'a> {
        let (backs, calls_of_libraries) = (HashMap::new(), HashMap::new());
        Chains { past, solution, backs, calls_of_libraries, lambdas: OnceLock::new() }
    }

    /// The ways to a method's operations that get at one of the objects on this path. With `objects` empty, and an
    /// unknown path, any way counts.
    pub fn to(
        &mut self,
        bodies: &mut Bodies<'_>,
        method: MethodNo,
        path: &Path,
        objects: &[ObjectNo],
        longest: usize,
    ) -> ChainLinks {
        let mut links = ChainLinks::default();
        let mut expanded = HashSet::from([(method, path.clone())]);
        let mut level = vec![(method, None, Arc::new(path.clone()))];
        for calls in 1..=longest as u16 {
            let mut above = Vec::new();
            for (callee, next, path) in level {
                let lost = !objects.is_empty() && path.base == Base::Unknown;
                if lost && calls > UNKNOWN_CALLS && links.list.len() > UNKNOWN_LINKS {
                    continue;
                }
                let direct = self.solution.callers(callee).iter().copied();
                let direct: Vec<_> = direct.filter(|&(caller, _)| self.solution.is_program(caller)).collect();
                let back = self.called_back(bodies, callee).to_vec();
                let mut seen = HashSet::new();
                let both = direct.into_iter().map(|site| (site, false));
                for ((caller, bci), back) in both.chain(back.into_iter().map(|site| (site, true))) {
                    let fits = back || self.may_give(bodies, (caller, bci), callee, &path, objects);
                    if !fits || !seen.insert((caller, bci)) {
                        continue;
                    }
                    if links.list.len() == MAX_LINKS {
                        links.cut = true;
                        return links;
                    }
                    let at = links.list.len() as u32;
                    let path = path.clone();
                    links.list.push(ChainLink { method: caller, bci, callee, next, back, calls, path });
                    if calls < longest as u16
                        && let Some(path) = self.path_above(bodies, &links.list[at as usize], objects)
                        && expanded.insert((caller, path.clone()))
                    {
                        above.push((caller, Some(at), Arc::new(path)));
                    }
                }
            }
            level = above;
        }
        links
    }

    /// May a call give its callee one of the objects in the argument that is to be one?
    fn may_give(
        &self,
        bodies: &mut Bodies<'_>,
        (caller, bci): (MethodNo, u16),
        callee: MethodNo,
        path: &Path,
        objects: &[ObjectNo],
    ) -> bool {
        let Base::Argument(at) = path.base else { return true };
        if !path.hops.is_empty() || objects.is_empty() {
            return true;
        }
        // What stands behind a lambda has other arguments than what is called.
        let lambdas = self.lambdas.get_or_init(|| lambdas(self.solution, bodies));
        if lambdas.contains_key(&*bodies.member(self.solution, callee)) {
            return true;
        }
        objects.iter().any(|&object| self.solution.may_be(caller, bci, OperandNo(at), object))
    }

    /// The path in terms of the caller; none if it leads to nothing that exists before the caller is called.
    fn path_above(&self, bodies: &mut Bodies<'_>, link: &ChainLink, objects: &[ObjectNo]) -> Option<Path> {
        if objects.is_empty() || link.path.base == Base::Unknown {
            return Some(Path::unknown());
        }
        let body = bodies.of(self.solution, link.method)?;
        let mut resolver = Resolver { bodies, solution: self.solution };
        let path = resolver.through(&body, link, &link.path, None, false);
        // Who is called back on what is a guess by then.
        let lost = link.back && path.base == Base::Unknown;
        (!path.is_nothing() && !lost).then_some(path)
    }

    /// Calls of libraries in the program's code in which a method may be called back, or was.
    fn called_back(&mut self, bodies: &mut Bodies<'_>, method: MethodNo) -> &[(MethodNo, u16)] {
        if !self.backs.contains_key(&method) {
            let mut found = self.seen_called_back(bodies, method);
            found.extend(self.may_be_called_back(bodies, method));
            found.sort_unstable();
            found.dedup();
            self.backs.insert(method, found);
        }
        &self.backs[&method]
    }

    fn seen_called_back(&self, bodies: &mut Bodies<'_>, method: MethodNo) -> Vec<(MethodNo, u16)> {
        let index = self.past.index();
        let program = self.past.recording().program();
        let mut found = HashSet::new();
        let member = bodies.member(self.solution, method);
        for id in bodies.ids(&member) {
            let places = bodies.called_back(id, || {
                let group = index.group_of(program, Target::Method(id));
                let calls =
                    group.into_iter().flat_map(|group| index.ranked_from(group, 0).take(MAX_LOOKED_AT));
                let places: HashSet<_> = calls.filter_map(|call| self.library_caller(call)).collect();
                places.into_iter().collect()
            });
            found.extend(places.iter().copied());
        }
        let numbered = |(caller, bci): (MethodId, u16)| {
            Some((number(self.past, self.solution, Target::Method(caller))?, bci))
        };
        found.into_iter().filter_map(numbered).collect()
    }

    /// Where the program called the library that made this call.
    fn library_caller(&self, call: CallId) -> Option<(MethodId, u16)> {
        let index = self.past.index();
        let above = |row: index::CallRow| row.parent.map(|index| CallId { stream: call.stream, index });
        let library = index.call(above(index.call(call)?)?)?;
        if let Target::Method(_) = library.target {
            return None;
        }
        let caller = self.past.method_of(above(library)?)?;
        let bci = Some(library.bci).filter(|&bci| bci != index::NO_BCI)?;
        Some((caller, bci))
    }

    fn may_be_called_back(&mut self, bodies: &mut Bodies<'_>, method: MethodNo) -> Vec<(MethodNo, u16)> {
        let solution = self.solution;
        let callers = solution.callers(method).iter().map(|&(caller, _)| caller);
        let mut libraries: Vec<MethodNo> = callers.filter(|&caller| !solution.is_program(caller)).collect();
        libraries.sort_unstable();
        libraries.dedup();
        // What every library calls (`equals`, `toString`) says nothing of where it is called from.
        if libraries.is_empty() || libraries.len() > MAX_LIBRARIES {
            return Vec::new();
        }
        let member = bodies.member(solution, method);
        let mut given: HashSet<ObjectNo> = HashSet::new();
        if bodies.of(solution, method).is_some_and(|body| !body.is_static) {
            given.extend(solution.parameter(method, 0));
        }
        let lambdas = self.lambdas.get_or_init(|| lambdas(solution, bodies));
        given.extend(lambdas.get(&*member).into_iter().flatten());
        let given: Vec<ObjectNo> = given.into_iter().collect();
        let places = self.calls_of_libraries(libraries);
        solution.among_uses(&given, places.iter().copied())
    }
}

impl Chains<'_> {
    /// Calls in the program's code that may lead to some of these methods of libraries.
    fn calls_of_libraries(&mut self, methods: Vec<MethodNo>) -> Arc<[(MethodNo, u16)]> {
        if let Some(known) = self.calls_of_libraries.get(&methods) {
            return known.clone();
        }
        let leading = self.leading_to(&methods).into_iter();
        let places = leading.flat_map(|library| self.solution.callers(library).iter().copied());
        let mut places: Vec<_> = places.filter(|&(caller, _)| self.solution.is_program(caller)).collect();
        places.sort_unstable();
        places.dedup();
        let places: Arc<[_]> = places.into();
        self.calls_of_libraries.insert(methods, places.clone());
        places
    }

    /// Methods of libraries that lead to some of them, over not too many calls. They come in order: where they are cut
    /// off does not depend on chance.
    fn leading_to(&self, methods: &[MethodNo]) -> HashSet<MethodNo> {
        let mut level = methods.to_vec();
        let mut found: HashSet<MethodNo> = methods.iter().copied().collect();
        for _ in 0..LIBRARY_CALLS {
            let mut above = Vec::new();
            for method in level {
                for &(caller, _) in self.solution.callers(method) {
                    if !self.solution.is_program(caller) && found.insert(caller) {
                        above.push(caller);
                    }
                }
                if found.len() > MAX_LEADING {
                    return found;
                }
            }
            level = above;
        }
        found
    }
}

/// The objects that lambdas and method references of the program are, by the method behind them.
fn lambdas(solution: &Solution, bodies: &mut Bodies<'_>) -> HashMap<MemberName, Vec<ObjectNo>> {
    let mut found: HashMap<MemberName, Vec<ObjectNo>> = HashMap::new();
    let mut is_lambda: HashMap<ClassNo, bool> = HashMap::new();
    for object in solution.objects() {
        let facts = solution.object(object);
        let Some((maker, bci)) = facts.created.filter(|&(maker, _)| solution.is_program(maker)) else {
            continue;
        };
        let class = facts.class;
        let known = is_lambda.entry(class);
        if !*known.or_insert_with(|| solution.class_name(class).contains("$$Lambda@")) {
            continue;
        }
        if let Some(behind) = bodies.lambda(&solution.member(maker), bci) {
            found.entry(behind).or_default().push(object);
        }
    }
    found
}
