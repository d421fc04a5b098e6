//! Preparing a scenario: what it leaves to rules is decided, then policies, protocol and analysis get their inputs.
//!
//! | file | question |
//! |---|---|
//! | `catalog` | what can be named? |
//! | `overrides` | what does a command line change? |
//! | `resolve` | who has which priority, and which piece of a task is where? |
//! | `machine`, `scheduler` | which machine and order is that, as policies and analysis see it? |
//! | `supertasks`, `pfair` | which weights do policies get? |
//! | `accounting`, `lock_overheads`, `access_costs` | how do overheads enter costs? |
//! | `kernel_class` | what does Linux itself need, where it decides? |
//! | `private` | which resources does one task alone use? |
//! | `kernel_order`, `kernel_refusal` | which order of Linux do tests know, and what is refused? |
//! | `kernel_share` | what does Linux keep from real-time threads, and does it matter? |
//! | `priority_points` | have the priorities of all jobs room in a number? |
//! | `source` | which jobs are there? |
//! | `prepared` | what is the result? |

pub(crate) mod access_costs;
pub(crate) mod accounting;
pub(crate) mod catalog;
pub(crate) mod error;
pub(crate) mod kernel_class;
mod kernel_order;
pub(crate) mod kernel_refusal;
pub(crate) mod kernel_share;
pub(crate) mod lock_overheads;
pub(crate) mod machine;
pub(crate) mod overrides;
pub(crate) mod pfair;
pub(crate) mod prepared;
pub(crate) mod priority_points;
pub(crate) mod private;
pub mod resolve;
pub(crate) mod scheduler;
mod source;
pub(crate) mod supertasks;

use crate::prepare::catalog::Catalog;
use crate::prepare::error::PrepareError;
use crate::prepare::machine::platform;
use crate::prepare::prepared::Prepared;
use crate::prepare::resolve::resolve_under;
use crate::prepare::supertasks::{supertasks, WeightedSupertask};
use schedlab_lock::protocol_of;
use schedlab_model::{LockingClass, Task, TaskId};
use schedlab_policy::pfair::ComponentScheduling;
use schedlab_policy::servers::with_servers;
use schedlab_policy::Scheduler;
use schedlab_scenario::{breaks_under_aborts, place, ResourceSpec, Scenario};

/// Returns the scheduler with the scenario's budget servers among its tasks.
fn served(scenario: &Scenario, scheduler: Scheduler) -> Result<Scheduler, PrepareError> {
    match scenario.servers.is_empty() {
        true => Ok(scheduler),
        false => with_servers(&scheduler, scenario.model_servers()).map_err(PrepareError::Unserved),
    }
}

/// Returns the name of a supertask whose components preempt each other within its quanta, though one of them has
/// requests.
fn preempts_holders(prepared: &Prepared) -> Option<String> {
    let requests = |id: &TaskId| prepared.tasks[id.index()].has_requests();
    let preempts = |known: &&WeightedSupertask| {
        known.supertask.scheduling == ComponentScheduling::FullyPreemptive
            && known.supertask.components.iter().any(requests)
    };
    prepared.supertasks.iter().find(preempts).map(|known| known.name.clone())
}

/// True if a utility-accrual scheduler would break the rules of the protocol: it heeds no priorities, and gives up jobs
/// within attempts.
fn heeds_no_priorities(prepared: &Prepared) -> bool {
    prepared.scheduler.accrues_utility()
        && prepared.tasks.iter().any(Task::has_requests)
        && breaks_under_aborts(&prepared.protocol, &prepared.classes)
}

impl Prepared {
    /// Prepares `scenario` under the shipped catalogue: decides everything that its runs share.
    pub fn new(scenario: &Scenario) -> Result<Self, PrepareError> {
        Self::of(scenario, &Catalog::shipped())
    }

    /// Prepares `scenario` for running, under the names that `catalog` knows. Fails if the scheduler or the protocol
    /// refuses it.
    pub fn of(scenario: &Scenario, catalog: &Catalog) -> Result<Self, PrepareError> {
        let prepared = Self::for_analysis(scenario, catalog)?;
        let protocol = prepared.protocol;
        if protocol.class == LockingClass::Zones && !prepared.setup().charges.are_none() {
            return Err(PrepareError::ZonesWithOverheads(protocol.name));
        }
        if let Some(name) = preempts_holders(&prepared).filter(|_| protocol.class == LockingClass::Zones) {
            return Err(PrepareError::ZonesInSupertask(protocol.name, name));
        }
        prepared.scenario.check_objects(&prepared.scheduler).map_err(PrepareError::Locking)?;
        if let Some(why) = prepared.only_analysis {
            return Err(PrepareError::OnlyAnalysis(why));
        }
        if let Some(class) = prepared.scheduler.kernel_class() {
            // In real runs the kernel decides, so no policy and no protocol of schedlab is made.
            prepared.suits_kernel(class)?;
            return Ok(prepared);
        }
        priority_points::check(&prepared)?;
        prepared.policies()?;
        Ok(prepared)
    }

    /// Prepares `scenario` for analysis only. Unlike [`Prepared::of`], accepts tasks that the scheduler refuses. A
    /// scenario that the reader would refuse as a file is refused here, too, for instance because its protocol does not
    /// fit: it may have been changed since it was read.
    pub fn for_analysis(scenario: &Scenario, catalog: &Catalog) -> Result<Self, PrepareError> {
        let prepared = Self::with_any_protocol(scenario, catalog)?;
        if heeds_no_priorities(&prepared) {
            return Err(PrepareError::ProtocolOfUtility(prepared.protocol.name, prepared.scheduler.name));
        }
        // Under a class of the kernel no protocol is made: the locks of a run are its program's.
        if prepared.scheduler.kernel_class().is_none() {
            prepared.locks()?;
        }
        prepared.scenario.check_rules().map_err(PrepareError::Rules)?;
        Ok(prepared)
    }

    /// Prepares `scenario` for analysis, whether its protocol fits or not.
    pub(crate) fn with_any_protocol(scenario: &Scenario, catalog: &Catalog) -> Result<Self, PrepareError> {
        let (scheduler, given) = (catalog.scheduler_of(scenario)?, catalog.protocol_of(scenario)?);
        let scheduler = served(scenario, scheduler)?;
        let resolved = resolve_under(scenario, &scheduler)?;
        let scenario = resolved.scenario.as_ref();
        let (mut tasks, mut overflowed) = place(scenario).map_err(PrepareError::Placement)?;
        overflowed.extend(resolved.overflowed);
        scenario.rank_for_kernel(&mut tasks, &scheduler);
        let platform = platform(scenario, &scheduler);
        let mutexes = kernel_class::mutexes(scenario, &scheduler, &given);
        let given_class = if mutexes.is_empty() { given.class } else { LockingClass::Posix };
        let class_of = |spec: &ResourceSpec| spec.scheme().map_or(given_class, |own| protocol_of(own).class);
        let mut protocol = scenario.composed(&given);
        if !mutexes.is_empty() {
            protocol.class = given_class;
        }
        let mut prepared = Prepared {
            policy_tasks: Vec::new(),
            classes: scenario.resources.iter().map(class_of).collect(),
            protocol,
            mutexes,
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
            own_tests: catalog.added_tests().to_vec(),
            own_invariants: catalog.added_invariants().to_vec(),
        };
        prepared.policy_tasks = pfair::policy_tasks(&prepared)?;
        Ok(prepared)
    }
}
