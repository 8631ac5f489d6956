//! The Java programs that tests run and record.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use crate::{Jdk, Ran, Recorded, classes, inquest, left_out, run};

/// One way to run one Java program.
#[derive(Clone)]
pub struct Program {
    pub name: String,
    pub arguments: Vec<OsString>,
    /// Options for `inquest record`.
    pub options: Vec<String>,
    pub stdin: Option<PathBuf>,
    /// Where its classes are.
    pub folder: PathBuf,
}

impl Program {
    pub fn new(group: &str, words: &[&str]) -> Program {
        let folder = classes(group);
        let path = ["-cp".into(), folder.clone().into()];
        let arguments = path.into_iter().chain(words.iter().map(Into::into)).collect();
        Program { name: words.join(" "), arguments, options: Vec::new(), stdin: None, folder }
    }

    pub fn with_options(mut self, options: &[&str]) -> Program {
        self.options.extend(options.iter().map(|&option| option.to_owned()));
        self
    }

    pub fn run(&self, jdk: &Jdk) -> Ran {
        run(Command::new(jdk.java()).args(&self.arguments), self.stdin.as_deref())
    }

    /// Runs it under the recorder, which is told to say nothing itself.
    pub fn record(&self, jdk: &Jdk, options: &[&str]) -> (Ran, Recorded) {
        let recorded = Recorded::new();
        let mut command = inquest(&["record", "-q", "-o"]);
        command.arg(recorded.path()).args(&self.options).args(options).arg("--").arg(jdk.java());
        (run(command.args(&self.arguments), self.stdin.as_deref()), recorded)
    }
}

/// A jar of the Debian packages that tests use, or of `INQUEST_JARS`; none where it is not installed, and that is said.
pub fn jar(name: &str) -> Option<PathBuf> {
    let jars = std::env::var_os("INQUEST_JARS").map_or_else(|| "/usr/share/java".into(), PathBuf::from);
    let jar = jars.join(name).with_extension("jar");
    if !jar.exists() {
        left_out(&format!("tests with {name}"), &format!("no {}", jar.display()));
    }
    Some(jar).filter(|jar| jar.exists())
}
