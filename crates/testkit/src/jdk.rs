//! The JDKs of this machine (see `scripts/jdk`).

use std::path::PathBuf;
use std::process::Command;

use crate::{left_out, root};

#[derive(Clone, Debug)]
pub struct Jdk {
    pub version: &'static str,
    pub home: PathBuf,
}

impl Jdk {
    /// None if there is none of this version; `javac`: the oldest that has a compiler.
    pub fn find(version: &'static str) -> Option<Jdk> {
        let found = Command::new(root().join("scripts/jdk")).arg(version).output().unwrap();
        let home = String::from_utf8(found.stdout).unwrap();
        found.status.success().then(|| Jdk { version, home: home.trim_end().into() })
    }

    pub fn java(&self) -> PathBuf {
        self.home.join("bin/java")
    }
}

/// Java 17, or where there is none, the oldest that has a compiler.
pub fn jdk17() -> Jdk {
    Jdk::find("17").or_else(|| Jdk::find("javac")).expect("a JDK 17 (scripts/need jdk17)")
}

/// Java 25. Where there is none, its part of a test is left out, and that is said.
pub fn newest() -> Option<Jdk> {
    let found = Jdk::find("25");
    if found.is_none() {
        left_out("tests on Java 25", "no JDK 25; INQUEST_JDK25 names the home of one");
    }
    found
}

/// All there are.
pub fn jdks() -> Vec<Jdk> {
    [jdk17()].into_iter().chain(newest()).collect()
}
