//! What the machine has: room, and a place for the part that runs inside the JVM. No rights are needed, and that is said, because
//! other tools of the kind need some.

use std::env;
use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use wire::DoctorCheck;
use words::size;

use super::{bad, good, note};
use crate::agent_library;

/// Where the buffer between program and recorder lies, if there is room.
const SHARED_MEMORY: &str = "/dev/shm";
/// With less shared memory a busy program waits for the recorder. Containers often have 64 MB.
const ENOUGH_MEMORY: u64 = 256 << 20;
/// About a byte per event: a second of a busy program.
const ENOUGH_DISK: u64 = 1 << 30;
const LEAST_DISK: u64 = 16 << 20;

pub fn agent() -> DoctorCheck {
    match agent_library::unpacked() {
        Ok(path) => {
            good("agent", format!("the part that runs inside the JVM is unpacked to {}", path.display()))
        }
        Err(error) => bad(
            "agent",
            format!("the part that runs inside the JVM cannot be unpacked: {error:#}"),
            "set XDG_CACHE_HOME to a folder that you can write to",
        ),
    }
}

pub fn memory() -> DoctorCheck {
    let slower = "recording works, slower: the buffer lies in the recording's folder";
    match free(Path::new(SHARED_MEMORY)) {
        None => note(
            "memory",
            format!("there is no {SHARED_MEMORY}: {slower}"),
            format!("mount a tmpfs there: mount -t tmpfs tmpfs {SHARED_MEMORY}"),
        ),
        Some(free) if free < ENOUGH_MEMORY => note(
            "memory",
            format!("{} free in {SHARED_MEMORY}: a busy program will wait for the recorder", size(free)),
            format!(
                "give it more, for a container: docker run --shm-size=1g; or mount -o remount,size=1g {SHARED_MEMORY}"
            ),
        ),
        Some(free) => good("memory", format!("{} free in {SHARED_MEMORY}", size(free))),
    }
}

pub fn disk() -> DoctorCheck {
    let here = env::current_dir().unwrap_or_default();
    let shown = here.display();
    let advice = "record to a disk with more room: -o DIR";
    match free(&here) {
        None => note("disk", format!("how much room there is in {shown} is not known"), advice),
        Some(free) if free < LEAST_DISK => bad("disk", format!("{} free in {shown}", size(free)), advice),
        Some(free) if free < ENOUGH_DISK => note(
            "disk",
            format!("{} free in {shown}; a recording takes about 1 byte per event", size(free)),
            advice,
        ),
        Some(free) => good("disk", format!("{} free in {shown}", size(free))),
    }
}

pub fn rights() -> DoctorCheck {
    let scope = fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope");
    let scope = scope
        .map_or(String::new(), |scope| format!(" (kernel.yama.ptrace_scope = {} is fine)", scope.trim()));
    good("rights", format!("none are needed: neither root nor ptrace{scope}"))
}

/// Bytes that this user may still write below a folder.
fn free(path: &Path) -> Option<u64> {
    let path = CString::new(path.as_os_str().as_bytes()).ok()?;
    // SAFETY: all bytes of a `statvfs` may be zero.
    let mut found: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: the path ends with a zero, and `found` is what this call fills.
    let done = unsafe { libc::statvfs(path.as_ptr(), &mut found) };
    (done == 0).then(|| (found.f_bavail as u64).saturating_mul(found.f_frsize as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_known_where_there_is_a_folder() {
        assert!(free(Path::new("/")).is_some());
        assert_eq!(free(Path::new("/no/such/folder")), None);
    }
}
