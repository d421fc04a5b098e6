//! Critical sections, as they are requested, held and released.

use schedlab_model::{JobId, ResourceId};

/// A critical section of a job, from its request to its release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// Job of the section.
    pub job: JobId,
    /// Resource of the section.
    pub resource: ResourceId,
    /// Number of units of the resource.
    pub units: u32,
}
