//! Numbers of any size in decimal, as `BigInteger` and `BigDecimal` print themselves.

/// The decimal digits of a magnitude of 32-bit words, the highest first.
pub(crate) fn digits(words: &[u32]) -> String {
    const CHUNK: u64 = 1_000_000_000;
    let mut rest: Vec<u32> = words.iter().copied().skip_while(|&word| word == 0).collect();
    let mut chunks = Vec::new();
    while !rest.is_empty() {
        let mut remainder = 0;
        for word in &mut rest {
            let part = remainder << 32 | u64::from(*word);
            *word = (part / CHUNK) as u32;
            remainder = part % CHUNK;
        }
        chunks.push(remainder);
        let zeros = rest.iter().take_while(|&&word| word == 0).count();
        rest.drain(..zeros);
    }
    let Some(highest) = chunks.pop() else { return "0".to_owned() };
    let lower: String = chunks.iter().rev().map(|chunk| format!("{chunk:09}")).collect();
    format!("{highest}{lower}")
}

/// A number as `BigDecimal.toString` gives it: `unscaled` (with its sign) times ten to the power of `-scale`.
pub(crate) fn decimal(unscaled: &str, scale: i32) -> String {
    let (sign, digits) = unscaled.strip_prefix('-').map_or(("", unscaled), |digits| ("-", digits));
    if scale == 0 {
        return unscaled.to_owned();
    }
    let exponent = digits.len() as i64 - 1 - i64::from(scale);
    if scale > 0 && exponent >= -6 {
        // At least one digit is before the point, and at most six zeros are behind it.
        let scale = scale as usize;
        let padded = format!("{}{digits}", "0".repeat((scale + 1).saturating_sub(digits.len())));
        let (whole, fraction) = padded.split_at(padded.len() - scale);
        return format!("{sign}{whole}.{fraction}");
    }
    let (first, rest) = digits.split_at(1.min(digits.len()));
    let point = if rest.is_empty() { "" } else { "." };
    let exponent = if exponent == 0 { String::new() } else { format!("E{exponent:+}") };
    format!("{sign}{first}{point}{rest}{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn magnitudes_are_written_in_decimal() {
        for (words, shown) in [
            (&[][..], "0"),
            (&[0, 0], "0"),
            (&[7], "7"),
            (&[1, 0], "4294967296"),
            (&[0x3b9a_ca00], "1000000000"),
            (&[0x8000_0000, 0, 0], "39614081257132168796771975168"),
        ] {
            assert_eq!(digits(words), shown);
        }
    }

    #[test]
    fn decimals_are_written_as_java_writes_them() {
        for (unscaled, scale, shown) in [
            ("123", 0, "123"),
            ("-123", 0, "-123"),
            ("123", -1, "1.23E+3"),
            ("123", -3, "1.23E+5"),
            ("123", 1, "12.3"),
            ("-123", 1, "-12.3"),
            ("123", 5, "0.00123"),
            ("123", 10, "1.23E-8"),
            ("-123", 12, "-1.23E-10"),
            ("0", 2, "0.00"),
            ("0", -2, "0E+2"),
            ("5", 7, "5E-7"),
            ("5", i32::MAX, "5E-2147483647"),
            ("5", i32::MIN, "5E+2147483648"),
            ("5", 6, "0.000005"),
        ] {
            assert_eq!(decimal(unscaled, scale), shown, "{unscaled} {scale}");
        }
    }
}
