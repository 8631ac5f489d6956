//! What a call wrote to streams, builders and files, in terms that mean the same in every recording. What is not known
//! to the letter is compared by what it was made of, if that is known; otherwise there is no fingerprint.

use std::hash::Hasher;

use base::{CallId, ObjectId, Value};
use past::{Bounds, Content, Past, Sink, Written, Wrote};

use super::{Looked, Naming, Print};

/// Calls and effects that are looked at for one call, at most.
const BOUNDS: Bounds = Bounds { calls: 100_000, effects: 50_000, inputs: 0 };

/// Where something was written to, for another recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A standard stream, a file, a setting.
    Named(String),
    Object(ObjectId),
}

/// What a call wrote, by where; none if there is too much.
pub fn written(past: &Past, call: CallId) -> Option<Vec<(Place, Wrote)>> {
    let effects = past.effects(call, &BOUNDS);
    // Nothing is asked about inputs, so that only effects can be too many.
    if past.call_size(call) > BOUNDS.calls || effects.effects.len() >= BOUNDS.effects {
        return None;
    }
    let place = |wrote: &Wrote| match wrote.sink {
        Sink::Object(object) if past.object_name(object) == wrote.name => Place::Object(object),
        _ => Place::Named(wrote.name.clone()),
    };
    Some(past.wrote(&effects.effects).into_iter().map(|wrote| (place(&wrote), wrote)).collect())
}

impl Naming<'_> {
    /// What was written, as a part of a call's output.
    pub(super) fn written(&mut self, info: &Looked, print: &mut Print) -> Option<()> {
        for (place, wrote) in written(self.past, info.id)? {
            match place {
                Place::Named(name) => print.bytes(name.as_bytes()),
                Place::Object(object) => self.value(Value::Object(object), print)?,
            }
            print.bytes(wrote.verb.as_bytes());
            if let Some((_, after)) = &wrote.held {
                match after {
                    Content::Text(text) => units(text, print),
                    Content::Bytes(bytes) => print.bytes(bytes),
                }
                continue;
            }
            if wrote.pieces.is_empty() && matches!(wrote.sink, Sink::Object(_)) {
                return None;
            }
            for piece in &wrote.pieces {
                match piece {
                    Written::Text(text) => units(text, print),
                    Written::Bytes(bytes) => print.bytes(bytes),
                    Written::Formatted { format, args, .. } => {
                        units(format, print);
                        for &arg in args {
                            self.plain(arg, print)?;
                        }
                    }
                    Written::Value(value, _) => self.plain(*value, print)?,
                    Written::Unknown => return None,
                }
            }
        }
        Some(())
    }

    /// A value that is not an object: what an object prints as is not known.
    fn plain(&mut self, value: Value, print: &mut Print) -> Option<()> {
        if let Value::Object(_) = value { None } else { self.value(value, print) }
    }
}

fn units(text: &[u16], print: &mut Print) {
    print.write_u64(text.len() as u64);
    text.iter().for_each(|&unit| print.write_u16(unit));
}
