//! Where a task's thread is, and the signals that reach it there.
//!
//! A thread in its job's code looks at its gate only if a signal makes it. A thread in the runtime's code looks by
//! itself when it leaves that code, so no signal is sent to it.

use crate::backend::linked_thread::LinkedThread;
use crate::machine::sys::{self, Tid};
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicI32};

/// The thread of a gate, and whether it is in the runtime's code.
#[derive(Debug, Default)]
pub(super) struct Presence {
    /// The kernel's number of the thread; zero before it is there, and once it has gone.
    tid: AtomicI32,
    inside: AtomicBool,
    /// The thread's part in its links, where the kernel executes it by these.
    linked: Option<LinkedThread>,
}

impl Presence {
    /// The presence of a thread that is not there yet.
    pub(super) fn of(linked: Option<LinkedThread>) -> Self {
        Presence { linked, ..Presence::default() }
    }

    /// Makes the calling thread, which is in the runtime's code, the one that signals are sent to.
    pub(super) fn begin(&self) {
        self.set_inside(true);
        self.tid.store(sys::current_thread(), SeqCst);
    }

    /// Ends [`Presence::begin`]: the thread goes, and no signal is sent to it any more.
    pub(super) fn end(&self) {
        self.tid.store(0, SeqCst);
    }

    /// The thread, while it is there.
    pub(super) fn thread(&self) -> Option<Tid> {
        Some(self.tid.load(SeqCst)).filter(|tid| *tid != 0)
    }

    /// States that the thread enters the runtime's code (`true`), or leaves it.
    #[inline]
    pub(super) fn set_inside(&self, inside: bool) {
        self.inside.store(inside, SeqCst);
        if let Some(linked) = &self.linked {
            if inside {
                linked.enter();
            } else {
                linked.leave();
            }
        }
    }

    /// States that the thread, which is in the runtime's code, has begun its first job, or has no job any more. Where
    /// the kernel executes it by links, it does so in between.
    pub(super) fn set_working(&self, working: bool) {
        if let Some(linked) = &self.linked {
            if working {
                linked.begin();
            } else {
                linked.end();
            }
        }
    }

    /// Does `sleep`, in which the thread, which is in the runtime's code, waits for its permission.
    pub(super) fn wait(&self, sleep: impl FnOnce()) {
        match &self.linked {
            Some(linked) => linked.wait(sleep),
            None => sleep(),
        }
    }

    /// True if the thread is in the runtime's code.
    #[inline]
    pub(super) fn is_inside(&self) -> bool {
        self.inside.load(SeqCst)
    }

    /// Sends `signal` to the thread if it is in its job's code.
    pub(super) fn signal(&self, signal: libc::c_int) {
        if let Some(tid) = self.thread().filter(|_| !self.is_inside()) {
            sys::signal_thread(tid, signal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The signal has the number 0, with which the kernel only looks whether the thread is there.
    #[test]
    fn a_thread_is_signalled_only_in_its_jobs_code() {
        let presence = Presence::default();
        let signals = || {
            let before = sys::calls();
            presence.signal(0);
            sys::calls() - before
        };
        assert_eq!((presence.thread(), signals()), (None, 0), "no thread is there yet");
        presence.begin();
        assert_eq!((presence.thread(), signals()), (Some(sys::current_thread()), 0), "it is inside");
        presence.set_inside(false);
        assert_eq!(signals(), 1);
        presence.end();
        assert_eq!((presence.thread(), signals()), (None, 0), "it has gone");
    }
}
