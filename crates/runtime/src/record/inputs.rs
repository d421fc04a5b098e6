//! The inputs of engines: with the set-up they determine every decision.

use schedlab_sim::Input;

/// What an engine heard of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineInput {
    /// What the job's thread said that it does.
    Reported(Input),
    /// What the thread did by a grab, before anything else happened.
    FastSection(Input),
    /// The job's suspension is over.
    Resumed,
}
