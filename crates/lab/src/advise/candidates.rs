//! Every scheduler, placement, priority rule and protocol that may be tried for a scenario.

use super::place::Assigned;
use super::schemes::Schemes;
use crate::prepare::catalog::{Catalog, CatalogError};
use crate::prepare::prepared::Prepared;
use crate::prepare::resolve::places::exact_test;
use crate::prepare::scheduler::Ordered;
use schedlab_analysis::blocking::methods::heard;
use schedlab_analysis::blocking::{Case, Locking};
use schedlab_analysis::uniprocessor::{nonpreemptive_edf, nonpreemptive_fp, qpa, response_time};
use schedlab_analysis::Arrivals;
use schedlab_lock::Protocol;
use schedlab_lp_blocking::PROGRAMS;
use schedlab_model::{LockingClass, OrderClass, ThreadClass};
use schedlab_policy::{KernelClass, Make, Needs, Scheduler, Scope, ALL_ORDERS, DM};
use schedlab_scenario::{computed_priorities, Priorities, ResourceSpec, Scenario, TaskSpec};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// A scheduler with its placement, priorities and protocol, by names that files and options know. A field that is None
/// is as in the scenario, or not needed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[allow(missing_docs)]
pub struct CandidateSystem {
    pub scheduler: String,
    pub placement: Option<&'static str>,
    pub priorities: Option<&'static str>,
    pub protocol: String,
    /// Other schemes of objects: one for each object that tasks request.
    #[schemars(with = "Option<BTreeMap<String, String>>")]
    pub schemes: Option<Schemes>,
}

/// Packings that are tried under partitioned and clustered schedulers.
const PACKINGS: &[&str] =
    &["first_fit_decreasing", "worst_fit_decreasing", "best_fit_decreasing", "next_fit_decreasing"];

/// Splits that are tried under preemptive partitioned EDF, besides packings.
const SPLITS: &[&str] = &["C=D", "EDF-WM"];

/// Returns the rules for fixed priorities, without those that are schedulers of their own, such as RM.
fn rules() -> Vec<&'static str> {
    let is_scheduler = |rule: &&str| ALL_ORDERS.iter().any(|order| order.name == *rule);
    computed_priorities().into_iter().filter(|rule| !is_scheduler(rule)).collect()
}

impl CandidateSystem {
    /// Returns the scenario with this candidate's scheduler, placement, priorities, protocol and schemes.
    pub fn apply(&self, scenario: &Scenario, catalog: &Catalog) -> Result<Scenario, CatalogError> {
        let is_own = self.scheduler == scenario.scheduler_name() && self.protocol == scenario.protocol_name();
        let mut made = scenario.clone();
        if !is_own {
            made = made.without_own_protocols();
        }
        // A scheduler that needs priorities is refused without them, so the rule comes first.
        if let Some(rule) = self.priorities {
            made = made.with_priorities(rule)?;
        }
        made = catalog.under(made, &self.scheduler)?;
        if !is_own {
            made = catalog.sharing(made, &self.protocol)?;
        }
        if let Some(schemes) = &self.schemes {
            made = schemes.apply(made);
        }
        match self.placement {
            Some(words) => Ok(made.with_placement(words)?),
            None => Ok(made),
        }
    }

    /// True if the candidate differs from `other` at most in the schemes of objects.
    pub(super) fn is_but_for_schemes(&self, other: &CandidateSystem) -> bool {
        let CandidateSystem { scheduler, placement, priorities, protocol, schemes: _ } = self;
        (scheduler, placement, priorities, protocol)
            == (&other.scheduler, &other.placement, &other.priorities, &other.protocol)
    }

    /// Counts the changes from the scenario's own way.
    pub(super) fn changes(&self, scenario: &Scenario) -> u32 {
        let same_place = self.placement.is_none_or(|words| {
            scenario
                .clone()
                .with_placement(words)
                .is_ok_and(|made| made.scheduler.placement == scenario.scheduler.placement)
        });
        // A new scheduler comes with its own placement and priorities; together these are one change.
        let moved = self.scheduler != scenario.scheduler_name();
        u32::from(moved)
            + u32::from(!same_place && !moved)
            + u32::from(self.priorities.is_some() && !moved)
            + u32::from(self.protocol != scenario.protocol_name())
            + u32::from(self.schemes.is_some())
    }
}

/// Lists all candidates for the scenario, its own way first.
pub(super) fn all(scenario: &Scenario, catalog: &Catalog) -> Vec<CandidateSystem> {
    let own = CandidateSystem {
        scheduler: scenario.scheduler_name().to_owned(),
        protocol: scenario.protocol_name().to_owned(),
        ..CandidateSystem::default()
    };
    let mut all = vec![own];
    for scheduler in catalog.schedulers().filter(|scheduler| is_stated_for(scenario, scheduler)) {
        let arranged = arrangements(scenario, &scheduler, catalog);
        let others = Schemes::of(scenario).others(scheduler.name == scenario.scheduler_name());
        let shared = protocols(scenario, catalog).into_iter().flat_map(|protocol| {
            [None].into_iter().chain(others.iter().cloned().map(Some)).map(move |schemes| (protocol, schemes))
        });
        for (protocol, schemes) in shared {
            // Where nothing can be proved, one arrangement is enough to report it.
            let is_analysed = is_analysed(scenario, &scheduler, catalog, protocol, schemes.as_ref());
            let most = if is_analysed { usize::MAX } else { 1 };
            for &(placement, priorities) in arranged.iter().take(most) {
                let (scheduler, protocol) = (scheduler.name.clone(), protocol.to_owned());
                let schemes = schemes.clone();
                let one = CandidateSystem { scheduler, placement, priorities, protocol, schemes };
                if !all.contains(&one) {
                    all.push(one);
                }
            }
        }
    }
    all
}

/// False if the scheduler needs priority points that some task does not state, or utility that no task states, or if
/// tasks state classes of threads that the scheduler does not know.
fn is_stated_for(scenario: &Scenario, scheduler: &Scheduler) -> bool {
    let has_points = || scenario.tasks.iter().all(|task| task.priority_point.is_some());
    let has_utility = || scenario.tasks.iter().any(|task| task.utility.is_some());
    let has_classes = scenario.tasks.iter().any(|task| task.class != ThreadClass::Fifo);
    // Splits are tried under partitioned EDF, whose analysis knows overheads.
    if scheduler.keeps_pieces() && scenario.scheduler_name() != scheduler.name {
        return false;
    }
    if has_classes && scheduler.kernel_class() != Some(KernelClass::Fifo) {
        return false;
    }
    (scheduler.needs() != Needs::Point || has_points()) && (!scheduler.accrues_utility() || has_utility())
}

/// A placement and a rule for priorities.
type Arrangement = (Option<&'static str>, Option<&'static str>);

/// Lists the placements with priority rules under `scheduler`; the first of several that give the same places and
/// ranks.
fn arrangements(scenario: &Scenario, scheduler: &Scheduler, catalog: &Catalog) -> Vec<Arrangement> {
    let placements = placements(scenario, scheduler);
    let all = placements.into_iter().flat_map(|placement| {
        priorities(scenario, scheduler).into_iter().map(move |priorities| (placement, priorities))
    });
    let mut known = BTreeSet::new();
    let is_new = |&(placement, priorities): &Arrangement| {
        let (scheduler, protocol) = (scheduler.name.clone(), scenario.protocol_name().to_owned());
        let one = CandidateSystem { scheduler, placement, priorities, protocol, schemes: None };
        let prepared = one.apply(scenario, catalog).ok();
        let prepared = prepared.and_then(|made| Prepared::with_any_protocol(&made, catalog).ok());
        // An arrangement that cannot be prepared is kept, so that its judgement reports the reason.
        prepared.is_none_or(|prepared| known.insert(Assigned::of_tasks(&prepared)))
    };
    all.filter(is_new).collect()
}

/// True if some method bounds blocking under this scheduler, or if none is needed.
fn is_analysed(
    scenario: &Scenario,
    scheduler: &Scheduler,
    catalog: &Catalog,
    protocol: &str,
    schemes: Option<&Schemes>,
) -> bool {
    if !matches!(scheduler.make, Make::Clustered { .. }) || !scenario.tasks.iter().any(TaskSpec::has_requests)
    {
        return true;
    }
    let ranked = scenario.clone().with_priorities(DM.name).ok();
    let Some(placed) = ranked.and_then(|one| catalog.under(one, &scheduler.name).ok()) else { return true };
    let Some(ordered) = Ordered::new(scheduler.class(), &[], |_| 1) else { return true };
    let analysed = ordered.scheduler(scheduler.is_preemptive(), Arrivals::Sporadic);
    let Some(own) = catalog.protocol(protocol) else { return false };
    let shared = schemes.map_or_else(|| scenario.clone(), |schemes| schemes.apply(scenario.clone()));
    let Protocol { class, .. } = shared.composed(&own);
    let platform = placed.model_platform();
    let locking =
        Locking { protocol, class, resources: &[], short: &[], attempts: &[], fails: &[], mutexes: &[] };
    let case = Case { tasks: &[], platform: &platform, scheduler: &analysed, locking };
    let has_bound = class == LockingClass::WaitFree || heard(&case, PROGRAMS).next().is_some();
    scheduler.is_preemptive() && has_bound
}

/// Iterates over the resources that tasks request.
fn requested(scenario: &Scenario) -> impl Iterator<Item = &ResourceSpec> {
    let requested = |index: usize| scenario.tasks.iter().any(|task| task.requests(index));
    let all = scenario.resources.iter().enumerate();
    all.filter(move |(index, _)| requested(*index)).map(|(_, resource)| resource)
}

/// True if sections on resources without a kind are operations on objects, because the scenario's protocol retries
/// them.
pub(super) fn attempts(scenario: &Scenario, catalog: &Catalog) -> bool {
    catalog.protocol(scenario.protocol_name()).is_some_and(|own| own.attempts())
}

/// Lists the protocols to try: all if jobs share resources that are no objects, else the scenario's own. Protocols that
/// retry operations are tried only if the scenario's own does, because sections that exclude each other are no
/// operations on objects.
fn protocols<'a>(scenario: &'a Scenario, catalog: &'a Catalog) -> Vec<&'a str> {
    let mut requested = requested(scenario).peekable();
    let objects_alone = requested.peek().is_some() && requested.all(|resource| resource.object.is_some());
    if scenario.resources.is_empty() || objects_alone {
        return vec![scenario.protocol_name()];
    }
    let attempts = attempts(scenario, catalog);
    let tried = catalog.protocols().filter(|one| !one.is_none() && (attempts || !one.attempts()));
    tried.map(|protocol| protocol.name).collect()
}

fn placements(scenario: &Scenario, scheduler: &Scheduler) -> Vec<Option<&'static str>> {
    let own = (scheduler.name == scenario.scheduler_name()).then_some(None);
    if scheduler.scope == Scope::Global {
        return vec![None];
    }
    let shares = !scenario.resources.is_empty();
    let is_edf = matches!(scheduler.class(), OrderClass::Deadline) && scheduler.is_preemptive();
    let splits = (is_edf && !shares && scheduler.scope == Scope::Partitioned).then_some(SPLITS);
    let splits = splits.into_iter().flatten().map(|words| Some(*words));
    own.into_iter().chain(packings(scenario, scheduler).map(Some)).chain(splits).collect()
}

/// Lists the placements to try that do not split tasks.
pub(super) fn packings(scenario: &Scenario, scheduler: &Scheduler) -> impl Iterator<Item = &'static str> {
    let is_partitioned = scheduler.scope == Scope::Partitioned;
    let together = (is_partitioned && !scenario.resources.is_empty()).then_some("together");
    let all = PACKINGS.iter().copied().chain(together).chain(tested(scheduler));
    all.filter(|_| scheduler.scope != Scope::Global).collect::<Vec<_>>().into_iter()
}

static BY_TEST: LazyLock<[String; 4]> = LazyLock::new(|| {
    [&qpa::TEST, &nonpreemptive_edf::DEMAND, &response_time::TEST, &nonpreemptive_fp::TEST]
        .map(|test| format!("{} {}", PACKINGS[0], test.name))
});

/// Returns the placement with the exact test of one processor at each step. The test ignores blocking.
fn tested(scheduler: &Scheduler) -> Option<&'static str> {
    if scheduler.scope != Scope::Partitioned {
        return None;
    }
    let test = exact_test(scheduler)?;
    BY_TEST.iter().find(|words| words.split(' ').next_back() == Some(test.name)).map(String::as_str)
}

/// Lists the rules for priorities to try under `scheduler`; `None` stands for the scenario's own.
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

    /// Each scheme is tried for all objects; under the own scheduler, first for one object alone. The protocol governs
    /// nothing.
    #[test]
    fn schemes_of_objects_are_tried() {
        let object = |name: &str, scheme: &str| {
            format!("[[resource]]\nname = \"{name}\"\nkind = \"queue\"\nscheme = \"{scheme}\"\n")
        };
        let text = format!(
            "schedlab = 1\nscheduler = \"P-EDF\"\nplatform = {{ processors = 2 }}\n{}{}[[task]]\nname = \"t\"\nperiod = \
             \"10 ms\"\nprogram = [\"request q\", \"execute 1 ms\", \"release q\", \"request r\", \"execute 1 ms\", \
             \"release r\"]\n",
            object("q", "locked"),
            object("r", "wait-free")
        );
        let scenario = Scenario::parse("test", &text).expect("the scenario is well-formed");
        let tried = all(&scenario, &Catalog::shipped());
        assert!(tried.iter().all(|one| one.protocol == "none"));
        let under = |scheduler: &str| -> Vec<String> {
            let of = tried.iter().filter(|one| one.scheduler == scheduler && one.placement.is_none());
            of.filter_map(|one| one.schemes.as_ref().map(Schemes::to_string)).collect()
        };
        let each = ["q lock-free; r wait-free", "q, r wait-free", "q, r locked", "q locked; r lock-free"];
        let mut both = each.to_vec();
        both.push("q, r lock-free");
        assert_eq!(under("P-EDF"), both);
        assert_eq!(under("G-EDF"), ["q, r locked", "q, r lock-free", "q, r wait-free"]);
    }

    /// Three tasks of one period on two processors: rules by periods and costs give the order in which ties are broken,
    /// or its reverse, and packings give few placements.
    #[test]
    fn what_comes_to_the_same_is_one_candidate() {
        let task = |n: u32| {
            format!("[[task]]\nname = \"t{n}\"\nperiod = \"10 ms\"\npriority = {n}\nwcet = \"3 ms\"\n")
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
