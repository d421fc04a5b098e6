//! Shuttle's atomics in place of the machine's.

pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64};

/// Number of exchanges before a thread is biased: so small that both ways are explored.
pub(crate) const ENOUGH: u32 = 1;

/// The same.
pub(crate) const FAR: u64 = 2;

/// The same.
pub(crate) const SPARES: usize = 2;

/// Shuttle's threads exchange nothing.
pub(crate) fn light_barrier() {}

/// Writes `value`: under shuttle every write is visible at once.
pub(crate) fn announce(word: &AtomicU32, value: u32) -> u32 {
    word.swap(value, core::sync::atomic::Ordering::SeqCst)
}

/// Lets another thread go on.
pub(crate) fn spin() {
    shuttle::thread::yield_now();
}

/// Declares a function that is not `const`, as if shuttle's atomics could not be made at compile time.
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

pub(crate) use shuttle::sync::atomic::fence;

/// Shuttle has no cache lines.
pub(crate) const LINE: usize = 1;

pub(crate) use crate::counted::Word;
pub(crate) use crate::left_out::has;
