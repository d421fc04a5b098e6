//! The phases of a live job: what it waits for, what its steps stand for, and what its caches hold.

use schedlab_model::{Instant, OverheadKind};

/// The phase of a live job. Jobs without locks and suspensions stay in the first two.
///
/// A phase carries only what the job's current step does not state. The resource for which a job asks is stated by that
/// step, which stays the current one until the job holds the resource, so that this is known in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The job's policy has not yet been notified of it.
    Begins,
    /// The job goes on with its steps whenever it executes.
    GoesOn,
    /// The job waits for a grant without giving up its processor.
    Spins,
    /// The job waits for a grant on its processor, and asks again at this time, when its quantum will have ended.
    SpinsUntil(Instant),
    /// The job asks again for what it waited for.
    AsksAgain,
    /// The job waits for a grant without a processor.
    AwaitsGrant,
    /// The job suspended itself until this time.
    Sleeps(Instant),
    /// The job waits for something unknown to schedlab, until its thread reports that.
    WaitsElsewhere,
    /// The job could execute, but a locking protocol holds it back.
    Held {
        /// True if the policy has been notified of the job.
        is_announced: bool,
    },
}

impl Phase {
    /// True if the job waits on its processor.
    #[inline]
    pub(crate) fn is_spinning(self) -> bool {
        matches!(self, Phase::Spins | Phase::SpinsUntil(_))
    }

    /// Returns what the job waits for.
    pub(crate) fn awaits(self) -> Awaits {
        match self {
            Phase::Begins | Phase::GoesOn | Phase::Held { .. } => Awaits::Nothing,
            Phase::Spins | Phase::SpinsUntil(_) | Phase::AsksAgain | Phase::AwaitsGrant => Awaits::Grant,
            Phase::Sleeps(_) | Phase::WaitsElsewhere => Awaits::Time,
        }
    }
}

/// The cause of a job's wait. A job that a protocol holds back waits for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Awaits {
    Nothing,
    /// The resource for which the current step asks.
    Grant,
    /// An instant, or an event unknown to schedlab.
    Time,
}

/// The meaning of a live job's steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    /// The steps of its own program.
    ItsOwn,
    /// The steps of an attempt on a lock-free object.
    Attempt,
    /// The steps of a section that a server executes for another job: see `Locking::client_of`.
    Section,
}

/// The state of a live job's working set in its processor's caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Caches {
    /// The job has had no processor yet.
    Unloaded,
    /// All that the job has loaded is still there.
    Warm,
    /// The job was preempted, so that nothing may be left.
    Cold,
    /// An overhead interrupted a reload of the job; see `Overheads::rest_of_reload`.
    Reloading(OverheadKind),
}
