//! What kind of call a call into a library is: by its method and the class of its receiver. Looked up once for each
//! pair, because a run has few of them and many calls.

use std::sync::PoisonError;

use index::Target;
use jdk::effects::{Does, Edit, FORWARDS, Hand, ROWS, Row, is_silent, of_class};
use rustc_hash::FxHashMap;
use trace::{CalleeId, ObjectId, TypeId, Value};

use crate::past::Past;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Does(Does),
    /// It is known to do nothing that lasts.
    Silent,
    Unknown,
}

/// What the method alone says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quick {
    Silent,
    Unknown,
    ByReceiver,
    /// Nothing by itself; but it may call a method reference to another library that it is given.
    CallsBack,
}

#[derive(Default)]
pub(crate) struct Kinds {
    quick: FxHashMap<CalleeId, Quick>,
    kinds: FxHashMap<(CalleeId, Option<TypeId>), Kind>,
}

impl Past {
    pub(crate) fn quick_kind(&self, callee: CalleeId) -> Quick {
        let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&known) = kinds.quick.get(&callee) {
            return known;
        }
        let (owner, name, descriptor) = self.target(Target::Library(callee));
        let own = self.library_class(&owner);
        let own = own.as_deref().unwrap_or(&owner);
        let quick = match () {
            () if is_concerned(own, &name) || written_argument(own, &name, &descriptor).is_some() => {
                Quick::ByReceiver
            }
            () if jdk::effects::calls_back(own, &descriptor) => Quick::CallsBack,
            () if is_silent(own, &name) => Quick::Silent,
            () => Quick::Unknown,
        };
        kinds.quick.insert(callee, quick);
        quick
    }

    pub(crate) fn kind(&self, callee: CalleeId, receiver: Option<Value>) -> Kind {
        let object = match receiver {
            Some(Value::Object(object)) => Some(object),
            _ => None,
        };
        let key = (callee, object.and_then(|object| self.type_of(object)));
        if let Some(&known) = self.kinds.lock().unwrap_or_else(PoisonError::into_inner).kinds.get(&key) {
            return known;
        }
        let kind = self.find_kind(callee, object);
        self.kinds.lock().unwrap_or_else(PoisonError::into_inner).kinds.insert(key, kind);
        kind
    }

    /// Does a method of a library write into something that lasts, of this receiver?
    pub fn is_write(&self, callee: CalleeId, receiver: Option<Value>) -> bool {
        match self.quick_kind(callee) {
            Quick::ByReceiver => match self.kind(callee, receiver) {
                Kind::Does(Does::Edits(edit)) => edit != Edit::Make,
                Kind::Does(Does::Looks | Does::Exposes | Does::Takes(..)) => false,
                Kind::Does(_) => true,
                Kind::Silent | Kind::Unknown => false,
            },
            Quick::Silent | Quick::Unknown | Quick::CallsBack => false,
        }
    }

    fn find_kind(&self, callee: CalleeId, receiver: Option<ObjectId>) -> Kind {
        let (owner, name, descriptor) = self.target(Target::Library(callee));
        self.named_kind(&owner, &name, &descriptor, receiver)
    }

    /// What a method of a library does to a receiver.
    pub(super) fn named_kind(
        &self,
        owner: &str,
        name: &str,
        descriptor: &str,
        receiver: Option<ObjectId>,
    ) -> Kind {
        let own = self.library_class(owner).unwrap_or_else(|| owner.to_owned());
        let classes = receiver.map(|object| self.classes_of(object)).unwrap_or_default();
        if receiver.is_some_and(ObjectId::is_program) {
            // A method that only calls others of the program's own.
            let above = classes.iter().find(|class| jdk::owner::is_jdk(class.as_str()));
            if above.is_some_and(|above| FORWARDS.contains(&above.as_str())) && name != "<init>" {
                return Kind::Silent;
            }
        }
        let of = |class: &str| of_class(class, name, descriptor);
        // A constructor makes its own class's part, whatever class the object is of.
        let by_class = if name == "<init>" { None } else { classes.iter().find_map(|class| of(class)) };
        match by_class.or_else(|| of(&own)) {
            Some(does) => Kind::Does(does),
            None => match written_argument(&own, name, descriptor) {
                Some(at) => Kind::Does(Does::WritesInto(at)),
                None if is_silent(&own, name) => Kind::Silent,
                None => Kind::Unknown,
            },
        }
    }

    /// The class of an object and those above it, with slashes.
    pub(crate) fn classes_of(&self, object: ObjectId) -> Vec<String> {
        render::Heap::supertypes(&self.heap_at(index::Time(0)), object)
    }

    /// The library class that a call goes to, where code names a class of the program that inherits the method.
    fn library_class(&self, owner: &str) -> Option<String> {
        let program = self.recording.program();
        let mut own = owner.to_owned();
        for _ in 0..1000 {
            let recorded = |class: &&trace::Class| class.recorded && class.name == own;
            let class = program.classes().iter().filter(|_| !jdk::owner::is_jdk(&own)).find(recorded)?;
            own = program.model(class)?.super_name.clone()?;
            if jdk::owner::is_jdk(&own) {
                return Some(own);
            }
        }
        None
    }
}

/// The argument that a method of a library writes to by all appearances: a stream, writer or builder that it is given,
/// and does not only read.
fn written_argument(owner: &str, name: &str, descriptor: &str) -> Option<u8> {
    if name == "<init>" || jdk::effects::hand(owner, name) == Hand::Reads {
        return None;
    }
    let parameters = crate::past::parameters(descriptor);
    let at = parameters.iter().position(|one| jdk::effects::SINK_TYPES.contains(&one.as_str()))?;
    u8::try_from(at).ok()
}

/// May the table have a row for a method that code names like this? The class of the receiver may lie below the one
/// that is named, and a class of another library below one of the JDK.
fn is_concerned(owner: &str, name: &str) -> bool {
    let fits = |row: &&Row| match row.name.strip_suffix('*') {
        Some(start) => !start.is_empty() && name.starts_with(start),
        None => row.name == name,
    };
    let other = !jdk::owner::is_jdk(owner) || owner.starts_with("java/io/") || owner.starts_with("java/nio/");
    ROWS.iter().any(|row| row.class == owner)
        || name == "printStackTrace"
        || jdk::builders::is_of_builder(owner)
        || other && ROWS.iter().any(|row| fits(&row))
}
