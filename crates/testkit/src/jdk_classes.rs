//! The classes of the installed JDKs, as test data for whoever reads or changes class files.

use std::fs;
use std::process::Command;

use crate::{left_out, root};

/// Name and bytes of every class of a JDK; none if it is not installed (see `scripts/jdk-classes`).
pub fn jdk_classes(version: &str) -> Vec<(String, Vec<u8>)> {
    let made = Command::new(root().join("scripts/jdk-classes")).arg(version).output().unwrap();
    if !made.status.success() {
        left_out(&format!("classes of JDK {version}"), "it is not installed");
        return Vec::new();
    }
    let file = fs::read(String::from_utf8(made.stdout).unwrap().trim_end()).unwrap();
    let mut rest = &file[..];
    let mut part = || {
        let (length, after) = rest.split_first_chunk::<4>()?;
        let (part, after) = after.split_at(u32::from_be_bytes(*length) as usize);
        rest = after;
        Some(part)
    };
    let mut classes = Vec::new();
    while let (Some(name), Some(bytes)) = (part(), part()) {
        classes.push((String::from_utf8(name.to_vec()).unwrap(), bytes.to_vec()));
    }
    assert!(classes.len() > 5_000, "only {} classes", classes.len());
    classes
}
