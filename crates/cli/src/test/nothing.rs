//! Why a run recorded nothing, and what to do: a build that came to no test, tests that are taken for libraries, a JVM that is not
//! reached.

use std::ffi::OsStr;
use std::path::Path;

use collector::Summary;

use super::jvms::TestJvms;
use crate::record::launcher::{self, Launcher};
use crate::record::options::RecordOptions;

/// Commands by their names, and the files that they want to find where they are called.
const BUILD_FILES: [(&str, &[&str]); 5] = [
    ("mvn", &["pom.xml"]),
    ("mvnw", &["pom.xml"]),
    ("gradle", &GRADLE_FILES),
    ("gradlew", &GRADLE_FILES),
    ("ant", &["build.xml"]),
];
const GRADLE_FILES: [&str; 4] =
    ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];

pub fn why(options: &RecordOptions, code: u8, summary: &Summary, jvms: &TestJvms) -> String {
    let command = options.command[0].to_string_lossy();
    if let Some((dir, problem)) = summary.failed.first() {
        let jvm = dir.file_name().unwrap_or_default().display();
        return format!("no test was recorded: the agent could not start in {jvm}: {problem}");
    }
    if let Some(stopped) = &jvms.stopped {
        let dir = options.output.display();
        return format!(
            "no test was recorded, because recording to {dir} stopped: {stopped}; -o names another folder"
        );
    }
    if code != 0
        && let Some(missing) = missing_build_file(options)
    {
        return format!("no test ran: {missing}");
    }
    // Scripts look at the version of their java before they start a tool.
    let asks_version = |command: &Vec<String>| command.last().is_some_and(|word| word.ends_with("-version"));
    if jvms.tools.contains(&"Gradle") && !options.gradle && jvms.idle.iter().all(asks_version) {
        return format!(
            "no test was recorded: {command} called Gradle, whose tests a daemon runs where inquest does not reach them. Call gradle or \
             gradlew itself, as `inquest test -- ./gradlew test`, or with --no-daemon; if no test ran at all, its output says why"
        );
    }
    if !jvms.idle.is_empty() {
        return format!(
            "no test was recorded: the JVMs that {command} started ran nothing of your code. Either no test was found (its output says \
             so), or your classes come from jars that are taken for libraries: --include PKG records them"
        );
    }
    let reached = !jvms.tools.is_empty() || options.gradle;
    if reached && code != 0 {
        return format!(
            "no test ran: {command} ended with exit code {code} before the first of them, and its output says why (a compile error, \
             or a task or file that is not there)"
        );
    }
    if reached {
        return format!(
            "{command} ran no test in a JVM that inquest could reach: there are none, they are left out (-DskipTests), or up to date; \
             name the task that runs them, as `{command} test`"
        );
    }
    if let Some(old) = old_java() {
        return format!("no test was recorded: {old}");
    }
    if options.launcher.is_some() {
        return format!("no test ran: {command} ended with exit code {code} before its JVM was ready");
    }
    format!(
        "no test was recorded: {command} started no JVM that inquest could reach. If a daemon runs the tests (mvnd, Gradle called by a \
         script), switch it off (--no-daemon) or call gradle itself; if java is called by its path, JAVA_TOOL_OPTIONS must be \
         let through"
    )
}

/// The build file that a build tool looks for in vain.
fn missing_build_file(options: &RecordOptions) -> Option<String> {
    // One that is told where to look is not looked over.
    let told = ["-f", "--file", "-file", "-buildfile", "-find", "-p", "--project-dir", "-b", "--build-file"];
    let elsewhere = |word: &OsStr| told.iter().any(|option| word == OsStr::new(option));
    if options.command[1..].iter().any(|word| elsewhere(word)) {
        return None;
    }
    let name = Path::new(&options.command[0]).file_name()?;
    let &(tool, files) = BUILD_FILES.iter().find(|(tool, _)| name == OsStr::new(tool))?;
    let here = std::env::current_dir().ok()?;
    // Gradle looks in the folders above too.
    let mut folders = here.ancestors().take(if files == GRADLE_FILES { usize::MAX } else { 1 });
    let is_there = folders.any(|folder| files.iter().any(|file| folder.join(file).exists()));
    (!is_there).then(|| {
        format!(
            "there is no {} in {}: go to the project's folder, or tell {tool} where it is",
            files[0],
            here.display()
        )
    })
}

/// A java that scripts would start here, and that cannot be recorded.
fn old_java() -> Option<String> {
    let home = std::env::var_os("JAVA_HOME").filter(|home| !home.is_empty());
    let java = match home {
        Some(home) => Path::new(&home).join("bin/java"),
        None => launcher::on_path(OsStr::new("java"), std::env::var_os("PATH").as_deref())?,
    };
    Launcher::of(&java)?.check_supported().err().map(|error| error.to_string())
}
