//! Which schedulers, placements and protocols keep a task set's deadlines, and by which margin.
//!
//! Everything that applies is tried on the scenario as it is. What proves all deadlines is ranked by its critical scaling factor;
//! what does not says why. Placements that put every task where another one does are tried once.

use crate::analysis::prove;
use crate::error::PrepareError;
use crate::prepared::Prepared;
use crate::sensitivity::{critical_scaling, is_proved, Factor};
use schedlab_analysis::Answer;
use schedlab_lock::ALL_PROTOCOLS;
use schedlab_policy::{all_schedulers, Make, Scope};
use schedlab_scenario::{Fit, Scenario};

/// One way to schedule the tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// The scheduler's name.
    pub scheduler: String,
    /// The placement heuristic, where tasks have to be placed.
    pub placement: Option<&'static str>,
    /// The locking protocol's name.
    pub protocol: String,
    /// How many of these differ from what the scenario says.
    pub changes: u32,
    /// The critical scaling factor; 1 or more if deadlines are proved to be met, 0 if not.
    pub margin: Factor,
    /// True if all deadlines are proved to be met.
    pub proved: bool,
    /// Which test proves it, or why none does.
    pub reason: String,
}

/// What was found about a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// Every way that was tried, the best first.
    pub ways: Vec<Way>,
    /// What the scenario's own way lacks: single changes with which all deadlines are proved to be met; empty if none is needed.
    pub single_changes: Vec<String>,
    /// True if the scenario as it is is proved to meet its deadlines.
    pub as_it_is: bool,
}

/// The placement heuristics, with their names in files.
const FITS: &[(Fit, &str)] =
    &[(Fit::First, "first"), (Fit::Worst, "worst"), (Fit::Best, "best"), (Fit::Next, "next")];

/// Tries everything that applies to `scenario`.
pub fn advise(scenario: &Scenario) -> Advice {
    let mut ways = Vec::new();
    for scheduler in all_schedulers() {
        let fixed = matches!(scheduler.make, Make::Clustered { order, .. } if order.name == "FP");
        if fixed && scenario.tasks.iter().all(|task| task.priority.is_none()) {
            continue;
        }
        for protocol in protocols(scenario) {
            let Ok(one) = scenario.clone().with_scheduler(&scheduler.name) else { continue };
            let Ok(one) = one.with_protocol(protocol) else { continue };
            try_placements(scenario, &one, scheduler.scope, &mut ways);
        }
    }
    ways.sort_by(|a, b| {
        let key = |way: &Way| (!way.proved, std::cmp::Reverse(way.margin), way.changes);
        key(a).cmp(&key(b))
    });
    let own = Prepared::new(scenario).ok();
    let as_it_is = own.as_ref().is_some_and(is_proved);
    let single_changes = if as_it_is { Vec::new() } else { single_changes(scenario, own.as_ref(), &ways) };
    Advice { ways, single_changes, as_it_is }
}

/// The protocols that may be tried: all where jobs share resources, otherwise what the scenario says.
fn protocols(scenario: &Scenario) -> Vec<&str> {
    match scenario.resources.is_empty() {
        true => vec![scenario.protocol.as_str()],
        false => ALL_PROTOCOLS.iter().map(|protocol| protocol.name).filter(|name| *name != "none").collect(),
    }
}

fn try_placements(given: &Scenario, one: &Scenario, scope: Scope, ways: &mut Vec<Way>) {
    let fits: &[(Fit, &str)] = if scope == Scope::Global { &FITS[..1] } else { FITS };
    let mut seen: Vec<Vec<u16>> = Vec::new();
    for (fit, name) in fits {
        let mut one = one.clone();
        let placed = scope != Scope::Global;
        if placed {
            one.scheduler.placement.fit = *fit;
        }
        let way = |margin, proved, reason| Way {
            scheduler: one.scheduler.name.clone(),
            placement: placed.then_some(*name),
            protocol: one.protocol.clone(),
            changes: u32::from(one.scheduler.name != given.scheduler.name)
                + u32::from(placed && *fit != given.scheduler.placement.fit)
                + u32::from(one.protocol != given.protocol),
            margin,
            proved,
            reason,
        };
        match Prepared::new(&one) {
            // It is not for this scheduler: that is no advice.
            Err(PrepareError::Locking(_)) => return,
            Err(error) => ways.push(way(Factor(0), false, error.to_string())),
            Ok(prepared) => {
                let clusters = prepared.tasks.iter().map(|task| task.cluster.0).collect();
                if seen.contains(&clusters) {
                    continue;
                }
                seen.push(clusters);
                let (proved, reason) = judged(&prepared);
                let margin = if proved { critical_scaling(&prepared) } else { Factor(0) };
                ways.push(way(margin, proved, reason));
            }
        }
    }
}

fn judged(prepared: &Prepared) -> (bool, String) {
    let found = match prove(prepared) {
        Ok(found) => found,
        Err(error) => return (false, error.to_string()),
    };
    let Some(analysis) = found.analysis else { return (false, found.reason) };
    let decisive =
        analysis.clusters.iter().find(|cluster| cluster.hard == analysis.hard && !cluster.tasks.is_empty());
    let mut reason = decisive.map_or(String::new(), |cluster| cluster.reason.clone());
    if let (Answer::Unknown, Some(why)) = (analysis.hard, &analysis.not_bounded) {
        reason.clone_from(why);
    }
    (analysis.hard == Answer::Schedulable, reason)
}

/// What alone would help.
fn single_changes(scenario: &Scenario, own: Option<&Prepared>, ways: &[Way]) -> Vec<String> {
    let mut changes: Vec<String> = Vec::new();
    for way in ways.iter().filter(|way| way.proved && way.changes == 1) {
        let change = if way.scheduler != scenario.scheduler.name {
            format!("scheduler {}", way.scheduler)
        } else if way.protocol != scenario.protocol {
            format!("protocol {}", way.protocol)
        } else {
            format!("placement by {} fit", way.placement.unwrap_or_default())
        };
        if !changes.iter().any(|known| known.starts_with(&change)) {
            changes.push(format!("{change} (margin {})", way.margin));
        }
    }
    let most = scenario.platform.processors.saturating_mul(4).max(4);
    let enough = (scenario.platform.processors + 1..=most).find(|processors| {
        let more = scenario.clone().with_processors(*processors);
        more.is_ok_and(|more| Prepared::new(&more).is_ok_and(|prepared| is_proved(&prepared)))
    });
    changes
        .extend(enough.map(|processors| {
            format!("{processors} processors instead of {}", scenario.platform.processors)
        }));
    if let Some(own) = own {
        match critical_scaling(own) {
            Factor(0) => {}
            factor => changes.push(format!("all costs at {factor} of what they are")),
        }
    }
    changes
}
