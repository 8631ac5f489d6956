//! Changes that say nothing about a call: what the compiler made, what Java does when a class is first used, what a JDK
//! object counts or remembers for itself. They are true, and belong behind everything else.

use base::Time;
use classfile::access;
use index::Key;
use trace::{FieldId, simple_name};

use crate::changes::Change;
use crate::location::Location;
use crate::past::Past;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Noise {
    /// The compiler's own fields: `$VALUES`, `$SwitchMap$…`, `$assertionsDisabled`.
    Compiler,
    /// An enum constant that becomes itself.
    Constant,
    /// A static that the initialiser of its class set: the class was used for the first time.
    FirstUse,
    /// A counter or cache inside an object of the JDK.
    Bookkeeping,
}

/// Changes that say nothing, all together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aside {
    /// Classes that were used for the first time.
    pub classes: Vec<String>,
    /// Statics that their initialisers set, those of the compiler included.
    pub constants: usize,
    pub bookkeeping: usize,
}

impl Aside {
    pub fn is_empty(&self) -> bool {
        self.constants == 0 && self.bookkeeping == 0
    }
}

impl Past {
    /// Is it noise that a location was written between two moments?
    pub fn noise(&self, location: &Location, from: Time, to: Time) -> Option<Noise> {
        let (Location::Static(id) | Location::Field { field: id, .. }) = location else { return None };
        let (class, field) = self.recording.program().field(*id)?;
        if jdk::caches::is_cache(&class.name, &field.name) {
            return Some(Noise::Bookkeeping);
        }
        let Location::Static(id) = location else { return None };
        let initialised = self.initialised(*id, &class.name, to);
        // What is asked about is the initialiser itself, or something in it: this is what it is there for.
        if initialised.is_some_and(|began| began <= from) {
            return None;
        }
        match () {
            () if field.access & access::SYNTHETIC != 0 => Some(Noise::Compiler),
            () if field.access & access::ENUM != 0 => Some(Noise::Constant),
            () => initialised.map(|_| Noise::FirstUse),
        }
    }

    /// Is what a location holds as fixed as the code that reads it: a table of the compiler, or a final field of an enum constant?
    pub fn is_constant(&self, location: &Location) -> bool {
        let access = |id| self.recording.program().field(id).map_or(0, |(_, field)| field.access);
        match *location {
            Location::Static(id) => access(id) & access::SYNTHETIC != 0,
            Location::Field { object, field } => {
                access(field) & access::FINAL != 0 && self.recording.objects().enum_object(object).is_some()
            }
            _ => false,
        }
    }

    /// When the initialiser of its class began that wrote a static last.
    fn initialised(&self, field: FieldId, class: &str, to: Time) -> Option<Time> {
        let mut around = self.index.call_at(self.index.last(Key::of_static(field), to)?.position);
        while let Some(call) = around {
            let row = self.index.call(call)?;
            let (owner, name, _) = self.target(row.target);
            if name == "<clinit>" && owner == class {
                return self.time_of(call.stream, row.entry);
            }
            around = self.parent(call);
        }
        None
    }

    /// What of these changes between two moments is noise, to be said in one line.
    pub fn aside<'c>(&self, changes: impl IntoIterator<Item = &'c Change>, from: Time, to: Time) -> Aside {
        let mut aside = Aside::default();
        for change in changes {
            let location = &change.location;
            match (self.noise(location, from, to), location) {
                (Some(Noise::Bookkeeping), _) => aside.bookkeeping += 1,
                (Some(noise), Location::Static(id)) => {
                    aside.constants += 1;
                    let class =
                        self.recording.program().field(*id).map(|(class, _)| simple_name(&class.name));
                    // Where the compiler puts its tables is no class to a person.
                    let named = class.filter(|_| noise != Noise::Compiler);
                    if let Some(class) = named.filter(|class| !aside.classes.contains(class)) {
                        aside.classes.push(class);
                    }
                }
                _ => {}
            }
        }
        aside
    }
}
