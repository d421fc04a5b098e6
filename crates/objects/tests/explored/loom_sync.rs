//! Loom's atomics in place of the machine's.

pub(crate) use loom::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64};

/// A processor sees what it wrote itself; where there are several, `asymmetric_sync.rs` stands in for this.
pub(crate) fn light_barrier() {
    loom::sync::atomic::fence(core::sync::atomic::Ordering::SeqCst);
}

/// Number of exchanges before a thread is biased: so small that both ways are explored.
pub(crate) const ENOUGH: u32 = 1;

/// The same.
pub(crate) const FAR: u64 = 2;

/// The same.
pub(crate) const SPARES: usize = 2;

/// Loom takes sequential consistency of anything but fences for less than it is.
pub(crate) fn announce(word: &AtomicU32, value: u32) -> u32 {
    let before = word.swap(value, core::sync::atomic::Ordering::SeqCst);
    loom::sync::atomic::fence(core::sync::atomic::Ordering::SeqCst);
    before
}

/// Lets another thread go on; loom explores no endless spinning.
pub(crate) fn spin() {
    loom::thread::yield_now();
}

/// Loom's atomics cannot be made at compile time.
macro_rules! const_if_possible {
    ($(#[$about:meta])* pub fn $($rest:tt)*) => {
        $(#[$about])* pub fn $($rest)*
    };
}

macro_rules! places {
    ($count:expr, $place:expr) => {
        core::array::from_fn(|_| $place)
    };
}

pub(crate) use loom::sync::atomic::fence;
pub(crate) use loom::sync::atomic::AtomicU64 as Word;

/// Loom has no cache lines.
pub(crate) const LINE: usize = 1;

pub(crate) use crate::left_out::has;
