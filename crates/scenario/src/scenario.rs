//! A scenario: everything that a number depends on, as plain values.

use crate::memory::MemorySpec;
use crate::origin::Origin;
use crate::overheads::OverheadsChoice;
use crate::quantity::Millionths;
use crate::resource::ResourceSpec;
use crate::supposed::WhatIf;
use crate::words::{
    Arrival, ComponentOrder, CostModel, DeadlineRule, Priorities, Split, UrgentPriority, Wcets, Weights,
};
use crate::workload::Workload;
use schedlab_model::{
    AbortHandler, Alignment, Duration, Instant, Overrun, ReleasePoint, SharedCache, Step, Suspension, Task,
    TaskPiece, ThreadClass, TimeUtility, Work,
};
use schedlab_policy::pfair::{Affinity, ComponentScheduling, Weight};
use schedlab_policy::servers::{ClientOrder, ServerKind};
use schedlab_policy::{Scheduler, Scope, Throttling, EDF};
use schedlab_workload::placement::{Fit, Overflow, PlacementOrder, PlacementWeight};
use std::sync::LazyLock;

/// Tasks, resources, platform, scheduler, overheads, seed and horizon.
///
/// Two scenarios are equal exactly if their canonical texts ([`Scenario::to_toml`]) are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scenario {
    /// One-line description; may be empty.
    pub title: String,
    /// Source of the numbers; may be empty.
    pub source: String,
    /// Remarks for a reader, such as known discrepancies; may be empty.
    pub notes: String,
    /// Parts of another tool's file that are left out although answers could be too good without them, a line each.
    pub left_out: Vec<String>,
    /// Seed of all randomness in a simulation.
    pub seed: u64,
    /// End of the experiment.
    pub horizon: Instant,
    /// Relative deadlines that are allowed.
    pub deadlines: DeadlineRule,
    /// Standing of the WCETs: bounds, or the largest costs that were observed.
    pub wcets: Wcets,
    /// Reaction of a real run to a job that exceeds its WCET.
    pub overruns: Overrun,
    /// The locking protocol, by its canonical name.
    pub protocol: String,
    /// Name of a protocol of the user's own, which no file can name: `protocol` is then `none`.
    pub own_protocol: Option<String>,
    /// The scheduler.
    pub scheduler: SchedulerSpec,
    /// The machine.
    pub platform: PlatformSpec,
    /// Time that the machine takes for itself.
    pub overheads: OverheadsChoice,
    /// The shared resources, by id.
    pub resources: Vec<ResourceSpec>,
    /// Tasks that compete as one under a Pfair scheduler.
    pub supertasks: Vec<SupertaskSpec>,
    /// Budget servers, each of which executes the jobs of its clients.
    pub servers: Vec<ServerSpec>,
    /// The tasks, by id; copies are written out.
    pub tasks: Vec<TaskSpec>,
    /// File from which the scenario was read; only the places of errors depend on it.
    pub origin: Origin,
    /// Fields that were set from outside, such as by a command line; only answers show them.
    pub what_if: WhatIf,
}

/// A scheduler by name, with its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchedulerSpec {
    /// Canonical name, such as `NG-EDF`.
    pub name: String,
    /// Name of a scheduler of the user's own, which no file can name: `name` stands for it and divides the machine in
    /// the same way.
    pub own: Option<String>,
    /// The more urgent of two given priorities.
    pub urgent_priority: UrgentPriority,
    /// Source of priorities where fixed priorities decide (`FP`).
    pub priorities: Priorities,
    /// Rule by which a Pfair scheduler chooses weights.
    pub weights: Weights,
    /// Placement on clusters of tasks without a place of their own.
    pub placement: Placement,
    /// Rule by which a Pfair scheduler assigns the tasks of a slot to processors; others ignore it.
    pub affinity: Affinity,
    /// Part of each period in which a processor may run threads under `SCHED_FIFO`, in simulations; `None` means no
    /// limit. Other schedulers do not heed it: see [`Scenario::heeded_throttling`].
    pub throttling: Option<Throttling>,
}

/// Rules by which tasks are placed on clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Quantity that is summed up on a processor.
    pub weight: PlacementWeight,
    /// Choice among the clusters with room; if not given, worst fit, and where that fails first fit.
    pub fit: Option<Fit>,
    /// Whether clusters take only tasks that fit on one of their processors.
    pub by_processor: bool,
    /// Order in which tasks are placed.
    pub order: PlacementOrder,
    /// Fit bound of a cluster, as a part of its processors.
    pub bound: Millionths,
    /// Treatment of a task that fits nowhere.
    pub overflow: Overflow,
    /// Whether tasks that share resources go to one processor where possible.
    pub together: bool,
    /// A test that has to accept the tasks of a processor at each step, besides the bound.
    pub test: Option<&'static str>,
    /// Rule by which tasks that fit nowhere are split.
    pub split: Split,
}

impl Default for Placement {
    /// The rules with the most proofs: worst fit by decreasing utilization, or first fit where that fails. A task that
    /// fits nowhere is placed best-effort, so that an overload can be simulated.
    fn default() -> Self {
        Placement {
            weight: PlacementWeight::Utilization,
            fit: None,
            by_processor: false,
            order: PlacementOrder::Decreasing(PlacementWeight::Utilization),
            bound: Millionths::ONE,
            overflow: Overflow::LeastLoaded,
            together: false,
            test: None,
            split: Split::None,
        }
    }
}

/// The machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlatformSpec {
    /// Number of processors.
    pub processors: u16,
    /// Processors that share a ready queue under a clustered scheduler.
    pub clusters: Clusters,
    /// Length of the quantum, which is also the distance of ticks.
    pub quantum: Duration,
    /// Alignment of quantum boundaries on different processors.
    pub alignment: Alignment,
    /// Point at which arrivals are noticed.
    pub releases: ReleasePoint,
    /// Caches that processors share; if empty, those of the overheads.
    pub caches: Vec<SharedCache>,
    /// Caches and bus; only `schedlab membus` reads them.
    pub memory: MemorySpec,
}

/// Processors that share a ready queue under a clustered scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clusters {
    /// Two halves; the first is the larger one if the number is odd.
    Halves,
    /// Clusters of this many processors; the last may be smaller.
    OfSize(u16),
    /// Clusters as listed.
    Listed(Vec<Vec<u16>>),
}

/// Tasks that compete as one under a Pfair scheduler; each names it. Other schedulers ignore it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SupertaskSpec {
    /// Name of the supertask.
    pub name: String,
    /// Order of its components.
    pub order: ComponentOrder,
    /// Times at which the supertask chooses among its components.
    pub scheduling: ComponentScheduling,
    /// Share of a processor; `None` for the least that guarantees the deadlines of the components.
    pub weight: Option<Weight>,
}

/// A budget server: executes the jobs of the tasks that name it, its clients, at its own urgency and within its budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSpec {
    /// Name of the server.
    pub name: String,
    /// Rule by which the server has budget.
    pub kind: ServerKind,
    /// Time that clients have in each period.
    pub budget: Work,
    /// Period of the server.
    pub period: Duration,
    /// Time from a period's begin to the deadline of a periodic server; that of others is the period.
    pub relative_deadline: Duration,
    /// Order of the clients among themselves.
    pub order: ClientOrder,
    /// Given fixed priority; needed under `FP`.
    pub priority: Option<u32>,
    /// The processor of the server and its clients; needed where there are several.
    pub processor: Option<u16>,
    /// True if clients without budget have the time that no task wants.
    pub background: bool,
}

/// A source of jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskSpec {
    /// Name of the task.
    pub name: String,
    /// Bound on the cost of each job.
    pub wcet: Work,
    /// Distance of arrivals, or its minimum.
    pub period: Duration,
    /// Time from a job's arrival to its absolute deadline.
    pub relative_deadline: Duration,
    /// Arrival of the first job, or the earliest such arrival if sporadic; not before `join`.
    pub offset: Instant,
    /// Longest time from a job's arrival to its release.
    pub jitter: Duration,
    /// Self-suspension of jobs.
    pub suspension: Suspension,
    /// Bytes that a job keeps in the caches.
    pub working_set: u64,
    /// Given fixed priority; needed under `FP`.
    pub priority: Option<u32>,
    /// Class of the task's thread under the kernel's fixed priorities.
    pub class: ThreadClass,
    /// Time from a job's arrival to its priority point; needed under `GEL`.
    pub priority_point: Option<Duration>,
    /// Utility of a completion, by the time since the arrival; by default one unit up to the deadline.
    pub utility: Option<TimeUtility>,
    /// Handler that a job which has begun executes when it is given up, if there is one.
    pub abort_handler: Option<AbortHandler>,
    /// The processor that a partitioned scheduler has to use (a clustered one: its cluster).
    pub processor: Option<u16>,
    /// Pieces in which each job executes under a scheduler that splits tasks; empty if the task is whole.
    pub pieces: Vec<TaskPiece>,
    /// The processors that a partitioned scheduler may choose from; empty: all.
    pub affinity: Vec<u16>,
    /// The cluster that a clustered scheduler has to use.
    pub cluster: Option<u16>,
    /// Supertask of which the task is a component, under a Pfair scheduler.
    pub supertask: Option<String>,
    /// Budget server of which the task is a client.
    pub server: Option<String>,
    /// Arrivals of the task's jobs.
    pub arrival: Arrival,
    /// Costs of the task's jobs in a simulation.
    pub cost: CostModel,
    /// Time at which the task joins.
    pub join: Instant,
    /// Time from which on the task has no further arrival; [`Instant::NEVER`] if it stays.
    pub leave: Instant,
    /// Steps of each job at its worst; empty means to execute `wcet`.
    pub program: Vec<Step>,
    /// Work that a job executes in a real run.
    pub workload: Workload,
    /// True if the source states that the task cannot meet its deadline even alone.
    pub wcet_may_exceed_deadline: bool,
}

impl TaskSpec {
    /// A synchronous periodic task with an implicit deadline.
    pub fn new(name: impl Into<String>, wcet: Work, period: Duration) -> Self {
        TaskSpec {
            name: name.into(),
            wcet,
            period,
            relative_deadline: period,
            leave: Instant::NEVER,
            ..TaskSpec::default()
        }
    }
}

impl TaskSpec {
    /// The relative deadline if none is stated: the period, or none for a client that `servers` serve first come, first
    /// served.
    pub(crate) fn usual_deadline(&self, servers: &[ServerSpec]) -> Duration {
        let Some(name) = &self.server else { return self.period };
        match servers.iter().find(|server| server.name == *name) {
            Some(server) if server.order.is_subsystem() => self.period,
            _ => Task::NO_DEADLINE,
        }
    }

    /// True if the task's jobs request resources.
    pub fn has_requests(&self) -> bool {
        self.program.iter().any(|step| step.requested().is_some())
    }

    /// True if the task's jobs request the resource at this place.
    pub fn requests(&self, resource: usize) -> bool {
        self.program.iter().filter_map(Step::requested).any(|asked| asked.index() == resource)
    }
}

/// The scheduler of a scenario that names none.
static DEFAULT_SCHEDULER: LazyLock<String> =
    LazyLock::new(|| Scheduler::of_order(EDF, true, Scope::Global).name);

impl Default for SchedulerSpec {
    fn default() -> Self {
        SchedulerSpec {
            name: DEFAULT_SCHEDULER.clone(),
            own: None,
            urgent_priority: UrgentPriority::default(),
            priorities: Priorities::default(),
            weights: Weights::default(),
            placement: Placement::default(),
            affinity: Affinity::default(),
            throttling: None,
        }
    }
}

impl Default for PlatformSpec {
    fn default() -> Self {
        PlatformSpec {
            processors: 1,
            clusters: Clusters::Halves,
            quantum: schedlab_model::Platform::DEFAULT_QUANTUM,
            alignment: Alignment::default(),
            releases: ReleasePoint::default(),
            caches: Vec::new(),
            memory: MemorySpec::default(),
        }
    }
}

impl Scenario {
    /// A scenario of these tasks, with the defaults of a file for everything else.
    ///
    /// The scenario is not checked: see [`Scenario::check`].
    pub fn new(tasks: Vec<TaskSpec>) -> Self {
        let (horizon, protocol) = (default_horizon(&tasks), schedlab_lock::NONE.to_owned());
        Scenario { horizon, protocol, tasks, ..Scenario::default() }
    }
}

/// Number of longest periods in the horizon of a scenario that names none.
const PERIODS: u64 = 20;

/// Least default horizon.
const SECOND_NS: u64 = 1_000_000_000;

/// Number of jobs of all tasks that a default horizon has room for.
const MOST_JOBS: u128 = 1_000_000;

/// The horizon of a scenario that names none: 20 of its longest periods, but no more than about a million jobs of all
/// tasks; at least a second; and at most as many of its shortest periods as there are numbers for jobs.
pub(crate) fn default_horizon(tasks: &[TaskSpec]) -> Instant {
    let enough = twenty_periods(tasks).min(of_jobs(tasks)).max(SECOND_NS);
    let shortest = tasks.iter().map(|task| task.period.as_ns()).filter(|period| *period > 0).min();
    let numbered = shortest.map_or(u64::MAX, |period| period.saturating_mul(u64::from(u32::MAX) - 1));
    Instant::from_ns(enough.min(numbered).min(crate::quantity::LONGEST.as_ns()))
}

fn twenty_periods(tasks: &[TaskSpec]) -> u64 {
    tasks.iter().map(|task| task.period.as_ns()).max().unwrap_or(0).saturating_mul(PERIODS)
}

/// Time within which all tasks have about `MOST_JOBS` jobs, of three digits.
fn of_jobs(tasks: &[TaskSpec]) -> u64 {
    /// Jobs are counted in this many nanoseconds, about 300 years: no period is longer.
    const WITHIN: u128 = 1 << 63;
    let periods = tasks.iter().map(|task| u128::from(task.period.as_ns())).filter(|period| *period > 0);
    let jobs: u128 = periods.map(|period| WITHIN / period).sum();
    let time = MOST_JOBS * WITHIN / jobs.max(1);
    let step = 10u128.pow(time.checked_ilog10().unwrap_or(0).saturating_sub(2));
    u64::try_from((time + step / 2) / step * step).unwrap_or(u64::MAX)
}

impl Scenario {
    /// Returns whether the horizon is the default one, and was shortened because 20 longest periods have too many jobs.
    pub fn has_shortened_horizon(&self) -> bool {
        self.horizon == default_horizon(&self.tasks) && self.horizon.as_ns() < twenty_periods(&self.tasks)
    }
}
