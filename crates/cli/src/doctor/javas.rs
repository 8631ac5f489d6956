//! Which Javas there are, and which can be recorded. Those that should work are tried: the recorder goes into each, as it would
//! for a program.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wire::DoctorCheck;

use super::{bad, good, note};
use crate::open;
use crate::record::launcher::{Launcher, find_program};

const INSTALL: &str =
    "install a Java 17 or newer, on Debian: apt install default-jdk-headless; or name one in JAVA_HOME";
/// A JVM that says its version takes a moment, not this long.
const PATIENCE: Duration = Duration::from_secs(30);

pub fn javas() -> Vec<DoctorCheck> {
    let first = find_program(OsStr::new("java")).ok().and_then(|path| Launcher::of(&path));
    let mut homes = BTreeSet::new();
    let launchers = first
        .iter()
        .cloned()
        .chain(candidates().into_iter().filter_map(|home| Launcher::of(&home.join("bin/java"))));
    let found: Vec<Launcher> = launchers.filter(|one| homes.insert(one.home.clone())).collect();
    let (mut checks, mut works) = (Vec::new(), false);
    for one in &found {
        let named = match first.as_ref().is_some_and(|first| first.home == one.home) {
            true => format!("{}, the first on PATH", one.home.display()),
            false => one.home.display().to_string(),
        };
        let version = one.version().unwrap_or_else(|| "of an unknown version".to_owned());
        let said = one.check_supported().map_err(|error| error.to_string()).and_then(|()| try_out(&one.path));
        checks.push(match said {
            Ok(()) => {
                works = true;
                good("java", format!("Java {version} in {named}: can be recorded"))
            }
            Err(why) => note("java", format!("Java {version} in {named}: cannot be recorded"), why),
        });
    }
    match (found.is_empty(), works) {
        (true, _) => checks.push(bad("java", "no Java was found", INSTALL)),
        (false, false) => checks.push(bad("java", "no Java here can be recorded", INSTALL)),
        (false, true) if first.is_none() => checks.push(note(
            "java",
            "there is no `java` on PATH",
            "name it in the command, as in `inquest record -- /usr/lib/jvm/…/bin/java …`",
        )),
        _ => {}
    }
    checks
}

/// Is there a program of this name?
pub fn on_path(name: &str) -> bool {
    find_program(OsStr::new(name)).is_ok()
}

/// Where Javas are usually put, by packages, by tools that fetch them, and by people.
fn candidates() -> Vec<PathBuf> {
    let mut homes: Vec<PathBuf> =
        ["JAVA_HOME", "JDK_HOME"].into_iter().filter_map(env::var_os).map(PathBuf::from).collect();
    let mut folders: Vec<PathBuf> =
        ["/usr/lib/jvm", "/usr/java", "/opt/java", "/opt"].map(PathBuf::from).to_vec();
    let below_home = [
        ".sdkman/candidates/java",
        ".jdks",
        ".gradle/jdks",
        ".local/share/mise/installs/java",
        ".asdf/installs/java",
    ];
    let home = env::var_os("HOME").map(PathBuf::from);
    folders.extend(home.iter().flat_map(|home| below_home.map(|folder| home.join(folder))));
    for folder in folders {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        found.sort();
        homes.extend(found);
    }
    homes
}

/// Starts it with the recorder in it, and looks whether there is a recording.
fn try_out(java: &Path) -> Result<(), String> {
    let failed = |doing: &str, error: &dyn std::fmt::Display| {
        format!("it could not be tried: cannot {doing}: {error}")
    };
    let own = env::current_exe().map_err(|error| failed("find this program", &error))?;
    let dir = env::temp_dir().join(format!("inquest-doctor-{}", std::process::id()));
    let mut command = Command::new(own);
    command.args(["record", "--quiet", "--force", "-o"]).arg(&dir).arg("--").arg(java).arg("-version");
    let ran = finish(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()));
    let recorded = open::all(&dir).is_ok();
    let _ = fs::remove_dir_all(&dir);
    let (status, stderr) = ran.map_err(|error| failed("start it", &error))?;
    match (recorded, status) {
        (true, Some(0)) => Ok(()),
        (_, None) => Err(format!("it had not ended after {} s", PATIENCE.as_secs())),
        (_, Some(code)) => {
            let said = stderr.lines().find(|line| line.starts_with("inquest: ") || line.contains("rror"));
            let said = said.or(stderr.lines().next()).unwrap_or("it did not say why");
            Err(format!("the recorder does not start in it (exit code {code}): {said}"))
        }
    }
}

/// The exit code, none if it took too long, and what it said.
fn finish(command: &mut Command) -> std::io::Result<(Option<i32>, String)> {
    let mut child = command.spawn()?;
    let stderr = child.stderr.take();
    let said = std::thread::spawn(move || stderr.map(std::io::read_to_string).transpose());
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status.code().unwrap_or(-1));
        }
        if started.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Ok((None, String::new()));
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let said = said.join().ok().and_then(Result::ok).flatten().unwrap_or_default();
    Ok((status, said))
}

#[cfg(test)]
mod tests {
    use super::INSTALL;
    use crate::record::launcher::OLDEST_JAVA;

    #[test]
    fn the_advice_names_the_oldest_java_that_works() {
        assert!(INSTALL.contains(&format!("Java {OLDEST_JAVA}")));
    }
}
