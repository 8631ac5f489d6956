//! A folder in which things are kept, each made under another name and renamed when it is whole.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::content::Content;
use crate::draft::Draft;

#[derive(Clone, Debug)]
pub struct Shelf {
    folder: Option<PathBuf>,
}

impl Shelf {
    /// In this folder, which is made when something is to be kept.
    pub fn in_folder(folder: PathBuf) -> Shelf {
        Shelf { folder: Some(folder) }
    }

    /// Nothing is found here, and nothing that is put here stays.
    pub fn nowhere() -> Shelf {
        Shelf { folder: None }
    }

    /// What is kept under a name, read into memory; none if there is nothing, or it cannot be read.
    pub fn read(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.folder.as_ref()?.join(name)).ok()
    }

    /// Keeps bytes under a name, in place of what is there. They are not kept where there is no room, or no right to
    /// write: then they are to be made again.
    pub fn keep(&self, name: &str, bytes: &[u8]) {
        let Some(folder) = &self.folder else { return };
        let beside = folder.join(format!("{name}.{}.tmp", std::process::id()));
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(&beside, bytes));
        if written.and_then(|()| fs::rename(&beside, folder.join(name))).is_err() {
            let _ = fs::remove_file(&beside);
        }
    }

    /// What is kept under a name, if `accept` takes it; otherwise it is made and kept, once even if several processes
    /// ask for it. `make` gives an error of its own to give up altogether, and one of the disk to have it tried again
    /// elsewhere: in a file without a name, then in memory. None if `accept` does not take what was made either.
    pub fn open_or_make<T, E>(
        &self,
        name: &str,
        accept: impl Fn(Content) -> Option<T>,
        mut make: impl FnMut(&mut Draft) -> Result<io::Result<()>, E>,
    ) -> Result<Option<T>, E> {
        if let Some(folder) = &self.folder {
            if let Some(found) = load(folder, name, &accept) {
                return Ok(Some(found));
            }
            if let Some(made) = make_in(folder, name, &accept, &mut make)? {
                return Ok(Some(made));
            }
        }
        let places = [|| Draft::unnamed().ok(), || Some(Draft::in_memory())];
        for mut draft in places.iter().filter_map(|place| place()) {
            if make(&mut draft)?.is_ok()
                && let Some(made) = draft.into_content().and_then(&accept)
            {
                return Ok(Some(made));
            }
        }
        Ok(None)
    }
}

fn load<T>(folder: &Path, name: &str, accept: impl Fn(Content) -> Option<T>) -> Option<T> {
    accept(Content::mapped(&File::open(folder.join(name)).ok()?)?)
}

/// None if the folder cannot be written to.
fn make_in<T, E>(
    folder: &Path,
    name: &str,
    accept: impl Fn(Content) -> Option<T>,
    make: &mut impl FnMut(&mut Draft) -> Result<io::Result<()>, E>,
) -> Result<Option<T>, E> {
    let [new, lock_path] = ["new", "lock"].map(|end| folder.join(format!("{name}.{end}")));
    let Ok(lock) = fs::create_dir_all(folder).and_then(|()| File::create(&lock_path)) else {
        return Ok(None);
    };
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            // Somebody else makes it just now.
            if lock.lock().is_ok()
                && let Some(found) = load(folder, name, &accept)
            {
                return Ok(Some(found));
            }
        }
        Err(TryLockError::Error(_)) => return Ok(None),
    }
    let file = File::options().create(true).truncate(true).read(true).write(true).open(&new);
    let written = match file {
        Ok(file) => make(&mut Draft::in_file(file))?.is_ok(),
        Err(_) => false,
    };
    let kept = if written && fs::rename(&new, folder.join(name)).is_ok() {
        load(folder, name, &accept)
    } else {
        None
    };
    if kept.is_none() {
        let _ = fs::remove_file(&new);
    }
    let _ = fs::remove_file(&lock_path);
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(shelf: &Shelf, version: u8, made: &mut u32) -> Option<Vec<u8>> {
        let accept = |content: Content| (content.first() == Some(&version)).then(|| content.to_vec());
        let make = |draft: &mut Draft| {
            *made += 1;
            Ok::<_, ()>(draft.write_at(&[version, 7], 0))
        };
        shelf.open_or_make("thing", accept, make).unwrap()
    }

    #[test]
    fn it_is_made_once_and_again_if_it_does_not_fit() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::in_folder(folder.path().join("kept"));
        let mut made = 0;
        for (version, expected) in [(1, 1), (1, 1), (2, 2), (2, 2)] {
            assert_eq!(opened(&shelf, version, &mut made), Some(vec![version, 7]));
            assert_eq!(made, expected);
        }
        let files: Vec<_> = fs::read_dir(folder.path().join("kept")).unwrap().collect();
        assert_eq!(files.len(), 1);
    }

    #[test]
    fn where_nothing_can_be_kept_it_is_made_all_the_same() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("kept"), "in the way").unwrap();
        for shelf in [Shelf::nowhere(), Shelf::in_folder(folder.path().join("kept"))] {
            assert_eq!(opened(&shelf, 1, &mut 0), Some(vec![1, 7]));
            shelf.keep("thing", b"kept");
            assert_eq!(shelf.read("thing"), None);
        }
    }

    #[test]
    fn a_disk_that_says_no_is_not_the_end_but_an_error_of_the_maker_is() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::in_folder(folder.path().to_owned());
        let mut left = 2;
        let made = shelf.open_or_make("thing", Some, |draft| {
            left -= 1;
            Ok::<_, ()>(if left == 0 {
                draft.write_at(b"at last", 0)
            } else {
                Err(io::ErrorKind::StorageFull.into())
            })
        });
        assert_eq!(&*made.unwrap().unwrap(), b"at last");
        assert_eq!(shelf.open_or_make("thing", Some, |_| Err("broken")).unwrap_err(), "broken");
    }

    #[test]
    fn bytes_are_kept_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::in_folder(folder.path().join("kept"));
        assert_eq!(shelf.read("thing"), None);
        for bytes in [&b"long enough"[..], b"short"] {
            shelf.keep("thing", bytes);
            assert_eq!(shelf.read("thing").as_deref(), Some(bytes));
        }
        assert_eq!(fs::read_dir(folder.path().join("kept")).unwrap().count(), 1);
    }
}
