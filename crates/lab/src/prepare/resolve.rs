//! Choices that need analysis before a scenario can be placed and run: pieces, places, priorities.
//!
//! A scenario may leave these to a rule: which pieces a task that fits nowhere is cut into
//! ([`schedlab_analysis::split`]), where tasks go if a test decides at each step or no rule is named
//! ([`Packing::place_tested_pinned`](schedlab_workload::placement::Packing::place_tested_pinned)), and which fixed
//! priorities they have ([`schedlab_analysis::priority`]). The resulting scenario states all of that itself: pieces are
//! tasks of their own, so analysis, simulation, traces and exports need not know of any rule. Overheads do not enter
//! here, but only where the result is analysed.

mod one_processor;
mod pieces;
pub(crate) mod places;
mod priorities;

use crate::prepare::error::PrepareError;
use pieces::{cut, state};
use places::{placed_by_default, placed_by_test};
use schedlab_model::TaskId;
use schedlab_policy::{find, Needs, Scheduler, Scope};
use schedlab_scenario::{Priorities, Scenario, Split, TaskSpec};
use std::borrow::Cow;

pub use crate::prepare::error::Unresolved;
pub use crate::prepare::prepared::PieceOf;

/// A scenario that leaves nothing to a rule.
#[derive(Clone, Debug)]
pub struct Resolved<'a> {
    /// The resulting scenario: the given one, if it left nothing to a rule.
    pub scenario: Cow<'a, Scenario>,
    /// The given task and the piece of it that each task is; empty if no task was split.
    pub pieces: Vec<PieceOf>,
    /// The reason why a simulation of the pieces would not be one of the given tasks; `None` if it would be.
    pub only_analysis: Option<&'static str>,
    /// Tasks that a test accepted on no processor, placed best-effort. Empty if tasks were split: pieces do not wait
    /// for each other only if all processors meet their deadlines.
    pub overflowed: Vec<TaskId>,
}

/// Decides everything that `scenario` leaves to rules, under the shipped scheduler that it names.
pub fn resolve(scenario: &Scenario) -> Result<Resolved<'_>, PrepareError> {
    let scheduler = find(&scenario.scheduler.name).map_err(PrepareError::Scheduler)?;
    resolve_under(scenario, &scheduler)
}

/// Decides everything that `scenario` leaves to rules, under `scheduler`.
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
    if scheduler.keeps_pieces() {
        let is_placed = |task: &TaskSpec| task.processor.is_some() || !task.pieces.is_empty();
        if wanted.split != Split::None || !scenario.tasks.iter().all(is_placed) {
            state(resolved.scenario.to_mut()).map_err(PrepareError::Unresolved)?;
        }
    } else if scheduler.scope == Scope::Partitioned && wanted.split != Split::None {
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
