//! The agent's library, which this binary carries, as a file that a JVM can load. It is unpacked once into the
//! user's cache folder. The JVM runs what is in that file, so it is compared byte by byte before each use.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result, bail};

const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libinquest_agent.so"));
const HASH: &str = env!("INQUEST_AGENT_HASH");
/// What every name of ours begins with; a command that already loads such a file is already recorded.
pub const NAME_PREFIX: &str = "inquest-agent-";

/// The path of the unpacked library.
pub fn unpacked() -> Result<PathBuf> {
    let in_cache = match cache_folder() {
        Some(folder) => match unpack(&folder, LIBRARY, HASH) {
            Ok(path) => return Ok(path),
            Err(error) => format!("{}: {error}", folder.display()),
        },
        None => "there is no home folder".to_owned(),
    };
    let folder =
        private_temporary_folder().with_context(|| format!("cannot unpack the agent ({in_cache})"))?;
    unpack(&folder, LIBRARY, HASH)
        .with_context(|| format!("cannot unpack the agent to {} ({in_cache})", folder.display()))
}

/// `$XDG_CACHE_HOME/inquest` or `~/.cache/inquest`. A path with `=` would end early in the JVM's `-agentpath` option.
fn cache_folder() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    let folder = cache.join("inquest");
    (!folder.as_os_str().as_encoded_bytes().contains(&b'=')).then_some(folder)
}

/// A folder below the temporary one that only we can write to: others could otherwise put their code in our place.
fn private_temporary_folder() -> Result<PathBuf> {
    // SAFETY: asks for a number, cannot fail.
    let user = unsafe { libc::geteuid() };
    let folder = std::env::temp_dir().join(format!("inquest-{user}"));
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(error).with_context(|| format!("cannot create {}", folder.display()));
        }
        _ => {}
    }
    let facts = fs::symlink_metadata(&folder)?;
    if !facts.is_dir() || facts.uid() != user || facts.mode() & 0o022 != 0 {
        bail!("{} belongs to somebody else; remove it or set XDG_CACHE_HOME", folder.display());
    }
    Ok(folder)
}

/// Writes the library under a name of its own and renames it: any number may do this at once.
fn unpack(folder: &Path, library: &[u8], hash: &str) -> io::Result<PathBuf> {
    let path = folder.join(format!("{NAME_PREFIX}{hash}.so"));
    if fs::read(&path).is_ok_and(|found| found == library) {
        return Ok(path);
    }
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    static UNPACKED: AtomicU32 = AtomicU32::new(0);
    let number = UNPACKED.fetch_add(1, Ordering::Relaxed);
    let temporary = folder.join(format!(".{NAME_PREFIX}{hash}.{}-{number}", std::process::id()));
    let write = || -> io::Result<()> {
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o755).open(&temporary)?;
        file.write_all(library)?;
        file.sync_all()?;
        fs::rename(&temporary, &path)
    };
    let written = write();
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written.map(|()| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("a/b");
        let path = unpack(&folder, b"library", "12").unwrap();
        assert_eq!(path, folder.join("inquest-agent-12.so"));
        fs::write(&path, b"librarx").unwrap();
        assert_eq!(unpack(&folder, b"library", "12").unwrap(), path);
        assert_eq!(fs::read(&path).unwrap(), b"library");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[test]
    fn many_may_unpack_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let library = vec![7; 1 << 20];
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let path = unpack(dir.path(), &library, "34").unwrap();
                    assert_eq!(fs::read(path).unwrap(), library);
                });
            }
        });
    }
}
