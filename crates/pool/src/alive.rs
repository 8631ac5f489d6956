//! Is the other side still there? Two answers: a [`Lock`] on a file, which the kernel lets go when its holder
//! dies however it dies, and a [`Process`] named by pid and start time, for when there is no file to ask.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::path::Path;

/// An exclusive lock on a file, held until drop or the process's death.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Drop for Lock {
    /// Lets go at once: a child that was forked in this moment has the file open too until it is another program, and
    /// closing ours alone would leave it locked until then.
    fn drop(&mut self) {
        // SAFETY: plain system call on an open descriptor.
        unsafe { libc::flock(self.file.as_raw_fd(), libc::LOCK_UN) };
    }
}

impl Lock {
    /// Name, in a JVM's folder, of the lock that its agent holds while the JVM lives.
    pub const DEBUGGEE: &'static str = "lock";
    /// Name of the lock that whoever empties the pool holds: the collector, or a reader that salvages.
    pub const DRAIN: &'static str = "drain.lock";

    /// Takes the lock at once, creating the file if needed; None when another holds it.
    pub fn try_hold(path: &Path) -> io::Result<Option<Lock>> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        Ok(if try_flock(&file, libc::LOCK_EX)? { Some(Lock { file }) } else { None })
    }

    /// Whether somebody holds the lock. Asks with a shared lock, so that those who ask do not see each other.
    pub fn is_held(path: &Path) -> io::Result<bool> {
        let file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            other => other?,
        };
        Ok(!try_flock(&file, libc::LOCK_SH)?)
    }
}

fn try_flock(file: &File, operation: libc::c_int) -> io::Result<bool> {
    loop {
        // SAFETY: plain system call on an open descriptor.
        if unsafe { libc::flock(file.as_raw_fd(), operation | libc::LOCK_NB) } == 0 {
            return Ok(true);
        }
        let error = io::Error::last_os_error();
        match error.kind() {
            io::ErrorKind::WouldBlock => return Ok(false),
            io::ErrorKind::Interrupted => continue,
            _ => return Err(error),
        }
    }
}

/// A process, told apart from later ones with the same pid by its start time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Process {
    pid: u32,
    started: u64,
}

impl Process {
    /// The process that has this pid now; None when there is none or it is a zombie.
    pub fn find(pid: u32) -> Option<Process> {
        // Threads of the debuggee come here while they wait for a chunk: everything stays on the stack.
        let mut path = [0u8; 32];
        let mut rest = &mut path[..];
        write!(rest, "/proc/{pid}/stat").ok()?;
        let unused = rest.len();
        let path = std::str::from_utf8(&path[..path.len() - unused]).ok()?;
        let mut stat = [0u8; 1024];
        let len = File::open(path).and_then(|mut file| file.read(&mut stat)).ok()?;
        let stat = std::str::from_utf8(&stat[..len]).ok();
        let Some(stat) = stat else {
            // A process whose name is not UTF-8 is alive all the same.
            return Some(Process { pid, started: 0 });
        };
        // The name, in parentheses, may itself hold spaces and parentheses: fields are counted from its end.
        let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace();
        if matches!(fields.next()?, "Z" | "X" | "x") {
            return None;
        }
        Some(Process { pid, started: fields.nth(18)?.parse().ok()? })
    }

    pub fn pid(&self) -> u32 {
        self.pid
    }

    pub fn is_alive(&self) -> bool {
        Process::find(self.pid) == Some(*self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_alive_until_it_is_a_zombie() {
        assert!(Process::find(std::process::id()).is_some_and(|p| p.is_alive()));
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let process = Process::find(child.id()).unwrap();
        assert!(process.is_alive());
        child.kill().unwrap();
        while process.is_alive() {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert_eq!(Process::find(child.id()), None);
    }

    #[test]
    fn a_lock_is_held_until_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        assert!(!Lock::is_held(&path).unwrap());
        let lock = Lock::try_hold(&path).unwrap().unwrap();
        assert!(Lock::is_held(&path).unwrap());
        assert!(Lock::try_hold(&path).unwrap().is_none());
        drop(lock);
        assert!(!Lock::is_held(&path).unwrap());
    }
}
