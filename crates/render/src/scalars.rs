//! Objects that stand for one value: string builders, big numbers, dates, atomics. Shown as they print themselves.

use base::literal::{double, float, int, quoted};
use base::text::units;
use base::{ObjectId, Value};
use jdk::Field;
use jdk::collections::{Layout, layout};
use jdk::scalars::{CalendarSettings, Parts, Scalar, ScalarForm};

use crate::content::Recognised;
use crate::fields::{Fields, Reader, Ref};
use crate::heap::KnownValue;
use crate::names::short_name;
use crate::node::ValueKind;
use crate::sequences::{bits, words};
use crate::{numbers, texts, times};

/// The value that an object stands for, by the class that an object of that layout has.
pub(crate) fn scalar(
    reader: &Reader<'_>,
    class: &str,
    object: ObjectId,
    limit: usize,
) -> Recognised<(ValueKind, String)> {
    let Some(Scalar { form, .. }) = jdk::scalars::scalar(class) else { return Recognised::OtherClass };
    let fields = reader.fields(object);
    let text = match *form {
        ScalarForm::Text { value, coder, count } => {
            let text = builder(&fields, object, (value, coder, count), limit);
            return text.map(|text| (ValueKind::Text, text)).into();
        }
        ScalarForm::Integer { value } => fields.int(value).map(|value| value.to_string()),
        ScalarForm::Flag { value } => fields.flag(value).map(|value| value.to_string()),
        ScalarForm::Char { value } => fields.int(value).map(|value| int(value as i32, Some(b'C'))),
        ScalarForm::Real { value } => match reader.value(fields.get(value)) {
            Some(Value::Double(value)) => Some(double(value)),
            Some(Value::Float(value)) => Some(float(value)),
            _ => None,
        },
        // Shown as what it refers to, or with that.
        ScalarForm::Reference { .. }
        | ScalarForm::Holder { .. }
        | ScalarForm::Result { .. }
        | ScalarForm::Task { .. }
        | ScalarForm::Marked { .. } => return Recognised::OtherClass,
        ScalarForm::Millis { millis, nanos, valid, parts, calendar } => {
            self::millis(&fields, millis, nanos, valid, parts).and_then(|moment| match calendar {
                Some(settings) => Some(format!("{moment} ({})", calendar_settings(&fields, settings)?)),
                None => Some(moment),
            })
        }
        ScalarForm::Sum { base, cells, real } => sum(&fields, base, cells, real),
        ScalarForm::Joined { .. } => {
            let text = texts::joined(&fields, form);
            let shown = text.map(|text| string(&text, units(&text).count() as u64, false, limit));
            return shown.map(|text| (ValueKind::Text, text)).into();
        }
        ScalarForm::Name { .. }
        | ScalarForm::Bytes { .. }
        | ScalarForm::Uri { .. }
        | ScalarForm::Url { .. }
        | ScalarForm::Locale { .. }
        | ScalarForm::Context { .. }
        | ScalarForm::Member { .. }
        | ScalarForm::Named { .. }
        | ScalarForm::Match { .. }
        | ScalarForm::Source { .. } => {
            let text = texts::text(&fields, object, form);
            return text.map(|text| (ValueKind::Scalar, shortened(&text, limit))).into();
        }
        ScalarForm::Bits { words, used } => bit_set(&fields, words, used, limit),
        ScalarForm::Uuid { high, low } => uuid(&fields, high, low),
        ScalarForm::BigInteger { sign, magnitude } => {
            big_integer(&fields, sign, magnitude).map(|digits| shortened(&digits, limit))
        }
        ScalarForm::BigDecimal { compact, unscaled, scale } => {
            big_decimal(&fields, compact, unscaled, scale).map(|digits| shortened(&digits, limit))
        }
        form => return moment(&fields, form, HALVES).map(|text| (ValueKind::Scalar, text)).into(),
    };
    text.map(|text| (ValueKind::Scalar, text)).into()
}

/// A text in quotes, cut at `limit` chars; `units` is the length of the whole one.
pub(crate) fn string(text: &str, units: u64, cut: bool, limit: usize) -> String {
    let mut chars = text.char_indices();
    match chars.nth(limit) {
        Some((end, _)) => format!("{}… ({units} chars)", quoted(&text[..end])),
        None if cut && units == 0 => base::text::REDACTED.to_owned(),
        None if cut => format!("{}… ({units} chars)", quoted(text)),
        None => quoted(text),
    }
}

fn builder(
    fields: &Fields<'_>,
    object: ObjectId,
    (value, coder, count): (Field, Field, Field),
    limit: usize,
) -> Option<String> {
    let reader = fields.reader;
    if let Some(text) = reader.heap.builder(object) {
        return Some(string(&text.text, u64::from(text.chars), text.cut, limit));
    }
    let (count, coder) = (fields.count(count)?, fields.int(coder)?);
    let wide = coder != 0;
    let units = count.min(u32::try_from(limit).unwrap_or(u32::MAX).saturating_add(1));
    if units == 0 {
        return Some(quoted(""));
    }
    let array = fields.object(value)?;
    let size = if wide { units.checked_mul(2)? } else { units };
    let bytes: Option<Vec<u8>> =
        (0..size).map(|index| reader.int(reader.heap.element(array, index)).map(|byte| byte as u8)).collect();
    let text = base::text::from_java(&bytes?, wide);
    Some(string(&text, u64::from(count), units < count, limit))
}

fn bit_set(fields: &Fields<'_>, words: Field, used: Field, limit: usize) -> Option<String> {
    let used = fields.count(used)?;
    let words = match used {
        0 => Vec::new(),
        _ => self::words(fields.reader, fields.object(words)?, used)?,
    };
    let mut shown: Vec<String> = bits(&words).take(limit).map(|bit| bit.to_string()).collect();
    let more = crate::sequences::ones(&words) - shown.len() as u64;
    if more > 0 {
        shown.push(format!("… {more} more"));
    }
    Some(format!("{{{}}}", shown.join(", ")))
}

fn uuid(fields: &Fields<'_>, high: Field, low: Field) -> Option<String> {
    let (high, low) = (fields.int(high)? as u64, fields.int(low)? as u64);
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

fn big_integer(fields: &Fields<'_>, sign: Field, magnitude: Field) -> Option<String> {
    let reader = fields.reader;
    let sign = fields.int(sign)?;
    if sign == 0 {
        return Some("0".to_owned());
    }
    let magnitude = fields.object(magnitude)?;
    let length = reader.heap.length(magnitude).filter(|&length| length <= MAGNITUDE)?;
    let words: Option<Vec<u32>> = (0..length)
        .map(|index| reader.int(reader.heap.element(magnitude, index)).map(|word| word as u32))
        .collect();
    Some(format!("{}{}", if sign < 0 { "-" } else { "" }, numbers::digits(&words?)))
}

fn big_decimal(fields: &Fields<'_>, compact: Field, unscaled: Field, scale: Field) -> Option<String> {
    let unscaled = match fields.int(compact)? {
        // Says that the number does not fit.
        i64::MIN => {
            let unscaled = fields.object(unscaled)?;
            let classes = fields.reader.classes(unscaled);
            let form = classes.iter().find_map(jdk::scalars::scalar).map(|scalar| scalar.form);
            let Some(ScalarForm::BigInteger { sign, magnitude }) = form else { return None };
            big_integer(&fields.reader.fields(unscaled), sign, magnitude)?
        }
        compact => compact.to_string(),
    };
    Some(numbers::decimal(&unscaled, i32::try_from(fields.int(scale)?).ok()?))
}

fn shortened(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}… ({} chars)", &text[..end], text.chars().count()),
        _ => text.to_owned(),
    }
}

/// A point in time in UTC, whatever zone the program would print it in.
fn millis(
    fields: &Fields<'_>,
    millis: Field,
    nanos: Option<Field>,
    valid: Option<Field>,
    parts: Option<Parts>,
) -> Option<String> {
    if let Some(valid) = valid
        && !fields.flag(valid)?
    {
        return None;
    }
    if let Some(parts) = parts
        && let Ref::To(parts_object) = fields.reference(parts.field)?
        && !fields.reader.fields(parts_object).flag(parts.flag)?
    {
        return None;
    }
    let millis = fields.int(millis)?;
    let nanos = match nanos {
        Some(nanos) => fields.int(nanos)?,
        None => millis.rem_euclid(1000) * 1_000_000,
    };
    Some(times::instant(millis.div_euclid(1000), nanos))
}

/// `UTC, weeks from Sunday, min. 1 day`
fn calendar_settings(fields: &Fields<'_>, settings: CalendarSettings) -> Option<String> {
    const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
    let zone = fields.reader.fields(fields.object(settings.zone)?).text(settings.zone_name)??;
    let first = usize::try_from(fields.int(settings.first_day)?).ok()?.checked_sub(1)?;
    let days = fields.int(settings.days)?;
    let unit = if days == 1 { "day" } else { "days" };
    Some(format!("{zone}, weeks from {}, min. {days} {unit}", DAYS.get(first)?))
}

fn sum(fields: &Fields<'_>, base: Field, cells: Field, real: bool) -> Option<String> {
    let reader = fields.reader;
    let mut numbers = vec![fields.int(base)?];
    if let Ref::To(cells) = fields.reference(cells)? {
        for index in 0..reader.heap.length(cells)? {
            match reader.reference(reader.heap.element(cells, index))? {
                Ref::To(cell) if reader.step() => numbers.push(reader.fields(cell).int("value")?),
                Ref::To(_) => return None,
                Ref::Null => {}
            }
        }
    }
    Some(match real {
        // The bits of doubles.
        true => double(numbers.into_iter().map(|bits| f64::from_bits(bits as u64)).sum()),
        false => numbers.into_iter().fold(0, i64::wrapping_add).to_string(),
    })
}

/// A date with time and zone is made of its halves, and these in turn.
const HALVES: u32 = 4;

fn moment(fields: &Fields<'_>, form: ScalarForm, halves: u32) -> Option<String> {
    let int = |name: Field| fields.int(name);
    let half = |name: Field| part(fields.reader, fields.object(name)?, halves);
    Some(match form {
        ScalarForm::Date { year, month, day } => times::date(int(year)?, int(month)?, int(day)?),
        ScalarForm::Time { hour, minute, second, nano } => {
            times::time(int(hour)?, int(minute)?, int(second)?, int(nano)?)
        }
        ScalarForm::DateTime { date, time } => format!("{}T{}", half(date)?, half(time)?),
        ScalarForm::OffsetDateTime { date_time, offset } => format!("{}{}", half(date_time)?, half(offset)?),
        ScalarForm::ZonedDateTime { date_time, offset, zone } => {
            let start = format!("{}{}", half(date_time)?, half(offset)?);
            let same = fields.reference(zone)? == fields.reference(offset)?;
            if same { start } else { format!("{start}[{}]", half(zone)?) }
        }
        ScalarForm::Offset { seconds } => times::offset(int(seconds)?),
        ScalarForm::Name { text } => fields.text(text)??,
        ScalarForm::Instant { seconds, nanos } => times::instant(int(seconds)?, int(nanos)?),
        ScalarForm::Duration { seconds, nanos } => times::duration(int(seconds)?, int(nanos)?),
        ScalarForm::Period { years, months, days } => times::period(int(years)?, int(months)?, int(days)?),
        ScalarForm::Year { year } => int(year)?.to_string(),
        ScalarForm::YearMonth { year, month } => {
            format!("{}-{:02}", times::plain_year(int(year)?), int(month)?)
        }
        ScalarForm::MonthDay { month, day } => format!("--{:02}-{:02}", int(month)?, int(day)?),
        _ => return None,
    })
}

fn part(reader: &Reader<'_>, object: ObjectId, halves: u32) -> Option<String> {
    let halves = halves.checked_sub(1)?;
    let form = jdk::scalars::scalar(reader.heap.type_name(object)?)?.form;
    moment(&reader.fields(object), form, halves)
}

/// What an `Optional` holds: `Some(None)` if it is empty.
pub(crate) fn optional(reader: &Reader<'_>, class: &str, object: ObjectId) -> Recognised<Option<KnownValue>> {
    let Some((&Layout::Optional { value, present }, _)) = layout(class) else {
        return Recognised::OtherClass;
    };
    let fields = reader.fields(object);
    let value = fields.get(value);
    let present = match present {
        Some(flag) => fields.flag(flag),
        None => reader.value(value).map(|value| value != Value::Null),
    };
    present.map(|present| present.then_some(value)).into()
}

/// What an object holds that is shown by its class and that.
pub(crate) enum Hold {
    /// A value, and a second one beside it.
    Value(KnownValue, Option<KnownValue>),
    /// Nothing, and what that means.
    Nothing(String),
}

pub(crate) fn hold(reader: &Reader<'_>, class: &str, object: ObjectId) -> Recognised<Hold> {
    let Some(Scalar { form, .. }) = jdk::scalars::scalar(class) else { return Recognised::OtherClass };
    let fields = reader.fields(object);
    let failed = |exception: KnownValue| match exception {
        KnownValue::Value(Value::Object(thrown)) | KnownValue::Seen(Value::Object(thrown)) => {
            let class =
                reader.heap.type_name(thrown).map_or_else(|| "?".to_owned(), |name| short_name(&name));
            let message =
                reader.heap.message(thrown).map_or(String::new(), |text| format!(": {}", text.text));
            Hold::Nothing(format!("failed: {class}{message}"))
        }
        _ => Hold::Nothing("failed".to_owned()),
    };
    let look = || {
        Some(match *form {
            ScalarForm::Holder { value, none } => match reader.value(fields.get(value))? {
                Value::Null => Hold::Nothing(none.to_owned()),
                _ => Hold::Value(fields.get(value), None),
            },
            ScalarForm::Result { result, other, exception } => match reader.value(fields.get(result))? {
                Value::Null => Hold::Nothing("not completed".to_owned()),
                Value::Object(outcome) if reader.is_a(outcome, other) => {
                    let exception = reader.fields(outcome).get(exception);
                    match reader.value(exception)? {
                        Value::Null => Hold::Value(KnownValue::Value(Value::Null), None),
                        _ => failed(exception),
                    }
                }
                _ => Hold::Value(fields.get(result), None),
            },
            ScalarForm::Task { state, outcome } => match fields.int(state)? {
                ..2 => Hold::Nothing("not completed".to_owned()),
                2 => Hold::Value(fields.get(outcome), None),
                3 => failed(fields.get(outcome)),
                _ => Hold::Nothing("cancelled".to_owned()),
            },
            ScalarForm::Marked { pair, reference, mark, flag } => {
                let pair = reader.fields(fields.object(pair)?);
                let mark = match (flag, reader.value(pair.get(mark))?) {
                    (true, Value::Int(bits)) => Value::Box { kind: b'Z', bits },
                    (_, mark) => mark,
                };
                Hold::Value(pair.get(reference), Some(KnownValue::Value(mark)))
            }
            _ => return None,
        })
    };
    match form {
        ScalarForm::Holder { .. }
        | ScalarForm::Result { .. }
        | ScalarForm::Task { .. }
        | ScalarForm::Marked { .. } => look().into(),
        _ => Recognised::OtherClass,
    }
}

/// The object behind an atomic reference, which prints itself as what it refers to.
pub(crate) fn referent(reader: &Reader<'_>, class: &str, object: ObjectId) -> Recognised<KnownValue> {
    let Some(Scalar { form: ScalarForm::Reference { value }, .. }) = jdk::scalars::scalar(class) else {
        return Recognised::OtherClass;
    };
    match reader.fields(object).get(value) {
        KnownValue::Unknown => Recognised::ContentUnknown,
        known => Recognised::Content(known),
    }
}
