//! The jobs of a task's thread that no engine releases: the thread draws them from their source one after the other.

use crate::task::current::Current;
use schedlab_model::{Duration, Instant, JobSource, NextJob, Step, TaskId};

/// The source of a thread's jobs, and how many were drawn from it.
pub(crate) struct DrawnJobs {
    source: Box<dyn JobSource + Send>,
    relative_deadline: Duration,
    drawn: u32,
    steps: Vec<Step>,
    /// The job after the current one, if it was looked at: none if there is none.
    ahead: Option<Option<NextJob>>,
}

impl DrawnJobs {
    /// The jobs of a task whose programs have up to `steps` steps.
    pub(crate) fn of(source: Box<dyn JobSource + Send>, relative_deadline: Duration, steps: usize) -> Self {
        DrawnJobs { source, relative_deadline, drawn: 0, steps: Vec::with_capacity(steps + 1), ahead: None }
    }

    /// Makes the next job the thread's `current` one. None if there is none any more.
    pub(crate) fn draw(&mut self, current: &mut Current<'_>) -> Option<NextJob> {
        let next = self.look_ahead(current.job.task)?;
        self.ahead = None;
        current.job.number = self.drawn;
        self.drawn += 1;
        current.arrival = next.arrival;
        current.absolute_deadline =
            next.arrival.checked_add(self.relative_deadline).unwrap_or(Instant::NEVER);
        Some(next)
    }

    /// The job of `task` that is drawn next. None if there is none any more.
    pub(crate) fn look_ahead(&mut self, task: TaskId) -> Option<NextJob> {
        if self.ahead.is_none() {
            self.steps.clear();
            self.ahead = Some(self.source.next_job(task, &mut self.steps));
        }
        self.ahead.flatten()
    }

    /// Number of jobs that were drawn.
    pub(crate) fn count(&self) -> u32 {
        self.drawn
    }
}
