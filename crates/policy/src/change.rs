//! Events as policies read them that only need to know which job of a task may execute.

use schedlab_model::{Event, JobId};

/// Change for such a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The job may execute from now on.
    Live(JobId),
    /// The job may not execute any longer, or not for now.
    Gone(JobId),
    /// The policy's timer went off.
    Timer,
}

impl Change {
    /// The change by an event, if it is one.
    pub(crate) fn by(event: Event) -> Option<Change> {
        match event {
            Event::Ready(job) | Event::Resumed(job) => Some(Change::Live(job)),
            Event::Completed(job) | Event::Suspended(job) | Event::Aborted(job) => Some(Change::Gone(job)),
            Event::Timer(_) => Some(Change::Timer),
            Event::PriorityChanged(_)
            | Event::Dispatched { .. }
            | Event::Undispatched { .. }
            | Event::BudgetExhausted(_)
            | Event::Joined(_)
            | Event::Left(_) => None,
        }
    }
}
