//! The three ways in which a row names classes.

/// One of these names, to the letter.
pub fn is_one_of(name: &[u8], list: &[&str]) -> bool {
    list.iter().any(|one| one.as_bytes() == name)
}

/// Begins with one of these.
pub fn begins(name: &[u8], list: &[&str]) -> bool {
    list.iter().any(|one| name.starts_with(one.as_bytes()))
}

/// Is one of these classes or nested in one, or lies in one of these packages (which end with a slash).
pub fn is_within(name: &[u8], list: &[&str]) -> bool {
    list.iter().any(|one| {
        let rest = name.strip_prefix(one.as_bytes());
        rest.is_some_and(|rest| one.ends_with('/') || rest.is_empty() || rest.starts_with(b"$"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_not_another_whose_name_begins_alike() {
        let list = &["java/util/Random", "java/util/zip/"];
        assert!(is_within(b"java/util/Random", list));
        assert!(is_within(b"java/util/Random$RandomWrapper", list));
        assert!(is_within(b"java/util/zip/CRC32", list));
        assert!(!is_within(b"java/util/RandomAccess", list));
        assert!(begins(b"java/util/RandomAccess", list));
        assert!(!is_one_of(b"java/util/zip/CRC32", list));
    }
}
