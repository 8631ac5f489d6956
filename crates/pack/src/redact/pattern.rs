//! Patterns of texts: a key is known by how it begins. Deliberately less than regular expressions: nothing in them can
//! take long, and a rule reads like what it finds.
//!
//! `?` is one character of a word, `*` any number of them, `(…)` what is to be taken out if it is not all of it. The
//! characters of a word are those that do not end one: no space, quote, bracket, comma or semicolon.

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    pieces: Vec<Piece>,
    /// Which pieces are taken out.
    from: usize,
    to: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Is(char),
    One,
    Many,
}

impl Pattern {
    /// None if the brackets are not one pair, or it would fit everywhere.
    pub fn parse(text: &str) -> Option<Pattern> {
        let mut pieces = Vec::new();
        let (mut from, mut to) = (None, None);
        for c in text.chars() {
            match c {
                '(' if from.is_none() => from = Some(pieces.len()),
                ')' if from.is_some() && to.is_none() => to = Some(pieces.len()),
                '(' | ')' => return None,
                '?' => pieces.push(Piece::One),
                '*' => pieces.push(Piece::Many),
                c => pieces.push(Piece::Is(c)),
            }
        }
        if from.is_some() != to.is_some() || !pieces.iter().any(|piece| matches!(piece, Piece::Is(_))) {
            return None;
        }
        let (from, to) = (from.unwrap_or(0), to.unwrap_or(pieces.len()));
        Some(Pattern { pieces, from, to })
    }

    /// All that it takes out of a text.
    pub fn find<'t>(&self, text: &'t str, found: &mut Vec<&'t str>) {
        let mut at = 0;
        while at < text.len() {
            let next = text[at..].chars().next().map_or(1, char::len_utf8);
            match self.fits(&text[at..]) {
                Some((from, to, end)) => {
                    found.push(&text[at + from..at + to]);
                    at += end.max(next);
                }
                None => at += next,
            }
        }
    }

    /// Where what is taken out begins and ends, and where the whole ends, if it fits at the start of the text. As much
    /// as possible belongs to each `*`, and nothing is given back: so it takes no longer than the text.
    fn fits(&self, text: &str) -> Option<(usize, usize, usize)> {
        let mut rest = text.chars();
        let mut taken = (0, 0);
        for (number, piece) in self.pieces.iter().enumerate() {
            let at = text.len() - rest.as_str().len();
            if number == self.from {
                taken.0 = at;
            }
            if number == self.to {
                taken.1 = at;
            }
            match piece {
                Piece::Is(c) => {
                    rest.next().filter(|next| next == c)?;
                }
                Piece::One => {
                    rest.next().filter(|&next| is_of_word(next))?;
                }
                Piece::Many => {
                    let stop = match self.pieces.get(number + 1) {
                        Some(Piece::Is(stop)) => Some(*stop),
                        _ => None,
                    };
                    let length = rest
                        .as_str()
                        .find(|c| !is_of_word(c) || Some(c) == stop)
                        .unwrap_or(rest.as_str().len());
                    rest = rest.as_str()[length..].chars();
                }
            }
        }
        let end = text.len() - rest.as_str().len();
        if self.to == self.pieces.len() {
            taken.1 = end;
        }
        Some((taken.0, taken.1, end))
    }
}

/// Does a character not end a word?
pub fn is_of_word(c: char) -> bool {
    !c.is_whitespace() && !c.is_control() && !"\"'`,;()[]{}<>|&".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        Pattern::parse(pattern).unwrap().find(text, &mut found);
        found.into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn patterns_find_what_they_look_like() {
        assert_eq!(found("sk-????*", "key sk-12 sk-12345, sk-abcd"), ["sk-12345", "sk-abcd"]);
        assert_eq!(found("Bearer (*)", "Authorization: Bearer abc.def\r\n"), ["abc.def"]);
        assert_eq!(found("eyJ*.eyJ*.*", "t=eyJhb.eyJzd.sig&x"), ["eyJhb.eyJzd.sig"]);
        assert_eq!(found("pwd=(*)x", "pwd=äbcx pwd=y"), ["äbc"]);
        assert_eq!(found("a", "banana"), ["a", "a", "a"]);
        assert!(found("ab", "a").is_empty());
    }

    #[test]
    fn what_fits_everywhere_is_no_pattern() {
        for text in ["", "*", "??", "(a", "a)", "(a)(b)"] {
            assert_eq!(Pattern::parse(text), None, "{text}");
        }
    }
}
