//! Messages that an exception makes when it is asked for them, and that no recording has: JUnit's `ComparisonFailure` says
//! what two texts have in common and what not. The texts are arguments of the assertion that threw it.

use std::collections::HashMap;
use std::sync::PoisonError;

use base::text;
use index::{CallId, Ending};
use trace::{ObjectId, Text, Value};

use crate::past::Past;

/// Exceptions that are gone through for who threw what.
const MAX_THROWS: usize = 100_000;
/// Letters that are shown of what is the same on either side.
const CONTEXT: usize = 20;

/// By exception: the call that threw it.
pub(crate) type Throwers = Option<HashMap<ObjectId, CallId>>;

impl Past {
    /// The message of an exception that makes it late; none of others, and where the texts are not known whole.
    pub(crate) fn late_message(&self, exception: ObjectId) -> Option<Text> {
        if !jdk::testing::makes_message_late(self.class_of(exception)?) {
            return None;
        }
        let call = self.thrower(exception)?;
        let info = self.call(call)?;
        let texts: Option<Vec<Vec<u16>>> = info.args.iter().map(|arg| self.whole_text(arg.value)).collect();
        // A message that the test gave comes first.
        let message = match texts?.as_slice() {
            [expected, actual] => compared(&[], expected, actual),
            [message, expected, actual] => compared(message, expected, actual),
            _ => return None,
        };
        Some(Text { chars: text::units(&message).count() as u32, text: message, cut: false })
    }

    fn whole_text(&self, value: Value) -> Option<Vec<u16>> {
        if value == Value::Null {
            return Some(text::units("null").collect());
        }
        let text = render::Heap::string(&self.heap_at(base::Time(0)), value)?;
        (!text.cut).then(|| text::units(&text.text).collect())
    }

    fn thrower(&self, exception: ObjectId) -> Option<CallId> {
        let mut throwers = self.throwers.lock().unwrap_or_else(PoisonError::into_inner);
        let throwers = throwers.get_or_insert_with(|| {
            let mut found = HashMap::new();
            for throw in self.index.throws().take(MAX_THROWS) {
                let Some(call) = self.index.call_at(throw.position) else { continue };
                let ending = self.index.call(call).map(|row| row.ending);
                if let Some(Ending::Threw(Some(Value::Object(exception)))) = ending {
                    found.entry(exception).or_insert(call);
                }
            }
            found
        });
        throwers.get(&exception).copied()
    }
}

/// `expected:<m[i]lk> but was:<m[u]lk>`, as JUnit says it.
fn compared(message: &[u16], expected: &[u16], actual: &[u16]) -> String {
    let shorter = expected.len().min(actual.len());
    let prefix = (0..shorter).find(|&at| expected[at] != actual[at]).unwrap_or(shorter);
    let left = shorter - prefix;
    let ends = expected.iter().rev().zip(actual.iter().rev());
    let suffix = ends.take(left).take_while(|(one, other)| one == other).count();
    let begin = match prefix {
        few if few <= CONTEXT => text::from_units(&expected[..prefix]),
        _ => format!("...{}", text::from_units(&expected[prefix - CONTEXT..prefix])),
    };
    let rest = &expected[expected.len() - suffix..];
    let end = match rest.get(..CONTEXT) {
        Some(first) if rest.len() > CONTEXT => format!("{}...", text::from_units(first)),
        _ => text::from_units(rest),
    };
    let shown = |whole: &[u16]| {
        let differs = text::from_units(&whole[prefix..whole.len() - suffix]);
        format!("{begin}[{differs}]{end}")
    };
    let (one, other) = match expected == actual {
        true => (text::from_units(expected), text::from_units(actual)),
        false => (shown(expected), shown(actual)),
    };
    let message = if message.is_empty() { String::new() } else { text::from_units(message) + " " };
    format!("{message}expected:<{one}> but was:<{other}>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compared_as_junit_does() {
        let units = |text: &str| text::units(text).collect::<Vec<u16>>();
        let long = "abcdefghijklmnopqrstuvwxyz";
        for (message, expected, actual, said) in [
            ("", "milk", "mulk", "expected:<m[i]lk> but was:<m[u]lk>"),
            ("name", "a", "b", "name expected:<[a]> but was:<[b]>"),
            ("", "ab", "abab", "expected:<ab[]> but was:<ab[ab]>"),
            ("", "aa", "aaa", "expected:<aa[]> but was:<aa[a]>"),
            ("", "", "x", "expected:<[]> but was:<[x]>"),
            ("", "same", "same", "expected:<same> but was:<same>"),
        ] {
            assert_eq!(compared(&units(message), &units(expected), &units(actual)), said);
        }
        let said = compared(&[], &units(&format!("{long}1{long}")), &units(&format!("{long}2{long}")));
        let (begin, end) = (&long[6..], &long[..20]);
        assert_eq!(said, format!("expected:<...{begin}[1]{end}...> but was:<...{begin}[2]{end}...>"));
    }
}
