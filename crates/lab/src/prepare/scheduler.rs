//! A scenario's scheduler as analysis sees it.

use crate::prepare::prepared::Prepared;
use schedlab_analysis::{AnalysedOrder, AnalysedScheduler, Arrivals, Quanta};
use schedlab_model::{Alignment, HeavyFirst, LightOrder, OrderClass, Platform, Point, Task, Theorem};
use schedlab_scenario::{Arrival, Scenario, Weights};

/// Returns the quanta of the scenario's scheduler, if it is a Pfair scheduler without supertasks.
pub(crate) fn quanta(prepared: &Prepared) -> Option<Quanta> {
    let pfair = matches!(prepared.scheduler.class(), OrderClass::Pfair { .. });
    // Components of supertasks have no weights of their own.
    let speaks = pfair && prepared.supertasks.is_empty();
    speaks.then(|| Quanta {
        length: prepared.platform.quantum,
        staggered: prepared.platform.alignment == Alignment::Staggered,
        guaranteed: prepared.scenario.scheduler.weights == Weights::Guaranteed,
        breaks_ties: breaks_ties(prepared.scheduler.class()),
    })
}

/// True if the order of a Pfair scheduler is optimal on any number of processors.
pub(crate) fn breaks_ties(class: OrderClass) -> bool {
    matches!(class, OrderClass::Pfair { breaks_ties: true, .. })
}

/// Describes a Pfair scheduler for analysis.
pub(crate) fn pfair_scheduler(prepared: &Prepared, quanta: Quanta) -> AnalysedScheduler<'static> {
    let (order, arrivals) = (AnalysedOrder::Pfair(quanta), arrivals(prepared));
    AnalysedScheduler { order, arrivals, ..AnalysedScheduler::EDF }
}

/// The order of a scheduler for analysis, with the ranks or points of a scenario's tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ordered {
    pub(crate) order: AnalysedOrder,
    /// Ranks by task, under fixed priorities and where heavy tasks go first; else empty.
    pub(crate) ranks: Vec<u32>,
    /// Priority points by task, if they lie a constant after the arrival; else empty.
    pub(crate) points: Vec<Point>,
}

impl Ordered {
    /// Returns the order of the tasks `given`, whose costs are without overheads, because overheads do not change
    /// priorities. `processors` returns the size of a task's cluster. Returns `None` under Pfair, where the order
    /// depends on quanta.
    pub(crate) fn new(
        class: OrderClass,
        given: &[Task],
        processors: impl Fn(&Task) -> u32,
    ) -> Option<Ordered> {
        let alone = |order| Ordered { order, ranks: Vec::new(), points: Vec::new() };
        match class {
            OrderClass::Fixed(key) => {
                Some(Ordered { ranks: ranks(key, given), ..alone(AnalysedOrder::FixedPriority) })
            }
            OrderClass::FixedOpenTies(key) => {
                let ranks = ranks(key, given);
                Some(Ordered { ranks, ..alone(AnalysedOrder::FixedPriorityOpenTies) })
            }
            OrderClass::Deadline => Some(alone(AnalysedOrder::Edf)),
            OrderClass::AfterArrival(after) => {
                let points = given.iter().map(|task| after(task, processors(task))).collect();
                Some(Ordered { points, ..alone(AnalysedOrder::AfterArrival) })
            }
            OrderClass::Theorem(theorem) => {
                let ranks = theorem_ranks(theorem, given, processors);
                Some(Ordered { ranks, ..alone(theorem_order(theorem)) })
            }
            OrderClass::Unanalysed => Some(alone(AnalysedOrder::Unanalysed)),
            OrderClass::Pfair { .. } => None,
        }
    }

    /// Describes a scheduler of this order for analysis.
    pub(crate) fn scheduler(&self, preemptive: bool, arrivals: Arrivals) -> AnalysedScheduler<'_> {
        let Ordered { order, ranks, points } = self;
        AnalysedScheduler { order: *order, preemptive, ranks, points, arrivals }
    }
}

/// Returns the order of a scheduler of which a theorem speaks as tests take it: fixed priorities, if all are.
pub(crate) fn theorem_order(theorem: Theorem) -> AnalysedOrder {
    let are_fixed = matches!(
        theorem,
        Theorem::HeavyTasksFirst(HeavyFirst {
            others: LightOrder::Period | LightOrder::RelativeDeadline,
            threshold: _
        })
    );
    if are_fixed {
        AnalysedOrder::FixedPriority
    } else {
        AnalysedOrder::Theorem(theorem)
    }
}

/// Returns ranks by task on clusters of so many processors: under fixed priorities the number of tasks that go first;
/// else 0 for tasks that go before all others, and 1 for others. Empty where no tasks go before others.
pub(crate) fn theorem_ranks(theorem: Theorem, given: &[Task], processors: impl Fn(&Task) -> u32) -> Vec<u32> {
    match theorem {
        Theorem::HeavyTasksFirst(heavy) => heavy_ranks(heavy, given, processors),
        Theorem::LargestTasksFirst(largest) => {
            largest.choose(given).into_iter().map(|first| u32::from(!first)).collect()
        }
        Theorem::OptimalForPeriodic
        | Theorem::MeetsWhatEdfMeets
        | Theorem::OptimalOnOneProcessor
        | Theorem::SplitsWithinGroups(_)
        | Theorem::ReservesInSlots(_)
        | Theorem::QuasiPartitions
        | Theorem::KeepsPieces => Vec::new(),
    }
}

fn heavy_ranks(heavy: HeavyFirst, given: &[Task], processors: impl Fn(&Task) -> u32) -> Vec<u32> {
    let key = |task: &Task| heavy.fixed_key(task, processors(task));
    let mut keys: Vec<u64> = given.iter().filter_map(key).collect();
    keys.sort_unstable();
    let rank = |task: &Task| match key(task) {
        Some(key) => keys.partition_point(|other| *other < key) as u32,
        None => u32::from(!heavy.is_heavy(task, processors(task))),
    };
    given.iter().map(rank).collect()
}

/// Returns a function from a task to the number of processors of its cluster.
pub(crate) fn cluster_size(platform: &Platform) -> impl Fn(&Task) -> u32 + '_ {
    |task| platform.clusters[task.cluster.index()].cpus.len() as u32
}

/// Counts for each task the tasks with a smaller key.
pub(crate) fn ranks(key: fn(&Task) -> u64, given: &[Task]) -> Vec<u32> {
    let mut keys: Vec<u64> = given.iter().map(key).collect();
    keys.sort_unstable();
    given.iter().map(|task| keys.partition_point(|other| *other < key(task)) as u32).collect()
}

pub(crate) fn arrivals(prepared: &Prepared) -> Arrivals {
    arrivals_of(&prepared.scenario)
}

/// Returns listed arrivals if some task's are listed, periodic if every task's are periodic, else sporadic.
pub(crate) fn arrivals_of(scenario: &Scenario) -> Arrivals {
    let all = || scenario.tasks.iter().map(|spec| &spec.arrival);
    if all().any(|arrival| matches!(arrival, Arrival::Listed(_))) {
        Arrivals::Listed
    } else if all().all(|arrival| *arrival == Arrival::Periodic) {
        Arrivals::Periodic
    } else {
        Arrivals::Sporadic
    }
}
