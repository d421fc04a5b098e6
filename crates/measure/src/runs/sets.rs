//! The task sets that run while the runtime's own overheads are measured.

use schedlab_lock::{Ceilings, Length, Protocol, Reach};
use schedlab_model::{Duration, Instant, ResourceId, Step, Work};
use schedlab_scenario::{Errors, ResourceSpec, Scenario, TaskSpec};
use schedlab_workload::generate::{Generator, Spec};

/// Part of each processor that the jobs use: enough to preempt one another, little enough to leave no backlog.
const SHARE: f64 = 0.6;
/// Sum of Pfair weights, as a part of the processors.
const WEIGHTS: f64 = 0.8;
/// Work of a job under a Pfair scheduler in its quantum.
const OF_A_QUANTUM: Work = Work::from_ns(300_000);

/// A set of `tasks` tasks for `scheduler` on so many processors, the `index`th of its kind, that runs for `length`.
///
/// Periods from 10 to 100 ms as in block-or-not-2008, section 4.2; under a Pfair scheduler whole milliseconds, so that
/// the weights of one quantum a period fit the processors.
pub(crate) fn set(
    scheduler: &str,
    quanta: bool,
    tasks: usize,
    processors: u16,
    index: u64,
    length: Duration,
) -> Result<Scenario, String> {
    let specs =
        if quanta { whole_quanta(tasks, processors, index) } else { drawn(tasks, processors, index)? };
    finish(of_tasks(specs, processors, length), scheduler)
}

/// Makes a scenario of these tasks on `processors` processors, for `length`.
pub(crate) fn of_tasks(tasks: Vec<TaskSpec>, processors: u16, length: Duration) -> Scenario {
    let mut scenario = Scenario::new(tasks);
    scenario.platform.processors = processors;
    scenario.horizon = Instant::from_ns(length.as_ns());
    scenario
}

fn drawn(tasks: usize, processors: u16, index: u64) -> Result<Vec<TaskSpec>, String> {
    let total = SHARE * (tasks as f64).min(processors.into());
    let spec = Spec {
        utilization: "uunifast-discard".to_owned(),
        periods: "uniform 10ms 100ms".to_owned(),
        deadlines: "implicit".to_owned(),
        stop: format!("tasks {tasks} total {total}"),
    };
    let generator = Generator::parse(&spec).map_err(|error| error.to_string())?;
    let set = generator.generate(0, index).map_err(|error| error.to_string())?;
    Ok(set
        .iter()
        .enumerate()
        .map(|(number, task)| TaskSpec::new(format!("t{number}"), task.wcet, task.period))
        .collect())
}

fn whole_quanta(tasks: usize, processors: u16, index: u64) -> Vec<TaskSpec> {
    let least = (tasks as f64 / (WEIGHTS * f64::from(processors))).ceil().max(10.0) as u64;
    let period = |at: u64| Duration::from_ms(least + (at * 7 + index) % 10);
    (0..tasks as u64).map(|at| TaskSpec::new(format!("t{at}"), OF_A_QUANTUM, period(at))).collect()
}

/// Number of tasks that share a resource in [`with_sections`].
const GROUP: usize = 5;

/// Makes a set as [`set`] does, for schedulers without quanta; each job executes a quarter of its cost in a section
/// under the FMLP whose waiting jobs suspend themselves, and a quarter in a non-preemptive section.
pub(crate) fn with_sections(
    scheduler: &str,
    tasks: usize,
    processors: u16,
    index: u64,
    length: Duration,
) -> Result<Scenario, String> {
    let mut scenario = set("G-EDF", false, tasks, processors, index, length)?;
    for (number, task) in scenario.tasks.iter_mut().enumerate() {
        let quarter = Work::from_ns(task.wcet.as_ns() / 4);
        let rest = task.wcet - quarter - quarter - quarter;
        let resource = ResourceId((number / GROUP) as u32);
        task.program = vec![
            Step::Execute(quarter),
            Step::Request(resource, 1),
            Step::Execute(quarter),
            Step::Release(resource, 1),
            Step::NpEnter,
            Step::Execute(quarter),
            Step::NpExit,
            Step::Execute(rest),
        ];
    }
    let resource = |number| ResourceSpec { length: Length::Long, ..ResourceSpec::new(format!("r{number}")) };
    scenario.resources = (0..tasks.div_ceil(GROUP)).map(resource).collect();
    scenario.protocol = "fmlp-long".to_owned();
    finish(scenario, scheduler)
}

/// Makes tasks with a non-preemptive section, such that some preemption is delayed.
pub(crate) fn non_preemptive(tasks: usize, processors: u16, length: Duration) -> Result<Scenario, String> {
    let part = Work::from_ns(100_000);
    let specs = (0..tasks).map(|index| {
        let period = Duration::from_us(5_000 + 700 * index as u64);
        let mut task = TaskSpec::new(format!("t{index}"), part + part + part, period);
        task.program =
            vec![Step::Execute(part), Step::NpEnter, Step::Execute(part), Step::NpExit, Step::Execute(part)];
        task
    });
    finish(of_tasks(specs.collect(), processors, length), "G-EDF")
}

/// Returns a scheduler under which the protocol works.
pub(crate) fn scheduler_for(protocol: &Protocol) -> &'static str {
    match (protocol.reach, protocol.ceilings) {
        (Reach::Global, Ceilings::Priorities) => "G-RM",
        (Reach::Global, Ceilings::None | Ceilings::Levels | Ceilings::Jobs | Ceilings::Quanta) => "G-EDF",
        (Reach::Local | Reach::Partitioned | Reach::Any, Ceilings::Priorities) => "P-RM",
        (
            Reach::Local | Reach::Partitioned | Reach::Any,
            Ceilings::None | Ceilings::Levels | Ceilings::Jobs | Ceilings::Quanta,
        ) => "P-EDF",
    }
}

/// Sets the scheduler of `scenario`; fails, with the reason, if the two do not go together.
pub(crate) fn finish(scenario: Scenario, scheduler: &str) -> Result<Scenario, String> {
    let whole = |errors: Errors| errors.to_string();
    let scenario = scenario.with_scheduler(scheduler).map_err(whole)?;
    scenario.check().map_err(whole)?;
    Ok(scenario)
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_lab::Prepared;

    #[test]
    fn every_set_can_be_prepared() {
        for (scheduler, quanta) in [("P-EDF", false), ("G-EDF", false), ("PD2", true), ("S-PD2", true)] {
            for (tasks, processors) in [(10, 2), (100, 2), (100, 1), (20, 48)] {
                let set = set(scheduler, quanta, tasks, processors, 3, Duration::from_ms(100));
                let set = set.unwrap_or_else(|why| panic!("{scheduler} {tasks} on {processors}: {why}"));
                assert_eq!(set.tasks.len(), tasks);
                Prepared::new(&set)
                    .unwrap_or_else(|why| panic!("{scheduler} {tasks} on {processors}: {why}"));
            }
        }
        for scheduler in ["P-EDF", "G-EDF"] {
            let shared = with_sections(scheduler, 12, 2, 3, Duration::from_ms(100)).unwrap();
            assert_eq!((shared.resources.len(), shared.tasks[0].program.len()), (3, 8));
            Prepared::new(&shared).unwrap_or_else(|why| panic!("{scheduler}: {why}"));
        }
        assert!(Prepared::new(&non_preemptive(6, 2, Duration::from_ms(10)).unwrap()).is_ok());
    }
}
