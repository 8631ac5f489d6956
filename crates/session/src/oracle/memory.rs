//! Answers that outlive a session. A person's answer about a call holds wherever the same code is asked the same and
//! answers the same, so it is kept by these three fingerprints and survives edits elsewhere in the program.
//!
//! The file is lines of text: the first names the version, every other one is a checksum and an answer. Lines are only
//! ever added, each is on disk before `remember` returns, and the last one about a call holds. A line that is
//! damaged is passed over and stays in the file.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::answer::{Answer, Author};
use crate::fingerprint::Fingerprints;

const VERSION: &str = "inquest answers 1";

/// The place for answers of all sessions of a user: `$XDG_DATA_HOME/inquest/answers`, or below
/// `~/.local/share`. None if neither is known.
pub fn memory_path() -> Option<PathBuf> {
    Some(data_folder()?.join("answers"))
}

/// The folder for what is kept for a user: `$XDG_DATA_HOME/inquest`, or below `~/.local/share`. None if neither is known.
pub fn data_folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = set("XDG_DATA_HOME").or_else(|| Some(set("HOME")?.join(".local/share")))?;
    Some(data.join("inquest"))
}

/// The file of kept answers. The last line about the same call holds.
pub struct RememberedAnswers {
    path: PathBuf,
    answers: HashMap<Fingerprints, Remembered>,
    /// Lines that could not be read, by number from 1, with the reason.
    damaged: Vec<(usize, String)>,
    /// Does the last line lack its end?
    torn: bool,
    empty: bool,
}

/// A line of that file: its names are the format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Remembered {
    #[serde(flatten)]
    pub key: Fingerprints,
    pub answer: Answer,
    pub by: Author,
    /// Milliseconds since 1970.
    pub at: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    #[error("cannot read the answers in {}: {error}", path.display())]
    Read { path: PathBuf, error: io::Error },
    #[error("cannot add to the answers in {}: {error}", path.display())]
    Write { path: PathBuf, error: io::Error },
    #[error("{} does not hold answers that this version of inquest can read: it begins with `{begin}`", path.display())]
    Version { path: PathBuf, begin: String },
}

impl RememberedAnswers {
    /// A file that is not there holds nothing; it is made by the first answer.
    pub fn open(path: &Path) -> Result<RememberedAnswers, MemoryError> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(MemoryError::Read { path: path.to_owned(), error }),
        };
        let mut memory = RememberedAnswers {
            path: path.to_owned(),
            answers: HashMap::new(),
            damaged: Vec::new(),
            torn: bytes.last().is_some_and(|&last| last != b'\n'),
            empty: bytes.is_empty(),
        };
        let text = String::from_utf8_lossy(&bytes);
        for (at, line) in text.lines().enumerate() {
            match (at, line) {
                (0, VERSION) => {}
                (0, other) => {
                    let begin = other.chars().take(40).collect();
                    return Err(MemoryError::Version { path: path.to_owned(), begin });
                }
                (_, "") => {}
                (_, line) => match decode(line) {
                    Ok(remembered) => {
                        memory.answers.insert(remembered.key, remembered);
                    }
                    Err(why) => memory.damaged.push((at + 1, why)),
                },
            }
        }
        Ok(memory)
    }

    pub fn lookup(&self, key: &Fingerprints) -> Option<&Remembered> {
        self.answers.get(key)
    }

    pub fn len(&self) -> usize {
        self.answers.len()
    }

    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// Lines that were passed over: number from 1, and why.
    pub fn damaged(&self) -> &[(usize, String)] {
        &self.damaged
    }

    /// Keeps an answer; false if it is not one to keep: only what persons said of one call, right, wrong or
    /// inadmissible, holds elsewhere.
    pub fn remember(
        &mut self,
        key: Fingerprints,
        answer: &Answer,
        by: &Author,
        at: u64,
    ) -> Result<bool, MemoryError> {
        let kept = matches!(answer, Answer::Correct | Answer::Wrong { .. } | Answer::Inadmissible);
        if !kept || *by != Author::Person {
            return Ok(false);
        }
        if self.answers.get(&key).is_some_and(|known| known.answer == *answer) {
            return Ok(true);
        }
        let remembered = Remembered { key, answer: answer.clone(), by: by.clone(), at };
        let mut text = String::new();
        if self.empty {
            text.push_str(VERSION);
            text.push('\n');
        } else if self.torn {
            text.push('\n');
        }
        let failed = |error| MemoryError::Write { path: self.path.clone(), error };
        text.push_str(&encode(&remembered).map_err(|error| failed(error.into()))?);
        text.push('\n');
        self.append(&text).map_err(failed)?;
        (self.empty, self.torn) = (false, false);
        self.answers.insert(key, remembered);
        Ok(true)
    }

    fn append(&self, text: &str) -> io::Result<()> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder {
            fs::create_dir_all(folder)?;
        }
        let mut file = OpenOptions::new().append(true).create(true).open(&self.path)?;
        // One write, so that two sessions that add at once do not tear each other's lines.
        file.write_all(text.as_bytes())?;
        file.sync_data()?;
        if self.empty
            && let Some(folder) = folder
        {
            File::open(folder)?.sync_all()?;
        }
        Ok(())
    }
}

fn encode(remembered: &impl Serialize) -> serde_json::Result<String> {
    let json = serde_json::to_string(remembered)?;
    Ok(format!("{:08x} {json}", crc32fast::hash(json.as_bytes())))
}

fn decode(line: &str) -> Result<Remembered, String> {
    let (sum, json) = line.split_once(' ').ok_or("it has no checksum")?;
    let sum = u32::from_str_radix(sum, 16).map_err(|_| "it has no checksum")?;
    if sum != crc32fast::hash(json.as_bytes()) {
        return Err("its checksum does not fit".to_owned());
    }
    serde_json::from_str(json).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::Fingerprint;

    fn key(number: u128) -> Fingerprints {
        Fingerprints { code: Fingerprint(number), input: Fingerprint(number << 64), output: Fingerprint(7) }
    }

    #[test]
    fn answers_are_there_the_next_time_and_the_last_one_holds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/answers");
        let mut memory = RememberedAnswers::open(&path).unwrap();
        assert!(memory.is_empty());
        let wrong = Answer::Wrong { because: Some("x".to_owned()), missing: None, expected: None };
        assert!(memory.remember(key(1), &Answer::Correct, &Author::Person, 5).unwrap());
        assert!(memory.remember(key(2), &wrong, &Author::Person, 6).unwrap());
        assert!(memory.remember(key(1), &Answer::Inadmissible, &Author::Person, 7).unwrap());
        let again = RememberedAnswers::open(&path).unwrap();
        assert_eq!(again.len(), 2);
        assert_eq!(again.lookup(&key(1)).unwrap().answer, Answer::Inadmissible);
        assert_eq!(
            again.lookup(&key(2)).unwrap(),
            &Remembered { key: key(2), answer: wrong, by: Author::Person, at: 6 }
        );
        assert_eq!(again.lookup(&Fingerprints { output: Fingerprint(8), ..key(1) }), None);
    }

    #[test]
    fn only_what_persons_said_of_a_call_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answers");
        let mut memory = RememberedAnswers::open(&path).unwrap();
        let trust = Answer::Trust { scope: crate::TrustScope::Method, name: "A.b".to_owned() };
        for (answer, by) in [
            (Answer::DontKnow, Author::Person),
            (trust, Author::Person),
            (Answer::Correct, Author::Inferred),
            (Answer::Correct, Author::Reference("good".to_owned())),
        ] {
            assert!(!memory.remember(key(1), &answer, &by, 0).unwrap(), "{answer:?} by {by:?}");
        }
        assert!(!path.exists());
    }

    #[test]
    fn damage_costs_its_own_line_only_and_stays_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answers");
        let mut memory = RememberedAnswers::open(&path).unwrap();
        for number in 1..=3 {
            memory.remember(key(number), &Answer::Correct, &Author::Person, 0).unwrap();
        }
        let text = fs::read_to_string(&path).unwrap();
        let whole = text.len();
        // Bytes after the first line changed, and the file cut there.
        for at in (VERSION.len() + 1..whole).step_by(5) {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 0x20;
            fs::write(&path, &bytes).unwrap();
            let mut memory = RememberedAnswers::open(&path).unwrap();
            let noticed = memory.len() == 3 || !memory.damaged().is_empty();
            assert!(noticed && (1..=3).contains(&memory.len()), "byte {at}: {}", memory.len());
            fs::write(&path, &text[..at]).unwrap();
            memory = RememberedAnswers::open(&path).unwrap();
            let lines = text[..at].matches('\n').count() - 1;
            assert!(memory.len() >= lines, "cut at {at}");
            memory.remember(key(9), &Answer::Correct, &Author::Person, 0).unwrap();
            let again = RememberedAnswers::open(&path).unwrap();
            assert!(again.lookup(&key(9)).is_some() && again.len() > lines, "added after a cut at {at}");
            assert!(fs::read_to_string(&path).unwrap().starts_with(&text[..at]));
        }
    }

    #[test]
    fn what_cannot_be_encoded_is_no_line() {
        // JSON has no keys that are lists.
        assert!(encode(&HashMap::from([(vec![1], 1)])).is_err());
    }

    #[test]
    fn a_file_of_something_else_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answers");
        fs::write(&path, "shopping list\n").unwrap();
        let error = RememberedAnswers::open(&path).err().unwrap().to_string();
        assert!(error.contains("shopping list"), "{error}");
    }
}
