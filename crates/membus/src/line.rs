//! The states of a line: MESI.

/// What a cache knows of a line that it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The only copy, and memory is behind: the line is dirty.
    Modified,
    /// The only copy, as in memory.
    Exclusive,
    /// There may be others; all are as in memory.
    Shared,
    /// Holds nothing.
    Invalid,
}

/// A place of a cache and what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The number of the line: its address over the line's size. Means nothing where the state is `Invalid`.
    pub line: u64,
    /// Its state.
    pub state: State,
}
