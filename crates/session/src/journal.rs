//! What was said, on disk before anything else happens: one line per entry, appended and synced. A line carries its
//! checksum, so what a crash or a bad disk left of one is noticed; nothing is ever taken out.
//!
//! ```text
//! inquest-answers 1
//! 5d41402a {"began":{...}}
//! 7d793037 {"judged":{...}}
//! ```

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::answer::{Author, Judged};
use crate::error::{Error, Result};

const HEADER: &str = "inquest-answers";
const VERSION: u32 = 1;

/// How a session was begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Began {
    /// The call that is the symptom, by its number.
    pub root: u64,
    /// The root is to be asked about too.
    pub ask_root: bool,
    /// Milliseconds since 1970.
    pub at: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Entry {
    /// A new session; what came before is history.
    Began(Began),
    Judged(Judged),
    Undo,
    Redo,
    /// Transformations off (true) or on again.
    Plain(bool),
    /// A rule of trust taken back.
    Distrust(String),
    /// The session came to its end.
    Ended(String),
}

pub struct Journal {
    path: PathBuf,
    file: Option<File>,
    entries: Vec<Entry>,
    /// Lines that cannot be read.
    damaged: usize,
    /// The file ends in the middle of a line.
    torn: bool,
}

impl Journal {
    /// Reads what there is; a file that is not there is an empty journal.
    pub fn open(path: &Path) -> Result<Journal> {
        let mut journal =
            Journal { path: path.to_owned(), file: None, entries: Vec::new(), damaged: 0, torn: false };
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(journal),
            Err(source) => return Err(Error::Journal { path: path.to_owned(), doing: "read", source }),
        };
        let text = String::from_utf8_lossy(&bytes);
        let mut lines = text.split_inclusive('\n');
        let Some(first) = lines.next() else { return Ok(journal) };
        match first.trim_end().strip_prefix(HEADER).map(str::trim).map(str::parse::<u32>) {
            Some(Ok(VERSION)) => {}
            Some(Ok(version)) => return Err(Error::JournalVersion { path: path.to_owned(), version }),
            _ => return Err(Error::NoJournal { path: path.to_owned() }),
        }
        journal.torn = !text.ends_with('\n');
        for line in lines {
            match decode(line) {
                Some(entry) => journal.entries.push(entry),
                None => journal.damaged += 1,
            }
        }
        Ok(journal)
    }

    /// Lines that could not be read.
    pub fn damaged(&self) -> usize {
        self.damaged
    }

    /// The entries of the last session, after what began it.
    pub fn session(&self) -> Option<(&Began, &[Entry])> {
        let at = self.entries.iter().rposition(|entry| matches!(entry, Entry::Began(_)))?;
        match &self.entries[at] {
            Entry::Began(began) => Some((began, &self.entries[at + 1..])),
            _ => None,
        }
    }

    /// Writes an entry; when this returns it is on the disk.
    pub fn append(&mut self, entry: Entry) -> Result<()> {
        let path = self.path.clone();
        let failed = |source| Error::Journal { path, doing: "write", source };
        self.write(&entry).map_err(failed)?;
        self.entries.push(entry);
        Ok(())
    }

    fn write(&mut self, entry: &Entry) -> io::Result<()> {
        if self.file.is_none() {
            let mut file = File::options().create(true).append(true).open(&self.path)?;
            if file.metadata()?.len() == 0 {
                writeln!(file, "{HEADER} {VERSION}")?;
            } else if self.torn {
                // Ends the line that was left unfinished, so that it spoils nothing but itself.
                writeln!(file)?;
                self.torn = false;
            }
            self.file = Some(file);
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        file.write_all(encode(entry).as_bytes())?;
        file.sync_data()
    }
}

fn encode(entry: &Entry) -> String {
    let json = serde_json::to_string(entry).unwrap_or_default();
    format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes()))
}

fn decode(line: &str) -> Option<Entry> {
    let (sum, json) = line.trim_end_matches('\n').split_once(' ')?;
    let sum = u32::from_str_radix(sum, 16).ok()?;
    (crc32fast::hash(json.as_bytes()) == sum).then(|| serde_json::from_str(json).ok())?
}

/// What holds at the end of a session's entries: the answers that were not undone, and those that could be redone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    pub answers: Vec<Judged>,
    pub undone: Vec<Judged>,
    pub plain: bool,
    /// Names of rules that were taken back.
    pub distrusted: Vec<String>,
    pub ended: Option<String>,
}

impl Standing {
    pub fn of(entries: &[Entry]) -> Standing {
        let mut standing = Standing::default();
        for entry in entries {
            standing.take(entry);
        }
        standing
    }

    pub fn take(&mut self, entry: &Entry) {
        self.ended = None;
        match entry {
            Entry::Began(_) => *self = Standing::default(),
            Entry::Judged(judged) => {
                self.answers.push(judged.clone());
                self.undone.clear();
            }
            Entry::Undo => self.undo(),
            Entry::Redo => self.redo(),
            Entry::Plain(plain) => self.plain = *plain,
            Entry::Distrust(name) => self.distrusted.push(name.clone()),
            Entry::Ended(verdict) => self.ended = Some(verdict.clone()),
        }
    }

    /// Takes back what a person said last, and what others answered after it: they would answer the same again.
    fn undo(&mut self) {
        let Some(last) = self.answers.iter().rposition(|judged| judged.by == Author::Person) else { return };
        self.undone.extend(self.answers.drain(last..).rev());
    }

    fn redo(&mut self) {
        self.answers.extend(self.undone.pop());
        while self.undone.last().is_some_and(|judged| judged.by != Author::Person) {
            self.answers.extend(self.undone.pop());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Answer;
    use crate::subject::Subject;

    fn judged(call: u64) -> Entry {
        let subject = Subject::Call { call };
        Entry::Judged(Judged { subject, answer: Answer::Correct, by: Author::Person, at: 7 })
    }

    fn began(root: u64) -> Entry {
        Entry::Began(Began { root, ask_root: false, at: 1 })
    }

    #[test]
    fn what_was_appended_is_there_after_opening_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("answers");
        let mut journal = Journal::open(&path).unwrap();
        assert!(journal.session().is_none());
        for entry in [began(1), judged(2), began(3), judged(4), Entry::Undo] {
            journal.append(entry).unwrap();
        }
        let again = Journal::open(&path).unwrap();
        let (first, entries) = again.session().unwrap();
        assert_eq!(first.root, 3);
        assert_eq!(entries, [judged(4), Entry::Undo]);
        assert_eq!(again.damaged(), 0);
    }

    #[test]
    fn a_journal_cut_at_any_byte_keeps_all_lines_before_and_can_be_continued() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("answers");
        let mut journal = Journal::open(&path).unwrap();
        for entry in [began(1), judged(2), judged(3)] {
            journal.append(entry).unwrap();
        }
        drop(journal);
        let whole = fs::read(&path).unwrap();
        let header = whole.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        for cut in header..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let mut journal = Journal::open(&path).unwrap();
            // A line is whole as soon as all of it is there but its end.
            let lines = whole[header..=cut].iter().filter(|&&byte| byte == b'\n').count();
            assert_eq!(journal.entries.len(), lines, "cut at {cut}");
            journal.append(judged(9)).unwrap();
            let again = Journal::open(&path).unwrap();
            assert_eq!(again.entries.len(), lines + 1, "cut at {cut}");
            assert_eq!(again.entries.last(), Some(&judged(9)));
        }
    }

    #[test]
    fn a_damaged_line_costs_only_itself() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("answers");
        let mut journal = Journal::open(&path).unwrap();
        for entry in [began(1), judged(2), judged(3)] {
            journal.append(entry).unwrap();
        }
        let text = fs::read_to_string(&path).unwrap().replacen("{\"call\":2}", "{\"call\":5}", 1);
        fs::write(&path, text).unwrap();
        let journal = Journal::open(&path).unwrap();
        assert_eq!(journal.damaged(), 1);
        assert_eq!(journal.session().unwrap().1, [judged(3)]);
    }

    #[test]
    fn other_files_and_versions_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("answers");
        fs::write(&path, "inquest-answers 99\n").unwrap();
        assert!(matches!(Journal::open(&path), Err(Error::JournalVersion { version: 99, .. })));
        fs::write(&path, "something else\n").unwrap();
        assert!(matches!(Journal::open(&path), Err(Error::NoJournal { .. })));
    }

    #[test]
    fn undo_and_redo_go_back_and_forth_and_a_new_answer_ends_redoing() {
        let answers = |entries: &[Entry]| Standing::of(entries).answers.len();
        assert_eq!(answers(&[judged(1), judged(2), Entry::Undo]), 1);
        assert_eq!(answers(&[judged(1), judged(2), Entry::Undo, Entry::Undo, Entry::Redo, Entry::Redo]), 2);
        let entries = [judged(1), Entry::Undo, judged(2), Entry::Redo];
        assert_eq!(Standing::of(&entries).answers.len(), 1);
        assert_eq!(answers(&[Entry::Undo]), 0);
        let rule = match judged(5) {
            Entry::Judged(judged) => Entry::Judged(Judged { by: Author::Rule, ..judged }),
            entry => entry,
        };
        assert_eq!(answers(&[judged(1), judged(2), rule.clone(), rule.clone(), Entry::Undo]), 1);
        assert_eq!(answers(&[judged(1), judged(2), rule.clone(), rule, Entry::Undo, Entry::Redo]), 4);
    }
}
