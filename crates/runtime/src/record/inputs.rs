//! What engines are told: with the set-up it determines every decision.

use schedlab_sim::Input;

/// What an engine was told of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// What the job does.
    Does(Input),
    /// What the job did without asking, before anything else happened.
    Did(Input),
    /// What the job waited for has happened.
    Wakes,
}
