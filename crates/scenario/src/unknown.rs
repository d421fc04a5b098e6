//! Problems with a scheduler or protocol that does not exist.

use crate::error::Problem;
use schedlab_lock::ALL_PROTOCOLS;
use schedlab_policy::{
    all_schedulers, kernel_classes, of_bare_order, Make, Parametric, ALL_ORDERS, PARAMETRIC,
};

/// Problem: no scheduler has this name.
pub(crate) fn unknown_scheduler(name: &str) -> Problem {
    let mut known = all_schedulers();
    known.extend(kernel_classes());
    let names = known.iter().map(|scheduler| scheduler.name.as_str());
    let alone = known.iter().filter(|scheduler| !matches!(scheduler.make, Make::Clustered { .. }));
    let with_parameters: Vec<String> = PARAMETRIC.iter().map(Parametric::shown).collect();
    let alone = alone.map(|scheduler| scheduler.name.as_str());
    let alone: Vec<&str> = alone.chain(with_parameters.iter().map(String::as_str)).collect();
    let mut orders: Vec<&str> = ALL_ORDERS.iter().map(|order| order.name).collect();
    let last = orders.pop().unwrap_or_default();
    let problem = Problem::unknown_name("scheduler", name, names).allowing(format!(
        "P-, C- or G- (non-preemptive: NP-, NC- or NG-) and {} or {last}, such as NG-EDF; {}",
        orders.join(", "),
        alone.join(", ")
    ));
    match of_bare_order(name) {
        Some(partitioned) => problem.meaning(partitioned.name),
        None => problem,
    }
}

/// Problem: no locking protocol has this name.
pub(crate) fn unknown_protocol(name: &str) -> Problem {
    Problem::unknown_name("locking protocol", name, ALL_PROTOCOLS.iter().map(|protocol| protocol.name))
}
