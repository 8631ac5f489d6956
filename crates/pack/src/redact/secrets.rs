//! What was found to be secret: texts, and the objects and strings of the recording that hold them.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use trace::{ObjectId, StringId};

use super::needles::Needles;
use super::rules::Rules;

/// Shorter texts are everywhere: they are taken out where rules name them, and not looked for elsewhere.
pub const SHORTEST: usize = 4;
/// A long secret is also looked for by its blocks of so many bytes: where only a part of it is at hand, as where it is read
/// character by character.
const BLOCK: usize = 64;
/// A line of a secret of several lines is a secret, if it has so many characters.
const LINE: usize = 8;

#[derive(Debug, Default)]
pub struct Secrets {
    /// Looked for everywhere.
    pub texts: BTreeSet<String>,
    /// Taken out where they are this very string: too short to be looked for, or kept elsewhere.
    pub strings: HashSet<StringId>,
    /// Arrays of primitives that hold one.
    pub arrays: HashSet<ObjectId>,
    /// Those of them that are one: all that they ever hold is secret.
    pub marked: HashSet<ObjectId>,
    /// Objects whose texts are secret.
    pub objects: HashSet<ObjectId>,
    /// Code that handles secrets in a way in which they cannot be taken out, and how.
    pub refused: BTreeMap<String, BTreeSet<String>>,
    pub needles: Needles,
    /// How many texts `needles` was made of, and the characters that they end with.
    known: usize,
    ends: HashSet<char>,
    /// Names in the code, if what is part of one is no secret.
    kept: BTreeSet<String>,
}

impl Secrets {
    /// What is part of a name in `kept` is none.
    pub fn new(kept: BTreeSet<String>) -> Secrets {
        Secrets { kept, ..Secrets::default() }
    }

    pub fn add_text(&mut self, rules: &Rules, text: &str) {
        let text = text.trim();
        let lines = text.lines().map(str::trim).filter(|line| line.chars().count() >= LINE);
        let whole = Some(text).filter(|text| text.chars().count() >= SHORTEST);
        for text in lines.chain(whole).chain(blocks(text)) {
            let is_kept = || rules.keep.contains(text) || self.kept.iter().any(|name| name.contains(text));
            if !self.texts.contains(text) && !is_kept() {
                self.texts.insert(text.to_owned());
            }
        }
    }

    /// How much is known; it only grows.
    pub fn size(&self) -> (usize, usize, usize, usize) {
        (self.texts.len(), self.strings.len(), self.arrays.len() + self.marked.len(), self.objects.len())
    }

    /// Makes all texts so far be looked for.
    pub fn sharpen(&mut self) {
        if self.known != self.texts.len() || self.known == 0 {
            self.known = self.texts.len();
            self.needles = Needles::new(self.texts.iter().map(String::as_str));
            self.ends = self.texts.iter().filter_map(|text| text.chars().next_back()).collect();
        }
    }

    /// Is the end of what was written one character after the other a secret?
    pub fn ends(&self, written: &str) -> bool {
        written.chars().next_back().is_some_and(|last| self.ends.contains(&last))
            && self.texts.iter().any(|text| written.ends_with(text.as_str()))
    }

    pub fn refuse(&mut self, how: &str, place: String) {
        self.refused.entry(how.to_owned()).or_default().insert(place);
    }
}

fn blocks(text: &str) -> impl Iterator<Item = &str> {
    let is_long = text.len() > 2 * BLOCK;
    let starts = (0..text.len() / BLOCK).filter(move |_| is_long).map(|number| number * BLOCK);
    starts.filter_map(|at| text.get(at..at + BLOCK)).map(str::trim).filter(|block| block.len() >= LINE)
}
