//! Keeps the background drain out of the debuggee's way. A thread that lowered its priority may not raise it again
//! without privilege, so there are two threads: one that stays low, and one that stays normal and helps under pressure.

/// Gives the calling thread the lowest ordinary priority. Not SCHED_IDLE: a thread that holds a lock must get on.
pub(crate) fn lower_this_thread() {
    // SAFETY: plain system calls about the calling thread; on Linux a thread id is a valid `who` for PRIO_PROCESS.
    unsafe {
        let thread = libc::gettid();
        libc::setpriority(libc::PRIO_PROCESS, thread as libc::id_t, 19);
    }
}
