//! Resources that jobs share.

/// A shared resource: one or more identical units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Number of units. Positive; 1 is a mutex.
    pub units: u32,
}
