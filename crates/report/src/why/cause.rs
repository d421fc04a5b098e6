//! What a job does or waits for.

use schedlab_model::{Duration, JobId, OverheadKind, ResourceId};

/// The one cause to which a moment of a job's life is attributed; see the [module](super) for which.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, strum::AsRefStr)]
#[strum(serialize_all = "snake_case")]
pub enum Cause {
    /// It executes.
    #[strum(serialize = "own_work")]
    Own,
    /// It has arrived and waits for its release: jitter, or a tick.
    #[strum(serialize = "release_delay")]
    Release,
    /// An earlier job of its task is not done.
    Predecessor(JobId),
    /// The processors of its cluster are given to these jobs, none of which is less urgent.
    Interference(Vec<JobId>),
    /// A processor of its cluster is given to these less urgent jobs: the policy does not preempt them.
    Inversion(Vec<JobId>),
    /// A processor of its cluster is given to these jobs, which are due later: the scheduler chooses by utility.
    #[strum(serialize = "chosen_by_utility")]
    Chosen(Vec<JobId>),
    /// A processor of its cluster is given to these jobs, which are less urgent by their base priorities, while they
    /// hold this resource, their outermost one: a protocol raised them, or does not let them be preempted.
    #[strum(serialize = "section_blocking")]
    Section {
        /// Which resource.
        resource: ResourceId,
        /// Who holds it.
        holders: Vec<JobId>,
    },
    /// It is linked to a processor whose occupant is in a non-preemptive section.
    #[strum(serialize = "non_preemptive_blocking")]
    NonPreemptive(JobId),
    /// It is suspended until it gets a resource.
    Blocking {
        /// Which resource.
        resource: ResourceId,
        /// Who holds it.
        holders: Vec<JobId>,
        /// Who executes while no holder does, and so keeps the resource held.
        behind: Vec<JobId>,
    },
    /// It is suspended until it gets a resource that no job holds: the protocol's ceilings deny it.
    #[strum(serialize = "ceiling_blocking")]
    Ceiling {
        /// Which resource it asks for.
        resource: ResourceId,
        /// The less urgent jobs that hold others.
        holders: Vec<JobId>,
        /// Who executes while no holder does.
        behind: Vec<JobId>,
    },
    /// It waits for a resource that is held by a job which waits in turn, and so on in a circle back to it.
    Deadlock {
        /// The others: the first holds what it waits for, the next what that one waits for, and so on.
        holders: Vec<JobId>,
        /// What it waits for, then what each of them waits for; the last is what it holds itself.
        resources: Vec<ResourceId>,
    },
    /// It occupies its processor until it gets a resource.
    Spinning {
        /// Which resource.
        resource: ResourceId,
        /// Who holds it.
        holders: Vec<JobId>,
        /// Who executes while no holder does, and so keeps the resource held.
        behind: Vec<JobId>,
    },
    /// Its request is ignored until its quantum ends, which is near.
    #[strum(serialize = "automatic_blocking_zone")]
    Zone(ResourceId),
    /// An attempt on a lock-free object that failed, since another job committed meanwhile.
    #[strum(serialize = "lock_free_retry")]
    Retry(ResourceId),
    /// It suspended itself.
    SelfSuspension,
    /// A locking protocol does not let it start.
    #[strum(serialize = "gate")]
    HeldBack {
        /// The less urgent jobs that hold resources meanwhile.
        holders: Vec<JobId>,
        /// Who executes while none of them does.
        behind: Vec<JobId>,
    },
    /// The processor does something for the system.
    Overhead(OverheadKind),
    /// It is linked, and nothing recorded explains why it is not dispatched.
    DispatchLatency,
    /// No job is linked in its cluster: the policy is not work-conserving.
    Idle,
    /// A processor of its cluster has no job and has run some for as long as it may: real-time throttling.
    Throttled,
    /// It waits for a quantum boundary: only there does its scheduler decide.
    #[strum(serialize = "quantum_boundary")]
    Boundary,
    /// The window of its next subtask has not begun: it has had its share so far.
    #[strum(serialize = "ineligible_window")]
    Window,
    /// The rest of a quantum of its cluster is wasted: no other job may have it.
    #[strum(serialize = "wasted_quantum")]
    Waste,
    /// Its supertask has no quantum.
    Supertask,
}

impl Cause {
    /// The place of the cause's kind in lists.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Cause::Own => 0,
            Cause::Release => 1,
            Cause::Predecessor(_) => 2,
            Cause::Interference(_) => 3,
            Cause::Inversion(_) | Cause::Chosen(_) => 4,
            Cause::NonPreemptive(_) => 5,
            Cause::Blocking { .. } => 6,
            Cause::Deadlock { .. } => 6,
            Cause::Spinning { .. } => 7,
            Cause::SelfSuspension => 8,
            Cause::HeldBack { .. } => 9,
            Cause::Overhead(_) => 10,
            Cause::DispatchLatency => 11,
            Cause::Idle | Cause::Throttled => 12,
            Cause::Zone(_) => 13,
            Cause::Retry(_) => 14,
            Cause::Boundary => 15,
            Cause::Window => 16,
            Cause::Waste => 17,
            Cause::Supertask => 18,
            Cause::Section { .. } => 5,
            Cause::Ceiling { .. } => 6,
        }
    }

    /// The jobs that cause it; who executes while no holder of what it waits for does; the resource that it is about.
    fn about(&self) -> (&[JobId], &[JobId], Option<ResourceId>) {
        match self {
            Cause::Own | Cause::Release | Cause::SelfSuspension | Cause::Overhead(_) => (&[], &[], None),
            Cause::DispatchLatency | Cause::Idle | Cause::Throttled => (&[], &[], None),
            Cause::Boundary | Cause::Window | Cause::Waste | Cause::Supertask => (&[], &[], None),
            Cause::Predecessor(job) | Cause::NonPreemptive(job) => (core::slice::from_ref(job), &[], None),
            Cause::Interference(jobs) | Cause::Inversion(jobs) | Cause::Chosen(jobs) => (jobs, &[], None),
            Cause::Section { resource, holders } => (holders, &[], Some(*resource)),
            Cause::Blocking { resource, holders, behind }
            | Cause::Ceiling { resource, holders, behind }
            | Cause::Spinning { resource, holders, behind } => (holders, behind, Some(*resource)),
            Cause::HeldBack { holders, behind } => (holders, behind, None),
            Cause::Deadlock { holders, resources } => (holders, &[], resources.first().copied()),
            Cause::Zone(resource) | Cause::Retry(resource) => (&[], &[], Some(*resource)),
        }
    }

    /// The jobs that cause it.
    pub fn jobs(&self) -> &[JobId] {
        self.about().0
    }

    /// Who executes while no holder of what it waits for does.
    pub fn behind(&self) -> &[JobId] {
        self.about().1
    }

    /// The resource that it is about.
    pub fn resource(&self) -> Option<ResourceId> {
        self.about().2
    }

    /// This cause with one of its jobs alone.
    fn with_job(&self, job: JobId) -> Cause {
        let mut one = self.clone();
        match &mut one {
            Cause::Interference(jobs) | Cause::Inversion(jobs) | Cause::Chosen(jobs) => *jobs = vec![job],
            Cause::Section { holders, .. }
            | Cause::Blocking { holders, .. }
            | Cause::Ceiling { holders, .. }
            | Cause::HeldBack { holders, .. }
            | Cause::Spinning { holders, .. } => *holders = vec![job],
            // One job at most, or a circle, which is whole.
            Cause::Predecessor(_) | Cause::NonPreemptive(_) | Cause::Deadlock { .. } => {}
            Cause::Own | Cause::Release | Cause::SelfSuspension | Cause::Overhead(_) => {}
            Cause::DispatchLatency | Cause::Idle | Cause::Throttled => {}
            Cause::Boundary | Cause::Window | Cause::Waste | Cause::Supertask => {}
            Cause::Zone(_) | Cause::Retry(_) => {}
        }
        one
    }

    /// A length of this cause, shared out to its jobs: evenly, and what does not divide goes to the
    /// first ones, a nanosecond each.
    pub(super) fn shared_out(&self, length: Duration) -> Vec<(Cause, Duration)> {
        let jobs = self.jobs();
        if jobs.len() < 2 || matches!(self, Cause::Deadlock { .. }) {
            return vec![(self.clone(), length)];
        }
        let (count, length) = (jobs.len() as u64, length.as_ns());
        let share = |index: u64| Duration::from_ns(length / count + u64::from(index < length % count));
        (0..).zip(jobs).map(|(index, job)| (self.with_job(*job), share(index))).collect()
    }
}
