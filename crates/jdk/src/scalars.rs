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
    /// A text that says it all: a path, a pattern, the name of a charset.
    Name {
        text: Field,
    },
    /// A path as the file system has it, in bytes.
    Bytes {
        bytes: Field,
    },
    /// Milliseconds since 1970, with nanoseconds within the second, if a field has them. They hold if the flag says so,
    /// and if what the field `parts` refers to, if anything, is up to date with them.
    Millis {
        millis: Field,
        nanos: Option<Field>,
        valid: Option<Field>,
        parts: Option<Parts>,
        calendar: Option<CalendarSettings>,
    },
    /// What a URI is made of, and the whole of it if it was made from that.
    Uri {
        whole: Field,
        scheme: Field,
        opaque: Field,
        authority: Field,
        user: Field,
        host: Field,
        port: Field,
        path: Field,
        query: Field,
        fragment: Field,
    },
    Url {
        protocol: Field,
        authority: Field,
        path: Field,
        query: Field,
        fragment: Field,
    },
    Locale {
        base: Field,
        extensions: Field,
    },
    /// How exactly to compute.
    Context {
        precision: Field,
        rounding: Field,
    },
    /// A method, constructor or field of a class.
    Member {
        class: Field,
        name: Option<Field>,
        parameters: Option<Field>,
    },
    /// Something with a name, shown with its class.
    Named {
        name: Field,
    },
    /// A number that is spread over cells, so that threads do not meet.
    Sum {
        base: Field,
        cells: Field,
        real: bool,
    },
    /// Texts with something before, between and behind them.
    Joined {
        before: Field,
        between: Field,
        behind: Field,
        texts: Field,
        count: Field,
        empty: Field,
    },
    /// A search for a pattern in a text, and where it was found last.
    Match {
        pattern: Option<Field>,
        text: Field,
        first: Field,
        last: Field,
    },
    /// Shown by its class and what it refers to; `none` says what it means if that is nothing.
    Holder {
        value: Field,
        none: &'static str,
    },
    /// What came of a task. Nothing yet if there is no result; an object of the class `other` stands for an exception, or
    /// for null.
    Result {
        result: Field,
        other: &'static str,
        exception: Field,
    },
    /// The same by a number: below 2 not done, 2 done, 3 failed, above cancelled.
    Task {
        state: Field,
        outcome: Field,
    },
    /// A reference with a number or a flag, both in one object.
    Marked {
        pair: Field,
        reference: Field,
        mark: Field,
        flag: bool,
    },
    /// A source of numbers, known by what it will compute the next one from.
    Source {
        seed: Field,
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

/// An object beside a value that is made of it, and is more up to date if its flag is not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    pub field: Field,
    pub flag: Field,
}

/// What makes two calendars of one moment give different days and weeks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CalendarSettings {
    pub zone: Field,
    /// Of the zone's own fields.
    pub zone_name: Field,
    pub first_day: Field,
    pub days: Field,
}

/// Java code that makes one from a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FromText {
    /// `new BigInteger("…")`
    Constructor,
    /// A static method: `LocalDate.parse("…")`
    Method(&'static str),
}

pub static SCALARS: [Scalar; 57] = [
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
    row("java/time/ZoneRegion", ScalarForm::Name { text: "id" }),
    row("java/time/Instant", ScalarForm::Instant { seconds: "seconds", nanos: "nanos" })
        .by(FromText::Method("parse")),
    row("java/time/Duration", ScalarForm::Duration { seconds: "seconds", nanos: "nanos" })
        .by(FromText::Method("parse")),
    row("java/time/Period", ScalarForm::Period { years: "years", months: "months", days: "days" }),
    row("java/time/Year", ScalarForm::Year { year: "year" }),
    row("java/time/YearMonth", ScalarForm::YearMonth { year: "year", month: "month" }),
    row("java/time/MonthDay", ScalarForm::MonthDay { month: "month", day: "day" }),
    row(
        "java/util/Date",
        ScalarForm::Millis {
            millis: "fastTime",
            nanos: None,
            valid: None,
            parts: Some(CALENDAR_DATE),
            calendar: None,
        },
    ),
    row(
        "java/sql/Timestamp",
        ScalarForm::Millis {
            millis: "fastTime",
            nanos: Some("nanos"),
            valid: None,
            parts: Some(CALENDAR_DATE),
            calendar: None,
        },
    ),
    row(
        "java/util/Calendar",
        ScalarForm::Millis {
            millis: "time",
            nanos: None,
            valid: Some("isTimeSet"),
            parts: None,
            calendar: Some(CalendarSettings {
                zone: "zone",
                zone_name: "ID",
                first_day: "firstDayOfWeek",
                days: "minimalDaysInFirstWeek",
            }),
        },
    ),
    row(
        "java/net/URI",
        ScalarForm::Uri {
            whole: "string",
            scheme: "scheme",
            opaque: "schemeSpecificPart",
            authority: "authority",
            user: "userInfo",
            host: "host",
            port: "port",
            path: "path",
            query: "query",
            fragment: "fragment",
        },
    ),
    row(
        "java/net/URL",
        ScalarForm::Url {
            protocol: "protocol",
            authority: "authority",
            path: "path",
            query: "query",
            fragment: "ref",
        },
    ),
    row("java/util/Locale", ScalarForm::Locale { base: "baseLocale", extensions: "localeExtensions" }),
    row("java/util/Currency", ScalarForm::Name { text: "currencyCode" }),
    row("java/nio/charset/Charset", ScalarForm::Name { text: "name" }),
    row("java/io/File", ScalarForm::Name { text: "path" }),
    row("java/util/regex/Pattern", ScalarForm::Name { text: "pattern" }),
    row("sun/nio/fs/UnixPath", ScalarForm::Bytes { bytes: "path" }),
    row("java/math/MathContext", ScalarForm::Context { precision: "precision", rounding: "roundingMode" }),
    row(
        "java/lang/reflect/Method",
        ScalarForm::Member { class: "clazz", name: Some("name"), parameters: Some("parameterTypes") },
    ),
    row(
        "java/lang/reflect/Field",
        ScalarForm::Member { class: "clazz", name: Some("name"), parameters: None },
    ),
    row(
        "java/lang/reflect/Constructor",
        ScalarForm::Member { class: "clazz", name: None, parameters: Some("parameterTypes") },
    ),
    row("java/lang/Thread", ScalarForm::Named { name: "name" }),
    row(
        "java/util/concurrent/atomic/LongAdder",
        ScalarForm::Sum { base: "base", cells: "cells", real: false },
    ),
    row(
        "java/util/concurrent/atomic/DoubleAdder",
        ScalarForm::Sum { base: "base", cells: "cells", real: true },
    ),
    row(
        "java/util/StringJoiner",
        ScalarForm::Joined {
            before: "prefix",
            between: "delimiter",
            behind: "suffix",
            texts: "elts",
            count: "size",
            empty: "emptyValue",
        },
    ),
    row(
        "java/util/regex/Matcher",
        ScalarForm::Match { pattern: Some("parentPattern"), text: "text", first: "first", last: "last" },
    ),
    row(
        "java/util/regex/Matcher$ImmutableMatchResult",
        ScalarForm::Match { pattern: None, text: "text", first: "first", last: "last" },
    ),
    row("java/util/Random", ScalarForm::Source { seed: "seed" }),
    row("java/lang/ref/Reference", ScalarForm::Holder { value: "referent", none: "cleared" }),
    row(
        "java/util/concurrent/CompletableFuture",
        ScalarForm::Result {
            result: "result",
            other: "java/util/concurrent/CompletableFuture$AltResult",
            exception: "ex",
        },
    ),
    row("java/util/concurrent/FutureTask", ScalarForm::Task { state: "state", outcome: "outcome" }),
    row(
        "java/util/concurrent/atomic/AtomicStampedReference",
        ScalarForm::Marked { pair: "pair", reference: "reference", mark: "stamp", flag: false },
    ),
    row(
        "java/util/concurrent/atomic/AtomicMarkableReference",
        ScalarForm::Marked { pair: "pair", reference: "reference", mark: "mark", flag: true },
    ),
];

/// Of a date: year, month, day, hour … as they were set last.
const CALENDAR_DATE: Parts = Parts { field: "cdate", flag: "normalized" };

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
            ScalarForm::Name { text } => vec![text],
            ScalarForm::Bytes { bytes } => vec![bytes],
            ScalarForm::Millis { millis, nanos, valid, parts, calendar } => {
                let further = [nanos, valid, parts.map(|parts| parts.field)];
                let settings = calendar.map(|one| [one.zone, one.first_day, one.days]);
                let further = further.into_iter().flatten().chain(settings.into_iter().flatten());
                std::iter::once(millis).chain(further).collect()
            }
            ScalarForm::Uri { whole, scheme, opaque, authority, user, host, port, path, query, fragment } => {
                vec![whole, scheme, opaque, authority, user, host, port, path, query, fragment]
            }
            ScalarForm::Url { protocol, authority, path, query, fragment } => {
                vec![protocol, authority, path, query, fragment]
            }
            ScalarForm::Locale { base, extensions } => vec![base, extensions],
            ScalarForm::Context { precision, rounding } => vec![precision, rounding],
            ScalarForm::Member { class, name, parameters } => {
                std::iter::once(class).chain(name).chain(parameters).collect()
            }
            ScalarForm::Named { name } => vec![name],
            ScalarForm::Sum { base, cells, real: _ } => vec![base, cells],
            ScalarForm::Joined { before, between, behind, texts, count, empty } => {
                vec![before, between, behind, texts, count, empty]
            }
            ScalarForm::Match { pattern, text, first, last } => {
                [text, first, last].into_iter().chain(pattern).collect()
            }
            ScalarForm::Source { seed } => vec![seed],
            ScalarForm::Holder { value, none: _ } => vec![value],
            ScalarForm::Result { result, other: _, exception: _ } => vec![result],
            ScalarForm::Task { state, outcome } => vec![state, outcome],
            ScalarForm::Marked { pair, .. } => vec![pair],
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
