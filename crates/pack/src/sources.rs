//! The sources of the recorded classes, so that who gets the file sees code and not bytecode. Only what belongs to a
//! class of the program goes along: not the project, not libraries.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use program::Sources;
use trace::Recording;

use crate::error::Result;

/// The folder within the archive; below it sources lie by their packages.
pub const FOLDER: &str = "sources";

/// Where to look, as for every command.
#[derive(Clone, Debug, Default)]
pub struct SourcePlaces {
    pub named: Vec<PathBuf>,
    pub working_folder: Option<PathBuf>,
}

/// Source texts by their names in the archive.
pub type Found = BTreeMap<String, Arc<str>>;

/// Looks for the sources of a recording's classes.
pub fn find(recording: &Recording, places: &SourcePlaces, found: &mut Found) -> Result<()> {
    let jars = recording.program().classes().iter().map(|class| class.source.clone());
    let jars = jars.map(|source| PathBuf::from(source.strip_prefix("file:").unwrap_or(&source)));
    let mut jars: Vec<PathBuf> =
        jars.filter(|path| path.extension().is_some_and(|end| end == "jar")).collect();
    jars.sort();
    jars.dedup();
    let sources = Sources::new(places.named.clone(), places.working_folder.clone(), jars, None)?;
    for class in recording.program().classes() {
        if class.detail == trace::tables::Detail::Library {
            continue;
        }
        let file = recording.program().model(class).and_then(|model| model.source_file.as_deref());
        let Some(source) = sources.find(&class.name, file) else { continue };
        let path = source.path.rsplit(['/', '!']).next().unwrap_or_default();
        let name = match class.name.rsplit_once('/') {
            Some((package, _)) => format!("{FOLDER}/{package}/{path}"),
            None => format!("{FOLDER}/{path}"),
        };
        found.entry(name).or_insert(source.text);
    }
    Ok(())
}
