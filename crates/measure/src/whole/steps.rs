//! Steps of a measurement.

use super::row::MeasuredRow;
use crate::bench::Bench;
use crate::costs::cache::{self, Access, Case};
use crate::costs::{calls, noise};
use crate::machine::topology::{pairs, Path};
use crate::runs::findings::{self, Findings};
use crate::runs::{locking, real, sets};
use crate::values::samples::Samples;
use schedlab_lab::Prepared;
use schedlab_lock::{find_protocol, Ceilings, Protocol, ALL_PROTOCOLS};
use schedlab_model::{Alignment, Duration, OverheadKind};
use schedlab_policy::find as find_scheduler;
use schedlab_runtime::program::system;
use schedlab_runtime::Outcome;
use serde_json::{json, Value};

/// Extent of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Extent {
    /// The schedulers whose overheads are measured.
    pub(crate) schedulers: Vec<String>,
    /// The protocols whose overheads are measured.
    pub(crate) protocols: Vec<String>,
    /// Sizes of task sets.
    pub(crate) tasks: Vec<usize>,
    /// Number of task sets of each size.
    pub(crate) sets: u64,
    /// Length of each run.
    pub(crate) length: Duration,
    /// Working sets, in bytes.
    pub(crate) bytes: Vec<usize>,
    /// Number of times that each thing is measured, where it is counted in times.
    pub(crate) rounds: usize,
}

impl Extent {
    /// Writes the extent for the head of a file of measurements.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "schedulers": self.schedulers, "protocols": self.protocols, "tasks": self.tasks, "sets": self.sets,
            "length_ns": self.length.as_ns(), "bytes": self.bytes, "rounds": self.rounds,
        })
    }
}

/// Accesses that are measured. An overheads file is made of the first: every line is written.
pub(crate) const ACCESSES: [Access; 4] =
    [Access::Writes(64), Access::Writes(16), Access::Writes(4), Access::Reads(64)];

/// One thing to measure.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Noise of the machine.
    Noise,
    /// A system call that does nothing.
    SystemCall,
    /// A move of a thread by the kernel.
    Migration(Path, usize, usize),
    /// A signal to another processor.
    Interrupt(Path, usize, usize),
    /// Working sets after preemptions and migrations.
    Cache(Case),
    /// Releases, decisions, switches under a scheduler.
    Set {
        /// Name of the scheduler.
        scheduler: String,
        /// Size of the set.
        tasks: usize,
        /// Number of the set of that size.
        index: u64,
    },
    /// A protocol's calls.
    Locks(&'static Protocol),
    /// The end of a non-preemptive section.
    NonPreemptive,
}

/// All steps of `extent` on `processors`.
pub(crate) fn steps(extent: &Extent, processors: &[usize]) -> Result<Vec<Step>, String> {
    let mut steps = vec![Step::Noise, Step::SystemCall];
    for (path, from, to) in pairs(processors).into_iter().filter(|(path, ..)| *path != Path::SameCore) {
        steps.extend([Step::Migration(path, from, to), Step::Interrupt(path, from, to)]);
    }
    for &bytes in &extent.bytes {
        for access in ACCESSES {
            for alignment in [Alignment::Aligned, Alignment::Staggered] {
                let case = |kind, shift| Step::Cache(Case { kind, bytes, access, alignment, shift });
                steps.push(case(OverheadKind::CacheRelatedPreemption, 0));
                steps.extend(
                    (1..processors.len()).map(|shift| case(OverheadKind::CacheRelatedMigration, shift)),
                );
            }
        }
    }
    for scheduler in &extent.schedulers {
        find_scheduler(scheduler).map_err(|error| error.to_string())?;
        for &tasks in &extent.tasks {
            let set = |index| Step::Set { scheduler: scheduler.clone(), tasks, index };
            steps.extend((0..extent.sets).map(set));
        }
    }
    for name in &extent.protocols {
        let protocol = find_protocol(name).map_err(|error| error.to_string())?;
        steps.push(Step::Locks(protocol));
    }
    steps.push(Step::NonPreemptive);
    Ok(steps)
}

/// The protocols that run for real: not those that need quanta, nor attempts.
pub(crate) fn protocols() -> Vec<String> {
    let real = |protocol: &&Protocol| protocol.ceilings != Ceilings::Quanta && !protocol.attempts();
    ALL_PROTOCOLS.iter().filter(real).map(|protocol| protocol.name.to_owned()).collect()
}

/// Number of tasks with non-preemptive sections.
const FEW: usize = 8;

impl Step {
    /// Name of the step, by which it is known to be done.
    pub(crate) fn name(&self) -> String {
        match self {
            Step::Noise => "noise of the machine".to_owned(),
            Step::SystemCall => "system call".to_owned(),
            Step::Migration(path, ..) => format!("the kernel's migration, {}", path.as_ref()),
            Step::Interrupt(path, ..) => format!("interrupt, {}", path.as_ref()),
            Step::Cache(case) => format!(
                "{} of {} KiB, {}, {}, {} on",
                case.kind.name(),
                case.bytes >> 10,
                case.access.text(),
                alignment(case.alignment),
                case.shift
            ),
            Step::Set { scheduler, tasks, index } => format!("{scheduler}, {tasks} tasks, set {index}"),
            Step::Locks(protocol) => format!("locks under {}", protocol.name),
            Step::NonPreemptive => "non-preemptive sections".to_owned(),
        }
    }

    /// Measures the step. Fails, with the reason, if the machine does not allow it.
    pub(crate) fn measure(&self, extent: &Extent, bench: &Bench) -> Result<Vec<MeasuredRow>, String> {
        let row = |what: &str, samples: Samples| samples.kept().map(|kept| MeasuredRow::new(what, kept));
        let by_path =
            |path: Path, row: MeasuredRow| MeasuredRow { path: Some(path.as_ref().to_owned()), ..row };
        let rounds = extent.rounds;
        Ok(match self {
            Step::Noise => {
                bench.processors.iter().filter_map(|cpu| row("noise", noise::gaps(*cpu))).collect()
            }
            Step::SystemCall => {
                row("system_call", calls::system_call(bench.processors[0], rounds * 10)).into_iter().collect()
            }
            Step::Migration(path, from, to) => {
                let found = row("kernel_migration", calls::migration(*from, *to, rounds));
                found.map(|row| by_path(*path, row)).into_iter().collect()
            }
            Step::Interrupt(path, from, to) => {
                let found = calls::interrupt(*from, *to, rounds).map_err(|error| error.to_string())?;
                row("interrupt", found).map(|row| by_path(*path, row)).into_iter().collect()
            }
            Step::Cache(case) => cache_rows(*case, rounds, bench),
            Step::Set { scheduler, tasks, index } => {
                set_rows(scheduler, *tasks, *index, extent.length, bench)?
            }
            Step::Locks(protocol) => lock_rows(protocol, extent.length, bench)?,
            Step::NonPreemptive => {
                let scenario = sets::non_preemptive(FEW, bench.count(), extent.length)?;
                let found = dispatching(&real::run(&scenario, bench.burner, &bench.stop)?, false);
                found
                    .into_iter()
                    .filter(|(what, _)| *what == findings::LEAVING)
                    .filter_map(|(what, all)| row(what, all))
                    .collect()
            }
        })
    }
}

/// Name of an alignment in the file.
pub(crate) fn alignment(alignment: Alignment) -> &'static str {
    match alignment {
        Alignment::Aligned => "aligned",
        Alignment::Staggered => "staggered",
    }
}

fn cache_rows(case: Case, rounds: usize, bench: &Bench) -> Vec<MeasuredRow> {
    let found = cache::measure(case, &bench.processors, rounds, &bench.stop);
    let row = |(path, samples): (Path, Samples)| {
        samples.kept().map(|kept| MeasuredRow {
            bytes: Some(case.bytes),
            access: Some(case.access.text()),
            alignment: Some(alignment(case.alignment).to_owned()),
            path: Some(path.as_ref().to_owned()),
            ..MeasuredRow::new(case.kind.name(), kept)
        })
    };
    found.into_iter().filter_map(row).collect()
}

fn set_rows(
    scheduler: &str,
    tasks: usize,
    index: u64,
    length: Duration,
    bench: &Bench,
) -> Result<Vec<MeasuredRow>, String> {
    let quanta = find_scheduler(scheduler).map_err(|error| error.to_string())?.quanta.is_some();
    let scenario = sets::set(scheduler, quanta, tasks, bench.count(), index, length)?;
    let found = dispatching(&real::run(&scenario, bench.burner, &bench.stop)?, quanta);
    let row = |(what, samples): (&str, Samples)| {
        samples.kept().map(|kept| MeasuredRow {
            scheduler: Some(scheduler.to_owned()),
            tasks: Some(tasks),
            set: Some(index),
            ..MeasuredRow::new(what, kept)
        })
    };
    Ok(found.into_iter().filter_map(row).collect())
}

fn lock_rows(protocol: &Protocol, length: Duration, bench: &Bench) -> Result<Vec<MeasuredRow>, String> {
    let processors = locking::processors(protocol, bench.count());
    let found = locking::measure(protocol, processors, length, bench.burner, &bench.stop)?;
    let row = |((what, waiters), samples): ((&str, usize), Samples)| {
        samples.kept().map(|kept| MeasuredRow {
            scheduler: Some(sets::scheduler_for(protocol).to_owned()),
            protocol: Some(protocol.name.to_owned()),
            waiters: Some(waiters),
            ..MeasuredRow::new(what, kept)
        })
    };
    Ok(found.into_iter().filter_map(row).collect())
}

fn dispatching((prepared, outcome): &(Prepared, Outcome), quanta: bool) -> Findings {
    findings::of_dispatching(outcome, &system::domain_of_processor(prepared), quanta)
}
