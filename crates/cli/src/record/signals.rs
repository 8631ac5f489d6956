//! Signals while a command runs: the recording must outlive the program, so none of them ends us. What the terminal
//! sends (Ctrl-C, Ctrl-\) reaches the command by itself; what somebody sends to us alone is passed on.
//!
//! By hand: crates that handle signals do not say whether one is ignored, and that has to stay as it is.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

const ENDED: i32 = -1;
/// Pid of the command; 0 before it runs.
static COMMAND: AtomicI32 = AtomicI32::new(0);
/// Somebody wanted us to end.
static TOLD_TO_END: AtomicBool = AtomicBool::new(false);
/// Somebody wanted the command to end: Ctrl-C, or one of the signals that mean it.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// A signal that came before the command was there.
static EARLY: AtomicI32 = AtomicI32::new(0);

const SIGNALS: [i32; 4] = [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP];

/// Handlers, not SIG_IGN: a child inherits what is ignored, but not what is handled.
pub fn install() {
    for signal in SIGNALS {
        // SAFETY: zeros are a valid sigaction; the handler does only what is allowed in one (atomics and kill).
        unsafe {
            let mut old: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &mut old);
            // Under nohup and in background jobs some are ignored, by us and so by the command; leave that.
            if old.sa_sigaction == libc::SIG_IGN {
                continue;
            }
            let mut new: libc::sigaction = std::mem::zeroed();
            new.sa_sigaction = handle as *const () as usize;
            new.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            libc::sigemptyset(&mut new.sa_mask);
            libc::sigaction(signal, &new, std::ptr::null_mut());
        }
    }
}

pub fn forward_to(command: u32) {
    COMMAND.store(command as i32, Ordering::SeqCst);
    let early = EARLY.swap(0, Ordering::SeqCst);
    if early != 0 {
        // SAFETY: plain system call; the child has not been waited for, so the pid is its own.
        unsafe { libc::kill(command as i32, early) };
    }
}

/// The command has ended: nothing is passed on any more.
pub fn forward_no_more() {
    COMMAND.store(ENDED, Ordering::SeqCst);
}

/// What follows a recorded command is ours alone, and ends as any program does.
pub fn release() {
    for signal in SIGNALS {
        // SAFETY: zeros are a valid sigaction; only a handler of ours is taken away.
        unsafe {
            let mut now: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &mut now);
            if now.sa_sigaction == handle as *const () as usize {
                libc::signal(signal, libc::SIG_DFL);
            }
        }
    }
}

/// Were we sent a signal that means the end, and not only the command's?
pub fn was_told_to_end() -> bool {
    TOLD_TO_END.load(Ordering::SeqCst)
}

/// Was the command, or were we, told to end while it ran?
pub fn was_interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    if signal != libc::SIGQUIT {
        INTERRUPTED.store(true, Ordering::SeqCst);
    }
    // SAFETY: the kernel passes a valid siginfo to a SA_SIGINFO handler.
    let sent_by_process = unsafe { !info.is_null() && (*info).si_code <= 0 };
    if !sent_by_process {
        return;
    }
    if signal == libc::SIGTERM || signal == libc::SIGHUP {
        TOLD_TO_END.store(true, Ordering::SeqCst);
    }
    match COMMAND.load(Ordering::SeqCst) {
        // It has ended, and its number may be another's by now.
        ENDED => {}
        0 => EARLY.store(signal, Ordering::SeqCst),
        // SAFETY: kill is allowed in a handler. The command may have ended but not been reaped, or have been reaped
        // a moment ago: then this reaches nobody.
        command => unsafe {
            libc::kill(command, signal);
        },
    }
}
