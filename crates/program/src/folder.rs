//! The files below a folder, by their names. The folder may be anything, such as the user's home, so the walk goes
//! breadth first, leaves out what holds no sources, and ends after a number of entries.

use std::collections::{HashMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

/// So many entries of folders are looked at.
const ENTRIES: usize = 50_000;

/// Folders that hold what was built, not what was written.
const BUILT: [&str; 4] = ["target", "build", "out", "node_modules"];

pub(crate) struct Folder {
    files: HashMap<String, Vec<PathBuf>>,
}

impl Folder {
    pub fn walk(root: &Path) -> Folder {
        Folder::walk_up_to(root, ENTRIES)
    }

    fn walk_up_to(root: &Path, mut entries: usize) -> Folder {
        let mut files: HashMap<String, Vec<PathBuf>> = HashMap::new();
        let mut folders = VecDeque::from([(root.to_owned(), false)]);
        'folders: while let Some((folder, in_sources)) = folders.pop_front() {
            // What cannot be read has no sources to offer.
            let Ok(list) = fs::read_dir(&folder) else { continue };
            let mut list: Vec<_> = list.flatten().collect();
            list.sort_by_key(fs::DirEntry::file_name);
            for entry in list {
                let Some(left) = entries.checked_sub(1) else { break 'folders };
                entries = left;
                let Ok(name) = entry.file_name().into_string() else { continue };
                // Links to folders are not followed: they may lead back.
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if is_folder {
                    let skipped = name.starts_with('.') || (!in_sources && BUILT.contains(&name.as_str()));
                    if !skipped {
                        // A package may have any name, also `build`.
                        folders.push_back((entry.path(), in_sources || name == "src"));
                    }
                } else if !name.ends_with(".class") {
                    files.entry(name).or_default().push(entry.path());
                }
            }
        }
        Folder { files }
    }

    /// All files of that name, those nearest to the root first.
    pub fn named(&self, name: &str) -> &[PathBuf] {
        self.files.get(name).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, file: &str) {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }

    #[test]
    fn hidden_and_built_folders_are_left_out_but_not_packages_of_such_names() {
        let root = tempfile::tempdir().unwrap();
        for file in [
            "a/A.java",
            ".git/A.java",
            "target/classes/A.java",
            "m/build/A.java",
            "node_modules/x/A.java",
            "m/src/main/java/build/A.java",
            "A.class",
        ] {
            write(root.path(), file);
        }
        let folder = Folder::walk(root.path());
        let found: Vec<_> =
            folder.named("A.java").iter().map(|path| path.strip_prefix(root.path()).unwrap()).collect();
        assert_eq!(found, [Path::new("a/A.java"), Path::new("m/src/main/java/build/A.java")]);
        assert!(folder.named("A.class").is_empty());
    }

    #[test]
    fn an_enormous_folder_is_left_after_a_number_of_entries() {
        let root = tempfile::tempdir().unwrap();
        for number in 0..30 {
            write(root.path(), &format!("f{number:02}.java"));
        }
        let folder = Folder::walk_up_to(root.path(), 10);
        assert_eq!(folder.files.len(), 10);
    }

    #[test]
    #[cfg(unix)]
    fn a_link_back_is_not_followed() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "a/A.java");
        std::os::unix::fs::symlink(root.path(), root.path().join("a/up")).unwrap();
        assert_eq!(Folder::walk(root.path()).named("A.java").len(), 1);
    }
}
