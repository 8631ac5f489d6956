//! Which calls of another recording may have been asked the same as one of this: where all that a call executed is the
//! same code in both, only those that took the same course. Courses and changed code are had for all calls at once, so
//! that a call which nobody there knows costs next to nothing.

use std::collections::HashMap;

use base::{CallId, MethodId, StreamId, Target};
use past::{MethodGroup, Past};

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
    unchanged: HashMap<MethodId, bool>,
}

struct Both {
    here: Courses,
    there: Courses,
    /// By thread: how many calls before each one (and before the end) run code that is another there.
    changed: HashMap<StreamId, Vec<u32>>,
}

impl Twins {
    /// The course that calls there must have taken; none if all of them have to be looked at.
    pub fn course(
        &mut self,
        past: &Past,
        other: &Past,
        groups: &HashMap<MethodKey, MethodGroup>,
        call: CallId,
    ) -> Option<Course> {
        if past.is_live() {
            return None;
        }
        if self.courses.is_none() {
            self.courses = Some(self.both(past, other, groups));
        }
        let both = self.courses.as_ref()?.as_ref()?;
        let changed = both.changed.get(&call.stream)?;
        let end = call.index.checked_add(past.call_size(call))?;
        let unchanged = changed.get(call.index as usize)? == changed.get(end as usize)?;
        both.here.get(call).filter(|_| unchanged)
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

    /// Is the method's code the same there?
    pub fn is_unchanged(
        &mut self,
        past: &Past,
        other: &Past,
        groups: &HashMap<MethodKey, MethodGroup>,
        method: MethodId,
    ) -> bool {
        if let Some(&known) = self.unchanged.get(&method) {
            return known;
        }
        let group = groups.get(&past.target(Target::Method(method)));
        let there = group.and_then(|&group| other.method_of(other.ranked(group, 0)?));
        let code = self.here.code(past, method);
        let same = code.is_some() && there.and_then(|there| self.there.code(other, there)) == code;
        self.unchanged.insert(method, same);
        same
    }

    fn both(&mut self, past: &Past, other: &Past, groups: &HashMap<MethodKey, MethodGroup>) -> Option<Both> {
        let (here, there) = both(|| Courses::of(past), || Courses::of(other));
        let (here, there) = here.zip(there)?;
        let mut changed = HashMap::new();
        for stream in past.streams() {
            let mut before = Vec::with_capacity(past.calls_in(stream) as usize + 1);
            let mut count = 0;
            before.push(count);
            for index in 0..past.calls_in(stream) {
                let target = past.call_row(CallId { stream, index })?.target;
                if let Target::Method(method) = target {
                    count += u32::from(!self.is_unchanged(past, other, groups, method));
                }
                before.push(count);
            }
            changed.insert(stream, before);
        }
        Some(Both { here, there, changed })
    }
}
