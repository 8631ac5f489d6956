//! Objects that stand for one value, with the fields that hold it: boxes, builders, big numbers, dates, atomics.

use crate::Field;

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// Classes below are laid out alike.
    pub class: &'static str,
    pub form: ScalarForm,
    /// How Java makes one from the text that it prints as.
    pub from_text: Option<FromText>,
}

/// What the fields mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarForm {
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

/// Java code that makes one from a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FromText {
    /// `new BigInteger("…")`
    Constructor,
    /// A static method: `LocalDate.parse("…")`
    Method(&'static str),
}

pub static SCALARS: [Scalar; 30] = [
    row(
        "java/lang/AbstractStringBuilder",
        ScalarForm::Text { value: "value", coder: "coder", count: "count" },
    ),
    row("java/lang/Integer", ScalarForm::Integer { value: "value" }),
    row("java/lang/Long", ScalarForm::Integer { value: "value" }),
    row("java/lang/Short", ScalarForm::Integer { value: "value" }),
    row("java/lang/Byte", ScalarForm::Integer { value: "value" }),
    row("java/lang/Boolean", ScalarForm::Flag { value: "value" }),
    row("java/lang/Character", ScalarForm::Char { value: "value" }),
    row("java/lang/Double", ScalarForm::Real { value: "value" }),
    row("java/lang/Float", ScalarForm::Real { value: "value" }),
    row("java/util/concurrent/atomic/AtomicInteger", ScalarForm::Integer { value: "value" }),
    row("java/util/concurrent/atomic/AtomicLong", ScalarForm::Integer { value: "value" }),
    row("java/util/concurrent/atomic/AtomicBoolean", ScalarForm::Flag { value: "value" }),
    row("java/util/concurrent/atomic/AtomicReference", ScalarForm::Reference { value: "value" }),
    row("java/util/BitSet", ScalarForm::Bits { words: "words", used: "wordsInUse" }),
    row("java/util/UUID", ScalarForm::Uuid { high: "mostSigBits", low: "leastSigBits" })
        .by(FromText::Method("fromString")),
    row("java/math/BigInteger", ScalarForm::BigInteger { sign: "signum", magnitude: "mag" })
        .by(FromText::Constructor),
    row(
        "java/math/BigDecimal",
        ScalarForm::BigDecimal { compact: "intCompact", unscaled: "intVal", scale: "scale" },
    )
    .by(FromText::Constructor),
    row("java/time/LocalDate", ScalarForm::Date { year: "year", month: "month", day: "day" })
        .by(FromText::Method("parse")),
    row(
        "java/time/LocalTime",
        ScalarForm::Time { hour: "hour", minute: "minute", second: "second", nano: "nano" },
    )
    .by(FromText::Method("parse")),
    row("java/time/LocalDateTime", ScalarForm::DateTime { date: "date", time: "time" })
        .by(FromText::Method("parse")),
    row("java/time/OffsetDateTime", ScalarForm::OffsetDateTime { date_time: "dateTime", offset: "offset" }),
    row(
        "java/time/ZonedDateTime",
        ScalarForm::ZonedDateTime { date_time: "dateTime", offset: "offset", zone: "zone" },
    ),
    row("java/time/ZoneOffset", ScalarForm::Offset { seconds: "totalSeconds" }),
    row("java/time/ZoneRegion", ScalarForm::Region { id: "id" }),
    row("java/time/Instant", ScalarForm::Instant { seconds: "seconds", nanos: "nanos" })
        .by(FromText::Method("parse")),
    row("java/time/Duration", ScalarForm::Duration { seconds: "seconds", nanos: "nanos" })
        .by(FromText::Method("parse")),
    row("java/time/Period", ScalarForm::Period { years: "years", months: "months", days: "days" }),
    row("java/time/Year", ScalarForm::Year { year: "year" }),
    row("java/time/YearMonth", ScalarForm::YearMonth { year: "year", month: "month" }),
    row("java/time/MonthDay", ScalarForm::MonthDay { month: "month", day: "day" }),
];

const fn row(class: &'static str, form: ScalarForm) -> Scalar {
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

impl ScalarForm {
    /// All fields that it reads.
    pub fn fields(&self) -> Vec<Field> {
        match *self {
            ScalarForm::Text { value, coder, count } => vec![value, coder, count],
            ScalarForm::Integer { value }
            | ScalarForm::Flag { value }
            | ScalarForm::Char { value }
            | ScalarForm::Real { value }
            | ScalarForm::Reference { value } => vec![value],
            ScalarForm::Bits { words, used } => vec![words, used],
            ScalarForm::Uuid { high, low } => vec![high, low],
            ScalarForm::BigInteger { sign, magnitude } => vec![sign, magnitude],
            ScalarForm::BigDecimal { compact, unscaled, scale } => vec![compact, unscaled, scale],
            ScalarForm::Date { year, month, day } => vec![year, month, day],
            ScalarForm::Time { hour, minute, second, nano } => vec![hour, minute, second, nano],
            ScalarForm::DateTime { date, time } => vec![date, time],
            ScalarForm::OffsetDateTime { date_time, offset } => vec![date_time, offset],
            ScalarForm::ZonedDateTime { date_time, offset, zone } => vec![date_time, offset, zone],
            ScalarForm::Offset { seconds } => vec![seconds],
            ScalarForm::Region { id } => vec![id],
            ScalarForm::Instant { seconds, nanos } | ScalarForm::Duration { seconds, nanos } => {
                vec![seconds, nanos]
            }
            ScalarForm::Period { years, months, days } => vec![years, months, days],
            ScalarForm::Year { year } => vec![year],
            ScalarForm::YearMonth { year, month } => vec![year, month],
            ScalarForm::MonthDay { month, day } => vec![month, day],
        }
    }
}
