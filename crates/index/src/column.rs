//! Numbers side by side, each in as many bits as most of them need. The few that need more stand behind, with their
//! places. Any one of them is read without the others, so a block of columns is asked for a single number as cheaply as
//! a row of fixed size would be, at a fraction of its bytes.
//!
//! Bytes: the width in bits; how many stand behind (a number as `packed::put` writes it) and, if any do, how many bytes
//! their places and their values take; the least number; the bits; places and values of those behind. A number behind
//! has all bits set where it would stand.

use crate::file::uint_at;
use crate::packed::{get, put};

/// Writes a column. How many numbers there are is for the reader to know.
pub(crate) fn write(values: &[u64], out: &mut Vec<u8>) {
    let (base, highest) =
        values.iter().fold((u64::MAX, 0), |(least, most), &value| (least.min(value), most.max(value)));
    let base = base.min(highest);
    let longest = length(highest - base);
    let place_size = if values.len() <= 1 << 8 {
        1
    } else if values.len() <= 1 << 16 {
        2
    } else {
        4
    };
    let value_size = longest.div_ceil(8);
    let width = width(values, base, longest, (place_size + value_size) * 8);
    let mask = low_bits(width);
    // Without any bits the least number needs none, and all others stand behind.
    let limit = if width < longest { mask.max(1) } else { u64::MAX };
    let is_behind = |value: u64| width < longest && value - base >= limit;
    let behind = if width < longest { values.iter().filter(|&&value| is_behind(value)).count() } else { 0 };
    out.reserve(32 + (values.len() * width).div_ceil(8) + behind * (place_size + value_size));
    out.push(width as u8);
    put(out, behind as u64);
    if behind > 0 {
        out.push((place_size << 4 | value_size) as u8);
    }
    put(out, base);
    if width > 0 {
        let (mut word, mut bits) = (0, 0);
        for &value in values {
            let code = if behind > 0 { (value - base).min(mask) } else { value - base };
            word |= code << bits;
            bits += width;
            if bits >= 64 {
                out.extend_from_slice(&word.to_le_bytes());
                bits -= 64;
                word = if bits > 0 { code >> (width - bits) } else { 0 };
            }
        }
        out.extend_from_slice(&word.to_le_bytes()[..bits.div_ceil(8)]);
    }
    if behind > 0 {
        let others = || values.iter().enumerate().filter(|&(_, &value)| is_behind(value));
        for (place, _) in others() {
            out.extend_from_slice(&(place as u32).to_le_bytes()[..place_size]);
        }
        for (_, &value) in others() {
            out.extend_from_slice(&(value - base).to_le_bytes()[..value_size]);
        }
    }
}

/// How many bits most numbers need, such that all take the least room: those that are longer take so many bits behind, and so do
/// those that would have all bits set.
fn width(values: &[u64], base: u64, longest: usize, behind_bits: usize) -> usize {
    if longest == 0 {
        return 0;
    }
    // Numbers next to each other are of the same length often: counted in turns, one does not wait for the other.
    let mut by_length = [[0u32; 65]; 2];
    let mut all_set = [0u32; 65];
    let mut count = |turn: usize, value: u64| {
        let length = length(value);
        by_length[turn][length] += 1;
        all_set[length] += u32::from(value & value.wrapping_add(1) == 0);
    };
    let mut pairs = values.chunks_exact(2);
    for pair in &mut pairs {
        count(0, pair[0] - base);
        count(1, pair[1] - base);
    }
    pairs.remainder().iter().for_each(|&value| count(0, value - base));
    let (mut width, mut least) = (longest, values.len() * longest);
    let mut longer = 0;
    for shorter in (0..longest).rev() {
        longer += (by_length[0][shorter + 1] + by_length[1][shorter + 1]) as usize;
        // Without any bits the least number, which is 0, stands for itself.
        let behind = longer + if shorter > 0 { all_set[shorter] as usize } else { 0 };
        let cost = values.len() * shorter + behind * behind_bits + 16;
        if cost < least {
            (width, least) = (shorter, cost);
        }
    }
    width
}

#[inline]
fn length(value: u64) -> usize {
    (u64::BITS - value.leading_zeros()) as usize
}

#[inline]
fn low_bits(width: usize) -> u64 {
    if width == 0 { 0 } else { u64::MAX >> (64 - width.min(64)) }
}

/// A column in its bytes. Nothing in them is trusted: damaged ones give other numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Column<'a> {
    /// From the first number on, with all that follows.
    bytes: &'a [u8],
    count: usize,
    width: usize,
    base: u64,
    /// Those behind: how many, where their places and values begin, and how long these are.
    behind: usize,
    places: usize,
    values: usize,
    sizes: (usize, usize),
}

impl<'a> Column<'a> {
    /// The column of so many numbers at a place, which is moved behind it.
    #[inline]
    pub fn read(bytes: &'a [u8], at: &mut usize, count: usize) -> Option<Column<'a>> {
        let width = usize::from(*bytes.get(*at)?);
        *at += 1;
        let behind = usize::try_from(get(bytes, at)?).ok().filter(|&behind| behind <= count)?;
        let mut sizes = (0, 0);
        if behind > 0 {
            let both = *bytes.get(*at)?;
            sizes = (usize::from(both >> 4), usize::from(both & 0xf));
            *at += 1;
        }
        let base = get(bytes, at)?;
        if width > 64 || sizes.0 > 4 || sizes.1 > 8 {
            return None;
        }
        let places = count.checked_mul(width)?.div_ceil(8);
        let values = places + behind * sizes.0;
        let end = values + behind * sizes.1;
        let bytes = bytes.get(*at..)?;
        if end > bytes.len() {
            return None;
        }
        *at += end;
        Some(Column { bytes, count, width, base, behind, places, values, sizes })
    }

    pub fn len(&self) -> usize {
        self.count
    }

    /// The number that all are, if they are all the same.
    pub fn constant(&self) -> Option<u64> {
        (self.width == 0 && self.behind == 0).then_some(self.base)
    }

    /// A number; zero behind the last.
    #[inline]
    pub fn get(&self, at: usize) -> u64 {
        if at >= self.count {
            return 0;
        }
        let code = self.code(at);
        if self.behind > 0 && code == low_bits(self.width) {
            return self.base.wrapping_add(self.value_behind(at, code));
        }
        self.base.wrapping_add(code)
    }

    #[inline]
    fn code(&self, at: usize) -> u64 {
        let bit = at * self.width;
        let (start, shift) = (bit / 8, bit % 8);
        let word = match self.bytes.get(start..start + 8) {
            Some(word) => word.try_into().map_or(0, u64::from_le_bytes),
            None => uint_at(self.bytes, start, self.bytes.len().saturating_sub(start)),
        };
        let mut code = word >> shift;
        if shift + self.width > 64 {
            let next = self.bytes.get(start + 8).copied().unwrap_or(0);
            code |= u64::from(next) << (64 - shift);
        }
        code & low_bits(self.width)
    }

    /// The place of the first number from `from` up to `to` that is at most `limit`: some numbers at a time.
    pub fn first_at_most(&self, limit: u64, from: usize, to: usize) -> Option<usize> {
        let to = to.min(self.count);
        let one_by_one = |from: usize, to: usize| (from..to).find(|&at| self.get(at) <= limit);
        // One that stands behind has all bits set here, and is greater than what those say.
        let most = limit.checked_sub(self.base)?;
        let mask = low_bits(self.width);
        if self.width == 0 || self.width > 16 || self.behind > 0 && most >= mask {
            return one_by_one(from, to);
        }
        let mut at = from;
        while at < to {
            let (start, shift) = (at * self.width / 8, at * self.width % 8);
            let Some(word) = self.bytes.get(start..start + 8) else { return one_by_one(at, to) };
            let mut word = word.try_into().map_or(0, u64::from_le_bytes) >> shift;
            let end = to.min(at + (64 - shift) / self.width);
            while at < end {
                if word & mask <= most {
                    return Some(at);
                }
                word >>= self.width;
                at += 1;
            }
        }
        None
    }

    #[cold]
    fn value_behind(&self, at: usize, code: u64) -> u64 {
        let (size, value_size) = self.sizes;
        let place = |number: usize| uint_at(self.bytes, self.places + number * size, size) as usize;
        let (mut low, mut high) = (0, self.behind);
        while low < high {
            let middle = low + (high - low) / 2;
            if place(middle) < at {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if low < self.behind && place(low) == at {
            uint_at(self.bytes, self.values + low * value_size, value_size)
        } else {
            code
        }
    }

    /// All numbers.
    pub fn all(&self) -> Vec<u64> {
        let mut list: Vec<u64> = (0..self.count).map(|at| self.base.wrapping_add(self.code(at))).collect();
        let (size, value_size) = self.sizes;
        for number in 0..self.behind {
            let place = uint_at(self.bytes, self.places + number * size, size) as usize;
            if let Some(found) = list.get_mut(place) {
                let value = uint_at(self.bytes, self.values + number * value_size, value_size);
                *found = self.base.wrapping_add(value);
            }
        }
        list
    }

    pub fn iter(self) -> impl Iterator<Item = u64> + 'a {
        (0..self.count).map(move |at| self.get(at))
    }

    /// The sum of the numbers up to this one, it included.
    pub fn sum(&self, at: usize) -> u64 {
        (0..=at.min(self.count)).fold(0, |sum: u64, at| sum.wrapping_add(self.get(at)))
    }
}

/// Writes ascending numbers by the way from each to the next.
pub(crate) fn write_steps(values: &[u64], steps: &mut Vec<u64>, out: &mut Vec<u8>) {
    steps.clear();
    let mut last = 0;
    steps.extend(values.iter().map(|&value| value.wrapping_sub(std::mem::replace(&mut last, value))));
    write(steps, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_number() -> impl Strategy<Value = u64> {
        prop_oneof![6 => 0u64..9, 2 => 0u64..3000, 1 => any::<u64>(), 1 => Just(u64::MAX)]
    }

    proptest! {
        #[test]
        fn every_number_of_a_column_comes_back(
            values in proptest::collection::vec(any_number(), 0..700), before in 0usize..3, behind in 0usize..20,
        ) {
            let mut bytes = vec![7; before];
            write(&values, &mut bytes);
            let end = bytes.len();
            bytes.extend(vec![0xff; behind]);
            let mut at = before;
            let column = Column::read(&bytes, &mut at, values.len()).unwrap();
            prop_assert_eq!(at, end);
            prop_assert_eq!(column.iter().collect::<Vec<_>>(), values.clone());
            prop_assert_eq!(column.all(), values.clone());
            prop_assert_eq!(column.get(values.len()), 0);
            for (from, limit) in [(0, 4), (values.len() / 2, 0), (values.len() / 3, 2999), (1, u64::MAX)] {
                for to in [values.len(), values.len() / 2] {
                    let first = (from..to).find(|&at| values[at] <= limit);
                    prop_assert_eq!(column.first_at_most(limit, from, to), first);
                }
            }
            if let Some(last) = values.len().checked_sub(1) {
                prop_assert_eq!(column.sum(last), values.iter().fold(0, |sum: u64, value| sum.wrapping_add(*value)));
            }
        }

        #[test]
        fn damaged_columns_never_panic(
            values in proptest::collection::vec(any_number(), 0..300),
            damage in proptest::collection::vec((any::<u16>(), any::<u8>()), 1..20),
            count in 0usize..2000,
        ) {
            let mut bytes = Vec::new();
            write(&values, &mut bytes);
            for (at, byte) in damage {
                let at = usize::from(at) % bytes.len();
                bytes[at] = byte;
            }
            if let Some(column) = Column::read(&bytes, &mut 0, count) {
                column.iter().for_each(drop);
            }
        }
    }

    #[test]
    fn what_has_all_bits_set_is_not_taken_for_short() {
        let mut values = vec![1; 250];
        values.extend([0, 0, 0, 0, 0, 0]);
        let mut bytes = Vec::new();
        write(&values, &mut bytes);
        assert!(bytes.len() < 256 / 8 + 10, "{}", bytes.len());
        values[3] = 9;
        bytes.clear();
        write(&values, &mut bytes);
        assert!(bytes.len() < 256 * 2 / 8 + 10, "{}", bytes.len());
    }

    #[test]
    fn most_numbers_take_the_bits_that_most_need() {
        let mut values = vec![5; 250];
        values.extend([6, 7, 1 << 40, 8, 5, 5]);
        let mut bytes = Vec::new();
        write(&values, &mut bytes);
        assert!(bytes.len() < 256 * 3 / 8 + 30, "{}", bytes.len());
    }
}
