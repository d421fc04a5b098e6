//! A mutex of the kernel: its holder inherits the urgency of the threads that wait, or has the resource's ceiling.

use crate::machine::sys;
use std::io;
use std::sync::atomic::AtomicU32;

/// A mutex whose word holds the holder's thread; the kernel marks the word when other threads wait.
#[derive(Debug)]
pub(crate) struct KernelMutex {
    word: AtomicU32,
    /// The priority of the most urgent user, if holders get it (as `PTHREAD_PRIO_PROTECT`).
    pub ceiling: Option<u8>,
}

impl KernelMutex {
    pub(crate) fn new(ceiling: Option<u8>) -> Self {
        KernelMutex { word: AtomicU32::new(0), ceiling }
    }

    /// Waits until the calling thread holds the mutex; fails where threads wait for each other.
    pub(crate) fn lock(&self) -> io::Result<()> {
        sys::lock_inheriting(&self.word)
    }

    /// Gives the mutex back, which the calling thread holds.
    pub(crate) fn unlock(&self) -> io::Result<()> {
        sys::unlock_inheriting(&self.word)
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
        let (mutex, inside, most) = (KernelMutex::new(None), AtomicU64::new(0), AtomicU64::new(0));
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
        assert_eq!((most.into_inner(), inside.into_inner()), (1, 0));
    }

    #[test]
    fn who_holds_it_cannot_wait_for_it() {
        let mutex = KernelMutex::new(None);
        mutex.lock().unwrap();
        assert_eq!(mutex.lock().unwrap_err().raw_os_error(), Some(libc::EDEADLK));
    }
}
