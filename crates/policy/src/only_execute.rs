//! Tasks that published optimal schedulers speak of: jobs that do nothing but execute.

use crate::setup::{ClusterSetup, SetupError};
use schedlab_model::{Instant, Step, Task, TaskId};

/// A requirement that a task may fail to meet.
type Requirement = (fn(&Task) -> bool, &'static str);

/// Jobs execute from their arrival on, and neither wait nor lock out others.
const PLAIN: &[Requirement] = &[
    (
        |task| !task.is_server() && !task.program.iter().any(|step| matches!(step, Step::Request(..) | Step::NpEnter)),
        "requests and non-preemptive sections: the scheduler takes processors from jobs at times of its own; allowed: \
         tasks without sections",
    ),
    (
        |task| task.suspension_bound().is_zero(),
        "self-suspension: the scheduler reckons with jobs that can execute until they are complete; allowed: tasks \
         without self-suspension",
    ),
];

/// Jobs are due when their tasks' next ones may arrive.
const IMPLICIT: &[Requirement] = &[
    (
        |task| task.relative_deadline == task.period,
        "a relative deadline that is not the period: the scheduler is published for implicit deadlines; allowed: \
         deadlines equal to periods",
    ),
    (
        |task| task.jitter.is_zero(),
        "jitter: the scheduler gives a job its share from its arrival on; allowed: jobs released as they arrive",
    ),
];

/// Tasks arrive together, from time zero on.
const SYNCHRONOUS: &[Requirement] = &[
    (
        |task| task.offset == Instant::ZERO && task.join == Instant::ZERO,
        "a first arrival after time zero: the scheduler plans from deadline to deadline for tasks that arrive together \
         at time zero; allowed: offset 0, and no join",
    ),
];

/// Refuses tasks of the cluster whose jobs do more than execute.
pub(crate) fn plain(setup: &ClusterSetup<'_>) -> Result<(), SetupError> {
    check(setup, PLAIN)
}

/// Refuses tasks of the cluster whose jobs do more than execute, and those that have deadlines other than their
/// periods, or jitter.
pub(crate) fn plain_and_implicit(setup: &ClusterSetup<'_>) -> Result<(), SetupError> {
    plain(setup)?;
    check(setup, IMPLICIT)
}

/// Refuses tasks of the cluster whose jobs do more than execute, and those that do not arrive first at time zero, or
/// have deadlines other than their periods, or jitter.
pub(crate) fn plain_and_synchronous(setup: &ClusterSetup<'_>) -> Result<(), SetupError> {
    plain_and_implicit(setup)?;
    check(setup, SYNCHRONOUS)
}

fn check(setup: &ClusterSetup<'_>, requirements: &[Requirement]) -> Result<(), SetupError> {
    for (index, task) in (0..).zip(setup.tasks).filter(|(_, task)| task.cluster == setup.cluster) {
        if let Some((_, why)) = requirements.iter().find(|(holds, _)| !holds(task)) {
            return Err(SetupError::NotForTask { task: TaskId(index), why });
        }
    }
    Ok(())
}
