//! A bit for each node, with how many are set before each: 12 bytes per 64 nodes. So a set of nodes can be counted up to
//! any place, and the one with a number be found, without listing it.

/// A set of nodes. `count` has to be called after the last `set`, before anything is counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Bits {
    words: Vec<u64>,
    /// Set bits before each word; empty until `count`.
    before: Vec<u32>,
}

impl Bits {
    /// For places up to and including `length`.
    pub fn new(length: u32) -> Bits {
        Bits { words: vec![0; length as usize / 64 + 1], before: Vec::new() }
    }

    pub fn set(&mut self, at: u32) {
        self.words[at as usize / 64] |= 1 << (at % 64);
    }

    pub fn get(&self, at: u32) -> bool {
        self.words[at as usize / 64] & (1 << (at % 64)) != 0
    }

    /// To be called when all are set, before anything is asked.
    pub fn count(&mut self) {
        let mut sum = 0;
        self.before = Vec::with_capacity(self.words.len());
        for word in &self.words {
            self.before.push(sum);
            sum += word.count_ones();
        }
    }

    /// How many are set before a place.
    pub fn before(&self, at: u32) -> u32 {
        let word = at as usize / 64;
        self.before[word] + (self.words[word] & ((1 << (at % 64)) - 1)).count_ones()
    }

    /// How many are set.
    pub fn total(&self) -> u32 {
        self.before.last().map_or(0, |before| before + self.words[self.words.len() - 1].count_ones())
    }

    /// The place of the set bit that has this many before it.
    pub fn nth(&self, number: u32) -> Option<u32> {
        if number >= self.total() {
            return None;
        }
        let word = self.before.partition_point(|&before| before <= number) - 1;
        let mut bits = self.words[word];
        for _ in self.before[word]..number {
            bits &= bits - 1;
        }
        Some(word as u32 * 64 + bits.trailing_zeros())
    }

    /// The first place that is set, from this one on.
    pub fn next(&self, from: u32) -> Option<u32> {
        let first = self.words.get(from as usize / 64)? & (u64::MAX << (from % 64));
        let rest = self.words.iter().copied().skip(from as usize / 64 + 1);
        let words = std::iter::once(first).chain(rest);
        let (word, bits) = words.enumerate().find(|&(_, bits)| bits != 0)?;
        Some((from / 64 + word as u32) * 64 + bits.trailing_zeros())
    }

    /// What is set in both.
    pub fn and(&self, other: &Bits) -> Bits {
        let words = self.words.iter().zip(&other.words).map(|(one, other)| one & other).collect();
        let mut both = Bits { words, before: Vec::new() };
        both.count();
        both
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(places: &[u32]) -> Bits {
        let mut bits = Bits::new(200);
        places.iter().for_each(|&at| bits.set(at));
        bits.count();
        bits
    }

    #[test]
    fn bits_are_counted_up_to_any_place_and_found_by_number() {
        let places = [0, 63, 64, 130, 199];
        let bits = bits(&places);
        for at in 0..=200 {
            let expected = places.iter().filter(|&&set| set < at).count() as u32;
            assert_eq!(bits.before(at), expected, "{at}");
            assert_eq!(bits.get(at), places.contains(&at), "{at}");
            assert_eq!(bits.next(at), places.iter().copied().find(|&set| set >= at), "{at}");
        }
        for (number, &at) in places.iter().enumerate() {
            assert_eq!(bits.nth(number as u32), Some(at));
        }
        assert_eq!((bits.total(), bits.nth(5)), (5, None));
    }

    #[test]
    fn both_have_what_each_has() {
        assert_eq!(bits(&[1, 70, 199]).and(&bits(&[0, 70, 199])), bits(&[70, 199]));
    }
}
