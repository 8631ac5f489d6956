//! Numbers, chars and strings as Java prints them and as its source code has them. What is shown of a value must not
//! depend on who shows it, so there is one place for it.

/// A value of 32 bits or less; the letter of its descriptor tells booleans and chars from numbers.
pub fn int(bits: i32, kind: Option<u8>) -> String {
    match kind {
        Some(b'Z') => (bits != 0).to_string(),
        Some(b'C') => match char::from_u32(bits as u16 as u32) {
            Some('\'') => "'\\''".to_owned(),
            Some(c) => format!("'{}'", escaped(c)),
            None => format!("'\\u{:04x}'", bits as u16),
        },
        _ => bits.to_string(),
    }
}

/// A double as Java prints it.
pub fn double(value: f64) -> String {
    match value {
        value if value.is_nan() => "NaN".to_owned(),
        value if value.is_infinite() => format!("{}Infinity", if value < 0.0 { "-" } else { "" }),
        value => decimal(&format!("{value:e}")),
    }
}

/// A float as Java prints it.
pub fn float(value: f32) -> String {
    match value {
        value if value.is_finite() => decimal(&format!("{value:e}")),
        value => double(f64::from(value)),
    }
}

/// A number as Java prints it, from its shortest digits and its exponent (`-1.25e-7`).
fn decimal(scientific: &str) -> String {
    let (digits, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    let digits = digits.replace('.', "");
    let or_zero = |digits: &str| if digits.is_empty() { "0".to_owned() } else { digits.to_owned() };
    if (-3..0).contains(&exponent) {
        return format!("{sign}0.{}{digits}", "0".repeat((-exponent - 1) as usize));
    }
    if (0..7).contains(&exponent) {
        let whole = exponent as usize + 1;
        let padded = format!("{digits}{}", "0".repeat(whole.saturating_sub(digits.len())));
        return format!("{sign}{}.{}", &padded[..whole], or_zero(&padded[whole..]));
    }
    format!("{sign}{}.{}E{exponent}", &digits[..1], or_zero(&digits[1..]))
}

/// A string as a literal of source code, on one line.
pub fn quoted(text: &str) -> String {
    if crate::text::is_filler(text) {
        return crate::text::REDACTED.to_owned();
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            c => quoted.push_str(&escaped(c)),
        }
    }
    quoted.push('"');
    quoted
}

/// A char as it stands in a literal, but for the quotes, which need escaping only in one kind each.
pub fn escaped(c: char) -> String {
    match c {
        '\\' => "\\\\".to_owned(),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        c => match crate::text::lone(c) {
            Some(unit) => format!("\\u{unit:04x}"),
            None if c.is_control() || is_unseen(c) => {
                c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect()
            }
            None => c.to_string(),
        },
    }
}

/// Takes no room on the line, or turns it around: format characters, separators of lines, what is no character.
fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{8e2}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{fffe}'..='\u{ffff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_java_prints_them() {
        for (value, shown) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (100.5, "100.5"),
            (9_999_999.0, "9999999.0"),
            (1e7, "1.0E7"),
            (-2.74877906944e12, "-2.74877906944E12"),
            (0.001, "0.001"),
            (0.00012, "1.2E-4"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(double(value), shown);
        }
        assert_eq!(float(0.1), "0.1");
    }

    #[test]
    fn chars_and_strings_are_shown_as_literals() {
        for (unit, shown) in [
            (u16::from(b'a'), "'a'"),
            (0xe4, "'ä'"),
            (u16::from(b'\''), "'\\''"),
            (u16::from(b'"'), "'\"'"),
            (u16::from(b'\n'), "'\\n'"),
            (0, "'\\u0000'"),
            (0xd800, "'\\ud800'"),
        ] {
            assert_eq!(int(i32::from(unit), Some(b'C')), shown);
        }
        let odd = crate::text::from_units(&[0x78, 0xd800, 0x200b, 0x202e, 0xdb40, 0xdc01]);
        assert_eq!(quoted(&odd), r#""x\ud800\u200b\u202e\udb40\udc01""#);
        assert_eq!(quoted("it's \"ä\"\t\\"), r#""it's \"ä\"\t\\""#);
    }
}
