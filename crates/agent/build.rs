//! Compiles the recorder's classes (`java/`) into the agent, with a class that has the numbers of `trace::codes`. They are
//! compiled as part of java.base, because they live in java.lang; a javac of version 17 or later must be on the PATH
//! or in JAVA_HOME.

use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The class with the numbers. What javac makes of it is left out: the other classes have copies of what they use.
const CODES: &str = "InquestCodes";

/// Our package, as a folder.
const PACKAGE: &str = "java/lang";

fn main() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../java");
    println!("cargo:rerun-if-changed={}", source.display());
    println!("cargo:rerun-if-env-changed=JAVA_HOME");
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    let (generated, classes) = (out.join("java"), out.join("classes"));
    // A class of an earlier build must not stay.
    for folder in [&generated, &classes] {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder.join(PACKAGE)).expect("OUT_DIR can be written");
    }
    let codes = generated.join(PACKAGE).join(format!("{CODES}.java"));
    fs::write(&codes, trace::codes::java_class(CODES)).expect("OUT_DIR can be written");

    let mut sources = files(&source.join(PACKAGE), "java");
    sources.push(codes);
    compile(&[&source, &generated], &sources, &classes);
    fs::write(out.join("classes.rs"), list(&classes)).expect("OUT_DIR can be written");
}

fn compile(roots: &[&Path], sources: &[PathBuf], classes: &Path) {
    let javac = match std::env::var_os("JAVA_HOME") {
        Some(home) if Path::new(&home).join("bin/javac").exists() => Path::new(&home).join("bin/javac"),
        _ => PathBuf::from("javac"),
    };
    let mut patch = OsString::from("java.base=");
    patch.push(std::env::join_paths(roots).expect("no colon in the path"));
    let output = Command::new(&javac)
        .args(["-nowarn", "-source", "17", "-target", "17", "--patch-module"])
        .arg(patch)
        .args(["-g:source,lines", "-XDstringConcat=inline", "-d"])
        .arg(classes)
        .args(sources)
        .output();
    match output {
        Ok(o) if o.status.success() => {}
        Ok(o) => panic!("{} failed:\n{}", javac.display(), String::from_utf8_lossy(&o.stderr)),
        Err(e) => panic!(
            "cannot run {}: {e}. Install a JDK of version 17 or later (make build does).",
            javac.display()
        ),
    }
}

/// The Rust source of `CLASSES`, the name and the bytes of each class.
fn list(classes: &Path) -> String {
    let mut entries = String::new();
    let mut count = 0;
    for path in files(&classes.join(PACKAGE), "class") {
        let name = path.file_stem().expect("a file").to_string_lossy();
        if !name.starts_with(CODES) {
            writeln!(entries, "    ({:?}, include_bytes!({path:?})),", format!("{PACKAGE}/{name}"))
                .expect("a string takes all");
            count += 1;
        }
    }
    format!("pub const CLASSES: [(&str, &[u8]); {count}] = [\n{entries}];\n")
}

/// The files of a folder with this extension, by name.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("cannot read {}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == extension));
    files.sort();
    files
}
