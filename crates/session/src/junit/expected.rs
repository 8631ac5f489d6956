//! What a person said the result should have been, as a Java expression: only where the words leave no doubt.

use jdk::collections::CollectionKind;

use super::literal::string;
use super::types::Names;

/// An expression of the descriptor's type; none if the words are no plain value of it.
pub(super) fn expected(words: &str, descriptor: &str, names: &mut Names<'_>) -> Option<String> {
    let words = words.trim();
    let letter = *descriptor.as_bytes().first()?;
    if words == "null" {
        return matches!(letter, b'L' | b'[').then(|| "null".to_owned());
    }
    match letter {
        b'Z' => matches!(words, "true" | "false").then(|| words.to_owned()),
        b'C' => char_literal(words),
        b'B' => words.parse::<i8>().ok().map(|value| format!("(byte) {value}")),
        b'S' => words.parse::<i16>().ok().map(|value| format!("(short) {value}")),
        b'I' => words.parse::<i32>().ok().map(|value| value.to_string()),
        b'J' => words.trim_end_matches(['L', 'l']).parse::<i64>().ok().map(|value| format!("{value}L")),
        b'F' => decimal(words.trim_end_matches(['f', 'F'])).map(|text| format!("{text}f")),
        b'D' => decimal(words.trim_end_matches(['d', 'D'])),
        b'[' => {
            let ty = names.of(&descriptor[1..]).ok()?;
            let elements = elements(words, &[&format!("new {ty}[]")])?;
            let parsed: Option<Vec<String>> =
                elements.iter().map(|one| expected(one, &descriptor[1..], names)).collect();
            Some(format!("new {ty}[] {{{}}}", parsed?.join(", ")))
        }
        _ => object(words, descriptor.trim_start_matches('L').trim_end_matches(';'), names),
    }
}

fn object(words: &str, class: &str, names: &mut Names<'_>) -> Option<String> {
    if let Some(letter) = jdk::boxes::letter_of(class) {
        let (name, primitive) = (jdk::boxes::simple_name(letter)?, char::from(letter).to_string());
        return expected(words, &primitive, names).map(|value| format!("{name}.valueOf({value})"));
    }
    match class {
        "java/lang/String" | "java/lang/CharSequence" => {
            return Some(string_literal(words).unwrap_or_else(|| string(words)));
        }
        "java/lang/Object" | "java/lang/Comparable" | "java/lang/Number" => return plain(words),
        _ => {}
    }
    match jdk::collections::kind_of_type(class) {
        Some(CollectionKind::List) => return list(words, names),
        Some(CollectionKind::Set) => {
            let list = list(words, names)?;
            return Some(format!("new {}<>({list})", names.jdk("java.util.HashSet")));
        }
        _ => {}
    }
    let constant = words.rsplit('.').next()?;
    let program = names.past.program();
    let found = names.class(class)?;
    let is_constant = program
        .static_fields(found)
        .any(|(_, field)| field.name == constant && field.access & classfile::access::ENUM != 0);
    is_constant.then(|| names.of_class(class).ok().map(|class| format!("{class}.{constant}")))?
}

fn list(words: &str, names: &mut Names<'_>) -> Option<String> {
    let elements = elements(words, &["List.of", "Arrays.asList", "Set.of"])?;
    let parsed: Option<Vec<String>> = elements.iter().map(|one| plain(one)).collect();
    Some(format!("{}.asList({})", names.jdk("java.util.Arrays"), parsed?.join(", ")))
}

/// A literal whose type its form tells.
fn plain(words: &str) -> Option<String> {
    let words = words.trim();
    if matches!(words, "true" | "false") {
        return Some(words.to_owned());
    }
    if words.starts_with('\'') {
        return char_literal(words);
    }
    if let Some(digits) = words.strip_suffix(['L', 'l']) {
        return digits.parse::<i64>().ok().map(|value| format!("{value}L"));
    }
    let number = words.parse::<i32>().ok().map(|value| value.to_string());
    number.or_else(|| string_literal(words)).or_else(|| decimal(words))
}

/// What stands in `[1, 2]`, `{1, 2}` or `List.of(1, 2)`, split at the commas that are not within anything.
fn elements<'w>(words: &'w str, heads: &[&str]) -> Option<Vec<&'w str>> {
    let words = heads.iter().find_map(|head| words.strip_prefix(head)).unwrap_or(words).trim();
    let inner = [('[', ']'), ('{', '}'), ('(', ')')]
        .iter()
        .find_map(|&(open, close)| words.strip_prefix(open)?.strip_suffix(close))?;
    if inner.trim().is_empty() {
        return Some(Vec::new());
    }
    let (mut parts, mut from, mut depth, mut quoted, mut escaped) = (Vec::new(), 0, 0, false, false);
    for (at, c) in inner.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '[' | '{' | '(' => depth += 1,
            ']' | '}' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(inner[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    parts.push(inner[from..].trim());
    (depth == 0 && !quoted).then_some(parts)
}

fn decimal(words: &str) -> Option<String> {
    match words {
        "NaN" => return Some("Double.NaN".to_owned()),
        "Infinity" => return Some("Double.POSITIVE_INFINITY".to_owned()),
        "-Infinity" => return Some("Double.NEGATIVE_INFINITY".to_owned()),
        _ => {}
    }
    let is_number = words.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    let value: f64 = words.parse().ok().filter(|_| is_number)?;
    Some(format!("{value:?}"))
}

fn char_literal(words: &str) -> Option<String> {
    let inner = words.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).unwrap_or(words);
    let mut chars = inner.chars();
    let (first, second) = (chars.next()?, chars.next());
    match (first, second, chars.next()) {
        ('\\', Some('n' | 'r' | 't' | '\\' | '\''), None) => Some(format!("'{inner}'")),
        (c, None, None) if c.is_ascii_graphic() && c != '\'' && c != '\\' || c == ' ' => {
            Some(format!("'{c}'"))
        }
        (c, None, None) if u32::from(c) >= 0xa0 && u32::from(c) < 0x1_0000 => {
            Some(format!("'\\u{:04x}'", u32::from(c)))
        }
        _ => None,
    }
}

/// A string literal in quotes, written anew, so that nothing of it ends the literal or the line.
fn string_literal(words: &str) -> Option<String> {
    let inner = words.strip_prefix('"')?.strip_suffix('"')?;
    let (mut text, mut chars) = (String::new(), inner.chars());
    while let Some(c) = chars.next() {
        text.push(match c {
            '"' => return None,
            '\\' => match chars.next()? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                '0' => '\0',
                c @ ('"' | '\\' | '\'') => c,
                _ => return None,
            },
            c => c,
        });
    }
    Some(string(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_split_at_their_own_commas() {
        assert_eq!(elements("[1, 2]", &[]), Some(vec!["1", "2"]));
        assert_eq!(elements("{{1, 2}, {3}}", &[]), Some(vec!["{1, 2}", "{3}"]));
        assert_eq!(elements(r#"List.of("a, b", "c\"")"#, &["List.of"]), Some(vec![r#""a, b""#, r#""c\"""#]));
        assert_eq!(elements("[]", &[]), Some(vec![]));
        assert_eq!(elements("1, 2", &[]), None);
        assert_eq!(elements("[1]]", &[]), None);
    }

    #[test]
    fn words_that_could_run_code_are_no_literals() {
        for words in ["System.exit(1)", "1 + 1", "\"a\" + x()", "\"a\";b\"", "'ab'", "0x", ""] {
            assert_eq!(plain(words), None, "{words}");
        }
        assert_eq!(plain("\"a\\\"b\"").as_deref(), Some("\"a\\\"b\""));
        assert_eq!(plain("-7").as_deref(), Some("-7"));
        assert_eq!(plain("2.50").as_deref(), Some("2.5"));
        assert_eq!(plain("'x'").as_deref(), Some("'x'"));
    }
}
