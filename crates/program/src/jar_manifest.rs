//! What a jar says about itself that matters for finding classes: `META-INF/MANIFEST.MF`, its main section.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

pub(crate) struct JarManifest {
    pub is_multi_release: bool,
    class_path: Vec<String>,
}

impl JarManifest {
    pub const PATH: &'static str = "META-INF/MANIFEST.MF";

    /// Lines are `Name: value`; one that begins with a space continues the line before. An empty line ends the section.
    pub fn parse(bytes: &[u8]) -> JarManifest {
        let text = String::from_utf8_lossy(bytes);
        let mut lines: Vec<String> = Vec::new();
        for line in text.lines() {
            match (line.strip_prefix(' '), lines.last_mut()) {
                (Some(more), Some(last)) => last.push_str(more),
                _ if line.is_empty() => break,
                _ => lines.push(line.to_owned()),
            }
        }
        let named: HashMap<String, &str> = lines
            .iter()
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim()))
            .collect();
        let value = |name: &str| named.get(name).copied().unwrap_or_default();
        JarManifest {
            is_multi_release: value("multi-release").eq_ignore_ascii_case("true"),
            class_path: value("class-path").split_whitespace().map(str::to_owned).collect(),
        }
    }

    /// The entries it names, which are relative to the jar's folder.
    pub fn class_path(&self, jar: &Path) -> Vec<PathBuf> {
        let folder = jar.parent().unwrap_or(Path::new(""));
        self.class_path.iter().filter_map(|entry| Some(folder.join(path_of_url(entry)?))).collect()
    }
}

/// The path that a URL stands for, which may be relative; none if it is not one of a file.
pub fn path_of_url(url: &str) -> Option<String> {
    let path = match url.split_once(':') {
        Some(("file", path)) => path.strip_prefix("//").unwrap_or(path),
        Some(_) => return None,
        None => url,
    };
    let mut out = Vec::new();
    let mut bytes = path.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let digits = [bytes.next()?, bytes.next()?];
            out.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_path_may_be_continued_and_is_relative_to_the_jar() {
        let text = b"Manifest-Version: 1.0\r\nClass-Path: a.jar lib/b\r\n .jar file:/c/ http://x/y.jar d%20e.jar\r\n\r\nClass-Path: no.jar\r\n";
        let manifest = JarManifest::parse(text);
        assert!(!manifest.is_multi_release);
        let expected = ["/j/a.jar", "/j/lib/b.jar", "/c/", "/j/d e.jar"].map(PathBuf::from);
        assert_eq!(manifest.class_path(Path::new("/j/x.jar")), expected);
    }

    #[test]
    fn names_are_compared_without_case() {
        assert!(JarManifest::parse(b"MULTI-release: true\n").is_multi_release);
        assert!(!JarManifest::parse(b"Name: a\n\nMulti-Release: true\n").is_multi_release);
    }
}
