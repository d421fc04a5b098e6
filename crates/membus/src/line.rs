//! The states of a line: MESI.

/// State of a line in a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The cache has the only copy, and memory is behind: the line is dirty.
    Modified,
    /// The cache has the only copy, which equals memory.
    Exclusive,
    /// Other caches may have copies; all equal memory.
    Shared,
    /// The place holds no line.
    Invalid,
}

/// A place of a cache with its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The number of the line: its address over the line's size. It has no meaning where the state is `Invalid`.
    pub line: u64,
    /// State of the line.
    pub state: State,
}
