//! Timers of the kernel: one that signals a thread, and one for which a thread waits.

use super::{timespec, Tid, PARK_SIGNAL};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// A timer that signals a thread. Dropping it deletes it.
#[derive(Debug)]
pub(crate) struct Timer(libc::timer_t);

// SAFETY: it is a number of the kernel's, which any thread may use.
unsafe impl Send for Timer {}
// SAFETY: as above.
unsafe impl Sync for Timer {}

impl Timer {
    /// A stopped timer that signals `thread` of this process. Refused where the user has as many signals under way as
    /// the system allows.
    pub(crate) fn of(thread: Tid) -> io::Result<Self> {
        let mut timer = MaybeUninit::<libc::timer_t>::uninit();
        // SAFETY: all bytes zero is a valid `sigevent`; `timer` is a place for the result, there if the call succeeded.
        unsafe {
            let mut event: libc::sigevent = std::mem::zeroed();
            event.sigev_notify = libc::SIGEV_THREAD_ID;
            event.sigev_signo = PARK_SIGNAL;
            event.sigev_notify_thread_id = thread;
            super::check(libc::timer_create(libc::CLOCK_MONOTONIC, &mut event, timer.as_mut_ptr()))?;
            Ok(Timer(timer.assume_init()))
        }
    }

    /// Starts the timer: it fires when the monotonic clock shows `ns`, at once if that has passed.
    pub(crate) fn start(&self, ns: u64) {
        // A time of zero would stop the timer.
        self.set(ns.max(1));
    }

    /// Stops the timer.
    pub(crate) fn stop(&self) {
        self.set(0);
    }

    fn set(&self, ns: u64) {
        let once = libc::itimerspec { it_interval: timespec(0), it_value: timespec(ns) };
        // SAFETY: `once` outlives the call, and the timer is there.
        unsafe {
            libc::timer_settime(self.0, libc::TIMER_ABSTIME, &once, std::ptr::null_mut());
        }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        // SAFETY: it was created, and nothing uses it any more.
        unsafe {
            libc::timer_delete(self.0);
        }
    }
}

/// A timer for which a thread waits by reading a file. Dropping it deletes it.
#[derive(Debug)]
pub(crate) struct FileTimer(OwnedFd);

impl FileTimer {
    /// A timer that is not set. Refused where the process has as many files as the system allows.
    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: it passes numbers; the descriptor is owned from here on.
        unsafe {
            let timer = libc::timerfd_create(libc::CLOCK_MONOTONIC, libc::TFD_CLOEXEC);
            super::check(timer.min(0))?;
            Ok(FileTimer(OwnedFd::from_raw_fd(timer)))
        }
    }

    /// Sets the timer, instead of what it was set for before: it fires when the monotonic clock shows `ns`, at once if
    /// that has passed, else on the calling thread's processor.
    pub(crate) fn set(&self, ns: u64) {
        // A time of zero would stop the timer.
        let once = libc::itimerspec { it_interval: timespec(0), it_value: timespec(ns.max(1)) };
        let (timer, flags) = (self.0.as_raw_fd(), libc::TFD_TIMER_ABSTIME);
        // SAFETY: `once` outlives the call, and the descriptor is there.
        unsafe {
            libc::timerfd_settime(timer, flags, &once, std::ptr::null_mut());
        }
    }

    /// Waits until the timer fires; may return early.
    pub(crate) fn wait(&self) {
        super::count();
        let mut times = 0u64;
        // SAFETY: `times` is a place for the result, which is not read.
        unsafe {
            libc::read(self.0.as_raw_fd(), (&raw mut times).cast(), size_of::<u64>());
        }
    }
}
