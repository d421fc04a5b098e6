//! Choices of a scenario, and their words in files.

use crate::quantity::Millionths;
use schedlab_analysis::priority::ALL as RULES;
use schedlab_analysis::uniprocessor::{
    edf_utilization, hyperbolic, liu_layland, nonpreemptive_edf, nonpreemptive_fp, qpa, response_time,
};
use schedlab_lock::Length;
use schedlab_membus::Arbitration;
use schedlab_model::{Alignment, Duration, Instant, OverheadKind, Overrun, ReleasePoint, Statistic, Work};
use schedlab_policy::{DM, EDF, RM};
use schedlab_workload::placement::{Fit, Overflow, PlacementOrder, PlacementWeight};
use std::iter;

/// Relative deadlines that a scenario allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeadlineRule {
    /// Any relative deadline.
    #[default]
    Arbitrary,
    /// No relative deadline longer than the task's period.
    Constrained,
    /// Only the task's period as relative deadline.
    Implicit,
}

/// Standing of the tasks' WCETs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wcets {
    /// No job costs more.
    #[default]
    Bounds,
    /// No job was seen to cost more, which is no bound on the next job.
    Observed,
}

/// The more urgent of two given fixed priorities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UrgentPriority {
    /// The smaller one, as everywhere else in schedlab.
    #[default]
    Smallest,
    /// The larger one, as in POSIX and most published tables.
    Largest,
}

/// Source of priorities where fixed priorities decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Priorities {
    /// Each task states its priority.
    #[default]
    Given,
    /// A rule of this name, such as `RM-US`, which ignores stated priorities.
    ByRule(&'static str),
    /// Audsley's algorithm: an order that an exact test accepts, if there is one.
    Audsley,
}

/// Rule by which a Pfair scheduler chooses the weights of tasks; other schedulers have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weights {
    /// Costs rounded up to quanta, periods and relative deadlines down.
    #[default]
    Plain,
    /// The most slots, and thus the least weight, with which no job is late, wherever its quanta and arrivals lie.
    Guaranteed,
}

/// Splitting of tasks between processors: semi-partitioned EDF.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Split {
    /// No task is split.
    #[default]
    None,
    /// Tasks are split into pieces whose relative deadline is their cost.
    CEqualsD,
    /// Tasks are split over windows of equal length.
    EdfWm,
}

/// Order of a supertask's components: the orders whose weights can be computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ComponentOrder {
    /// The earliest absolute deadline goes first.
    #[default]
    Edf,
    /// The shortest period goes first.
    Rm,
    /// The shortest relative deadline goes first.
    Dm,
}

/// Arrivals of a task's jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Arrival {
    /// One arrival in every period.
    #[default]
    Periodic,
    /// Each arrival is at most `delay` (drawn uniformly) later than the period would allow.
    Sporadic {
        /// Longest delay of an arrival.
        delay: Duration,
        /// Name of a task whose jobs are delayed by the same times, one by one; if `None`, delays are independent.
        like: Option<String>,
    },
    /// Arrivals at these times, and no others.
    Listed(Vec<Instant>),
}

/// Costs of a task's jobs in a simulation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CostModel {
    /// Every job costs the WCET.
    #[default]
    Wcet,
    /// A fixed part of the WCET, rounded up.
    Fraction(Millionths),
    /// Costs drawn uniformly, limits included.
    Uniform(Work, Work),
    /// These costs in turn, again and again.
    Listed(Vec<Work>),
    /// Costs drawn by quantiles, evenly between each and the next, from the least cost to the WCET.
    Quantiles {
        /// The least cost of a job.
        least: Work,
        /// Shares of jobs, with the cost that each share does not exceed; both rise.
        points: Vec<(Millionths, Work)>,
    },
}

/// Relative deadlines that are allowed.
pub(crate) const DEADLINE_RULES: &[(&str, DeadlineRule)] = &[
    ("arbitrary", DeadlineRule::Arbitrary),
    ("constrained", DeadlineRule::Constrained),
    ("implicit", DeadlineRule::Implicit),
];
/// Standings of the tasks' WCETs.
pub(crate) const WCETS: &[(&str, Wcets)] = &[("bounds", Wcets::Bounds), ("observed", Wcets::Observed)];

/// First words of the source of a scenario that `schedlab observe` makes.
pub const OBSERVE: &str = "schedlab observe,";

/// The standing of WCETs that a file does not state. Earlier versions of `schedlab observe` stated only the source.
pub(crate) fn wcets_of(source: &str) -> Wcets {
    match source.starts_with(OBSERVE) {
        true => Wcets::Observed,
        false => Wcets::Bounds,
    }
}

/// Reactions of a real run to a job that exceeds its WCET.
pub(crate) const OVERRUNS: &[(&str, Overrun)] = &[
    ("ignore", Overrun::Ignore),
    ("warn", Overrun::Warn),
    ("cut", Overrun::Cut),
    ("best-effort", Overrun::BestEffort),
];
type MakeArrival = fn(Duration) -> Arrival;
type MakeCosts = fn() -> CostModel;
/// Arrivals that a word alone can name. The function gets the task's period, which bounds the delay of a sporadic
/// arrival.
pub(crate) const ARRIVALS: &[(&str, MakeArrival)] = &[
    ("periodic", |_| Arrival::Periodic),
    ("sporadic", |period| Arrival::Sporadic { delay: period, like: None }),
];
/// Costs that a word alone can name.
pub(crate) const COSTS: &[(&str, MakeCosts)] = &[("wcet", || CostModel::Wcet)];
pub(crate) const LENGTHS: &[(&str, Length)] = &[("short", Length::Short), ("long", Length::Long)];
/// Orders of components.
pub(crate) const COMPONENT_ORDERS: &[(&str, ComponentOrder)] =
    &[(EDF.name, ComponentOrder::Edf), (RM.name, ComponentOrder::Rm), (DM.name, ComponentOrder::Dm)];
pub(crate) const ARBITRATIONS: &[(&str, Arbitration)] =
    &[("fifo", Arbitration::Fifo), ("round-robin", Arbitration::RoundRobin)];
pub(crate) const ALIGNMENTS: &[(&str, Alignment)] =
    &[("aligned", Alignment::Aligned), ("staggered", Alignment::Staggered)];
pub(crate) const RELEASES: &[(&str, ReleasePoint)] =
    &[("timer", ReleasePoint::Timer), ("tick", ReleasePoint::Tick)];
pub(crate) const URGENT: &[(&str, UrgentPriority)] =
    &[("smallest", UrgentPriority::Smallest), ("largest", UrgentPriority::Largest)];
pub(crate) const WEIGHTS: &[(&str, Weights)] =
    &[("plain", Weights::Plain), ("guaranteed", Weights::Guaranteed)];
/// Sources of priorities: the tasks, a rule, or Audsley's algorithm.
pub(crate) fn priorities() -> Vec<(&'static str, Priorities)> {
    let rules = RULES.iter().map(|rule| (rule.name, Priorities::ByRule(rule.name)));
    let given = ("given", Priorities::Given);
    iter::once(given).chain(rules).chain([("Audsley", Priorities::Audsley)]).collect()
}
/// Words for the sources of fixed priorities in a scenario's file.
pub fn priority_rules() -> Vec<&'static str> {
    priorities().into_iter().map(|(name, _)| name).collect()
}
/// Words for the sources of fixed priorities that compute them, without `given`.
pub fn computed_priorities() -> Vec<&'static str> {
    let computed = priorities().into_iter().filter(|(_, by)| *by != Priorities::Given);
    computed.map(|(name, _)| name).collect()
}
/// Words for placements that are given in one line, such as `--placement`.
pub fn placement_words() -> Vec<String> {
    let names = |word: &'static str| word.to_owned();
    FITS.iter()
        .map(|(fit, _)| format!("[density:]{fit}_fit[_decreasing|_by_deadline]"))
        .chain(OVERFLOWS.iter().map(|(word, _)| names(word)))
        .chain(["by_processor", "together", "bound=SHARE"].map(names))
        .chain(SPLITS.iter().map(|(word, _)| names(word)))
        .chain(PLACEMENT_TESTS.iter().map(|word| names(word)))
        .collect()
}
pub(crate) const FITS: &[(&str, Fit)] = &[
    ("first", Fit::First),
    ("next", Fit::Next),
    ("best", Fit::Best),
    ("worst", Fit::Worst),
    ("almost_worst", Fit::AlmostWorst),
];
pub(crate) const PLACEMENT_WEIGHTS: &[(&str, PlacementWeight)] =
    &[("utilization", PlacementWeight::Utilization), ("density", PlacementWeight::Density)];
pub(crate) const SPLITS: &[(&str, Split)] =
    &[("none", Split::None), ("C=D", Split::CEqualsD), ("EDF-WM", Split::EdfWm)];
/// Tests of one processor that decide at each step of a placement whether a task may go there.
pub(crate) const PLACEMENT_TESTS: &[&str] = &[
    liu_layland::TEST.name,
    hyperbolic::TEST.name,
    response_time::TEST.name,
    edf_utilization::TEST.name,
    qpa::TEST.name,
    nonpreemptive_fp::TEST.name,
    nonpreemptive_edf::DEMAND.name,
];
pub(crate) const ORDERS: &[(&str, PlacementOrder)] = &[
    ("decreasing_utilization", PlacementOrder::Decreasing(PlacementWeight::Utilization)),
    ("decreasing_density", PlacementOrder::Decreasing(PlacementWeight::Density)),
    ("rising_deadline", PlacementOrder::RisingDeadline),
    ("given", PlacementOrder::Given),
];
pub(crate) const OVERFLOWS: &[(&str, Overflow)] =
    &[("refuse", Overflow::Misfit), ("least_loaded", Overflow::LeastLoaded)];
/// The statistics, with their words in files.
pub(crate) const STATISTICS: &[(&str, Statistic)] = &[
    ("max", Statistic::Max),
    ("mean", Statistic::Mean),
    ("p50", Statistic::Percentile(500)),
    ("p90", Statistic::Percentile(900)),
    ("p95", Statistic::Percentile(950)),
    ("p99", Statistic::Percentile(990)),
    ("p99_9", Statistic::Percentile(999)),
];
/// Parts of a decision's cost where processors share a queue.
pub(crate) const PARTS: [&str; 3] = ["hand_over", "access", "migration"];

/// Hand-over of the lock that a queue has of its own.
pub(crate) const QUEUE_HAND_OVER: &str = "queue_hand_over";

/// Numbers that may be fitted: the parts of a decision's cost, and how long the lock of the queue is held.
pub(crate) const FITTED: [&str; 6] = [
    PARTS[0],
    PARTS[1],
    PARTS[2],
    QUEUE_HAND_OVER,
    OverheadKind::Release.name(),
    OverheadKind::Scheduling.name(),
];

/// The words of a list.
pub(crate) fn names<T>(list: &[(&'static str, T)]) -> Vec<&'static str> {
    list.iter().map(|(name, _)| *name).collect()
}
