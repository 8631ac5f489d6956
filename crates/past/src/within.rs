//! Which collection an object is a part of: the array behind a list, the nodes of a map. What happens there happens to
//! the collection, and a person thinks of it as that.

use base::{ObjectId, Time, Value};
use render::Heap;

use crate::affected::Use;
use crate::history::value_of;
use crate::past::Past;

/// Steps from a part up to its collection, at most: a table, a node in it, the node behind that.
const STEPS: usize = 6;
/// Uses of a part that are looked at, to find where it is kept.
const USES: usize = 12;

impl Past {
    /// The collection of the JDK that the object belongs to at a time, or is; one of the program's own below such a
    /// class, too. None if it is no part of one, or if that is not known.
    pub fn collection_of(&self, object: ObjectId, time: Time) -> Option<ObjectId> {
        let mut at = object;
        for _ in 0..STEPS {
            let classes = self.heap_at(time).supertypes(at);
            if classes.iter().any(|class| jdk::collections::layout(class).is_some()) {
                return Some(at);
            }
            // An array, or what the JDK made for itself.
            let is_part = self.array_length(at).is_some() || jdk::util_parts::is_of_util(classes.first()?);
            at = self.holder(at, time).filter(|_| is_part)?;
        }
        None
    }

    /// What an object is stored in.
    fn holder(&self, object: ObjectId, time: Time) -> Option<ObjectId> {
        let mut until = time;
        for _ in 0..USES {
            let (used_at, used) = self.last_use(object, until)?;
            if let Use::Stored(slot) = used
                && value_of(self.value_at(&self.location_of(slot), time)) == Some(Value::Object(object))
            {
                return slot.object();
            }
            until = Time(used_at.0.checked_sub(1)?);
        }
        None
    }
}
