//! Computations of tests as plain values.

mod changed;
mod delayed;
mod written;

use changed::ChangedTime;
use delayed::SummedDelay;

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
}

/// A fraction of a task in a sum.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
struct SumTerm {
    task: u32,
    name: String,
    /// The times whose quotient it is.
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

/// Share of the time before a job's deadline that a task may take: min(1, (C/T (D_k + T - D) + max(0, C - λ T))/D_k).
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
struct LoadTerm {
    task: u32,
    name: String,
    cost_ns: u64,
    period_ns: u64,
    relative_deadline_ns: u64,
    /// The exact share, such as "3/4"; None if it has more than 60 digits.
    exact: Option<String>,
    value: f64,
    /// The value in percent.
    text: String,
}

/// Baker's shares of the time before a deadline, compared with a bound.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
struct ComparedLoad {
    cluster: u16,
    /// The task k whose deadline is examined, with its C_k and D_k; λ is their quotient.
    task: u32,
    name: String,
    cost_ns: u64,
    relative_deadline_ns: u64,
    terms: Vec<LoadTerm>,
    sum: f64,
    sum_text: String,
    bound: f64,
    bound_text: String,
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

/// Work of another task before a deadline, whose own jobs complete some time before their deadlines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct SlackTerm {
    task: u32,
    name: String,
    jobs: u64,
    cost_ns: u64,
    period_ns: u64,
    /// The slack of the task that was known before.
    slack_ns: u64,
    /// Work of the job that is carried in.
    carried_ns: u64,
    /// The part of all this work that counts: at most the room and a nanosecond.
    counted_ns: u64,
}

/// The slack of a task in a round: the room that the others' work leaves before its deadlines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct FoundSlack {
    cluster: u16,
    task: u32,
    name: String,
    /// The number of the round, from 1.
    round: u64,
    within_ns: u64,
    /// The relative deadline less the cost.
    room_ns: u64,
    processors: u64,
    terms: Vec<SlackTerm>,
    sum_ns: u64,
    /// The sum over the processors, rounded down.
    delay_ns: u64,
    /// None if the delay is above the room.
    slack_ns: Option<u64>,
}

/// Reason of a task's jitter: why its jobs may execute later than their arrivals let expect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum JitterCauseName {
    /// Their releases have jitter.
    Jitter,
    /// They may suspend themselves or wait: response time less cost.
    CarryIn,
    /// They may suspend themselves: `below_ns` and `carried_ns` together.
    Suspension,
}

/// Meaning of a window that is a fixed point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum WindowRuleName {
    /// It ends when the job completes.
    UntilCompletion,
    /// It ends when the job, which is not preempted, begins.
    UntilBegin,
    /// Until completion; suspension of more urgent tasks makes their own jobs late.
    SuspensionAsJitter,
    /// Until completion; suspension of some more urgent tasks delays those below them, by the linear rule.
    SuspensionByRule,
}

/// A task that goes before another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct EarlierTask {
    task: u32,
    name: String,
    cost_ns: u64,
    /// Part of the cost for which a job spins.
    spinning_ns: u64,
    period_ns: u64,
    /// How much later than their arrivals let expect its jobs may execute.
    jitter_ns: u64,
    jitter_cause: JitterCauseName,
    /// Suspension of this task and tasks below it that delays those below; None unless that is the cause.
    below_ns: Option<u64>,
    /// Response time less cost; 0 if the suspension counts in `below_ns`; None unless that is the cause.
    carried_ns: Option<u64>,
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

/// The fixed point of the window of the first `own_jobs` jobs, or of the time until the last of them begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct BusyWindow {
    own_jobs: u64,
    /// Blocking, and the work of the own jobs; until the begin of a job, without its cost.
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
    window: WindowRuleName,
    cost_ns: u64,
    blocking_ns: u64,
    period_ns: u64,
    jitter_ns: u64,
    relative_deadline_ns: u64,
    before: Vec<EarlierTask>,
    /// Turns that find the busy period, in which the own jobs come last; empty if the test needs none.
    busy: Vec<WindowIterate>,
    /// Number of turns of the busy period that are left out before the last.
    busy_left_out: u64,
    windows: Vec<BusyWindow>,
    /// Number of windows that are left out before the last.
    left_out: u64,
    /// The bound; None if none was found.
    bound_ns: Option<u64>,
    /// The bound from the arrival, which may be earlier than the release; None if none was found.
    from_arrival_ns: Option<u64>,
}

/// A task of a processor whose absolute deadlines are swept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct SweptTask {
    task: u32,
    name: String,
    cost_ns: u64,
    period_ns: u64,
    relative_deadline_ns: u64,
    jitter_ns: u64,
    /// None if the budget was spent.
    bound_ns: Option<u64>,
    /// The absolute deadline of the slowest job, after the begin of the busy period; None if no other job delays it.
    due_ns: Option<i64>,
}

/// An absolute deadline in a busy period, and when the work is done that is due by then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct SweptDeadline {
    due_ns: i64,
    /// Number of turns in which the fixed point was found.
    turns: u64,
    /// In the order of `tasks`.
    terms: Vec<JobsTerm>,
    done_ns: u64,
}

/// The bounds on the response times of all tasks of a processor, by the absolute deadlines of a busy period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct SweptResponses {
    cluster: u16,
    tasks: Vec<SweptTask>,
    /// Turns that find the busy period.
    busy: Vec<WindowIterate>,
    /// Number of turns of the busy period that are left out before the last.
    busy_left_out: u64,
    visited: Vec<SweptDeadline>,
    /// Number of deadlines that are left out before the last.
    left_out: u64,
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
    /// L_a of Zhang and Burns, rounded up; None if there is none.
    limit_from_slack_ns: Option<u64>,
    /// L_b, the longest busy period; None if L_a is shorter, or the budget was spent.
    busy_period_ns: Option<u64>,
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

/// A test that ended because a task fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct EndedWith {
    cluster: u16,
    /// The task that fails: the test did not look at those that come after it.
    task: u32,
    name: String,
}

/// The computation of a test, as the test itself did it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub(super) struct TestSteps {
    sums: Vec<ComparedSum>,
    loads: Vec<ComparedLoad>,
    works: Vec<ComparedWork>,
    slacks: Vec<FoundSlack>,
    blocking: Vec<SummedBlocking>,
    delays: Vec<SummedDelay>,
    responses: Vec<IteratedResponse>,
    sweeps: Vec<SweptResponses>,
    demands: Vec<ExaminedDemand>,
    /// The tasks with which the test ended because they fail.
    ended_with: Vec<EndedWith>,
    /// The times of tasks that the test does not take from the scenario as they are.
    changed: Vec<ChangedTime>,
    /// The longest time from an arrival to its release at a tick; 0 where releases are at timers.
    release_delay_ns: u64,
    /// True if T and D, and R, count from releases at ticks, not from arrivals.
    is_from_release: bool,
    /// True if there were more steps than are recorded; those of one task may be fewer.
    is_cut: bool,
}

/// A time in ns, at most the largest that 64 bits hold.
fn capped(ns: u128) -> u64 {
    u64::try_from(ns).unwrap_or(u64::MAX)
}
