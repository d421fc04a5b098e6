//! What has to be decided by analysis before a scenario can be placed and run: pieces, places, priorities.
//!
//! A scenario may leave these to a rule: which pieces a task that fits nowhere is cut into
//! ([`schedlab_analysis::split`]), where tasks go if a test has a say at each step or no rule is named
//! ([`Packing::place_tested_pinned`](schedlab_workload::placement::Packing::place_tested_pinned)), and which fixed
//! priorities they have ([`schedlab_analysis::priority`]). The scenario that comes out says all of that itself: pieces
//! are tasks of their own, so analysis, simulation, traces and exports need not know of any rule. Overheads are not
//! looked at here, but where the result is analysed.

mod one_processor;
mod pieces;
pub(crate) mod places;
mod priorities;

use crate::prepare::error::PrepareError;
use pieces::cut;
use places::{placed_by_default, placed_by_test};
use schedlab_model::TaskId;
use schedlab_policy::{find, Needs, Scheduler, Scope};
use schedlab_scenario::{Priorities, Scenario, Split};
use std::borrow::Cow;

pub use crate::prepare::error::Unresolved;
pub use crate::prepare::prepared::PieceOf;

/// A scenario that leaves nothing to a rule.
#[derive(Clone, Debug)]
pub struct Resolved<'a> {
    /// The scenario: the given one, if that left nothing to a rule.
    pub scenario: Cow<'a, Scenario>,
    /// By task of it: which piece of which given task it is; empty if none was split.
    pub pieces: Vec<PieceOf>,
    /// Why a simulation of the pieces would not be one of the given tasks, if so.
    pub only_analysis: Option<&'static str>,
    /// Tasks that were placed best-effort, where a test decided places. None is beside pieces of split tasks: those do
    /// not wait for each other only where all processors meet their deadlines.
    pub overflowed: Vec<TaskId>,
}

/// Decides what `scenario` leaves to rules.
pub fn resolve(scenario: &Scenario) -> Result<Resolved<'_>, PrepareError> {
    let scheduler = find(&scenario.scheduler.name).map_err(PrepareError::Scheduler)?;
    resolve_under(scenario, &scheduler)
}

/// As [`resolve`], where the scenario is under `scheduler`.
pub(crate) fn resolve_under<'a>(
    scenario: &'a Scenario,
    scheduler: &Scheduler,
) -> Result<Resolved<'a>, PrepareError> {
    let mut resolved = Resolved {
        scenario: Cow::Borrowed(scenario),
        pieces: Vec::new(),
        only_analysis: None,
        overflowed: Vec::new(),
    };
    let wanted = scenario.scheduler.placement;
    if scheduler.scope == Scope::Partitioned && wanted.split != Split::None {
        let split = cut(scenario, scheduler).map_err(PrepareError::Unresolved)?;
        resolved.scenario = Cow::Owned(split.scenario);
        resolved.pieces = split.pieces;
        resolved.only_analysis = split.only_analysis;
    } else if let Some(test) = wanted.test {
        match scheduler.scope {
            Scope::Partitioned => {
                resolved.overflowed = placed_by_test(resolved.scenario.to_mut(), scheduler, test)?;
            }
            Scope::Clustered => return Err(PrepareError::Unresolved(Unresolved::TestOnClusters(test))),
            Scope::Global => resolved.scenario.to_mut().scheduler.placement.test = None,
        }
    } else if scheduler.scope != Scope::Partitioned && wanted.split != Split::None {
        resolved.scenario.to_mut().scheduler.placement.split = Split::None;
    } else {
        placed_by_default(&mut resolved.scenario, scheduler);
    }
    if scheduler.needs() == Needs::Priority && scenario.scheduler.priorities != Priorities::Given {
        priorities::assign(resolved.scenario.to_mut(), scheduler)?;
    }
    Ok(resolved)
}
