//! From a packed file to a folder again. Nothing in the file is trusted: names that would lead elsewhere are refused,
//! and every entry is held to its checksum.

use std::fs::{self, File};
use std::hash::Hasher;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};

use rawzip::{
    CompressionMethod, FileReader, RECOMMENDED_BUFFER_SIZE, ZipArchive, ZipArchiveEntryWayfinder, ZipEntry,
};
use siphasher::sip128::{Hasher128, SipHasher13};

use crate::chunk_file;
use crate::error::{Error, Result};
use crate::inflate::Inflating;
use crate::label::{self, Label};

/// A label is some lines.
const LARGEST_LABEL: u64 = 64 << 10;

/// Does a file begin like an archive? A folder does not.
pub fn is_archive(path: &Path) -> bool {
    let mut magic = [0; 4];
    path.is_file()
        && File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok()
        && &magic == b"PK\x03\x04"
}

/// A packed recording whose directory was read.
pub struct Archived {
    path: PathBuf,
    zip: ZipArchive<FileReader>,
    entries: Vec<Entry>,
    pub label: Label,
    identity: String,
}

struct Entry {
    name: String,
    place: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    bytes: u64,
}

impl Archived {
    pub fn open(path: &Path) -> Result<Archived> {
        let unreadable = |source| Error::Read { path: path.to_owned(), source };
        let damaged = |what: &str| Error::Damaged { path: path.to_owned(), what: what.to_owned() };
        let mut file = File::open(path).map_err(unreadable)?;
        let copy = file.try_clone().map_err(unreadable)?;
        let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
        let zip = ZipArchive::from_file(copy, &mut buffer).map_err(|_| damaged("its end is missing"))?;
        let mut entries = Vec::new();
        let mut directory = zip.entries(&mut buffer);
        while let Some(entry) = directory.next_entry().map_err(|error| damaged(&error.to_string()))? {
            if entry.is_dir() {
                continue;
            }
            let name = std::str::from_utf8(entry.file_path().as_bytes()).map(str::to_owned);
            let name = name.ok().filter(|name| is_harmless(name));
            entries.push(Entry {
                name: name.ok_or_else(|| damaged("an entry has a name that no recording has"))?,
                place: entry.wayfinder(),
                method: entry.compression_method(),
                bytes: entry.uncompressed_size_hint(),
            });
        }
        let identity = identity(&mut file, zip.directory_offset()).map_err(unreadable)?;
        let label = Label { version: 0, inquest: String::new(), name: String::new(), redacted: false };
        let mut archived = Archived { path: path.to_owned(), zip, entries, label, identity };
        archived.label = archived.read_label()?;
        Ok(archived)
    }

    /// A name for its content: the directory has a checksum of every part.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Bytes that it unpacks to.
    pub fn bytes(&self) -> u64 {
        self.entries.iter().fold(0, |sum, entry| sum.saturating_add(entry.bytes))
    }

    /// Unpacks everything into a folder, which is made. Tells `progress` how many bytes of how many are unpacked.
    pub fn unpack(&self, into: &Path, progress: &mut dyn FnMut(u64, u64)) -> Result<()> {
        let all = self.bytes();
        let mut done = 0;
        for entry in self.entries.iter().filter(|entry| entry.name != label::NAME) {
            let path = into.join(&entry.name);
            self.unpack_one(entry, &path, &mut |more| {
                done += more;
                progress(done, all);
            })?;
        }
        Ok(())
    }

    fn unpack_one(&self, entry: &Entry, path: &Path, done: &mut dyn FnMut(u64)) -> Result<()> {
        let unwritable = |source| Error::Write { path: path.to_owned(), source };
        fs::create_dir_all(path.parent().unwrap_or(path)).map_err(unwritable)?;
        let mut out = BufWriter::new(File::create_new(path).map_err(unwritable)?);
        let found =
            self.zip.get_entry(entry.place).map_err(|error| self.damaged(&entry.name, &error.to_string()))?;
        let mut from = self.content(entry, &found)?;
        // Whether it could not be read or not be written decides what to do about it.
        let mut broken = None;
        let mut reader = Noting { from: &mut from, broken: &mut broken };
        let copied = chunk_file::copy(&mut reader, &mut out, done);
        if let Some(why) = broken {
            return Err(self.damaged(&entry.name, &why));
        }
        copied.and_then(|()| out.flush()).map_err(unwritable)
    }

    /// The content of an entry, held to its checksum at the end.
    fn content<'e>(&self, entry: &Entry, found: &'e ZipEntry<'_, FileReader>) -> Result<Box<dyn Read + 'e>> {
        Ok(match entry.method {
            CompressionMethod::STORE => Box::new(found.verifying_reader(found.reader())),
            CompressionMethod::DEFLATE => Box::new(found.verifying_reader(Inflating::new(found.reader()))),
            _ => return Err(self.damaged(&entry.name, "it is compressed in another way")),
        })
    }

    fn read_label(&self) -> Result<Label> {
        let Some(entry) = self.entries.iter().find(|entry| entry.name == label::NAME) else {
            return Err(Error::NotPacked { path: self.path.clone() });
        };
        let damaged = |error: &dyn std::fmt::Display| self.damaged(label::NAME, &error.to_string());
        let found = self.zip.get_entry(entry.place).map_err(|error| damaged(&error))?;
        let mut text = Vec::new();
        let mut from = self.content(entry, &found)?.take(LARGEST_LABEL);
        from.read_to_end(&mut text).map_err(|error| damaged(&error))?;
        // The version first: another version's fields may be others.
        let json: serde_json::Value = serde_json::from_slice(&text).map_err(|error| damaged(&error))?;
        match json.get("version").and_then(serde_json::Value::as_u64) {
            Some(label::VERSION) => serde_json::from_value(json).map_err(|error| damaged(&error)),
            found => Err(Error::Version {
                path: self.path.clone(),
                by: json.get("inquest").and_then(|by| by.as_str()).unwrap_or("of another version").to_owned(),
                found: found.unwrap_or(0),
                known: label::VERSION,
            }),
        }
    }

    fn damaged(&self, entry: &str, why: &str) -> Error {
        Error::Damaged { path: self.path.clone(), what: format!("{entry}: {why}") }
    }
}

/// Keeps why reading failed, which would otherwise look like a failure to write.
struct Noting<'a, 'r> {
    from: &'a mut (dyn Read + 'r),
    broken: &'a mut Option<String>,
}

impl Read for Noting<'_, '_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.from.read(out).inspect_err(|error| *self.broken = Some(error.to_string()))
    }
}

fn identity(file: &mut File, directory: u64) -> io::Result<String> {
    let mut key = SipHasher13::new();
    file.seek(SeekFrom::Start(directory))?;
    let mut bytes = vec![0; 64 << 10];
    loop {
        let length = file.read(&mut bytes)?;
        if length == 0 {
            return Ok(format!("{:032x}", key.finish128().as_u128()));
        }
        key.write(&bytes[..length]);
    }
}

/// A path below where it is unpacked, and nowhere else.
fn is_harmless(name: &str) -> bool {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    !name.is_empty() && !name.contains(['\\', '\0']) && Path::new(name).components().all(plain)
}
