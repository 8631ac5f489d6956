//! Which calls of another recording may have been asked the same as one of this: where all that a call executed is the
//! same code in both, only those that took the same course. Courses and changed code are had for all calls at once, so
//! that a call which nobody there knows costs next to nothing.

use base::CallId;
use past::Past;

use super::changes::Changes;
use super::workers::both;
use crate::fingerprint::{Course, Courses, Facts};

/// By owner, name and descriptor.
pub type MethodKey = (String, String, String);

/// Two recordings, as far as they were looked at. The first is the one that is debugged.
#[derive(Default)]
pub struct Twins {
    pub here: Facts,
    pub there: Facts,
    courses: Option<Option<Both>>,
    changes: Option<Option<Changes>>,
}

struct Both {
    here: Courses,
    there: Courses,
}

impl Twins {
    /// What is other code there; none while the program runs.
    pub fn changes(&mut self, past: &Past, other: &Past) -> Option<&Changes> {
        let Twins { here, there, changes, .. } = self;
        changes.get_or_insert_with(|| Changes::of(past, here, other, there)).as_ref()
    }

    /// The same, if somebody has asked for it already.
    pub fn known_changes(&self) -> Option<&Changes> {
        self.changes.as_ref()?.as_ref()
    }

    /// The course that calls there must have taken; none if all of them have to be looked at.
    pub fn course(&mut self, past: &Past, other: &Past, call: CallId) -> Option<Course> {
        if !self.changes(past, other)?.is_unchanged(past, call) {
            return None;
        }
        let courses = self.courses.get_or_insert_with(|| {
            let (here, there) = both(|| Courses::of(past), || Courses::of(other));
            here.zip(there).map(|(here, there)| Both { here, there })
        });
        courses.as_ref()?.here.get(call)
    }

    /// Did a call there take this course?
    pub fn took(&self, call: CallId, course: Course) -> bool {
        let both = self.courses.as_ref().and_then(Option::as_ref);
        let taken = |there: Course| there.taken == course.taken;
        both.is_none_or(|both| both.there.get(call).is_some_and(taken))
    }

    /// The course of a call there, if courses were looked at.
    pub fn there(&self, call: CallId) -> Option<Course> {
        self.courses.as_ref()?.as_ref()?.there.get(call)
    }
}
