//! Causes: what a job does, or for what it waits.

use schedlab_model::{Duration, JobId, OverheadKind, ResourceId};

/// The one cause to which a moment of a job's life is attributed; see the [module](super) for which.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, strum::AsRefStr)]
#[strum(serialize_all = "snake_case")]
pub enum Cause {
    /// The job executes.
    #[strum(serialize = "own_work")]
    Own,
    /// The job has arrived and waits for its release: jitter, or a tick.
    #[strum(serialize = "release_delay")]
    Release,
    /// An earlier job of the task has not ended.
    Predecessor(JobId),
    /// The processors of the job's cluster are given to these jobs, none of which is less urgent.
    Interference(Vec<JobId>),
    /// A processor of the job's cluster is given to these less urgent jobs: the policy does not preempt them.
    Inversion(Vec<JobId>),
    /// A processor of the job's cluster is given to these jobs, which are due later: the scheduler chooses by utility.
    #[strum(serialize = "chosen_by_utility")]
    Chosen(Vec<JobId>),
    /// A processor of the job's cluster is given to these jobs, which are less urgent by their base priorities, while
    /// they hold this resource, their outermost one: a protocol raised them, or does not let them be preempted.
    #[strum(serialize = "section_blocking")]
    Section {
        /// Id of the resource.
        resource: ResourceId,
        /// Holders of the resource.
        holders: Vec<JobId>,
    },
    /// The job is linked to a processor whose occupant is in a non-preemptive section.
    #[strum(serialize = "non_preemptive_blocking")]
    NonPreemptive(JobId),
    /// The job is suspended until it gets a resource.
    Blocking {
        /// Id of the resource.
        resource: ResourceId,
        /// Holders of the resource.
        holders: Vec<JobId>,
        /// Jobs that execute while no holder does, and so keep the resource held.
        behind: Vec<JobId>,
    },
    /// The job is suspended until it gets a resource that no job holds: the protocol's ceilings deny it.
    #[strum(serialize = "ceiling_blocking")]
    Ceiling {
        /// Resource for which the job asks.
        resource: ResourceId,
        /// Less urgent jobs that hold other resources.
        holders: Vec<JobId>,
        /// Jobs that execute while no holder does.
        behind: Vec<JobId>,
    },
    /// The job waits for a resource that is held by a job which waits in turn, and so on in a circle back to it.
    Deadlock {
        /// The other jobs: the first holds what the job waits for, the next what that one waits for, and so on.
        holders: Vec<JobId>,
        /// The resource for which the job waits, then those for which each of the others waits; the job itself holds
        /// the last one.
        resources: Vec<ResourceId>,
    },
    /// The job occupies its processor until it gets a resource.
    Spinning {
        /// Id of the resource.
        resource: ResourceId,
        /// Holders of the resource.
        holders: Vec<JobId>,
        /// Jobs that execute while no holder does, and so keep the resource held.
        behind: Vec<JobId>,
    },
    /// The job's request is ignored until its quantum ends, which is near.
    #[strum(serialize = "automatic_blocking_zone")]
    Zone(ResourceId),
    /// An attempt on a lock-free object that failed, since another job committed meanwhile.
    #[strum(serialize = "lock_free_retry")]
    Retry(ResourceId),
    /// The job suspended itself.
    SelfSuspension,
    /// A locking protocol does not let the job start.
    #[strum(serialize = "gate")]
    HeldBack {
        /// Less urgent jobs that hold resources meanwhile.
        holders: Vec<JobId>,
        /// Jobs that execute while no holder does.
        behind: Vec<JobId>,
    },
    /// The processor does something for the system.
    Overhead(OverheadKind),
    /// The job is linked, and no record explains why it is not dispatched.
    DispatchLatency,
    /// No job is linked in the job's cluster: the policy is not work-conserving.
    Idle,
    /// A processor of the job's cluster has no job, or an ordinary thread's, and has used its runtime: real-time
    /// throttling.
    Throttled,
    /// The job's budget server has no budget.
    NoBudget,
    /// The job waits for a quantum boundary, because its scheduler decides only there.
    #[strum(serialize = "quantum_boundary")]
    Boundary,
    /// The window of the job's next subtask has not begun: the job has had its share so far.
    #[strum(serialize = "ineligible_window")]
    Window,
    /// The rest of a quantum of the job's cluster is wasted: no other job may have it.
    #[strum(serialize = "wasted_quantum")]
    Waste,
    /// The job's supertask has no quantum.
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
            Cause::Idle | Cause::Throttled | Cause::NoBudget => 12,
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

    /// Returns the jobs of the cause, the jobs that execute while no holder does, and the resource.
    fn about(&self) -> (&[JobId], &[JobId], Option<ResourceId>) {
        match self {
            Cause::Own | Cause::Release | Cause::SelfSuspension | Cause::Overhead(_) => (&[], &[], None),
            Cause::DispatchLatency | Cause::Idle | Cause::Throttled | Cause::NoBudget => (&[], &[], None),
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

    /// Jobs that cause the wait.
    pub fn jobs(&self) -> &[JobId] {
        self.about().0
    }

    /// Jobs that execute while no holder does.
    pub fn behind(&self) -> &[JobId] {
        self.about().1
    }

    /// Resource that the cause is about.
    pub fn resource(&self) -> Option<ResourceId> {
        self.about().2
    }

    /// Returns this cause with one of its jobs alone.
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
            Cause::DispatchLatency | Cause::Idle | Cause::Throttled | Cause::NoBudget => {}
            Cause::Boundary | Cause::Window | Cause::Waste | Cause::Supertask => {}
            Cause::Zone(_) | Cause::Retry(_) => {}
        }
        one
    }

    /// Divides a length of this cause among its jobs: evenly, with the remainder going to the first ones, a nanosecond
    /// each.
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
