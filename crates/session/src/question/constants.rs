//! Names of numbers: the constant that a parameter or field most likely holds one of (`2 = START_TAG`). The class or
//! interface that declares the variable has to have exactly one constant of that value that goes with the variable's
//! name, so that what is written is never one of several readings.

use past::{Class, Past, Value};

/// Variables of such names hold one of some constants, whatever these are called.
const CHOICES: [&str; 14] = [
    "type", "kind", "mode", "state", "status", "event", "code", "op", "opcode", "token", "style", "level",
    "action", "category",
];
/// Constants that a class has to have at least, for its numbers to be choices.
const FAMILY: usize = 3;
/// Classes and interfaces that are looked at.
const CLASSES: usize = 12;

/// `15 = KIND_LONG`, or the text as it is. `class` declares the variable.
pub(super) fn named(past: &Past, class: &str, variable: &str, value: Value, text: String) -> String {
    let Value::Int(number) = value else { return text };
    match name_of(past, class, variable, number) {
        Some(name) if text == number.to_string() => format!("{text} = {name}"),
        _ => text,
    }
}

fn name_of(past: &Past, class: &str, variable: &str, number: i32) -> Option<String> {
    let words = words_of(variable);
    let choice = words.last().is_some_and(|last| CHOICES.contains(&last.as_str()));
    let mut found: Option<String> = None;
    let mut queue = vec![class.to_owned()];
    let mut at = 0;
    while let Some(name) = queue.get(at).cloned().filter(|_| at < CLASSES) {
        at += 1;
        let Some(model) = class_of(past, &name).and_then(|class| past.program().model(class)) else {
            continue;
        };
        let constants: Vec<(&str, i32)> = model
            .fields
            .iter()
            .filter(|field| field.is_static() && field.descriptor == "I")
            .filter_map(|field| match field.constant {
                Some(Value::Int(value)) => Some((field.name.as_str(), value)),
                _ => None,
            })
            .collect();
        let goes_with = |name: &str| words_of(name).iter().any(|word| words.contains(word));
        let related = constants.iter().any(|(name, _)| goes_with(name));
        let family = choice && !related && is_family(&constants);
        for (name, _) in
            constants.iter().filter(|(name, value)| *value == number && (family || goes_with(name)))
        {
            if found.as_deref().is_some_and(|other| other != *name) {
                return None;
            }
            found = Some((*name).to_owned());
        }
        queue.extend(model.interfaces.iter().chain(&model.super_name).cloned());
        if let Some((outer, _)) = name.rsplit_once('$') {
            queue.push(outer.to_owned());
        }
    }
    found
}

/// Do they look like the values of one choice: enough of them, each number once?
fn is_family(constants: &[(&str, i32)]) -> bool {
    let mut values: Vec<i32> = constants.iter().map(|(_, value)| *value).collect();
    values.sort_unstable();
    let all = values.len();
    values.dedup();
    all >= FAMILY && values.len() == all
}

fn class_of<'p>(past: &'p Past, name: &str) -> Option<&'p Class> {
    past.program().classes().iter().find(|class| class.name == name)
}

/// `tokenKind` and `TOKEN_KIND` are both made of `token` and `kind`.
fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let is_constant = !name.chars().any(char::is_lowercase);
    let mut fresh = true;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            fresh = true;
            continue;
        }
        if fresh || c.is_uppercase() && !is_constant {
            words.push(String::new());
            fresh = false;
        }
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_into_words() {
        assert_eq!(words_of("tokenKind"), ["token", "kind"]);
        assert_eq!(words_of("KIND_LONG"), ["kind", "long"]);
        assert_eq!(words_of("_type"), ["type"]);
    }

    #[test]
    fn a_family_has_each_number_once() {
        assert!(is_family(&[("A", 0), ("B", 1), ("C", 2)]));
        assert!(!is_family(&[("A", 0), ("B", 1), ("MAX", 1)]));
        assert!(!is_family(&[("A", 0), ("B", 1)]));
    }
}
