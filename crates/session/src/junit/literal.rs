//! Values as Java literals. A literal must come out of the compiler as the very value that went in: so strings keep
//! to ASCII, and no escape is used that the compiler resolves before it reads the source.

use base::Value;

/// Longer strings are not written into a test: a class file has no room for much longer ones.
pub(super) const MAX_STRING: usize = 10_000;

/// A primitive of this descriptor letter. None if the value is none.
pub(super) fn primitive(value: Value, letter: u8) -> Option<String> {
    Some(match value {
        Value::Int(bits) => int(bits, letter),
        Value::Long(value) => format!("{value}L"),
        Value::Float(value) => float(value),
        Value::Double(value) => double(value),
        _ => return None,
    })
}

/// A box; `bare` where the compiler boxes by itself and no overloaded method is in sight.
pub(super) fn boxed(value: Value, bare: bool) -> Option<String> {
    let (class, text) = match value {
        Value::Box { kind: b'F', bits } => ("Float", float(f32::from_bits(bits as u32))),
        Value::Box { kind: kind @ (b'Z' | b'C' | b'B' | b'S' | b'I'), bits } => {
            (jdk::boxes::simple_name(kind)?, int(bits, kind))
        }
        Value::Box64 { kind: b'D', bits } => ("Double", double(f64::from_bits(bits as u64))),
        Value::Box64 { bits, .. } => ("Long", format!("{bits}L")),
        _ => return None,
    };
    let by_itself = bare && !matches!(class, "Byte" | "Short");
    Some(if by_itself { text } else { format!("{class}.valueOf({text})") })
}

fn int(bits: i32, letter: u8) -> String {
    match letter {
        b'Z' => if bits & 1 == 1 { "true" } else { "false" }.to_owned(),
        b'C' => format!("'{}'", unit(bits as u16, '\'')),
        b'B' => format!("(byte) {}", bits as i8),
        b'S' => format!("(short) {}", bits as i16),
        _ => bits.to_string(),
    }
}

fn float(value: f32) -> String {
    match value {
        value if value.is_nan() => "Float.NaN".to_owned(),
        f32::INFINITY => "Float.POSITIVE_INFINITY".to_owned(),
        f32::NEG_INFINITY => "Float.NEGATIVE_INFINITY".to_owned(),
        value => format!("{value:?}f"),
    }
}

fn double(value: f64) -> String {
    match value {
        value if value.is_nan() => "Double.NaN".to_owned(),
        f64::INFINITY => "Double.POSITIVE_INFINITY".to_owned(),
        f64::NEG_INFINITY => "Double.NEGATIVE_INFINITY".to_owned(),
        value => format!("{value:?}"),
    }
}

pub(super) fn string(text: &str) -> String {
    let units: String = base::text::units(text).map(|one| unit(one, '"')).collect();
    format!("\"{units}\"")
}

/// One char of a literal in these quotes. Octal for control characters: `\u000a` would end the line.
fn unit(unit: u16, quote: char) -> String {
    match char::from_u32(u32::from(unit)) {
        Some('\n') => "\\n".to_owned(),
        Some('\r') => "\\r".to_owned(),
        Some('\t') => "\\t".to_owned(),
        Some('\\') => "\\\\".to_owned(),
        Some(c) if c == quote => format!("\\{c}"),
        Some(c) if (' '..='~').contains(&c) => c.to_string(),
        Some(c) if u32::from(c) < 0x100 => format!("\\{unit:03o}"),
        _ => format!("\\u{unit:04x}"),
    }
}

/// Text within a comment: one line, and nothing that the compiler takes for a character wherever it stands.
pub(super) fn comment(text: &str) -> String {
    let line: String = text.chars().take(300).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = line.replace("*/", "* /").replace("\\u", "\\ u");
    let ascii = |c: char| c.is_ascii().then(|| c.to_string());
    line.chars().map(|c| ascii(c).unwrap_or_else(|| in_units(c))).collect()
}

fn in_units(c: char) -> String {
    c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_value_has_a_literal() {
        for (value, letter, text) in [
            (Value::Int(-5), b'I', "-5"),
            (Value::Int(i32::MIN), b'I', "-2147483648"),
            (Value::Int(1), b'Z', "true"),
            (Value::Int(0x41), b'C', "'A'"),
            (Value::Int(0x27), b'C', "'\\''"),
            (Value::Int(0xd800), b'C', "'\\ud800'"),
            (Value::Int(-1), b'B', "(byte) -1"),
            (Value::Long(i64::MIN), b'J', "-9223372036854775808L"),
            (Value::Double(-0.0), b'D', "-0.0"),
            (Value::Double(1e100), b'D', "1e100"),
            (Value::Double(f64::NAN), b'D', "Double.NaN"),
            (Value::Float(0.1), b'F', "0.1f"),
        ] {
            assert_eq!(primitive(value, letter).as_deref(), Some(text), "{value:?}");
        }
        assert_eq!(primitive(Value::Null, b'I'), None);
        assert_eq!(
            boxed(Value::Box { kind: b'S', bits: 3 }, true).as_deref(),
            Some("Short.valueOf((short) 3)")
        );
        assert_eq!(boxed(Value::Box { kind: b'I', bits: 3 }, true).as_deref(), Some("3"));
        assert_eq!(boxed(Value::Box { kind: b'I', bits: 3 }, false).as_deref(), Some("Integer.valueOf(3)"));
    }

    #[test]
    fn strings_survive_the_compiler() {
        assert_eq!(string("a\"b\\c"), r#""a\"b\\c""#);
        assert_eq!(string("\n\u{0}1\u{7f}"), r#""\n\0001\177""#);
        assert_eq!(string("ä€😀"), r#""\344\u20ac\ud83d\ude00""#);
        assert_eq!(string("it's"), "\"it's\"");
    }

    #[test]
    fn a_comment_stays_a_comment() {
        assert_eq!(comment("a\nb */ \\u000a"), "a b * / \\ u000a");
        assert_eq!(comment("→"), "\\u2192");
    }
}
