//! Dates and times as the classes of `java.time` print themselves, from the numbers in their fields.

/// `2024-02-29`; years of more than four digits have a sign.
pub(crate) fn date(year: i64, month: i64, day: i64) -> String {
    format!("{}-{month:02}-{day:02}", self::year(year))
}

/// The year of a date: four digits at least.
pub(crate) fn year(year: i64) -> String {
    match year {
        0..=9999 => format!("{year:04}"),
        10000.. => format!("+{year}"),
        _ => format!("-{:04}", year.unsigned_abs()),
    }
}

/// The year of a month: as in a date, but without a sign before many digits.
pub(crate) fn plain_year(year: i64) -> String {
    self::year(year).trim_start_matches('+').to_owned()
}

/// `10:15`, `10:15:30`, `10:15:30.123`: only as much as is there.
pub(crate) fn time(hour: i64, minute: i64, second: i64, nano: i64) -> String {
    let mut text = format!("{hour:02}:{minute:02}");
    if second > 0 || nano > 0 {
        text.push_str(&format!(":{second:02}{}", fraction(nano)));
    }
    text
}

/// A point in time in UTC: `2024-02-29T10:15:30Z`.
pub(crate) fn instant(seconds: i64, nano: i64) -> String {
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{}T{hour:02}:{minute:02}:{second:02}{}Z", date(year, month, day), fraction(nano))
}

/// `PT8H6M12.345S`, as `Duration` prints itself.
pub(crate) fn duration(seconds: i64, nano: i64) -> String {
    if seconds == 0 && nano == 0 {
        return "PT0S".to_owned();
    }
    // The nanoseconds count upwards from the seconds, but are printed as part of a negative number.
    let whole = if seconds < 0 && nano > 0 { seconds + 1 } else { seconds };
    let (hours, minutes, rest) = (whole / 3600, whole % 3600 / 60, whole % 60);
    let mut text = "PT".to_owned();
    for (number, unit) in [(hours, 'H'), (minutes, 'M')] {
        if number != 0 {
            text.push_str(&format!("{number}{unit}"));
        }
    }
    if rest != 0 || nano != 0 {
        let sign = if seconds < 0 && rest == 0 && nano > 0 { "-" } else { "" };
        let nano = if seconds < 0 && nano > 0 { 1_000_000_000 - nano } else { nano };
        let digits = format!("{nano:09}");
        let fraction = digits.trim_end_matches('0');
        let point = if fraction.is_empty() { "" } else { "." };
        text.push_str(&format!("{sign}{rest}{point}{fraction}S"));
    }
    text
}

/// `P1Y2M3D`.
pub(crate) fn period(years: i64, months: i64, days: i64) -> String {
    let parts = [(years, 'Y'), (months, 'M'), (days, 'D')];
    let text: String = parts
        .iter()
        .filter(|(number, _)| *number != 0)
        .map(|(number, unit)| format!("{number}{unit}"))
        .collect();
    if text.is_empty() { "P0D".to_owned() } else { format!("P{text}") }
}

/// `Z`, `+02:00`, `-03:30`.
pub(crate) fn offset(seconds: i64) -> String {
    if seconds == 0 {
        return "Z".to_owned();
    }
    let (sign, size) = (if seconds < 0 { '-' } else { '+' }, seconds.unsigned_abs());
    let tail = if size % 60 == 0 { String::new() } else { format!(":{:02}", size % 60) };
    format!("{sign}{:02}:{:02}{tail}", size / 3600, size / 60 % 60)
}

/// Milli-, micro- or nanoseconds, in groups of three digits.
fn fraction(nano: i64) -> String {
    match nano {
        0 => String::new(),
        nano if nano % 1_000_000 == 0 => format!(".{:03}", nano / 1_000_000),
        nano if nano % 1000 == 0 => format!(".{:06}", nano / 1000),
        nano => format!(".{nano:09}"),
    }
}

/// Year, month and day of a day since 1970, in the proleptic Gregorian calendar. Years are counted from March on,
/// so that the day that comes and goes is the last one.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_java_writes_them() {
        for (shown, expected) in [
            (date(2024, 2, 29), "2024-02-29"),
            (date(7, 1, 1), "0007-01-01"),
            (date(-44, 3, 15), "-0044-03-15"),
            (date(12345, 1, 1), "+12345-01-01"),
            (time(10, 15, 0, 0), "10:15"),
            (time(10, 15, 30, 0), "10:15:30"),
            (time(0, 0, 0, 120_000_000), "00:00:00.120"),
            (time(0, 0, 1, 1), "00:00:01.000000001"),
            (instant(0, 0), "1970-01-01T00:00:00Z"),
            (instant(-1, 0), "1969-12-31T23:59:59Z"),
            (instant(1_709_164_800, 5_000), "2024-02-29T00:00:00.000005Z"),
            (duration(0, 0), "PT0S"),
            (duration(29_172, 345_000_000), "PT8H6M12.345S"),
            (duration(-1, 500_000_000), "PT-0.5S"),
            (duration(-90, 0), "PT-1M-30S"),
            (duration(60, 0), "PT1M"),
            (period(1, 0, -3), "P1Y-3D"),
            (period(0, 0, 0), "P0D"),
            (offset(0), "Z"),
            (offset(7200), "+02:00"),
            (offset(-12_600), "-03:30"),
        ] {
            assert_eq!(shown, expected);
        }
    }

    #[test]
    fn no_number_is_too_large_or_too_small() {
        for (shown, expected) in [
            // The first and the last moment that an `Instant` can be, and the numbers that no field should hold.
            (instant(-31_557_014_167_219_200, 0), "-1000000000-01-01T00:00:00Z"),
            (instant(31_556_889_864_403_199, 999_999_999), "+1000000000-12-31T23:59:59.999999999Z"),
            (instant(i64::MAX, 0), "+292277026596-12-04T15:30:07Z"),
            (instant(i64::MIN, 0), "-292277022657-01-27T08:29:52Z"),
            (duration(i64::MAX, 999_999_999), "PT2562047788015215H30M7.999999999S"),
            (duration(i64::MIN, 0), "PT-2562047788015215H-30M-8S"),
            (date(i64::MAX, 12, 31), "+9223372036854775807-12-31"),
            (date(i64::MIN, 1, 1), "-9223372036854775808-01-01"),
            (offset(i64::MAX), "+2562047788015215:30:07"),
            (offset(i64::MIN), "-2562047788015215:30:08"),
        ] {
            assert_eq!(shown, expected);
        }
        // Nanoseconds are below a second; more of them is damage, and any text is good enough for that.
        for nano in [i64::MIN, -1, 1_000_000_000, i64::MAX] {
            let times = [time(0, 0, 0, nano), time(nano, nano, nano, nano), date(nano, nano, nano)];
            let spans = [instant(0, nano), duration(0, nano), duration(-1, nano), duration(i64::MIN, nano)];
            for shown in times.into_iter().chain(spans) {
                assert!(!shown.is_empty() && shown.len() < 100, "{nano}: {shown}");
            }
        }
    }
}
