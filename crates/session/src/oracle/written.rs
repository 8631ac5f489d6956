//! Did two calls write the same? Each stream, builder or file of the one against that of the other.

use past::{Content, Written, Wrote};

use super::pairs::{Agree, Pairs, texts};
use crate::fingerprint::{Place, written};

impl Pairs<'_, '_> {
    pub(super) fn written(&mut self) -> Agree {
        let [one, other] = self.sides;
        let lists = (written(one.past, one.call), written(other.past, other.call));
        let (Some(ones), Some(mut others)) = lists else { return Agree::Unknown };
        let mut agree = Agree::Yes;
        for (place, wrote) in &ones {
            let there = match place {
                Place::Named(name) => Some(Place::Named(name.clone())),
                Place::Object(object) => self.to[0].get(object).copied().map(Place::Object),
            };
            let found = others.iter().position(|(other, _)| Some(other) == there.as_ref());
            agree = agree.and(match found {
                Some(at) => {
                    let (_, other) = others.swap_remove(at);
                    self.same(wrote, &other)
                }
                // Only the one wrote there.
                None => alone(wrote, there.is_some()),
            });
            if agree == Agree::No {
                return agree;
            }
        }
        for (place, wrote) in &others {
            let is_known = match place {
                Place::Named(_) => true,
                Place::Object(object) => self.to[1].contains_key(object),
            };
            agree = agree.and(alone(wrote, is_known));
        }
        agree
    }

    fn same(&mut self, one: &Wrote, other: &Wrote) -> Agree {
        match (&one.held, &other.held) {
            (Some((before, after)), Some((other_before, other_after))) => {
                return match before == other_before {
                    true => contents(after, other_after),
                    false => Agree::Unknown,
                };
            }
            (None, None) => {}
            _ => return Agree::Unknown,
        }
        if !one.whole || !other.whole {
            return Agree::Unknown;
        }
        if one.verb != other.verb {
            return Agree::No;
        }
        match (one.pieces.as_slice(), other.pieces.as_slice()) {
            ([], []) => Agree::Yes,
            ([Written::Text(one)], [Written::Text(other)]) => {
                texts(&String::from_utf16_lossy(one), &String::from_utf16_lossy(other))
            }
            ([Written::Bytes(one)], [Written::Bytes(other)]) => Agree::of(one == other),
            (ones, others) if ones.len() == others.len() => {
                let mut agree = Agree::Yes;
                for (one, other) in ones.iter().zip(others) {
                    agree = agree.and(self.pieces(one, other));
                }
                // Where one piece differs, another may make up for it; not if there is only one.
                if agree == Agree::No && ones.len() > 1 { Agree::Unknown } else { agree }
            }
            _ => Agree::Unknown,
        }
    }

    fn pieces(&mut self, one: &Written, other: &Written) -> Agree {
        match (one, other) {
            (Written::Text(one), Written::Text(other)) => {
                texts(&String::from_utf16_lossy(one), &String::from_utf16_lossy(other))
            }
            (Written::Bytes(one), Written::Bytes(other)) => Agree::of(one == other),
            (
                Written::Formatted { format, args, text },
                Written::Formatted { format: other_format, args: other_args, text: other_text },
            ) => {
                if let (Some(one), Some(other)) = (text, other_text) {
                    // Both were made in the same way, whatever the locale is.
                    return texts(&String::from_utf16_lossy(one), &String::from_utf16_lossy(other));
                }
                if format != other_format || args.len() != other_args.len() {
                    return Agree::Unknown;
                }
                let mut agree = Agree::Yes;
                for (&one, &other) in args.iter().zip(other_args) {
                    agree = agree.and(self.values(one, other));
                }
                if agree == Agree::No { Agree::Unknown } else { agree }
            }
            (Written::Value(one, _), Written::Value(other, _)) => self.values(*one, *other),
            _ => Agree::Unknown,
        }
    }

    /// What an object prints as is not known.
    fn values(&mut self, one: base::Value, other: base::Value) -> Agree {
        if let (base::Value::Object(_), _) | (_, base::Value::Object(_)) = (one, other) {
            return Agree::Unknown;
        }
        self.pair(one, other)
    }
}

/// Only one of the two wrote there.
fn alone(wrote: &Wrote, is_known: bool) -> Agree {
    let changed = match &wrote.held {
        Some((before, after)) => before != after,
        None => {
            wrote.whole
                && wrote.pieces.iter().any(|piece| match piece {
                    Written::Text(text) => !text.is_empty(),
                    Written::Bytes(bytes) => !bytes.is_empty(),
                    _ => false,
                })
        }
    };
    if changed && is_known { Agree::No } else { Agree::Unknown }
}

fn contents(one: &Content, other: &Content) -> Agree {
    match (one, other) {
        (Content::Text(one), Content::Text(other)) => {
            texts(&String::from_utf16_lossy(one), &String::from_utf16_lossy(other))
        }
        _ => Agree::of(one == other),
    }
}
