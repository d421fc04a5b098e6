//! Systems that the kernel decides by quanta: what it has to know of them, and how its records are those of the engine.

use crate::backend::native::inputs::{inputs_of, Numbers};
use crate::engine::domain::DomainSetup;
use crate::engine::replay::replay;
use crate::machine::not_native::NotNative;
use crate::record::inputs::EngineInput;
use crate::record::outcome::Outcome;
use schedlab_lab::Prepared;
use schedlab_model::{Alignment, CpuId, Instant, JobId, Overrun, ReleasePoint, Step, TaskId};
use schedlab_policy::pfair::{exceeds, pack, weights, Affinity, PfairOrder, Stream, Weight};
use schedlab_policy::ClusterSetup;
use schedlab_scx::{KernelEvent, KernelRecord, QuantumShare};
use schedlab_sim::Setup;
use schedlab_trace::Record;

/// What the kernel has to know of a system that it decides by quanta.
pub(crate) struct Quanta {
    pub shares: Vec<QuantumShare>,
    pub staggered: bool,
    /// True if a task that executed in the slot before keeps its processor.
    pub keeps: bool,
    /// Length of a quantum, in ns.
    pub quantum: u64,
}

impl Quanta {
    /// The quanta of `prepared`, whose scheduler takes the tasks and orders subtasks by `order`, or why the kernel does
    /// not decide them.
    pub(crate) fn of(prepared: &Prepared, order: &PfairOrder, early: bool) -> Result<Quanta, NotNative> {
        if !order.packs {
            return Err(NotNative::Scheduler(prepared.scheduler.name.clone()));
        }
        refuse_steps(prepared)?;
        let staggered = prepared.scheduler.quanta == Some(Alignment::Staggered);
        let keeps = match prepared.scenario.scheduler.affinity {
            Affinity::None => false,
            Affinity::BackToBack => true,
            other @ (Affinity::LastScheduled
            | Affinity::MostRecent
            | Affinity::MostRecentAvailable
            | Affinity::DirectedMigration) => return Err(NotNative::Affinity(other.name())),
        };
        let quantum = prepared.platform.quantum.as_ns();
        if !(LEAST_QUANTUM..1 << 50).contains(&quantum) {
            return Err(NotNative::Quantum(prepared.platform.quantum));
        }
        let of_cluster = |setup: &ClusterSetup<'_>| weights(setup).expect("the scheduler takes the tasks");
        let all: Vec<Weight> = prepared.for_each_cluster(of_cluster).concat();
        if exceeds(all.iter().copied(), prepared.platform.processors().into()) {
            return Err(NotNative::Succession);
        }
        let last = prepared.setup().horizon.as_ns() / quantum + 1;
        let budgets = prepared.scenario.overruns != Overrun::Ignore;
        let share = |(index, weight): (usize, &Weight)| {
            let name = || prepared.scenario.tasks[index].name.clone();
            if weight.slots() > QuantumShare::MOST_SLOTS || !packs(*weight, last) {
                return Err(NotNative::Windows(name()));
            }
            if weight.slots().div_ceil(weight.quanta()).saturating_mul(quantum) > LONGEST_WINDOW {
                return Err(NotNative::Apart(name()));
            }
            let budget = budgets.then(|| prepared.tasks[index].wcet.as_ns());
            Ok(QuantumShare { quanta: weight.quanta(), slots: weight.slots(), early, budget })
        };
        let shares = all.iter().enumerate().map(share).collect::<Result<_, _>>()?;
        Ok(Quanta { shares, staggered, keeps, quantum })
    }
}

/// The longest window of a subtask, in ns. A ready thread may wait for the end of one, and of the next one, and the
/// kernel ends a scheduler that lets a ready thread wait for 30 s.
const LONGEST_WINDOW: u64 = 10_000_000_000;

/// The shortest quantum that a timer of the kernel's is to be set for, in ns.
const LEAST_QUANTUM: u64 = 100_000;

/// Refuses what the kernel does not do for jobs by quanta.
fn refuse_steps(prepared: &Prepared) -> Result<(), NotNative> {
    if !prepared.resources.is_empty() {
        return Err(NotNative::Shared);
    }
    if !prepared.supertasks.is_empty() {
        return Err(NotNative::Supertasks);
    }
    if prepared.platform.releases == ReleasePoint::Tick {
        return Err(NotNative::Ticks);
    }
    if prepared.scenario.overruns == Overrun::Cut {
        return Err(NotNative::Cut);
    }
    let keeps_processor = |step: &Step| matches!(step, Step::NpEnter | Step::NpExit);
    match prepared.tasks.iter().position(|task| task.program.iter().any(keeps_processor)) {
        Some(index) => Err(NotNative::Sections(prepared.scenario.tasks[index].name.clone())),
        None => Ok(()),
    }
}

/// True if the priorities of all subtasks of this weight that may execute until slot `last` fit into points.
fn packs(weight: Weight, last: u64) -> bool {
    let idle = weight.slots() - weight.quanta();
    // Cascades are at most as long as it takes to idle once, rounded up.
    let fits = idle == 0 || weight.slots() / idle + 3 < 1 << 21;
    fits && pack(&Stream::new(weight, false, last + weight.slots()), 0).is_some()
}

/// A quantum: its begin, its processor, and the job that was given it.
type Given = (Instant, CpuId, JobId);

/// Has the engine decide again what the kernel recorded of quanta, and gives `outcome` its decisions. Returns the
/// inputs, and the number of quanta that one of the two gave to a job and the other did not.
pub(crate) fn decide_again(
    outcome: &mut Outcome,
    setup: &Setup,
    records: &[KernelRecord],
    numbers: &Numbers<'_>,
    domain: DomainSetup,
) -> (Vec<(Instant, JobId, EngineInput)>, u64) {
    let end = setup.horizon;
    let inputs = inputs_of(records, numbers, 1, end).swap_remove(0);
    let mut decided = replay(domain, setup, &inputs);
    let mut by_kernel = given_by_kernel(records, numbers, end);
    let mut by_engine = given_by_engine(&decided.records);
    by_kernel.sort_unstable();
    by_engine.sort_unstable();
    let other_choices = differences(&by_kernel, &by_engine);
    outcome.summary.jobs_arrived += decided.summary.jobs_arrived;
    outcome.summary.jobs_completed += decided.summary.jobs_completed;
    outcome.summary.jobs_missed += decided.summary.jobs_missed;
    outcome.summary.instants += decided.summary.instants;
    outcome.decisions.append(&mut decided.records);
    (inputs, other_choices)
}

/// The quanta before `end` that the kernel gave.
fn given_by_kernel(records: &[KernelRecord], numbers: &Numbers<'_>, end: Instant) -> Vec<Given> {
    let given = |record: &KernelRecord| {
        let KernelEvent::Given { processor } = record.what else { return None };
        let place = numbers.processors.iter().position(|known| *known == processor as usize)?;
        let at = Instant::from_ns(record.at.saturating_sub(numbers.zero));
        Some((at, CpuId(place as u16), JobId::new(TaskId(record.index - 1), record.job - 1)))
    };
    records.iter().filter_map(given).filter(|(at, ..)| *at < end).collect()
}

/// The quanta that the engine gave.
fn given_by_engine(records: &[(Instant, Record)]) -> Vec<Given> {
    let given = |(at, record): &(Instant, Record)| match *record {
        Record::Subtask { cpu, job, .. } => Some((*at, cpu, job)),
        schedlab_trace::about![
            lives, places, urgencies, requests, attempts, Quantum, Waste, overheads, servers, tasks, trace
        ] => None,
    };
    records.iter().filter_map(given).collect()
}

/// Number of elements of two sorted lists that the other one lacks.
fn differences(one: &[Given], other: &[Given]) -> u64 {
    let lacks = |all: &[Given], part: &[Given]| {
        part.iter().filter(|it| all.binary_search(it).is_err()).count() as u64
    };
    lacks(one, other) + lacks(other, one)
}
