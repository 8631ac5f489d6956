//! Objects that stand for one value, with the fields that hold it: boxes, builders, big numbers, dates, atomics.

use crate::Field;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// Classes below are laid out alike.
    pub class: &'static str,
    pub form: Form,
    /// How Java makes one from the text that it prints as.
    pub from_text: Option<FromText>,
}

/// What the fields mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Bytes of Latin-1, or two for each char if the coder is not 0.
    Text {
        value: Field,
        coder: Field,
        count: Field,
    },
    Integer {
        value: Field,
    },
    Flag {
        value: Field,
    },
    Char {
        value: Field,
    },
    /// A float or a double, as the field's type is.
    Real {
        value: Field,
    },
    /// Stands for the object that it refers to.
    Reference {
        value: Field,
    },
    /// The numbers of bits that are set in the first `used` words.
    Bits {
        words: Field,
        used: Field,
    },
    Uuid {
        high: Field,
        low: Field,
    },
    /// Words of 32 bits, the highest first.
    BigInteger {
        sign: Field,
        magnitude: Field,
    },
    /// `compact` is `Long.MIN_VALUE` if the number does not fit: then `unscaled` has it.
    BigDecimal {
        compact: Field,
        unscaled: Field,
        scale: Field,
    },
    Date {
        year: Field,
        month: Field,
        day: Field,
    },
    Time {
        hour: Field,
        minute: Field,
        second: Field,
        nano: Field,
    },
    DateTime {
        date: Field,
        time: Field,
    },
    OffsetDateTime {
        date_time: Field,
        offset: Field,
    },
    /// Without a region, the zone is the offset itself.
    ZonedDateTime {
        date_time: Field,
        offset: Field,
        zone: Field,
    },
    Offset {
        seconds: Field,
    },
    Region {
        id: Field,
    },
    Instant {
        seconds: Field,
        nanos: Field,
    },
    Duration {
        seconds: Field,
        nanos: Field,
    },
    Period {
        years: Field,
        months: Field,
        days: Field,
    },
    Year {
        year: Field,
    },
    YearMonth {
        year: Field,
        month: Field,
    },
    MonthDay {
        month: Field,
        day: Field,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FromText {
    /// `new BigInteger("…")`
    Constructor,
    /// A static method: `LocalDate.parse("…")`
    Method(&'static str),
}

pub static SCALARS: [Scalar; 30] = [
    row("java/lang/AbstractStringBuilder", Form::Text { value: "value", coder: "coder", count: "count" }),
    row("java/lang/Integer", Form::Integer { value: "value" }),
    row("java/lang/Long", Form::Integer { value: "value" }),
    row("java/lang/Short", Form::Integer { value: "value" }),
    row("java/lang/Byte", Form::Integer { value: "value" }),
    row("java/lang/Boolean", Form::Flag { value: "value" }),
    row("java/lang/Character", Form::Char { value: "value" }),
    row("java/lang/Double", Form::Real { value: "value" }),
    row("java/lang/Float", Form::Real { value: "value" }),
    row("java/util/concurrent/atomic/AtomicInteger", Form::Integer { value: "value" }),
    row("java/util/concurrent/atomic/AtomicLong", Form::Integer { value: "value" }),
    row("java/util/concurrent/atomic/AtomicBoolean", Form::Flag { value: "value" }),
    row("java/util/concurrent/atomic/AtomicReference", Form::Reference { value: "value" }),
    row("java/util/BitSet", Form::Bits { words: "words", used: "wordsInUse" }),
    row("java/util/UUID", Form::Uuid { high: "mostSigBits", low: "leastSigBits" })
        .by(FromText::Method("fromString")),
    row("java/math/BigInteger", Form::BigInteger { sign: "signum", magnitude: "mag" })
        .by(FromText::Constructor),
    row(
        "java/math/BigDecimal",
        Form::BigDecimal { compact: "intCompact", unscaled: "intVal", scale: "scale" },
    )
    .by(FromText::Constructor),
    row("java/time/LocalDate", Form::Date { year: "year", month: "month", day: "day" })
        .by(FromText::Method("parse")),
    row("java/time/LocalTime", Form::Time { hour: "hour", minute: "minute", second: "second", nano: "nano" })
        .by(FromText::Method("parse")),
    row("java/time/LocalDateTime", Form::DateTime { date: "date", time: "time" })
        .by(FromText::Method("parse")),
    row("java/time/OffsetDateTime", Form::OffsetDateTime { date_time: "dateTime", offset: "offset" }),
    row(
        "java/time/ZonedDateTime",
        Form::ZonedDateTime { date_time: "dateTime", offset: "offset", zone: "zone" },
    ),
    row("java/time/ZoneOffset", Form::Offset { seconds: "totalSeconds" }),
    row("java/time/ZoneRegion", Form::Region { id: "id" }),
    row("java/time/Instant", Form::Instant { seconds: "seconds", nanos: "nanos" })
        .by(FromText::Method("parse")),
    row("java/time/Duration", Form::Duration { seconds: "seconds", nanos: "nanos" })
        .by(FromText::Method("parse")),
    row("java/time/Period", Form::Period { years: "years", months: "months", days: "days" }),
    row("java/time/Year", Form::Year { year: "year" }),
    row("java/time/YearMonth", Form::YearMonth { year: "year", month: "month" }),
    row("java/time/MonthDay", Form::MonthDay { month: "month", day: "day" }),
];

const fn row(class: &'static str, form: Form) -> Scalar {
    Scalar { class, form, from_text: None }
}

impl Scalar {
    const fn by(mut self, from_text: FromText) -> Scalar {
        self.from_text = Some(from_text);
        self
    }
}

pub fn scalar(class: impl AsRef<[u8]>) -> Option<&'static Scalar> {
    SCALARS.iter().find(|row| row.class.as_bytes() == class.as_ref())
}

impl Form {
    /// All fields that it reads.
    pub fn fields(&self) -> Vec<Field> {
        match *self {
            Form::Text { value, coder, count } => vec![value, coder, count],
            Form::Integer { value }
            | Form::Flag { value }
            | Form::Char { value }
            | Form::Real { value }
            | Form::Reference { value } => vec![value],
            Form::Bits { words, used } => vec![words, used],
            Form::Uuid { high, low } => vec![high, low],
            Form::BigInteger { sign, magnitude } => vec![sign, magnitude],
            Form::BigDecimal { compact, unscaled, scale } => vec![compact, unscaled, scale],
            Form::Date { year, month, day } => vec![year, month, day],
            Form::Time { hour, minute, second, nano } => vec![hour, minute, second, nano],
            Form::DateTime { date, time } => vec![date, time],
            Form::OffsetDateTime { date_time, offset } => vec![date_time, offset],
            Form::ZonedDateTime { date_time, offset, zone } => vec![date_time, offset, zone],
            Form::Offset { seconds } => vec![seconds],
            Form::Region { id } => vec![id],
            Form::Instant { seconds, nanos } | Form::Duration { seconds, nanos } => vec![seconds, nanos],
            Form::Period { years, months, days } => vec![years, months, days],
            Form::Year { year } => vec![year],
            Form::YearMonth { year, month } => vec![year, month],
            Form::MonthDay { month, day } => vec![month, day],
        }
    }
}
