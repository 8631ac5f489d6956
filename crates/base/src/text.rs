//! Texts as the JVM writes them. Class files hold modified UTF-8, strings are Latin-1 or UTF-16; both may hold
//! things that are no Unicode text (lone surrogates), which are kept apart and never refused: in a text of ours, a
//! character for private use that programs do not use stands for each ([`lone`]), and is shown escaped.

/// A string's content as far as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    pub text: String,
    /// Length of the whole string in the program, in UTF-16 units.
    pub chars: u32,
    /// True if `text` is only its beginning.
    pub cut: bool,
}

impl Text {
    /// A text that was taken out of the recording: nothing is known of it, not even how long it is. What is here instead
    /// is for whoever shows it; who compares texts does not look at what is cut.
    pub fn redacted() -> Text {
        Text { text: REDACTED.to_owned(), chars: 0, cut: true }
    }

    pub fn is_redacted(&self) -> bool {
        self.cut && self.chars == 0
    }
}

/// What is shown instead of a text that was taken out.
pub const REDACTED: &str = "redacted";

/// In a class file, stands for each byte of a text that was taken out: a control character that no source has.
pub const FILLER: u8 = 0x1a;

/// Was this text of a class file taken out?
pub fn is_filler(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte == FILLER)
}

/// Decodes the modified UTF-8 of class files.
pub fn from_modified(bytes: &[u8]) -> String {
    if bytes.is_ascii() {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let mut units = Vec::with_capacity(bytes.len());
    let mut at = 0;
    let next = |at: usize| u16::from(bytes.get(at).copied().unwrap_or(0) & 0x3f);
    while at < bytes.len() {
        let first = u16::from(bytes[at]);
        let (unit, length) = match first {
            0..0x80 => (first, 1),
            0xc0..0xe0 => ((first & 0x1f) << 6 | next(at + 1), 2),
            0xe0..0xf0 => ((first & 0x0f) << 12 | next(at + 1) << 6 | next(at + 2), 3),
            _ => (0xfffd, 1),
        };
        units.push(unit);
        at += length;
    }
    from_units(&units)
}

/// What is added to a lone surrogate to make a character of it.
const LONE: u32 = 0x10_0000;

/// The lone surrogate that a character of a text stands for.
pub fn lone(c: char) -> Option<u16> {
    u16::try_from((c as u32).checked_sub(LONE)?).ok().filter(|unit| (0xd800..0xe000).contains(unit))
}

/// A text from UTF-16 units.
pub fn from_units(units: &[u16]) -> String {
    let char = |decoded: Result<char, std::char::DecodeUtf16Error>| {
        decoded.unwrap_or_else(|lone| {
            char::from_u32(LONE + u32::from(lone.unpaired_surrogate())).unwrap_or(char::REPLACEMENT_CHARACTER)
        })
    };
    char::decode_utf16(units.iter().copied()).map(char).collect()
}

/// The UTF-16 units of a text.
pub fn units(text: &str) -> impl Iterator<Item = u16> + '_ {
    text.chars().flat_map(|c| {
        let (mut pair, lone) = ([0; 2], lone(c));
        let count = match lone {
            Some(unit) => {
                pair[0] = unit;
                1
            }
            None => c.encode_utf16(&mut pair).len(),
        };
        pair.into_iter().take(count)
    })
}

/// Decodes the content of a Java string: Latin-1, or little-endian UTF-16.
pub fn from_java(bytes: &[u8], utf16: bool) -> String {
    if utf16 {
        let units: Vec<u16> =
            bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        from_units(&units)
    } else {
        bytes.iter().map(|&byte| char::from(byte)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_class_files_and_strings_are_decoded() {
        assert_eq!(from_modified(b"abc"), "abc");
        assert_eq!(from_modified(&[b'a', 0xc0, 0x80, 0xc3, 0xa4]), "a\0ä");
        assert_eq!(from_modified(&[0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]), "😀");
        assert_eq!(from_modified(&[0xff, 0xe0]), "\u{fffd}\0");
        assert_eq!(from_java(&[0xe4, b'x'], false), "äx");
        assert_eq!(from_java(&[0x3d, 0xd8, 0x00, 0xde, 0x01], true), "😀");
    }

    #[test]
    fn lone_surrogates_are_kept() {
        let odd = [0x61, 0xd800, 0x62, 0xdc00, 0xd83d, 0xde00, 0xd83d];
        let text = from_units(&odd);
        assert_eq!(units(&text).collect::<Vec<_>>(), odd);
        assert_eq!(text.chars().nth(1).and_then(lone), Some(0xd800));
        assert_eq!(text.chars().nth(4), Some('😀'));
    }
}
