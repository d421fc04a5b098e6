//! What the locks are made of: the machine's atomics and its hint to a spinning processor.
//!
//! The tests under `tests/` compile the same sources with another module of this name, which holds loom's or shuttle's.

pub(crate) use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64};

/// Tells the processor that it spins.
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
