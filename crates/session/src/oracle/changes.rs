//! Which calls ran code that another version of the program does not have, in themselves or in what they called. Those that
//! did not would have done the same there, whatever they were given: their code is that version's. That holds unless a
//! method is overridden in only one of the two, so such methods count as other code, and where libraries may be who calls
//! them nothing follows at all.

use std::collections::{HashMap, HashSet};

use base::{CallId, MethodId, StreamId, Target};
use classfile::access;
use past::{Class, Method, Past};

use crate::fingerprint::Facts;

/// More than any class has above it: guards against circles in damaged files.
const MAX_ABOVE: usize = 1000;
/// Methods that libraries call on any object.
const OF_EVERY_OBJECT: [&str; 5] = ["clone", "equals", "finalize", "hashCode", "toString"];

pub struct Changes {
    /// By thread: how many calls before each one (and before the end) run code that is another there.
    before: HashMap<StreamId, Vec<u32>>,
    unchanged: HashMap<MethodId, bool>,
    /// Those that were called and are other code there, in a class that is known there.
    differing: HashSet<MethodId>,
    /// Calls of changed code.
    count: u32,
    /// Where only one version overrides a method that libraries may call.
    hidden: bool,
}

/// The methods that count as changed whatever their code.
#[derive(Default)]
struct Reshaped {
    methods: HashSet<MethodId>,
    hidden: bool,
}

type ByName<'p> = HashMap<&'p str, Vec<&'p Class>>;

impl Changes {
    /// None while the program runs.
    pub fn of(past: &Past, facts: &Facts, other: &Past, others: &Facts) -> Option<Changes> {
        if past.is_live() {
            return None;
        }
        let mut there = ByName::new();
        for class in other.program().classes() {
            there.entry(class.name.as_str()).or_default().push(class);
        }
        let reshaped = reshaped(past, other, &there);
        let mut changes = Changes {
            before: HashMap::new(),
            unchanged: HashMap::new(),
            differing: HashSet::new(),
            count: 0,
            hidden: reshaped.hidden,
        };
        for stream in past.streams() {
            let mut before = Vec::with_capacity(past.calls_in(stream) as usize + 1);
            let mut count = 0;
            before.push(count);
            for index in 0..past.calls_in(stream) {
                if let Target::Method(method) = past.call_row(CallId { stream, index })?.target {
                    let same = changes.unchanged.entry(method).or_insert_with(|| {
                        !reshaped.methods.contains(&method)
                            && has_same_code(past, facts, other, others, &there, method)
                    });
                    count += u32::from(!*same);
                }
                before.push(count);
            }
            changes.count += count;
            changes.before.insert(stream, before);
        }
        let is_known = |&&method: &&MethodId| {
            past.program().method(method).is_some_and(|(class, _)| there.contains_key(class.name.as_str()))
                && !has_same_code(past, facts, other, others, &there, method)
        };
        let changed = changes.unchanged.iter().filter(|(_, same)| !**same).map(|(method, _)| method);
        changes.differing = changed.filter(is_known).copied().collect();
        Some(changes)
    }

    /// The methods that were called and are other code there, as far as their classes are known there.
    pub fn differing(&self) -> &HashSet<MethodId> {
        &self.differing
    }

    /// Is all that the call executed the same code there?
    pub fn is_unchanged(&self, past: &Past, call: CallId) -> bool {
        let count = || {
            let before = self.before.get(&call.stream)?;
            let end = call.index.checked_add(past.call_size(call))?;
            Some(before.get(end as usize)? - before.get(call.index as usize)?)
        };
        count() == Some(0)
    }

    /// Is the code of a method that was called the same there?
    pub fn is_same(&self, method: MethodId) -> bool {
        self.unchanged.get(&method).copied().unwrap_or(false)
    }

    /// Did all calls run the same code?
    pub fn is_none(&self) -> bool {
        self.count == 0 && !self.hidden
    }

    /// Is a call right because its code is? Not if that would hold of all of them: then something else makes the
    /// difference.
    pub fn tell(&self) -> bool {
        self.count > 0 && !self.hidden
    }
}

fn has_same_code(
    past: &Past,
    facts: &Facts,
    other: &Past,
    others: &Facts,
    there: &ByName<'_>,
    method: MethodId,
) -> bool {
    let Some((class, model)) = past.program().method(method) else { return false };
    let Some(code) = facts.code(past, method) else { return false };
    let same = |class: &&Class| {
        let methods = other.program().model(class).map(|model| model.methods.as_slice()).unwrap_or_default();
        let fits = |&found: &&Method| found.name == model.name && found.descriptor == model.descriptor;
        methods.iter().find(fits).is_some_and(|found| others.code(other, found.id) == Some(code))
    };
    there.get(class.name.as_str()).is_some_and(|classes| classes.iter().all(same))
}

fn reshaped(past: &Past, other: &Past, there: &ByName<'_>) -> Reshaped {
    let mut reshaped = Reshaped::default();
    let program = past.program();
    for class in program.classes().iter().filter(|class| class.recorded && !jdk::owner::is_jdk(&class.name)) {
        let Some(model) = program.model(class) else { continue };
        let others = there.get(class.name.as_str()).into_iter().flatten();
        for other in others.filter_map(|class| other.program().model(class)) {
            let (ours, theirs) = (inherited(&model.methods), inherited(&other.methods));
            let above = above(past, class);
            if model.super_name != other.super_name || model.interfaces != other.interfaces {
                let all = above.classes.iter().filter_map(|class| program.model(class));
                reshaped.methods.extend(all.flat_map(|model| &model.methods).map(|method| method.id));
                reshaped.hidden |= above.library;
            }
            for &(name, descriptor) in ours.symmetric_difference(&theirs) {
                let all = above.classes.iter().filter_map(|class| program.model(class));
                let same = all.flat_map(|model| &model.methods).filter(|method| {
                    method.class != class.id && method.name == name && method.descriptor == descriptor
                });
                let overridden: Vec<MethodId> = same.map(|method| method.id).collect();
                reshaped.hidden |=
                    overridden.is_empty() && (above.library || OF_EVERY_OBJECT.contains(&name));
                reshaped.methods.extend(overridden);
            }
        }
    }
    reshaped
}

/// Name and descriptor of the methods that may override others or be overridden.
fn inherited(methods: &[Method]) -> HashSet<(&str, &str)> {
    let own = methods.iter().filter(|method| {
        method.access & (access::STATIC | access::PRIVATE) == 0 && !method.name.starts_with('<')
    });
    own.map(|method| (method.name.as_str(), method.descriptor.as_str())).collect()
}

/// A class with all of the program that it extends or implements.
struct Above<'p> {
    classes: Vec<&'p Class>,
    /// Something of a library, besides `Object`, is among it.
    library: bool,
}

fn above<'p>(past: &'p Past, class: &'p Class) -> Above<'p> {
    let program = past.program();
    let mut found = Above { classes: Vec::new(), library: false };
    let mut next = vec![class];
    while let Some(class) = next.pop() {
        if found.classes.len() > MAX_ABOVE || found.classes.iter().any(|known| known.id == class.id) {
            continue;
        }
        found.classes.push(class);
        let Some(model) = program.model(class) else { continue };
        for name in model.super_name.iter().chain(&model.interfaces) {
            match program.class_named(name, class.loader).filter(|_| !jdk::owner::is_jdk(name)) {
                Some(above) => next.push(above),
                None => found.library |= name != jdk::names::OBJECT,
            }
        }
    }
    found
}
