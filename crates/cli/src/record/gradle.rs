//! Gradle runs builds in a daemon, which has the environment of whoever started it, long ago perhaps: what we put into ours does not
//! reach the tests. So Gradle gets a script of its own kind, whose only act is to give our options to the JVMs of tests and programs.
//! The JVMs of Gradle itself are left alone.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// Name of the script, in the folder of the recording while the command runs.
pub const SCRIPT: &str = "inquest.gradle";

/// Writes the script; gives what is to stand before Gradle's own arguments.
pub fn install(dir: &Path, jvm_options: &[OsString]) -> Result<Vec<OsString>> {
    let mut list = Vec::new();
    for option in jvm_options {
        let Some(text) = option.to_str() else {
            bail!(
                "{} is no text that Gradle's scripts can hold: give another folder with -o",
                option.display()
            );
        };
        list.push(format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")));
    }
    let path = dir.join(SCRIPT);
    let text = script(&list.join(", "));
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(vec!["-I".into(), path.into()])
}

/// The build's own options come after ours, so that they win. Ours name the folder of this run, so no test counts as up to date.
fn script(options: &str) -> String {
    format!(
        "// Made by inquest for one run; it goes away with it.
gradle.taskGraph.whenReady {{ graph ->
    graph.allTasks.each {{ task ->
        if (task instanceof org.gradle.api.tasks.testing.Test || task instanceof org.gradle.api.tasks.JavaExec) {{
            def own = task.jvmArgs
            task.jvmArgs = [{options}] + (own ?: [])
        }}
    }}
}}
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_stand_in_the_script_as_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let arguments = install(dir.path(), &["-Xss1m".into(), r"-agentpath:/it's/a\b".into()]).unwrap();
        assert_eq!(arguments, ["-I".into(), dir.path().join(SCRIPT).into_os_string()]);
        let text = fs::read_to_string(dir.path().join(SCRIPT)).unwrap();
        assert!(text.contains(r"['-Xss1m', '-agentpath:/it\'s/a\\b'] + (own"), "{text}");
    }
}
