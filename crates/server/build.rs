//! Puts the built page (`ui/dist`) into the binary. Without it the crate builds all the same, and says so when the
//! page is opened.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/dist");
    // A folder stands for all that is in it.
    println!("cargo::rerun-if-changed={}", dist.display());
    let mut files = Vec::new();
    collect(&dist, &mut files);
    files.sort();
    let mut code = String::from("pub const ASSETS: &[Asset] = &[\n");
    for file in &files {
        let Ok(path) = file.strip_prefix(&dist) else { continue };
        let path = path.to_string_lossy().replace('\\', "/");
        let route = if path == "index.html" { "/".to_owned() } else { format!("/{path}") };
        let full = file.canonicalize().unwrap_or_else(|_| file.clone());
        let tag = format!("\"{:016x}\"", hash(&fs::read(&full).unwrap_or_default()));
        let _ = writeln!(
            code,
            "    Asset {{ path: {route:?}, kind: {:?}, tag: {tag:?}, bytes: include_bytes!({:?}) }},",
            kind(&path),
            full.display().to_string()
        );
    }
    code.push_str("];\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("assets.rs");
    if let Err(error) = fs::write(&out, code) {
        println!("cargo::error=cannot write {}: {error}", out.display());
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}

/// FNV-1a: tells one build of the page from another.
fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}
