//! A mutex with guards over an MCS lock. Each user lends a place in the queue.

use super::mcs::{McsLock, Node};
use core::cell::{Cell, UnsafeCell};
use core::fmt;
use core::marker::PhantomPinned;
use core::ops::{Deref, DerefMut};
use core::pin::{pin, Pin};

/// A value that its holder alone can reach; grants in the order of requests, each waiter spinning on its own memory.
///
/// ```
/// use schedlab_objects::McsMutex;
/// static HITS: McsMutex<u32> = McsMutex::new(0);
/// HITS.with(|hits| *hits += 1);
///
/// let mut place = std::pin::pin!(HITS.place());
/// assert_eq!(*place.as_mut().lock(), 1);
/// ```
#[repr(C)]
pub struct McsMutex<T: ?Sized> {
    lock: McsLock,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached by the holder alone, so it moves from thread to thread.
unsafe impl<T: ?Sized + Send> Sync for McsMutex<T> {}
// SAFETY: as before; the lock has no owner's thread.
unsafe impl<T: ?Sized + Send> Send for McsMutex<T> {}

/// A place in the queue of one mutex.
///
/// The mutex outlives it. It is pinned while it queues, and a pinned value is dropped before its memory is used for anything else.
/// Dropping it while it still holds the mutex (its guard was forgotten) releases the mutex. So no queue ever
/// refers to a dead place.
pub struct McsPlace<'m, T: ?Sized> {
    mutex: &'m McsMutex<T>,
    /// Reached by a raw pointer while it queues: the neighbours in the queue write to it.
    node: UnsafeCell<Node>,
    holds: Cell<bool>,
    _pinned: PhantomPinned,
}

/// Who has it holds the mutex; dropping it grants the next waiter.
#[must_use = "a guard that is dropped at once protects nothing"]
pub struct McsGuard<'p, 'm, T: ?Sized> {
    place: Pin<&'p mut McsPlace<'m, T>>,
}

impl<T> McsMutex<T> {
    const_if_possible! {
        /// An unlocked mutex.
        pub fn new(value: T) -> Self {
            McsMutex { lock: McsLock::new(), value: UnsafeCell::new(value) }
        }
    }

    /// The value, when no other shares it any more.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T: ?Sized> McsMutex<T> {
    /// A place in its queue, for one user at a time.
    pub fn place(&self) -> McsPlace<'_, T> {
        McsPlace {
            mutex: self,
            node: UnsafeCell::new(Node::new()),
            holds: Cell::new(false),
            _pinned: PhantomPinned,
        }
    }

    /// Waits for its turn, spinning, and calls `use_it` with the value.
    pub fn with<R>(&self, use_it: impl FnOnce(&mut T) -> R) -> R {
        let place = pin!(self.place());
        let mut guard = place.lock();
        use_it(&mut guard)
    }

    /// The value; no other can have it.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }
}

impl<T: Default> Default for McsMutex<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: ?Sized> fmt::Debug for McsMutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McsMutex").finish_non_exhaustive()
    }
}

impl<'m, T: ?Sized> McsPlace<'m, T> {
    /// Waits for its turn, spinning.
    pub fn lock(self: Pin<&mut Self>) -> McsGuard<'_, 'm, T> {
        if !self.holds.get() {
            let lock = &self.mutex.lock;
            // SAFETY: the node is pinned, is in no queue, and leaves this one before it is dropped.
            unsafe {
                if !lock.enter(self.node.get()) {
                    lock.wait(self.node.get());
                }
            }
            self.holds.set(true);
        }
        McsGuard { place: self }
    }

    /// Locks if no thread holds the mutex or waits.
    pub fn try_lock(self: Pin<&mut Self>) -> Option<McsGuard<'_, 'm, T>> {
        // SAFETY: as in `lock`.
        let holds = self.holds.get() || unsafe { self.mutex.lock.try_enter(self.node.get()) };
        self.holds.set(holds);
        holds.then(|| McsGuard { place: self })
    }

    fn unlock(&self) {
        if self.holds.replace(false) {
            // SAFETY: the node is in this lock's queue, and was granted when `holds` was set.
            unsafe { self.mutex.lock.leave(self.node.get()) };
        }
    }
}

impl<T: ?Sized> Drop for McsPlace<'_, T> {
    fn drop(&mut self) {
        self.unlock();
    }
}

impl<T: ?Sized> Deref for McsGuard<'_, '_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the place holds the mutex until the guard is dropped, so no other guard exists.
        unsafe { &*self.place.mutex.value.get() }
    }
}

impl<T: ?Sized> DerefMut for McsGuard<'_, '_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as in `deref`, and this guard is borrowed mutably.
        unsafe { &mut *self.place.mutex.value.get() }
    }
}

impl<T: ?Sized> Drop for McsGuard<'_, '_, T> {
    fn drop(&mut self) {
        self.place.unlock();
    }
}
