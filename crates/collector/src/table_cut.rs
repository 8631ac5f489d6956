//! Where the table stream's last whole record ends. Its records cross chunks, and its last chunk, taken from a dead
//! JVM, does not say how much of it is valid: the only way to know is to follow the records from the start.

const HEADER: usize = 5;

/// Follows the table stream's bytes, chunk by chunk.
#[derive(Debug, Default, Clone)]
pub(crate) struct TableCut {
    /// Bytes of the current record's header that were seen.
    header: [u8; HEADER],
    seen: usize,
    /// Bytes of the current record's payload still to come.
    left: usize,
}

impl TableCut {
    /// Goes past `bytes`, and says how many of them end a whole record. Stops at a record of kind 0: there is none,
    /// so this is where writing had come to.
    pub fn follow(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        let mut whole = 0;
        while at < bytes.len() {
            if self.left == 0 && self.seen == 0 && bytes[at] == 0 {
                break;
            }
            if self.seen < HEADER {
                self.header[self.seen] = bytes[at];
                self.seen += 1;
                at += 1;
                if self.seen < HEADER {
                    continue;
                }
                let [_, length @ ..] = self.header;
                self.left = u32::from_le_bytes(length) as usize;
            }
            let step = self.left.min(bytes.len() - at);
            at += step;
            self.left -= step;
            if self.left == 0 {
                self.seen = 0;
                whole = at;
            }
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u8, payload: &[u8]) -> Vec<u8> {
        let mut bytes = vec![kind];
        bytes.extend((payload.len() as u32).to_le_bytes());
        bytes.extend(payload);
        bytes
    }

    #[test]
    fn trailing_zeros_belong_to_a_record_but_padding_does_not() {
        let mut bytes = record(1, &[7, 0, 0, 0]);
        let whole = bytes.len();
        bytes.resize(100, 0);
        assert_eq!(TableCut::default().follow(&bytes), whole);
    }

    #[test]
    fn every_way_to_split_records_over_chunks_gives_the_same_end() {
        let mut bytes = [record(1, b"first"), record(2, b""), record(3, &[0; 9])].concat();
        let whole = bytes.len();
        bytes.extend([3, 200, 0, 0, 0, 1, 2]);
        for split in 0..=bytes.len() {
            let mut cut = TableCut::default();
            let first = cut.follow(&bytes[..split]);
            let second = cut.follow(&bytes[split..]);
            let end = if second > 0 { split + second } else { first };
            assert_eq!(end, whole, "split at {split}");
        }
    }
}
