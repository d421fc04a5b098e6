//! What a run found, as plain values: what `schedlab run --json` prints.

use crate::program::workload::Completions;
use schedlab_account::{Accounted, Distribution};
use schemars::JsonSchema;
use serde::Serialize;

/// Jobs of a real run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[allow(missing_docs)]
pub struct RunJobs {
    pub arrived: u64,
    pub completed: u64,
    pub missed: u64,
}

/// Who decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
#[allow(missing_docs)]
pub enum Decider {
    Schedlab,
    Kernel,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[allow(missing_docs)]
pub enum RunEnding {
    Horizon,
    ProgramsCompleted,
    Stopped,
    Crashed,
    Starved,
    /// The run's own threads waited for a thread that they had stopped, most likely while it allocated memory.
    StoodStill,
    /// The scheduler in the kernel was taken away.
    Ejected,
}

/// The time that threads outside of the scenario had on one of its processors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct OutsideTime {
    /// Kernel threads that are bound to the processor, which go before all tasks, in ns.
    pub kernel_ns: u64,
    /// All other threads, in ns.
    pub ordinary_ns: u64,
    /// The part of `ordinary_ns` that the reserve gave although a task was ready, in ns.
    pub reserve_ns: u64,
}

/// The scheduler in the kernel that executed tasks' threads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KernelSchedulerFindings {
    /// The part of each second that was reserved for threads outside of the scenario, in ns.
    pub reserve_ns: u64,
    /// By processor: what these threads had.
    pub outside: Vec<OutsideTime>,
    /// How it ended; none if the run ended it.
    pub end: Option<String>,
}

/// Quanta of a scheduler in the kernel that decided by them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct QuantaFindings {
    /// Quanta that were over before the kernel gave them to their tasks.
    pub missed: u64,
    /// Quanta, those in a row as one, that were given to a job whose thread the kernel never ran in them. If without as
    /// many as were missed these are more than one, and more than one decision in a hundred, the run fails its check.
    pub unused: u64,
    /// Longest time for which a job's thread went on after its quantum, however many quanta later it stopped, in ns.
    pub longest_stop_ns: u64,
    /// Quanta that either the kernel or the engine gave to a job, and the other one did not: with one of them, the run
    /// fails its check.
    pub other_choices: u64,
}

/// Decisions of a scheduler in the kernel that decided by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NativeFindings {
    /// What jobs did by the kernel's and the threads' records, from which the engine decided.
    pub inputs: u64,
    /// Kicks of processors so that another job may take them.
    pub kicks: u64,
    /// Kicks after which the processor's job went on.
    pub needless_kicks: u64,
    /// Inputs of jobs that came after the engine would have stopped them, or after the quantum: they count just before
    /// that decision.
    pub late_stops: u64,
    /// Jobs that were ready just before a more urgent one, and that the kernel had not let execute by then; by quanta,
    /// inputs that the next decision did not see: they count just after it.
    pub late_starts: u64,
    /// Inputs of jobs that the kernel executed before the engine would have.
    pub early_starts: u64,
    /// Longest time by which one of these inputs counts earlier or later than it came, in ns.
    pub longest_move_ns: u64,
    /// Numbers of the quanta; none if the kernel did not decide by quanta.
    pub quanta: Option<QuantaFindings>,
    /// Records that found no room: with one of them, the run cannot be checked.
    pub lost_records: u64,
    /// Critical sections on resources that tasks share, as their threads recorded them.
    pub sections: u64,
    /// Sections that began before the one before on the same lock had ended.
    pub overlapping_sections: u64,
    /// Sections that began before another one on the same lock whose job had asked earlier.
    pub overtaking_sections: u64,
    /// Sections that the engine granted in another order than that in which threads took the lock.
    pub sections_granted_otherwise: u64,
    /// Outermost sections whose order was compared: their requests count when they were made.
    pub sections_compared: u64,
    /// Outermost sections that began: all that could be compared.
    pub outermost_sections: u64,
    /// Sections that were too long, and were not heeded any more.
    pub broken_sections: u64,
    /// Times that a job slept in the kernel in a section that was heeded: it counts as executing meanwhile.
    pub slept_sections: u64,
    /// Requests, and inputs after a release of a lock, that came over 10 ms after the engine had stopped their jobs:
    /// these count as not preempted meanwhile.
    pub late_requests: u64,
    /// Jobs that a clustered scheduler did not begin although the engine would have let them execute for over 10 ms by
    /// the kernel's last record. 0 by quanta, where it is not asked.
    pub never_begun: u64,
    /// Longest time for which the engine would have let one of them execute, in ns.
    pub longest_unbegun_ns: u64,
    /// Number of times that a job was ready for over 1 ms before it executed. 0 by quanta, as are the next two.
    pub waits: u64,
    /// Waits in which less urgent jobs executed for over 1 ms on the processor that the job got in the end, since it
    /// had been stopped there or since 2 ms after it was ready. Where jobs are not preempted: waits in which one of
    /// them began in the job's cluster after it had been ready for over 1 ms. A job whose section delays a preemption
    /// does not count, nor does one that is in the background.
    pub overtaken_waits: u64,
    /// Longest time for which one of these jobs waited that way, in ns.
    pub longest_overtaking_ns: u64,
    /// Jobs whose budgets the kernel took for used up before they had executed for so long.
    pub early_overruns: u64,
}

/// The calls for the jobs of an event-driven task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EventFindings {
    /// The task.
    pub task: String,
    /// All calls during the run.
    pub calls: u64,
    /// Jobs that arrived. The job of the last call may not have arrived by the run's end.
    pub arrived: u64,
    /// Calls that came earlier than the task's period allows: their jobs arrived later.
    pub delayed: u64,
    /// Calls that came while the job of an earlier one was still to arrive: they released none.
    pub refused: u64,
}

/// What a real run found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Findings")]
#[allow(missing_docs)]
pub struct RunFindings {
    #[serde(flatten)]
    pub accounted: Accounted,
    pub holds: bool,
    pub ending: RunEnding,
    /// It reached its horizon, or its programs had nothing left to do.
    pub whole: bool,
    /// The task whose code crashed, if the run ended by that.
    pub crashed: Option<String>,
    pub end_ns: u64,
    pub jobs: RunJobs,
    pub release_latency: Option<Distribution>,
    pub decided_by: Decider,
    /// The backend of the run: threads, scx, scx-native or class.
    pub backend: &'static str,
    /// The reason why the backend is not scx, which the user would have preferred.
    pub declined: Option<String>,
    pub kernel_scheduler: Option<KernelSchedulerFindings>,
    /// Where that scheduler decided by itself: its decisions in numbers.
    pub native: Option<NativeFindings>,
    pub replay_is_exact: Option<bool>,
    pub overruns: usize,
    pub tracer_lost: u64,
    pub background_ns: Vec<Option<u64>>,
    pub warning: Option<&'static str>,
    /// Tasks that fit nowhere and are placed best-effort.
    pub overflowed: Vec<String>,
    pub programs: Option<Completions>,
    /// The event-driven tasks, whose jobs the program's threads released.
    pub events: Vec<EventFindings>,
    pub runaways: Vec<String>,
    pub kept_waiting: Vec<String>,
    /// Tasks whose threads left the scheduler in the kernel for a real-time class, and were put back.
    pub escaped: Vec<String>,
    /// Tasks whose threads took other processors than the scheduler in the kernel gives them: from then on the threads
    /// are no tasks' any more.
    pub strayed: Vec<String>,
}
