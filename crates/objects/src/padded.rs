//! A value with cache lines of its own.

/// Holds a value alone on its cache lines, so that who writes it disturbs no neighbour's spinning.
///
/// 128 bytes, because processors fetch lines of 64 in pairs.
#[derive(Debug, Default)]
#[repr(C, align(128))]
pub struct Padded<T>(pub T);
