//! The class files of a run. What was recorded comes first: it is what ran. Everything else is looked for where the JVM
//! would have: in the run's JDK and on its class path, as they are now.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use index::Evidence;
use past::Past;
use pointsto::ClassLookup;
use program::{ClassPath, Start, class_path_of, path_of_url};
use trace::Class;
use trace::tables::Detail;

pub struct RunClasses<'a> {
    recorded: HashMap<&'a str, &'a Class>,
    /// Names that more than one loader had; the first class stands for all.
    ambiguous: Vec<&'a str>,
    path: ClassPath,
    /// With slashes.
    include: Vec<String>,
    exclude: Vec<String>,
    /// Places that are program code as a whole: folders, and the main jar.
    whole: HashSet<PathBuf>,
}

impl<'a> RunClasses<'a> {
    pub fn new(past: &'a Past) -> RunClasses<'a> {
        let manifest = past.recording().manifest();
        let slashed = |names: &[String]| names.iter().map(|name| name.replace('.', "/")).collect();
        let (include, exclude): (Vec<String>, Vec<String>) =
            (slashed(&manifest.scope.include), slashed(&manifest.scope.exclude));
        let mut recorded: HashMap<&str, &Class> = HashMap::new();
        let mut ambiguous = Vec::new();
        let mut entries = class_path_of(Start {
            command: &manifest.command,
            folder: &manifest.folder,
            class_path: &manifest.jvm.class_path,
            module_path: &manifest.jvm.module_path,
        });
        let mut whole = HashSet::new();
        let mut last_source = "";
        for class in past.recording().program().classes() {
            if let Some(first) = recorded.get(class.name.as_str()) {
                // A library class that is woven late is there twice, of one loader, and says the same in other bytes.
                if first.loader != class.loader && first.bytes != class.bytes {
                    ambiguous.push(class.name.as_str());
                }
            } else {
                recorded.insert(&class.name, class);
            }
            let is_asked_for = include.iter().any(|prefix| is_prefix(prefix, &class.name));
            if !is_program(class) || (is_asked_for && class.source == last_source) {
                continue;
            }
            last_source = &class.source;
            let Some(place) = path_of_url(&class.source).map(PathBuf::from) else { continue };
            if place.as_os_str().is_empty() {
                continue;
            }
            if !is_asked_for {
                whole.insert(place.clone());
            }
            // Loaders of the program have places of their own.
            if !entries.contains(&place) {
                entries.push(place);
            }
        }
        ambiguous.sort_unstable();
        ambiguous.dedup();
        let home = Some(manifest.jvm.home.as_str()).filter(|home| !home.is_empty()).map(Path::new);
        RunClasses { recorded, ambiguous, path: ClassPath::open(entries, home), include, exclude, whole }
    }

    /// Classes of which several loaders had different ones under one name: only the first is looked at.
    pub fn ambiguous(&self) -> &[&'a str] {
        &self.ambiguous
    }

    pub fn path(&self) -> &ClassPath {
        &self.path
    }

    /// Those in the recording, in no order.
    pub fn recorded(&self) -> impl Iterator<Item = &'a Class> + '_ {
        self.recorded.values().copied()
    }

    /// A class that was not loaded is program code if it would have been, had it been loaded.
    fn would_be_program(&self, name: &str) -> bool {
        if self.exclude.iter().any(|prefix| is_prefix(prefix, name)) {
            return false;
        }
        let Some(place) = self.path.place_of(name) else { return false };
        if self.path.image().is_some_and(|image| image == place) {
            return false;
        }
        self.include.iter().any(|prefix| is_prefix(prefix, name))
            || place.is_dir()
            || self.whole.contains(place)
    }
}

impl ClassLookup for RunClasses<'_> {
    fn bytes(&self, name: &str) -> Option<Cow<'_, [u8]>> {
        match self.recorded.get(name) {
            Some(class) => Some(Cow::Borrowed(&class.bytes)),
            None => Some(self.path.find(name)?.bytes),
        }
    }

    fn is_program(&self, name: &str) -> bool {
        self.recorded.get(name).map_or_else(|| self.would_be_program(name), |class| is_program(class))
    }
}

/// The recording also has library classes whose writes it has.
pub(super) fn is_program(class: &Class) -> bool {
    class.detail != Detail::Library
}

/// Does the prefix name the class, or a class or package around it?
fn is_prefix(prefix: &str, name: &str) -> bool {
    name.strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '$']) || prefix.ends_with('/'))
}
