//! Finds many texts at once in bytes, in every form in which a recording or a program may have written them: UTF-8,
//! Latin-1, UTF-16 of both kinds, escaped, percent-encoded, in hexadecimal, in Base64.

use std::collections::HashMap;

/// Texts to be found. By their first four bytes: every form has as many.
#[derive(Debug, Default)]
pub struct Needles {
    by_start: HashMap<[u8; 4], Vec<Vec<u8>>>,
    /// Which pairs of bytes any of them begins with.
    starts: Vec<u64>,
    longest: usize,
}

impl Needles {
    /// Of texts with four characters or more.
    pub fn new<'t>(texts: impl Iterator<Item = &'t str>) -> Needles {
        let mut needles = Needles { starts: vec![0; 1 << 10], ..Needles::default() };
        for text in texts {
            forms(text).into_iter().for_each(|form| needles.add(form));
        }
        // A longer one that begins with a shorter one is to be found as a whole.
        for list in needles.by_start.values_mut() {
            list.sort_by(|one, other| other.len().cmp(&one.len()).then(one.cmp(other)));
            list.dedup();
        }
        needles
    }

    fn add(&mut self, form: Vec<u8>) {
        let Some(&start) = form.first_chunk::<4>() else { return };
        let pair = usize::from(start[0]) << 8 | usize::from(start[1]);
        self.starts[pair >> 6] |= 1 << (pair & 63);
        self.longest = self.longest.max(form.len());
        self.by_start.entry(start).or_default().push(form);
    }

    pub fn is_empty(&self) -> bool {
        self.by_start.is_empty()
    }

    /// Bytes of the longest form.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// Where the first one is, and how long.
    pub fn find(&self, bytes: &[u8]) -> Option<(usize, usize)> {
        self.find_from(bytes, 0)
    }

    pub fn is_in(&self, bytes: &[u8]) -> bool {
        self.find(bytes).is_some()
    }

    fn find_from(&self, bytes: &[u8], from: usize) -> Option<(usize, usize)> {
        if self.is_empty() {
            return None;
        }
        let starts = bytes.get(from..)?.windows(4).enumerate();
        for (at, window) in starts {
            let pair = usize::from(window[0]) << 8 | usize::from(window[1]);
            if self.starts[pair >> 6] >> (pair & 63) & 1 == 0 {
                continue;
            }
            let rest = &bytes[from + at..];
            let list = window.first_chunk().and_then(|start| self.by_start.get(start));
            if let Some(found) = list.into_iter().flatten().find(|form| rest.starts_with(form)) {
                return Some((from + at, found.len()));
            }
        }
        None
    }

    /// Puts `filler` in the place of each byte of each.
    pub fn blank(&self, bytes: &mut [u8], filler: u8) -> usize {
        let (mut from, mut count) = (0, 0);
        while let Some((at, length)) = self.find_from(bytes, from) {
            bytes[at..at + length].fill(filler);
            from = at + length;
            count += 1;
        }
        count
    }

    /// A text with something else in the place of each.
    pub fn replace(&self, text: &str, with: &str) -> String {
        let (mut out, mut from) = (Vec::new(), 0);
        while let Some((at, length)) = self.find_from(text.as_bytes(), from) {
            out.extend_from_slice(&text.as_bytes()[from..at]);
            out.extend_from_slice(with.as_bytes());
            from = at + length;
        }
        out.extend_from_slice(&text.as_bytes()[from..]);
        String::from_utf8_lossy(&out).into_owned()
    }

    /// Does the end of something that was cut off look like the beginning of one?
    pub fn may_go_on(&self, bytes: &[u8]) -> bool {
        let from = bytes.len().saturating_sub(self.longest);
        (from..bytes.len().saturating_sub(3)).any(|at| {
            let rest = &bytes[at..];
            let list = rest.first_chunk().and_then(|start| self.by_start.get(start));
            list.into_iter().flatten().any(|form| form.starts_with(rest))
        })
    }
}

/// All ways in which a text may be written.
fn forms(text: &str) -> Vec<Vec<u8>> {
    let mut forms = Vec::new();
    let mut plain = vec![text.to_owned(), escaped(text), percent(text)];
    plain.extend([text.to_lowercase(), text.to_uppercase()]);
    plain.sort();
    plain.dedup();
    for text in plain {
        let units: Vec<u16> = trace::text::units(&text).collect();
        forms.push(text.as_bytes().to_vec());
        if units.iter().all(|&unit| unit < 0x100) {
            forms.push(units.iter().map(|&unit| unit as u8).collect());
        }
        forms.push(units.iter().flat_map(|unit| unit.to_le_bytes()).collect());
        forms.push(units.iter().flat_map(|unit| unit.to_be_bytes()).collect());
    }
    // Of short texts, these would be found by chance.
    if text.len() >= 6 {
        let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
        forms.extend([hex.to_uppercase().into_bytes(), hex.into_bytes()]);
        forms.extend((0..3).map(|shift| base64(text.as_bytes(), shift)));
    }
    forms.sort();
    forms.dedup();
    forms
}

/// As in a string of Java or JSON.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out
}

/// As in an address.
fn percent(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~*".contains(&byte);
    let one = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(one).collect()
}

/// Base64 of a text that stands behind `shift` other bytes: only what does not depend on its neighbours.
fn base64(bytes: &[u8], shift: usize) -> Vec<u8> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let padded: Vec<u8> = std::iter::repeat_n(0, shift).chain(bytes.iter().copied()).collect();
    let bits = padded.len() * 8;
    let digit = |at: usize| {
        let bit = |number: usize| padded[number / 8] >> (7 - number % 8) & 1;
        DIGITS[(0..6).fold(0, |value, offset| value << 1 | usize::from(bit(at * 6 + offset)))]
    };
    let first = (shift * 8).div_ceil(6);
    (first..bits / 6).map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(secret: &str, bytes: &[u8]) -> bool {
        Needles::new([secret].into_iter()).is_in(bytes)
    }

    #[test]
    fn a_text_is_found_however_it_is_written() {
        let wide = |bytes: fn(u16) -> [u8; 2]| "xhünter2y".encode_utf16().flat_map(bytes).collect::<Vec<_>>();
        for bytes in [
            "xhünter2y".as_bytes().to_vec(),
            b"xh\xfcnter2y".to_vec(),
            wide(u16::to_le_bytes),
            wide(u16::to_be_bytes),
            b"q=h%C3%BCnter2".to_vec(),
            b"68c3bc6e74657232".to_vec(),
            b"H\xc3\x9cNTER2".to_vec(),
        ] {
            assert!(finds("hünter2", &bytes), "{bytes:?}");
        }
        // joe:hunter2!, jo:hunter2!, j:hunter2!
        for text in ["am9lOmh1bnRlcjIh", "am86aHVudGVyMiE=", "ajpodW50ZXIyIQ=="] {
            assert!(finds("hunter2!", text.as_bytes()), "{text}");
        }
        assert!(finds("a\"b\\c", br#"{"x":"a\"b\\c"}"#));
        assert!(!finds("hunter2", b"hunter3 hunter"));
    }

    #[test]
    fn what_is_found_is_blanked_at_its_whole_length() {
        let needles = Needles::new(["hunt", "hunter2"].into_iter());
        let mut bytes = b"a hunter2 hunts".to_vec();
        assert_eq!(needles.blank(&mut bytes, b'*'), 2);
        assert_eq!(bytes, b"a ******* ****s");
        assert_eq!(needles.replace("a hunter2!", "?"), "a ?!");
    }

    #[test]
    fn the_beginning_at_a_cut_is_seen() {
        let needles = Needles::new(["hunter2"].into_iter());
        assert!(
            needles.may_go_on(b"my hunt") && !needles.may_go_on(b"my hun") && !needles.may_go_on(b"hunted")
        );
    }
}
