//! What came out, to be asked by number. Tables of plain numbers: one is made when the analysis ends, and the same is
//! kept in a file.

use std::sync::OnceLock;

use crate::effects::Effects;
use crate::error::Result;
use crate::given::Given;
use crate::hash::Map;
use crate::hierarchy::Hierarchy;
use crate::input::{ClassLookup, MemberName, Observed};
use crate::lists::{Lists, Texts};
use crate::set::Set;
use crate::store::Store;
use crate::world::World;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MethodNo(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassNo(pub u32);

/// An abstract object: all that one instruction creates (or, where that is merged, all of one class that libraries create).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectNo(pub u32);

/// Operand of an instruction: 0 is the deepest on the stack (receiver or first argument of a call, object of a field
/// access, array of an element access; 2 is the stored element, 1 the stored field value).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperandNo(pub u8);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abstract {
    pub class: ClassNo,
    /// The instruction that creates it; none for what was only seen, constants, and what is merged.
    pub created: Option<(MethodNo, u16)>,
}

/// An instruction one operand of which may be the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperandUse {
    pub method: MethodNo,
    pub bci: u16,
    pub operand: OperandNo,
}

/// Rows are per method, class or object; sets are stored once each, and named by their number (0 is the empty one).
#[derive(Default)]
pub struct Solution {
    pub(crate) texts: Texts,
    /// The name of each class, in `texts`.
    pub(crate) classes: Vec<u32>,
    /// Itself and all its supertypes, ascending.
    pub(crate) supers: Lists<u32>,
    pub(crate) methods: Vec<MethodRow>,
    pub(crate) objects: Vec<ObjectRow>,
    /// Objects with a place of creation, by that place.
    pub(crate) created: Vec<(MethodNo, u16, ObjectNo)>,
    pub(crate) sets: Vec<Set>,
    pub(crate) used: Lists<UsedRow>,
    /// The set of each reference parameter, the receiver first.
    pub(crate) parameters: Lists<u32>,
    /// What calls of the program give: place and set.
    pub(crate) results: Lists<(u16, u32)>,
    /// Operands of stores and calls that come from parameters, by place.
    pub(crate) given: Lists<Given>,
    pub(crate) effects: Effects,
    /// Places that call, and where their callees are in `callees`.
    pub(crate) calls: Lists<(u16, u32, u32)>,
    pub(crate) callees: Vec<MethodNo>,
    pub(crate) callers: Lists<(MethodNo, u16)>,
    /// Fields of objects: name in `texts` (or `ELEMENTS`) and set.
    pub(crate) contents: Lists<(u32, u32)>,
    pub(crate) left_out: Vec<(String, String)>,
    pub(crate) by_name: OnceLock<ByName>,
    pub(crate) program_classes: OnceLock<Vec<u32>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct MethodRow {
    pub class: u32,
    pub name: u32,
    pub descriptor: u32,
    pub program: bool,
    pub reached: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ObjectRow {
    pub class: u32,
    /// `NOWHERE` if there is no place.
    pub method: u32,
    pub bci: u16,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct UsedRow {
    pub bci: u16,
    pub operand: u8,
    pub written: bool,
    pub set: u32,
}

pub(crate) const NOWHERE: u32 = u32::MAX;
/// The name of an array's elements.
pub(crate) const ELEMENTS: u32 = u32::MAX;

#[derive(Default)]
pub(crate) struct ByName {
    classes: Map<String, ClassNo>,
    methods: Map<MemberName, MethodNo>,
}

/// Runs the analysis. `progress` is told (methods read, methods known) now and then.
pub fn solve(
    classes: &dyn ClassLookup,
    observed: &Observed,
    progress: &mut dyn FnMut(u32, u32),
) -> Result<Solution> {
    let store = Store::default();
    let mut world = World::new(Hierarchy::new(classes, &store));
    world.start(observed)?;
    world.run(progress);
    Ok(world.finish())
}

impl Solution {
    fn names(&self) -> &ByName {
        self.by_name.get_or_init(|| {
            let mut names = ByName::default();
            for (n, &text) in self.classes.iter().enumerate() {
                names.classes.entry(self.texts.get(text).to_owned()).or_insert(ClassNo(n as u32));
            }
            for n in 0..self.methods.len() as u32 {
                names.methods.insert(self.member(MethodNo(n)), MethodNo(n));
            }
            names
        })
    }

    pub fn method(&self, member: &MemberName) -> Option<MethodNo> {
        self.names().methods.get(member).copied()
    }

    /// All methods that have a number: those that are reached, and the rest of the program's classes that were read.
    pub fn methods(&self) -> impl Iterator<Item = MethodNo> + '_ {
        (0..self.methods.len() as u32).map(MethodNo)
    }

    pub fn member(&self, method: MethodNo) -> MemberName {
        let row = self.methods.get(method.0 as usize).copied().unwrap_or_default();
        MemberName {
            class: self.class_name(ClassNo(row.class)).to_owned(),
            name: self.texts.get(row.name).to_owned(),
            descriptor: self.texts.get(row.descriptor).to_owned(),
        }
    }

    pub fn class(&self, name: &str) -> Option<ClassNo> {
        self.names().classes.get(name).copied()
    }

    /// With slashes; arrays as in descriptors. `[?` is an array of a class that only the run knows; the class of a
    /// lambda is `Outer$$Lambda@…`.
    pub fn class_name(&self, class: ClassNo) -> &str {
        self.classes.get(class.0 as usize).map_or("", |&text| self.texts.get(text))
    }

    pub fn is_subclass(&self, class: ClassNo, of: ClassNo) -> bool {
        class == of || self.supers.row(class.0).binary_search(&of.0).is_ok()
    }

    /// Is the method's class code of the program?
    pub fn is_program(&self, method: MethodNo) -> bool {
        self.methods.get(method.0 as usize).is_some_and(|m| m.program)
    }

    /// May it run at all, as far as the analysis knows?
    pub fn is_reached(&self, method: MethodNo) -> bool {
        self.methods.get(method.0 as usize).is_some_and(|m| m.reached)
    }

    /// All methods that may run.
    pub fn reached(&self) -> impl Iterator<Item = MethodNo> + '_ {
        self.methods().filter(|&m| self.is_reached(m))
    }

    /// The methods that the call at a place may reach.
    pub fn callees(&self, method: MethodNo, bci: u16) -> &[MethodNo] {
        let row = self.calls.row(method.0);
        match row.binary_search_by_key(&bci, |c| c.0) {
            Ok(at) => self.callees.get(row[at].1 as usize..row[at].2 as usize).unwrap_or(&[]),
            Err(_) => &[],
        }
    }

    /// The calls that may reach a method, from reached methods.
    pub fn callers(&self, method: MethodNo) -> &[(MethodNo, u16)] {
        self.callers.row(method.0)
    }

    /// The places of a reached method that call something.
    pub fn calls_in(&self, method: MethodNo) -> Vec<u16> {
        self.calls.row(method.0).iter().map(|c| c.0).collect()
    }

    pub fn objects(&self) -> impl Iterator<Item = ObjectNo> + '_ {
        (0..self.objects.len() as u32).map(ObjectNo)
    }

    pub fn object(&self, object: ObjectNo) -> Abstract {
        let row = self.objects.get(object.0 as usize).copied().unwrap_or_default();
        let created = (row.method != NOWHERE).then_some((MethodNo(row.method), row.bci));
        Abstract { class: ClassNo(row.class), created }
    }

    /// The abstract objects that an instruction creates: one, or for an array of arrays one for each dimension, the
    /// outermost first. A reference to a constructor creates its objects where it is made into a lambda.
    pub fn created_at(&self, method: MethodNo, bci: u16) -> Vec<ObjectNo> {
        let first = self.created.partition_point(|c| (c.0, c.1) < (method, bci));
        self.created[first..].iter().take_while(|c| (c.0, c.1) == (method, bci)).map(|c| c.2).collect()
    }

    /// The one object that stands for all of a class that were only seen, or that libraries create.
    pub fn merged(&self, class: ClassNo) -> Option<ObjectNo> {
        let at = self.objects.iter().position(|o| o.class == class.0 && o.method == NOWHERE)?;
        Some(ObjectNo(at as u32))
    }

    fn set(&self, number: u32) -> Vec<ObjectNo> {
        self.sets.get(number as usize).map_or(Vec::new(), |s| s.to_vec().into_iter().map(ObjectNo).collect())
    }

    fn used_set(&self, method: MethodNo, bci: u16, operand: OperandNo) -> Option<u32> {
        let row = self.used.row(method.0);
        let at = row.binary_search_by_key(&(bci, operand.0), |u| (u.bci, u.operand)).ok()?;
        Some(row[at].set)
    }

    /// What an operand may be, ascending. Empty for primitives and what is not reached. Of libraries only what is
    /// written to can be asked for.
    pub fn points_to(&self, method: MethodNo, bci: u16, operand: OperandNo) -> Vec<ObjectNo> {
        self.used_set(method, bci, operand).map_or(Vec::new(), |s| self.set(s))
    }

    /// May the operand be the object?
    pub fn may_be(&self, method: MethodNo, bci: u16, operand: OperandNo, object: ObjectNo) -> bool {
        let set = self.used_set(method, bci, operand).and_then(|s| self.sets.get(s as usize));
        set.is_some_and(|s| s.contains(object.0))
    }

    /// What a parameter may be; 0 is the receiver if there is one.
    pub fn parameter(&self, method: MethodNo, at: u8) -> Vec<ObjectNo> {
        self.parameters.row(method.0).get(at as usize).map_or(Vec::new(), |&s| self.set(s))
    }

    /// What the call at a place may give. Only of the program's own calls.
    pub fn result(&self, method: MethodNo, bci: u16) -> Vec<ObjectNo> {
        let row = self.results.row(method.0);
        row.binary_search_by_key(&bci, |r| r.0).map_or(Vec::new(), |at| self.set(row[at].1))
    }

    /// What a field of an object may hold, all its fields and elements if no name is given.
    pub fn content(&self, object: ObjectNo, field: Option<&str>) -> Vec<ObjectNo> {
        let mut all = Set::default();
        let mut ignored = Set::default();
        for &(name, set) in self.contents.row(object.0) {
            let wanted = field.is_none_or(|f| name != ELEMENTS && self.texts.get(name) == f);
            if let (true, Some(set)) = (wanted, self.sets.get(set as usize)) {
                all.absorb(set, None, &mut ignored);
            }
        }
        all.to_vec().into_iter().map(ObjectNo).collect()
    }

    /// Every instruction of the program's own code (not of libraries) an operand of which may be one of the objects.
    pub fn uses(&self, objects: &[ObjectNo]) -> Vec<OperandUse> {
        let holds: Vec<bool> = self.sets.iter().map(|s| objects.iter().any(|o| s.contains(o.0))).collect();
        let mut uses = Vec::new();
        for method in self.methods().filter(|&m| self.is_program(m)) {
            for u in self.used.row(method.0) {
                if holds.get(u.set as usize) == Some(&true) {
                    uses.push(OperandUse { method, bci: u.bci, operand: OperandNo(u.operand) });
                }
            }
        }
        uses
    }

    /// The instructions of a reached method, of a library too, that write to an object (its field or element), and
    /// which operand that is. Caches do not count. A copy between arrays and a write by offset are told at their calls.
    pub fn stores_in(&self, method: MethodNo) -> impl Iterator<Item = (u16, OperandNo)> + '_ {
        self.used.row(method.0).iter().filter(|u| u.written).map(|u| (u.bci, OperandNo(u.operand)))
    }

    /// The operands of an instruction of the program that are references.
    pub fn operands(&self, method: MethodNo, bci: u16) -> impl Iterator<Item = OperandNo> + '_ {
        let row = self.used.row(method.0);
        let first = row.partition_point(|u| u.bci < bci);
        row[first..].iter().take_while(move |u| u.bci == bci).map(|u| OperandNo(u.operand))
    }

    /// The classes of the program that have methods, ascending.
    pub(crate) fn program_classes(&self) -> &[u32] {
        self.program_classes.get_or_init(|| {
            let own = self.methods.iter().filter(|method| method.program);
            let mut classes: Vec<u32> = own.map(|method| method.class).collect();
            classes.sort_unstable();
            classes.dedup();
            classes
        })
    }

    /// Classes that could not be found or read, with why; methods as `class.name(descriptor)`.
    pub fn left_out(&self) -> &[(String, String)] {
        &self.left_out
    }
}
