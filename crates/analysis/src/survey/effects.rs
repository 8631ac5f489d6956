//! What a call into a library may do that is not recorded as such: read what it was given, or change it. Reads by
//! libraries are never recorded, their writes only in `java.util`; so an object of a library is one location here.

use trace::Callee;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Works on values; nothing that lasts is read or changed.
    None,
    /// Reads what it is given. If it writes, that is recorded.
    Observed,
    /// Reads its receiver, and nothing else.
    Reads,
    /// Changes its receiver, and nothing else.
    Writes,
    /// Nobody knows: output, files, clocks, other threads.
    Unknown,
}

/// Classes of values, and of functions on them.
const VALUES: [&str; 16] = [
    "String",
    "Integer",
    "Long",
    "Short",
    "Byte",
    "Character",
    "Boolean",
    "Float",
    "Double",
    "Number",
    "Math",
    "StrictMath",
    "Object",
    "Enum",
    "Class",
    "CharSequence",
];
/// Methods of string builders that change nothing.
const LOOKS: [&str; 9] = [
    "toString",
    "length",
    "charAt",
    "indexOf",
    "lastIndexOf",
    "substring",
    "subSequence",
    "isEmpty",
    "capacity",
];
/// Parts of `java.util` that keep their state out of sight.
const HIDDEN: [&str; 7] =
    ["concurrent/", "Random", "SplittableRandom", "Scanner", "Timer", "logging/", "zip/"];

pub fn effect(callee: &Callee) -> Effect {
    // Linking a lambda or a string.
    if callee.owner.is_empty() {
        return Effect::None;
    }
    // `clone` of an array.
    if callee.owner.starts_with('[') {
        return Effect::None;
    }
    if let Some(name) = callee.owner.strip_prefix("java/lang/") {
        return match name {
            "StringBuilder" | "StringBuffer" | "AbstractStringBuilder" => {
                if LOOKS.contains(&callee.name.as_str()) { Effect::Reads } else { Effect::Writes }
            }
            // What it copies is told.
            "System" if callee.name == "arraycopy" => Effect::None,
            "Iterable" | "Comparable" => Effect::Observed,
            name if VALUES.contains(&name) || name.ends_with("Exception") || name.ends_with("Error") => {
                Effect::None
            }
            _ => Effect::Unknown,
        };
    }
    match callee.owner.strip_prefix("java/util/") {
        Some(name) if !HIDDEN.iter().any(|hidden| name.starts_with(hidden)) => Effect::Observed,
        _ => Effect::Unknown,
    }
}
