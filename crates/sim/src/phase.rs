//! What a live job waits for, what its steps stand for, and what its caches hold.

use schedlab_model::{Instant, OverheadKind};

/// How far a live job is, and what it waits for. What needs no locks and no suspensions stays in the first two.
///
/// A phase carries what the job's current step does not say. What a job asks for, that step says: it stays the current
/// one until the job holds that, so that this is known in one place.
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

    /// What the job waits for.
    pub(crate) fn awaits(self) -> Awaits {
        match self {
            Phase::Begins | Phase::GoesOn | Phase::Held { .. } => Awaits::Nothing,
            Phase::Spins | Phase::SpinsUntil(_) | Phase::AsksAgain | Phase::AwaitsGrant => Awaits::Grant,
            Phase::Sleeps(_) | Phase::WaitsElsewhere => Awaits::Time,
        }
    }
}

/// What a job waits for. One that a protocol holds waits for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Awaits {
    Nothing,
    /// What its current step asks for.
    Grant,
    /// An instant, or what happens elsewhere.
    Time,
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
