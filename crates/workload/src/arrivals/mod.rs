//! How do jobs arrive, and what does each of them do?
//!
//! A [`SourceSpec`] defines for one task when its jobs arrive ([`Arrivals`]) and what they cost ([`Costs`]). The task
//! itself defines how much later they are released and how they suspend themselves. [`job_source`] makes a source of
//! jobs from the specs of a task set: the fast [`PeriodicSource`] where nothing is left to chance, else a
//! [`RandomSource`].
//!
//! Each of the four has its own stream of random numbers for each task, so the jobs of a task depend neither
//! on other tasks nor on the order in which a simulator asks, and arrivals stay as they are when only the
//! costs are drawn differently.

mod costs;
mod pattern;
mod periodic;
mod random_source;
mod suspensions;

pub use costs::Costs;
pub use pattern::Arrivals;
pub use periodic::PeriodicSource;
pub use random_source::RandomSource;

use crate::random::Random;
use schedlab_model::{Duration, JobSource, Step, Suspension, Task, TaskId, Work};

/// Rules for the jobs of one task. The default is a periodic task at its worst.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceSpec {
    /// Arrivals of the jobs.
    pub arrivals: Arrivals,
    /// Costs of the jobs.
    pub costs: Costs,
}

/// Reason why a task has no source of jobs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// There must be one spec for each task.
    #[error("{specs} source specs for {tasks} tasks; allowed: one for each")]
    WrongNumberOfSpecs {
        /// Number of tasks.
        tasks: usize,
        /// Number of specs.
        specs: usize,
    },
    /// A period of zero lets infinitely many jobs arrive at once.
    #[error("the period of {0} is 0; allowed: 1 ns and above")]
    NoPeriod(TaskId),
    /// Jobs of cost zero.
    #[error("a job of {0} costs 0; allowed: 1 ns and above")]
    NoCost(TaskId),
    /// A job costs more than the WCET.
    #[error("a job of {task} costs {cost}; allowed: up to its wcet of {wcet}")]
    Overrun {
        /// Task of the job.
        task: TaskId,
        /// Cost of the job.
        cost: Work,
        /// WCET of the task.
        wcet: Work,
    },
    /// The least cost of a range is above the most.
    #[error("the costs of {task} are between {least} and {most}; allowed: the smaller one first")]
    NoRange {
        /// Task of the costs.
        task: TaskId,
        /// Least cost.
        least: Work,
        /// Greatest cost.
        most: Work,
    },
    /// Listed arrivals go back in time.
    #[error("the listed arrivals of {0} go back in time; allowed: rising times")]
    UnorderedArrivals(TaskId),
    /// The `Execute` steps of a program do not add up to the WCET.
    #[error(
        "the program of {task} executes for {}; allowed: its wcet of {wcet}",
        .program.map_or_else(|| "more than 2^64 ns".to_owned(), |program| program.to_string())
    )]
    ProgramCost {
        /// Task of the program.
        task: TaskId,
        /// Sum of its `Execute` steps; `None` beyond 2^64 ns.
        program: Option<Work>,
        /// WCET of the task.
        wcet: Work,
    },
    /// The task's program has a `Suspend` step, but its suspension is not segmented.
    #[error("the program of {0} suspends, but its suspension is not segmented")]
    UnannouncedSuspension(TaskId),
}

/// Makes the source of jobs of `tasks`, where `specs[i]` has the rules for task `i`.
pub fn job_source(
    tasks: &[Task],
    specs: &[SourceSpec],
    seed: u64,
) -> Result<Box<dyn JobSource + Send>, SourceError> {
    let varies = |task: &Task| !task.jitter.is_zero() || matches!(task.suspension, Suspension::Dynamic(_));
    let plain = SourceSpec::default();
    if specs.len() == tasks.len() && specs.iter().all(|spec| *spec == plain) && !tasks.iter().any(varies) {
        return Ok(Box::new(PeriodicSource::new(tasks)?));
    }
    Ok(Box::new(RandomSource::new(tasks, specs, seed)?))
}

/// Draws a duration, uniform in `0..=most`.
fn up_to(most: Duration, random: &mut Random) -> Duration {
    match most.is_zero() {
        true => most,
        false => Duration::from_ns(random.between(0, most.as_ns())),
    }
}

/// Checks what both sources demand of a task.
fn check(id: TaskId, task: &Task) -> Result<(), SourceError> {
    if task.period.is_zero() {
        return Err(SourceError::NoPeriod(id));
    }
    if task.wcet.is_zero() {
        return Err(SourceError::NoCost(id));
    }
    let suspends = task.program.iter().any(|step| matches!(step, Step::Suspend(_)));
    if suspends && task.suspension != Suspension::Segmented {
        return Err(SourceError::UnannouncedSuspension(id));
    }
    let executed = task.program.iter().try_fold(0u64, |sum, step| match step {
        Step::Execute(work) => sum.checked_add(work.as_ns()),
        Step::Suspend(_)
        | Step::Request(..)
        | Step::Release(..)
        | Step::Serve(_)
        | Step::NpEnter
        | Step::NpExit => Some(sum),
    });
    let executed = executed.map(Work::from_ns);
    if !task.program.is_empty() && executed != Some(task.wcet) {
        return Err(SourceError::ProgramCost { task: id, program: executed, wcet: task.wcet });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
