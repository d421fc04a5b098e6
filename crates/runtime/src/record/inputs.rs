//! The inputs of engines: with the set-up they determine every decision.

use schedlab_model::{CpuId, Instant};
use schedlab_sim::Input;

/// An input that an engine had about a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineInput {
    /// The job's thread reported that it does this.
    Reported(Input),
    /// The thread has begun this as a fast section, which a decision noticed before anything else happened.
    FastSection(Input),
    /// The job's suspension is over.
    Resumed,
    /// A thread has called for the job of an event-driven task, which arrives at this instant: later than the input,
    /// whose time is that of the last thing that happened before.
    Called(Instant),
    /// Where a scheduler in the kernel decides: the job was ready from now on. It goes by this arrival.
    Began(Instant),
    /// Where a scheduler in the kernel decides: the job's thread executes on this processor from now on.
    Executes(CpuId),
    /// Where a scheduler in the kernel decides: the task has no further job.
    Left,
}
