//! The build tools that are there, and what about them keeps tests from being recorded.

use std::env;
use std::fs;
use std::path::Path;

use wire::DoctorCheck;

use super::javas::on_path;
use super::{good, note};

/// Each with the script that projects bring along instead.
const TOOLS: [(&str, &str); 3] = [("mvn", "mvnw"), ("gradle", "gradlew"), ("ant", "")];
/// The main class of Gradle's daemon.
const DAEMON: &str = "org.gradle.launcher.daemon.bootstrap.GradleDaemon";

pub fn build_tools() -> Vec<DoctorCheck> {
    let here = env::current_dir().unwrap_or_default();
    let mut found = Vec::new();
    for (tool, wrapper) in TOOLS {
        found.extend(on_path(tool).then(|| tool.to_owned()));
        found.extend((!wrapper.is_empty() && here.join(wrapper).is_file()).then(|| format!("./{wrapper}")));
    }
    let mut checks = vec![match found.is_empty() {
        false => good(
            "build-tool",
            format!("tests of {} can be recorded: inquest test -- {} test", found.join(", "), found[0]),
        ),
        true => note(
            "build-tool",
            "no mvn, gradle or ant on PATH, and no wrapper here",
            "not needed for programs and tests that are started with `java`; otherwise install yours, or go to the project's folder",
        ),
    }];
    let daemons = daemons(Path::new("/proc"));
    if !daemons.is_empty() {
        checks.push(note(
            "build-tool",
            format!(
                "a Gradle daemon runs (pid {}): the tests that it starts are reached if gradle or gradlew is the recorded command, and not if \
                 a script calls them",
                daemons.join(", ")
            ),
            "name gradle itself after `--`, or let the script say `gradle --no-daemon` after `gradle --stop`",
        ));
    }
    checks
}

/// The processes of Gradle's daemons.
fn daemons(proc: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(proc) else { return Vec::new() };
    let mut pids: Vec<u32> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid: &u32| {
            let words = fs::read(proc.join(pid.to_string()).join("cmdline")).unwrap_or_default();
            words.split(|byte| *byte == 0).any(|word| word == DAEMON.as_bytes())
        })
        .collect();
    pids.sort_unstable();
    pids.iter().map(u32::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_running_daemon_is_seen() {
        let proc = tempfile::tempdir().unwrap();
        for (pid, words) in [
            ("12", "java\0-cp\0x.jar\0org.gradle.launcher.daemon.bootstrap.GradleDaemon\08.0\0"),
            ("7", "java\0Main\0"),
            ("self", ""),
        ] {
            fs::create_dir(proc.path().join(pid)).unwrap();
            fs::write(proc.path().join(pid).join("cmdline"), words).unwrap();
        }
        assert_eq!(daemons(proc.path()), ["12"]);
    }
}
