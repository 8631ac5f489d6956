//! Objects that stand for one value: string builders, big numbers, dates, atomics. Shown as they print themselves.

use base::literal::{double, float, int, quoted};
use base::{ObjectId, Value};

use crate::content::Look;
use crate::fields::{Fields, Reader};
use crate::heap::Known;
use crate::node::Kind;
use crate::sequences::{bits, words};
use crate::{numbers, times};

/// The value that an object stands for, by the class that an object of that layout has.
pub(crate) fn scalar(
    reader: &Reader<'_>,
    class: &str,
    object: ObjectId,
    limit: usize,
) -> Look<(Kind, String)> {
    let fields = || reader.fields(object);
    let text = match class {
        "java/lang/AbstractStringBuilder" => {
            return builder(reader, object, limit).map(|text| (Kind::Text, text)).into();
        }
        "java/lang/Integer"
        | "java/lang/Long"
        | "java/lang/Short"
        | "java/lang/Byte"
        | "java/util/concurrent/atomic/AtomicInteger"
        | "java/util/concurrent/atomic/AtomicLong" => fields().int("value").map(|value| value.to_string()),
        "java/lang/Boolean" | "java/util/concurrent/atomic/AtomicBoolean" => {
            fields().flag("value").map(|value| value.to_string())
        }
        "java/lang/Character" => fields().int("value").map(|value| int(value as i32, Some(b'C'))),
        "java/lang/Double" | "java/lang/Float" => match reader.value(fields().get("value")) {
            Some(Value::Double(value)) => Some(double(value)),
            Some(Value::Float(value)) => Some(float(value)),
            _ => None,
        },
        "java/util/BitSet" => bit_set(reader, object, limit),
        "java/util/UUID" => uuid(&fields()),
        "java/math/BigInteger" => big_integer(reader, object).map(|digits| shortened(&digits, limit)),
        "java/math/BigDecimal" => big_decimal(reader, object).map(|digits| shortened(&digits, limit)),
        class if class.starts_with("java/time/") => return moment(reader, class, object, HALVES),
        _ => return Look::Other,
    };
    text.map(|text| (Kind::Scalar, text)).into()
}

/// A text in quotes, cut at `limit` chars; `units` is the length of the whole one.
pub(crate) fn string(text: &str, units: u64, cut: bool, limit: usize) -> String {
    let mut chars = text.char_indices();
    match chars.nth(limit) {
        Some((end, _)) => format!("{}… ({units} chars)", quoted(&text[..end])),
        None if cut => format!("{}… ({units} chars)", quoted(text)),
        None => quoted(text),
    }
}

fn builder(reader: &Reader<'_>, object: ObjectId, limit: usize) -> Option<String> {
    if let Some(text) = reader.heap.builder(object) {
        return Some(string(&text.text, u64::from(text.chars), text.cut, limit));
    }
    let fields = reader.fields(object);
    let (count, coder) = (fields.count("count")?, fields.int("coder")?);
    let wide = coder != 0;
    let units = count.min(u32::try_from(limit).unwrap_or(u32::MAX).saturating_add(1));
    if units == 0 {
        return Some(quoted(""));
    }
    let array = fields.object("value")?;
    let size = if wide { units.checked_mul(2)? } else { units };
    let bytes: Option<Vec<u8>> =
        (0..size).map(|index| reader.int(reader.heap.element(array, index)).map(|byte| byte as u8)).collect();
    let text = base::text::from_java(&bytes?, wide);
    Some(string(&text, u64::from(count), units < count, limit))
}

fn bit_set(reader: &Reader<'_>, object: ObjectId, limit: usize) -> Option<String> {
    let fields = reader.fields(object);
    let used = fields.count("wordsInUse")?;
    let words = if used == 0 { Vec::new() } else { words(reader, fields.object("words")?, used)? };
    let mut shown: Vec<String> = bits(&words).take(limit).map(|bit| bit.to_string()).collect();
    let more = crate::sequences::ones(&words) - shown.len() as u64;
    if more > 0 {
        shown.push(format!("… {more} more"));
    }
    Some(format!("{{{}}}", shown.join(", ")))
}

fn uuid(fields: &Fields<'_>) -> Option<String> {
    let (high, low) = (fields.int("mostSigBits")? as u64, fields.int("leastSigBits")? as u64);
    Some(format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    ))
}

/// Writing a number in decimal takes time by the square of its length, so very long ones are left alone.
const MAGNITUDE: u32 = 2048;

fn big_integer(reader: &Reader<'_>, object: ObjectId) -> Option<String> {
    let fields = reader.fields(object);
    let sign = fields.int("signum")?;
    if sign == 0 {
        return Some("0".to_owned());
    }
    let magnitude = fields.object("mag")?;
    let length = reader.heap.length(magnitude).filter(|&length| length <= MAGNITUDE)?;
    let words: Option<Vec<u32>> = (0..length)
        .map(|index| reader.int(reader.heap.element(magnitude, index)).map(|word| word as u32))
        .collect();
    Some(format!("{}{}", if sign < 0 { "-" } else { "" }, numbers::digits(&words?)))
}

fn big_decimal(reader: &Reader<'_>, object: ObjectId) -> Option<String> {
    let fields = reader.fields(object);
    let unscaled = match fields.int("intCompact")? {
        // Says that the number does not fit.
        i64::MIN => big_integer(reader, fields.object("intVal")?)?,
        compact => compact.to_string(),
    };
    Some(numbers::decimal(&unscaled, i32::try_from(fields.int("scale")?).ok()?))
}

fn shortened(digits: &str, limit: usize) -> String {
    match digits.get(..limit) {
        Some(start) if start.len() < digits.len() => format!("{start}… ({} chars)", digits.len()),
        _ => digits.to_owned(),
    }
}

/// A date with time and zone is made of its halves, and these in turn.
const HALVES: u32 = 4;

fn moment(reader: &Reader<'_>, class: &str, object: ObjectId, halves: u32) -> Look<(Kind, String)> {
    let fields = reader.fields(object);
    let int = |name: &str| fields.int(name);
    let half = |name: &str| part(reader, fields.object(name)?, halves);
    let text = match class {
        "java/time/LocalDate" => (|| Some(times::date(int("year")?, int("month")?, int("day")?)))(),
        "java/time/LocalTime" => {
            (|| Some(times::time(int("hour")?, int("minute")?, int("second")?, int("nano")?)))()
        }
        "java/time/LocalDateTime" => (|| Some(format!("{}T{}", half("date")?, half("time")?)))(),
        "java/time/OffsetDateTime" => (|| Some(format!("{}{}", half("dateTime")?, half("offset")?)))(),
        "java/time/ZonedDateTime" => (|| {
            let start = format!("{}{}", half("dateTime")?, half("offset")?);
            // Without a region, the zone is the offset itself.
            let same = fields.reference("zone")? == fields.reference("offset")?;
            Some(if same { start } else { format!("{start}[{}]", half("zone")?) })
        })(),
        "java/time/ZoneOffset" => int("totalSeconds").map(times::offset),
        "java/time/ZoneRegion" => {
            reader.value(fields.get("id")).and_then(|id| reader.heap.string(id)).map(|text| text.text)
        }
        "java/time/Instant" => (|| Some(times::instant(int("seconds")?, int("nanos")?)))(),
        "java/time/Duration" => (|| Some(times::duration(int("seconds")?, int("nanos")?)))(),
        "java/time/Period" => (|| Some(times::period(int("years")?, int("months")?, int("days")?)))(),
        "java/time/Year" => int("year").map(|year| year.to_string()),
        "java/time/YearMonth" => (|| Some(format!("{}-{:02}", times::year(int("year")?), int("month")?)))(),
        "java/time/MonthDay" => (|| Some(format!("--{:02}-{:02}", int("month")?, int("day")?)))(),
        _ => return Look::Other,
    };
    text.map(|text| (Kind::Scalar, text)).into()
}

fn part(reader: &Reader<'_>, object: ObjectId, halves: u32) -> Option<String> {
    if halves == 0 {
        return None;
    }
    match moment(reader, &reader.heap.type_name(object)?, object, halves - 1) {
        Look::Found((_, text)) => Some(text),
        _ => None,
    }
}

/// What an `Optional` holds: `Some(None)` if it is empty.
pub(crate) fn optional(reader: &Reader<'_>, class: &str, object: ObjectId) -> Look<Option<Known>> {
    let fields = reader.fields(object);
    let value = fields.get("value");
    let present = match class {
        "java/util/Optional" => reader.value(value).map(|value| value != Value::Null),
        "java/util/OptionalInt" | "java/util/OptionalLong" | "java/util/OptionalDouble" => {
            fields.flag("isPresent")
        }
        _ => return Look::Other,
    };
    present.map(|present| present.then_some(value)).into()
}

/// The object behind an atomic or weak reference, which prints itself as what it refers to.
pub(crate) fn referent(reader: &Reader<'_>, class: &str, object: ObjectId) -> Look<Known> {
    if class != "java/util/concurrent/atomic/AtomicReference" {
        return Look::Other;
    }
    match reader.fields(object).get("value") {
        Known::Unknown => Look::Unknown,
        known => Look::Found(known),
    }
}
