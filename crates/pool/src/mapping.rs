//! A file mapped for sharing, from its first byte to its last. Only raw addresses leave this file: the other
//! process may write at any time, so nothing here hands out a slice.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr::NonNull;

pub(crate) struct Mapping {
    base: NonNull<u8>,
    len: usize,
}

// SAFETY: a mapping is a range of addresses that stays valid until drop; what lies there is only touched through
// atomics or under the chunk protocol (see `Pool`).
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    pub fn new(file: &File, len: usize) -> io::Result<Mapping> {
        Mapping::map(file, len, libc::PROT_READ | libc::PROT_WRITE)
    }

    /// Whose addresses must not be written to.
    pub fn read_only(file: &File, len: usize) -> io::Result<Mapping> {
        Mapping::map(file, len, libc::PROT_READ)
    }

    fn map(file: &File, len: usize, protection: libc::c_int) -> io::Result<Mapping> {
        // SAFETY: a fresh shared mapping of an open file at an address of the kernel's choice aliases nothing of ours.
        let base = unsafe {
            libc::mmap(std::ptr::null_mut(), len, protection, libc::MAP_SHARED, file.as_raw_fd(), 0)
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base = NonNull::new(base.cast()).ok_or_else(|| io::Error::other("mapped at address 0"))?;
        Ok(Mapping { base, len })
    }

    /// The address `offset` bytes into the mapping, which must be within it.
    pub fn at(&self, offset: usize) -> *mut u8 {
        debug_assert!(offset < self.len);
        self.base.as_ptr().wrapping_add(offset)
    }

    /// Asks the kernel to map these pages now rather than one fault at a time. Old kernels refuse; that only costs time.
    pub fn populate(&self, offset: usize, len: usize) {
        debug_assert!(offset + len <= self.len);
        // SAFETY: the range lies within the mapping and is page-aligned (chunks start at a multiple of 64 KiB);
        // populating changes no content.
        unsafe { libc::madvise(self.at(offset).cast(), len, libc::MADV_POPULATE_WRITE) };
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: base and len are what mmap gave, and nobody can hold a borrow of a dropped mapping.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.len) };
    }
}

/// Reserves real memory or disk for a part of a file, so that running out is an error here and not a SIGBUS later.
pub(crate) fn reserve(file: &File, offset: usize, len: usize) -> io::Result<()> {
    // SAFETY: plain system call on an open descriptor.
    match unsafe { libc::posix_fallocate(file.as_raw_fd(), offset as libc::off_t, len as libc::off_t) } {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}
