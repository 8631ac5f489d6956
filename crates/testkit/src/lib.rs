//! What the tests of all crates stand on: Java programs and JDKs, commands that end, recordings, numbers at random,
//! and a word about what was left out. It knows none of the other crates, so that each of them can use it; a recording is
//! made by the `inquest` binary and handed over as a folder.

mod binary;
mod chance;
mod command;
mod damage;
mod jdk;
mod jdk_classes;
mod left_out;
mod program;
mod recorded;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, OnceLock};

pub use binary::{binary, inquest};
pub use chance::{Chance, seed};
pub use command::{Ran, check_all, run, until};
pub use damage::long_run;
pub use jdk::{Jdk, jdk17, jdks, newest};
pub use jdk_classes::jdk_classes;
pub use left_out::left_out;
pub use program::{Program, jar};
pub use recorded::{Recorded, document, recorded};

/// The folder of this repository.
pub fn root() -> &'static Path {
    static ROOT: LazyLock<PathBuf> =
        LazyLock::new(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap());
    &ROOT
}

/// The folder of a group of compiled classes (see `scripts/compile`).
pub fn classes(group: &str) -> PathBuf {
    static COMPILED: OnceLock<()> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let made = Command::new(root().join("scripts/compile")).output().unwrap();
        assert!(made.status.success(), "scripts/compile: {}", String::from_utf8_lossy(&made.stderr));
    });
    root().join("target/java").join(group)
}

/// A folder for files of the tests of this build, in the folder of its profile; it stays.
pub fn scratch() -> &'static Path {
    static SCRATCH: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = binary::profile_folder().join("tests");
        std::fs::create_dir_all(&folder).unwrap();
        folder
    });
    &SCRATCH
}
