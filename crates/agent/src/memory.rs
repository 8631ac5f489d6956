//! Looking at memory of this process from outside of Java: the stack of a thread, and words that may be gone.

use std::mem;
use std::sync::{Mutex, OnceLock};

/// The word at an address. None where there is no memory: the VM may have given it back meanwhile.
pub fn read(address: usize) -> Option<u64> {
    if address == 0 {
        return None;
    }
    let mut word = 0u64;
    let local = libc::iovec { iov_base: (&raw mut word).cast(), iov_len: 8 };
    let remote = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: 8 };
    // SAFETY: the kernel writes eight bytes to `word`, and checks the other address.
    let copied = unsafe { libc::process_vm_readv(libc::getpid(), &local, 1, &remote, 1, 0) };
    match copied {
        8 => Some(word),
        // Where that call is forbidden, a pipe does the same.
        _ if std::io::Error::last_os_error().raw_os_error() != Some(libc::EFAULT) => through_pipe(address),
        _ => None,
    }
}

fn through_pipe(address: usize) -> Option<u64> {
    static PIPE: OnceLock<Option<Mutex<[i32; 2]>>> = OnceLock::new();
    let pipe = PIPE.get_or_init(|| {
        let mut ends = [0; 2];
        // SAFETY: room for two descriptors.
        (unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } == 0).then(|| Mutex::new(ends))
    });
    let ends = pipe.as_ref()?.lock().ok()?;
    let mut word = 0u64;
    // SAFETY: the kernel checks the address, and writes at most eight bytes to `word`.
    let copied = unsafe {
        libc::write(ends[1], address as *const libc::c_void, 8) == 8
            && libc::read(ends[0], (&raw mut word).cast(), 8) == 8
    };
    copied.then_some(word)
}

/// Lowest address and size of the current thread's stack.
pub fn stack() -> Option<(usize, usize)> {
    // SAFETY: the attributes are filled in by the first call, read by the second, and destroyed.
    unsafe {
        let mut attributes: libc::pthread_attr_t = mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &mut attributes) != 0 {
            return None;
        }
        let (mut start, mut size) = (std::ptr::null_mut(), 0);
        let got = libc::pthread_attr_getstack(&attributes, &mut start, &mut size);
        libc::pthread_attr_destroy(&mut attributes);
        (got == 0).then_some((start as usize, size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_where_there_is_memory() {
        let word = 0x0123_4567_89ab_cdefu64;
        let address = &raw const word as usize;
        assert_eq!((read(address), through_pipe(address)), (Some(word), Some(word)));
        assert_eq!((read(0), read(8), through_pipe(8)), (None, None, None));
    }

    #[test]
    fn a_local_is_on_the_stack() {
        let local = 1u8;
        let (start, size) = stack().unwrap();
        assert!((start..start + size).contains(&(&raw const local as usize)));
    }
}
