//! Finding the source of a class. Places are searched in order: what the user named, the program's working folder,
//! source jars beside the class path's, the JDK's own sources. Each is listed once, when it is first needed.

use std::collections::{HashMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use crate::archive::Archive;
use crate::error::Error;
use crate::folder::Folder;
use crate::package::package_of;

/// A source file of the program.
#[derive(Clone, Debug)]
pub struct Source {
    /// Where it is, for display: a path, or `archive!/entry`.
    pub path: String,
    pub text: Arc<str>,
    /// Why this may not be what the class was compiled from.
    pub suspicious: Option<String>,
    modified: Option<SystemTime>,
}

impl Source {
    /// A line, counted from 1 as in stack traces.
    pub fn line(&self, number: u32) -> Option<&str> {
        self.text.lines().nth(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// Compares with what is known of the class: the last line it mentions, and when it was there at the latest.
    pub fn checked(mut self, last_line: Option<u32>, class_time: Option<SystemTime>) -> Source {
        let lines = self.text.lines().count();
        if let Some(last) = last_line.filter(|&last| last as usize > lines) {
            let plural = if lines == 1 { "" } else { "s" };
            self.suspicious =
                Some(format!("the file has {lines} line{plural}, the class mentions line {last}"));
        } else if let (Some(file), Some(class)) = (self.modified, class_time)
            && file > class
        {
            self.suspicious.get_or_insert_with(|| "the file is newer than the class".to_owned());
        }
        self
    }
}

/// A file that is larger is no source, and no class. In bytes.
pub(crate) const LARGEST: usize = 16 << 20;

/// So many answers are kept, the latest ones.
const KEPT: usize = 256;

/// So many files of one name are opened in one place, to see whether their package fits.
const OPENED: usize = 64;

/// Where sources are looked for.
pub struct Sources {
    places: Vec<SourcePathEntry>,
    cache: Mutex<Cache>,
}

impl Sources {
    /// `roots` are what the user named: folders, source files, jars and zips. For a jar `x.jar` of the class path,
    /// `x-sources.jar` beside it is searched; of the JDK, `lib/src.zip`.
    pub fn new(
        roots: Vec<PathBuf>,
        working_folder: Option<PathBuf>,
        jars: Vec<PathBuf>,
        jdk_home: Option<PathBuf>,
    ) -> Result<Sources, Error> {
        let mut places = Vec::new();
        for root in roots {
            places.push(SourcePathEntry::named(root)?);
        }
        places.extend(working_folder.map(|folder| SourcePathEntry::Folder(folder, OnceLock::new())));
        let beside = jars.iter().filter_map(|jar| {
            let stem = jar.file_stem()?.to_str()?;
            Some(jar.with_file_name(format!("{stem}-sources.jar")))
        });
        let jdk = jdk_home.map(|home| home.join("lib/src.zip"));
        places.extend(beside.chain(jdk).map(|path| SourcePathEntry::Archive(path, OnceLock::new())));
        Ok(Sources { places, cache: Mutex::default() })
    }

    /// The source of a class (`demo/Main$Point`). `source_file` is what its `SourceFile` attribute says.
    pub fn find(&self, class: &str, source_file: Option<&str>) -> Option<Source> {
        let wanted = SourceName::of(class, source_file)?;
        let key = (wanted.package.clone(), wanted.files.clone());
        if let Some(known) = self.cache().answers.get(&key) {
            return known.clone();
        }
        let found = self.places.iter().find_map(|place| place.find(&wanted));
        self.cache().keep(key, found.clone());
        found
    }

    /// A panic elsewhere leaves the cache as it was: an answer is there or it is not.
    fn cache(&self) -> std::sync::MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

type Key = (String, Vec<String>);

#[derive(Default)]
struct Cache {
    answers: HashMap<Key, Option<Source>>,
    order: VecDeque<Key>,
}

impl Cache {
    fn keep(&mut self, key: Key, answer: Option<Source>) {
        if self.answers.insert(key.clone(), answer).is_none() {
            self.order.push_back(key);
        }
        if self.order.len() > KEPT
            && let Some(oldest) = self.order.pop_front()
        {
            self.answers.remove(&oldest);
        }
    }
}

/// What a source file must be like.
struct SourceName {
    /// With slashes.
    package: String,
    /// The names that it may have.
    files: Vec<String>,
}

impl SourceName {
    fn of(class: &str, source_file: Option<&str>) -> Option<SourceName> {
        let (package, simple) = class.rsplit_once('/').unwrap_or(("", class));
        let files = match source_file {
            // The attribute is text from a class file: it may try to lead elsewhere.
            Some(file) => vec![file.rsplit(['/', '\\']).next()?.to_owned()],
            None => {
                let outer = simple.split('$').next().filter(|outer| !outer.is_empty()).unwrap_or(simple);
                let mut files: Vec<String> = ["java", "kt", "groovy", "scala"]
                    .iter()
                    .map(|ending| format!("{outer}.{ending}"))
                    .collect();
                // Kotlin puts the functions of a file into a class of their own.
                files.extend(outer.strip_suffix("Kt").map(|file| format!("{file}.kt")));
                files
            }
        };
        let odd = |part: &str| part.is_empty() || part == "." || part == "..";
        let harmless = !files.iter().any(|file| odd(file))
            && (package.is_empty() || !package.split('/').any(odd))
            && !class.starts_with('[');
        harmless.then(|| SourceName { package: package.to_owned(), files })
    }

    fn fits(&self, text: &str) -> bool {
        package_of(text) == self.package.replace('/', ".")
    }

    /// The usual place of a file, below the root of its sources.
    fn path(&self, file: &str) -> String {
        if self.package.is_empty() { file.to_owned() } else { format!("{}/{file}", self.package) }
    }

    /// Does a path (with slashes) end with package and file?
    fn is_at(&self, path: &str, file: &str) -> bool {
        let usual = self.path(file);
        path.strip_suffix(usual.as_str()).is_some_and(|before| before.is_empty() || before.ends_with('/'))
    }
}

/// Where sources usually lie below a project's folder.
const LAYOUTS: [&str; 12] = [
    "",
    "src/main/java",
    "src/test/java",
    "src",
    "java",
    "src/main/kotlin",
    "src/test/kotlin",
    "src/main/groovy",
    "src/test/groovy",
    "src/main/scala",
    "src/test/scala",
    "test",
];

enum SourcePathEntry {
    File(PathBuf),
    Folder(PathBuf, OnceLock<Folder>),
    Archive(PathBuf, OnceLock<Option<Archive>>),
}

impl SourcePathEntry {
    /// A place that the user named: it has to be there.
    fn named(path: PathBuf) -> Result<SourcePathEntry, Error> {
        let data = match fs::metadata(&path) {
            Ok(data) => data,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(Error::Missing(path)),
            Err(source) => return Err(Error::Unreadable { path, source }),
        };
        if data.is_dir() {
            return Ok(SourcePathEntry::Folder(path, OnceLock::new()));
        }
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        if ["java", "kt", "kts", "groovy", "scala"].contains(&ending) {
            return Ok(SourcePathEntry::File(path));
        }
        let archive = Archive::open(&path, file_name)?;
        Ok(SourcePathEntry::Archive(path, OnceLock::from(Some(archive))))
    }

    fn find(&self, wanted: &SourceName) -> Option<Source> {
        wanted.files.iter().find_map(|file| match self {
            SourcePathEntry::File(path) => {
                let same = path.file_name().and_then(|name| name.to_str()) == Some(file);
                if same { read(path, wanted) } else { None }
            }
            SourcePathEntry::Folder(root, listed) => in_folder(root, listed, wanted, file),
            SourcePathEntry::Archive(path, opened) => {
                // Unlike a named archive, one that is only looked for may be missing or broken.
                let archive = opened.get_or_init(|| Archive::open(path, file_name).ok()).as_ref()?;
                in_archive(archive, wanted, file)
            }
        })
    }
}

/// In the usual places first: that needs no walk through the folder.
fn in_folder(root: &Path, listed: &OnceLock<Folder>, wanted: &SourceName, file: &str) -> Option<Source> {
    let usual = LAYOUTS.iter().map(|layout| root.join(layout).join(wanted.path(file)));
    if let Some(source) = usual.into_iter().find_map(|path| read(&path, wanted)) {
        return Some(source);
    }
    let folder = listed.get_or_init(|| Folder::walk(root));
    let is_at = |path: &&PathBuf| wanted.is_at(&path.to_string_lossy().replace('\\', "/"), file);
    let (at, elsewhere): (Vec<&PathBuf>, Vec<&PathBuf>) = folder.named(file).iter().partition(is_at);
    pick(at, elsewhere, |path| read(path, wanted))
}

fn in_archive(archive: &Archive, wanted: &SourceName, file: &str) -> Option<Source> {
    let modified = fs::metadata(archive.path()).and_then(|data| data.modified()).ok();
    let (at, elsewhere): (Vec<_>, Vec<_>) =
        archive.named(file).iter().partition(|entry| wanted.is_at(&entry.path, file));
    pick(at, elsewhere, |entry| {
        let path = format!("{}!/{}", archive.path().display(), entry.path);
        source(path, &archive.read(entry)?, modified, wanted)
    })
}

/// The first of the files that fits, those in the folder of their package before others. If a second one is as good,
/// that is told.
fn pick<T>(at: Vec<&T>, elsewhere: Vec<&T>, read: impl Fn(&T) -> Option<Source>) -> Option<Source> {
    [at, elsewhere].into_iter().find_map(|list| {
        let mut fitting = list.into_iter().take(OPENED).filter_map(&read);
        let mut first = fitting.next()?;
        if let Some(second) = fitting.next() {
            first.suspicious = Some(format!("{} fits the class as well", second.path));
        }
        Some(first)
    })
}

fn read(path: &Path, wanted: &SourceName) -> Option<Source> {
    let data = fs::metadata(path).ok()?;
    if !data.is_file() || data.len() > LARGEST as u64 {
        return None;
    }
    source(path.display().to_string(), &fs::read(path).ok()?, data.modified().ok(), wanted)
}

fn source(path: String, bytes: &[u8], modified: Option<SystemTime>, wanted: &SourceName) -> Option<Source> {
    let text = String::from_utf8_lossy(bytes);
    wanted.fits(&text).then(|| Source { path, text: text.into(), suspicious: None, modified })
}

/// Sources in an archive are looked for by their file's name.
fn file_name(path: &str) -> Option<&str> {
    path.rsplit('/').next().filter(|name| !name.ends_with(".class"))
}
