//! Recordings, each in a folder that goes away with its test. Those that tests only read are made once and copied.

use std::fs;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};

use serde_json::Value;
use siphasher::sip::SipHasher13;

use crate::{Jdk, Program, binary, inquest, run, scratch};

/// A folder for a recording, removed at the end of the test.
pub struct Recorded(tempfile::TempDir);

impl Default for Recorded {
    fn default() -> Recorded {
        Recorded::new()
    }
}

impl Recorded {
    pub fn new() -> Recorded {
        Recorded(tempfile::tempdir_in(scratch()).unwrap())
    }

    pub fn path(&self) -> PathBuf {
        self.0.path().join("recording")
    }

    /// The document that `inquest verify` prints.
    pub fn verify(&self) -> Value {
        document("verify", &self.path())
    }

    /// Says what is wrong with a recording that should be whole, and hold something.
    pub fn faults(&self) -> Option<String> {
        let found = self.verify();
        if found["ok"] != true {
            return Some(format!("verify: {found:#}"));
        }
        (found["events"].as_u64() < Some(3)).then(|| "nothing was recorded".to_owned())
    }
}

/// The JSON document that a command prints about a recording; damage is no failure here.
pub fn document(command: &str, recording: &Path) -> Value {
    let ran = run(inquest(&[command, "--json"]).arg(recording), None);
    assert!(matches!(ran.code, Some(0 | 1)), "inquest {command}: {ran:?}");
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("inquest {command}: {error}: {ran:?}"))
}

/// A recording of a program, for who is not interested in how it is made. It is made once for a binary, a JDK, a
/// command and the classes that it names, and is there for the next run of the tests; what another binary made is
/// removed. Each test has its own copy, because indexes and answers are kept in it.
pub fn recorded(program: &Program, jdk: &Jdk) -> Recorded {
    let own = Recorded::new();
    copy(&made(program, jdk), &own.path());
    own
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap();
        }
    }
}

/// Where the recording is that copies are made of.
fn made(program: &Program, jdk: &Jdk) -> PathBuf {
    static MAKING: Mutex<()> = Mutex::new(());
    let mut key = SipHasher13::new();
    key.write(jdk.home.as_os_str().as_encoded_bytes());
    for word in &program.arguments {
        key.write(word.as_encoded_bytes());
        key.write_u8(0);
    }
    for option in &program.options {
        key.write(option.as_bytes());
        key.write_u8(0);
    }
    files(&program.folder, &mut key);
    let place = of_this_binary().join(format!("{:016x}", key.finish()));
    let _one = MAKING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if !place.exists() {
        let (ran, made) = program.record(jdk, &[]);
        assert!(made.path().exists(), "{}: {ran:?}", program.name);
        // Two processes may have made it: then the first one holds.
        if let Err(error) = fs::rename(made.path(), &place) {
            assert!(place.exists(), "{}: {error}", place.display());
        }
    }
    place
}

/// The folder of the recordings that this binary made.
fn of_this_binary() -> &'static Path {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let mut key = SipHasher13::new();
        key.write(&fs::read(binary()).unwrap());
        let all = scratch().join("recordings");
        let own = all.join(format!("{:016x}", key.finish()));
        if !own.exists() {
            let _ = fs::remove_dir_all(&all);
            fs::create_dir_all(&own).unwrap();
        }
        own
    });
    &FOLDER
}

/// Takes in the class files of a folder, in the order of their names.
fn files(folder: &Path, key: &mut SipHasher13) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            files(&entry, key);
        } else {
            key.write(entry.as_os_str().as_encoded_bytes());
            key.write(&fs::read(&entry).unwrap());
        }
    }
}
