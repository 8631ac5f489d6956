//! Finds the program that a command names, and tells whether it is a launcher of a JDK (`java`, `javac`, …). Those
//! take the agent as arguments, which nobody sees; and of those we can tell beforehand whether we can record them.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

pub const OLDEST_JAVA: u32 = 17;

/// A program in the `bin` folder of a JDK or JRE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launcher {
    /// The real file, links followed.
    pub path: PathBuf,
    pub home: PathBuf,
}

impl Launcher {
    pub fn of(program: &Path) -> Option<Launcher> {
        let path = program.canonicalize().ok()?;
        let bin = path.parent().filter(|bin| bin.ends_with("bin"))?;
        let mut home = bin.parent()?;
        // Up to Java 8 a JDK has its JVM in a folder of its own.
        if home.ends_with("jre") {
            home = home.parent()?;
        }
        let is_java = ["lib/server/libjvm.so", "lib/jvm.cfg", "jre/lib/rt.jar", "lib/rt.jar"]
            .iter()
            .any(|file| home.join(file).exists());
        is_java.then(|| Launcher { home: home.to_path_buf(), path: path.clone() })
    }

    /// `java` itself; the tools beside it take options for their JVM with `-J` in front.
    pub fn is_java(&self) -> bool {
        self.path.file_name() == Some(OsStr::new("java"))
    }

    /// Says no to JVMs that the agent does not work in.
    pub fn check_supported(&self) -> Result<()> {
        let home = self.home.display();
        if let Some(version) = &self.version()
            && let Some(major) = major_version(version)
            && major < OLDEST_JAVA
        {
            bail!(
                "{home} is Java {version}; inquest records Java {OLDEST_JAVA} or newer: put a newer java first on \
                 PATH or name it in the command"
            );
        }
        let variant = release_value(&self.release(), "JVM_VARIANT").unwrap_or_default();
        let is_openj9 = variant.eq_ignore_ascii_case("openj9") || self.home.join("lib/j9vm").exists();
        if is_openj9 || !self.home.join("lib/server/libjvm.so").exists() {
            let what =
                if is_openj9 { "an OpenJ9 JVM" } else { "no HotSpot server JVM (lib/server/libjvm.so)" };
            bail!(
                "{home} has {what}; inquest records only HotSpot: use an OpenJDK build such as Temurin or Debian's"
            );
        }
        Ok(())
    }

    /// `17.0.15`
    pub fn version(&self) -> Option<String> {
        release_value(&self.release(), "JAVA_VERSION").or_else(|| self.ask_version())
    }

    fn release(&self) -> String {
        fs::read_to_string(self.home.join("release")).unwrap_or_default()
    }

    /// For a JDK without a `release` file.
    fn ask_version(&self) -> Option<String> {
        let output = Command::new(self.home.join("bin/java")).arg("-version").output().ok()?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        Some(text.split('"').nth(1)?.to_owned())
    }
}

/// The file that a shell would execute for this name.
pub fn find_program(name: &OsStr) -> Result<PathBuf> {
    let shown = name.to_string_lossy();
    if name.as_bytes().contains(&b'/') {
        let path = PathBuf::from(name);
        if !path.exists() {
            bail!("there is no {shown} to run: check the path after `--`");
        }
        if !is_executable(&path) {
            bail!("{shown} is not an executable file: check the path after `--`");
        }
        return Ok(path);
    }
    match on_path(name, std::env::var_os("PATH").as_deref()) {
        Some(path) => Ok(path),
        None if name == "java" => {
            bail!("no java found on PATH: install a JDK {OLDEST_JAVA} or newer, or give the path of its java")
        }
        None => bail!("no command {shown} found on PATH: check its name, or give its path"),
    }
}

pub fn on_path(name: &OsStr, path: Option<&OsStr>) -> Option<PathBuf> {
    std::env::split_paths(path?)
        .filter(|folder| !folder.as_os_str().is_empty())
        .map(|folder| folder.join(name))
        .find(|file| is_executable(file))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
}

/// A line `NAME="value"` of a JDK's `release` file.
fn release_value(release: &str, name: &str) -> Option<String> {
    let value = release.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix('='))?;
    Some(value.trim().trim_matches('"').to_owned())
}

/// 17 of `17.0.9`, `17-ea` and so on; 8 of `1.8.0_392`.
fn major_version(version: &str) -> Option<u32> {
    let version = version.strip_prefix("1.").unwrap_or(version);
    version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that looks like a JDK.
    fn jdk(version: &str, more: &str, files: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for file in ["bin/java", "bin/javac", "lib/jvm.cfg"].iter().chain(files) {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        fs::write(dir.path().join("release"), format!("JAVA_VERSION=\"{version}\"\n{more}\n")).unwrap();
        dir
    }

    fn refusal(dir: &tempfile::TempDir) -> Option<String> {
        let launcher = Launcher::of(&dir.path().join("bin/java")).unwrap();
        launcher.check_supported().err().map(|error| error.to_string())
    }

    #[test]
    fn jvms_that_cannot_be_recorded_are_refused_by_name() {
        let hotspot = ["lib/server/libjvm.so"];
        assert_eq!(refusal(&jdk("17.0.9", "", &hotspot)), None);
        assert_eq!(refusal(&jdk("25", "JVM_VARIANT=\"Hotspot\"", &hotspot)), None);
        assert!(refusal(&jdk("11.0.2", "", &hotspot)).unwrap().contains("Java 11.0.2"));
        assert!(refusal(&jdk("1.8.0_392", "", &hotspot)).unwrap().contains("Java 1.8.0_392"));
        assert!(refusal(&jdk("21", "JVM_VARIANT=\"Openj9\"", &hotspot)).unwrap().contains("OpenJ9"));
        assert!(refusal(&jdk("21", "", &[])).unwrap().contains("no HotSpot"));
    }

    #[test]
    fn a_launcher_is_found_through_links_and_other_programs_are_none() {
        let jdk = jdk("17", "", &["lib/server/libjvm.so"]);
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("java");
        std::os::unix::fs::symlink(jdk.path().join("bin/java"), &link).unwrap();
        let launcher = Launcher::of(&link).unwrap();
        assert_eq!(launcher.home, jdk.path().canonicalize().unwrap());
        assert!(launcher.is_java());
        assert!(!Launcher::of(&jdk.path().join("bin/javac")).unwrap().is_java());
        assert_eq!(Launcher::of(Path::new("/bin/sh")), None);
        assert_eq!(on_path(OsStr::new("java"), Some(dir.path().as_os_str())), Some(link));
        assert!(find_program(OsStr::new("./no-such-file")).is_err());
        assert!(find_program(OsStr::new("no-such-command-anywhere")).is_err());
    }

    #[test]
    fn versions_of_all_ages_are_read() {
        for (text, major) in [("17.0.9", 17), ("1.8.0_392", 8), ("25-ea", 25), ("21", 21)] {
            assert_eq!(major_version(text), Some(major), "{text}");
        }
        assert_eq!(major_version("unknown"), None);
    }
}
