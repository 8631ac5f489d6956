//! Changes that say nothing about a call: what the compiler made, what Java does when a class is first used, what a JDK
//! object counts or remembers for itself. They are true, and belong behind everything else.

use base::Time;
use classfile::access;
use index::Key;

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

impl Past {
    /// Is it noise that a location was written between two moments?
    pub fn noise(&self, location: &Location, from: Time, to: Time) -> Option<Noise> {
        let (Location::Static(id) | Location::Field { field: id, .. }) = location else { return None };
        let (class, field) = self.recording.program().field(*id)?;
        if jdk::caches::is_cache(&class.name, &field.name) {
            return Some(Noise::Bookkeeping);
        }
        let Location::Static(id) = location else { return None };
        if field.access & access::SYNTHETIC != 0 {
            return Some(Noise::Compiler);
        }
        if field.access & access::ENUM != 0 {
            return Some(Noise::Constant);
        }
        let written = self.index.last(Key::of_static(*id), to).filter(|found| found.time >= from)?;
        let mut around = self.index.call_at(written.position);
        while let Some(call) = around {
            let (owner, name, _) = self.target(self.index.call(call)?.target);
            if name == "<clinit>" && owner == class.name {
                return Some(Noise::FirstUse);
            }
            around = self.parent(call);
        }
        None
    }
}
