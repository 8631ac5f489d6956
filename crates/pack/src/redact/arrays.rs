//! Contents of arrays of primitives as they were last, as far as the recording shows them: a secret may come in pieces,
//! or element by element.

use std::collections::HashMap;

use trace::ObjectId;

/// So many bytes on each side of a write are looked at; a secret that is longer is found as a whole, when it is seen.
const AROUND: usize = 512;

#[derive(Debug, Default)]
pub struct Arrays {
    of: HashMap<ObjectId, Vec<u16>>,
}

impl Arrays {
    /// Elements from an index on; gives the whole as far as it is known.
    pub fn put(&mut self, array: ObjectId, from: usize, units: &[u16]) -> &[u16] {
        let known = self.of.entry(array).or_default();
        if known.len() < from + units.len() {
            known.resize(from + units.len(), 0);
        }
        known[from..from + units.len()].copy_from_slice(units);
        known
    }

    /// One element; gives what is around it.
    pub fn put_one(&mut self, array: ObjectId, at: usize, unit: u16) -> &[u16] {
        let known = self.put(array, at, &[unit]);
        &known[at.saturating_sub(AROUND)..known.len().min(at + AROUND)]
    }

    /// A copy of elements; gives the target as far as it is known.
    pub fn copy(
        &mut self,
        (from, at): (ObjectId, usize),
        (to, into): (ObjectId, usize),
        length: usize,
    ) -> &[u16] {
        let known = self.of.get(&from).map_or(&[][..], Vec::as_slice);
        let part = known.get(at..).unwrap_or_default();
        let part = part[..part.len().min(length)].to_vec();
        self.put(to, into, &part)
    }

    pub fn known(&self, array: ObjectId) -> &[u16] {
        self.of.get(&array).map_or(&[], Vec::as_slice)
    }
}

/// Elements as characters, or as the bytes of some: what is no character is none.
pub fn units(kind: u8, data: &[u8]) -> Option<Vec<u16>> {
    let wide = |bytes: &[u8]| u16::from_le_bytes([bytes[0], bytes[1]]);
    Some(match kind {
        b'B' => data.iter().map(|&byte| u16::from(byte)).collect(),
        b'C' | b'S' => data.chunks_exact(2).map(wide).collect(),
        b'I' => data
            .chunks_exact(4)
            .map(|bytes| if bytes[2..] == [0, 0] { wide(bytes) } else { u16::MAX })
            .collect(),
        _ => return None,
    })
}

/// The bytes in which a text is looked for: as characters, and, if all are bytes, as such.
pub fn spellings(units: &[u16]) -> [Vec<u8>; 2] {
    let wide = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let narrow = units.iter().all(|&unit| unit < 0x100);
    [wide, if narrow { units.iter().map(|&unit| unit as u8).collect() } else { Vec::new() }]
}

/// The text that is meant by an array's elements: UTF-8 if it is that, otherwise a character each.
pub fn text(units: &[u16]) -> String {
    let bytes: Vec<u8> = units.iter().filter_map(|&unit| u8::try_from(unit).ok()).collect();
    match std::str::from_utf8(&bytes) {
        Ok(text) if bytes.len() == units.len() => text.trim_matches('\0').to_owned(),
        _ => trace::text::from_units(units).trim_matches('\0').to_owned(),
    }
}
