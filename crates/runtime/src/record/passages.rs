//! What happens to a thread at its gate.

use schedlab_model::CpuId;

/// What happened to a thread at its gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// It began to execute on this processor after it had waited.
    Passed(CpuId),
    /// It executed and was stopped.
    Stopped,
}
