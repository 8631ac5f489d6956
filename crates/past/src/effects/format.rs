//! What `printf` and `format` write. Most conversions follow from the format and its arguments; those of numbers depend
//! on the locale as well, which is the JVM's unless it is given: their text is what it most likely is, and says so.

use index::Time;
use render::KnownValue;
use trace::{ObjectId, Value};

use super::Piece;
use crate::past::{BareCall, Past};

const MAX_ARGS: u32 = 64;
const MAX_WIDTH: usize = 10_000;

impl Past {
    pub(super) fn formatted(&self, info: &BareCall, at: usize) -> Vec<Piece> {
        let localized = info.args.get(at).is_some_and(|arg| arg.descriptor == "Ljava/util/Locale;");
        let at = at + usize::from(localized);
        let Some(format) = info.args.get(at).and_then(|_| self.argument_text(info, at)) else {
            return vec![Piece::Unknown];
        };
        let args = match info.args.get(at + 1).map(|arg| arg.value) {
            Some(Value::Object(array)) => self.elements(array, info.entry),
            _ => None,
        };
        let Some(args) = args else {
            return vec![Piece::Formatted { format, args: Vec::new(), text: None }];
        };
        let line_end = match self.line_end() {
            Piece::Text(end) => Some(end),
            _ => None,
        };
        let text_of = |value: Value| self.plain_text(value, "Ljava/lang/Object;", info);
        let (text, exact) = match carried_out(&format, &args, line_end.as_deref(), &text_of) {
            Some((text, exact)) => (Some(text), exact),
            None => (None, false),
        };
        match text {
            Some(text) if exact => vec![Piece::Text(text)],
            text => vec![Piece::Formatted { format, args, text }],
        }
    }

    fn elements(&self, array: ObjectId, time: Time) -> Option<Vec<Value>> {
        let length = self.array_length(array).filter(|&length| length <= MAX_ARGS)?;
        let one = |index| match self.element_at(array, index, time) {
            KnownValue::Value(value) | KnownValue::Seen(value) => Some(value),
            KnownValue::Unknown => None,
        };
        (0..length).map(one).collect()
    }
}

/// One `%` with all that belongs to it.
struct Conversion {
    argument: Argument,
    flags: Vec<u8>,
    width: Option<usize>,
    precision: Option<usize>,
    kind: char,
}

enum Argument {
    Next,
    Same,
    Number(usize),
}

impl Conversion {
    fn has(&self, flag: u8) -> bool {
        self.flags.contains(&flag)
    }
}

/// The text, and whether it is certain; none where something is not known.
fn carried_out(
    format: &[u16],
    args: &[Value],
    line_end: Option<&[u16]>,
    text_of: &dyn Fn(Value) -> Option<Vec<u16>>,
) -> Option<(Vec<u16>, bool)> {
    let format = String::from_utf16(format).ok()?;
    let mut out: Vec<u16> = Vec::new();
    let mut exact = true;
    let (mut next, mut last) = (0, None);
    let mut rest = format.as_str();
    while let Some(percent) = rest.find('%') {
        out.extend(rest[..percent].encode_utf16());
        let (conversion, after) = conversion(&rest[percent + 1..])?;
        rest = after;
        match conversion.kind {
            'n' => {
                out.extend(line_end?);
                continue;
            }
            '%' => {
                out.extend(padded(vec![u16::from(b'%')], &conversion));
                continue;
            }
            _ => {}
        }
        let number = match conversion.argument {
            Argument::Next => {
                next += 1;
                next - 1
            }
            Argument::Same => last?,
            Argument::Number(number) => number.checked_sub(1)?,
        };
        last = Some(number);
        let (text, certain) = converted(&conversion, *args.get(number)?, text_of)?;
        exact &= certain;
        out.extend(text);
    }
    out.extend(rest.encode_utf16());
    Some((out, exact))
}

fn conversion(text: &str) -> Option<(Conversion, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    let digits = |at: &mut usize| {
        let start = *at;
        while bytes.get(*at).is_some_and(u8::is_ascii_digit) {
            *at += 1;
        }
        text[start..*at].parse::<usize>().ok()
    };
    let mut argument = Argument::Next;
    if bytes.first() == Some(&b'<') {
        (argument, at) = (Argument::Same, 1);
    } else {
        let mut after = 0;
        if let Some(number) = digits(&mut after).filter(|&number| number > 0)
            && bytes.get(after) == Some(&b'$')
        {
            (argument, at) = (Argument::Number(number), after + 1);
        }
    }
    let start = at;
    while bytes.get(at).is_some_and(|byte| b"-#+ 0,(".contains(byte)) {
        at += 1;
    }
    let flags = bytes[start..at].to_vec();
    let width = digits(&mut at).filter(|&width| width <= MAX_WIDTH);
    let mut precision = None;
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        precision = Some(digits(&mut at).filter(|&precision| precision <= MAX_WIDTH)?);
    }
    let kind = text[at..].chars().next()?;
    Some((Conversion { argument, flags, width, precision, kind }, &text[at + kind.len_utf8()..]))
}

fn converted(
    conversion: &Conversion,
    value: Value,
    text_of: &dyn Fn(Value) -> Option<Vec<u16>>,
) -> Option<(Vec<u16>, bool)> {
    let cut = |mut text: Vec<u16>| {
        text.truncate(conversion.precision.unwrap_or(usize::MAX));
        padded(text, conversion)
    };
    let word = |text: &str| cut(base::text::units(text).collect());
    let plain = conversion.flags.iter().all(|&flag| flag == b'-');
    if value == Value::Null {
        return (plain && conversion.kind != 'b')
            .then(|| word("null"))
            .map(|text| (text, true))
            .or_else(|| (plain && conversion.kind == 'b').then(|| (word("false"), true)));
    }
    match conversion.kind {
        's' if plain => Some((cut(text_of(value)?), true)),
        'b' if plain => {
            let holds = !matches!(value, Value::Box { kind: b'Z', bits: 0 });
            Some((word(if holds { "true" } else { "false" }), true))
        }
        'c' if plain && conversion.precision.is_none() => match value {
            Value::Box { kind: b'C', bits } => Some((padded(vec![bits as u16], conversion), true)),
            _ => None,
        },
        'x' | 'X' | 'o' if conversion.precision.is_none() => {
            let bits = match value {
                Value::Box { kind: b'B', bits } => u64::from(bits as u8),
                Value::Box { kind: b'S', bits } => u64::from(bits as u16),
                Value::Box { kind: b'I', bits } => u64::from(bits as u32),
                Value::Box64 { kind: b'J', bits } => bits as u64,
                _ => return None,
            };
            let mut text = match conversion.kind {
                'o' => format!("{bits:o}"),
                _ => format!("{bits:x}"),
            };
            if conversion.flags.iter().any(|flag| !b"-0".contains(flag)) {
                return None;
            }
            if conversion.has(b'0') {
                text = format!("{}{text}", "0".repeat(conversion.width?.saturating_sub(text.len())));
            }
            if conversion.kind == 'X' {
                text = text.to_uppercase();
            }
            Some((padded(base::text::units(&text).collect(), conversion), true))
        }
        'd' if conversion.precision.is_none() => {
            let number = match value {
                Value::Box { kind: b'B' | b'S' | b'I', bits } => i64::from(bits),
                Value::Box64 { kind: b'J', bits } => bits,
                _ => return None,
            };
            let digits = number.unsigned_abs().to_string();
            signed(conversion, number < 0, digits).map(|text| (text, false))
        }
        'f' => {
            let (number, shortest) = match value {
                Value::Box { kind: b'F', bits } => {
                    let number = f32::from_bits(bits as u32);
                    (f64::from(number), format!("{}", number.abs()))
                }
                Value::Box64 { kind: b'D', bits } => {
                    let number = f64::from_bits(bits as u64);
                    (number, format!("{}", number.abs()))
                }
                _ => return None,
            };
            if !number.is_finite() {
                return None;
            }
            let digits = half_up(&shortest, conversion.precision.unwrap_or(6));
            signed(conversion, number.is_sign_negative(), digits).map(|text| (text, false))
        }
        _ => None,
    }
}

/// A decimal number with as many digits after the point, the half rounded up.
fn half_up(number: &str, precision: usize) -> String {
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let mut digits: Vec<u8> = whole.bytes().chain(part.bytes().take(precision)).collect();
    digits.extend(std::iter::repeat_n(b'0', precision.saturating_sub(part.len())));
    let mut carry = part.as_bytes().get(precision).is_some_and(|&digit| digit >= b'5');
    for digit in digits.iter_mut().rev() {
        if !carry {
            break;
        }
        carry = *digit == b'9';
        *digit = if carry { b'0' } else { *digit + 1 };
    }
    if carry {
        digits.insert(0, b'1');
    }
    let point = digits.len() - precision;
    let text: String = digits.into_iter().map(char::from).collect();
    if precision == 0 { text } else { format!("{}.{}", &text[..point], &text[point..]) }
}

fn signed(conversion: &Conversion, negative: bool, digits: String) -> Option<Vec<u16>> {
    if conversion.has(b'(') || conversion.has(b'#') {
        return None;
    }
    let (whole, part) = match digits.split_once('.') {
        Some((whole, part)) => (whole.to_owned(), format!(".{part}")),
        None => (digits, String::new()),
    };
    let mut whole = whole;
    if conversion.has(b',') {
        let count = whole.len();
        let grouped = whole.bytes().enumerate().flat_map(|(at, digit)| {
            let comma = (at > 0 && (count - at) % 3 == 0).then_some(b',');
            comma.into_iter().chain([digit])
        });
        whole = grouped.map(char::from).collect();
    }
    let sign = match negative {
        true => "-",
        false if conversion.has(b'+') => "+",
        false if conversion.has(b' ') => " ",
        false => "",
    };
    let mut text = format!("{whole}{part}");
    if conversion.has(b'0') {
        let missing = conversion.width?.saturating_sub(text.len() + sign.len());
        text = format!("{}{text}", "0".repeat(missing));
    }
    Some(padded(format!("{sign}{text}").encode_utf16().collect(), conversion))
}

fn padded(text: Vec<u16>, conversion: &Conversion) -> Vec<u16> {
    let missing = conversion.width.unwrap_or(0).saturating_sub(text.len());
    let spaces = vec![u16::from(b' '); missing];
    if conversion.has(b'-') { [text, spaces].concat() } else { [spaces, text].concat() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(bits: i32) -> Value {
        Value::Box { kind: b'I', bits }
    }

    fn double(value: f64) -> Value {
        Value::Box64 { kind: b'D', bits: value.to_bits() as i64 }
    }

    #[test]
    fn formats_are_carried_out_as_java_does() {
        let letter = Value::Box { kind: b'C', bits: i32::from(b'x') };
        let truth = Value::Box { kind: b'Z', bits: 1 };
        let words = |value: Value| match value {
            Value::Literal { .. } => Some("word".encode_utf16().collect()),
            _ => None,
        };
        let word = Value::Literal { class: trace::ClassId(0), index: 0 };
        for (format, args, expected) in [
            ("plain", vec![], Some(("plain", true))),
            ("%s|%5s|%-6s|%.2s", vec![word; 4], Some(("word| word|word  |wo", true))),
            ("%c%b%n%%", vec![letter, truth], Some(("xtrue\n%", true))),
            ("%x %08X %o", vec![int(255), int(-1), int(8)], Some(("ff FFFFFFFF 10", true))),
            (
                "%d %5d %-5d| %05d %,d %+d",
                vec![int(7), int(-7), int(7), int(-7), int(1_234_567), int(1)],
                Some(("7    -7 7    | -0007 1,234,567 +1", false)),
            ),
            ("%.2f %f %.0f", vec![double(0.125), double(1.5), double(0.5)], Some(("0.13 1.500000 1", false))),
            ("%2$s %1$d %<d", vec![int(1), word], Some(("word 1 1", false))),
            ("%s", vec![], None),
            ("%d", vec![word], None),
            ("%tY", vec![word], None),
            ("%s", vec![Value::Null], Some(("null", true))),
        ] {
            let units: Vec<u16> = format.encode_utf16().collect();
            let found = carried_out(&units, &args, Some(&[10]), &words);
            let found = found.map(|(text, exact)| (base::text::from_units(&text), exact));
            assert_eq!(found, expected.map(|(text, exact)| (text.to_owned(), exact)), "{format}");
        }
    }
}
