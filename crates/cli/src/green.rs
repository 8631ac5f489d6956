//! JVMs of a run in which nothing failed: `inquest test` says so in their manifests, so that whoever looks for what failed need not
//! read them again.

use std::path::Path;

use serde_json::Value;
use trace::Manifest;

const KEY: &str = "failed";

/// Did somebody look, and find that nothing failed?
pub fn is_known(place: &Path) -> bool {
    Manifest::load(place).is_ok_and(|manifest| manifest.more.get(KEY) == Some(&Value::Bool(false)))
}

/// A recording that cannot say so is looked at again.
pub fn mark(place: &Path) {
    if let Ok(mut manifest) = Manifest::load(place) {
        manifest.more.insert(KEY.to_owned(), Value::Bool(false));
        let _ = manifest.store(place);
    }
}
