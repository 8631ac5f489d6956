//! Lists of different lengths in one array, and texts in one string.

/// Row n is what stands between two neighbouring offsets.
#[derive(Clone, Debug, PartialEq)]
pub struct Lists<T> {
    pub offsets: Vec<u32>,
    pub items: Vec<T>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Lists { offsets: vec![0], items: Vec::new() }
    }
}

impl<T> Lists<T> {
    pub fn row(&self, at: u32) -> &[T] {
        let at = at as usize;
        match (self.offsets.get(at), self.offsets.get(at + 1)) {
            (Some(&from), Some(&to)) => self.items.get(from as usize..to as usize).unwrap_or(&[]),
            _ => &[],
        }
    }

    pub fn push(&mut self, row: impl IntoIterator<Item = T>) {
        self.items.extend(row);
        self.offsets.push(self.items.len() as u32);
    }

    /// From items sorted by the row they belong to.
    pub fn group(sorted: impl IntoIterator<Item = (u32, T)>, rows: usize) -> Lists<T> {
        let mut all = Lists::default();
        for (row, item) in sorted {
            while all.offsets.len() <= row as usize {
                all.offsets.push(all.items.len() as u32);
            }
            all.items.push(item);
        }
        while all.offsets.len() <= rows {
            all.offsets.push(all.items.len() as u32);
        }
        all
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texts {
    pub text: String,
    pub ends: Vec<u32>,
}

impl Texts {
    pub fn get(&self, at: u32) -> &str {
        let at = at as usize;
        let start = if at == 0 { 0 } else { self.ends.get(at - 1).copied().unwrap_or(0) };
        let end = self.ends.get(at).copied().unwrap_or(start);
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    pub fn push(&mut self, text: &str) -> u32 {
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
        self.ends.len() as u32 - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_items_are_empty() {
        let rows = Lists::group([(1, 'a'), (1, 'b'), (4, 'c')], 6);
        let all: Vec<&[char]> = (0..7).map(|n| rows.row(n)).collect();
        assert_eq!(all, [&[][..], &['a', 'b'], &[], &[], &['c'], &[], &[]]);
    }
}
