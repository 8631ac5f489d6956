//! Whether a call may change an object that it is given: to tell operations that write from those that only look.
//!
//! The graph alone cannot say it: in it all lists of a program go through the same few methods, together with what these
//! make for themselves. So only values are followed that come from the parameters which hold the object: themselves,
//! what was read from them, and what calls gave that got them. A store counts if its base comes from such a parameter and
//! may be the object, or something that the object keeps its contents in.

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

use jdk::caches::is_bookkeeping;
use jdk::unseen::writes_by_offset;

use crate::given::{Positions, bit};
use crate::hash::Map;
use crate::solution::{ClassNo, MethodNo, NOWHERE, ObjectNo, Solution};

/// What was found out, by object.
#[derive(Default)]
pub struct Effects(Mutex<Map<ObjectNo, About>>);

/// Objects that are kept something about.
const REMEMBERED: usize = 256;
/// More than this is not looked at: then it may write.
const MOST_STATES: usize = 50_000;
/// Objects that one may keep its contents in.
const MOST_PARTS: usize = 4096;

struct About {
    /// The object, and what it keeps its contents in.
    parts: Vec<ObjectNo>,
    /// The object, and what it gives to others to reach it by: iterators, views.
    handed_out: Vec<ObjectNo>,
    /// By number of a set: may it be one of the parts, or of either?
    holds: Map<u32, (bool, bool)>,
    /// By method and the parameters that hold it.
    known: Map<(MethodNo, Positions), bool>,
}

impl Solution {
    /// May the call at a place, through whatever it calls with the object in hand, write to the object or to what it
    /// keeps its contents in? Caches that nobody sees do not count, nor does an object's own constructor. True if the
    /// analysis knows of nothing that is called there.
    pub fn may_write(&self, method: MethodNo, bci: u16, object: ObjectNo) -> bool {
        let mut all = self.effects.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= REMEMBERED && !all.contains_key(&object) {
            all.clear();
        }
        let about = all.entry(object).or_insert_with(|| self.about(object));
        let here = self.used.row(method.0).iter().filter(|used| used.bci == bci);
        let holds: Vec<_> = here.filter(|used| self.has_any(used.set, &about.handed_out)).collect();
        if holds.iter().any(|used| used.written && self.holds(about, used.set).0) {
            return true;
        }
        let callees = self.callees(method, bci);
        if callees.is_empty() {
            return true;
        }
        let given = holds.iter().fold(0, |sum, used| sum | bit(used.operand.into()));
        callees.iter().any(|&callee| {
            let handed = self.handed(about, callee, given);
            handed != 0 && self.writes(about, callee, handed)
        })
    }

    /// Which of these instructions have an operand that may be one of the objects.
    pub fn among_uses(
        &self,
        objects: &[ObjectNo],
        places: impl Iterator<Item = (MethodNo, u16)>,
    ) -> Vec<(MethodNo, u16)> {
        let mut known: Map<u32, bool> = Map::default();
        let mut may_be = |set: u32| *known.entry(set).or_insert_with(|| self.has_any(set, objects));
        let mut uses = |&(method, bci): &(MethodNo, u16)| {
            let row = self.used.row(method.0);
            let first = row.partition_point(|used| used.bci < bci);
            row[first..].iter().take_while(|used| used.bci == bci).any(|used| may_be(used.set))
        };
        places.filter(|place| uses(place)).collect()
    }

    fn holds(&self, about: &mut About, set: u32) -> (bool, bool) {
        let About { parts, handed_out, holds, .. } = about;
        *holds.entry(set).or_insert_with(|| {
            let part = self.has_any(set, parts);
            (part, part || self.has_any(set, handed_out))
        })
    }

    fn has_any(&self, set: u32, objects: &[ObjectNo]) -> bool {
        self.sets.get(set as usize).is_some_and(|set| objects.iter().any(|one| set.contains(one.0)))
    }

    /// Which parameters of a callee may be the object, of those that it is `given`.
    fn handed(&self, about: &mut About, callee: MethodNo, given: Positions) -> Positions {
        let Some(row) = self.methods.get(callee.0 as usize) else { return 0 };
        let name = self.texts.get(row.name);
        // An object that is there already is never constructed.
        let given = if name == "<init>" { given & !1 } else { given };
        if given == 0 || is_bookkeeping(self.class_name(ClassNo(row.class)), name) {
            return 0;
        }
        let mut handed = 0;
        for (at, &set) in self.parameters.row(callee.0).iter().enumerate() {
            if given & bit(at) != 0 && self.holds(about, set).1 {
                handed |= bit(at);
            }
        }
        // What has no code has no variables either.
        if handed == 0 && self.by_offset(callee) { given & !1 } else { handed }
    }

    /// Is it one of the methods that write to a place in an object, by its offset?
    fn by_offset(&self, method: MethodNo) -> bool {
        let Some(row) = self.methods.get(method.0 as usize) else { return false };
        writes_by_offset(self.class_name(ClassNo(row.class)), self.texts.get(row.name))
    }

    /// Does a method write to the object if these parameters may be it, or come from it?
    fn writes(&self, about: &mut About, method: MethodNo, handed: Positions) -> bool {
        if let Some(&known) = about.known.get(&(method, handed)) {
            return known;
        }
        let mut seen: HashSet<(MethodNo, Positions)> = HashSet::from([(method, handed)]);
        let mut pending = vec![(method, handed)];
        let mut found = false;
        while let Some((at, handed)) = pending.pop() {
            let known = about.known.get(&(at, handed)).copied();
            if known == Some(false) {
                continue;
            }
            found = known == Some(true) || seen.len() > MOST_STATES || self.by_offset(at) && handed & !1 != 0;
            found = found || self.stores(about, at, handed);
            if found {
                break;
            }
            for next in self.passes_on(about, at, handed) {
                if seen.insert(next) {
                    pending.push(next);
                }
            }
        }
        if !found {
            // Nothing that can be reached from here writes.
            about.known.extend(seen.into_iter().map(|one| (one, false)));
        }
        about.known.insert((method, handed), found);
        found
    }

    fn stores(&self, about: &mut About, method: MethodNo, handed: Positions) -> bool {
        let given = self.given.row(method.0);
        let written = self.used.row(method.0).iter().filter(|used| used.written);
        for used in written {
            let at = given.binary_search_by_key(&(used.bci, used.operand), |one| (one.bci, one.operand));
            if at.is_ok_and(|at| given[at].from & handed != 0) && self.holds(about, used.set).0 {
                return true;
            }
        }
        false
    }

    /// The calls that a method makes with the object in hand.
    fn passes_on(
        &self,
        about: &mut About,
        method: MethodNo,
        handed: Positions,
    ) -> Vec<(MethodNo, Positions)> {
        let mut next = Vec::new();
        for call in self.given.row(method.0).chunk_by(|one, other| one.bci == other.bci) {
            let with = call.iter().filter(|one| one.from & handed != 0);
            let given = with.fold(0, |sum, one| sum | bit(one.operand.into()));
            if given == 0 {
                continue;
            }
            for &callee in self.callees(method, call[0].bci) {
                let handed = self.handed(about, callee, given);
                if handed != 0 {
                    next.push((callee, handed));
                }
            }
        }
        next
    }

    /// What an object keeps its contents in: what code of its own class made and its fields hold, as far as that is
    /// an array, a library's object, or of a class that belongs to its own. Not what was put into it.
    fn about(&self, object: ObjectNo) -> About {
        let mut parts = vec![object];
        let mut families: Vec<Rc<[&str]>> = vec![self.family(object)];
        let mut at = 0;
        while at < parts.len() && parts.len() < MOST_PARTS {
            let family = families[at].clone();
            let within = self.class_name(self.object(parts[at]).class).starts_with('[');
            for &(_, set) in self.contents.row(parts[at].0) {
                let Some(set) = self.sets.get(set as usize) else { continue };
                for inner in set.to_vec().into_iter().map(ObjectNo) {
                    if parts.contains(&inner) {
                        continue;
                    }
                    if let Some(own) = self.is_part(inner, &family, within) {
                        parts.push(inner);
                        families.push(own);
                    }
                }
            }
            at += 1;
        }
        families.sort_unstable();
        families.dedup();
        // Views that it keeps know it; its other parts do not.
        let knows = |part: &ObjectNo, whom: &[ObjectNo]| {
            self.contents.row(part.0).iter().any(|&(_, set)| self.has_any(set, whom))
        };
        let own = self.object(object).class;
        let is_view = |part: &ObjectNo| self.object(*part).class != own && knows(part, &[object]);
        let (views, inner): (Vec<ObjectNo>, Vec<ObjectNo>) = parts.iter().partition(|part| is_view(part));
        let classes: HashSet<ClassNo> = inner.iter().map(|&part| self.object(part).class).collect();
        let mut handed_out = vec![object];
        handed_out.extend(views);
        let mut known: Map<u32, bool> = Map::default();
        for other in self.objects() {
            let mut fields = self.contents.row(other.0).iter();
            let class = self.object(other).class;
            // Other objects of the same classes may have the same parts here, not in truth.
            if fields.any(|&(_, set)| *known.entry(set).or_insert_with(|| self.has_any(set, &parts)))
                && !classes.contains(&class)
                && families.iter().any(|family| belongs(self.class_name(class), family))
            {
                handed_out.push(other);
            }
        }
        About { parts, handed_out, holds: Map::default(), known: Map::default() }
    }

    /// Is an object that one of this family holds a part of that? Then gives the family whose parts are its own.
    /// `within` an array, there may be other things than parts.
    fn is_part<'a>(
        &'a self,
        object: ObjectNo,
        family: &Rc<[&'a str]>,
        within: bool,
    ) -> Option<Rc<[&'a str]>> {
        let row = self.objects.get(object.0 as usize)?;
        let class = self.class_name(ClassNo(row.class));
        if row.method == NOWHERE {
            // What libraries make of these is not told apart.
            return (class.len() == 2 && class.starts_with('[') && !within).then(|| family.clone());
        }
        let creator = self.methods.get(row.method as usize)?.class;
        if !belongs(self.class_name(ClassNo(creator)), family) {
            return None;
        }
        let array = class.starts_with('[') && (!within || self.is_program_class(creator));
        if array || belongs(class, family) {
            return Some(family.clone());
        }
        (!within && !class.starts_with('[') && !self.is_program_class(row.class)).then(|| self.family(object))
    }

    fn is_program_class(&self, class: u32) -> bool {
        self.program_classes().binary_search(&class).is_ok()
    }

    /// The names of an object's class and its superclasses.
    fn family(&self, object: ObjectNo) -> Rc<[&str]> {
        let Some(row) = self.objects.get(object.0 as usize) else { return Rc::default() };
        let supers = self.supers.row(row.class).iter().copied().chain([row.class]);
        let names = supers.map(|class| self.class_name(ClassNo(class)));
        let mut names: Vec<&str> = names.filter(|&name| name != jdk::names::OBJECT).collect();
        names.sort_unstable();
        names.dedup();
        names.into()
    }
}

/// Is it one of these classes, or written within one?
fn belongs(class: &str, family: &[&str]) -> bool {
    family
        .iter()
        .any(|&own| class.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with('$')))
}
