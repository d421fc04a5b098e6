//! The array lock: each waiter spins on a place of its own.
//!
//! T. Anderson, *The performance of spin lock alternatives for shared-memory multiprocessors*, IEEE TPDS 1(1), 1990,
//! section V. Anderson's places hold "has lock" or "must wait", and the thread that is granted sets its place back for
//! the next round. Here a place holds the number of the turn that it grants: the queue and the places are the same, but
//! there is nothing to set back, all bytes zero is an unlocked lock, and when more wait than there are places, then
//! some share a cache line, where the original would grant two at once.

use super::super::padded::Padded;
use super::super::sync::AtomicU32;
use super::queue_lock::QueueLock;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// A place in the queue of an [`ArrayLock`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Place(u32);

/// Anderson's array lock with `N` places, a power of two; have one for each processor. Plain data: all bytes zero is an
/// unlocked one, wherever it is mapped.
#[derive(Debug)]
#[repr(C)]
pub struct ArrayLock<const N: usize> {
    next: Padded<AtomicU32>,
    /// The last turn that each place granted.
    granted: [Padded<AtomicU32>; N],
}

impl<const N: usize> ArrayLock<N> {
    /// A power of two, so that the places of turns follow each other also where the numbers wrap around.
    const MASK: u32 = {
        assert!(N.is_power_of_two() && N <= 1 << 16, "an array lock has a power of two of places");
        N as u32 - 1
    };

    const_if_possible! {
        /// An unlocked one.
        pub fn new() -> Self {
            ArrayLock {
                next: Padded(AtomicU32::new(0)),
                granted: places!(N, Padded(AtomicU32::new(0))),
            }
        }
    }

    fn place(&self, turn: u32) -> &AtomicU32 {
        &self.granted[(turn & Self::MASK) as usize].0
    }
}

impl<const N: usize> Default for ArrayLock<N> {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: each turn is drawn once. A place holds the turn t only when t - 1 was left, and is written again only when
// the turn before t + N is left, so at most one turn is granted. Places are written with release, read with acquire.
unsafe impl<const N: usize> QueueLock for ArrayLock<N> {
    type Place = Place;

    fn enter(&self) -> Place {
        // Only the order of the turns counts here: what the holder did is seen through the place.
        Place(self.next.0.fetch_add(1, Relaxed))
    }

    fn try_enter(&self) -> Option<Place> {
        let turn = self.next.0.load(Relaxed);
        if !self.is_granted(Place(turn)) {
            return None;
        }
        let drawn = self.next.0.compare_exchange(turn, turn.wrapping_add(1), Relaxed, Relaxed);
        drawn.ok().map(Place)
    }

    fn is_granted(&self, place: Place) -> bool {
        self.place(place.0).load(Acquire) == place.0
    }

    unsafe fn leave(&self, place: Place) {
        let turn = place.0.wrapping_add(1);
        self.place(turn).store(turn, Release);
    }
}
