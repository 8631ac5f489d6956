//! The name of a class as a person reads it.

/// A class name of class files as in source code, without package: `[Ljava/lang/String;` is `String[]`.
pub fn simple_name(name: &str) -> String {
    let element = name.trim_start_matches('[');
    let dimensions = name.len() - element.len();
    let element = match element {
        "Z" if dimensions > 0 => "boolean",
        "B" if dimensions > 0 => "byte",
        "C" if dimensions > 0 => "char",
        "S" if dimensions > 0 => "short",
        "I" if dimensions > 0 => "int",
        "J" if dimensions > 0 => "long",
        "F" if dimensions > 0 => "float",
        "D" if dimensions > 0 => "double",
        class if dimensions > 0 => class.strip_prefix('L').unwrap_or(class).trim_end_matches(';'),
        class => class,
    };
    // A hidden class has a slash and a number behind its name.
    let (named, hidden) = match element.rsplit_once('/') {
        Some((class, suffix)) if suffix.starts_with("0x") => (class, format!("/{suffix}")),
        _ => (element, String::new()),
    };
    let simple = named.rsplit('/').next().unwrap_or(named);
    format!("{simple}{hidden}{}", "[]".repeat(dimensions))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_as_in_source_code() {
        for (name, shown) in [
            ("[I", "int[]"),
            ("[[Ljava/lang/String;", "String[][]"),
            ("java/util/Map$Entry", "Map$Entry"),
            ("I", "I"),
            ("demo/Main$$Lambda/0x0001", "Main$$Lambda/0x0001"),
        ] {
            assert_eq!(simple_name(name), shown);
        }
    }
}
