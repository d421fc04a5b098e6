//! A value with cache lines of its own.

/// Holds a value alone on its cache lines, so that a thread that writes it disturbs no other that spins on a neighbour.
///
/// Aligned to 128 bytes, because processors fetch lines of 64 in pairs.
#[derive(Debug, Default)]
#[repr(C, align(128))]
pub struct Padded<T>(pub T);
