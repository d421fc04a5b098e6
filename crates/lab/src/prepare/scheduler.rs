//! A scenario's scheduler as analysis sees it.

use crate::prepare::prepared::Prepared;
use schedlab_analysis::{AnalysedOrder, AnalysedScheduler, Arrivals, Quanta};
use schedlab_model::{Alignment, OrderClass, Platform, Point, Task};
use schedlab_scenario::{Arrival, Scenario, Weights};

/// The quanta of the scenario's scheduler, if it is one of Pfair.
pub(crate) fn quanta(prepared: &Prepared) -> Option<Quanta> {
    let pfair = matches!(prepared.scheduler.class(), OrderClass::Pfair { .. });
    // Components of supertasks have no weights of their own.
    let speaks = pfair && prepared.supertasks.is_empty();
    speaks.then(|| Quanta {
        length: prepared.platform.quantum,
        staggered: prepared.platform.alignment == Alignment::Staggered,
        guaranteed: prepared.scenario.scheduler.weights == Weights::Guaranteed,
    })
}

/// A Pfair scheduler as analysis sees it.
pub(crate) fn pfair_scheduler(prepared: &Prepared, quanta: Quanta) -> AnalysedScheduler<'static> {
    let (order, arrivals) = (AnalysedOrder::Pfair(quanta), arrivals(prepared));
    AnalysedScheduler { order, arrivals, ..AnalysedScheduler::EDF }
}

/// An order as the analysis sees it, for the tasks of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ordered {
    pub(crate) order: AnalysedOrder,
    /// By task, under fixed priorities.
    pub(crate) ranks: Vec<u32>,
    /// By task, where points lie a constant after the arrival.
    pub(crate) points: Vec<Point>,
}

impl Ordered {
    /// The order of the tasks `given`, as they are before anything is added to their costs: overheads do not change who
    /// goes first. Each task's cluster has so many `processors`. `None` under Pfair, where the order depends on quanta.
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
            OrderClass::Unanalysed => Some(alone(AnalysedOrder::Unanalysed)),
            OrderClass::Pfair { .. } => None,
        }
    }

    /// A scheduler of this order.
    pub(crate) fn scheduler(&self, preemptive: bool, arrivals: Arrivals) -> AnalysedScheduler<'_> {
        let Ordered { order, ranks, points } = self;
        AnalysedScheduler { order: *order, preemptive, ranks, points, arrivals }
    }
}

/// How many processors the cluster of a task has.
pub(crate) fn cluster_size(platform: &Platform) -> impl Fn(&Task) -> u32 + '_ {
    |task| platform.clusters[task.cluster.index()].cpus.len() as u32
}

/// By task: how many tasks have a smaller key.
pub(crate) fn ranks(key: fn(&Task) -> u64, given: &[Task]) -> Vec<u32> {
    let mut keys: Vec<u64> = given.iter().map(key).collect();
    keys.sort_unstable();
    given.iter().map(|task| keys.partition_point(|other| *other < key(task)) as u32).collect()
}

pub(crate) fn arrivals(prepared: &Prepared) -> Arrivals {
    arrivals_of(&prepared.scenario)
}

/// Listed if some task's are, periodic only if every task's are.
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
