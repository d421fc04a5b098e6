//! What jobs share.

/// A shared resource: one or more identical units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resource {
    /// How many units exist. Positive; 1 is a mutex.
    pub units: u32,
}
