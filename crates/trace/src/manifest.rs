//! `manifest.json`: what a recording is, before anything else of it is read. Fields that this version does not
//! know are kept, so that a tool that rewrites a manifest loses nothing; another format version is refused.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// The version of the format that this crate writes.
pub const FORMAT: u64 = 3;
/// The first version that it reads. A recording of version 1 has no layouts, and less of what objects of libraries hold.
pub const OLDEST: u64 = 1;
pub const FILE: &str = "manifest.json";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Manifest {
    pub format: u64,
    /// Version of the inquest that recorded.
    pub inquest: String,
    pub command: Vec<String>,
    /// The folder in which the JVM was started; empty if it is not known.
    pub folder: String,
    pub jvm: Jvm,
    pub pid: u32,
    /// Milliseconds since 1970.
    pub started: u64,
    /// As `started`; none while the recording lasts, or if it was cut off.
    pub ended: Option<u64>,
    /// The program's exit code.
    pub exit: Option<i32>,
    /// True if everything up to the program's end was recorded.
    pub complete: bool,
    /// How long the program's threads waited for the recorder, summed up.
    pub waited_ms: u64,
    /// `calls`, `heap` or `full`.
    pub detail: String,
    pub scope: RecordedScope,
    pub host: Host,
    /// Why recording stopped before the program's end, if it did.
    pub stopped: Option<String>,
    /// Fields of other versions.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl Manifest {
    /// How many elements of an array are recorded when it is looked at, at most; none if that is not known.
    pub fn array_limit(&self) -> Option<u32> {
        let limit = self.more.get("limits")?.get("array")?.as_u64()?;
        u32::try_from(limit).ok()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Jvm {
    pub version: String,
    pub vendor: String,
    pub home: String,
    /// As the JVM has them, with its separators; empty if there is none, or it is not known.
    pub class_path: String,
    pub module_path: String,
    #[serde(flatten)]
    pub more: BTreeMap<String, Value>,
}

/// What counts as program code.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordedScope {
    pub include: Vec<String>,
    pub exclude: Vec<String>,
    pub folders: Vec<String>,
    pub main_jar: Option<String>,
    #[serde(flatten)]
    pub more: BTreeMap<String, Value>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Host {
    pub os: String,
    pub cpus: u32,
    /// Bytes.
    pub memory: u64,
    #[serde(flatten)]
    pub more: BTreeMap<String, Value>,
}

impl Default for Manifest {
    fn default() -> Self {
        Manifest {
            format: FORMAT,
            inquest: env!("CARGO_PKG_VERSION").to_owned(),
            command: Vec::new(),
            folder: String::new(),
            jvm: Jvm::default(),
            pid: 0,
            started: 0,
            ended: None,
            exit: None,
            complete: false,
            waited_ms: 0,
            detail: "full".to_owned(),
            scope: RecordedScope::default(),
            host: Host::default(),
            stopped: None,
            more: Map::new(),
        }
    }
}

impl Manifest {
    /// Reads the manifest of the recording in `dir`.
    pub fn load(dir: &Path) -> Result<Manifest> {
        let path = dir.join(FILE);
        let text = fs::read(&path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                Error::NoManifest { path: dir.to_owned() }
            }
            _ => Error::Read { path: path.clone(), source },
        })?;
        let bad = |why: String| Error::BadManifest { path: path.clone(), why };
        // The version first: another version's fields may have other types.
        let json: Value = serde_json::from_slice(&text).map_err(|error| bad(error.to_string()))?;
        match json.get("format").map(Value::as_u64) {
            Some(Some(OLDEST..=FORMAT)) => {}
            Some(Some(found)) => return Err(Error::UnknownFormat { found, known: FORMAT }),
            _ => return Err(bad("it does not say which format the recording has".to_owned())),
        }
        serde_json::from_value(json).map_err(|error| bad(error.to_string()))
    }

    /// Writes the manifest so that a reader sees the old one or the new one, never a part.
    pub fn store(&self, dir: &Path) -> Result<()> {
        let path = dir.join(FILE);
        let cannot = |source| Error::Write { path: path.clone(), source };
        let mut text = serde_json::to_vec_pretty(self).map_err(|error| cannot(io::Error::other(error)))?;
        text.push(b'\n');
        let temporary = dir.join(format!("{FILE}.tmp"));
        let mut file = File::create(&temporary).map_err(cannot)?;
        file.write_all(&text).and_then(|()| file.sync_all()).map_err(cannot)?;
        fs::rename(&temporary, &path).map_err(cannot)
    }
}
