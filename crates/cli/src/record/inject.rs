//! How the agent gets into JVMs without a trace in the program's output. HotSpot announces options that it takes
//! from the environment on stderr, so arguments are used wherever we can reach the command line:
//!
//! - the command is a JDK's launcher: the options become its first arguments;
//! - the command is Gradle: a script of its own passes them on to tests and programs (see `gradle`);
//! - the command is another script (ant, mvn): `java` on PATH and in JAVA_HOME are stand-ins (see `shim`) that
//!   add the options and restore the environment;
//! - JVMs that a recorded JVM starts: its agent adds the options to their command line, or sets JAVA_TOOL_OPTIONS for
//!   scripts (both stand in the options file). These,
//!   and those that a script starts by an absolute path, say "Picked up JAVA_TOOL_OPTIONS" on their stderr.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::agent_library;
use crate::record::gradle;
use crate::record::java_command::Main;
use crate::record::options::RecordOptions;
use crate::record::output::{AGENT_OPTIONS, SHIM};
use crate::record::shim;

const TOOL_OPTIONS: &str = "JAVA_TOOL_OPTIONS";

/// What to change about the command.
pub struct Injection {
    /// To be put before the command's own arguments.
    pub arguments: Vec<OsString>,
    pub environment: Vec<(&'static str, OsString)>,
    /// What is only needed while the command runs.
    temporary: Vec<PathBuf>,
}

impl Injection {
    pub fn prepare(options: &RecordOptions, dir: &Path) -> Result<Injection> {
        let library = agent_library::unpacked()?;
        let options_file = dir.join(AGENT_OPTIONS);
        let jvm_options = jvm_options(&library, &options_file);
        let for_children = tool_options(&jvm_options, false)?;
        fs::write(&options_file, agent_options(options, dir, &jvm_options, for_children))
            .with_context(|| format!("cannot write {}", options_file.display()))?;

        let original = std::env::var_os(TOOL_OPTIONS).filter(|value| !value.is_empty());
        let added = tool_options(&jvm_options, original.is_some())?;
        let mut with_agent = original.unwrap_or_default();
        with_agent.push(&added);

        let mut injection =
            Injection { arguments: Vec::new(), environment: Vec::new(), temporary: vec![options_file] };
        match &options.launcher {
            Some(launcher) if launcher.is_java() => injection.arguments = jvm_options,
            Some(_) => injection.arguments = jvm_options.iter().map(for_tool).collect(),
            None if options.gradle => {
                injection.arguments = gradle::install(dir, &jvm_options)?;
                injection.temporary.push(dir.join(gradle::SCRIPT));
            }
            None => {
                injection.environment.push((TOOL_OPTIONS, with_agent));
                let shim = dir.join(SHIM);
                injection.temporary.push(shim.clone());
                injection.environment.extend(shim::install(&shim, &jvm_options, &added)?);
            }
        }
        Ok(injection)
    }

    pub fn clean_up(&self) {
        for path in &self.temporary {
            let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        }
    }
}

/// The JVM's options, ours first so that the user's win. Instrumented methods are large; without the flag HotSpot
/// would leave those over 8000 bytes to the interpreter. Their frames are large too, up to five times in compiled code: a
/// recursion that fits into HotSpot's 1 MB fits into 8 MB when it is recorded. The odd number tells the option from one of
/// the user's (`agent/src/manifest.rs`); the launcher knows no other name of it for the main thread.
fn jvm_options(library: &Path, options_file: &Path) -> Vec<OsString> {
    let mut agent = OsString::from("-agentpath:");
    agent.push(library);
    agent.push("=");
    agent.push(options_file);
    vec!["-XX:-DontCompileHugeMethods".into(), "-Xss8188k".into(), agent]
}

/// `javac` and its like pass on to their JVM what has `-J` in front.
fn for_tool(option: &OsString) -> OsString {
    let mut argument = OsString::from("-J");
    argument.push(option);
    argument
}

/// The options as text for JAVA_TOOL_OPTIONS, to be put behind what is there.
fn tool_options(options: &[OsString], behind_others: bool) -> Result<OsString> {
    let mut text = OsString::new();
    for option in options {
        if behind_others || !text.is_empty() {
            text.push(" ");
        }
        text.push(quoted_for_jvm(option)?);
    }
    Ok(text)
}

/// The JVM splits at white space outside of quotes, and knows no escapes.
fn quoted_for_jvm(option: &OsStr) -> Result<OsString> {
    let bytes = option.as_bytes();
    if !bytes.iter().any(|byte| byte.is_ascii_whitespace() || *byte == b'"' || *byte == b'\'') {
        return Ok(option.to_owned());
    }
    let quote = match (bytes.contains(&b'"'), bytes.contains(&b'\'')) {
        (false, _) => "\"",
        (true, false) => "'",
        (true, true) => bail!("a path has both kinds of quotes ({}): give another with -o", option.display()),
    };
    let mut text = OsString::from(quote);
    text.push(option);
    text.push(quote);
    Ok(text)
}

/// The agent's options file: lines of `key=value`.
fn agent_options(
    options: &RecordOptions,
    dir: &Path,
    jvm_options: &[OsString],
    for_children: OsString,
) -> Vec<u8> {
    let main = match &options.main {
        Main::Jar(path) => std::path::absolute(path).unwrap_or_else(|_| path.clone()),
        _ => PathBuf::new(),
    };
    let mut lines: Vec<(&str, OsString)> =
        vec![("dir", dir.into()), ("detail", options.detail.name().into()), ("main", main.into())];
    lines.extend(options.include.iter().map(|package| ("include", package.into())));
    lines.extend(options.exclude.iter().map(|package| ("exclude", package.into())));
    let numbers = [
        ("memory", options.memory),
        ("max-string", options.max_string.into()),
        ("max-array", options.max_array.into()),
        ("collector", std::process::id().into()),
        ("weave-only", options.weave_only.into()),
    ];
    // For tests: a small recording that is split as a large one is.
    if let Some(chunks) = std::env::var_os("INQUEST_SPLIT") {
        lines.push(("split", chunks));
    }
    lines.extend(numbers.map(|(key, number)| (key, number.to_string().into())));
    lines.extend(jvm_options.iter().map(|option| ("child-argument", option.clone())));
    lines.push(("child-environment", for_children));
    let mut text = Vec::new();
    for (key, value) in lines {
        // Writing to memory cannot fail.
        let _ = write!(text, "{key}=")
            .and_then(|()| text.write_all(value.as_bytes()))
            .and_then(|()| text.write_all(b"\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_options_survive_the_jvms_splitting() {
        let text = |options: &[&str], behind| {
            let options: Vec<OsString> = options.iter().map(OsString::from).collect();
            tool_options(&options, behind)
                .map(|text| text.into_string().unwrap())
                .map_err(|error| error.to_string())
        };
        assert_eq!(text(&["-XX:-A", "-agentpath:/a=/b"], false).unwrap(), "-XX:-A -agentpath:/a=/b");
        assert_eq!(text(&["-XX:-A"], true).unwrap(), " -XX:-A");
        assert_eq!(text(&["-agentpath:/a=/my files/b"], false).unwrap(), "\"-agentpath:/a=/my files/b\"");
        assert_eq!(text(&["-agentpath:/a=/\"x\"/b"], false).unwrap(), "'-agentpath:/a=/\"x\"/b'");
        assert!(text(&["a\"b'c"], false).is_err());
    }

    #[test]
    fn jdk_tools_get_their_options_marked() {
        assert_eq!(for_tool(&"-Xmx1g".into()), "-J-Xmx1g");
    }
}
