//! Names of classes as their authors say them: `Point`, not `demo/Main$Point`.

/// The innermost name of a class, as `Class.getSimpleName` gives it. What has no such name (an anonymous class,
/// a lambda) keeps its outer ones.
pub fn short_name(name: &str) -> String {
    let simple = base::simple_name(name);
    let (class, brackets) = simple.split_at(simple.find('[').unwrap_or(simple.len()));
    if class.contains("$$") {
        return simple;
    }
    match class.rsplit('$').next().map(|inner| inner.trim_start_matches(|c: char| c.is_ascii_digit())) {
        Some(inner) if !inner.is_empty() => format!("{inner}{brackets}"),
        _ => simple,
    }
}

/// Fields by whose value a person recognises a thing.
const NAMING: [&str; 10] =
    ["name", "tag", "id", "key", "title", "label", "code", "symbol", "text", "content"];

/// Does a field say which thing it is? Fields as `tagName` and `_name` do, too.
pub fn names_thing(field: &str) -> bool {
    let field = field.trim_start_matches('_');
    let field = field.strip_prefix("m_").unwrap_or(field);
    NAMING.contains(&field) || field.ends_with("Name") || field.ends_with("Id")
}

/// The enum that a constant belongs to: a constant with a body has a class of its own (`Color$1`).
pub(crate) fn enum_name(class: &str) -> String {
    let outer = match class.rsplit_once('$') {
        Some((outer, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => outer,
        _ => class,
    };
    short_name(outer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_called_by_their_innermost_name() {
        for (name, short) in [
            ("demo/Main$Point", "Point"),
            ("Main$1Local", "Local"),
            ("Main$1", "Main$1"),
            ("java/util/Map$Entry", "Entry"),
            ("[Ldemo/Main$Point;", "Point[]"),
            ("[[I", "int[][]"),
            ("demo/Singleton$", "Singleton$"),
            ("demo/Main$$Lambda/0x0001", "Main$$Lambda/0x0001"),
            ("", ""),
        ] {
            assert_eq!(short_name(name), short, "{name}");
        }
        for (field, names) in
            [("name", true), ("_tagName", true), ("m_id", true), ("width", false), ("aname", false)]
        {
            assert_eq!(names_thing(field), names, "{field}");
        }
        assert_eq!(enum_name("demo/Main$Color$1"), "Color");
        assert_eq!(enum_name("Color"), "Color");
    }
}
