//! Every name and descriptor once, as a number: comparing and hashing them is most of what reading classes does.

use crate::hash;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(pub u32);

/// The texts one after the other, where each ends, and an open table from their hashes to their numbers.
pub struct Names {
    text: Vec<u8>,
    ends: Vec<u32>,
    table: Vec<u32>,
}

const FREE: u32 = u32::MAX;

impl Names {
    pub fn new() -> Names {
        Names { text: Vec::new(), ends: Vec::new(), table: vec![FREE; 1 << 16] }
    }

    pub fn get(&self, name: Name) -> &[u8] {
        let at = name.0 as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start as usize..self.ends[at] as usize]
    }

    pub fn text(&self, name: Name) -> String {
        String::from_utf8_lossy(self.get(name)).into_owned()
    }

    pub fn intern(&mut self, bytes: &[u8]) -> Name {
        let at = match self.slot(bytes) {
            Ok(name) => return name,
            Err(at) => at,
        };
        let name = Name(self.ends.len() as u32);
        self.text.extend_from_slice(bytes);
        self.ends.push(self.text.len() as u32);
        self.table[at] = name.0;
        if self.ends.len() * 2 > self.table.len() {
            self.grow();
        }
        name
    }

    /// The number of a text, or the free place in the table where it belongs.
    fn slot(&self, bytes: &[u8]) -> Result<Name, usize> {
        let mask = self.table.len() - 1;
        let mut at = hash::of_bytes(bytes) as usize & mask;
        loop {
            match self.table[at] {
                FREE => return Err(at),
                n if self.get(Name(n)) == bytes => return Ok(Name(n)),
                _ => at = (at + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        let mut table = vec![FREE; size];
        for n in 0..self.ends.len() as u32 {
            let mut at = hash::of_bytes(self.get(Name(n))) as usize & (size - 1);
            while table[at] != FREE {
                at = (at + 1) & (size - 1);
            }
            table[at] = n;
        }
        self.table = table;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_keeps_its_number_when_the_table_grows() {
        let mut names = Names::new();
        let texts: Vec<String> = (0..100_000).map(|n| format!("class{n}")).collect();
        let numbers: Vec<Name> = texts.iter().map(|t| names.intern(t.as_bytes())).collect();
        for (t, &n) in texts.iter().zip(&numbers) {
            assert_eq!((names.intern(t.as_bytes()), names.get(n)), (n, t.as_bytes()));
        }
    }
}
