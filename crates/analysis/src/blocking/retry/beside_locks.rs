//! Operations that jobs try again, beside resources that they wait for.
//!
//! Devi, Leontyev and Anderson, ECRTS 2006: retries follow from how many jobs arrive, and count as execution. So the
//! bound of [`super::lock_free`] comes first, and a method for the locks judges tasks that cost as much more and share
//! what is locked alone.
//!
//! Jobs that wait may suspend themselves, or hold back more urgent ones: a job that preempts another need not be
//! complete before that one goes on. So each operation of another job counts, on whichever processor it is executed.
//!
//! *Why that may be judged at deadlines.* Take the first job that misses its deadline. Until then each job is pending
//! for no longer than its relative deadline, so that none repeats more than was counted. Until then the jobs thus are
//! some of those that the method speaks of, under which no job is late.

use super::lock_free::{bounds, OwnProcessor};
use crate::blocking::{Case, Locking, Sections, Terms};
use crate::reason::Reason;
use schedlab_model::{LockingClass, ResourceId, Step, Task, Work};

/// Tasks with their retries as execution, that share what is locked.
#[derive(Clone, Debug)]
pub(crate) struct WithRetries {
    pub(crate) tasks: Vec<Task>,
    /// By task: the longest time that one job's retries take.
    pub(crate) retries: Vec<Terms>,
}

impl WithRetries {
    /// Adds the retries of `case` to its tasks' costs. `None` if no resource is retried beside locks, an error if there
    /// is no bound.
    pub(crate) fn of(case: &Case<'_>) -> Option<Result<Self, Reason>> {
        case.locking.attempts.contains(&true).then(|| {
            let tried = |resource: ResourceId| case.locking.attempts[resource.index()];
            let tried_alone: Vec<Task> = case.tasks.iter().map(|task| with_requests(task, tried)).collect();
            let locking = Locking { class: LockingClass::LockFree, attempts: &[], ..case.locking };
            let tries = Case { tasks: &tried_alone, locking, ..*case };
            let sharing = tries.sharing(Sections::Flat).map_err(Reason::Sharing)?;
            let longest = sharing.longest_responses();
            let retries = bounds(&sharing, tries.locking.fails, &longest, OwnProcessor::Beside);
            let costlier = |(task, retries): (&Task, &Terms)| {
                let wcet = task.wcet.as_ns().checked_add(retries.total()?)?;
                Some(Task { wcet: Work::from_ns(wcet), ..with_requests(task, |resource| !tried(resource)) })
            };
            let tasks: Option<Vec<Task>> = case.tasks.iter().zip(&retries).map(costlier).collect();
            tasks.map(|tasks| WithRetries { tasks, retries }).ok_or(Reason::BlockingNotBounded)
        })
    }

    /// The case of these tasks.
    pub(crate) fn case<'a>(&'a self, case: &Case<'a>) -> Case<'a> {
        Case { tasks: &self.tasks, locking: Locking { attempts: &[], ..case.locking }, ..*case }
    }
}

/// The task with requests of these resources; its other sections are plain execution.
pub fn with_requests(task: &Task, of: impl Fn(ResourceId) -> bool) -> Task {
    let mut task = task.clone();
    task.program.retain(|step| match step {
        Step::Request(resource, _) | Step::Release(resource, _) => of(*resource),
        Step::Serve(_) | Step::Execute(_) | Step::Suspend(_) | Step::NpEnter | Step::NpExit => true,
    });
    task
}
