//! What is different between two values where both of them whole would hide it: the middle of a text, the elements of a
//! collection that came, went or are others.

use past::{KnownValue, Past, RenderLimits, Time, Value};
use render::{Heap, Items};

use super::call::short_text;

/// What became of a value, as far as it is not the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// How many elements there were and are; none for a text.
    pub sizes: Option<(usize, usize)>,
    /// The first few of them.
    pub edits: Vec<Edit>,
    /// How many others there are.
    pub more: usize,
}

/// Something in a value that is different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// `[2]`, `["key"]`; empty for the element of a set and for a text.
    pub at: String,
    /// None for what came.
    pub before: Option<String>,
    /// None for what went.
    pub after: Option<String>,
}

/// Chars of both values up to which they are better shown whole.
const SHORT: usize = 90;
/// Edits that are told.
const EDITS: usize = 3;
/// Fields of an object that are told.
const FIELDS: usize = 4;
/// Chars of one of them.
const BRIEF: usize = 80;
/// Elements that are compared.
const ELEMENTS: usize = 2_000;
/// Chars of a text that have to be the same, those that are shown around what is not, and those of that.
const COMMON: usize = 12;
const AROUND: usize = 10;
const TOLD: usize = 60;
/// An element among others.
const ELEMENT: RenderLimits = RenderLimits { depth: 2, elements: 6, string: 40, width: 70, named: true };

/// What is known of a value at a moment, and its text.
pub(super) struct Moment<'t> {
    pub known: KnownValue,
    pub time: Time,
    pub text: &'t str,
}

/// None where the two are short, or have nothing in common.
pub(super) fn difference(past: &Past, old: &Moment<'_>, new: &Moment<'_>) -> Option<Difference> {
    if old.text.chars().count() + new.text.chars().count() <= SHORT {
        return None;
    }
    if let (Some(before), Some(after)) = (text(past, old), text(past, new)) {
        return of_texts(&before, &after);
    }
    let (before, after) = (items(past, old)?, items(past, new)?);
    if matches!(before, Held::Fields(_)) && old.known != new.known {
        return None;
    }
    let at = |moment: &Moment<'_>, known: KnownValue, descriptor: &str| match known {
        KnownValue::Value(value @ Value::Object(_)) | KnownValue::Seen(value @ Value::Object(_)) => {
            brief(short_text(past, value, descriptor, moment.time))
        }
        known => brief(past.known_text(known, descriptor, moment.time, &ELEMENT)),
    };
    match (before, after) {
        (Held::Fields(before), Held::Fields(after)) => {
            let mut all = Vec::new();
            let mut texts = Vec::new();
            for ((name, descriptor, one), (_, _, other)) in before.iter().zip(&after) {
                let (was, is) = (at(old, *one, descriptor), at(new, *other, descriptor));
                if was != is {
                    all.push(name);
                    texts.push((was, is));
                }
            }
            let more = all.len().saturating_sub(FIELDS);
            let edits = all.into_iter().zip(texts).take(FIELDS).map(|(name, (was, is))| Edit {
                at: format!(".{name}"),
                before: Some(was),
                after: Some(is),
            });
            let edits: Vec<Edit> = edits.collect();
            (!edits.is_empty()).then_some(Difference { sizes: None, edits, more })
        }
        (Held::Elements(before, ordered, kind), Held::Elements(after, ..)) => {
            let old_text = |known: KnownValue| at(old, known, &kind);
            let new_text = |known: KnownValue| at(new, known, &kind);
            Some(match ordered {
                true => of_lists(&before, &after, &old_text, &new_text),
                false => of_sets(&before, &after, &old_text, &new_text),
            })
        }
        (Held::Pairs(before), Held::Pairs(after)) => {
            Some(of_maps(&before, &after, &|known| at(old, known, ""), &|known| at(new, known, "")))
        }
        _ => None,
    }
}

enum Held {
    /// Are they in an order, and of which descriptor?
    Elements(Vec<KnownValue>, bool, String),
    Pairs(Vec<(KnownValue, KnownValue)>),
    /// Name, descriptor and value.
    Fields(Vec<(String, String, KnownValue)>),
}

fn text(past: &Past, moment: &Moment<'_>) -> Option<Vec<char>> {
    let text = past.text_of(moment.known, moment.time)?;
    (!text.cut).then(|| text.text.chars().collect())
}

fn items(past: &Past, moment: &Moment<'_>) -> Option<Held> {
    let (KnownValue::Value(Value::Object(object)) | KnownValue::Seen(Value::Object(object))) = moment.known
    else {
        return None;
    };
    let heap = past.heap_at(moment.time);
    if let Some(length) = past.array_length(object) {
        let kind = past.class_of(object).unwrap_or("").trim_start_matches('[').to_owned();
        let elements = (length as usize <= ELEMENTS).then(|| (0..length).map(|at| heap.element(object, at)));
        return elements.map(|elements| Held::Elements(elements.collect(), true, kind));
    }
    if object.is_program() && !heap.is_record(object) && heap.supertypes(object).len() > 1 {
        let own = heap.supertypes(object).into_iter().skip(1);
        let plain = own.filter(|class| class != jdk::names::OBJECT).all(|class| !jdk::owner::is_jdk(&class));
        if plain {
            let fields = heap.fields(object).into_iter();
            return Some(Held::Fields(fields.map(|one| (one.name, one.descriptor, one.value)).collect()));
        }
    }
    let held = render::held(&heap, object, ELEMENTS)?;
    let is_set = heap.supertypes(object).iter().any(|class| is_set(class));
    Some(match held.items {
        Items::Elements(elements) => Held::Elements(elements, !is_set, String::new()),
        Items::Pairs(pairs) => Held::Pairs(pairs),
    })
}

/// The beginning of a text: escaped signs may make it much longer than it is.
fn brief(text: String) -> String {
    match text.char_indices().nth(BRIEF) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn is_set(class: &str) -> bool {
    jdk::collections::layout(class).is_some_and(|(_, kind)| kind == jdk::collections::CollectionKind::Set)
}

/// The middle of two texts, with a little of what is the same around it.
fn of_texts(before: &[char], after: &[char]) -> Option<Difference> {
    let same = before.iter().zip(after).take_while(|(one, other)| one == other).count();
    let rest = before[same..].iter().rev().zip(after[same..].iter().rev());
    let tail = rest.take_while(|(one, other)| one == other).count();
    if same + tail < COMMON {
        return None;
    }
    let piece = |chars: &[char]| {
        let (from, to) = (same.saturating_sub(AROUND), (chars.len() - tail + AROUND).min(chars.len()));
        let to = to.min(from + TOLD + 2 * AROUND);
        let shown: String = chars[from..to].iter().collect();
        let (start, end) = (if from > 0 { "…" } else { "" }, if to < chars.len() { "…" } else { "" });
        format!("{start}{}{end}", base::literal::quoted(&shown))
    };
    let only = |chars: &[char]| {
        let shown: String = chars[same..chars.len() - tail].iter().take(TOLD).collect();
        let end = if chars.len() - tail - same > TOLD { "…" } else { "" };
        format!("{}{end}", base::literal::quoted(&shown))
    };
    let edit = match (before.len() - tail == same, after.len() - tail == same, tail) {
        (true, false, 0) => Edit { at: String::new(), before: None, after: Some(only(after)) },
        (false, true, 0) => Edit { at: String::new(), before: Some(only(before)), after: None },
        _ => Edit { at: String::new(), before: Some(piece(before)), after: Some(piece(after)) },
    };
    Some(Difference { sizes: None, edits: vec![edit], more: 0 })
}

type ToText<'t> = &'t dyn Fn(KnownValue) -> String;

/// Two values of one element: by identity, or by content where that is a plain value.
fn equal(one: KnownValue, other: KnownValue, old: ToText<'_>, new: ToText<'_>) -> bool {
    let plain =
        |known| !matches!(known, KnownValue::Value(Value::Object(_)) | KnownValue::Seen(Value::Object(_)));
    one == other || plain(one) && plain(other) && one != KnownValue::Unknown && old(one) == new(other)
}

fn of_lists(before: &[KnownValue], after: &[KnownValue], old: ToText<'_>, new: ToText<'_>) -> Difference {
    let is_same = |(one, other): &(&KnownValue, &KnownValue)| equal(**one, **other, old, new);
    let head = before.iter().zip(after).take_while(is_same).count();
    let rest = before[head..].iter().rev().zip(after[head..].iter().rev());
    let tail = rest.take_while(is_same).count();
    let (went, came) = (&before[head..before.len() - tail], &after[head..after.len() - tail]);
    let at = |offset: usize| format!("[{}]", head + offset);
    let mut others = Vec::new();
    if went.len() == came.len() {
        let pairs = went.iter().zip(came).enumerate().filter(|(_, pair)| !is_same(pair));
        others.extend(pairs.map(|(offset, (one, other))| (at(offset), Some(*one), Some(*other))));
    }
    // What is still there is not told as gone, wherever it is now.
    let (had, has) = (keys(went, old), keys(came, new));
    let (gone, new_ones) = match went.len().max(came.len()) <= MOVED {
        true => moved(&had, &has),
        false => (not_in(&had, &has), not_in(&has, &had)),
    };
    let mut all: Vec<_> = gone.into_iter().map(|offset| (at(offset), Some(went[offset]), None)).collect();
    all.extend(new_ones.into_iter().map(|offset| (at(offset), None, Some(came[offset]))));
    if went.len() == came.len() && others.len() <= all.len() {
        all = others;
    }
    told(all, (before.len(), after.len()), old, new)
}

/// What makes an element the same as another: its identity, or its text if it is a plain value.
#[derive(PartialEq)]
enum ElementKey {
    Known(KnownValue),
    Text(String),
}

fn keys(list: &[KnownValue], text: ToText<'_>) -> Vec<ElementKey> {
    let key = |&known: &KnownValue| match known {
        KnownValue::Unknown | KnownValue::Value(Value::Object(_)) | KnownValue::Seen(Value::Object(_)) => {
            ElementKey::Known(known)
        }
        plain => ElementKey::Text(text(plain)),
    };
    list.iter().map(key).collect()
}

/// Elements of a list that are followed to other places.
const MOVED: usize = 256;

/// The places of those in the first list that are nowhere in the second.
fn not_in(list: &[ElementKey], other: &[ElementKey]) -> Vec<usize> {
    (0..list.len()).filter(|&at| !other.contains(&list[at])).collect()
}

/// The places of those in the first list that are not in the longest part that both have in common, and of those in the second.
fn moved(before: &[ElementKey], after: &[ElementKey]) -> (Vec<usize>, Vec<usize>) {
    let width = after.len() + 1;
    let mut longest = vec![0_u16; (before.len() + 1) * width];
    for (one, key) in before.iter().enumerate().rev() {
        for (other, second) in after.iter().enumerate().rev() {
            longest[one * width + other] = if key == second {
                longest[(one + 1) * width + other + 1] + 1
            } else {
                longest[(one + 1) * width + other].max(longest[one * width + other + 1])
            };
        }
    }
    let (mut one, mut other) = (0, 0);
    let (mut gone, mut new_ones) = (Vec::new(), Vec::new());
    while one < before.len() || other < after.len() {
        if one < before.len() && other < after.len() && before[one] == after[other] {
            (one, other) = (one + 1, other + 1);
        } else if other == after.len()
            || one < before.len() && longest[(one + 1) * width + other] >= longest[one * width + other + 1]
        {
            gone.push(one);
            one += 1;
        } else {
            new_ones.push(other);
            other += 1;
        }
    }
    (gone, new_ones)
}

fn of_sets(before: &[KnownValue], after: &[KnownValue], old: ToText<'_>, new: ToText<'_>) -> Difference {
    let texts = |list: &[KnownValue], text: ToText<'_>| -> Vec<String> {
        list.iter().map(|one| text(*one)).collect()
    };
    let (had, has) = (texts(before, old), texts(after, new));
    let went = before.iter().zip(&had).filter(|(_, text)| !has.contains(text));
    let mut all: Vec<_> = went.map(|(one, _)| (String::new(), Some(*one), None)).collect();
    let came = after.iter().zip(&has).filter(|(_, text)| !had.contains(text));
    all.extend(came.map(|(one, _)| (String::new(), None, Some(*one))));
    told(all, (before.len(), after.len()), old, new)
}

type Pair = (KnownValue, KnownValue);

fn of_maps(before: &[Pair], after: &[Pair], old: ToText<'_>, new: ToText<'_>) -> Difference {
    let keys =
        |list: &[Pair], text: ToText<'_>| -> Vec<String> { list.iter().map(|(key, _)| text(*key)).collect() };
    let (had, has) = (keys(before, old), keys(after, new));
    let mut all = Vec::new();
    for (key, (_, value)) in has.iter().zip(after) {
        let before = had.iter().position(|known| known == key).map(|at| before[at].1);
        if !before.is_some_and(|before| equal(before, *value, old, new)) {
            all.push((format!("[{key}]"), before, Some(*value)));
        }
    }
    let went = had.iter().zip(before).filter(|(key, _)| !has.contains(key));
    all.extend(went.map(|(key, (_, value))| (format!("[{key}]"), Some(*value), None)));
    told(all, (before.len(), after.len()), old, new)
}

fn told(
    all: Vec<(String, Option<KnownValue>, Option<KnownValue>)>,
    sizes: (usize, usize),
    old: ToText<'_>,
    new: ToText<'_>,
) -> Difference {
    let more = all.len().saturating_sub(EDITS);
    let edits = all.into_iter().take(EDITS);
    let edits = edits.map(|(at, before, after)| Edit { at, before: before.map(old), after: after.map(new) });
    Difference { sizes: Some(sizes), edits: edits.collect(), more }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn of_texts_only_the_middle_is_told() {
        let found = |before: &str, after: &str| {
            let edit = of_texts(&chars(before), &chars(after))?.edits.remove(0);
            Some((edit.before, edit.after))
        };
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(found("abcdefghijklmn", "abcdefghijklmnop"), Some((None, text("\"op\""))));
        assert_eq!(found("abcdefghijklmnop", "abcdefghijklmn"), Some((text("\"op\""), None)));
        assert_eq!(
            found("0123456789abcdefX0123456789abcdef", "0123456789abcdefYZ0123456789abcdef"),
            Some((text("…\"6789abcdefX0123456789\"…"), text("…\"6789abcdefYZ0123456789\"…")))
        );
        assert_eq!(found("abc", "abd"), None);
    }

    #[test]
    fn of_lists_only_what_came_went_or_is_another_is_told() {
        let list = |numbers: &[i32]| -> Vec<KnownValue> {
            numbers.iter().map(|&number| KnownValue::Value(Value::Int(number))).collect()
        };
        let text: ToText<'_> = &|known| match known {
            KnownValue::Value(Value::Int(number)) => number.to_string(),
            other => format!("{other:?}"),
        };
        let found = |before: &[i32], after: &[i32]| {
            let found = of_lists(&list(before), &list(after), text, text);
            let edits: Vec<String> = found
                .edits
                .iter()
                .map(|edit| format!("{} {:?} {:?}", edit.at, edit.before.as_deref(), edit.after.as_deref()))
                .collect();
            (edits.join("; "), found.more)
        };
        assert_eq!(found(&[1, 2, 3], &[1, 2, 3, 4]), ("[3] None Some(\"4\")".to_owned(), 0));
        assert_eq!(found(&[1, 2, 3], &[1, 3]), ("[1] Some(\"2\") None".to_owned(), 0));
        assert_eq!(found(&[1, 2, 3], &[1, 5, 3]), ("[1] Some(\"2\") Some(\"5\")".to_owned(), 0));
        let removed = "[0] Some(\"1\") None; [2] Some(\"3\") None; [5] Some(\"6\") None".to_owned();
        assert_eq!(found(&[1, 2, 3, 4, 5, 6, 7, 8], &[2, 4, 5, 7, 8]), (removed, 0));
        let shifted = "[0] Some(\"1\") None; [3] None Some(\"5\")".to_owned();
        assert_eq!(found(&[1, 2, 3, 4], &[2, 3, 4, 5]), (shifted, 0));
        let (_, more) = found(&[1, 2, 3, 4, 5], &[9, 9, 9, 9, 9]);
        assert_eq!(more, 2);
    }
}
