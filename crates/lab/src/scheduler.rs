//! A scenario's scheduler as analysis sees it.

use crate::prepared::Prepared;
use schedlab_analysis::{Arrivals, Order, Quanta, Scheduler};
use schedlab_model::{Alignment, Task};
use schedlab_policy::pfair::NAMES;
use schedlab_scenario::{Arrival, Scenario, Weights};

/// The quanta of the scenario's scheduler, if it is one of Pfair.
pub(crate) fn quanta(prepared: &Prepared) -> Option<Quanta> {
    let name = prepared.scheduler.name.as_str();
    // Components of supertasks have no weights of their own.
    let speaks = NAMES.contains(&name) && prepared.supertasks.is_empty();
    speaks.then(|| Quanta {
        length: prepared.platform.quantum,
        staggered: prepared.platform.alignment == Alignment::Staggered,
        guaranteed: prepared.scenario.scheduler.weights == Weights::Guaranteed,
    })
}

/// A Pfair scheduler as analysis sees it.
pub(crate) fn pfair_scheduler(prepared: &Prepared, quanta: Quanta) -> Scheduler<'static> {
    Scheduler { order: Order::Pfair(quanta), preemptive: true, ranks: &[], arrivals: arrivals(prepared) }
}

/// The order as the analysis names it, and each task's rank.
pub(crate) fn describe(order: &str, given: &[Task]) -> (Order, Vec<u32>) {
    let by = |key: fn(&Task) -> u64| {
        let mut keys: Vec<u64> = given.iter().map(key).collect();
        keys.sort_unstable();
        given.iter().map(|task| keys.partition_point(|other| *other < key(task)) as u32).collect()
    };
    match order {
        "RM" => (Order::FixedPriority, by(|task| task.period.as_ns())),
        "DM" => (Order::FixedPriority, by(|task| task.relative_deadline.as_ns())),
        "FP" => (Order::FixedPriority, by(|task| task.fixed_priority.into())),
        "FIFO" => (Order::Fifo, Vec::new()),
        "FL" => (Order::FairLateness, Vec::new()),
        "GEL" => (Order::Gel, Vec::new()),
        _ => (Order::Edf, Vec::new()),
    }
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
