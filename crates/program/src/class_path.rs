//! Where a run's classes came from, asked by name: the JDK first, as class loaders ask their parents first, then the
//! folders and jars of the class path in their order. What is missing or damaged is listed and passed over, as a JVM does.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::archive::{Archive, Entry};
use crate::error::Error;
use crate::image::Image;
use crate::jar_manifest::JarManifest;
use crate::sources::LARGEST;

/// So many jars are looked into, those included that other jars name.
const MOST_PLACES: usize = 10_000;

/// Versions of multi-release jars begin with this one.
const FIRST_VERSION: u32 = 9;

pub struct ClassPath {
    image: Option<Image>,
    places: Vec<ClassPathEntry>,
    /// The JDK's feature version, 17 for example; none if it is not known.
    version: Option<u32>,
    problems: Vec<Error>,
}

/// A class file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassBytes<'a> {
    pub bytes: Cow<'a, [u8]>,
    /// The folder, jar or image it is in.
    pub place: &'a Path,
}

enum ClassPathEntry {
    Folder(PathBuf),
    Jar {
        archive: Archive,
        /// Versions that the jar has classes for, the highest first.
        versions: Vec<u32>,
    },
}

impl ClassPath {
    /// `entries` are folders and jars; a jar may name further ones, which follow it. `java_home` is the JDK's folder.
    pub fn open(entries: impl IntoIterator<Item = PathBuf>, java_home: Option<&Path>) -> ClassPath {
        let mut path = ClassPath {
            image: None,
            places: Vec::new(),
            version: java_home.and_then(version_of),
            problems: Vec::new(),
        };
        if let Some(home) = java_home {
            match Image::open(&home.join("lib/modules")) {
                Ok(image) => path.image = Some(image),
                Err(problem) => path.problems.push(problem),
            }
        }
        let mut waiting: Vec<PathBuf> = entries.into_iter().collect();
        waiting.reverse();
        let mut known = HashSet::new();
        while let Some(entry) = waiting.pop() {
            if path.places.len() < MOST_PLACES && known.insert(entry.clone()) {
                let named = path.add(entry);
                waiting.extend(named.into_iter().rev());
            }
        }
        path
    }

    /// A class by its name with slashes (`java/util/List`).
    pub fn find(&self, class: &str) -> Option<ClassBytes<'_>> {
        if let Some(image) = &self.image
            && let Some(bytes) = image.class(class)
        {
            return Some(ClassBytes { bytes: Cow::Borrowed(bytes), place: image.path() });
        }
        let file = format!("{class}.class");
        self.places.iter().find_map(|place| match place {
            ClassPathEntry::Folder(folder) => {
                let bytes = fs::read(file_below(folder, &file)?).ok()?;
                Some(ClassBytes { bytes: Cow::Owned(bytes), place: folder })
            }
            ClassPathEntry::Jar { archive, versions } => {
                let entry = entry_of(archive, versions, &file)?;
                Some(ClassBytes { bytes: Cow::Owned(archive.read(entry)?), place: archive.path() })
            }
        })
    }

    /// Where `find` would find a class, without reading it.
    pub fn place_of(&self, class: &str) -> Option<&Path> {
        if let Some(image) = self.image.as_ref().filter(|image| image.class(class).is_some()) {
            return Some(image.path());
        }
        let file = format!("{class}.class");
        self.places.iter().find_map(|place| match place {
            ClassPathEntry::Folder(folder) => file_below(folder, &file).map(|_| folder.as_path()),
            ClassPathEntry::Jar { archive, versions } => {
                entry_of(archive, versions, &file).map(|_| archive.path())
            }
        })
    }

    /// The folders and jars that are there, in their order, and the JDK's image before them.
    pub fn places(&self) -> impl Iterator<Item = &Path> {
        let places = self.places.iter().map(|place| match place {
            ClassPathEntry::Folder(folder) => folder.as_path(),
            ClassPathEntry::Jar { archive, .. } => archive.path(),
        });
        self.image.iter().map(Image::path).chain(places)
    }

    /// The JDK's image.
    pub fn image(&self) -> Option<&Path> {
        self.image.as_ref().map(Image::path)
    }

    /// What could not be used. An entry that does not exist is no problem: class paths are full of them.
    pub fn problems(&self) -> &[Error] {
        &self.problems
    }

    /// Takes a place in; gives the entries that it names.
    fn add(&mut self, entry: PathBuf) -> Vec<PathBuf> {
        if entry.is_dir() {
            self.places.push(ClassPathEntry::Folder(entry));
            return Vec::new();
        }
        if !entry.exists() {
            return Vec::new();
        }
        let archive = match Archive::open(&entry, key_of) {
            Ok(archive) => archive,
            Err(problem) => {
                self.problems.push(problem);
                return Vec::new();
            }
        };
        let manifest = archive.named(JarManifest::PATH).first().and_then(|entry| archive.read(entry));
        let manifest = JarManifest::parse(&manifest.unwrap_or_default());
        let newest = self.version.filter(|_| manifest.is_multi_release).unwrap_or(0);
        let mut versions: Vec<u32> = archive.keys().filter_map(version_in).collect();
        versions.retain(|version| (FIRST_VERSION..=newest).contains(version));
        versions.sort_unstable_by(|a, b| b.cmp(a));
        versions.dedup();
        self.places.push(ClassPathEntry::Jar { archive, versions });
        manifest.class_path(&entry)
    }
}

/// Of a jar, classes and the manifest are wanted.
fn key_of(path: &str) -> Option<&str> {
    (path.ends_with(".class") || path == JarManifest::PATH).then_some(path)
}

fn version_in(path: &str) -> Option<u32> {
    path.strip_prefix("META-INF/versions/")?.split('/').next()?.parse().ok()
}

fn entry_of<'a>(archive: &'a Archive, versions: &[u32], file: &str) -> Option<&'a Entry> {
    let special = versions.iter().map(|version| format!("META-INF/versions/{version}/{file}"));
    special.chain([file.to_owned()]).find_map(|name| archive.named(&name).first())
}

/// A name from a class file must not lead out of the folder.
fn file_below(folder: &Path, file: &str) -> Option<PathBuf> {
    let file = Path::new(file);
    let plain = file.components().all(|part| matches!(part, Component::Normal(_)));
    let path = plain.then(|| folder.join(file))?;
    let is_small = fs::metadata(&path).is_ok_and(|m| m.is_file() && m.len() <= LARGEST as u64);
    is_small.then_some(path)
}

/// From the file `release`, which every JDK has.
fn version_of(home: &Path) -> Option<u32> {
    let release = fs::read_to_string(home.join("release")).ok()?;
    let version = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    version.trim_matches('"').split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_asked_in_their_order_and_a_missing_class_is_none() {
        let root = tempfile::tempdir().unwrap();
        for (folder, class, content) in [("a", "A", "a"), ("b", "A", "b"), ("b", "p/B", "pb")] {
            let file = root.path().join(folder).join(format!("{class}.class"));
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, content).unwrap();
        }
        let entries = ["a", "missing", "b"].map(|entry| root.path().join(entry));
        let path = ClassPath::open(entries, None);
        let found = |class| path.find(class).map(|found| (found.bytes.into_owned(), found.place.to_owned()));
        assert_eq!(found("A"), Some((b"a".to_vec(), root.path().join("a"))));
        assert_eq!(found("p/B"), Some((b"pb".to_vec(), root.path().join("b"))));
        assert_eq!(found("p/C"), None);
        assert_eq!(path.places().count(), 2);
        assert!(path.problems().is_empty());
    }

    #[test]
    fn a_name_does_not_lead_out_of_a_folder() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("in")).unwrap();
        fs::write(root.path().join("Out.class"), "out").unwrap();
        let path = ClassPath::open([root.path().join("in")], None);
        let absolute = root.path().join("Out");
        for name in ["../Out", "x/../../Out", "./../Out", absolute.to_str().unwrap()] {
            assert_eq!(path.find(name), None, "{name}");
        }
    }

    #[test]
    fn what_is_no_jar_is_a_problem_and_the_rest_works() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("x.jar"), "no jar").unwrap();
        fs::write(root.path().join("A.class"), "a").unwrap();
        let path = ClassPath::open([root.path().join("x.jar"), root.path().to_owned()], Some(root.path()));
        assert!(path.find("A").is_some());
        assert_eq!(path.problems().len(), 2, "the jar, and the JDK without an image");
    }
}
