//! Stand-ins for `java`, for commands that start it from a script: first on PATH, and in a copy of JAVA_HOME made of
//! links. They start the real java with the agent's options, in the environment it would have had without us; so
//! the program sees, and its JVM prints, nothing of the recording.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::record::launcher::{self, Launcher};

/// Makes the stand-ins in `dir`, and says which environment variables lead to them. `added` is what was added to
/// JAVA_TOOL_OPTIONS, to be taken away again. Where there is no java that we can record, there is no stand-in.
pub fn install(dir: &Path, jvm_options: &[OsString], added: &OsStr) -> Result<Vec<(&'static str, OsString)>> {
    let mut environment = Vec::new();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let java_home = std::env::var_os("JAVA_HOME").filter(|home| !home.is_empty());
    let shim = Shim {
        path: dir.join("bin"),
        home: dir.join("home"),
        java_home: java_home.clone().unwrap_or_default(),
        jvm_options,
        added,
    };
    // A colon would split the entry in two.
    if let Some(java) = launcher::on_path(OsStr::new("java"), Some(&path))
        && let Some(java) = supported(&java)
        && !shim.path.as_os_str().as_bytes().contains(&b':')
    {
        for tool in tools(&java.home)? {
            if let Some(file) = launcher::on_path(&tool, Some(&path)).as_deref().and_then(Launcher::of) {
                shim.write(&shim.path.join(&tool), &file)?;
            }
        }
        let mut longer = shim.path.clone().into_os_string();
        longer.push(":");
        longer.push(&path);
        environment.push(("PATH", longer));
    }
    if let Some(home) = java_home.as_deref().map(Path::new)
        && supported(&home.join("bin/java")).is_some()
    {
        link_all_but_bin(home, &shim.home)?;
        for tool in tools(home)? {
            if let Some(file) = Launcher::of(&home.join("bin").join(&tool)) {
                shim.write(&shim.home.join("bin").join(&tool), &file)?;
            }
        }
        environment.push(("JAVA_HOME", shim.home.clone().into()));
    }
    Ok(environment)
}

fn supported(java: &Path) -> Option<Launcher> {
    let launcher = Launcher::of(java)?;
    launcher.check_supported().ok()?;
    Some(launcher)
}

/// Names of the programs in a JDK. The tools (`javac`, `jar`, …) are not what the user wants recorded: their
/// stand-ins only keep the agent away from them.
fn tools(home: &Path) -> Result<Vec<OsString>> {
    let bin = home.join("bin");
    let list = || -> std::io::Result<Vec<OsString>> {
        fs::read_dir(&bin)?.map(|entry| Ok(entry?.file_name())).collect()
    };
    list().with_context(|| format!("cannot list {}", bin.display()))
}

fn link_all_but_bin(from: &Path, to: &Path) -> Result<()> {
    let link = || -> std::io::Result<()> {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            if entry.file_name() != "bin" {
                symlink(entry.path(), to.join(entry.file_name()))?;
            }
        }
        Ok(())
    };
    link().with_context(|| format!("cannot make {} stand for {}", to.display(), from.display()))
}

struct Shim<'a> {
    path: PathBuf,
    home: PathBuf,
    /// The real one; empty if there is none.
    java_home: OsString,
    jvm_options: &'a [OsString],
    added: &'a OsStr,
}

impl Shim<'_> {
    fn write(&self, file: &Path, real: &Launcher) -> Result<()> {
        let options = if real.is_java() { self.jvm_options } else { &[] };
        let write = || -> std::io::Result<()> {
            fs::create_dir_all(file.parent().unwrap_or(&self.path))?;
            fs::write(file, self.script(&real.path, options))?;
            fs::set_permissions(file, fs::Permissions::from_mode(0o755))
        };
        write().with_context(|| format!("cannot write {}", file.display()))
    }

    /// Undoes our changes to the environment, wherever the caller has put them meanwhile, and starts the real program.
    fn script(&self, real: &Path, options: &[OsString]) -> Vec<u8> {
        let mut words = Vec::new();
        for word in [real.as_os_str()].into_iter().chain(options.iter().map(OsString::as_os_str)) {
            words.extend(quoted(word));
            words.push(b' ');
        }
        [
            b"#!/bin/sh\n# Made by `inquest record` for one run; it goes away with it.\n".to_vec(),
            [b"inquest_bin=".to_vec(), quoted(self.path.as_os_str())].concat(),
            [b"\ninquest_home=".to_vec(), quoted(self.home.as_os_str())].concat(),
            [b"\ninquest_added=".to_vec(), quoted(self.added)].concat(),
            [b"\ninquest_java_home=".to_vec(), quoted(&self.java_home)].concat(),
            SCRIPT.as_bytes().to_vec(),
            [b"exec ".to_vec(), words, b"\"$@\"\n".to_vec()].concat(),
        ]
        .concat()
    }
}

const SCRIPT: &str = r#"
case ":$PATH:" in
*:"$inquest_bin":*)
    PATH=":$PATH:"
    PATH="${PATH%%:"$inquest_bin":*}:${PATH#*:"$inquest_bin":}"
    PATH="${PATH#:}"
    PATH="${PATH%:}"
    ;;
esac
if [ "${JAVA_HOME-}" = "$inquest_home" ]; then
    JAVA_HOME="$inquest_java_home"
fi
case "${JAVA_TOOL_OPTIONS-}" in
*"$inquest_added"*)
    JAVA_TOOL_OPTIONS="${JAVA_TOOL_OPTIONS%%"$inquest_added"*}${JAVA_TOOL_OPTIONS#*"$inquest_added"}"
    if [ -z "$JAVA_TOOL_OPTIONS" ]; then
        unset JAVA_TOOL_OPTIONS
    fi
    ;;
esac
unset inquest_bin inquest_home inquest_added inquest_java_home
"#;

/// A word that the shell takes as it is.
fn quoted(word: &OsStr) -> Vec<u8> {
    let mut text = vec![b'\''];
    for byte in word.as_bytes() {
        match byte {
            b'\'' => text.extend(b"'\\''"),
            _ => text.push(*byte),
        }
    }
    text.push(b'\'');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// A real java that says with what it was started.
    const JAVA: &str =
        "#!/bin/sh\necho \"$PATH|${JAVA_HOME-none}|${JAVA_TOOL_OPTIONS-none}\"\nprintf '<%s>' \"$@\"\n";

    fn run(path: &str, home: Option<&str>, tool_options: Option<&str>, added: &str) -> String {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().join("it's/java");
        fs::create_dir(real.parent().unwrap()).unwrap();
        fs::write(&real, JAVA).unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o755)).unwrap();
        let options = ["-XX:-A".into(), "-agentpath:/a b=c".into()];
        let shim = Shim {
            path: dir.path().join("shim/bin"),
            home: dir.path().join("shim/home"),
            java_home: "/opt/jdk".into(),
            jvm_options: &options,
            added: OsStr::new(added),
        };
        shim.write(&shim.path.join("java"), &Launcher { path: real, home: "/opt/jdk".into() }).unwrap();
        let place = |text: &str| text.replace("SHIM", dir.path().join("shim").to_str().unwrap());
        let mut command = Command::new(shim.path.join("java"));
        command.args(["Main", "a  b", ""]).env("PATH", place(path));
        let set = |command: &mut Command, name, value: Option<&str>| {
            match value {
                Some(value) => command.env(name, place(value)),
                None => command.env_remove(name),
            };
        };
        set(&mut command, "JAVA_HOME", home);
        set(&mut command, "JAVA_TOOL_OPTIONS", tool_options);
        let output = command.output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    fn the_real_java_gets_the_agent_and_the_old_environment() {
        let arguments = "\n<-XX:-A><-agentpath:/a b=c><Main><a  b><>";
        for (path, home, options, added, expected) in [
            ("SHIM/bin:/usr/bin:/bin", None, Some("OURS"), "OURS", "/usr/bin:/bin|none|none"),
            (
                "/x:SHIM/bin:/usr/bin:/bin",
                Some("SHIM/home"),
                Some("-Da OURS"),
                " OURS",
                "/x:/usr/bin:/bin|/opt/jdk|-Da",
            ),
            ("/usr/bin:/bin:SHIM/bin", Some("/other"), Some("OURS -Db"), "OURS", "/usr/bin:/bin|/other| -Db"),
            ("/usr/bin:/bin", None, Some("-Dc"), "OURS", "/usr/bin:/bin|none|-Dc"),
        ] {
            assert_eq!(run(path, home, options, added), format!("{expected}{arguments}"));
        }
    }
}
