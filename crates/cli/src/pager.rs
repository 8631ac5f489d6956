//! A pager between long output and a person, as git has it: only in a terminal, and out of the way where everything fits on the
//! screen. It takes the place of stdout, so that no command has to know of it.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, Ordering};

/// The pager's process while there is one.
static PAGER: AtomicI32 = AtomicI32::new(0);
/// What is to be said when the pager is gone; none if there is no pager.
static REMARKS: Mutex<Option<Vec<String>>> = Mutex::new(None);

pub struct Pager {
    child: Child,
    /// What stdout was.
    terminal: OwnedFd,
}

/// A word to the person beside the output, on stderr. While a pager has the screen, it waits.
pub fn remark(text: impl Into<String>) {
    let text = text.into();
    let mut waiting = REMARKS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    match waiting.as_mut() {
        Some(waiting) => waiting.push(text),
        None => eprintln!("inquest: {text}"),
    }
}

impl Pager {
    /// None where nobody would look at it. What cannot be started is done without.
    pub fn start() -> Option<Pager> {
        if !io::stdout().is_terminal() {
            return None;
        }
        let mut child = command()?.stdin(Stdio::piped()).spawn().ok()?;
        let pipe = child.stdin.take()?;
        let terminal = io::stdout().as_fd().try_clone_to_owned().ok()?;
        // SAFETY: both descriptors are open, and who writes to stdout does so by its number.
        if unsafe { libc::dup2(pipe.as_raw_fd(), libc::STDOUT_FILENO) } < 0 {
            return None;
        }
        PAGER.store(child.id() as i32, Ordering::SeqCst);
        // SAFETY: the handler does only what a handler may: close, wait, end.
        unsafe { libc::signal(libc::SIGINT, interrupted as *const () as libc::sighandler_t) };
        *REMARKS.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(Vec::new());
        Some(Pager { child, terminal })
    }

    /// Waits until the person has seen enough, and says what waited.
    pub fn end(mut self) {
        let _ = io::stdout().flush();
        // SAFETY: both descriptors are open; with its last copy the pipe is at its end.
        unsafe { libc::dup2(self.terminal.as_raw_fd(), libc::STDOUT_FILENO) };
        let _ = self.child.wait();
        PAGER.store(0, Ordering::SeqCst);
        let waited = REMARKS.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        for text in waited.into_iter().flatten() {
            eprintln!("inquest: {text}");
        }
    }
}

/// What `INQUEST_PAGER` or `PAGER` names, or `less`; none if that is no pager.
fn command() -> Option<Command> {
    let named = ["INQUEST_PAGER", "PAGER"].into_iter().find_map(env::var_os);
    let mut command = match named.as_deref() {
        Some(none) if none.is_empty() || none == "cat" => return None,
        Some(words) => {
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(words);
            shell
        }
        None => Command::new("less"),
    };
    // Ends by itself if all fits on the screen, keeps colours, leaves what it showed.
    if env::var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    Some(command)
}

/// Ctrl-C reaches the pager too, which goes on. If we ended at once, it would share the terminal with the shell.
extern "C" fn interrupted(_signal: libc::c_int) {
    let pager = PAGER.load(Ordering::SeqCst);
    // SAFETY: these may be called in a handler. The pipe's end is what the pager waits for.
    unsafe {
        libc::close(libc::STDOUT_FILENO);
        if pager > 0 {
            libc::waitpid(pager, std::ptr::null_mut(), 0);
        }
        libc::_exit(128 + libc::SIGINT);
    }
}
