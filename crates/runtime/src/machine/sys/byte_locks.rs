//! Locks on single bytes of a file. Each belongs to a process: the kernel knows whose it is, and gives it up when the
//! process is gone.

use super::check;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// A request for, or about, the lock on `byte`.
fn lock_of(byte: usize, kind: libc::c_int) -> libc::flock {
    // SAFETY: all bytes zero is a valid `flock`.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = kind as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    lock.l_start = byte as libc::off_t;
    lock.l_len = 1;
    lock
}

/// Locks `byte` for this process; false if another one has it. A process may lock what it has locked already.
pub(crate) fn try_lock_byte(file: &File, byte: usize) -> io::Result<bool> {
    let lock = lock_of(byte, libc::F_WRLCK);
    // SAFETY: `lock` outlives the call, which only reads it.
    match check(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLK, &lock) }) {
        Ok(()) => Ok(true),
        // The system chooses one of the two errors.
        Err(error) if matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EACCES)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Gives the lock on `byte` up.
pub(crate) fn unlock_byte(file: &File, byte: usize) {
    let lock = lock_of(byte, libc::F_UNLCK);
    // SAFETY: as above. It takes nothing away in the middle of a range, so that it cannot fail for want of memory.
    unsafe {
        libc::fcntl(file.as_raw_fd(), libc::F_SETLK, &lock);
    }
}

/// The other process that has `byte` locked, if there is one; 0 if it cannot be seen from here.
pub(crate) fn holder_of_byte(file: &File, byte: usize) -> io::Result<Option<u32>> {
    let mut lock = lock_of(byte, libc::F_WRLCK);
    // SAFETY: `lock` outlives the call, which writes the answer there.
    check(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETLK, &mut lock) })?;
    Ok((lock.l_type != libc::F_UNLCK as libc::c_short).then(|| u32::try_from(lock.l_pid).unwrap_or(0)))
}
