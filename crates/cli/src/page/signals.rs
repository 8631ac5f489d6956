//! What ends the page: Ctrl-C, or being told to. No thread of the server takes these signals; the main thread waits
//! for them. And a file of the recording that is cut off while it is mapped: reading it is the end of the process, which
//! at least says why.
//!
//! By hand, because a signal that is ignored (under nohup) has to stay so: a mask leaves it, while crates that handle
//! signals install a handler in its place.

use std::mem::MaybeUninit;
use std::ptr;

const ENDING: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// From now on this thread, and those that it starts, leave the ending to `wait`.
pub fn hold() {
    mask(libc::SIG_BLOCK);
    explain_bus_errors();
}

/// Starts something whose threads take no signals.
pub fn held<T>(start: impl FnOnce() -> T) -> T {
    mask(libc::SIG_BLOCK);
    let started = start();
    mask(libc::SIG_UNBLOCK);
    explain_bus_errors();
    started
}

/// Until somebody wants an end.
pub fn wait() {
    let mut signal = 0;
    // SAFETY: the set is made by `set`, the number is ours.
    unsafe { libc::sigwait(&set(), &mut signal) };
}

/// From now on a signal ends the process, as it does without a page.
pub fn release() {
    for signal in ENDING {
        // SAFETY: the default action is valid for these signals.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    mask(libc::SIG_UNBLOCK);
}

fn mask(how: libc::c_int) {
    // SAFETY: the set is made by `set`; nothing is to be returned.
    unsafe { libc::pthread_sigmask(how, &set(), ptr::null_mut()) };
}

fn set() -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: sigemptyset makes the set before it is added to.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in ENDING {
            libc::sigaddset(set.as_mut_ptr(), signal);
        }
        set.assume_init()
    }
}

fn explain_bus_errors() {
    // SAFETY: the handler only writes and ends, which is allowed in one; zeros are a valid sigaction.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = cut_off as *const () as usize;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(libc::SIGBUS, &action, ptr::null_mut());
    }
}

extern "C" fn cut_off(_signal: libc::c_int) {
    const TEXT: &[u8] = b"inquest: a file of the recording or of its index was cut off, or its disk failed: the page has to end. \
Everything that was answered is kept. `inquest verify` says what is left of the recording; without its folder `index` the index is built again.\n";
    // SAFETY: write and _exit are allowed in a handler; the text is static.
    unsafe {
        libc::write(libc::STDERR_FILENO, TEXT.as_ptr().cast(), TEXT.len());
        libc::_exit(i32::from(crate::BAD_INPUT));
    }
}
