//! Which abstract objects are of a type, as one bitmap for each class that a variable, field or cast asks for. Kept up to
//! date as objects appear, so that filtering a set is one "and" for each word.

use crate::hash::Map;
use crate::hierarchy::{ClassIndex, Hierarchy};
use crate::set;

/// 0 lets everything pass.
pub type Filter = u32;

pub const ALL: Filter = 0;

pub struct Filters {
    by_class: Map<ClassIndex, Filter>,
    bits: Vec<Vec<u64>>,
    arrays: Vec<bool>,
    objects: Map<ClassIndex, Vec<u32>>,
    /// Classes with objects, by each of their supertypes.
    below: Map<ClassIndex, Vec<ClassIndex>>,
    /// Objects of classes of which a supertype is missing: they pass everywhere.
    unknown: Vec<u32>,
    any_arrays: Vec<u32>,
}

impl Filters {
    pub fn new() -> Filters {
        Filters {
            by_class: Map::default(),
            bits: vec![Vec::new()],
            arrays: vec![false],
            objects: Map::default(),
            below: Map::default(),
            unknown: Vec::new(),
            any_arrays: Vec::new(),
        }
    }

    pub fn bits(&self, filter: Filter) -> Option<&[u64]> {
        (filter != ALL).then(|| &self.bits[filter as usize][..])
    }

    pub fn passes(&self, filter: Filter, object: u32) -> bool {
        filter == ALL || set::has(&self.bits[filter as usize], object)
    }

    pub fn of(&mut self, class: ClassIndex, h: &Hierarchy<'_>) -> Filter {
        if class == h.object {
            return ALL;
        }
        if let Some(&known) = self.by_class.get(&class) {
            return known;
        }
        let mut bits = Vec::new();
        let is_array = h.is_array(class);
        for c in self.below.get(&class).into_iter().flatten() {
            for &o in self.objects.get(c).into_iter().flatten() {
                set::set(&mut bits, o);
            }
        }
        for &o in self.unknown.iter().chain(self.any_arrays.iter().filter(|_| is_array)) {
            set::set(&mut bits, o);
        }
        let filter = self.bits.len() as Filter;
        self.bits.push(bits);
        self.arrays.push(is_array);
        self.by_class.insert(class, filter);
        filter
    }

    pub fn add(&mut self, object: u32, class: ClassIndex, h: &mut Hierarchy<'_>) {
        let supers = h.supers(class);
        let of_class = self.objects.entry(class).or_default();
        of_class.push(object);
        if of_class.len() == 1 {
            for &s in &supers {
                self.below.entry(s).or_default().push(class);
            }
        }
        for s in &supers {
            if let Some(&f) = self.by_class.get(s) {
                set::set(&mut self.bits[f as usize], object);
            }
        }
        let unknown = h.classes[class.0 as usize].incomplete;
        if unknown {
            self.unknown.push(object);
        }
        if class == h.any_array {
            self.any_arrays.push(object);
        }
        if unknown || class == h.any_array {
            for (bits, &is_array) in self.bits.iter_mut().zip(&self.arrays).skip(1) {
                if unknown || is_array {
                    set::set(bits, object);
                }
            }
        }
    }
}
