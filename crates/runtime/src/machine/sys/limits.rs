//! The limits that the kernel sets for a process.

use super::check;
use rustix::process::{getrlimit, Resource};
use std::io;

/// Tries whether `bytes` more of memory may be had, and gives them back untouched.
pub(crate) fn try_memory(bytes: usize) -> io::Result<()> {
    // SAFETY: it maps new pages, none over others, and unmaps them.
    unsafe {
        let (access, kind) = (libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let base = libc::mmap(std::ptr::null_mut(), bytes, access, kind, -1, 0);
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        check(libc::munmap(base, bytes))
    }
}

/// The number of bytes of addresses that the process may have; `None` if there is no limit.
pub(crate) fn most_address_space() -> Option<u64> {
    getrlimit(Resource::As).current
}

/// The number of threads that the process's user may have; `None` if there is no limit.
pub(crate) fn most_threads_of_user() -> Option<u64> {
    getrlimit(Resource::Nproc).current
}

/// The number of ticks in a second, in which the kernel counts processor time for users.
pub(crate) fn ticks_a_second() -> u64 {
    // SAFETY: it passes a number.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).unwrap_or(100).max(1)
}
