//! Sets of abstract objects. Most have a few elements and are sorted lists; the few large ones are bitmaps, where union,
//! difference and type filter are one operation on each word.

/// Up to this many elements are a list. Merging lists is linear in them, and a bitmap takes some kilobytes.
const MAX_LIST: usize = 48;

/// The first elements stand in the set itself: two thirds of all sets need no memory of their own.
const INLINE: usize = 3;

// The box keeps a set at 24 bytes: there are two for each variable, and few are bitmaps.
#[allow(clippy::box_collection)]
#[derive(Clone, Debug)]
pub enum Set {
    Inline { len: u32, elements: [u32; INLINE] },
    List(Vec<u32>),
    Bits(Box<Vec<u64>>),
}

impl Default for Set {
    fn default() -> Self {
        Set::Inline { len: 0, elements: [0; INLINE] }
    }
}

impl Set {
    pub fn is_empty(&self) -> bool {
        matches!(self, Set::Inline { len: 0, .. })
    }

    /// The elements, if they are not bits.
    fn listed(&self) -> Result<&[u32], &[u64]> {
        match self {
            Set::Inline { len, elements } => Ok(&elements[..*len as usize]),
            Set::List(l) => Ok(l),
            Set::Bits(w) => Err(w),
        }
    }

    pub fn of(ascending: Vec<u32>) -> Set {
        if ascending.len() > INLINE {
            return Set::List(ascending);
        }
        let mut elements = [0; INLINE];
        elements[..ascending.len()].copy_from_slice(&ascending);
        Set::Inline { len: ascending.len() as u32, elements }
    }

    pub fn len(&self) -> usize {
        match self {
            Set::Inline { len, .. } => *len as usize,
            Set::List(l) => l.len(),
            Set::Bits(w) => w.iter().map(|w| w.count_ones() as usize).sum(),
        }
    }

    pub fn contains(&self, e: u32) -> bool {
        match self.listed() {
            Ok(l) => l.binary_search(&e).is_ok(),
            Err(w) => has(w, e),
        }
    }

    /// Is it new?
    pub fn insert(&mut self, e: u32) -> bool {
        match self {
            Set::Inline { len, elements } => {
                let n = *len as usize;
                let at = elements[..n].iter().position(|&x| x >= e).unwrap_or(n);
                if at < n && elements[at] == e {
                    return false;
                }
                if n < INLINE {
                    elements.copy_within(at..n, at + 1);
                    elements[at] = e;
                    *len += 1;
                } else {
                    let mut list = Vec::with_capacity(8);
                    list.extend_from_slice(&elements[..at]);
                    list.push(e);
                    list.extend_from_slice(&elements[at..]);
                    *self = Set::List(list);
                }
                true
            }
            Set::List(l) => {
                // Objects are often met in the order of their numbers.
                let at = if l.last().is_none_or(|&last| last < e) {
                    l.len()
                } else {
                    match l.binary_search(&e) {
                        Ok(_) => return false,
                        Err(at) => at,
                    }
                };
                if l.len() < MAX_LIST {
                    l.insert(at, e);
                } else {
                    let mut words = to_bits(l);
                    set(&mut words, e);
                    *self = Set::Bits(Box::new(words));
                }
                true
            }
            Set::Bits(w) => set(w, e),
        }
    }

    pub fn for_each(&self, mut f: impl FnMut(u32)) {
        match self.listed() {
            Ok(l) => l.iter().for_each(|&e| f(e)),
            Err(w) => {
                for (i, &word) in w.iter().enumerate() {
                    let mut word = word;
                    while word != 0 {
                        f(i as u32 * 64 + word.trailing_zeros());
                        word &= word - 1;
                    }
                }
            }
        }
    }

    pub fn to_vec(&self) -> Vec<u32> {
        let mut v = Vec::with_capacity(self.len());
        self.for_each(|e| v.push(e));
        v
    }

    /// Adds what of `from` passes the filter and is not here yet, also to `fresh`. Was there any?
    pub fn absorb(&mut self, from: &Set, filter: Option<&[u64]>, fresh: &mut Set) -> bool {
        match from.listed() {
            Ok(l) => {
                let mut any = false;
                for &e in l {
                    if filter.is_none_or(|f| has(f, e)) && self.insert(e) {
                        fresh.insert(e);
                        any = true;
                    }
                }
                any
            }
            Err(w) => self.absorb_bits(w, filter, fresh),
        }
    }

    fn absorb_bits(&mut self, from: &[u64], filter: Option<&[u64]>, fresh: &mut Set) -> bool {
        let len = filter.map_or(from.len(), |f| f.len().min(from.len()));
        let word = |i: usize| from[i] & filter.map_or(u64::MAX, |f| f[i]);
        if let Ok(l) = self.listed() {
            let room = MAX_LIST - l.len().min(MAX_LIST);
            let mut count = 0;
            for i in 0..len {
                count += word(i).count_ones() as usize;
                if count > room {
                    break;
                }
            }
            if count <= room {
                let mut any = false;
                for i in 0..len {
                    let mut w = word(i);
                    while w != 0 {
                        let e = i as u32 * 64 + w.trailing_zeros();
                        w &= w - 1;
                        if self.insert(e) {
                            fresh.insert(e);
                            any = true;
                        }
                    }
                }
                return any;
            }
            *self = Set::Bits(Box::new(to_bits(l)));
        }
        let Set::Bits(to) = self else { return false };
        if to.len() < len {
            to.resize(len, 0);
        }
        let mut any = false;
        for i in 0..len {
            let new = word(i) & !to[i];
            if new != 0 {
                any = true;
                to[i] |= new;
                fresh.insert_word(i, new, len);
            }
        }
        any
    }

    /// Adds a word of elements; `len` is how many words there may be in the end.
    fn insert_word(&mut self, at: usize, word: u64, len: usize) {
        if let Ok(l) = self.listed() {
            if l.len() + (word.count_ones() as usize) < MAX_LIST / 2 {
                let mut w = word;
                while w != 0 {
                    self.insert(at as u32 * 64 + w.trailing_zeros());
                    w &= w - 1;
                }
                return;
            }
            let mut words = to_bits(l);
            words.resize(words.len().max(len), 0);
            *self = Set::Bits(Box::new(words));
        }
        if let Set::Bits(words) = self {
            if words.len() <= at {
                words.resize(at + 1, 0);
            }
            words[at] |= word;
        }
    }

    /// The elements that are in `self` and not in `other`.
    pub fn minus(&self, other: &Set) -> Set {
        let mut out = Set::default();
        match (self, other) {
            (Set::Bits(a), Set::Bits(b)) => {
                for (i, &w) in a.iter().enumerate() {
                    let new = w & !b.get(i).copied().unwrap_or(0);
                    if new != 0 {
                        out.insert_word(i, new, a.len());
                    }
                }
            }
            _ => self.for_each(|e| {
                if !other.contains(e) {
                    out.insert(e);
                }
            }),
        }
        out
    }

    /// Equal for sets of the same elements, whatever their form.
    pub fn digest(&self) -> u64 {
        let mut sum = 0u64;
        self.for_each(|e| sum = sum.wrapping_add(crate::hash::of_number(e)));
        sum
    }

    /// Do both have the same elements?
    pub fn same(&self, other: &Set) -> bool {
        match (self, other) {
            (Set::Bits(a), Set::Bits(b)) => {
                let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
                short[..] == long[..short.len()] && long[short.len()..].iter().all(|&w| w == 0)
            }
            _ => match (self.listed(), other.listed()) {
                (Ok(a), Ok(b)) => a == b,
                _ => self.to_vec() == other.to_vec(),
            },
        }
    }

    pub fn intersect(&mut self, other: &Set) {
        match (&mut *self, other) {
            (Set::Bits(a), Set::Bits(b)) => {
                a.truncate(b.len());
                for (x, y) in a.iter_mut().zip(b.iter()) {
                    *x &= y;
                }
            }
            _ => {
                let kept = self.to_vec().into_iter().filter(|&e| other.contains(e)).collect();
                *self = Set::of(kept);
            }
        }
    }
}

pub fn has(words: &[u64], e: u32) -> bool {
    words.get(e as usize / 64).is_some_and(|w| w >> (e % 64) & 1 != 0)
}

/// Sets a bit. Was it clear?
pub fn set(words: &mut Vec<u64>, e: u32) -> bool {
    let at = e as usize / 64;
    if words.len() <= at {
        words.resize(at + 1, 0);
    }
    let old = words[at];
    words[at] |= 1 << (e % 64);
    old != words[at]
}

fn to_bits(list: &[u32]) -> Vec<u64> {
    let mut words = vec![0; list.last().map_or(0, |&e| e as usize / 64 + 1)];
    for &e in list {
        words[e as usize / 64] |= 1 << (e % 64);
    }
    words
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn of(elements: impl IntoIterator<Item = u32>) -> Set {
        let mut s = Set::default();
        for e in elements {
            s.insert(e);
        }
        s
    }

    #[test]
    fn a_set_is_small() {
        assert_eq!(size_of::<Set>(), 24);
    }

    #[test]
    fn lists_and_bitmaps_behave_like_sets() {
        // Small and large on each side, so that every pair of forms meets.
        let shapes: [Vec<u32>; 5] = [
            vec![],
            vec![3, 64, 1000],
            (0..200).map(|n| n * 7).collect(),
            (100..160).collect(),
            (0..3000).step_by(2).collect(),
        ];
        let filters: [Option<Vec<u32>>; 3] =
            [None, Some((0..4000).step_by(3).collect()), Some(vec![64, 150, 2998])];
        for a in &shapes {
            for b in &shapes {
                for f in &filters {
                    let words = f.as_ref().map(|f| to_bits(f));
                    let (mut to, mut fresh) = (of(a.clone()), of([7]));
                    let any = to.absorb(&of(b.clone()), words.as_deref(), &mut fresh);
                    let passed: BTreeSet<u32> =
                        b.iter().copied().filter(|e| f.as_ref().is_none_or(|f| f.contains(e))).collect();
                    let old: BTreeSet<u32> = a.iter().copied().collect();
                    let new: BTreeSet<u32> = passed.difference(&old).copied().collect();
                    assert_eq!(any, !new.is_empty());
                    assert_eq!(to.to_vec(), old.union(&passed).copied().collect::<Vec<_>>());
                    let mut expected = new.clone();
                    expected.insert(7);
                    assert_eq!(fresh.to_vec(), expected.into_iter().collect::<Vec<_>>());
                }
                let (sa, sb): (BTreeSet<u32>, BTreeSet<u32>) =
                    (a.iter().copied().collect(), b.iter().copied().collect());
                assert_eq!(
                    of(a.clone()).minus(&of(b.clone())).to_vec(),
                    sa.difference(&sb).copied().collect::<Vec<_>>()
                );
                let mut both = of(a.clone());
                both.intersect(&of(b.clone()));
                assert_eq!(both.to_vec(), sa.intersection(&sb).copied().collect::<Vec<_>>());
            }
        }
    }
}
