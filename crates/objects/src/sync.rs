//! What the locks are made of: the machine's atomics and its hint to a spinning processor.
//!
//! The tests under `tests/` compile the same sources with another module of this name, which holds loom's or shuttle's.

pub(crate) use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64};

/// So many exchanges cost a thread about what a barrier for all processors costs the one that makes it: 7 ns and 2 us
/// where this was measured.
pub(crate) const ENOUGH: u32 = 256;

/// A queue's tail is at most so many nodes behind the last: rarely moved, and far less than counts can tell apart.
pub(crate) const FAR: u64 = 1 << 10;

/// So many free nodes of a queue a task keeps for itself: with their count, as many words as are apart from others.
pub(crate) const SPARES: usize = 15;

/// Keeps the compiler, not the processor, from exchanging what comes before and after it: half of a fence whose other
/// half makes all processors finish what they have begun.
#[inline]
pub(crate) fn light_barrier() {
    core::sync::atomic::compiler_fence(core::sync::atomic::Ordering::SeqCst);
}

/// A write that is to be seen before the writer looks at anything else; says what was there.
#[inline]
pub(crate) fn announce(word: &AtomicU32, value: u32) -> u32 {
    word.swap(value, core::sync::atomic::Ordering::SeqCst)
}

/// Tells the processor that it spins.
#[inline]
pub(crate) fn spin() {
    core::hint::spin_loop();
}

/// A function that is `const` where the atomics can be made at compile time (loom's cannot).
macro_rules! const_if_possible {
    ($(#[$about:meta])* pub fn $($rest:tt)*) => {
        $(#[$about])* pub const fn $($rest)*
    };
}

/// An array whose elements are made one by one.
macro_rules! places {
    ($count:expr, $place:expr) => {
        [const { $place }; $count]
    };
}

/// A word of an object in shared memory.
pub(crate) use core::sync::atomic::AtomicU64 as Word;

pub(crate) use core::sync::atomic::fence;

/// Words from one that is written often to the next: a cache line, and the one that processors fetch with it.
pub(crate) const LINE: usize = 16;

/// Whether the part is there: always, but for tests that leave one out.
#[inline(always)]
pub(crate) const fn has(_: super::part::Part) -> bool {
    true
}
