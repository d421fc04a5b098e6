//! Named predicates that a trace may have to satisfy.

use crate::named::named;

named! {
    /// A predicate on traces. `report` holds one file for each, and a policy lists those that it promises.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Invariant {
        /// Records never go back in time.
        TimeIsMonotone: "time_is_monotone",
        /// A job does not execute after its completion or abort.
        CompletedJobsDontExecute: "completed_jobs_dont_execute",
        /// A job executes only between becoming ready and completing, and not while suspended.
        JobsMustBeReadyToExecute: "jobs_must_be_ready_to_execute",
        /// No job is on two processors at once, and no processor has two jobs.
        OneProcessorAtATime: "one_processor_at_a_time",
        /// The jobs of a task become ready and complete in order, one at a time.
        JobsInOrder: "jobs_in_order",
        /// A completed job has received exactly its cost.
        CompletedJobsReceivedTheirCost: "completed_jobs_received_their_cost",
        /// A job executes only on processors of its cluster.
        JobsStayInTheirCluster: "jobs_stay_in_their_cluster",
        /// A miss is recorded exactly for the jobs that were not complete at their absolute deadline.
        MissesAreRecorded: "misses_are_recorded",
        /// Overheads of one processor do not overlap, and no job executes during one.
        OverheadsOccupyTheProcessor: "overheads_occupy_the_processor",
        /// A resource is held by at most as many units as it has.
        MutualExclusion: "mutual_exclusion",
        /// A job that holds a resource keeps its processor until it gives it back.
        HoldersAreNotPreempted: "holders_are_not_preempted",
        /// Waiting jobs are granted a resource first come, first served.
        GrantsAreFifo: "grants_are_fifo",
        /// Waiting jobs are granted a resource by base priority.
        GrantsByBasePriority: "grants_by_base_priority",
        /// Waiting jobs are granted a resource by effective priority.
        GrantsByPriority: "grants_by_priority",
        /// No request has to wait.
        RequestsAreNeverDenied: "requests_are_never_denied",
        /// No operation on a lock-free object is tried more often than those of other jobs beside it explain.
        RetriesAreBounded: "retries_are_bounded",
        /// No jobs wait for each other in a circle.
        NoDeadlock: "no_deadlock",
        /// A job waits on its processor for at most one section of a less urgent job.
        BlockedAtMostOnce: "blocked_at_most_once",
        /// No processor of a cluster is without link while a job of the cluster is backlogged.
        WorkConserving: "work_conserving",
        /// No backlogged job has a higher priority than a linked one of its cluster.
        RespectsPriority: "respects_priority",
        /// A job that has started keeps its link until it completes or suspends.
        NonPreemptive: "non_preemptive",
        /// The rest of a job's quantum is recorded as wasted until the boundary, and no job runs there meanwhile.
        UnusedQuantaAreWasted: "unused_quanta_are_wasted",
        /// A job of a split task executes each piece on its processor, not before its begin, and within its budget.
        PiecesAreKept: "pieces_are_kept",
        /// Clients of a budget server have its urgency only while it has budget, and all that they use is recorded.
        ServersKeepTheirBudgets: "servers_keep_their_budgets",
        ;
        /// An invariant of the user's own, by its name.
        Own(&'static str),
    }
}

impl Invariant {
    /// Invariants that every trace satisfies, whatever the policy.
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

    /// The library's invariant of this name.
    pub fn from_name(name: &str) -> Option<Invariant> {
        Self::ALL.iter().copied().find(|invariant| invariant.name() == name)
    }
}
