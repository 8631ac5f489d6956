//! Jars that the program's own build made: another module of it comes as a jar, and is as much the program as what lies in
//! folders. They are told by where they lie (`target/` beside a `pom.xml`, `build/libs` beside a build script), and by
//! their sources being in the folder of the build.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

/// Entries of folders that are looked at for sources, at most: a build is not as large, and the program waits.
const MAX_ENTRIES: usize = 30_000;
/// Folders above the working folder that may be the build's.
const MAX_UP: usize = 4;
/// What the folder of a build has.
const SCRIPTS: [&str; 6] =
    ["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "build.xml"];

#[derive(Debug, Default)]
pub struct Siblings {
    known: Mutex<HashMap<PathBuf, bool>>,
    /// Names of sources without their ending, with slashes: each with the folders around it.
    sources: OnceLock<HashSet<String>>,
}

impl Siblings {
    /// Did the program's own build make this jar? `classes` gives the names in it, with slashes.
    pub fn contain(&self, jar: &Path, classes: impl FnOnce() -> Vec<String>) -> bool {
        let Ok(mut known) = self.known.lock() else { return false };
        if let Some(&known) = known.get(jar) {
            return known;
        }
        let is = is_built(jar) || !self.sources().is_empty() && self.have_sources(classes());
        known.insert(jar.to_owned(), is);
        is
    }

    fn sources(&self) -> &HashSet<String> {
        self.sources.get_or_init(|| {
            let folder = std::env::current_dir().ok().and_then(|folder| build_folder(&folder));
            folder.map_or_else(HashSet::new, |folder| sources(&folder))
        })
    }

    /// Are sources of at least half of its classes in the folder of the build?
    fn have_sources(&self, classes: Vec<String>) -> bool {
        let sources = self.sources();
        let outermost: Vec<&String> = classes.iter().filter(|class| !class.contains('$')).collect();
        let found = outermost.iter().filter(|class| sources.contains(class.as_str())).count();
        found > 0 && found * 2 >= outermost.len()
    }
}

/// Does a jar lie where a build puts what it makes?
fn is_built(jar: &Path) -> bool {
    let named = |path: &Path, name: &str| path.file_name().is_some_and(|own| own == name);
    let Some(folder) = jar.parent() else { return false };
    let module = match folder.parent() {
        Some(module) if named(folder, "target") => module,
        Some(build) if named(folder, "libs") && named(build, "build") => match build.parent() {
            Some(module) => module,
            None => return false,
        },
        _ => return false,
    };
    is_build(module)
}

fn is_build(folder: &Path) -> bool {
    SCRIPTS.iter().any(|script| folder.join(script).exists())
}

/// The uppermost folder of the build that the working folder is in.
fn build_folder(folder: &Path) -> Option<PathBuf> {
    let around = folder.ancestors().take(MAX_UP + 1).take_while(|folder| is_build(folder));
    around.last().map(Path::to_owned)
}

/// The sources in a folder as classes are called, whatever folder their packages begin in.
fn sources(folder: &Path) -> HashSet<String> {
    let mut found = HashSet::new();
    let mut open = vec![folder.to_owned()];
    let mut left = MAX_ENTRIES;
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            if left == 0 {
                return found;
            }
            left -= 1;
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if kind.is_dir()
                && !name.starts_with('.')
                && !matches!(&*name, "target" | "build" | "node_modules")
            {
                open.push(path);
            } else if kind.is_file()
                && let Some((class, "java" | "kt" | "scala" | "groovy")) = name.rsplit_once('.')
            {
                found.extend(names(&folder, class));
            }
        }
    }
    found
}

/// `Basket`, `shop/Basket`, `java/shop/Basket` …: which folder is the first of the package is not known.
fn names(folder: &Path, class: &str) -> Vec<String> {
    let mut name = class.to_owned();
    let mut names = Vec::new();
    for part in folder.iter().rev().take(12) {
        let part = part.to_string_lossy();
        names.push(name.clone());
        if matches!(&*part, "java" | "kotlin" | "scala" | "groovy" | "src") {
            break;
        }
        name = format!("{part}/{name}");
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_a_build_made_is_told_by_where_it_lies() {
        let place = tempfile::tempdir().unwrap();
        let make = |path: &str| {
            let path = place.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            path
        };
        make("maven/pom.xml");
        make("gradle/build.gradle.kts");
        for (jar, built) in [
            ("maven/target/rates-1.0.jar", true),
            ("gradle/build/libs/rates.jar", true),
            ("maven/target/dependency/guava.jar", false),
            ("maven/lib/guava.jar", false),
            ("other/target/x.jar", false),
            ("other/build/libs/x.jar", false),
        ] {
            assert_eq!(is_built(&make(jar)), built, "{jar}");
        }
    }

    #[test]
    fn sources_are_found_under_the_name_of_their_class() {
        let place = tempfile::tempdir().unwrap();
        for file in [
            "rates/src/main/java/shop/Rates.java",
            "app/src/Main.kt",
            "app/target/classes/gone/Gone.java",
            "readme.md",
        ] {
            let path = place.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let found = sources(place.path());
        assert!(found.contains("shop/Rates") && found.contains("Main"), "{found:?}");
        assert!(!found.contains("gone/Gone") && !found.contains("readme"), "{found:?}");
        let siblings = Siblings { sources: OnceLock::from(found), ..Siblings::default() };
        let classes = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert!(siblings.have_sources(classes(&["shop/Rates", "shop/Rates$Kind"])));
        assert!(!siblings.have_sources(classes(&["shop/Rates", "org/a/A", "org/a/B"])));
        assert!(!siblings.have_sources(classes(&[])));
    }

    #[test]
    fn a_build_reaches_up_to_its_uppermost_script() {
        let place = tempfile::tempdir().unwrap();
        let module = place.path().join("all/app");
        fs::create_dir_all(&module).unwrap();
        fs::write(module.join("pom.xml"), "").unwrap();
        assert_eq!(build_folder(&module), Some(module.clone()));
        fs::write(place.path().join("all/pom.xml"), "").unwrap();
        assert_eq!(build_folder(&module), Some(place.path().join("all")));
        assert_eq!(build_folder(place.path()), None);
    }
}
