//! Where a class says that it comes from, and whether it is really there: classes that are made while the program runs
//! often claim the place of the class that they stand for.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::path::PathBuf;
use std::sync::Mutex;

/// The place that the URL of a code source names.
#[derive(Debug, PartialEq, Eq)]
pub enum CodeSource {
    Nowhere,
    Folder(PathBuf),
    /// A jar, or a folder of classes within one (`BOOT-INF/classes/`).
    Jar {
        jar: PathBuf,
        within: String,
    },
    /// A jar within a jar.
    Library,
    /// A place that cannot be looked at, but whose name is that of a folder.
    Elsewhere,
}

impl CodeSource {
    pub fn of(url: &str) -> CodeSource {
        // A source file holds no class: `java Main.java` names it as the place of what was made of it.
        if url.is_empty() || url.ends_with(".java") {
            return CodeSource::Nowhere;
        }
        if let Some(path) = url.strip_prefix("file:") {
            let path = PathBuf::from(decoded(path));
            return if url.ends_with('/') {
                CodeSource::Folder(path)
            } else {
                CodeSource::Jar { jar: path, within: String::new() }
            };
        }
        let nested = url.strip_prefix("jar:file:").or_else(|| url.strip_prefix("jar:nested:"));
        let Some((jar, inner)) = nested.and_then(|rest| rest.split_once('!')) else {
            return if url.ends_with('/') { CodeSource::Elsewhere } else { CodeSource::Library };
        };
        let inner = inner.trim_matches(['/', '!']);
        if inner.ends_with(".jar") {
            return CodeSource::Library;
        }
        let within = if inner.is_empty() { String::new() } else { format!("{inner}/") };
        CodeSource::Jar { jar: PathBuf::from(decoded(jar.trim_end_matches('/'))), within }
    }
}

/// `%20` and the like as the characters that they stand for.
fn decoded(path: &str) -> String {
    let mut out = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = (*first == b'%').then(|| tail.get(..2)).flatten();
        match code.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                rest = &tail[2..];
            }
            None => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The names in the jars that were asked about. A jar that cannot be read has everything.
#[derive(Debug, Default)]
pub struct JarNames {
    jars: Mutex<HashMap<PathBuf, Option<Names>>>,
}

type Names = HashSet<Vec<u8>>;

impl JarNames {
    /// The classes of a jar, with slashes; none if it cannot be read.
    pub fn classes(&self, jar: &PathBuf) -> Vec<String> {
        let Ok(mut jars) = self.jars.lock() else { return Vec::new() };
        let names = jars.entry(jar.clone()).or_insert_with(|| names(jar));
        let class = |name: &Vec<u8>| Some(String::from_utf8_lossy(name).strip_suffix(".class")?.to_owned());
        names.iter().flatten().filter_map(class).collect()
    }

    pub fn contain(&self, jar: &PathBuf, within: &str, class: &str) -> bool {
        let Ok(mut jars) = self.jars.lock() else { return true };
        let names = jars.entry(jar.clone()).or_insert_with(|| names(jar));
        names.as_ref().is_none_or(|names| names.contains(format!("{within}{class}.class").as_bytes()))
    }
}

/// Classes for a later version of Java stand under the name that they have for all.
fn names(jar: &PathBuf) -> Option<Names> {
    let mut buffer = vec![0; rawzip::RECOMMENDED_BUFFER_SIZE];
    let archive = rawzip::ZipArchive::from_file(File::open(jar).ok()?, &mut buffer).ok()?;
    let mut entries = archive.entries(&mut buffer);
    let mut names = Names::new();
    while let Some(entry) = entries.next_entry().ok()? {
        let path = entry.file_path();
        let name = path.as_ref();
        let versioned = name.strip_prefix(b"META-INF/versions/");
        let name =
            match versioned.and_then(|rest| rest.iter().position(|&b| b == b'/').map(|at| &rest[at + 1..])) {
                Some(name) => name,
                None => name,
            };
        if name.ends_with(b".class") {
            names.insert(name.to_vec());
        }
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_places() {
        let jar = |jar: &str, within: &str| CodeSource::Jar { jar: jar.into(), within: within.into() };
        for (url, place) in [
            ("", CodeSource::Nowhere),
            ("file:/src/Main.java", CodeSource::Nowhere),
            ("file:/a%20b/classes/", CodeSource::Folder("/a b/classes/".into())),
            ("file:/lib/x.jar", jar("/lib/x.jar", "")),
            ("jar:file:/app.jar!/", jar("/app.jar", "")),
            ("jar:file:/app.jar!/BOOT-INF/classes!/", jar("/app.jar", "BOOT-INF/classes/")),
            ("jar:nested:/app.jar/!BOOT-INF/classes/!/", jar("/app.jar", "BOOT-INF/classes/")),
            ("jar:nested:/app.jar/!BOOT-INF/lib/x.jar!/", CodeSource::Library),
            ("vfs:/shop.war/WEB-INF/classes/", CodeSource::Elsewhere),
            ("vfs:/shop.war/WEB-INF/lib/x.jar", CodeSource::Library),
        ] {
            assert_eq!(CodeSource::of(url), place, "{url}");
        }
        assert_eq!((decoded("100%"), decoded("%zz%41")), ("100%".into(), "%zzA".into()));
    }
}
