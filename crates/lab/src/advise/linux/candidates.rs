//! The ways of stock Linux that are tried for a scenario, each as a scenario of its own.

use super::arranged::{as_by_default, partitioned, without_protocols};
use super::settings::has_place;
use crate::advise::candidates::packings;
use crate::prepare::catalog::Catalog;
use schedlab_lock::{OnLinux, NONE};
use schedlab_model::{MutexProtocol, ThreadClass};
use schedlab_policy::{class_name, KernelClass, Scheduler, Scope, DM, FP};
use schedlab_scenario::{computed_priorities, mutex_of, Priorities, Scenario, TaskSpec, UrgentPriority};
use std::collections::BTreeSet;

/// Largest number of shared mutexes of which all combinations of protocols are tried.
pub(super) const MOST_MUTEXES: usize = 3;

/// Packings that keep threads which share on one processor, besides that by worst fit.
const TOGETHER: &[&str] = &["together first_fit_decreasing", "together best_fit_decreasing"];

/// A way to run the scenario's threads on Linux.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// The scheduler that stands for the way in scenarios.
    pub(super) scheduler: String,
    /// True if the way leaves all as the scenario states it.
    pub(super) is_own: bool,
    /// True if the threads' stated places are given up.
    pub(super) is_moved: bool,
    /// Rule of the places; `None` if they are the scenario's own, or if no thread is bound.
    pub(super) placement: Option<&'static str>,
    /// Rule of the priorities; `None` if the given ones are kept, or under `SCHED_DEADLINE`.
    pub(super) priorities: Option<&'static str>,
    /// The scenario that the way makes of the given one, or the reason why there is none.
    pub(super) made: Result<Scenario, String>,
}

/// Lists the ways, the scenario's own first if Linux has it.
pub(super) fn all(scenario: &Scenario, catalog: &Catalog) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = own(scenario, catalog).into_iter().collect();
    all.extend(bound(scenario, catalog, false));
    if scenario.tasks.iter().any(has_place) {
        let mut free = scenario.clone();
        for task in &mut free.tasks {
            (task.processor, task.cluster) = (None, None);
            task.affinity.clear();
        }
        all.extend(bound(&free, catalog, true));
    }
    all.extend(everywhere(scenario, catalog));
    let mut known = BTreeSet::new();
    all.retain(|one| one.made.as_ref().map_or(true, |made| known.insert(identity(made))));
    all
}

/// Name of the scheduler, place and order of each thread, and protocol of each resource.
type Identity = (String, Vec<(Option<u16>, usize)>, Vec<Option<&'static str>>);

/// Returns what tells a way from others: its class, the order of the threads of each processor, and the mutexes.
fn identity(made: &Scenario) -> Identity {
    let ahead = |task: &TaskSpec| {
        let others = made.tasks.iter().filter(|other| other.processor == task.processor);
        let numbers: BTreeSet<_> = others.map(|other| other.priority).collect();
        match made.scheduler.urgent_priority {
            UrgentPriority::Largest => numbers.range(task.priority..).count(),
            UrgentPriority::Smallest => numbers.range(..=task.priority).count(),
        }
    };
    let places = made.tasks.iter().map(|task| (task.processor, ahead(task))).collect();
    let mutexes = made.resources.iter().map(|spec| spec.protocol.map(MutexProtocol::name)).collect();
    (made.scheduler_name().to_owned(), places, mutexes)
}

/// Returns the scenario's own way, if Linux has it: under a class of Linux, or as fixed priorities of bound threads.
fn own(scenario: &Scenario, catalog: &Catalog) -> Option<Candidate> {
    let scheduler = scenario.known_scheduler()?;
    let kinds = own_mutexes(scenario, catalog)?;
    let candidate = |scheduler, made| Candidate {
        scheduler,
        is_own: true,
        is_moved: false,
        placement: None,
        priorities: None,
        made,
    };
    if let Some(class) = scheduler.kernel_class() {
        let stated = class == KernelClass::Fifo && scenario.tasks.iter().all(|task| task.priority.is_some());
        let rule = (!stated).then_some(schedlab_policy::RM.name);
        let priorities = rule.filter(|_| class == KernelClass::Fifo);
        return Some(Candidate {
            priorities,
            ..candidate(scheduler.name, Ok(as_by_default(scenario.clone())))
        });
    }
    let of_rule = |rule| Scheduler::of_order(rule, true, Scope::Partitioned).name == scheduler.name;
    let rule = match scenario.scheduler.priorities {
        Priorities::Given if of_rule(FP) => None,
        Priorities::ByRule(name) if of_rule(FP) => Some(name),
        Priorities::Given | Priorities::ByRule(_) | Priorities::Audsley => {
            Some([DM, schedlab_policy::RM].into_iter().find(|rule| of_rule(*rule))?.name)
        }
    };
    let made = partitioned(scenario, catalog, None, rule).map(|made| with_mutexes(made, &kinds));
    let name = class_name(KernelClass::Fifo, Scope::Partitioned);
    Some(Candidate { priorities: rule, ..candidate(name, made) })
}

/// Returns the protocol of each resource as the scenario states it; `None` if its protocol is none of Linux's mutexes.
fn own_mutexes(scenario: &Scenario, catalog: &Catalog) -> Option<Vec<MutexProtocol>> {
    let given = catalog.protocol(scenario.protocol_name())?;
    let usual = match scenario.tasks.iter().any(TaskSpec::has_requests) {
        true => mutex_of(&given)?,
        false => MutexProtocol::None,
    };
    Some(scenario.resources.iter().map(|spec| spec.protocol.unwrap_or(usual)).collect())
}

/// Lists the ways in which each thread is bound to one processor.
fn bound(scenario: &Scenario, catalog: &Catalog, is_moved: bool) -> Vec<Candidate> {
    let fixed = Scheduler::of_order(FP, true, Scope::Partitioned);
    let is_placed = scenario.tasks.iter().any(has_place);
    let own = is_placed.then_some(None);
    let shares = scenario.tasks.iter().any(TaskSpec::has_requests);
    // Tests at each step speak of tasks that share nothing.
    let asks_tests = |words: &&str| {
        scenario.clone().with_placement(words).is_ok_and(|made| made.scheduler.placement.test.is_some())
    };
    let packings = packings(scenario, &fixed).filter(|words| !shares || !asks_tests(words));
    let together = TOGETHER.iter().copied().filter(|_| shares);
    let places = own.into_iter().chain(packings.chain(together).map(Some));
    let is_given = scenario.tasks.iter().all(|task| task.priority.is_some());
    let own_order = is_given.then_some(None).into_iter();
    let rules: Vec<Option<&'static str>> =
        own_order.chain(computed_priorities().into_iter().map(Some)).collect();
    let protocols = protocols(scenario);
    let (mut found, mut known) = (Vec::new(), BTreeSet::new());
    for placement in places {
        for &rule in &rules {
            let made = partitioned(scenario, catalog, placement, rule);
            if made.as_ref().is_ok_and(|made| !known.insert(identity(made))) {
                continue;
            }
            let most = if made.is_ok() { usize::MAX } else { 1 };
            found.extend(protocols.iter().take(most).map(|kinds| Candidate {
                scheduler: class_name(KernelClass::Fifo, Scope::Partitioned),
                is_own: false,
                is_moved,
                placement,
                priorities: rule,
                made: made.clone().map(|made| with_mutexes(made, kinds)),
            }));
        }
    }
    found
}

/// Lists the ways in which every thread may use all processors. No test knows them on several processors, so that one
/// order is enough to say so.
fn everywhere(scenario: &Scenario, catalog: &Catalog) -> Vec<Candidate> {
    let mut found = Vec::new();
    let candidate = |class, priorities, made| {
        let (is_own, is_moved, placement) = (false, false, None);
        let scheduler = class_name(class, Scope::Global);
        Candidate { scheduler, is_own, is_moved, placement, priorities, made }
    };
    if scenario.platform.processors > 1 {
        let is_given = scenario.tasks.iter().all(|task| task.priority.is_some());
        let rule = (!is_given).then_some(schedlab_policy::RM.name);
        found.push(candidate(KernelClass::Fifo, rule, global_fifo(scenario, catalog)));
    }
    // Where threads state classes, these are kept.
    if scenario.tasks.iter().any(|task| task.class != ThreadClass::Fifo) {
        return found;
    }
    let shares = scenario.tasks.iter().any(TaskSpec::has_requests);
    let inherits = catalog.protocols().find(|known| known.on_linux == OnLinux::Inherit);
    let protocol = inherits.filter(|_| shares).map_or(NONE, |known| known.name);
    let name = class_name(KernelClass::Deadline, Scope::Global);
    let made = without_protocols(scenario, catalog)
        .and_then(|made| catalog.under(made, &name))
        .and_then(|made| catalog.sharing(made, protocol));
    found.push(candidate(KernelClass::Deadline, None, made.map_err(|error| error.to_string())));
    found
}

/// Returns the scenario with all threads on all processors under `SCHED_FIFO`, by given priorities or by periods, and
/// with mutexes that inherit.
fn global_fifo(scenario: &Scenario, catalog: &Catalog) -> Result<Scenario, String> {
    let name = class_name(KernelClass::Fifo, Scope::Global);
    let made = without_protocols(scenario, catalog).and_then(|made| catalog.under(made, &name));
    let made = made.map_err(|error| error.to_string())?;
    let kinds = vec![MutexProtocol::Inherit; made.resources.len()];
    Ok(as_by_default(with_mutexes(made, &kinds)))
}

/// Returns the scenario with the protocols of `kinds`, by resource. Resources that are no mutexes, or that no thread
/// uses, state none.
fn with_mutexes(mut made: Scenario, kinds: &[MutexProtocol]) -> Scenario {
    let is_used = |made: &Scenario, index: usize| made.tasks.iter().any(|task| task.requests(index));
    for (index, kind) in kinds.iter().enumerate() {
        let is_mutex = made.resources[index].object.is_none() && is_used(&made, index);
        made.resources[index].protocol = is_mutex.then_some(*kind);
    }
    made
}

/// Lists the protocols to try, by resource: all combinations for few shared mutexes, else the same for all, and each
/// alone with another one. A mutex of one thread alone has no protocol, for no other thread waits for it.
fn protocols(scenario: &Scenario) -> Vec<Vec<MutexProtocol>> {
    let users = |index: usize| scenario.tasks.iter().filter(|task| task.requests(index)).count();
    let shared: Vec<usize> = (0..scenario.resources.len()).filter(|index| users(*index) > 1).collect();
    let all_of = |kind| {
        let mut kinds = vec![MutexProtocol::None; scenario.resources.len()];
        shared.iter().for_each(|index| kinds[*index] = kind);
        kinds
    };
    let mut found: Vec<Vec<MutexProtocol>> = Vec::new();
    let mut add = |kinds: Vec<MutexProtocol>| {
        if !found.contains(&kinds) {
            found.push(kinds);
        }
    };
    // With one protocol for all, the table is easiest to type in.
    MutexProtocol::ALL.into_iter().for_each(|kind| add(all_of(kind)));
    if shared.len() <= MOST_MUTEXES {
        let mut combined = vec![all_of(MutexProtocol::None)];
        for index in &shared {
            let with = |kinds: &Vec<MutexProtocol>, kind| {
                let mut kinds = kinds.clone();
                kinds[*index] = kind;
                kinds
            };
            combined = combined
                .iter()
                .flat_map(|kinds| MutexProtocol::ALL.into_iter().map(move |kind| with(kinds, kind)))
                .collect();
        }
        combined.into_iter().for_each(&mut add);
    } else {
        for kind in MutexProtocol::ALL {
            for (index, other) in
                shared.iter().flat_map(|index| MutexProtocol::ALL.map(|other| (*index, other)))
            {
                let mut kinds = all_of(kind);
                kinds[index] = other;
                add(kinds);
            }
        }
    }
    found
}
