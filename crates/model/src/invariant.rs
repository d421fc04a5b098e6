//! The named predicates that a trace can be asked to satisfy.

/// A predicate on traces. `report` holds one file for each; a policy names those that it promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Invariant {
    /// Records never go back in time.
    TimeIsMonotone,
    /// A job does not execute after its completion or abort.
    CompletedJobsDontExecute,
    /// A job executes only between becoming ready and completing, and not while suspended.
    JobsMustBeReadyToExecute,
    /// No job is on two processors at once, and no processor has two jobs.
    OneProcessorAtATime,
    /// The jobs of a task become ready and complete in order, one at a time.
    JobsInOrder,
    /// A completed job has received exactly its cost.
    CompletedJobsReceivedTheirCost,
    /// A job executes only on processors of its cluster.
    JobsStayInTheirCluster,
    /// A miss is recorded exactly for the jobs that were not complete at their absolute deadline.
    MissesAreRecorded,
    /// Overheads of one processor do not overlap, and no job executes during one.
    OverheadsOccupyTheProcessor,
    /// A resource is held by at most as many units as it has.
    MutualExclusion,
    /// A job that holds a resource keeps its processor until it gives it back.
    HoldersAreNotPreempted,
    /// Who waits for a resource is granted it first come, first served.
    GrantsAreFifo,
    /// Who waits for a resource is granted it by base priority.
    GrantsByBasePriority,
    /// Who waits for a resource is granted it by effective priority.
    GrantsByPriority,
    /// No request has to wait.
    RequestsAreNeverDenied,
    /// No operation on a lock-free object is tried more often than those of other jobs beside it explain.
    RetriesAreBounded,
    /// No jobs wait for each other in a circle.
    NoDeadlock,
    /// A job waits on its processor for at most one section of a less urgent job.
    BlockedAtMostOnce,
    /// No processor of a cluster is without link while a job of the cluster is backlogged.
    WorkConserving,
    /// No backlogged job has a higher priority than a linked one of its cluster.
    RespectsPriority,
    /// A job that has started keeps its link until it completes or suspends.
    NonPreemptive,
    /// What a job leaves of its quantum is recorded as wasted until the boundary, and no job runs there meanwhile.
    UnusedQuantaAreWasted,
    /// One of the user's own, by its name.
    Own(&'static str),
}

impl Invariant {
    /// Those that every trace satisfies, whatever the policy.
    pub const UNIVERSAL: &'static [Invariant] = &[
        Invariant::TimeIsMonotone,
        Invariant::CompletedJobsDontExecute,
        Invariant::JobsMustBeReadyToExecute,
        Invariant::OneProcessorAtATime,
        Invariant::JobsInOrder,
        Invariant::CompletedJobsReceivedTheirCost,
        Invariant::JobsStayInTheirCluster,
        Invariant::MissesAreRecorded,
        Invariant::OverheadsOccupyTheProcessor,
        Invariant::MutualExclusion,
    ];

    /// All of the library.
    pub const ALL: &'static [Invariant] = &[
        Invariant::TimeIsMonotone,
        Invariant::CompletedJobsDontExecute,
        Invariant::JobsMustBeReadyToExecute,
        Invariant::OneProcessorAtATime,
        Invariant::JobsInOrder,
        Invariant::CompletedJobsReceivedTheirCost,
        Invariant::JobsStayInTheirCluster,
        Invariant::MissesAreRecorded,
        Invariant::OverheadsOccupyTheProcessor,
        Invariant::MutualExclusion,
        Invariant::HoldersAreNotPreempted,
        Invariant::GrantsAreFifo,
        Invariant::GrantsByBasePriority,
        Invariant::GrantsByPriority,
        Invariant::RequestsAreNeverDenied,
        Invariant::RetriesAreBounded,
        Invariant::NoDeadlock,
        Invariant::BlockedAtMostOnce,
        Invariant::WorkConserving,
        Invariant::RespectsPriority,
        Invariant::NonPreemptive,
        Invariant::UnusedQuantaAreWasted,
    ];

    /// The name in files, messages and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Invariant::TimeIsMonotone => "time_is_monotone",
            Invariant::CompletedJobsDontExecute => "completed_jobs_dont_execute",
            Invariant::JobsMustBeReadyToExecute => "jobs_must_be_ready_to_execute",
            Invariant::OneProcessorAtATime => "one_processor_at_a_time",
            Invariant::JobsInOrder => "jobs_in_order",
            Invariant::CompletedJobsReceivedTheirCost => "completed_jobs_received_their_cost",
            Invariant::JobsStayInTheirCluster => "jobs_stay_in_their_cluster",
            Invariant::MissesAreRecorded => "misses_are_recorded",
            Invariant::OverheadsOccupyTheProcessor => "overheads_occupy_the_processor",
            Invariant::MutualExclusion => "mutual_exclusion",
            Invariant::HoldersAreNotPreempted => "holders_are_not_preempted",
            Invariant::GrantsAreFifo => "grants_are_fifo",
            Invariant::GrantsByBasePriority => "grants_by_base_priority",
            Invariant::GrantsByPriority => "grants_by_priority",
            Invariant::RequestsAreNeverDenied => "requests_are_never_denied",
            Invariant::RetriesAreBounded => "retries_are_bounded",
            Invariant::NoDeadlock => "no_deadlock",
            Invariant::BlockedAtMostOnce => "blocked_at_most_once",
            Invariant::WorkConserving => "work_conserving",
            Invariant::RespectsPriority => "respects_priority",
            Invariant::NonPreemptive => "non_preemptive",
            Invariant::UnusedQuantaAreWasted => "unused_quanta_are_wasted",
            Invariant::Own(name) => name,
        }
    }

    /// The library's invariant of this name.
    pub fn from_name(name: &str) -> Option<Invariant> {
        Self::ALL.iter().copied().find(|invariant| invariant.name() == name)
    }
}
