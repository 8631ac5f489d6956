//! The file, byte by byte (`docs/format.md`): reader and writer side by side. What is read was checked, and is believed no more
//! than its lengths allow.

use std::collections::BTreeMap;

use super::{TestedCall, TestedMethod, Testimony, Witness};
use crate::fingerprint::Fingerprint;

/// The last character is the version.
const MAGIC: &[u8; 8] = b"INQTSTM1";
const CHECK: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Something else, or of another version.
    Other,
    Damaged,
}

pub fn written(testimony: &Testimony) -> Vec<u8> {
    let mut out = Out(MAGIC.to_vec());
    out.count(testimony.witnesses.len());
    for witness in &testimony.witnesses {
        out.text(&witness.jvm);
        for number in [witness.tests, witness.calls, witness.looked_into, u64::from(witness.in_part)] {
            out.0.extend(number.to_le_bytes());
        }
    }
    let mut classes: BTreeMap<&str, Vec<(&TestedMethod, u32)>> = BTreeMap::new();
    for (method, &tests) in &testimony.methods {
        classes.entry(&method.owner).or_default().push((method, tests));
    }
    out.count(classes.len());
    for (owner, mut methods) in classes {
        methods.sort_unstable();
        out.text(owner);
        out.count(methods.len());
        for (method, tests) in methods {
            out.text(&method.name);
            out.text(&method.descriptor);
            out.0.extend(method.code.0.to_le_bytes());
            out.0.extend(tests.to_le_bytes());
        }
    }
    out.count(testimony.calls.len());
    for call in &testimony.calls {
        out.0.extend(call.course.to_le_bytes());
        out.0.extend(call.print.0.to_le_bytes());
    }
    let check = crc32fast::hash(&out.0);
    out.0.extend(check.to_le_bytes());
    out.0
}

pub fn read(bytes: &[u8]) -> Result<Testimony, Unfit> {
    if !bytes.starts_with(MAGIC) {
        // Of one that was cut off within them, too, nothing is left.
        return Err(if MAGIC.starts_with(bytes) { Unfit::Damaged } else { Unfit::Other });
    }
    let checked = bytes.split_last_chunk::<CHECK>().filter(|(body, check)| {
        body.len() >= MAGIC.len() && crc32fast::hash(body) == u32::from_le_bytes(**check)
    });
    let (body, _) = checked.ok_or(Unfit::Damaged)?;
    let mut from = In(&body[MAGIC.len()..]);
    let testimony = from.testimony().ok_or(Unfit::Damaged)?;
    if from.0.is_empty() { Ok(testimony) } else { Err(Unfit::Damaged) }
}

struct Out(Vec<u8>);

impl Out {
    fn count(&mut self, count: usize) {
        self.0.extend(u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.extend(text.as_bytes());
    }
}

/// What is left to read. Whatever ends too early is none.
struct In<'b>(&'b [u8]);

impl In<'_> {
    fn testimony(&mut self) -> Option<Testimony> {
        let mut testimony = Testimony::default();
        for _ in 0..self.u32()? {
            testimony.witnesses.push(Witness {
                jvm: self.text()?,
                tests: self.u64()?,
                calls: self.u64()?,
                looked_into: self.u64()?,
                in_part: self.u64()? != 0,
            });
        }
        for _ in 0..self.u32()? {
            let owner = self.text()?;
            for _ in 0..self.u32()? {
                let (name, descriptor) = (self.text()?, self.text()?);
                let (code, tests) = (self.print()?, self.u32()?);
                let method = TestedMethod { owner: owner.clone(), name, descriptor, code };
                testimony.methods.insert(method, tests);
            }
        }
        for _ in 0..self.u32()? {
            testimony.calls.push(TestedCall { course: self.u64()?, print: self.print()? });
        }
        testimony.calls.is_sorted().then_some(testimony)
    }

    fn taken<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    fn u32(&mut self) -> Option<u32> {
        self.taken().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.taken().map(u64::from_le_bytes)
    }

    fn print(&mut self) -> Option<Fingerprint> {
        self.taken().map(|bytes| Fingerprint(u128::from_le_bytes(bytes)))
    }

    fn text(&mut self) -> Option<String> {
        let length = self.u32()? as usize;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        std::str::from_utf8(text).ok().map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn testimony() -> Testimony {
        let method = |owner: &str, name: &str, code| TestedMethod {
            owner: owner.to_owned(),
            name: name.to_owned(),
            descriptor: "(I)V".to_owned(),
            code: Fingerprint(code),
        };
        let witness = |jvm: &str, in_part| Witness {
            jvm: jvm.to_owned(),
            tests: 12,
            calls: 3_000_000_000,
            looked_into: 7,
            in_part,
        };
        let call = |course, print| TestedCall { course, print: Fingerprint(print) };
        Testimony {
            witnesses: vec![witness("jvm-1", false), witness("jvm-22", true)],
            // Two JVMs with other code under one name.
            methods: [
                (method("a/Ä", "x", 1), 3),
                (method("a/Ä", "x", u128::MAX), 1),
                (method("b/B", "<init>", 5), 2_000_000_000),
            ]
            .into(),
            calls: vec![call(0, 9), call(7, 1), call(7, 2), call(u64::MAX, u128::MAX)],
        }
    }

    #[test]
    fn what_was_written_is_read() {
        for one in [Testimony::default(), testimony()] {
            assert_eq!(read(&written(&one)), Ok(one));
        }
    }

    #[test]
    fn what_is_cut_off_or_changed_anywhere_is_damaged() {
        let whole = written(&testimony());
        for end in 0..whole.len() {
            assert_eq!(read(&whole[..end]), Err(Unfit::Damaged), "{end}");
        }
        for at in MAGIC.len()..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert_eq!(read(&changed), Err(Unfit::Damaged), "{at}");
        }
    }

    #[test]
    fn another_version_and_other_files_are_told_from_damage() {
        let mut later = written(&testimony());
        later[MAGIC.len() - 1] = b'2';
        assert_eq!(read(&later), Err(Unfit::Other));
        assert_eq!(read(b"shopping list"), Err(Unfit::Other));
    }

    /// The sum is right, and what it is of ends too early, goes on, or is in no order.
    #[test]
    fn lengths_are_not_believed() {
        let whole = written(&testimony());
        let body = &whole[..whole.len() - CHECK];
        let checked = |body: &[u8]| [body, &crc32fast::hash(body).to_le_bytes()].concat();
        for end in MAGIC.len()..body.len() {
            assert_eq!(read(&checked(&body[..end])), Err(Unfit::Damaged), "{end}");
        }
        assert_eq!(read(&checked(&[body, b"x"].concat())), Err(Unfit::Damaged));
        let mut unsorted = body.to_vec();
        let last = unsorted.len() - 24;
        unsorted[last..].fill(0);
        assert_eq!(read(&checked(&unsorted)), Err(Unfit::Damaged));
    }
}
