//! What `inquest record` is to do, resolved: the program found, defaults filled in, paths absolute. Everything that
//! can be wrong with the request itself is found here, before anything is touched.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::agent_library::NAME_PREFIX;
use crate::args::{DetailArg, RecordArgs};
use crate::record::java_command::{self, Main};
use crate::record::launcher::{self, Launcher};

const LEAST_MEMORY: u64 = 1 << 20;

#[derive(Debug)]
pub struct RecordOptions {
    /// The file to execute.
    pub program: PathBuf,
    /// The command as typed; its first word is what the program sees as its name.
    pub command: Vec<OsString>,
    /// What the program is if it is a launcher of a JDK.
    pub launcher: Option<Launcher>,
    /// It is Gradle's: what it runs gets our options from a script of Gradle's, because a daemon may run it.
    pub gradle: bool,
    /// What that launcher will run.
    pub main: Main,
    /// Absolute.
    pub output: PathBuf,
    pub include: Vec<String>,
    pub exclude: Vec<String>,
    pub detail: DetailArg,
    pub memory: u64,
    pub max_string: u32,
    pub max_array: u32,
    pub force: bool,
    pub quiet: bool,
    /// Instrument everything and record nothing.
    pub weave_only: bool,
}

impl RecordOptions {
    pub fn resolve(typed: RecordArgs) -> Result<RecordOptions> {
        let RecordArgs { options: typed, command } = typed;
        let here = std::env::current_dir().context("cannot tell the current folder")?;
        refuse_second_agent(&command)?;
        let name = &command[0];
        let program = launcher::find_program(name)?;
        let launcher = Launcher::of(&program);
        if let Some(launcher) = &launcher {
            launcher.check_supported()?;
        }
        let main = match &launcher {
            Some(launcher) if launcher.is_java() => java_command::main_of(&command[1..]),
            _ => Main::Unknown,
        };
        let output = match typed.output {
            Some(output) => here.join(output),
            None => here.join("recordings").join(default_name(&main, &program)),
        };
        // The options file has one option per line.
        if output.as_os_str().as_bytes().contains(&b'\n') {
            bail!("the output folder's name has a line break in it: give another with -o");
        }
        let memory = typed.memory.unwrap_or_else(|| machine_memory() / 4);
        if memory < LEAST_MEMORY {
            bail!("--memory {memory} is too little: give at least 1M");
        }
        let gradle = launcher.is_none() && is_gradle(&program, name);
        Ok(RecordOptions {
            gradle,
            program,
            command,
            launcher,
            main,
            output,
            include: typed.include,
            exclude: typed.exclude,
            detail: typed.detail,
            memory,
            max_string: typed.max_string,
            max_array: typed.max_array,
            force: typed.force,
            quiet: typed.quiet,
            weave_only: typed.weave_only,
        })
    }
}

/// Two agents in one JVM would record each other.
fn refuse_second_agent(command: &[OsString]) -> Result<()> {
    let ours = |text: &OsString| {
        let text = text.to_string_lossy();
        text.contains("-agentpath:") && (text.contains(NAME_PREFIX) || text.contains("libinquest_agent"))
    };
    if let Some(argument) = command.iter().find(|argument| ours(argument)) {
        bail!("the command loads inquest's agent already ({}): leave that out", argument.to_string_lossy());
    }
    for name in ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"] {
        if std::env::var_os(name).is_some_and(|value| ours(&value)) {
            bail!("{name} loads inquest's agent already (is this run inside `inquest record`?): unset it");
        }
    }
    Ok(())
}

/// Is it Gradle, or the script by which a project brings Gradle along?
fn is_gradle(program: &Path, typed: &OsStr) -> bool {
    let named = |path: &Path| path.file_name().is_some_and(|name| name == "gradle" || name == "gradlew");
    named(program) || named(Path::new(typed))
}

/// `MergeSort-20260131-174501`.
fn default_name(main: &Main, program: &Path) -> String {
    let of_file = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = match main {
        Main::Class(class) => class.rsplit(['.', '/']).next().map(str::to_owned),
        Main::Jar(path) | Main::Source(path) => of_file(path),
        Main::Unknown => of_file(program),
    };
    format!("{}-{}", name.unwrap_or_else(|| "program".to_owned()), local_time())
}

/// Year to second, as the user's clock shows it.
fn local_time() -> String {
    // SAFETY: time accepts null; localtime_r fills the struct that it is given, and zeros are a valid tm.
    let time = unsafe {
        let now = libc::time(std::ptr::null_mut());
        let mut time: libc::tm = std::mem::zeroed();
        libc::localtime_r(&now, &mut time);
        time
    };
    format!(
        "{:04}{:02}{:02}-{:02}{:02}{:02}",
        time.tm_year + 1900,
        time.tm_mon + 1,
        time.tm_mday,
        time.tm_hour,
        time.tm_min,
        time.tm_sec
    )
}

/// Bytes of memory that this machine, or this container, has.
fn machine_memory() -> u64 {
    let total = fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
    });
    let container =
        fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse::<u64>().ok());
    let total = total.unwrap_or(4 << 30);
    container.map_or(total, |limit| limit.min(total)).max(LEAST_MEMORY * 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings_are_named_after_what_runs() {
        let name = |main: Main| default_name(&main, Path::new("/usr/bin/ant"));
        assert!(name(Main::Class("com.acme.Main".to_owned())).starts_with("Main-2"));
        assert!(name(Main::Class("module/com.acme.Tool".to_owned())).starts_with("Tool-2"));
        assert!(name(Main::Jar("lib/app.jar".into())).starts_with("app-2"));
        assert!(name(Main::Unknown).starts_with("ant-2"));
    }

    #[test]
    fn a_command_with_our_agent_is_refused() {
        let command = |argument: &str| [OsString::from("java"), OsString::from(argument)];
        assert!(refuse_second_agent(&command("-agentpath:/x/inquest-agent-00.so=y")).is_err());
        assert!(refuse_second_agent(&command("-agentpath:/x/other.so")).is_ok());
    }
}
