//! The machine's atomics and its hint to a spinning processor, of which the locks are made.
//!
//! The tests under `tests/` compile the same sources with another module of this name, which holds loom's or shuttle's
//! atomics.

pub(crate) use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64};

/// Number of exchanges that cost a thread about as much as a barrier on all processors costs the thread that issues it:
/// 7 ns each and 2 us where this was measured.
pub(crate) const ENOUGH: u32 = 256;

/// Largest distance of a queue's tail behind the last node. The tail is then moved rarely, and counts can still tell
/// the distance.
pub(crate) const FAR: u64 = 1 << 10;

/// Number of free nodes of a queue that a task keeps for itself. With their count they fill the words that lie apart
/// from those of other tasks.
pub(crate) const SPARES: usize = 15;

/// Keeps the compiler, but not the processor, from reordering what comes before and after it. It is one half of a
/// fence, whose other half makes all processors finish what they have begun.
#[inline]
pub(crate) fn light_barrier() {
    core::sync::atomic::compiler_fence(core::sync::atomic::Ordering::SeqCst);
}

/// Writes `value`, and makes it visible before the writer reads anything else. Returns the value that was there.
#[inline]
pub(crate) fn announce(word: &AtomicU32, value: u32) -> u32 {
    word.swap(value, core::sync::atomic::Ordering::SeqCst)
}

/// Hints to the processor that the thread spins.
#[inline]
pub(crate) fn spin() {
    core::hint::spin_loop();
}

/// Declares a function that is `const` where the atomics can be made at compile time (loom's cannot).
macro_rules! const_if_possible {
    ($(#[$about:meta])* pub fn $($rest:tt)*) => {
        $(#[$about])* pub const fn $($rest)*
    };
}

/// Makes an array whose elements are made one by one.
macro_rules! places {
    ($count:expr, $place:expr) => {
        [const { $place }; $count]
    };
}

/// A word of an object in shared memory.
pub(crate) use core::sync::atomic::AtomicU64 as Word;

pub(crate) use core::sync::atomic::fence;

/// Number of words between one that is written often and the next: a cache line, and the one that processors fetch with
/// it.
pub(crate) const LINE: usize = 16;

/// True if the part is there: always, except in tests that leave one out.
#[inline(always)]
pub(crate) const fn has(_: super::part::Part) -> bool {
    true
}
