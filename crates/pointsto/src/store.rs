//! Keeps class files that were made on the way (unpacked from a jar) in place as long as the analysis runs, so that
//! constant pools can borrow from them.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};

type Row = Box<[OnceCell<Vec<u8>>]>;

/// Rows of cells, each twice as long as the one before; a filled cell never moves.
#[derive(Default)]
pub struct Store {
    rows: [OnceCell<Row>; 32],
    used: Cell<usize>,
}

impl Store {
    pub fn keep<'s>(&'s self, bytes: Cow<'s, [u8]>) -> &'s [u8] {
        let owned = match bytes {
            Cow::Borrowed(b) => return b,
            Cow::Owned(b) => b,
        };
        let at = self.used.get() + 1;
        self.used.set(at);
        let row = at.ilog2() as usize;
        let cells = self.rows[row].get_or_init(|| (0..1usize << row).map(|_| OnceCell::new()).collect());
        cells[at - (1 << row)].get_or_init(|| owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_stays_as_it_is() {
        let store = Store::default();
        let kept: Vec<&[u8]> =
            (0..1000u32).map(|n| store.keep(Cow::Owned(n.to_le_bytes().to_vec()))).collect();
        for (n, bytes) in kept.iter().enumerate() {
            assert_eq!(*bytes, (n as u32).to_le_bytes());
        }
    }
}
