//! Who may know of whom. The compiler holds what the manifests say; this holds the manifests to what
//! `docs/architecture.md` says.

use std::process::Command;

use serde_json::Value;

/// A crate, and what it must not depend on. Tests may.
const APART: [(&str, &[&str]); 8] = [
    // The past is reached through `past` alone.
    ("session", &["index", "trace", "program"]),
    ("server", &["index", "trace", "program", "render"]),
    ("cli", &["index", "program", "render"]),
    // What computes knows neither who asks nor where results are kept.
    ("analysis", &["strategy", "session", "tempfile", "memmap2"]),
    ("pointsto", &["trace", "past", "shelf"]),
    // What is about values, classes or trees is not about recordings.
    ("render", &["trace", "index", "past"]),
    ("program", &["trace", "index", "past"]),
    ("tree", &["trace", "index", "past"]),
];

#[test]
fn crates_keep_apart_what_the_architecture_keeps_apart() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
    let arguments =
        ["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path", manifest];
    let output = Command::new(env!("CARGO")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let dependencies = |name: &str| -> Vec<&str> {
        let package = packages.iter().find(|package| package["name"] == name);
        let list = package.unwrap_or_else(|| panic!("no crate {name}"))["dependencies"].as_array().unwrap();
        list.iter().filter(|one| one["kind"].is_null()).map(|one| one["name"].as_str().unwrap()).collect()
    };
    assert_eq!(dependencies("base"), [""; 0]);
    for (name, apart) in APART {
        let found: Vec<&str> = dependencies(name).into_iter().filter(|one| apart.contains(one)).collect();
        assert!(found.is_empty(), "{name} depends on {found:?}");
    }
}
