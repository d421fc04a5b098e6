//! A mutex with guards, like the standard library's, over a queue lock.

use super::queue_lock::QueueLock;
use core::cell::UnsafeCell;
use core::fmt;
use core::ops::{Deref, DerefMut};

/// A value that its holder alone can reach; grants in the order of requests.
///
/// Plain data if `L` and `T` are: it may lie in memory that several processes map.
///
/// ```
/// use schedlab_objects::{Mutex, TicketLock};
/// static HITS: Mutex<TicketLock, u32> = Mutex::with(TicketLock::new(), 0);
/// *HITS.lock() += 1;
/// assert_eq!(*HITS.lock(), 1);
/// ```
#[repr(C)]
pub struct Mutex<L, T: ?Sized> {
    lock: L,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached by the holder alone (`QueueLock`'s contract), so it moves from thread to thread.
unsafe impl<L: QueueLock, T: ?Sized + Send> Sync for Mutex<L, T> {}
// SAFETY: as before; a lock has no owner's thread.
unsafe impl<L: Send, T: ?Sized + Send> Send for Mutex<L, T> {}

/// Access to the value of a locked mutex; dropping the guard grants the next waiter.
#[must_use = "a guard that is dropped at once protects nothing"]
pub struct Guard<'a, L: QueueLock, T: ?Sized> {
    mutex: &'a Mutex<L, T>,
    position: L::Position,
}

// SAFETY: a shared guard gives shared access to the value only.
unsafe impl<L: QueueLock, T: ?Sized + Sync> Sync for Guard<'_, L, T> where L::Position: Sync {}

impl<L, T> Mutex<L, T> {
    /// A mutex with this lock, which is not used otherwise.
    pub const fn with(lock: L, value: T) -> Self {
        Mutex { lock, value: UnsafeCell::new(value) }
    }

    /// The value, when no other shares it any more.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<L: Default, T> Mutex<L, T> {
    /// An unlocked mutex.
    pub fn new(value: T) -> Self {
        Self::with(L::default(), value)
    }
}

impl<L: QueueLock, T: ?Sized> Mutex<L, T> {
    /// Waits for the caller's turn, spinning, and locks.
    pub fn lock(&self) -> Guard<'_, L, T> {
        let position = self.lock.enter();
        self.lock.wait(position);
        Guard { mutex: self, position }
    }

    /// Locks as [`Mutex::lock`] does, and calls `relax` between two looks instead of spinning: for threads that may
    /// keep the holder from going on.
    pub fn lock_with(&self, mut relax: impl FnMut()) -> Guard<'_, L, T> {
        let position = self.lock.enter();
        while !self.lock.is_granted(position) {
            relax();
        }
        Guard { mutex: self, position }
    }

    /// Locks if no thread holds the mutex or waits for it.
    pub fn try_lock(&self) -> Option<Guard<'_, L, T>> {
        self.lock.try_enter().map(|position| Guard { mutex: self, position })
    }

    /// The value, which no other thread can reach.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }
}

impl<L: QueueLock + Default, T: Default> Default for Mutex<L, T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<L: QueueLock, T: ?Sized + fmt::Debug> fmt::Debug for Mutex<L, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.try_lock() {
            Some(guard) => f.debug_tuple("Mutex").field(&&*guard).finish(),
            None => f.write_str("Mutex(<locked>)"),
        }
    }
}

impl<L: QueueLock, T: ?Sized> Deref for Guard<'_, L, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the guard's position is granted until it is dropped, so no other guard exists.
        unsafe { &*self.mutex.value.get() }
    }
}

impl<L: QueueLock, T: ?Sized> DerefMut for Guard<'_, L, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as in `deref`, and this guard is borrowed mutably.
        unsafe { &mut *self.mutex.value.get() }
    }
}

impl<L: QueueLock, T: ?Sized> Drop for Guard<'_, L, T> {
    fn drop(&mut self) {
        // SAFETY: the position was drawn from this lock and granted when the guard was made; a guard is dropped once.
        unsafe { self.mutex.lock.leave(self.position) }
    }
}
