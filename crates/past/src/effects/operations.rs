//! The history of a stream, writer, builder or buffer: every call that wrote to it, in order.

use index::{CallId, Key, PostingKind, Target, Time};
use trace::ObjectId;

use super::kind::Kind;
use super::{Content, Done, Effect, Sink};
use crate::past::{Past, SourceLine};

#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    pub effect: Effect,
    /// The call of program code that did it, and where.
    pub by: Option<CallId>,
    pub place: Option<SourceLine>,
    /// What the object held afterwards, where it keeps what it is given and that is known.
    pub content: Option<Content>,
}

impl Past {
    /// Can something be written to an object that a call of its own does not show?
    pub fn is_sink(&self, object: ObjectId) -> bool {
        self.array_length(object).is_none()
            && self
                .classes_of(object)
                .iter()
                .any(|class| jdk::effects::ROWS.iter().any(|row| row.class == class && writes(row.does)))
    }

    /// What was written to an object, in order, each found when it is asked for.
    pub fn operations(&self, object: ObjectId) -> impl Iterator<Item = Operation> + '_ {
        let mut last = None;
        self.index.all(Key::uses(object), None).filter_map(move |found| {
            let PostingKind::Used { call, .. } = found.posting.what else { return None };
            let id = CallId { stream: found.position.stream, index: call };
            if last.replace(id) == Some(id) {
                return None;
            }
            let row = self.index.call(id)?;
            let Target::Library(callee) = row.target else { return None };
            let receiver = self.index.arguments(id)?.receiver;
            let Kind::Does(does) = self.kind(callee, receiver) else { return None };
            let info = self.bare_call(id)?;
            let Done::Wrote(effect) = self.done(&info, does, None) else { return None };
            if effect.sink != Sink::Object(object) {
                return None;
            }
            let content = self.content_at(object, info.exit);
            Some(Operation { by: self.program_call(id), place: self.call_site(id, &row), effect, content })
        })
    }

    /// The object that `System.out` and the like mean, at the end of the run.
    pub fn find_standard_stream(&self, name: &str) -> Option<ObjectId> {
        if !super::sink::is_standard_name(name) {
            return None;
        }
        let last = self.last_time()?;
        let mut seen: Vec<ObjectId> = Vec::new();
        for noted in self.index.output() {
            let Some(receiver) = noted.call.and_then(|call| self.index.arguments(call)?.receiver) else {
                continue;
            };
            let trace::Value::Object(object) = receiver else { continue };
            if seen.contains(&object) {
                continue;
            }
            if self.standard(object, last) == Some(name) {
                return Some(object);
            }
            seen.push(object);
            if seen.len() == 64 {
                break;
            }
        }
        seen.into_iter().find(|&object| self.standard(object, Time(0)) == Some(name))
    }
}

fn writes(does: jdk::effects::Does) -> bool {
    use jdk::effects::{Does, Edit};
    matches!(does, Does::Writes(_)) || matches!(does, Does::Edits(edit) if edit != Edit::Make)
}
