//! The MCS lock: a list of waiters, each spinning on its own node.
//!
//! J. Mellor-Crummey and M. Scott, *Algorithms for scalable synchronization on shared-memory multiprocessors*, ACM
//! TOCS 9(1), 1991, figure 5.

use super::super::sync::{spin, AtomicBool, AtomicPtr};
use core::ptr;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// A waiter's place in the queue. It stays where it is from [`McsLock::enter`] to [`McsLock::leave`].
#[derive(Debug)]
#[repr(C, align(128))]
pub struct Node {
    next: AtomicPtr<Node>,
    waits: AtomicBool,
}

impl Node {
    const_if_possible! {
        /// A node in no queue.
        pub fn new() -> Self {
            Node { next: AtomicPtr::new(ptr::null_mut()), waits: AtomicBool::new(true) }
        }
    }
}

impl Default for Node {
    fn default() -> Self {
        Self::new()
    }
}

/// An MCS lock: one word, the last waiter's node. All bytes zero is an unlocked lock.
///
/// The word is an address: processes can share the lock and its nodes only where they map them at the same address.
#[derive(Debug)]
#[repr(C)]
pub struct McsLock {
    tail: AtomicPtr<Node>,
}

impl McsLock {
    const_if_possible! {
        /// An unlocked lock.
        pub fn new() -> Self {
            McsLock { tail: AtomicPtr::new(ptr::null_mut()) }
        }
    }

    /// Waits for the caller's turn, spinning, and calls `work` with no other thread within.
    pub fn with<R>(&self, work: impl FnOnce() -> R) -> R {
        /// A turn of [`McsLock::with`]. The queue refers to the node until this is dropped.
        struct Turn<'a>(&'a McsLock, *mut Node);
        impl Drop for Turn<'_> {
            fn drop(&mut self) {
                // SAFETY: the node is in this lock's queue and was granted.
                unsafe { self.0.leave(self.1) };
            }
        }
        let mut node = Node::new();
        let node = &raw mut node;
        // SAFETY: the node stays where it is, in no other queue, until it has left this one.
        unsafe {
            if !self.enter(node) {
                self.wait(node);
            }
        }
        let _turn = Turn(self, node);
        work()
    }

    /// Joins the queue with this node. True if it is granted at once: then there is nothing to wait for.
    ///
    /// # Safety
    ///
    /// The node is valid, neither moved nor in another queue until it was left.
    pub unsafe fn enter(&self, node: *mut Node) -> bool {
        // SAFETY: the caller keeps the node alive, and no queue knows it yet.
        unsafe { *node = Node::new() };
        // Release publishes the node's fields, acquire takes over what the last holder did.
        let before = self.tail.swap(node, AcqRel);
        if before.is_null() {
            return true;
        }
        // SAFETY: the node that was the tail stays valid until its owner has seen its successor.
        unsafe { (*before).next.store(node, Release) };
        false
    }

    /// Joins the queue only if it is empty; then the caller holds the lock, and this is true.
    ///
    /// # Safety
    ///
    /// As for [`McsLock::enter`], if the answer is `true`.
    #[must_use = "it may not hold the lock"]
    pub unsafe fn try_enter(&self, node: *mut Node) -> bool {
        // SAFETY: the caller keeps the node alive, and no queue knows it yet.
        unsafe { *node = Node::new() };
        self.tail.compare_exchange(ptr::null_mut(), node, AcqRel, Relaxed).is_ok()
    }

    /// True if the turn of the node, which was not granted at once, has come.
    ///
    /// # Safety
    ///
    /// The node is in this lock's queue.
    pub unsafe fn is_granted(&self, node: *const Node) -> bool {
        // SAFETY: the caller keeps the node alive.
        !unsafe { &*node }.waits.load(Acquire)
    }

    /// Spins until the turn of the node, which was not granted at once, has come.
    ///
    /// # Safety
    ///
    /// The node is in this lock's queue.
    pub unsafe fn wait(&self, node: *const Node) {
        // SAFETY: as the caller says.
        while !unsafe { self.is_granted(node) } {
            spin();
        }
    }

    /// Ends the turn of this node; the next one is granted.
    ///
    /// # Safety
    ///
    /// The node is in this lock's queue and granted.
    pub unsafe fn leave(&self, node: *mut Node) {
        // SAFETY: as the caller says.
        unsafe { self.leave_with(node, spin) }
    }

    /// Ends the turn as [`McsLock::leave`] does, and calls `relax` between two looks for a successor that has not
    /// written yet where its node is: for threads that may keep it from going on.
    ///
    /// # Safety
    ///
    /// As for [`McsLock::leave`].
    pub unsafe fn leave_with(&self, node: *mut Node, mut relax: impl FnMut()) {
        // SAFETY: the caller keeps the node alive until this returns.
        let own = unsafe { &*node };
        let mut next = own.next.load(Acquire);
        if next.is_null() {
            if self.tail.compare_exchange(node, ptr::null_mut(), Release, Relaxed).is_ok() {
                return;
            }
            // Somebody has swapped the tail, and is about to write its address here.
            next = own.next.load(Acquire);
            while next.is_null() {
                relax();
                next = own.next.load(Acquire);
            }
        }
        // SAFETY: the next one waits, so its owner keeps its node alive.
        unsafe { &*next }.waits.store(false, Release);
    }
}

impl Default for McsLock {
    fn default() -> Self {
        Self::new()
    }
}
