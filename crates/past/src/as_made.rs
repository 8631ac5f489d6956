//! Fields that nobody was seen to write to: when they hold the zeros with which an object begins. With a `new` of the
//! program they do. A library that has an object made can write to it unseen once its constructor has come back; so then
//! they do until that, where the program reads them as zero later, and in instances of tests, of which it is known.

use std::collections::HashMap;
use std::sync::PoisonError;

use classfile::{ClassFile, Member};
use index::{CallRow, Ending, Key, Position, Posting, PostingKind, Target, Time, TimedPosting};
use trace::{Class, Field, FieldId, ObjectId, TypeId};

use crate::history::same;
use crate::past::Past;
use crate::state::default;

/// What was found out of class files.
#[derive(Default)]
pub(crate) struct TestClasses {
    /// Is it one of tests, and are all of its superclasses the program's or a test framework's?
    plain: HashMap<TypeId, bool>,
    annotated: HashMap<FieldId, bool>,
}

/// Superclasses of one class, at most.
const MAX_SUPERS: usize = 100;

impl Past {
    /// Does a field of an object hold what it began with, if no write to it is known?
    pub(crate) fn is_as_made(&self, object: ObjectId, field: FieldId, of: &Field, time: Time) -> bool {
        let Some(made) = self.index.last(Key::created(object), time) else { return false };
        if !made.posting.library {
            return true;
        }
        let constructor = self.index.call_at(made.position).and_then(|call| self.index.call(call));
        let Some(constructor) = constructor else { return false };
        self.is_open(&constructor, &made, time)
            || self.is_read_as_zero(object, field, of, time)
            || self.is_made_for_test(&constructor, &made) && self.is_left_alone(object, field)
    }

    /// Has the constructor that made an object for a library not come back yet?
    fn is_open(&self, constructor: &CallRow, made: &TimedPosting, time: Time) -> bool {
        let exit = Position { stream: made.position.stream, ordinal: constructor.exit };
        constructor.ending == Ending::Open || self.index.time(exit).is_some_and(|exit| time <= exit)
    }

    fn is_read_as_zero(&self, object: ObjectId, field: FieldId, of: &Field, time: Time) -> bool {
        let next = self.index.all(Key::field(object, field), Some(time)).next();
        let zero = Some(default(&of.descriptor));
        next.is_some_and(
            |next| matches!(next.posting.what, PostingKind::Read(value) if same(Some(value), zero)),
        )
    }

    /// Was a constructor called by a test framework, or by nobody who is recorded?
    fn is_made_for_test(&self, constructor: &CallRow, made: &TimedPosting) -> bool {
        let Some(index) = constructor.parent else { return true };
        let maker = self.index.call(index::CallId { stream: made.position.stream, index });
        maker.is_some_and(|maker| {
            matches!(maker.target, Target::Library(_)) && jdk::testing::is_runner(self.target(maker.target).0)
        })
    }

    /// Is it the field of a test's instance to which a framework does not write? All that is injected into tests has an
    /// annotation.
    fn is_left_alone(&self, object: ObjectId, field: FieldId) -> bool {
        let Some(ty) = self.recording.objects().type_of(object) else { return false };
        let mut known = self.tests.lock().unwrap_or_else(PoisonError::into_inner);
        *known.plain.entry(ty).or_insert_with(|| self.is_plain_test(ty))
            && !*known.annotated.entry(field).or_insert_with(|| self.is_annotated(field))
    }

    fn is_plain_test(&self, ty: TypeId) -> bool {
        let program = self.recording.program();
        let chain = std::iter::successors(Some(ty), |&ty| program.type_info(ty)?.super_type);
        let mut is_test = false;
        for ty in chain.take(MAX_SUPERS) {
            let Some(info) = program.type_info(ty) else { return false };
            let class = info.class.and_then(|class| program.class(class)).filter(|class| class.recorded);
            match class {
                Some(class) => is_test |= names_test(class),
                None if info.name == jdk::names::OBJECT => {}
                None if jdk::testing::is_runner(&info.name) => {
                    is_test |= info.name == jdk::testing::JUNIT3_TEST_CASE;
                }
                None => return false,
            }
        }
        is_test
    }

    /// May a framework see that a field is meant for it?
    fn is_annotated(&self, field: FieldId) -> bool {
        let Some((class, field)) = self.recording.program().field(field) else { return true };
        let Ok(file) = ClassFile::parse(&class.bytes) else { return true };
        let is_it = |member: &&Member<'_>| {
            member.name == field.name.as_bytes() && member.descriptor == field.descriptor.as_bytes()
        };
        let found = file.fields.iter().find(is_it);
        found.is_none_or(|member| member.attribute("RuntimeVisibleAnnotations").is_some())
    }
}

/// Was an object there before the call that begins with this event? To a constructor that a library called it was, although
/// nothing tells of it before.
pub(crate) fn made_before(created: &Posting, entry: u64) -> bool {
    created.library && created.ordinal == entry
}

/// Does a class have the annotation of a test anywhere?
fn names_test(class: &Class) -> bool {
    jdk::testing::TESTS
        .iter()
        .any(|name| class.bytes.windows(name.len()).any(|bytes| bytes == name.as_bytes()))
}
