//! Sizes and durations between people and numbers.

use std::time::Duration;

/// `512M`, `2g`, `64KiB` or plain bytes. Units are powers of 1024, as everywhere on the JVM's command line.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let bad = || format!("{text:?} is not a size; give for example 512M or 2G");
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number: u64 = text[..digits].parse().map_err(|_| bad())?;
    let unit = text[digits..].trim().to_ascii_lowercase();
    let shift = match unit.trim_end_matches('b').trim_end_matches('i') {
        "" if !unit.starts_with('i') => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err(bad()),
    };
    number.checked_mul(1 << shift).ok_or_else(bad)
}

pub fn size(bytes: u64) -> String {
    let mut value = bytes as f64;
    let mut unit = "bytes";
    for next in ["KB", "MB", "GB", "TB"] {
        if value < 1000.0 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    if unit == "bytes" || value >= 100.0 {
        format!("{value:.0} {unit}")
    } else {
        format!("{value:.1} {unit}")
    }
}

pub fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    match seconds {
        s if s < 1.0 => format!("{:.0} ms", s * 1000.0),
        s if s < 100.0 => format!("{s:.1} s"),
        s => format!("{:.0} min {:.0} s", (s / 60.0).floor(), s % 60.0),
    }
}

/// 1234567 as `1,234,567`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_understood() {
        for (text, bytes) in [
            ("0", 0),
            ("4096", 4096),
            ("64k", 65536),
            ("512M", 512 << 20),
            ("2GiB", 2 << 30),
            ("1 gb", 1 << 30),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for text in ["", "M", "-1", "1.5G", "10x", "99999999999T", "5i"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn quantities_read_well() {
        assert_eq!(size(999), "999 bytes");
        assert_eq!(size(1_234_567), "1.2 MB");
        assert_eq!(size(345_600_000), "346 MB");
        assert_eq!(duration(Duration::from_millis(345)), "345 ms");
        assert_eq!(duration(Duration::from_millis(12_345)), "12.3 s");
        assert_eq!(duration(Duration::from_secs(125)), "2 min 5 s");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(12), "12");
    }
}
