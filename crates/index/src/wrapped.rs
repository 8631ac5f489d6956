//! Arrays that an object of a library keeps and writes to when it likes: the array of a buffer. What such a call left in
//! the array is not recorded, so from there on its elements are not known until the program reads or writes them.

use base::ObjectId;
use rustc_hash::FxHashMap;
use trace::Value;

/// Which array a buffer writes to.
#[derive(Default)]
pub(crate) struct Wrapped {
    arrays: FxHashMap<u32, ObjectId>,
}

/// What a call into a library has to do with buffers, until it has come back.
#[derive(Clone, Copy, Default)]
pub(crate) struct Buffering {
    /// What it gives back is a buffer around the array that it was given.
    wraps: bool,
    /// The buffer whose array is told next.
    pub of: Option<ObjectId>,
    /// What it gives back has this array too.
    shares: Option<ObjectId>,
}

impl Wrapped {
    /// A call is made.
    pub fn called(&self, owner: &str, name: &str, receiver: Option<Value>) -> Buffering {
        if !jdk::arrays::is_buffer(owner) {
            return Buffering::default();
        }
        let receiver = object(receiver);
        Buffering {
            wraps: name == jdk::arrays::WRAP,
            of: receiver.filter(|_| name == jdk::arrays::EXPOSE),
            shares: receiver.and_then(|buffer| self.array(buffer)),
        }
    }

    /// The arrays that a call may write to through the buffers that it has in hand.
    pub fn written<'a>(
        &'a self,
        owner: &str,
        name: &str,
        receiver: Option<Value>,
        args: &'a [Value],
    ) -> impl Iterator<Item = ObjectId> + 'a {
        let own = receiver.filter(|_| jdk::arrays::fills_own_buffer(owner, name));
        let given = if jdk::arrays::leaves_buffers(name) { &[][..] } else { args };
        let values = own.into_iter().chain(given.iter().copied());
        values.filter_map(|value| object(Some(value)).and_then(|buffer| self.array(buffer)))
    }

    /// A call came back with something that is no array.
    pub fn came_back(&mut self, buffering: &mut Buffering, given: ObjectId) {
        if buffering.wraps {
            buffering.of = Some(given);
        }
        if let Some(array) = buffering.shares {
            self.arrays.insert(given.0, array);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.arrays.is_empty()
    }

    pub fn put(&mut self, buffer: ObjectId, array: ObjectId) {
        self.arrays.insert(buffer.0, array);
    }

    fn array(&self, buffer: ObjectId) -> Option<ObjectId> {
        self.arrays.get(&buffer.0).copied()
    }
}

fn object(value: Option<Value>) -> Option<ObjectId> {
    match value {
        Some(Value::Object(object)) => Some(object),
        _ => None,
    }
}
