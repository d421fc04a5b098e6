//! What a thread asks of Linux for itself: its processors, and to be woken when it is due.

use std::io;

/// The processors on which a thread may execute; thread 0 is the calling one.
pub(crate) fn affinity(thread: libc::pid_t) -> io::Result<u64> {
    // SAFETY: a set is plain words, all zero for none; the call stays within it.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(thread, size_of::<libc::cpu_set_t>(), &mut set) != 0 {
            return Err(io::Error::last_os_error());
        }
        let bit = |processor: usize| u64::from(libc::CPU_ISSET(processor, &set)) << processor;
        Ok((0..64).fold(0, |all, processor| all | bit(processor)))
    }
}

/// Has the calling thread execute on these processors alone.
pub(crate) fn allow(processors: u64) {
    // SAFETY: a set is plain words, all zero for none; all calls stay within it.
    let failed = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        (0..64).filter(|at| processors >> at & 1 == 1).for_each(|at| libc::CPU_SET(at, &mut set));
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set)
    };
    assert_eq!(failed, 0, "these processors are the run's: {}", io::Error::last_os_error());
}

/// Has the kernel wake the calling thread when it is due: threads of no real-time class are else woken up to 50 us
/// late.
pub(crate) fn wake_exactly() {
    // SAFETY: it takes no memory. One nanosecond is the least.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1);
    }
}

/// Has the calling thread sleep until the monotonic clock shows `at`, or a signal comes.
pub(crate) fn sleep_until(at: u64) {
    let until = libc::timespec {
        tv_sec: (at / 1_000_000_000) as libc::time_t,
        tv_nsec: (at % 1_000_000_000) as libc::c_long,
    };
    // SAFETY: `until` outlives the call.
    unsafe {
        libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &until, std::ptr::null_mut());
    }
}
