//! Jobs of a live run that were given up, for their threads.

use schedlab_model::JobId;

/// What threads have to be told of jobs that were given up.
#[derive(Clone, Debug, Default)]
pub(crate) struct GivenUp {
    /// Costs are not known: threads say when their jobs are complete.
    costs_are_open: bool,
    /// Then, jobs that were given up and whose threads have not heard of it: at most one of each task.
    unheard: Vec<JobId>,
}

impl GivenUp {
    /// Those of a live run of so many tasks.
    pub(crate) fn live(tasks: usize) -> Self {
        GivenUp { costs_are_open: true, unheard: Vec::with_capacity(tasks) }
    }

    /// True if costs are not known.
    pub(crate) fn costs_are_open(&self) -> bool {
        self.costs_are_open
    }

    /// The thread of `job` has to hear that it was given up.
    pub(crate) fn tell(&mut self, job: JobId) {
        self.unheard.push(job);
    }

    /// The next job whose thread has to hear that it was given up.
    pub(crate) fn next_given_up(&mut self) -> Option<JobId> {
        self.unheard.pop()
    }
}
