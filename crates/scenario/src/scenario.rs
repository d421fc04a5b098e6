//! A scenario: everything that a number depends on, as plain values.

use crate::memory::MemorySpec;
use crate::origin::Origin;
use crate::overheads::OverheadsChoice;
use crate::quantity::Millionths;
use crate::resource::ResourceSpec;
use crate::words::{
    Arrival, ComponentOrder, CostModel, DeadlineRule, Priorities, Split, UrgentPriority, Weights,
};
use crate::workload::Workload;
use schedlab_model::{
    AbortHandler, Alignment, Duration, Instant, Overrun, ReleasePoint, SharedCache, Step, Suspension,
    TimeUtility, Work,
};
use schedlab_policy::pfair::{Affinity, ComponentScheduling, Weight};
use schedlab_policy::{Scheduler, Scope, Throttling, EDF};
use schedlab_workload::placement::{Fit, Overflow, PlacementOrder, PlacementWeight};
use std::sync::LazyLock;

/// Tasks, resources, platform, scheduler, overheads, seed and horizon.
///
/// Two scenarios are equal exactly if their canonical texts ([`Scenario::to_toml`]) are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scenario {
    /// A line that says what this is; may be empty.
    pub title: String,
    /// Where the numbers come from; may be empty.
    pub source: String,
    /// What a reader should know, such as known discrepancies; may be empty.
    pub notes: String,
    /// What a file of another tool said that is left out although answers could be too good without it, a line each.
    pub left_out: Vec<String>,
    /// Of all randomness in a simulation.
    pub seed: u64,
    /// When the experiment ends.
    pub horizon: Instant,
    /// Which relative deadlines are allowed.
    pub deadlines: DeadlineRule,
    /// What happens in a real run to a job that exceeds its WCET.
    pub overruns: Overrun,
    /// The locking protocol, by its canonical name.
    pub protocol: String,
    /// The protocol of the user's own, which no file can name: `protocol` is then `none`.
    pub own_protocol: Option<String>,
    /// The scheduler.
    pub scheduler: SchedulerSpec,
    /// The machine.
    pub platform: PlatformSpec,
    /// What the machine takes for itself.
    pub overheads: OverheadsChoice,
    /// The shared resources, by id.
    pub resources: Vec<ResourceSpec>,
    /// Tasks that compete as one under a Pfair scheduler.
    pub supertasks: Vec<SupertaskSpec>,
    /// The tasks, by id; copies are written out.
    pub tasks: Vec<TaskSpec>,
    /// Where it was read; nothing depends on it but where errors are said to be.
    pub origin: Origin,
}

/// A scheduler by name, and what goes with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchedulerSpec {
    /// Its canonical name, such as `NG-EDF`.
    pub name: String,
    /// The scheduler of the user's own, which no file can name: `name` stands for it and divides the machine alike.
    pub own: Option<String>,
    /// Which of two given priorities is the more urgent.
    pub urgent_priority: UrgentPriority,
    /// Who says how urgent tasks are where fixed priorities decide (`FP`).
    pub priorities: Priorities,
    /// How a Pfair scheduler chooses weights.
    pub weights: Weights,
    /// How tasks without a place of their own are spread over clusters.
    pub placement: Placement,
    /// How a Pfair scheduler assigns the tasks of a slot to processors; others ignore it.
    pub affinity: Affinity,
    /// How much of each period a processor may run threads under `SCHED_FIFO`, simulated; without a limit if none.
    pub throttling: Option<Throttling>,
}

/// How tasks are spread over clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// What is summed up on a processor.
    pub weight: PlacementWeight,
    /// Which of the clusters with room is taken; if not given, worst fit, and where that does not do first fit.
    pub fit: Option<Fit>,
    /// Whether clusters take only what fits on their single processors.
    pub by_processor: bool,
    /// In which order tasks are placed.
    pub order: PlacementOrder,
    /// How full a cluster may get, as a part of its processors.
    pub bound: Millionths,
    /// What happens to a task that fits nowhere.
    pub overflow: Overflow,
    /// Whether tasks that share resources go to one processor, where that can be.
    pub together: bool,
    /// A test that has to accept the tasks of a processor at each step, besides the bound.
    pub test: Option<&'static str>,
    /// Whether tasks that fit nowhere are split.
    pub split: Split,
}

impl Default for Placement {
    /// What proves most: worst fit by decreasing utilization, or first fit where that does not do. A task that fits
    /// nowhere is placed best-effort, so that an overload can be simulated.
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
    /// Which processors share a ready queue under a clustered scheduler.
    pub clusters: Clusters,
    /// The quantum, which is also the distance of ticks.
    pub quantum: Duration,
    /// Where quantum boundaries lie.
    pub alignment: Alignment,
    /// When arrivals are noticed.
    pub releases: ReleasePoint,
    /// Which caches processors share; if empty, what the overheads say.
    pub caches: Vec<SharedCache>,
    /// Caches and bus; only `schedlab membus` reads them.
    pub memory: MemorySpec,
}

/// Which processors share a ready queue under a clustered scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clusters {
    /// Two halves; the first is the larger one if the number is odd.
    Halves,
    /// This many each; the last may be smaller.
    OfSize(u16),
    /// As listed.
    Listed(Vec<Vec<u16>>),
}

/// Tasks that compete as one under a Pfair scheduler; each names it. Other schedulers do not know of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SupertaskSpec {
    /// Its name.
    pub name: String,
    /// Who of its components goes first.
    pub order: ComponentOrder,
    /// When it chooses among them.
    pub scheduling: ComponentScheduling,
    /// Its share of a processor; `None` for the least that guarantees the deadlines of its components.
    pub weight: Option<Weight>,
}

/// A source of jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskSpec {
    /// Its name.
    pub name: String,
    /// Bound on the cost of each job.
    pub wcet: Work,
    /// Distance of arrivals, or its minimum.
    pub period: Duration,
    /// From a job's arrival to its absolute deadline.
    pub relative_deadline: Duration,
    /// When the first job arrives, or the earliest if sporadic; not before `join`.
    pub offset: Instant,
    /// How much later than its arrival a job is released at most.
    pub jitter: Duration,
    /// How jobs suspend themselves.
    pub suspension: Suspension,
    /// Bytes that a job keeps in the caches.
    pub working_set: u64,
    /// Given fixed priority; needed under `FP`.
    pub priority: Option<u32>,
    /// How long after its arrival a job's priority point lies; needed under `GEL`.
    pub priority_point: Option<Duration>,
    /// What completions are worth, by the time since the arrival; one unit each by the deadline if not given.
    pub utility: Option<TimeUtility>,
    /// What a job that has begun executes when it is given up, if anything.
    pub abort_handler: Option<AbortHandler>,
    /// The processor that a partitioned scheduler has to use (a clustered one: its cluster).
    pub processor: Option<u16>,
    /// The processors that a partitioned scheduler may choose from; empty: all.
    pub affinity: Vec<u16>,
    /// The cluster that a clustered scheduler has to use.
    pub cluster: Option<u16>,
    /// The supertask that it is a component of under a Pfair scheduler.
    pub supertask: Option<String>,
    /// When jobs arrive.
    pub arrival: Arrival,
    /// What jobs cost in a simulation.
    pub cost: CostModel,
    /// When the task joins.
    pub join: Instant,
    /// From when on it has no further arrival; [`Instant::NEVER`] if it stays.
    pub leave: Instant,
    /// What each job does at its worst; empty means to execute `wcet`.
    pub program: Vec<Step>,
    /// What it means to execute, when it runs for real.
    pub workload: Workload,
    /// True if the source says so: the task cannot meet its deadline even alone.
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
    /// True if its jobs request resources.
    pub fn has_requests(&self) -> bool {
        self.program.iter().any(|step| step.requested().is_some())
    }

    /// True if its jobs request the resource at this place.
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
    /// A scenario of these tasks, everything else as in a file that does not say.
    ///
    /// Not checked: see [`Scenario::check`].
    pub fn new(tasks: Vec<TaskSpec>) -> Self {
        let (horizon, protocol) = (default_horizon(&tasks), schedlab_lock::NONE.to_owned());
        Scenario { horizon, protocol, tasks, ..Scenario::default() }
    }
}

/// The horizon of a scenario that names none: 20 of its longest periods, at least a second, and at most so many of its
/// shortest that each job has a number.
pub(crate) fn default_horizon(tasks: &[TaskSpec]) -> Instant {
    const PERIODS: u64 = 20;
    let longest = tasks.iter().map(|task| task.period).max().unwrap_or(Duration::ZERO);
    let enough = longest.as_ns().saturating_mul(PERIODS).max(1_000_000_000);
    let shortest = tasks.iter().map(|task| task.period.as_ns()).filter(|period| *period > 0).min();
    let numbered = shortest.map_or(u64::MAX, |period| period.saturating_mul(u64::from(u32::MAX) - 1));
    Instant::from_ns(enough.min(numbered).min(crate::quantity::LONGEST.as_ns()))
}
