//! Schedulers and protocols of stock Linux for a scenario, with whether they are proved.

use super::doubt::Doubt;
use crate::prepare::catalog::Catalog;
use crate::prepare::prepared::Prepared;
use crate::verdict::proof::is_proved;
use schedlab_lock::{OnLinux, Protocol};
use schedlab_scenario::launch::Launcher;
use schedlab_scenario::{Scenario, TaskSpec};
use std::fmt;

/// A scheduler and a protocol that Linux has, as a way to run a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Instead {
    scheduler: String,
    /// The protocol of the tasks' mutexes; `None` if the tasks share nothing.
    mutexes: Option<(&'static str, OnLinux)>,
    proved: bool,
}

impl fmt::Display for Instead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let proved = if self.proved { "schedulable" } else { "unknown" };
        write!(f, "{}", self.scheduler)?;
        if let Some((protocol, on_linux)) = self.mutexes {
            write!(f, " under {protocol}, which is {}", attribute(on_linux))?;
        }
        write!(f, ": {proved}")
    }
}

fn attribute(on_linux: OnLinux) -> &'static str {
    match on_linux {
        OnLinux::Plain => "an ordinary mutex",
        OnLinux::Inherit => "PTHREAD_PRIO_INHERIT",
        OnLinux::Protect => "PTHREAD_PRIO_PROTECT",
        OnLinux::ByResource => "by resource",
        OnLinux::InProgram => "the program's own affair",
        OnLinux::Nothing => "nothing that Linux has",
    }
}

/// The ways that were tried to run a scenario on Linux.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// The ways under the scenario's own scheduler, and the proved ones under others.
    told: Vec<Instead>,
    /// Schedulers that this format can write for the tasks, none of which is proved.
    unproved: Vec<String>,
}

impl fmt::Display for Tried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.told.is_empty() {
            let all: Vec<String> = self.told.iter().map(Instead::to_string).collect();
            return write!(f, "what Linux has, and what would be proved: {}", all.join("; "));
        }
        match self.unproved.is_empty() {
            true => write!(f, "no scheduler that this format can write takes these tasks as they are")?,
            false => write!(f, "not proved in this format either: {}", self.unproved.join(", "))?,
        }
        write!(f, "; other formats and other priorities were not tried")
    }
}

/// Returns the ways that Linux has under the scenario's own scheduler. If none of them is proved, adds the proved ways
/// under other schedulers.
pub(super) fn ways(scenario: &Scenario, catalog: &Catalog, launcher: Launcher) -> Tried {
    let own = under(scenario, scenario.scheduler_name(), catalog, launcher);
    if own.iter().any(|way| way.proved) {
        return Tried { told: own, unproved: Vec::new() };
    }
    let others = catalog.schedulers().filter(|other| other.name != scenario.scheduler_name());
    let found: Vec<Instead> =
        others.flat_map(|other| under(scenario, &other.name, catalog, launcher)).collect();
    let (proved, unproved): (Vec<Instead>, Vec<Instead>) = found.into_iter().partition(|way| way.proved);
    let mut unproved: Vec<String> = unproved.into_iter().map(|way| way.scheduler).collect();
    unproved.dedup();
    Tried { told: own.into_iter().chain(proved).collect(), unproved }
}

/// Returns the ways that Linux has under one scheduler.
fn under(scenario: &Scenario, scheduler: &str, catalog: &Catalog, launcher: Launcher) -> Vec<Instead> {
    let Ok(scenario) = catalog.under(scenario.clone().without_own_protocols(), scheduler) else {
        return Vec::new();
    };
    let shares = scenario.tasks.iter().any(TaskSpec::has_requests);
    let is_mutex = |known: &&Protocol| matches!(known.on_linux, OnLinux::Inherit | OnLinux::Protect);
    let protocols: Vec<&str> = match shares {
        true => catalog.protocols().filter(is_mutex).map(|known| known.name).collect(),
        false => vec![schedlab_lock::NONE],
    };
    let way = |protocol: &&str| {
        let made = catalog.sharing(scenario.clone(), protocol).ok()?;
        let prepared = Prepared::for_analysis(&made, catalog).ok()?;
        if prepared.policies().is_err() || launcher.accepts(&prepared.scenario, &prepared.protocol).is_err() {
            return None;
        }
        let mutexes = shares.then_some((prepared.protocol.name, prepared.protocol.on_linux));
        Some(Instead {
            scheduler: scheduler.to_owned(),
            mutexes,
            proved: Doubt::about(&prepared).is_none() && is_proved(&prepared),
        })
    };
    protocols.iter().filter_map(way).collect()
}
