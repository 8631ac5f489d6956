//! The solution as bytes: a head with version, key, length and checksum, then the tables as numbers of variable length.
//! Writer and reader stand side by side, section by section. What does not fit is no solution, never a wrong one.

use crate::given::Given;
use crate::lists::{Lists, Texts};
use crate::set::Set;
use crate::solution::{MethodNo, MethodRow, ObjectNo, ObjectRow, Solution, UsedRow};

const MAGIC: &[u8; 8] = b"inqpts\x00\x01";
const HEAD: usize = 8 + 32 + 8 + 4;

impl Solution {
    /// As bytes that can be kept under a key.
    pub fn encode(&self, key: &[u8; 32]) -> Vec<u8> {
        let mut out = Out(Vec::new());
        out.solution(self);
        let mut kept = Vec::with_capacity(HEAD + out.0.len());
        kept.extend_from_slice(MAGIC);
        kept.extend_from_slice(key);
        kept.extend_from_slice(&(out.0.len() as u64).to_le_bytes());
        kept.extend_from_slice(&crc32fast::hash(&out.0).to_le_bytes());
        kept.extend_from_slice(&out.0);
        kept
    }

    /// What was kept under this key; none if it is something else, or damaged.
    pub fn decode(kept: &[u8], key: &[u8; 32]) -> Option<Solution> {
        let (head, content) = kept.split_at_checked(HEAD)?;
        let length = u64::from_le_bytes(head[40..48].try_into().ok()?);
        let sum = u32::from_le_bytes(head[48..52].try_into().ok()?);
        let fits = &head[..8] == MAGIC
            && &head[8..40] == key
            && length == content.len() as u64
            && crc32fast::hash(content) == sum;
        if !fits {
            return None;
        }
        let mut input = In { bytes: content, at: 0 };
        let solution = input.solution()?;
        (input.at == content.len()).then_some(solution)
    }
}

struct Out(Vec<u8>);

struct In<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Out {
    fn number(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.0.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.0.push(n as u8);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.number(items.len() as u64);
        for i in items {
            write(self, i);
        }
    }

    /// Ascending numbers, as differences.
    fn ascending(&mut self, items: impl ExactSizeIterator<Item = u32>) {
        self.number(items.len() as u64);
        let mut last = 0;
        for n in items {
            self.number(u64::from(n.wrapping_sub(last)));
            last = n;
        }
    }

    fn rows<T>(&mut self, rows: &Lists<T>, write: impl FnMut(&mut Self, &T)) {
        self.ascending(rows.offsets.iter().copied());
        self.list(&rows.items, write);
    }

    fn set(&mut self, set: &Set) {
        match set {
            Set::Inline { .. } | Set::List(_) => {
                self.number(0);
                self.ascending(set.to_vec().into_iter());
            }
            Set::Bits(words) => {
                self.number(1);
                self.number(words.len() as u64);
                for w in words.iter() {
                    self.0.extend_from_slice(&w.to_le_bytes());
                }
            }
        }
    }

    fn solution(&mut self, s: &Solution) {
        self.text(&s.texts.text);
        self.ascending(s.texts.ends.iter().copied());
        self.list(&s.classes, |o, &n| o.number(n.into()));
        self.rows(&s.supers, |o, &n| o.number(n.into()));
        self.list(&s.methods, |o, m| {
            for n in [m.class, m.name, m.descriptor, m.program as u32 | (m.reached as u32) << 1] {
                o.number(n.into());
            }
        });
        self.list(&s.objects, |o, x| {
            for n in [x.class, x.method.wrapping_add(1), x.bci as u32] {
                o.number(n.into());
            }
        });
        self.list(&s.created, |o, c| {
            for n in [c.0.0, c.1 as u32, c.2.0] {
                o.number(n.into());
            }
        });
        self.list(&s.sets, Out::set);
        self.rows(&s.used, |o, u| {
            o.number(u.bci.into());
            o.number((u.operand as u64) << 1 | u.written as u64);
            o.number(u.set.into());
        });
        self.rows(&s.parameters, |o, &n| o.number(n.into()));
        self.rows(&s.results, |o, r| {
            o.number(r.0.into());
            o.number(r.1.into());
        });
        self.rows(&s.given, |o, g| {
            o.number(g.bci.into());
            o.number(g.operand.into());
            o.number(g.from.into());
        });
        self.rows(&s.calls, |o, c| {
            o.number(c.0.into());
            o.number(c.1.into());
            o.number((c.2 - c.1).into());
        });
        self.list(&s.callees, |o, m| o.number(m.0.into()));
        self.rows(&s.callers, |o, c| {
            o.number(c.0.0.into());
            o.number(c.1.into());
        });
        self.rows(&s.contents, |o, c| {
            o.number(c.0.wrapping_add(1).into());
            o.number(c.1.into());
        });
        self.list(&s.left_out, |o, l| {
            o.text(&l.0);
            o.text(&l.1);
        });
    }
}

impl In<'_> {
    fn number(&mut self) -> Option<u64> {
        let mut n = 0;
        for shift in (0..64).step_by(7) {
            let b = *self.bytes.get(self.at)?;
            self.at += 1;
            n |= u64::from(b & 0x7f) << shift;
            if b < 0x80 {
                return Some(n);
            }
        }
        None
    }

    fn n32(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    fn n16(&mut self) -> Option<u16> {
        self.number()?.try_into().ok()
    }

    /// A length; every item takes at least a byte, so that a damaged one asks for no more memory than the file has.
    fn length(&mut self) -> Option<usize> {
        let n = usize::try_from(self.number()?).ok()?;
        (n <= self.bytes.len() - self.at).then_some(n)
    }

    fn text(&mut self) -> Option<String> {
        let n = self.length()?;
        let bytes = self.bytes.get(self.at..self.at + n)?;
        self.at += n;
        String::from_utf8(bytes.to_vec()).ok()
    }

    fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let n = self.length()?;
        let mut items = Vec::with_capacity(n);
        for _ in 0..n {
            items.push(read(self)?);
        }
        Some(items)
    }

    fn ascending(&mut self) -> Option<Vec<u32>> {
        let mut last = 0u32;
        self.list(|i| {
            last = last.wrapping_add(i.n32()?);
            Some(last)
        })
    }

    fn rows<T>(&mut self, read: impl FnMut(&mut Self) -> Option<T>) -> Option<Lists<T>> {
        Some(Lists { offsets: self.ascending()?, items: self.list(read)? })
    }

    fn set(&mut self) -> Option<Set> {
        if self.number()? == 0 {
            return self.ascending().map(Set::of);
        }
        let n = self.length()?;
        let bytes = self.bytes.get(self.at..self.at + 8 * n)?;
        self.at += 8 * n;
        let words = bytes.chunks_exact(8).map(|c| u64::from_le_bytes(c.try_into().unwrap_or_default()));
        Some(Set::Bits(Box::new(words.collect())))
    }

    fn solution(&mut self) -> Option<Solution> {
        Some(Solution {
            texts: Texts { text: self.text()?, ends: self.ascending()? },
            classes: self.list(In::n32)?,
            supers: self.rows(In::n32)?,
            methods: self.list(|i| {
                let (class, name, descriptor, flags) = (i.n32()?, i.n32()?, i.n32()?, i.number()?);
                Some(MethodRow { class, name, descriptor, program: flags & 1 != 0, reached: flags & 2 != 0 })
            })?,
            objects: self.list(|i| {
                Some(ObjectRow { class: i.n32()?, method: i.n32()?.wrapping_sub(1), bci: i.n16()? })
            })?,
            created: self.list(|i| Some((MethodNo(i.n32()?), i.n16()?, ObjectNo(i.n32()?))))?,
            sets: self.list(In::set)?,
            used: self.rows(|i| {
                let (bci, operand, set) = (i.n16()?, i.n16()?, i.n32()?);
                Some(UsedRow { bci, operand: (operand >> 1) as u8, written: operand & 1 != 0, set })
            })?,
            parameters: self.rows(In::n32)?,
            results: self.rows(|i| Some((i.n16()?, i.n32()?)))?,
            given: self.rows(|i| {
                Some(Given { bci: i.n16()?, operand: i.number()?.try_into().ok()?, from: i.n16()? })
            })?,
            calls: self.rows(|i| {
                let (bci, from, count) = (i.n16()?, i.n32()?, i.n32()?);
                Some((bci, from, from.checked_add(count)?))
            })?,
            callees: self.list(|i| i.n32().map(MethodNo))?,
            callers: self.rows(|i| Some((MethodNo(i.n32()?), i.n16()?)))?,
            contents: self.rows(|i| Some((i.n32()?.wrapping_sub(1), i.n32()?)))?,
            left_out: self.list(|i| Some((i.text()?, i.text()?)))?,
            effects: Default::default(),
            by_name: Default::default(),
            program_classes: Default::default(),
        })
    }
}
