//! `java.util` is woven and computes: its classes do nothing but what their contents and arguments say, and the
//! recorder sees what they write. These are the parts for which something of that is not so.

use crate::matching::is_within;

/// A package (with a slash at its end) or a class of `java.util` with what is nested in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UtilPart {
    pub name: &'static str,
    /// Writes within it are recorded. What is not woven is used while classes are loaded or threads wait.
    pub woven: bool,
    /// It keeps state out of sight: behind handles and native code, in files, in what other threads do. Whatever is not
    /// woven does so too.
    pub hidden: bool,
    /// Results follow from contents and arguments: no clock, no chance, no file.
    pub determined: bool,
}

const fn part(name: &'static str, woven: bool, hidden: bool) -> UtilPart {
    UtilPart { name, woven, hidden, determined: false }
}

/// The first that fits holds.
pub static PARTS: [UtilPart; 17] = [
    part("java/util/concurrent/locks/", false, true),
    // Most of it writes through handles, which is not seen; the rest is woven.
    part("java/util/concurrent/", true, true),
    part("java/util/jar/", false, true),
    part("java/util/logging/", true, true),
    part("java/util/prefs/", true, true),
    part("java/util/random/", true, true),
    part("java/util/zip/", false, true),
    part("java/util/Calendar", true, false),
    part("java/util/Date", true, false),
    part("java/util/GregorianCalendar", true, false),
    part("java/util/Random", true, true),
    part("java/util/Scanner", true, true),
    part("java/util/ServiceLoader", false, true),
    part("java/util/SplittableRandom", true, true),
    part("java/util/Timer", true, true),
    // Another thread runs it and changes its state.
    part("java/util/TimerTask", true, true),
    part("java/util/UUID", true, false),
];

/// What holds for all the rest.
const REST: UtilPart = UtilPart { name: "java/util/", woven: true, hidden: false, determined: true };

/// The part that a class belongs to; None outside of `java.util`.
pub fn part_of(class: impl AsRef<[u8]>) -> Option<UtilPart> {
    let class = class.as_ref();
    if !is_of_util(class) {
        return None;
    }
    Some(PARTS.iter().find(|part| is_within(class, &[part.name])).copied().unwrap_or(REST))
}

/// Is it a class of `java.util` or of a package below?
pub fn is_of_util(class: impl AsRef<[u8]>) -> bool {
    class.as_ref().starts_with(REST.name.as_bytes())
}

/// Are writes within the class recorded, as those of a collection?
pub fn is_woven(class: impl AsRef<[u8]>) -> bool {
    part_of(class).is_some_and(|part| part.woven)
}

/// Is it a part of `java.util` that keeps its state out of sight?
pub fn is_hidden(class: impl AsRef<[u8]>) -> bool {
    part_of(class).is_some_and(|part| part.hidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_reached_and_what_is_not_woven_is_hidden() {
        for part in PARTS {
            assert_eq!(part_of(part.name), Some(part));
            assert!(part.woven || part.hidden, "{}", part.name);
            assert!(part.name.starts_with("java/util/"));
        }
    }

    #[test]
    fn a_class_has_the_nature_of_its_part() {
        for (class, woven, hidden, determined) in [
            ("java/util/ArrayList", true, false, true),
            ("java/util/RandomAccess", true, false, true),
            ("java/util/Random", true, true, false),
            ("java/util/concurrent/ConcurrentHashMap$Node", true, true, false),
            ("java/util/concurrent/locks/ReentrantLock", false, true, false),
            ("java/util/ServiceLoader$Provider", false, true, false),
            ("java/util/Calendar$Builder", true, false, false),
            ("java/util/regex/Pattern", true, false, true),
        ] {
            let part = part_of(class).unwrap();
            assert_eq!((part.woven, part.hidden, part.determined), (woven, hidden, determined), "{class}");
        }
        assert_eq!(part_of("java/lang/String"), None);
    }
}
