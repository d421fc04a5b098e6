//! Why tasks that share resources cannot be analysed.

use schedlab_model::{ResourceId, TaskId};

/// The longest time that is analysed, a year as in files; sums saturate far above.
pub(crate) const LONGEST: u64 = crate::system_error::LONGEST.as_ns();

crate::sentences! {
    /// Reason why tasks are refused.
    #[derive(Copy)]
    pub enum SharingError {
        NoPeriod(task: TaskId) => "{task}: the period must be positive",
        TooLong(task: TaskId) => "{task}: blocking bounds take times of at most a year (8760 h)",
        NoSuchCluster(task: TaskId) => "{task}: its cluster does not exist",
        NoSuchResource { task: TaskId, resource: ResourceId } => "{task} requests {resource}, which does not exist",
        Twice { task: TaskId, resource: ResourceId } => "{task} has two entries for {resource}; allowed: one",
        WrongUnits { task: TaskId, resource: ResourceId }
            => "{task} requests no unit of {resource}, or more than there are",
        Nested { task: TaskId, outer: ResourceId, inner: ResourceId }
            => "{task} requests {inner} while it holds {outer}, which the bound does not cover",
        LongInsideShort { task: TaskId, outer: ResourceId, inner: ResourceId }
            => "{task} requests {inner}, which is long, while it holds {outer}, which is short; allowed: short ones inside long ones",
        SuspendsInSection { task: TaskId, resource: ResourceId }
            => "{task} suspends itself while it holds {resource}, which the bound does not cover",
        ImproperNesting { task: TaskId, resource: ResourceId }
            => "{task}: requests and releases of {resource} do not match",
        OwnNonPreemptiveSection(task: TaskId) => "{task} has a non-preemptive section, which the bound does not cover",
    }
}

impl std::error::Error for SharingError {}
