//! The permission that the engine gives to the thread of a task.

use schedlab_model::CpuId;

/// The permission of a task's thread, as the engine decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permission {
    /// The thread waits without a processor.
    Wait,
    /// The thread holds this processor and waits there for a lock.
    Spin(CpuId),
    /// The thread executes its job's code on this processor.
    Execute(CpuId),
    /// The run is over, and the thread goes on to its end.
    End,
}
