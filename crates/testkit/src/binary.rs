//! The `inquest` that tests run: the one that was built with them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use crate::{root, scratch};

/// `INQUEST_BINARY`, or the one of the profile that this test was built in. Tests of other crates than the binary's
/// have it built first: cargo knows whether there is anything to do.
pub fn binary() -> &'static Path {
    static BINARY: LazyLock<PathBuf> = LazyLock::new(|| {
        if let Some(named) = std::env::var_os("INQUEST_BINARY") {
            return named.into();
        }
        let folder = profile_folder();
        // Cargo builds the binary before the tests of its own package.
        if std::env::var("CARGO_PKG_NAME").as_deref() != Ok("cli") {
            let profile = match folder.file_name().and_then(OsStr::to_str) {
                Some("debug") | None => "dev",
                Some(name) => name,
            };
            let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
            let built = Command::new(cargo)
                .current_dir(root())
                .args(["build", "--quiet", "--package", "cli", "--profile", profile, "--target-dir"])
                .arg(folder.parent().unwrap())
                .output()
                .unwrap();
            assert!(built.status.success(), "cargo build: {}", String::from_utf8_lossy(&built.stderr));
        }
        folder.join("inquest")
    });
    &BINARY
}

/// `target/debug`, `target/checked`: tests are in its folder `deps`.
pub(crate) fn profile_folder() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.ancestors().nth(2).unwrap().to_owned()
}

/// An inquest command; the agent is unpacked to a cache of the tests' own.
pub fn inquest<S: AsRef<OsStr>>(arguments: &[S]) -> Command {
    let mut command = Command::new(binary());
    command.args(arguments).env("XDG_CACHE_HOME", scratch().join("cache"));
    command.env("XDG_DATA_HOME", scratch().join("data"));
    command.env_remove("JAVA_HOME").env_remove("JAVA_TOOL_OPTIONS");
    command
}
