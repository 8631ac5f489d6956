//! Who wrote which character of a text that was put together in a builder or writer.

use index::{CallId, Ending, Key, PostingKind, Target, Time};
use jdk::effects::Does;
use trace::{ObjectId, Value};

use super::kind::Kind;
use super::{Deed, Piece, Sink};
use crate::past::Past;

/// Uses of an object that are looked at for who gave it out.
const GIVEN: usize = 64;

impl Past {
    /// Who wrote each character that an object held at a time, which was this; none of one that nobody was seen to write.
    /// By the calls on the object itself, or by those on a wrapper if these wrote just that.
    pub fn authors(&self, object: ObjectId, time: Time, content: &[u16]) -> Option<Vec<Option<CallId>>> {
        let own = self.written_by(object, time).filter(|by| by.len() == content.len());
        if own.as_ref().is_some_and(|by| by.iter().any(Option::is_some)) {
            return own;
        }
        let holder = self.gave_out(object);
        let holders = [Some(object), holder].into_iter().flatten();
        let feeders = holders.flat_map(|holder| self.wrappers(holder)).chain(holder);
        feeders.into_iter().find_map(|feeder| self.appended(feeder, time, content)).or(own)
    }

    /// Who appended each character to an object, if it was given just these.
    fn appended(&self, object: ObjectId, time: Time, content: &[u16]) -> Option<Vec<Option<CallId>>> {
        let mut by = Vec::new();
        for operation in self.operations(object).take_while(|operation| operation.effect.from <= time) {
            let effect = operation.effect;
            if effect.sink != Sink::Object(object) || effect.deed != Deed::Append {
                return None;
            }
            for piece in &effect.pieces {
                let Piece::Text(units) = piece else { return None };
                if !content.get(by.len()..)?.starts_with(units) {
                    return None;
                }
                by.resize(by.len() + units.len(), Some(effect.call));
            }
        }
        (by.len() == content.len()).then_some(by)
    }

    /// The object that gave another one out as its own: the writer whose buffer it is.
    fn gave_out(&self, object: ObjectId) -> Option<ObjectId> {
        self.index.all(Key::uses(object), None).take(GIVEN).find_map(|used| {
            let PostingKind::Used { call, .. } = used.posting.what else { return None };
            let call = CallId { stream: used.position.stream, index: call };
            let row = self.index.call(call)?;
            let Target::Library(callee) = row.target else { return None };
            let Some(Value::Object(holder)) = self.index.arguments(call)?.receiver else { return None };
            let exposes = self.kind(callee, Some(Value::Object(holder))) == Kind::Does(Does::Exposes);
            (exposes && row.ending == Ending::Returned(Some(Value::Object(object)))).then_some(holder)
        })
    }
}
