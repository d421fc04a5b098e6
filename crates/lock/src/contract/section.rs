//! What is requested, held and released.

use schedlab_model::{JobId, ResourceId};

/// A critical section of a job, from its request to its release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// Whose.
    pub job: JobId,
    /// Of which resource.
    pub resource: ResourceId,
    /// Of how many units of it.
    pub units: u32,
}
