//! Utility of the completions of a task's jobs.

use super::TaskMetrics;
use schedlab_model::{Duration, Task, TimeUtility, Utility};

/// The time/utility function of a task's jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worth {
    function: TimeUtility,
    relative_deadline: Duration,
    /// Utility of the completion of an abort handler.
    handled: Utility,
}

impl Worth {
    /// Utility functions of the jobs of `task`.
    pub fn of(task: &Task) -> Self {
        Worth {
            function: task.time_utility().clone(),
            relative_deadline: task.relative_deadline,
            handled: task.abort_handler.map_or(Utility::ZERO, |handler| handler.utility),
        }
    }

    /// Returns the utility of a job's completion at `elapsed` after its arrival.
    pub(crate) fn of_completion(&self, elapsed: Duration) -> Utility {
        self.function.after(elapsed, self.relative_deadline)
    }

    /// Returns the utility of the end of a job that was given up. If it had begun, its abort handler is complete.
    pub(crate) fn of_abort(&self, has_begun: bool) -> Utility {
        if has_begun {
            self.handled
        } else {
            Utility::ZERO
        }
    }

    /// Returns the utility of a completion at the arrival.
    pub(crate) fn largest(&self) -> Utility {
        self.function.largest()
    }

    /// Adds the utility of a job that arrived `elapsed` ns ago and is complete.
    pub(super) fn complete(&self, elapsed: u64, task: &mut TaskMetrics) {
        task.accrued += u128::from(self.of_completion(Duration::from_ns(elapsed)).as_millionths());
        self.lose(task);
    }

    /// Adds the utility of a job that was given up.
    pub(super) fn abort(&self, has_begun: bool, task: &mut TaskMetrics) {
        task.accrued += u128::from(self.of_abort(has_begun).as_millionths());
        self.lose(task);
    }

    /// Adds a job whose completion can have no utility any more.
    fn lose(&self, task: &mut TaskMetrics) {
        task.attainable += u128::from(self.largest().as_millionths());
    }

    /// Handles a job that arrived `elapsed` ns ago and is not complete at the end. It counts if it cannot accrue
    /// anything more.
    pub(super) fn end(&self, elapsed: u64, task: &mut TaskMetrics) {
        if elapsed >= self.function.termination(self.relative_deadline).as_ns() {
            self.lose(task);
        }
    }
}
