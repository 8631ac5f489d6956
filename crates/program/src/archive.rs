//! Files in a jar or zip. Its directory is read once; an entry is unpacked when it is asked for. Nothing in an
//! archive is trusted: names are only compared, and sizes are bounded.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use rawzip::{CompressionMethod, FileReader, RECOMMENDED_BUFFER_SIZE, ZipArchive, ZipArchiveEntryWayfinder};

use crate::error::Error;
use crate::sources::LARGEST;

pub(crate) struct Archive {
    path: PathBuf,
    zip: ZipArchive<FileReader>,
    entries: HashMap<String, Vec<Entry>>,
}

pub(crate) struct Entry {
    /// The path within the archive.
    pub path: String,
    place: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
}

impl Archive {
    /// `key` says under which name an entry is to be found, given its path; none: never.
    pub fn open(path: &Path, key: fn(&str) -> Option<&str>) -> Result<Archive, Error> {
        let unreadable = |source| Error::Unreadable { path: path.to_owned(), source };
        let broken =
            |error: rawzip::Error| Error::Archive { path: path.to_owned(), reason: error.to_string() };
        let file = File::open(path).map_err(unreadable)?;
        let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
        let zip = ZipArchive::from_file(file, &mut buffer).map_err(broken)?;
        let mut entries: HashMap<String, Vec<Entry>> = HashMap::new();
        let mut directory = zip.entries(&mut buffer);
        while let Some(entry) = directory.next_entry().map_err(broken)? {
            let Ok(name) = std::str::from_utf8(entry.file_path().as_bytes()).map(str::to_owned) else {
                continue;
            };
            let Some(key) = key(&name).filter(|_| !entry.is_dir()) else {
                continue;
            };
            let (place, method) = (entry.wayfinder(), entry.compression_method());
            entries.entry(key.to_owned()).or_default().push(Entry { path: name, place, method });
        }
        Ok(Archive { path: path.to_owned(), zip, entries })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All entries with that key.
    pub fn named(&self, name: &str) -> &[Entry] {
        self.entries.get(name).map_or(&[], Vec::as_slice)
    }

    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// The content of an entry; `None` if it is damaged, too large, or packed in an unusual way.
    pub fn read(&self, entry: &Entry) -> Option<Vec<u8>> {
        let found = self.zip.get_entry(entry.place).ok()?;
        let mut packed = Vec::new();
        found.reader().take(LARGEST as u64).read_to_end(&mut packed).ok()?;
        let content = match entry.method {
            CompressionMethod::STORE => packed,
            CompressionMethod::DEFLATE => {
                miniz_oxide::inflate::decompress_to_vec_with_limit(&packed, LARGEST).ok()?
            }
            _ => return None,
        };
        let mut verified = Vec::new();
        found.verifying_reader(content.as_slice()).read_to_end(&mut verified).ok()?;
        Some(verified)
    }
}
