//! Single changes that would make the scenario's own way meet its deadlines.

use super::way::Way;
use crate::advise::reach::least_accepted;
use crate::advise::sensitivity::{below_refused, bisect, critical_scaling, is_proved, scaled, Factor};
use crate::prepare::catalog::Catalog;
use crate::prepare::prepared::Prepared;
use schedlab_model::{Duration, Work};
use schedlab_scenario::{CostModel, Scenario};
use schemars::JsonSchema;
use serde::Serialize;

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Another scheduler.
    Scheduler,
    /// Another placement under the same scheduler.
    Placement,
    /// Other fixed priorities under the same scheduler.
    Priorities,
    /// Another locking protocol.
    Protocol,
    /// Another scheme of objects.
    Scheme,
    /// More processors.
    Processors,
    /// Smaller costs of all tasks.
    Costs,
    /// A smaller cost of one task.
    Cost,
    /// A machine that takes nothing for itself.
    Overheads,
}

/// A change that alone would help, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SingleChange")]
#[allow(missing_docs)]
pub struct Change {
    #[schemars(with = "String")]
    pub kind: Kind,
    pub what: String,
    /// Margin after the change, in percent of all costs; None if none was computed.
    #[serde(rename = "margin_percent")]
    pub margin: Option<Factor>,
}

/// A question whether one kind of change helps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// Finds the number of processors that suffices.
    Processors,
    /// Finds the factor to which all costs have to shrink.
    Costs,
    /// Finds the cost to which this task has to shrink.
    Cost(usize),
    /// Finds whether the tasks are proved without overheads.
    Overheads,
}

/// Parts of a cost, of which a probe finds the last one that is proved; within it, the probe searches by nanoseconds.
const PARTS: u32 = 1_000;

impl Probe {
    /// Lists the probes that may help `scenario`.
    pub(super) fn all(scenario: &Scenario) -> Vec<Probe> {
        let charged = (!scenario.charged().overheads.are_none()).then_some(Probe::Overheads);
        let costs = (0..scenario.tasks.len()).map(Probe::Cost);
        [Probe::Processors, Probe::Costs].into_iter().chain(charged).chain(costs).collect()
    }

    pub(super) fn look(self, scenario: &Scenario, catalog: &Catalog) -> Option<Change> {
        match self {
            Probe::Processors => processors(scenario, catalog),
            Probe::Costs => match critical_scaling(&Prepared::of(scenario, catalog).ok()?) {
                Factor(0) => None,
                Factor(factor) => Some(Change {
                    kind: Kind::Costs,
                    what: format!("all costs {} smaller", Factor(Factor::ONE.0.saturating_sub(factor))),
                    margin: None,
                }),
            },
            Probe::Cost(index) => cost(scenario, catalog, index),
            Probe::Overheads => {
                let margin = margin(&scenario.clone().without_overheads().ok()?, catalog)?;
                let what = "a machine without overheads".to_owned();
                Some(Change { kind: Kind::Overheads, what, margin: Some(margin) })
            }
        }
    }
}

/// Returns the margin of a scenario if it is proved.
fn margin(scenario: &Scenario, catalog: &Catalog) -> Option<Factor> {
    let prepared = Prepared::of(scenario, catalog).ok()?;
    is_proved(&prepared).then(|| critical_scaling(&prepared))
}

fn processors(scenario: &Scenario, catalog: &Catalog) -> Option<Change> {
    let given = scenario.platform.processors;
    let most = given.saturating_mul(4).max(4);
    let processors = least_accepted(scenario, catalog, given + 1..=most, &is_proved)?;
    let margin = margin(&scenario.clone().with_processors(processors).ok()?, catalog)?;
    let what = format!("{processors} processors instead of {given}");
    Some(Change { kind: Kind::Processors, what, margin: Some(margin) })
}

/// Finds the largest cost of task `index` such that the set is proved with it, and with smaller ones.
fn cost(scenario: &Scenario, catalog: &Catalog, index: usize) -> Option<Change> {
    let whole = scenario.model_tasks()[index].wcet.as_ns();
    let is_enough = |cost: u64| {
        with_cost(scenario, index, cost)
            .and_then(|changed| Prepared::of(&changed, catalog).ok())
            .is_some_and(|prepared| is_proved(&prepared))
    };
    let cost_of = |parts: u32| (u128::from(whole) * u128::from(parts)).div_ceil(PARTS.into()) as u64;
    let suffices = |parts: u32| is_enough(cost_of(parts));
    // Even next to no cost would not help.
    if !suffices(1) {
        return None;
    }
    let found = bisect(1, PARTS, suffices);
    let proved = Prepared::of(&with_cost(scenario, index, cost_of(found))?, catalog).ok()?;
    let parts = below_refused(&proved, 0, found, suffices);
    let (least, step) = (cost_of(parts), cost_of(parts + 1) - cost_of(parts));
    let more = bisect(0, u32::try_from(step).unwrap_or(u32::MAX), |more| is_enough(least + u64::from(more)));
    let task = &scenario.tasks[index];
    let cost = with_cost(scenario, index, least + u64::from(more))?.tasks[index].wcet;
    let of = |work: Work| Duration::from_ns(work.as_ns());
    let what = format!("{} costs at most {} instead of {}", task.name, of(cost), of(task.wcet));
    Some(Change { kind: Kind::Cost, what, margin: None })
}

/// Returns the scenario with a task's cost at `cost` ns, and its sections in proportion.
fn with_cost(scenario: &Scenario, index: usize, cost: u64) -> Option<Scenario> {
    let model = &scenario.model_tasks()[index];
    let smaller = scaled(model, cost.into(), model.wcet.as_ns().max(1).into())?;
    let mut changed = scenario.clone();
    let task = &mut changed.tasks[index];
    (task.wcet, task.program, task.cost) = (smaller.wcet, smaller.program, CostModel::Wcet);
    Some(changed)
}

/// Lists the proved ways that differ from the scenario's in one thing alone. A scheduler that does not heed what the
/// scenario states, such as places of tasks, would be two changes.
pub(super) fn of_ways(scenario: &Scenario, ways: &[Way]) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    let mut known: Vec<(Kind, String)> = Vec::new();
    let own = ways.iter().find(|way| way.changes == 0).map_or(0, |own| own.unheeded.len());
    let is_heeding = |way: &Way| way.unheeded.len() <= own;
    for way in ways.iter().filter(|way| way.proved && way.changes == 1 && is_heeding(way)) {
        let one = &way.candidate;
        let (kind, word, name) = if one.scheduler != scenario.scheduler_name() {
            (Kind::Scheduler, "scheduler", one.scheduler.clone())
        } else if one.protocol != scenario.protocol_name() {
            (Kind::Protocol, "protocol", one.protocol.clone())
        } else if let Some(schemes) = &one.schemes {
            (Kind::Scheme, "objects:", schemes.changes(scenario).to_string())
        } else if let Some(rule) = one.priorities {
            (Kind::Priorities, "priorities by", rule.to_owned())
        } else {
            (Kind::Placement, "placement", one.placement.unwrap_or_default().to_owned())
        };
        // Of each other scheduler, only the best placement and priorities are listed.
        let mut what = format!("{word} {name}");
        if known.contains(&(kind, name.clone())) {
            continue;
        }
        known.push((kind, name));
        if kind == Kind::Scheduler {
            let extra = [("priorities by ", one.priorities), ("placement ", one.placement)];
            extra.iter().filter_map(|(kind, name)| name.map(|name| (kind, name))).for_each(|(kind, name)| {
                what += &format!(", {kind}{name}");
            });
        }
        changes.push(Change { kind, what, margin: Some(way.margin) });
    }
    changes.sort_by_key(|change| change.kind);
    changes
}
