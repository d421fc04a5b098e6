//! A mutex as POSIX has it: without protocol, with priority inheritance, or with a ceiling.

use crate::machine::sys;
use std::io;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// Kind of a mutex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MutexKind {
    /// No thread becomes more urgent (as `PTHREAD_PRIO_NONE`).
    Plain,
    /// The holder inherits the waiters' urgency (as `PTHREAD_PRIO_INHERIT`).
    Inheriting,
    /// The holder has this priority, that of the most urgent user (as `PTHREAD_PRIO_PROTECT`).
    Ceiling(u8),
}

/// A plain mutex is free.
const FREE: u32 = 0;
/// A plain mutex is held, and no thread waits for it.
const HELD: u32 = 1;
/// A plain mutex is held, and threads may wait for it.
const AWAITED: u32 = 2;

/// A mutex. Under inheritance its word holds the holder's thread, and the kernel marks it when other threads wait.
/// Otherwise it tells whether the mutex is held, as in U. Drepper, *Futexes are tricky*, 2011, section 6.
#[derive(Debug)]
pub(crate) struct KernelMutex {
    word: AtomicU32,
    kind: MutexKind,
}

impl KernelMutex {
    pub(crate) fn new(kind: MutexKind) -> Self {
        KernelMutex { word: AtomicU32::new(FREE), kind }
    }

    /// The priority that threads take before they ask for the mutex, and keep until they have given it back.
    pub(crate) fn ceiling(&self) -> Option<u8> {
        match self.kind {
            MutexKind::Ceiling(priority) => Some(priority),
            MutexKind::Plain | MutexKind::Inheriting => None,
        }
    }

    /// Waits until the calling thread holds the mutex. Fails under inheritance where threads wait for each other.
    pub(crate) fn lock(&self) -> io::Result<()> {
        match self.kind {
            MutexKind::Inheriting => sys::lock_inheriting(&self.word),
            MutexKind::Plain | MutexKind::Ceiling(_) => {
                if self.word.compare_exchange(FREE, HELD, Acquire, Relaxed).is_err() {
                    while self.word.swap(AWAITED, Acquire) != FREE {
                        sys::futex_wait(&self.word, AWAITED, None);
                    }
                }
                Ok(())
            }
        }
    }

    /// Gives the mutex back, which the calling thread holds.
    pub(crate) fn unlock(&self) -> io::Result<()> {
        match self.kind {
            MutexKind::Inheriting => sys::unlock_inheriting(&self.word),
            MutexKind::Plain | MutexKind::Ceiling(_) => {
                if self.word.swap(FREE, Release) == AWAITED {
                    sys::futex_wake_one(&self.word);
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;
    use std::sync::atomic::Ordering::Relaxed;
    use std::thread;

    #[test]
    fn one_thread_at_a_time_holds_it() {
        for kind in [MutexKind::Plain, MutexKind::Inheriting, MutexKind::Ceiling(80)] {
            exclude(kind);
        }
    }

    fn exclude(kind: MutexKind) {
        let (mutex, inside, most) = (KernelMutex::new(kind), AtomicU64::new(0), AtomicU64::new(0));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..2_000 {
                        mutex.lock().unwrap();
                        most.fetch_max(inside.fetch_add(1, Relaxed) + 1, Relaxed);
                        thread::yield_now();
                        inside.fetch_sub(1, Relaxed);
                        mutex.unlock().unwrap();
                    }
                });
            }
        });
        assert_eq!((most.into_inner(), inside.into_inner()), (1, 0), "{kind:?}");
    }

    #[test]
    fn who_holds_it_cannot_wait_for_it() {
        let mutex = KernelMutex::new(MutexKind::Inheriting);
        mutex.lock().unwrap();
        assert_eq!(mutex.lock().unwrap_err().raw_os_error(), Some(libc::EDEADLK));
    }
}
