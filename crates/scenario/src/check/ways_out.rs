//! Faults of a scenario with its locking protocol, with hints for a way out.
//!
//! Other protocols and schedulers are tried before a hint names them, so that a scenario that follows the hint is not
//! refused again.

use crate::check::joining;
use crate::error::Problem;
use crate::fault::{Fault, Part};
use crate::placement::place;
use crate::scenario::Scenario;
use schedlab_lock::{BrokenRule, LockError, ALL_PROTOCOLS, NONE};
use schedlab_model::{OrderClass, ResourceId, TaskId};
use schedlab_policy::{all_schedulers, Order, Scheduler, Scope, EDF, RM};
use std::fmt::Write;

/// Schedulers to try, one of each kind that protocols distinguish: these orders, and the first Pfair scheduler.
const KINDS: [(Scope, Order); 4] =
    [(Scope::Partitioned, EDF), (Scope::Partitioned, RM), (Scope::Global, EDF), (Scope::Global, RM)];

/// Most protocols that a hint names.
const NAMED: usize = 3;

impl Scenario {
    /// Returns the broken rule as a fault, at the program, resource or protocol that breaks it.
    pub(crate) fn fault(&self, error: &LockError, scheduler: &Scheduler) -> Fault {
        let task = |id: TaskId| format!("task \"{}\"", self.task_name(id));
        let resource = |id: ResourceId| match self.resources.get(id.index()) {
            Some(spec) => format!("\"{}\"", spec.name),
            None => id.to_string(),
        };
        let (part, field) = match (error.place, error.resource()) {
            (Some((task, step)), _) => (Part::Step(task.index(), step), "program"),
            (None, Some(resource)) => {
                let units = matches!(error.rule, BrokenRule::SeveralUnits { .. });
                (Part::Resource(resource.index()), if units { "units" } else { "name" })
            }
            (None, None) => (Part::File, "protocol"),
        };
        let mut sentence = error.with_names(&task, &resource);
        if part == Part::File {
            let _ = write!(sentence, ", not {}", scheduler.name);
        }
        let problem = Problem::rule(sentence, self.ways_out(error));
        Fault { part, field, problem }
    }

    /// Returns what would be allowed instead of what `error` refuses.
    fn ways_out(&self, error: &LockError) -> String {
        let mut ways: Vec<String> = error.allowed().map(str::to_owned).into_iter().collect();
        if error.is_of_scheduler() {
            ways.extend(self.another_scheduler().map(|name| format!("a scheduler such as {name}")));
        }
        let others = if error.is_of_protocol() { self.other_protocols() } else { Vec::new() };
        if !others.is_empty() {
            ways.push(format!("a protocol such as {}", others.join(", ")));
        }
        ways.join(", or ")
    }

    /// Returns the first scheduler that takes the scenario with its protocol.
    fn another_scheduler(&self) -> Option<String> {
        let mut scenario = self.clone();
        let ordered = KINDS.into_iter().map(|(scope, order)| Scheduler::of_order(order, true, scope));
        let is_pfair = |known: &Scheduler| matches!(known.class(), OrderClass::Pfair { .. });
        let mut known = ordered.chain(all_schedulers().into_iter().find(is_pfair)).map(|known| known.name);
        known.find(|name| {
            scenario.scheduler.name.clone_from(name);
            scenario.is_taken()
        })
    }

    /// Returns the first protocols that take the scenario under its scheduler. Using no protocol is the last resort,
    /// and always possible except under a scheduler that follows holders.
    fn other_protocols(&self) -> Vec<&'static str> {
        let mut scenario = self.clone();
        let others = ALL_PROTOCOLS.iter().filter(|protocol| !protocol.is_none());
        let mut taking = others.map(|protocol| protocol.name).filter(|name| {
            scenario.protocol = (*name).to_owned();
            scenario.is_taken()
        });
        let mut named: Vec<&str> = taking.by_ref().take(NAMED).collect();
        let follows_holders = self.known_scheduler().is_some_and(|scheduler| scheduler.follows_holders());
        if named.is_empty() && !follows_holders {
            named.push(NONE);
        }
        named
    }

    /// Returns whether the scenario has no fault under its scheduler and protocol. Other faults do not depend on which
    /// of them is tried.
    fn is_taken(&self) -> bool {
        let known = self.known_protocol().zip(self.known_scheduler());
        let (Some((protocol, scheduler)), Ok((tasks, _))) = (known, place(self)) else { return false };
        joining::faults(self).is_empty()
            && self.try_protocol(protocol, &scheduler, &self.model_platform(), &tasks).is_ok()
    }
}

/// Returns what the scenario's own protocol forbids, for tasks that can be placed.
pub(crate) fn faults(scenario: &Scenario) -> Vec<Fault> {
    let known = scenario.known_protocol().zip(scenario.known_scheduler());
    // Under a class of the kernel no protocol is made: what a run's locks are is its own affair.
    let known = known.filter(|(_, scheduler)| scheduler.kernel_class().is_none());
    let Some((protocol, scheduler)) = known else { return Vec::new() };
    // Tasks that fit nowhere are another finding, when the scenario is run.
    let Ok((tasks, _)) = place(scenario) else { return Vec::new() };
    let made = scenario.try_protocol(protocol, &scheduler, &scenario.model_platform(), &tasks);
    made.err().map(|error| scenario.fault(&error, &scheduler)).into_iter().collect()
}
