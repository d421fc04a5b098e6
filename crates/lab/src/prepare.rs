//! How a scenario is prepared: what it leaves to rules is decided, then what policies are told.

use crate::error::PrepareError;
use crate::machine::platform;
use crate::pfair;
use crate::prepared::Prepared;
use crate::priority_points;
use crate::resolve::resolve;
use crate::supertasks::{supertasks, WeightedSupertask};
use schedlab_lock::{find_protocol, Protocol};
use schedlab_model::{LockingClass, Step, TaskId};
use schedlab_policy::pfair::ComponentScheduling;
use schedlab_policy::{find, Scheduler};
use schedlab_scenario::{place, Scenario};

/// The protocol that the scenario names.
fn scenario_protocol(scenario: &Scenario) -> Protocol {
    *find_protocol(&scenario.protocol).expect("a checked scenario has a protocol that exists")
}

/// A supertask whose components preempt each other within its quanta, though one of them shares.
fn preempts_holders(prepared: &Prepared) -> Option<String> {
    let requests =
        |id: &TaskId| prepared.tasks[id.index()].program.iter().any(|step| matches!(step, Step::Request(..)));
    let preempts = |known: &&WeightedSupertask| {
        known.supertask.scheduling == ComponentScheduling::FullyPreemptive
            && known.supertask.components.iter().any(requests)
    };
    prepared.supertasks.iter().find(preempts).map(|known| known.name.clone())
}

impl Prepared {
    /// Decides what the runs of `scenario` share.
    pub fn new(scenario: &Scenario) -> Result<Self, PrepareError> {
        let scheduler = find(&scenario.scheduler.name).map_err(PrepareError::Scheduler)?;
        Self::with_scheduler(scenario, scheduler)
    }

    /// As [`Prepared::new`], under a protocol that need not be in the registry.
    pub fn with_protocol(scenario: &Scenario, protocol: Protocol) -> Result<Self, PrepareError> {
        let scheduler = find(&scenario.scheduler.name).map_err(PrepareError::Scheduler)?;
        Self::with(scenario, scheduler, protocol)
    }

    /// As [`Prepared::new`], under a scheduler that has the scenario's scope but need not be in the registry.
    pub fn with_scheduler(scenario: &Scenario, scheduler: Scheduler) -> Result<Self, PrepareError> {
        let protocol = scenario_protocol(scenario);
        Self::with(scenario, scheduler, protocol)
    }

    /// As [`Prepared::new`], for analysis only: the scheduler or the protocol may turn out to refuse these tasks.
    pub fn for_analysis(scenario: &Scenario) -> Result<Self, PrepareError> {
        let scheduler = find(&scenario.scheduler.name).map_err(PrepareError::Scheduler)?;
        Self::unchecked(scenario, scheduler, scenario_protocol(scenario))
    }

    fn with(scenario: &Scenario, scheduler: Scheduler, protocol: Protocol) -> Result<Self, PrepareError> {
        let prepared = Self::unchecked(scenario, scheduler, protocol)?;
        if protocol.class == LockingClass::Zones && !prepared.setup().charges.are_none() {
            return Err(PrepareError::ZonesWithOverheads(protocol.name));
        }
        if let Some(name) = preempts_holders(&prepared).filter(|_| protocol.class == LockingClass::Zones) {
            return Err(PrepareError::ZonesInSupertask(protocol.name, name));
        }
        if let Some(why) = prepared.only_analysis {
            return Err(PrepareError::OnlyAnalysis(why));
        }
        priority_points::check(&prepared)?;
        prepared.policies()?;
        prepared.locks()?;
        Ok(prepared)
    }

    fn unchecked(
        scenario: &Scenario,
        scheduler: Scheduler,
        protocol: Protocol,
    ) -> Result<Self, PrepareError> {
        let resolved = resolve(scenario)?;
        let scenario = resolved.scenario.as_ref();
        let (tasks, overflowed) = place(scenario).map_err(PrepareError::Placement)?;
        let platform = platform(scenario, &scheduler);
        let mut prepared = Prepared {
            told: Vec::new(),
            resources: scenario.model_resources(),
            supertasks: supertasks(scenario, &tasks, &platform, &scheduler),
            platform,
            charged: scenario.charged(),
            pieces: resolved.pieces,
            only_analysis: resolved.only_analysis,
            scenario: scenario.clone(),
            tasks,
            overflowed,
            scheduler,
            protocol,
        };
        prepared.told = pfair::told(&prepared)?;
        Ok(prepared)
    }
}
