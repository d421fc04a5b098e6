//! What a live job waits for, what its steps stand for, and what its caches hold.

use schedlab_model::{Instant, OverheadKind};

/// How far a live job is, and what it waits for. What needs no locks and no suspensions stays in the first two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The policy has not heard of it.
    Begins,
    /// It goes on with its steps whenever it executes.
    GoesOn,
    /// It waits for a grant without giving up its processor.
    Spins,
    /// It does the same, and asks again then: its quantum will have ended.
    SpinsUntil(Instant),
    /// It asks again for what it waited for.
    AsksAgain,
    /// It waits for a grant without a processor.
    AwaitsGrant,
    /// It suspended itself until then.
    Sleeps(Instant),
    /// It waits for something that schedlab does not know, until that is told.
    WaitsElsewhere,
    /// It could execute, but a locking protocol does not let it.
    Held {
        /// The policy has heard of it.
        is_announced: bool,
    },
}

impl Phase {
    /// True if it waits on its processor.
    #[inline]
    pub(crate) fn is_spinning(self) -> bool {
        matches!(self, Phase::Spins | Phase::SpinsUntil(_))
    }

    /// True if the policy has heard of the job.
    pub(crate) fn is_announced(self) -> bool {
        match self {
            Phase::Begins => false,
            Phase::Held { is_announced } => is_announced,
            Phase::GoesOn
            | Phase::Spins
            | Phase::SpinsUntil(_)
            | Phase::AsksAgain
            | Phase::AwaitsGrant
            | Phase::Sleeps(_)
            | Phase::WaitsElsewhere => true,
        }
    }
}

/// What the steps of a live job stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    /// What was written for it.
    ItsOwn,
    /// An attempt on a lock-free object.
    Attempt,
    /// A section that a server executes for another job: see `Locking::client_of`.
    Section,
}

/// What is left of a live job's working set in its processor's caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Caches {
    /// It has had no processor.
    Unloaded,
    /// All that it has loaded.
    Warm,
    /// It was preempted, so that nothing may be left.
    Cold,
    /// An overhead interrupted a reload; see `Overheads::rest_of_reload`.
    Reloading(OverheadKind),
}
