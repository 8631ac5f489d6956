//! Compiles the recorder classes (`java/`) into the agent. They are compiled as part of java.base, because they live in
//! java.lang; a javac of version 17 or later must be on the PATH or in JAVA_HOME.

use std::path::{Path, PathBuf};
use std::process::Command;

const CLASSES: [&str; 6] = [
    "InquestIdentity",
    "InquestIdentity$Aside",
    "InquestIdentity$Shown",
    "InquestRecorder",
    "InquestRecorder$Text",
    "InquestRecorder$Type",
];

fn main() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../java");
    println!("cargo:rerun-if-changed={}", source.display());
    println!("cargo:rerun-if-env-changed=JAVA_HOME");
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    let javac = match std::env::var_os("JAVA_HOME") {
        Some(home) if Path::new(&home).join("bin/javac").exists() => Path::new(&home).join("bin/javac"),
        _ => PathBuf::from("javac"),
    };
    let mut patch = std::ffi::OsString::from("java.base=");
    patch.push(&source);
    let output = Command::new(&javac)
        .args(["-nowarn", "-source", "17", "-target", "17", "--patch-module"])
        .arg(patch)
        .args(["-g:source,lines", "-XDstringConcat=inline", "-d"])
        .arg(&out)
        .args(
            ["InquestIdentity", "InquestRecorder"].map(|name| source.join(format!("java/lang/{name}.java"))),
        )
        .output();
    match output {
        Ok(o) if o.status.success() => {}
        Ok(o) => panic!("{} failed:\n{}", javac.display(), String::from_utf8_lossy(&o.stderr)),
        Err(e) => panic!(
            "cannot run {}: {e}. Install a JDK of version 17 or later (make build does).",
            javac.display()
        ),
    }
    for class in CLASSES {
        let path = out.join("java/lang").join(format!("{class}.class"));
        assert!(path.exists(), "javac did not write {}", path.display());
    }
}
