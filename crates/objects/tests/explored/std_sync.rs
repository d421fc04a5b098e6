//! The machine's atomics, with words whose accesses are counted.

pub(crate) use core::sync::atomic::{fence, AtomicBool, AtomicPtr, AtomicU32, AtomicU64};

/// Number of exchanges before a thread is biased, as in the library.
pub(crate) const ENOUGH: u32 = 256;

/// Largest distance of a queue's tail behind the last node, as in the library.
pub(crate) const FAR: u64 = 1 << 10;

/// Number of free nodes that a task keeps: so small that tasks that die have taken some off the stack, or were about to
/// put some there.
pub(crate) const SPARES: usize = 2;

pub(crate) fn light_barrier() {
    core::sync::atomic::compiler_fence(core::sync::atomic::Ordering::SeqCst);
}

pub(crate) fn announce(word: &AtomicU32, value: u32) -> u32 {
    word.swap(value, core::sync::atomic::Ordering::SeqCst)
}

pub(crate) fn spin() {
    core::hint::spin_loop();
}

macro_rules! const_if_possible {
    ($(#[$about:meta])* pub fn $($rest:tt)*) => {
        $(#[$about])* pub const fn $($rest)*
    };
}

macro_rules! places {
    ($count:expr, $place:expr) => {
        [const { $place }; $count]
    };
}

pub(crate) use crate::counted::Word;

/// Number of words from one that is written often to the next, as in the library.
pub(crate) const LINE: usize = 16;

pub(crate) const fn has(_: crate::sources::Part) -> bool {
    true
}
