//! What was said, on disk before anything else happens: one line per entry, appended and synced (but for what oracles say,
//! which can be asked again). A line carries its
//! checksum, so what a crash or a bad disk left of one is noticed; nothing is ever taken out.
//!
//! ```text
//! inquest-answers 1
//! 5d41402a {"began":{...}}
//! 7d793037 {"judged":{...}}
//! ```

use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::answer::{Author, Judged};
use crate::error::{Error, Result};
use crate::subject::Subject;

const HEADER: &str = "inquest-answers";
const VERSION: u32 = 1;

/// How a session was begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Began {
    /// The call that is the symptom, by its number.
    pub root: u64,
    /// The root is to be asked about too.
    pub ask_root: bool,
    /// The root is above all that was recorded, and that call is only the first.
    #[serde(default)]
    pub whole_run: bool,
    /// Milliseconds since 1970.
    pub at: u64,
}

/// One line of the journal. Names of variants and fields are the format: they do not change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JournalEntry {
    /// A new session; what came before is history.
    Began(Began),
    Judged(Judged),
    /// What was said about a subject does not hold any more, but this, if anything.
    Revised {
        subject: Subject,
        to: Option<Judged>,
    },
    Undo,
    Redo,
    /// What oracles called right is to be asked of a person: else the root itself would be blamed on their word.
    Doubted,
    /// Transformations off (true) or on again.
    Plain(bool),
    /// A rule of trust taken back.
    Distrust(String),
    /// Only a certain verdict counts from here on.
    Insisted,
    /// The session came to its end.
    Ended(String),
}

pub struct Journal {
    path: PathBuf,
    /// Held open, and locked: one session at a time, wherever the folder is moved meanwhile.
    file: File,
    entries: Vec<JournalEntry>,
    /// Lines that cannot be read.
    damaged: usize,
    /// The file ends in the middle of a line.
    torn: bool,
}

impl Journal {
    /// Reads what there is; a file that is not there is made. Refused while another session has it.
    pub fn open(path: &Path) -> Result<Journal> {
        let failed = |doing| move |source| Error::Journal { path: path.to_owned(), doing, source };
        let opened = File::options().create(true).read(true).append(true).open(path);
        // On a medium that cannot be written to, what was said can still be looked at.
        let mut file = opened.or_else(|error| File::open(path).map_err(|_| error)).map_err(failed("open"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::InUse { path: path.to_owned() }),
            // A file system without locks: then nobody is told.
            Err(TryLockError::Error(_)) => {}
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed("read"))?;
        let mut journal =
            Journal { path: path.to_owned(), file, entries: Vec::new(), damaged: 0, torn: false };
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
    pub fn session(&self) -> Option<(&Began, &[JournalEntry])> {
        let at = self.entries.iter().rposition(|entry| matches!(entry, JournalEntry::Began(_)))?;
        match &self.entries[at] {
            JournalEntry::Began(began) => Some((began, &self.entries[at + 1..])),
            _ => None,
        }
    }

    /// Writes entries. When this returns they are on the disk, unless they are oracles' answers: those can be had again, and
    /// there are thousands of them; they are there at the latest with what is said next. If it fails nothing was said.
    pub fn append(&mut self, entries: Vec<JournalEntry>) -> Result<()> {
        let again = |entry: &JournalEntry| matches!(entry, JournalEntry::Judged(judged) if judged.by.can_be_asked_again());
        self.say(&entries, !entries.iter().all(again))?;
        self.entries.extend(entries);
        Ok(())
    }

    fn say(&mut self, entries: &[impl Serialize], sync: bool) -> Result<()> {
        // Encoded before the file is touched: an entry that has no line leaves nothing.
        let lines: serde_json::Result<String> = entries.iter().map(encode).collect();
        let written = match lines {
            // Part of a line may be there if that fails.
            Ok(lines) => self.write(&lines, sync).inspect_err(|_| self.torn = true),
            Err(error) => Err(error.into()),
        };
        written.map_err(|source| Error::Journal { path: self.path.clone(), doing: "write", source })
    }

    fn write(&mut self, lines: &str, sync: bool) -> io::Result<()> {
        let mut text = String::new();
        if self.file.metadata()?.len() == 0 {
            text = format!("{HEADER} {VERSION}\n");
        } else if self.torn {
            // Ends the line that was left unfinished, so that it spoils nothing but itself.
            text.push('\n');
        }
        text.push_str(lines);
        self.file.write_all(text.as_bytes())?;
        if sync {
            self.file.sync_data()?;
        }
        self.torn = false;
        Ok(())
    }
}

fn encode(entry: &impl Serialize) -> serde_json::Result<String> {
    let json = serde_json::to_string(entry)?;
    Ok(format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes())))
}

fn decode(line: &str) -> Option<JournalEntry> {
    let (sum, json) = line.trim_end_matches('\n').split_once(' ')?;
    let sum = u32::from_str_radix(sum, 16).ok()?;
    (crc32fast::hash(json.as_bytes()) == sum).then(|| serde_json::from_str(json).ok())?
}

/// What holds at the end of a session's entries: the answers that were not undone, and those that could be redone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JournalState {
    pub answers: Vec<Judged>,
    /// What others said and a person said otherwise, with what the person said.
    pub overruled: Vec<(Judged, Judged)>,
    /// All that was said and not undone, what was revised included.
    said: Vec<Said>,
    undone: Vec<Said>,
    pub plain: bool,
    /// What oracles call right does not count.
    pub doubted: bool,
    /// Names of rules that were taken back.
    pub distrusted: Vec<String>,
    /// Only a certain verdict counts.
    pub insisted: bool,
    pub ended: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
enum Said {
    Judged(Judged),
    Revised { subject: Subject, to: Option<Judged> },
    Doubted,
}

impl Said {
    fn by_person(&self) -> bool {
        match self {
            Said::Judged(judged) => judged.by == Author::Person,
            Said::Revised { .. } => true,
            Said::Doubted => false,
        }
    }
}

impl JournalState {
    pub fn of(entries: &[JournalEntry]) -> JournalState {
        let mut state = JournalState::default();
        for entry in entries {
            state.apply(entry);
        }
        state
    }

    pub fn apply(&mut self, entry: &JournalEntry) {
        self.ended = None;
        match entry {
            JournalEntry::Began(_) => *self = JournalState::default(),
            JournalEntry::Judged(judged) => {
                self.say(Said::Judged(judged.clone()));
                self.undone.clear();
            }
            JournalEntry::Revised { subject, to } => {
                self.say(Said::Revised { subject: *subject, to: to.clone() });
                self.undone.clear();
            }
            JournalEntry::Doubted => self.say(Said::Doubted),
            JournalEntry::Undo => self.undo(),
            JournalEntry::Redo => self.redo(),
            JournalEntry::Plain(plain) => self.plain = *plain,
            JournalEntry::Distrust(name) => self.distrusted.push(name.clone()),
            JournalEntry::Insisted => self.insisted = true,
            JournalEntry::Ended(verdict) => self.ended = Some(verdict.clone()),
        }
    }

    /// Takes back what a person said last, and what others answered after it: they would answer the same again.
    fn undo(&mut self) {
        let Some(last) = self.said.iter().rposition(Said::by_person) else { return };
        self.undone.extend(self.said.drain(last..).rev());
        self.answers.clear();
        self.overruled.clear();
        self.doubted = false;
        for said in std::mem::take(&mut self.said) {
            self.say(said);
        }
    }

    fn redo(&mut self) {
        let Some(first) = self.undone.pop() else { return };
        self.say(first);
        while let Some(next) = self.undone.pop_if(|said| !said.by_person()) {
            self.say(next);
        }
    }

    fn say(&mut self, said: Said) {
        match &said {
            Said::Judged(judged) => {
                // Oracles overrule nobody, and may say thousands of things.
                if judged.by == Author::Person {
                    let against = |other: &mut Judged| other.is_overruled_by(judged);
                    let overruled = self.answers.extract_if(.., against).map(|other| (other, judged.clone()));
                    self.overruled.extend(overruled);
                }
                self.answers.push(judged.clone());
            }
            Said::Revised { subject, to } => {
                // It takes the place of what it replaces: the order is that of the questions.
                let at = self.answers.iter().position(|judged| judged.subject == *subject);
                self.answers.retain(|judged| judged.subject != *subject);
                self.overruled.retain(|(judged, _)| judged.subject != *subject);
                if let Some(judged) = to {
                    self.answers.insert(at.unwrap_or(self.answers.len()), judged.clone());
                }
            }
            Said::Doubted => {
                self.doubted = true;
                self.answers.retain(|judged| !judged.is_oracles_right());
            }
        }
        self.said.push(said);
    }

    pub fn can_undo(&self) -> bool {
        self.said.iter().any(Said::by_person)
    }

    pub fn can_redo(&self) -> bool {
        !self.undone.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::answer::Answer;

    fn judged(call: u64) -> JournalEntry {
        let subject = Subject::Call { call };
        JournalEntry::Judged(Judged {
            subject,
            answer: Answer::Correct,
            by: Author::Person,
            at: 7,
            took: None,
        })
    }

    fn began(root: u64) -> JournalEntry {
        JournalEntry::Began(Began { root, ask_root: false, whole_run: false, at: 1 })
    }

    #[test]
    fn what_was_appended_is_there_after_opening_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("answers");
        let mut journal = Journal::open(&path).unwrap();
        assert!(journal.session().is_none());
        for entry in [began(1), judged(2), began(3), judged(4), JournalEntry::Undo] {
            journal.append(vec![entry]).unwrap();
        }
        drop(journal);
        let again = Journal::open(&path).unwrap();
        let (first, entries) = again.session().unwrap();
        assert_eq!(first.root, 3);
        assert_eq!(entries, [judged(4), JournalEntry::Undo]);
        assert_eq!(again.damaged(), 0);
    }

    #[test]
    fn a_journal_cut_at_any_byte_keeps_all_lines_before_and_can_be_continued() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("answers");
        let mut journal = Journal::open(&path).unwrap();
        for entry in [began(1), judged(2), judged(3)] {
            journal.append(vec![entry]).unwrap();
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
            journal.append(vec![judged(9)]).unwrap();
            drop(journal);
            let again = Journal::open(&path).unwrap();
            assert_eq!(again.entries.len(), lines + 1, "cut at {cut}");
            assert_eq!(again.entries.last(), Some(&judged(9)));
        }
    }

    #[test]
    fn an_answer_without_a_time_is_read_as_well() {
        let line =
            r#"713146b4 {"judged":{"subject":{"call":{"call":2}},"answer":"correct","by":"person","at":7}}"#;
        assert_eq!(decode(line), Some(judged(2)));
        let JournalEntry::Judged(mut timed) = judged(2) else { panic!() };
        timed.took = Some(1_500);
        let timed = JournalEntry::Judged(timed);
        assert_eq!(decode(&encode(&timed).unwrap()), Some(timed));
    }

    #[test]
    fn a_damaged_line_costs_only_itself() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("answers");
        let mut journal = Journal::open(&path).unwrap();
        for entry in [began(1), judged(2), judged(3)] {
            journal.append(vec![entry]).unwrap();
        }
        drop(journal);
        let text = fs::read_to_string(&path).unwrap().replacen("{\"call\":2}", "{\"call\":5}", 1);
        fs::write(&path, text).unwrap();
        let journal = Journal::open(&path).unwrap();
        assert_eq!(journal.damaged(), 1);
        assert_eq!(journal.session().unwrap().1, [judged(3)]);
    }

    #[test]
    fn an_answer_that_is_revised_takes_its_place_and_comes_back_when_that_is_undone() {
        let subject = Subject::Call { call: 1 };
        let to =
            Some(Judged { subject, answer: Answer::wrong(), by: Author::Person, at: 9, took: Some(1_500) });
        let said = |entries: &[JournalEntry]| -> Vec<(Subject, bool)> {
            let answers = JournalState::of(entries).answers;
            answers.iter().map(|judged| (judged.subject, judged.answer == Answer::Correct)).collect()
        };
        let other = (Subject::Call { call: 2 }, true);
        let (right, wrong) = ((subject, true), (subject, false));
        let revised = [judged(1), judged(2), JournalEntry::Revised { subject, to }];
        assert_eq!(said(&revised), [wrong, other]);
        let [first, second, third] = revised;
        let undone = [first, second, third, JournalEntry::Undo];
        assert_eq!(said(&undone), [right, other]);
        let redone = [undone.as_slice(), &[JournalEntry::Redo]].concat();
        assert_eq!(said(&redone), [wrong, other]);
        let withdrawn = [undone.as_slice(), &[JournalEntry::Revised { subject, to: None }]].concat();
        assert_eq!(said(&withdrawn), [other]);
    }

    #[test]
    fn a_person_overrules_others_about_the_same_and_undo_brings_their_answer_back() {
        let subject = Subject::Call { call: 1 };
        let said = |answer: Answer, by: Author| {
            JournalEntry::Judged(Judged { subject, answer, by, at: 7, took: None })
        };
        let reference = || Author::Reference("good".to_owned());
        let entries = [said(Answer::wrong(), reference()), judged(2), said(Answer::Correct, Author::Person)];
        let state = JournalState::of(&entries);
        assert_eq!(state.answers.len(), 2);
        assert!(state.answers.iter().all(|judged| judged.answer == Answer::Correct));
        let [(one, other)] = &state.overruled[..] else { panic!("{:?}", state.overruled) };
        assert_eq!((&one.by, &other.by), (&reference(), &Author::Person));
        let undone = JournalState::of(&[entries.as_slice(), &[JournalEntry::Undo]].concat());
        assert_eq!((undone.answers.len(), undone.overruled.len()), (2, 0));
        assert_eq!(undone.answers[0].by, reference());
        // Who says the same confirms it.
        let agreed = [said(Answer::wrong(), reference()), said(Answer::wrong(), Author::Person)];
        assert_eq!(JournalState::of(&agreed).answers.len(), 2);
        let withdrawn = [entries.as_slice(), &[JournalEntry::Revised { subject, to: None }]].concat();
        assert!(JournalState::of(&withdrawn).overruled.is_empty());
    }

    #[test]
    fn several_entries_are_written_as_one_after_the_other() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("answers");
        let mut journal = Journal::open(&path).unwrap();
        journal.append(vec![began(1), judged(2), judged(3)]).unwrap();
        drop(journal);
        assert_eq!(Journal::open(&path).unwrap().session().unwrap().1, [judged(2), judged(3)]);
    }

    #[test]
    fn one_session_at_a_time_also_when_the_folder_is_moved() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("answers");
        let mut journal = Journal::open(&path).unwrap();
        assert!(matches!(Journal::open(&path), Err(Error::InUse { .. })));
        let moved = dir.path().join("moved");
        fs::rename(&path, &moved).unwrap();
        journal.append(vec![began(1)]).unwrap();
        assert!(matches!(Journal::open(&moved), Err(Error::InUse { .. })));
        drop(journal);
        assert_eq!(Journal::open(&moved).unwrap().session().unwrap().0.root, 1);
    }

    #[test]
    fn an_entry_that_could_not_be_written_was_not_said_and_spoils_nothing_after_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("answers");
        let mut journal = Journal::open(&path).unwrap();
        journal.append(vec![began(1)]).unwrap();
        let good = std::mem::replace(&mut journal.file, File::open("/dev/null").unwrap());
        assert!(matches!(journal.append(vec![judged(2)]), Err(Error::Journal { doing: "write", .. })));
        assert_eq!(journal.entries.len(), 1);
        journal.file = good;
        // What a full disk lets through is a part of the line.
        journal.file.write_all(b"5d41402a {\"jud").unwrap();
        journal.append(vec![judged(3)]).unwrap();
        drop(journal);
        let again = Journal::open(&path).unwrap();
        assert_eq!(again.session().unwrap().1, [judged(3)]);
        assert_eq!(again.damaged(), 1);
    }

    #[test]
    fn an_entry_that_cannot_be_encoded_is_an_error_and_leaves_no_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("answers");
        let mut journal = Journal::open(&path).unwrap();
        journal.append(vec![began(1)]).unwrap();
        let before = fs::read(&path).unwrap();
        // JSON has no keys that are lists.
        let unspeakable = std::collections::HashMap::from([(vec![1], 1)]);
        assert!(matches!(journal.say(&[unspeakable], true), Err(Error::Journal { doing: "write", .. })));
        assert_eq!(fs::read(&path).unwrap(), before);
        journal.append(vec![judged(2)]).unwrap();
        drop(journal);
        let again = Journal::open(&path).unwrap();
        assert_eq!((again.session().unwrap().1, again.damaged()), (&[judged(2)][..], 0));
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
        let answers = |entries: &[JournalEntry]| JournalState::of(entries).answers.len();
        assert_eq!(answers(&[judged(1), judged(2), JournalEntry::Undo]), 1);
        assert_eq!(
            answers(&[
                judged(1),
                judged(2),
                JournalEntry::Undo,
                JournalEntry::Undo,
                JournalEntry::Redo,
                JournalEntry::Redo
            ]),
            2
        );
        let entries = [judged(1), JournalEntry::Undo, judged(2), JournalEntry::Redo];
        assert_eq!(JournalState::of(&entries).answers.len(), 1);
        assert_eq!(answers(&[JournalEntry::Undo]), 0);
        let rule = match judged(5) {
            JournalEntry::Judged(judged) => JournalEntry::Judged(Judged { by: Author::Rule, ..judged }),
            entry => entry,
        };
        assert_eq!(answers(&[judged(1), judged(2), rule.clone(), rule.clone(), JournalEntry::Undo]), 1);
        assert_eq!(
            answers(&[judged(1), judged(2), rule.clone(), rule, JournalEntry::Undo, JournalEntry::Redo]),
            4
        );
    }
}
