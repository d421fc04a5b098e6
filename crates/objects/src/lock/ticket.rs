//! The ticket lock: draw a number, wait until it is called.
//!
//! J. Mellor-Crummey and M. Scott, *Algorithms for scalable synchronization on shared-memory multiprocessors*, ACM
//! TOCS 9(1), 1991, section 2.2; after D. Reed and R. Kanodia's event counts (1979).

use super::super::padded::Padded;
use super::super::part::Part;
use super::super::sync::AtomicU32;
use super::super::words::ordering;
use super::queue_lock::QueueLock;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// A number drawn from a [`TicketLock`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Ticket(u32);

/// A ticket lock. Plain data: all bytes zero is an unlocked lock, wherever it is mapped.
///
/// Numbers wrap around, so at most 2^32 - 1 may wait at once.
#[derive(Debug)]
#[repr(C)]
pub struct TicketLock {
    next: Padded<AtomicU32>,
    called: Padded<AtomicU32>,
}

impl TicketLock {
    const_if_possible! {
        /// An unlocked lock.
        pub fn new() -> Self {
            TicketLock { next: Padded(AtomicU32::new(0)), called: Padded(AtomicU32::new(0)) }
        }
    }
}

impl Default for TicketLock {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: each number is drawn once; `called` is one number, written only by whose turn ends, with release, and
// read with acquire.
unsafe impl QueueLock for TicketLock {
    type Position = Ticket;

    #[inline]
    fn enter(&self) -> Ticket {
        // Only the order of the numbers counts here: what the holder did is seen through `called`.
        Ticket(self.next.0.fetch_add(1, Relaxed))
    }

    #[inline]
    fn try_enter(&self) -> Option<Ticket> {
        let called = self.called.0.load(Acquire);
        let drawn = self.next.0.compare_exchange(called, called.wrapping_add(1), Relaxed, Relaxed);
        drawn.ok().map(Ticket)
    }

    #[inline]
    fn is_granted(&self, ticket: Ticket) -> bool {
        self.called.0.load(Acquire) == ticket.0
    }

    #[inline]
    unsafe fn leave(&self, ticket: Ticket) {
        self.called.0.store(ticket.0.wrapping_add(1), ordering(Part::PassedTurn, Release));
    }
}
