//! Loom's atomics in place of the machine's.

pub(crate) use loom::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64};

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
