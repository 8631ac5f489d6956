//! What tells whether the class files at a place of the class path are still the same.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// So many files of a folder on the class path are looked at. Further ones may change without being noticed.
const MOST_FILES: usize = 50_000;

/// Size and time of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    pub path: String,
    pub size: u64,
    /// When it was last changed.
    pub seconds: i64,
    pub nanoseconds: i64,
}

/// Of a file, or of all class files in a folder, in an order that depends on their names only.
pub fn stamps(place: &Path) -> Vec<Stamp> {
    let mut stamps = Vec::new();
    let mut waiting = vec![place.to_owned()];
    let mut left = MOST_FILES;
    while let Some(path) = waiting.pop() {
        let Ok(found) = fs::symlink_metadata(&path).and_then(|link| {
            // A jar is often reached through a link; folders within a folder are not, lest there be no end.
            if path == place { fs::metadata(&path) } else { Ok(link) }
        }) else {
            continue;
        };
        if found.is_dir() {
            let mut inside: Vec<PathBuf> =
                fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
            inside.sort_unstable();
            inside.truncate(left);
            left -= inside.len();
            waiting.extend(inside);
        } else if path == place || path.extension().is_some_and(|end| end == "class") {
            stamps.push(Stamp {
                path: path.to_string_lossy().into_owned(),
                size: found.len(),
                seconds: found.mtime(),
                nanoseconds: found.mtime_nsec(),
            });
        }
    }
    stamps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_files_of_a_folder_and_a_file_as_it_is() {
        let root = tempfile::tempdir().unwrap();
        let [inner, jar] = ["inner", "a.jar"].map(|name| root.path().join(name));
        fs::create_dir(&inner).unwrap();
        for (path, content) in
            [(inner.join("B.class"), "bb"), (root.path().join("A.class"), "a"), (jar.clone(), "jar")]
        {
            fs::write(path, content).unwrap();
        }
        let sizes = |place: &Path| stamps(place).iter().map(|stamp| stamp.size).collect::<Vec<u64>>();
        assert_eq!(sizes(root.path()), [2, 1]);
        assert_eq!(sizes(&jar), [3]);
        assert_eq!(sizes(&root.path().join("absent")), [0; 0]);
    }
}
