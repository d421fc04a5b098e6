//! Every scheduler, placement, priority rule and protocol that may be tried for a scenario.

use super::place::Place;
use crate::prepare::catalog::{Catalog, CatalogError};
use crate::prepare::prepared::Prepared;
use crate::prepare::scheduler::Ordered;
use schedlab_analysis::blocking::methods::heard;
use schedlab_analysis::blocking::{Case, Locking};
use schedlab_analysis::Arrivals;
use schedlab_lock::{Protocol, NONE};
use schedlab_lp_blocking::PROGRAMS;
use schedlab_model::{LockingClass, OrderClass, Step};
use schedlab_policy::{find, Make, Needs, Scheduler, Scope};
use schedlab_scenario::{priority_rules, Priorities, Scenario, TaskSpec};
use std::collections::BTreeSet;

/// A scheduler and what goes with it, by names that files and options know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The scheduler's name.
    pub scheduler: String,
    /// Words that say where tasks go; `None`: as the scenario says, or nothing is to be said.
    pub placement: Option<&'static str>,
    /// The rule that fixed priorities follow; `None`: as the scenario says, or nothing is to be said.
    pub priorities: Option<&'static str>,
    /// The locking protocol's name.
    pub protocol: String,
}

/// Packings that are tried under partitioned and clustered schedulers.
const PACKINGS: &[&str] =
    &["first_fit_decreasing", "worst_fit_decreasing", "best_fit_decreasing", "next_fit_decreasing"];

/// What else is tried under preemptive partitioned EDF.
const SPLITS: &[&str] = &["C=D", "EDF-WM"];

/// Rules for fixed priorities, but for those that are schedulers of their own, such as RM, and what the tasks say.
fn rules() -> Vec<&'static str> {
    let tasks_say = |rule: &&str| *rule == "given";
    let is_scheduler = |rule: &&str| find(&format!("P-{rule}")).is_ok();
    priority_rules().into_iter().filter(|rule| !tasks_say(rule) && !is_scheduler(rule)).collect()
}

impl Candidate {
    /// The scenario as this candidate would have it.
    pub fn apply(&self, scenario: &Scenario, catalog: &Catalog) -> Result<Scenario, CatalogError> {
        let refused = |errors| CatalogError::Refused { errors, added: Vec::new() };
        let mut made = scenario.clone();
        // First of all: what needs priorities asks whether they are there.
        if let Some(rule) = self.priorities {
            made = made.with_priorities(rule).map_err(refused)?;
        }
        made = catalog.under(made, &self.scheduler)?;
        made = catalog.sharing(made, &self.protocol)?;
        match self.placement {
            Some(words) => made.with_placement(words).map_err(refused),
            None => Ok(made),
        }
    }

    /// How much of it differs from what the scenario says.
    pub(super) fn changes(&self, scenario: &Scenario) -> u32 {
        let same_place = self.placement.is_none_or(|words| {
            scenario
                .clone()
                .with_placement(words)
                .is_ok_and(|made| made.scheduler.placement == scenario.scheduler.placement)
        });
        // Where the scheduler changes, so may what says how it places and ranks: that is one change.
        let moved = self.scheduler != scenario.scheduler_name();
        u32::from(moved)
            + u32::from(!same_place && !moved)
            + u32::from(self.priorities.is_some() && !moved)
            + u32::from(self.protocol != scenario.protocol_name())
    }
}

/// Everything that may be tried, the scenario's own way first.
pub(super) fn all(scenario: &Scenario, catalog: &Catalog) -> Vec<Candidate> {
    let own = Candidate {
        scheduler: scenario.scheduler_name().to_owned(),
        placement: None,
        priorities: None,
        protocol: scenario.protocol_name().to_owned(),
    };
    let mut all = vec![own];
    for scheduler in catalog.schedulers().filter(|scheduler| is_stated_for(scenario, scheduler)) {
        let arranged = arrangements(scenario, &scheduler, catalog);
        let analysed = analysed_protocols(scenario, &scheduler, catalog);
        for protocol in protocols(scenario, catalog) {
            // Where nothing can be proved, once is enough to say so.
            let most = if analysed.contains(&protocol) { usize::MAX } else { 1 };
            for &(placement, priorities) in arranged.iter().take(most) {
                let scheduler = scheduler.name.clone();
                let one = Candidate { scheduler, placement, priorities, protocol: protocol.to_owned() };
                if !all.contains(&one) {
                    all.push(one);
                }
            }
        }
    }
    all
}

/// False if jobs are ordered by points that some task does not state, or by utility and no task states any.
fn is_stated_for(scenario: &Scenario, scheduler: &Scheduler) -> bool {
    let has_points = || scenario.tasks.iter().all(|task| task.priority_point.is_some());
    let has_utility = || scenario.tasks.iter().any(|task| task.utility.is_some());
    (scheduler.needs() != Needs::Point || has_points()) && (!scheduler.accrues_utility() || has_utility())
}

/// A placement and a rule for priorities.
type Arrangement = (Option<&'static str>, Option<&'static str>);

/// How tasks may be placed and ranked under `scheduler`: of several that come to the same, the first.
fn arrangements(scenario: &Scenario, scheduler: &Scheduler, catalog: &Catalog) -> Vec<Arrangement> {
    let placements = placements(scenario, scheduler);
    let all = placements.into_iter().flat_map(|placement| {
        priorities(scenario, scheduler).into_iter().map(move |priorities| (placement, priorities))
    });
    let mut known = BTreeSet::new();
    let is_new = |&(placement, priorities): &Arrangement| {
        let (scheduler, protocol) = (scheduler.name.clone(), scenario.protocol_name().to_owned());
        let one = Candidate { scheduler, placement, priorities, protocol };
        let prepared = one.apply(scenario, catalog).ok();
        let prepared = prepared.and_then(|made| Prepared::for_analysis(&made, catalog).ok());
        // What cannot be arranged says why when it is judged.
        prepared.is_none_or(|prepared| known.insert(Place::of_tasks(&prepared)))
    };
    all.filter(is_new).collect()
}

/// The protocols with a bound on blocking under this scheduler; all that may be tried if no bound is needed.
fn analysed_protocols<'a>(
    scenario: &'a Scenario,
    scheduler: &Scheduler,
    catalog: &'a Catalog,
) -> Vec<&'a str> {
    let all = protocols(scenario, catalog);
    let requests = |task: &TaskSpec| task.program.iter().any(|step| matches!(step, Step::Request(..)));
    if !matches!(scheduler.make, Make::Clustered { .. }) || !scenario.tasks.iter().any(requests) {
        return all;
    }
    let ranked = scenario.clone().with_priorities("DM").ok();
    let Some(placed) = ranked.and_then(|one| catalog.under(one, &scheduler.name).ok()) else { return all };
    let Some(ordered) = Ordered::new(scheduler.class, &[], |_| 1) else { return all };
    let analysed = ordered.scheduler(scheduler.is_preemptive(), Arrivals::Sporadic);
    let platform = placed.model_platform();
    let has_bound = |protocol: &&str| {
        let Some(Protocol { class, .. }) = catalog.protocol(protocol) else { return false };
        if class == LockingClass::WaitFree {
            return true;
        }
        let locking = Locking { protocol, class, resources: &[], short: &[] };
        let case = Case { tasks: &[], platform: &platform, scheduler: &analysed, locking };
        let first = heard(&case, PROGRAMS).next();
        first.is_some()
    };
    all.into_iter().filter(|protocol| scheduler.is_preemptive() && has_bound(protocol)).collect()
}

/// All where jobs share resources, otherwise what the scenario says. Sections that exclude each other are no operations on
/// objects: those are tried where the scenario has such operations.
fn protocols<'a>(scenario: &'a Scenario, catalog: &'a Catalog) -> Vec<&'a str> {
    if scenario.resources.is_empty() {
        return vec![scenario.protocol_name()];
    }
    let attempts = catalog.protocol(scenario.protocol_name()).is_some_and(|own| own.attempts());
    let tried = catalog.protocols().filter(|one| one.name != NONE && (attempts || !one.attempts()));
    tried.map(|protocol| protocol.name).collect()
}

fn placements(scenario: &Scenario, scheduler: &Scheduler) -> Vec<Option<&'static str>> {
    let own = (scheduler.name == scenario.scheduler_name()).then_some(None);
    if scheduler.scope == Scope::Global {
        return vec![None];
    }
    let packings = PACKINGS.iter().map(|words| Some(*words));
    let shares = !scenario.resources.is_empty();
    let together = (shares && scheduler.scope == Scope::Partitioned).then_some(Some("together"));
    let is_edf = matches!(scheduler.class, OrderClass::Deadline) && scheduler.is_preemptive();
    let splits = (is_edf && !shares && scheduler.scope == Scope::Partitioned).then_some(SPLITS);
    let splits = splits.into_iter().flatten().map(|words| Some(*words));
    let tested = tested(scheduler).map(Some);
    own.into_iter().chain(packings).chain(together).chain(splits).chain(tested).collect()
}

/// Placement with the exact test of one processor at each step, which knows nothing of blocking.
fn tested(scheduler: &Scheduler) -> Option<&'static str> {
    if scheduler.scope != Scope::Partitioned {
        return None;
    }
    match (scheduler.class, scheduler.is_preemptive()) {
        (OrderClass::Deadline, true) => Some("first_fit_decreasing qpa"),
        (OrderClass::Deadline, false) => Some("first_fit_decreasing np_edf_demand"),
        (OrderClass::Fixed(_), true) => Some("first_fit_decreasing response_time"),
        (OrderClass::Fixed(_), false) => Some("first_fit_decreasing np_response_time"),
        (OrderClass::AfterArrival(_) | OrderClass::Pfair { .. } | OrderClass::Unanalysed, _) => None,
    }
}

/// What may say how urgent tasks are under `scheduler`.
fn priorities(scenario: &Scenario, scheduler: &Scheduler) -> Vec<Option<&'static str>> {
    if scheduler.needs() != Needs::Priority {
        return vec![None];
    }
    let is_given = scenario.tasks.iter().all(|task| task.priority.is_some());
    let says = is_given || scenario.scheduler.priorities != Priorities::Given;
    says.then_some(None).into_iter().chain(rules().into_iter().map(Some)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_that_exclude_each_other_are_no_operations_on_objects() {
        let tried = |protocol: &str| -> Vec<String> {
            let text = format!(
                "schedlab = 1\nscheduler = \"P-EDF\"\nprotocol = \"{protocol}\"\nplatform = {{ processors = 2 }}\n\
                 resource = [{{ name = \"r\" }}]\ntask = [{{ name = \"t\", period = \"10 ms\", program = \
                 [\"request r\", \"execute 1 ms\", \"release r\"] }}]\n"
            );
            let scenario = Scenario::parse("test", &text).expect("the scenario is well-formed");
            all(&scenario, &Catalog::shipped()).into_iter().map(|one| one.protocol).collect()
        };
        let has = |tried: &[String], name: &str| tried.iter().any(|one| one == name);
        for (own, objects) in [("msrp", false), ("lock-free", true), ("wait-free", true)] {
            let tried = tried(own);
            assert!(has(&tried, "msrp") && has(&tried, "mpcp"), "{own}");
            assert_eq!((has(&tried, "lock-free"), has(&tried, "wait-free")), (objects, objects), "{own}");
        }
    }

    /// Three tasks of one period on two processors: rules that look at periods and costs come to the order in which ties are broken, or the
    /// reverse, packings to few placements.
    #[test]
    fn what_comes_to_the_same_is_one_candidate() {
        let task = |at: u32| {
            format!("[[task]]\nname = \"t{at}\"\nperiod = \"10 ms\"\npriority = {at}\nwcet = \"3 ms\"\n")
        };
        let head = "schedlab = 1\nscheduler = \"P-FP\"\nplatform = { processors = 2 }\n";
        let text = format!("{head}{}{}{}", task(0), task(1), task(2));
        let scenario = Scenario::parse("test", &text).expect("the scenario is well-formed");
        let under = |name: &str| {
            all(&scenario, &Catalog::shipped()).into_iter().filter(|one| one.scheduler == name).count()
        };
        let packings = PACKINGS.len() * (rules().len() + 1);
        assert!((2..packings / 2).contains(&under("P-FP")), "{}", under("P-FP"));
        assert_eq!(under("P-GEL"), 0);
    }
}
