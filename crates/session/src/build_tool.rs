//! The JVM of a build tool is not what is debugged: what of the program runs in there are its plugins and tasks, and the
//! calls that the tool makes of them say nothing of the program that is built. Tests that fail in it are another matter.

use past::Past;

use crate::error::{Error, Result};

/// The tool whose own JVM was recorded, if it is one.
pub fn build_tool(past: &Past) -> Option<&'static str> {
    build_tool_of(&past.manifest().command)
}

/// The same of a JVM's command line.
pub fn build_tool_of(command: &[String]) -> Option<&'static str> {
    command.iter().find_map(|word| jdk::testing::build_tool(word))
}

/// Says what to do instead.
pub(crate) fn refuse(past: &Past) -> Result<()> {
    let Some(tool) = build_tool(past) else { return Ok(()) };
    let own = past.path().file_name();
    let beside = past.path().parent().and_then(|folder| std::fs::read_dir(folder).ok());
    let mut others: Vec<String> = beside
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| Some(entry.file_name().as_os_str()) != own)
        .map(|entry| entry.path())
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("jvm-")))
        .map(|path| path.display().to_string())
        .collect();
    others.sort();
    let advice = match others.is_empty() {
        true => "let it start the program or the tests in a JVM of their own, which is recorded too, or name the call \
                 that is wrong as the root"
            .to_owned(),
        false => format!("the JVMs that it started are {}", others.join(", ")),
    };
    Err(Error::BuildTool { tool, advice })
}
