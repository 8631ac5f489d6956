//! Where a pool's file lies: in shared memory if there is room for at least the first step, else in the
//! recording's folder (slower, because the kernel writes it to disk now and then, but it works everywhere).

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::error::Error;

pub(crate) const SHARED_MEMORY: &str = "/dev/shm";

/// Creates the file where `prepare` (setting its size, reserving the start) succeeds first.
pub(crate) fn create(
    shared: &Path,
    fallback: &Path,
    pid: u32,
    prepare: impl Fn(&File) -> io::Result<()>,
) -> Result<(File, PathBuf), Error> {
    let shared_path = shared.join(format!("inquest-{pid}-{:08x}", unpredictable()));
    let shared_error = match create_at(&shared_path, &prepare) {
        Ok(file) => return Ok((file, shared_path)),
        Err(error) => error,
    };
    match create_at(fallback, &prepare) {
        Ok(file) => Ok((file, fallback.to_path_buf())),
        Err(error) => Err(Error::NoPlace {
            shared_path,
            shared: shared_error,
            fallback_path: fallback.to_path_buf(),
            fallback: error,
        }),
    }
}

fn create_at(path: &Path, prepare: &impl Fn(&File) -> io::Result<()>) -> io::Result<File> {
    // Only the owner may read it: it holds the program's data.
    let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)?;
    match prepare(&file) {
        Ok(()) => Ok(file),
        Err(error) => {
            let _ = std::fs::remove_file(path);
            Err(error)
        }
    }
}

/// Keeps two pools of one pid (in two containers that share /dev/shm) apart; `create_new` catches the rest.
fn unpredictable() -> u32 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let stack = &now as *const _ as usize as u64;
    ((now.as_nanos() as u64 ^ stack.rotate_left(17)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}
