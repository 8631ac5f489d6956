//! Texts as the JVM writes them. Class files hold modified UTF-8, strings are Latin-1 or UTF-16; both may hold
//! things that are no Unicode text (lone surrogates), which are shown and never refused.

/// A string's content as far as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    pub text: String,
    /// Length of the whole string in the program, in UTF-16 units.
    pub chars: u32,
    /// True if `text` is only its beginning.
    pub cut: bool,
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
    String::from_utf16_lossy(&units)
}

/// Decodes the content of a Java string: Latin-1, or little-endian UTF-16.
pub fn from_java(bytes: &[u8], utf16: bool) -> String {
    if utf16 {
        let units: Vec<u16> =
            bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
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
}
