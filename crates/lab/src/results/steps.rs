//! Computations of tests as plain values.

mod written;

use schedlab_analysis::steps::Show;
use schedlab_model::TaskId;
use schedlab_scenario::{Problem, Scenario};
use schemars::JsonSchema;
use serde::Serialize;

/// Steps that are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AskedSteps {
    /// No steps.
    #[default]
    None,
    /// The steps of all tasks.
    All,
    /// The steps of the task of this name, and the steps that are about all tasks together.
    OfTask(String),
}

impl AskedSteps {
    /// Returns which steps the tests are to show, or an error in words if there is no such task.
    pub(super) fn show(&self, scenario: &Scenario) -> Result<Show, String> {
        match self {
            AskedSteps::None => Ok(Show::Nothing),
            AskedSteps::All => Ok(Show::All),
            AskedSteps::OfTask(name) => {
                let index = scenario.tasks.iter().position(|task| task.name == *name);
                let known = || scenario.tasks.iter().map(|task| task.name.as_str());
                let index = index.ok_or_else(|| Problem::unknown_name("task", name, known()).to_string())?;
                Ok(Show::Of(TaskId(index as u32)))
            }
        }
    }
}

/// What is added or multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SumKind {
    /// Utilizations are added.
    Utilizations,
    /// Densities are added.
    Densities,
    /// 1 + each utilization is multiplied.
    Successors,
    /// Baker's loads before a deadline are added.
    Loads,
}

/// A fraction of a task in a sum.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
struct SumTerm {
    task: u32,
    name: String,
    /// The times whose quotient it is; None of a load.
    cost_ns: Option<u64>,
    over_ns: Option<u64>,
    /// The exact fraction, such as "3/4"; None if it has more than 60 digits.
    exact: Option<String>,
    value: f64,
    /// The value in percent.
    text: String,
}

/// A sum or product that a test compared with a bound.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
struct ComparedSum {
    cluster: u16,
    kind: SumKind,
    /// The task whose deadline is examined; None if the sum is for all tasks.
    task: Option<u32>,
    name: Option<String>,
    terms: Vec<SumTerm>,
    sum: f64,
    /// The sum with as many digits as it takes to tell it from the bound.
    sum_text: String,
    bound: f64,
    bound_text: String,
    /// The bound in letters, such as "n (2^(1/n) - 1), n = 3".
    bound_formula: String,
    holds: bool,
}

/// Work of another task before a deadline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct WorkTerm {
    task: u32,
    name: String,
    jobs: u64,
    cost_ns: u64,
    /// Work of the job that is carried in.
    carried_ns: u64,
    work_ns: u64,
    /// The part that counts: at most the cap.
    counted_ns: u64,
}

/// Work of others before a job's deadline, compared with the room that processors have for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct ComparedWork {
    cluster: u16,
    task: u32,
    name: String,
    within_ns: u64,
    cap_ns: u64,
    processors: u64,
    terms: Vec<WorkTerm>,
    sum_ns: u64,
    room_ns: u64,
    /// True if the sum may be equal to the room, because some task's work is not cut to the cap.
    may_be_equal: bool,
    holds: bool,
}

/// A task that goes before another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct EarlierTask {
    task: u32,
    name: String,
    cost_ns: u64,
    period_ns: u64,
    jitter_ns: u64,
}

/// Jobs of a task in an interval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct JobsTerm {
    jobs: u64,
    work_ns: u64,
}

/// A turn of an iteration: the jobs in a window, and the window that they make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct WindowIterate {
    window_ns: u64,
    /// In the order of `before`.
    terms: Vec<JobsTerm>,
    next_ns: u64,
}

/// The fixed point of the window of the first `own_jobs` jobs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct BusyWindow {
    own_jobs: u64,
    /// Blocking, and the work of the own jobs.
    own_ns: u64,
    iterates: Vec<WindowIterate>,
    /// Number of turns that are left out before the last.
    left_out: u64,
    /// The bound on the response time of the window's last own job; None if no fixed point was found.
    response_ns: Option<u64>,
}

/// The bound on a task's response time, window by window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct IteratedResponse {
    cluster: u16,
    task: u32,
    name: String,
    cost_ns: u64,
    blocking_ns: u64,
    period_ns: u64,
    jitter_ns: u64,
    relative_deadline_ns: u64,
    before: Vec<EarlierTask>,
    windows: Vec<BusyWindow>,
    /// Number of windows that are left out before the last.
    left_out: u64,
    /// The bound; None if none was found.
    bound_ns: Option<u64>,
}

/// A task of a processor whose demand is examined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct DemandingTask {
    task: u32,
    name: String,
    cost_ns: u64,
    period_ns: u64,
    /// The relative deadline less the jitter.
    window_ns: u64,
}

/// The demand at a deadline that was visited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct VisitedDemand {
    within_ns: u64,
    /// In the order of `tasks`; empty if the test adds jobs one by one.
    terms: Vec<JobsTerm>,
    blocking_ns: u64,
    demand_ns: u64,
}

/// Result of an examination of demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum DemandResult {
    /// It fits everywhere.
    Fits,
    /// The last one does not fit.
    Exceeds,
    /// The budget was spent.
    Spent,
}

/// The demand of a processor at the deadlines that a test visited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct ExaminedDemand {
    cluster: u16,
    tasks: Vec<DemandingTask>,
    /// The length, exclusive, up to which demand has to be examined.
    limit_ns: u64,
    visited: Vec<VisitedDemand>,
    /// Number of deadlines that are left out before the last.
    left_out: u64,
    result: DemandResult,
}

/// A section that may block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct BlockingTerm {
    task: u32,
    name: String,
    resource: String,
    length_ns: u64,
    /// True if the bound contains it.
    counts: bool,
}

/// Which sections of those that may block count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum BlockingRuleName {
    /// The longest of all.
    Longest,
    /// The longest of each less urgent task.
    LongestOfEachTask,
}

/// The bound on a task's blocking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct SummedBlocking {
    cluster: u16,
    task: u32,
    name: String,
    rule: BlockingRuleName,
    terms: Vec<BlockingTerm>,
    total_ns: u64,
}

/// The computation of a test, as the test itself did it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub(super) struct TestSteps {
    sums: Vec<ComparedSum>,
    works: Vec<ComparedWork>,
    blocking: Vec<SummedBlocking>,
    responses: Vec<IteratedResponse>,
    demands: Vec<ExaminedDemand>,
    /// True if there were more steps than are recorded; those of one task may be fewer.
    is_cut: bool,
}
