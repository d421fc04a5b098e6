//! Shuttle's atomics in place of the machine's.

pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64};

/// Lets another thread go on.
pub(crate) fn spin() {
    shuttle::thread::yield_now();
}

/// As if shuttle's atomics could not be made at compile time.
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
