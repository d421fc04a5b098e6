//! Tasks split between processors: each piece becomes a task of its own.
//!
//! Piece k of a job may begin at its offset after the job's arrival, which is the deadline of the piece before it. So
//! no piece has to wait for another, and a partitioned EDF schedule of the pieces is one of the split tasks, provided
//! that jobs need their WCET: a piece does not begin earlier if the one before is shorter. If a job is delayed, so are
//! all its pieces: they arrive by the same list, or by the same random delays.
//!
//! A scheduler that keeps pieces executes whole jobs instead, which move from piece to piece: there the tasks stay, and
//! state their pieces.

use crate::prepare::error::Unresolved;
use crate::prepare::prepared::PieceOf;
use schedlab_analysis::split::{c_equals_d, edf_wm, NotSplit, Piece};
use schedlab_analysis::{AnalysedScheduler, Arrivals, Budget, System};
use schedlab_model::{CpuId, Duration, Instant, OrderClass, ReleasePoint, Step, TaskPiece, Work};
use schedlab_policy::{Scheduler, Scope};
use schedlab_scenario::{Arrival, CostModel, DeadlineRule, Scenario, Split, TaskSpec};
use std::collections::BTreeSet;

/// A scenario of pieces.
pub(super) struct Cut {
    pub(super) scenario: Scenario,
    pub(super) pieces: Vec<PieceOf>,
    pub(super) only_analysis: Option<&'static str>,
}

/// Splits the tasks of `scenario` by the rule that its placement names.
pub(super) fn cut(scenario: &Scenario, scheduler: &Scheduler) -> Result<Cut, Unresolved> {
    let by_deadline = matches!(scheduler.class(), OrderClass::Deadline) && scheduler.is_preemptive();
    if !by_deadline || scheduler.scope != Scope::Partitioned {
        return Err(Unresolved::SplitUnder(scheduler.name.clone()));
    }
    Ok(of_pieces(scenario, &split_by(scenario, scenario.scheduler.placement.split)?))
}

/// States the pieces of each task, by the rule that the placement names or else C=D.
pub(super) fn state(scenario: &mut Scenario) -> Result<(), Unresolved> {
    let split = split_by(scenario, scenario.scheduler.placement.split)?;
    scenario.scheduler.placement.split = Split::None;
    for (index, task) in scenario.tasks.iter_mut().enumerate() {
        let with_cpu =
            (0..).zip(&split).flat_map(|(cpu, pieces)| pieces.iter().map(move |piece| (cpu, piece)));
        let mut its: Vec<(u16, &Piece)> = with_cpu.filter(|(_, piece)| piece.task.index() == index).collect();
        its.sort_by_key(|(_, piece)| piece.offset);
        match its[..] {
            // A task that never arrives has no piece.
            [] => task.processor = Some(0),
            [(cpu, _)] => task.processor = Some(cpu),
            ref its => {
                task.pieces = its.iter().map(|&(cpu, piece)| stated(cpu, piece)).collect();
            }
        }
    }
    Ok(())
}

fn stated(cpu: u16, piece: &Piece) -> TaskPiece {
    TaskPiece {
        cpu: CpuId(cpu),
        budget: Work::from_ns(piece.cost),
        begin: Duration::from_ns(piece.offset),
        relative_deadline: Duration::from_ns(piece.relative_deadline),
    }
}

/// Splits the tasks, and returns the pieces of each processor.
fn split_by(scenario: &Scenario, rule: Split) -> Result<Vec<Vec<Piece>>, Unresolved> {
    let named = |task: &&TaskSpec| {
        let is_placed = task.processor.is_some() || task.cluster.is_some() || !task.affinity.is_empty();
        is_placed || !task.pieces.is_empty()
    };
    if let Some(task) = scenario.tasks.iter().find(named) {
        return Err(Unresolved::SplitAndGiven(task.name.clone()));
    }
    let executes = |task: &TaskSpec| task.program.iter().all(|step| matches!(step, Step::Execute(_)));
    if scenario.platform.releases == ReleasePoint::Tick || !scenario.tasks.iter().all(executes) {
        return Err(Unresolved::SplitDisturbed);
    }
    let tasks = scenario.model_tasks();
    let processors = u32::from(scenario.platform.processors);
    let analysed = AnalysedScheduler { arrivals: Arrivals::Sporadic, ..AnalysedScheduler::EDF };
    let system = System::global(&tasks, processors, &analysed).map_err(|_| Unresolved::SplitDisturbed)?;
    let split = match rule {
        Split::EdfWm => edf_wm::split(&system, &mut Budget::default()),
        Split::CEqualsD | Split::None => c_equals_d::split(&system, &mut Budget::default()),
    };
    let split = split.map_err(|why| match why {
        NotSplit::Disturbed | NotSplit::NoProcessors => Unresolved::SplitDisturbed,
        NotSplit::Spent => Unresolved::Spent,
    })?;
    if !split.fits() {
        let name = |id: &schedlab_model::TaskId| scenario.task_name(*id).to_owned();
        return Err(Unresolved::NotSplit(split.misfits.iter().map(name).collect()));
    }
    Ok(split.processors)
}

fn of_pieces(scenario: &Scenario, processors: &[Vec<Piece>]) -> Cut {
    let mut all: Vec<(Piece, u16)> = Vec::new();
    for (cpu, pieces) in processors.iter().enumerate() {
        all.extend(pieces.iter().map(|piece| (*piece, cpu as u16)));
    }
    all.sort_by_key(|(piece, _)| (piece.task, piece.offset));
    let mut made = Scenario { tasks: Vec::new(), deadlines: DeadlineRule::Arbitrary, ..scenario.clone() };
    made.scheduler.placement.split = Split::None;
    made.scheduler.placement.test = None;
    let named = NamesOfPieces::of(scenario);
    let mut pieces = Vec::new();
    let mut only_analysis = None;
    for of_task in all.chunk_by(|a, b| a.0.task == b.0.task) {
        let spec = &scenario.tasks[of_task[0].0.task.index()];
        if of_task.len() > 1 {
            only_analysis = only_analysis.or(incoherent(spec));
        }
        for (number, (piece, cpu)) in of_task.iter().enumerate() {
            made.tasks.push(match of_task.len() {
                1 => TaskSpec { processor: Some(*cpu), ..spec.clone() },
                _ => task_of(spec, piece, *cpu, number, &named),
            });
            let offset = Duration::from_ns(piece.offset);
            pieces.push(PieceOf { task: piece.task.index(), number, count: of_task.len(), offset });
        }
    }
    follow_first_pieces(&mut made, &named);
    Cut { scenario: made, pieces, only_analysis }
}

/// Renames the tasks whose delays others share, because a task of that name may now be in pieces.
fn follow_first_pieces(made: &mut Scenario, named: &NamesOfPieces) {
    let names: BTreeSet<String> = made.tasks.iter().map(|task| task.name.clone()).collect();
    for task in &mut made.tasks {
        if let Arrival::Sporadic { like: Some(name), .. } = &mut task.arrival {
            if !names.contains(name) {
                *name = named.piece(name, 0);
            }
        }
    }
}

/// Names of pieces: the task's name, as many slashes as make the names unique, and the piece's number.
struct NamesOfPieces {
    slashes: String,
}

impl NamesOfPieces {
    fn of(scenario: &Scenario) -> NamesOfPieces {
        let names: BTreeSet<&str> = scenario.tasks.iter().map(|task| task.name.as_str()).collect();
        let is_taken = |slashes: &String| {
            let of_piece =
                |name: &&str| name.rsplit_once(slashes.as_str()).is_some_and(|(of, _)| names.contains(of));
            names.iter().any(of_piece)
        };
        let mut runs = (1..).map(|length| "/".repeat(length));
        let slashes = runs.find(|slashes| !is_taken(slashes)).expect("names end, and runs of slashes do not");
        NamesOfPieces { slashes }
    }

    fn piece(&self, of: &str, number: usize) -> String {
        format!("{of}{}{}", self.slashes, number + 1)
    }
}

fn task_of(spec: &TaskSpec, piece: &Piece, cpu: u16, number: usize, named: &NamesOfPieces) -> TaskSpec {
    let later = |at: Instant| match at {
        Instant::NEVER => at,
        at => at + Duration::from_ns(piece.offset),
    };
    TaskSpec {
        name: named.piece(&spec.name, number),
        arrival: match &spec.arrival {
            Arrival::Periodic => Arrival::Periodic,
            Arrival::Sporadic { delay, like } => {
                let first = (number > 0).then(|| named.piece(&spec.name, 0));
                Arrival::Sporadic { delay: *delay, like: like.clone().or(first) }
            }
            Arrival::Listed(times) => Arrival::Listed(times.iter().map(|at| later(*at)).collect()),
        },
        wcet: Work::from_ns(piece.cost),
        relative_deadline: Duration::from_ns(piece.relative_deadline),
        offset: later(spec.offset.max(spec.join)),
        join: later(spec.join),
        leave: later(spec.leave),
        processor: Some(cpu),
        cost: CostModel::Wcet,
        // Tasks are split only if their programs do nothing but execute.
        program: Vec::new(),
        ..spec.clone()
    }
}

/// Returns the reason why pieces with arrivals and costs of their own do not simulate one job; `None` if they do.
fn incoherent(spec: &TaskSpec) -> Option<&'static str> {
    if spec.utility.is_some() {
        return Some(
            "split tasks with time/utility functions are analysed, not simulated, as only the last piece completes a job; \
             SP-EDF executes whole jobs",
        );
    }
    let varies = spec.cost != CostModel::Wcet;
    varies.then_some(
        "split tasks whose costs vary are analysed, not simulated, as a piece does not know what the one before left; \
         SP-EDF executes whole jobs",
    )
}
