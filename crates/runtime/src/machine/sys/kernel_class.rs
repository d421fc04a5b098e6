//! System calls that only runs under the kernel's own scheduling classes make: reservations, and mutexes with
//! inheritance.

use super::{check, count, current_thread, Tid};
use std::io;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// Flag of a reservation: a forked child of its thread does not have one.
const RESET_ON_FORK: u64 = 1;

/// Puts a thread under SCHED_DEADLINE, with this budget, relative deadline and period, in nanoseconds.
pub(crate) fn set_deadline(tid: Tid, [budget, relative_deadline, period]: [u64; 3]) -> io::Result<()> {
    count();
    let attributes = libc::sched_attr {
        size: size_of::<libc::sched_attr>() as u32,
        sched_policy: libc::SCHED_DEADLINE as u32,
        sched_flags: RESET_ON_FORK,
        sched_nice: 0,
        sched_priority: 0,
        sched_runtime: budget,
        sched_deadline: relative_deadline,
        sched_period: period,
    };
    // SAFETY: `attributes` says its own size, and outlives the call, which only reads it.
    check(unsafe { libc::syscall(libc::SYS_sched_setattr, tid, &attributes, 0) } as libc::c_int)
}

/// Waits until the calling thread holds the mutex at `word`; meanwhile its holder inherits the thread's urgency.
pub(crate) fn lock_inheriting(word: &AtomicU32) -> io::Result<()> {
    let own = current_thread() as u32;
    while word.compare_exchange(0, own, Acquire, Relaxed).is_err() {
        match futex(word, libc::FUTEX_LOCK_PI) {
            Ok(()) => return Ok(()),
            Err(error) if matches!(error.raw_os_error(), Some(libc::EINTR | libc::EAGAIN)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Gives the mutex at `word`, which the calling thread holds, to the most urgent thread that waits.
pub(crate) fn unlock_inheriting(word: &AtomicU32) -> io::Result<()> {
    let own = current_thread() as u32;
    match word.compare_exchange(own, 0, Release, Relaxed) {
        Ok(_) => Ok(()),
        // Others wait: the kernel has marked the word.
        Err(_) => futex(word, libc::FUTEX_UNLOCK_PI),
    }
}

fn futex(word: &AtomicU32, operation: libc::c_int) -> io::Result<()> {
    count();
    // SAFETY: `word` outlives the call; there is no time-out.
    let result = unsafe {
        let operation = operation | libc::FUTEX_PRIVATE_FLAG;
        libc::syscall(libc::SYS_futex, word.as_ptr(), operation, 0, std::ptr::null::<libc::timespec>())
    };
    check(result as libc::c_int)
}
