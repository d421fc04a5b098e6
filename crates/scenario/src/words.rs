//! What a scenario chooses among, and the words that files have for it.

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

/// Which relative deadlines a scenario allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeadlineRule {
    /// Any.
    #[default]
    Arbitrary,
    /// None longer than the task's period.
    Constrained,
    /// Only the task's period.
    Implicit,
}

/// Which of two given fixed priorities is the more urgent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UrgentPriority {
    /// The smaller, as everywhere else in schedlab.
    #[default]
    Smallest,
    /// The larger, as in POSIX and most published tables.
    Largest,
}

/// Who says how urgent tasks are where fixed priorities decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Priorities {
    /// Each task says it.
    #[default]
    Given,
    /// A rule of this name, such as `RM-US`; what tasks say is not read.
    ByRule(&'static str),
    /// Audsley's algorithm: an order that an exact test accepts, if there is one.
    Audsley,
}

/// How a Pfair scheduler chooses the weights of tasks; other schedulers have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weights {
    /// Costs rounded up to quanta, periods and relative deadlines down.
    #[default]
    Plain,
    /// In as many slots as let no job be late, wherever its quanta and arrivals lie.
    Guaranteed,
}

/// Whether tasks are split between processors: semi-partitioned EDF.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Split {
    /// No task is.
    #[default]
    None,
    /// By pieces whose relative deadline is their cost.
    CEqualsD,
    /// By windows of equal length.
    EdfWm,
}

/// Who of a supertask's components goes first: the orders whose weights can be computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ComponentOrder {
    /// The earliest absolute deadline.
    #[default]
    Edf,
    /// The shortest period.
    Rm,
    /// The shortest relative deadline.
    Dm,
}

/// When the jobs of a task arrive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Arrival {
    /// Every period.
    #[default]
    Periodic,
    /// Each at most `delay` (drawn uniformly) later than the period would allow.
    Sporadic {
        /// The most that an arrival is delayed.
        delay: Duration,
        /// The name of a task whose jobs are delayed as much, one by one; each on its own if none.
        like: Option<String>,
    },
    /// At these times, and no more.
    Listed(Vec<Instant>),
}

/// What the jobs of a task cost in a simulation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CostModel {
    /// The WCET, always.
    #[default]
    Wcet,
    /// A fixed part of the WCET, rounded up.
    Fraction(Millionths),
    /// Drawn uniformly, limits included.
    Uniform(Work, Work),
    /// These in turn, again and again.
    Listed(Vec<Work>),
}

/// Which relative deadlines are allowed.
pub(crate) const DEADLINE_RULES: &[(&str, DeadlineRule)] = &[
    ("arbitrary", DeadlineRule::Arbitrary),
    ("constrained", DeadlineRule::Constrained),
    ("implicit", DeadlineRule::Implicit),
];
/// What happens in a real run to a job that exceeds its WCET.
pub(crate) const OVERRUNS: &[(&str, Overrun)] = &[
    ("ignore", Overrun::Ignore),
    ("warn", Overrun::Warn),
    ("cut", Overrun::Cut),
    ("best-effort", Overrun::BestEffort),
];
type MakeArrival = fn(Duration) -> Arrival;
type MakeCosts = fn() -> CostModel;
/// When jobs arrive, where no table says more; the other sporadic arrival has a period of this length.
pub(crate) const ARRIVALS: &[(&str, MakeArrival)] = &[
    ("periodic", |_| Arrival::Periodic),
    ("sporadic", |period| Arrival::Sporadic { delay: period, like: None }),
];
/// What jobs cost, where no table says more.
pub(crate) const COSTS: &[(&str, MakeCosts)] = &[("wcet", || CostModel::Wcet)];
pub(crate) const LENGTHS: &[(&str, Length)] = &[("short", Length::Short), ("long", Length::Long)];
/// What the order of components is called.
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
/// Who says how urgent tasks are: the tasks, a rule, or Audsley's algorithm.
pub(crate) fn priorities() -> Vec<(&'static str, Priorities)> {
    let rules = RULES.iter().map(|rule| (rule.name, Priorities::ByRule(rule.name)));
    let given = ("given", Priorities::Given);
    iter::once(given).chain(rules).chain([("Audsley", Priorities::Audsley)]).collect()
}
/// What fixed priorities may follow, as a scenario's file says it.
pub fn priority_rules() -> Vec<&'static str> {
    priorities().into_iter().map(|(name, _)| name).collect()
}
/// The same but for what the tasks say themselves: what computes priorities.
pub fn computed_priorities() -> Vec<&'static str> {
    let computed = priorities().into_iter().filter(|(_, by)| *by != Priorities::Given);
    computed.map(|(name, _)| name).collect()
}
/// The words of which a placement is made in one line, such as `--placement`.
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
/// Tests of one processor that say at each step of a placement whether a task may go there.
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
/// The statistics, as files call them.
pub(crate) const STATISTICS: &[(&str, Statistic)] = &[
    ("max", Statistic::Max),
    ("mean", Statistic::Mean),
    ("p50", Statistic::Percentile(500)),
    ("p90", Statistic::Percentile(900)),
    ("p95", Statistic::Percentile(950)),
    ("p99", Statistic::Percentile(990)),
    ("p99_9", Statistic::Percentile(999)),
];
/// What takes time where processors share a queue.
pub(crate) const PARTS: [&str; 3] = ["hand_over", "access", "migration"];

/// What may be fitted: these, and how long the lock is held.
pub(crate) const FITTED: [&str; 5] =
    [PARTS[0], PARTS[1], PARTS[2], OverheadKind::Release.name(), OverheadKind::Scheduling.name()];

/// The words of a list.
pub(crate) fn names<T>(list: &[(&'static str, T)]) -> Vec<&'static str> {
    list.iter().map(|(name, _)| *name).collect()
}
