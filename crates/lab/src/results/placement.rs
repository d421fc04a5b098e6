//! The placement of tasks as plain values.

use crate::prepare::catalog::Catalog;
use crate::prepare::error::PrepareError;
use crate::prepare::prepared::Prepared;
use schedlab_model::TaskPiece;
use schedlab_policy::Scope;
use schedlab_scenario::{Placement, Scenario};
use schemars::JsonSchema;
use serde::Serialize;

/// A task as it was placed, or a piece of a split one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Piece")]
struct PieceResult {
    name: String,
    of: String,
    piece: usize,
    pieces: usize,
    /// Earliest begin after the job's arrival.
    offset_ns: u64,
    wcet_ns: u64,
    period_ns: u64,
    relative_deadline_ns: u64,
    cluster: u16,
    processors: Vec<u16>,
    priority: Option<u32>,
    overflowed: bool,
}

/// The placement of a scenario's tasks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Placed")]
pub struct PlacementResult {
    scheduler: String,
    /// The reason why nothing can be placed.
    error: Option<String>,
    only_analysis: Option<&'static str>,
    tasks: Vec<PieceResult>,
}

/// Returns where each task of `given`, or piece of one, runs, with the priorities that a rule gave; and a scenario that
/// states these places, or none if nothing can be placed.
pub fn placement_of(
    given: &Scenario,
    catalog: &Catalog,
) -> Result<(PlacementResult, Option<Scenario>), PrepareError> {
    match Prepared::for_analysis(given, catalog) {
        Ok(prepared) => Ok((placed(given, &prepared), Some(settled(&prepared)))),
        Err(error) if error.is_of_scheduler() => {
            let refused = PlacementResult {
                scheduler: given.scheduler_name().to_owned(),
                error: Some(error.to_string()),
                only_analysis: None,
                tasks: Vec::new(),
            };
            Ok((refused, None))
        }
        Err(error) => Err(error),
    }
}

/// The scenario in which each task, or piece of one, names its place, so that nothing is left to a rule.
fn settled(prepared: &Prepared) -> Scenario {
    let mut scenario = prepared.scenario.clone();
    scenario.scheduler.placement = Placement::default();
    for (spec, task) in scenario.tasks.iter_mut().zip(&prepared.tasks) {
        if spec.server.is_some() {
            // Its server states the place.
            continue;
        }
        match prepared.scheduler.scope {
            Scope::Partitioned => {
                let [cpu] = prepared.platform.clusters[task.cluster.index()].cpus[..] else {
                    unreachable!("a partitioned scheduler has a processor in each cluster");
                };
                spec.processor = Some(cpu.0);
            }
            Scope::Clustered => spec.cluster = Some(task.cluster.0),
            Scope::Global => {}
        }
    }
    scenario
}

fn placed(given: &Scenario, prepared: &Prepared) -> PlacementResult {
    let task = |index: usize| {
        let (spec, task) = (&prepared.scenario.tasks[index], &prepared.tasks[index]);
        let piece = prepared.pieces.get(index);
        let of = piece.map_or(index, |piece| piece.task);
        let cpus = &prepared.platform.clusters[task.cluster.index()].cpus;
        PieceResult {
            name: spec.name.clone(),
            of: given.tasks[of].name.clone(),
            piece: piece.map_or(0, |piece| piece.number),
            pieces: piece.map_or(1, |piece| piece.count),
            offset_ns: piece.map_or(0, |piece| piece.offset.as_ns()),
            wcet_ns: task.wcet.as_ns(),
            period_ns: task.period.as_ns(),
            relative_deadline_ns: task.relative_deadline.as_ns(),
            cluster: task.cluster.0,
            processors: cpus.iter().map(|cpu| cpu.0).collect(),
            priority: spec.priority,
            overflowed: prepared.overflowed.iter().any(|id| id.index() == index),
        }
    };
    let pieces = |index: usize| match prepared.scheduler.keeps_pieces() {
        true => kept(prepared, index),
        false => vec![task(index)],
    };
    PlacementResult {
        scheduler: prepared.scheduler.name.clone(),
        error: None,
        only_analysis: prepared.only_analysis,
        tasks: (0..prepared.tasks.len()).flat_map(pieces).collect(),
    }
}

/// The pieces of a task that its scheduler executes in pieces.
fn kept(prepared: &Prepared, index: usize) -> Vec<PieceResult> {
    let (spec, task) = (&prepared.scenario.tasks[index], &prepared.tasks[index]);
    let count = task.pieces.len();
    let piece = |(number, piece): (usize, &TaskPiece)| PieceResult {
        name: if count == 1 { spec.name.clone() } else { format!("{}/{}", spec.name, number + 1) },
        of: spec.name.clone(),
        piece: number,
        pieces: count,
        offset_ns: piece.begin.as_ns(),
        wcet_ns: piece.budget.as_ns(),
        period_ns: task.period.as_ns(),
        relative_deadline_ns: piece.relative_deadline.as_ns(),
        cluster: piece.cpu.0,
        processors: vec![piece.cpu.0],
        priority: spec.priority,
        overflowed: false,
    };
    task.pieces.iter().enumerate().map(piece).collect()
}
