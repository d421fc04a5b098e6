//! Errors in the description of a machine.

use thiserror::Error;

/// Reason why a cache is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ShapeError {
    /// The line's size.
    #[error("lines of {0} bytes; allowed: a power of two up to 2^32")]
    LineBytes(u64),
    /// The cache holds no line.
    #[error("a cache of {bytes} bytes with lines of {line_bytes}; allowed: at least one line")]
    CacheBelowLine {
        /// The cache's size.
        bytes: u64,
        /// The line's size.
        line_bytes: u64,
    },
    /// The cache's size.
    #[error("a cache of {0} bytes; allowed: up to 2^32")]
    CacheBytes(u64),
    /// The cache does not consist of a power of two of whole sets.
    #[error("{ways} ways in a cache of {bytes} bytes with lines of {line_bytes}; allowed: a power of two of whole sets")]
    Ways {
        /// Lines of a set.
        ways: u64,
        /// The cache's size.
        bytes: u64,
        /// The line's size.
        line_bytes: u64,
    },
}

/// Reason why a machine is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MachineError {
    /// The number of processors.
    #[error("{0} processors; allowed: 1 to 4096")]
    Processors(usize),
    /// All caches together.
    #[error("caches of {0} lines in all; allowed: up to 2^25")]
    Lines(u64),
    /// Slots of the experiment.
    #[error("{what}; allowed: {allowed}")]
    Slots {
        /// Problem of the slots.
        what: String,
        /// Values that are allowed.
        allowed: &'static str,
    },
    /// The cache.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A duration on the bus.
    #[error("{what} takes {cycles} cycles; allowed: {allowed}")]
    Cycles {
        /// Name of the duration.
        what: &'static str,
        /// Given length in cycles.
        cycles: u64,
        /// Range that is allowed.
        allowed: &'static str,
    },
    /// A program's array or steps.
    #[error("program {program}: {what}; allowed: {allowed}")]
    AccessProgram {
        /// Index of the program.
        program: usize,
        /// Problem of the program.
        what: String,
        /// Values that are allowed.
        allowed: &'static str,
    },
    /// A stretch's beginning or program.
    #[error("processor {processor}, stretch {stretch}: {what}; allowed: {allowed}")]
    Stretch {
        /// The processor.
        processor: usize,
        /// The index of the stretch.
        stretch: usize,
        /// Problem of the stretch.
        what: String,
        /// Values that are allowed.
        allowed: &'static str,
    },
}
