//! Jobs of a live run that were given up, for the notification of their threads. Simulations do not use them.

use schedlab_model::JobId;

/// Jobs that were given up and whose threads have yet to be notified.
#[derive(Clone, Debug, Default)]
pub(crate) struct GivenUp {
    /// True if a thread that asks for a resource can go on without it.
    pub may_go_without: bool,
    /// Jobs that were given up and whose threads were not notified of it: at most one of each task.
    unheard: Vec<JobId>,
    /// Jobs that were given up and do not get what they asked for, and whose threads were not notified of that.
    withdrawn: Vec<JobId>,
}

impl GivenUp {
    /// Makes an empty list, with room for `tasks` jobs.
    pub(crate) fn of(tasks: usize) -> Self {
        GivenUp {
            may_go_without: false,
            unheard: Vec::with_capacity(tasks),
            withdrawn: Vec::with_capacity(tasks),
        }
    }

    /// Notes that the job is given up, and that its request is withdrawn if it `is_withdrawn`.
    pub(crate) fn tell(&mut self, job: JobId, is_withdrawn: bool) {
        self.unheard.push(job);
        if is_withdrawn {
            self.withdraw(job);
        }
    }

    /// Notes that the job, which is given up, goes on without what it asked for.
    pub(crate) fn withdraw(&mut self, job: JobId) {
        self.withdrawn.push(job);
    }

    /// Takes a job whose thread has to be notified that it was given up.
    pub(crate) fn next_unheard(&mut self) -> Option<JobId> {
        self.unheard.pop()
    }

    /// Takes a job whose thread has to be notified that it does not get what it asked for.
    pub(crate) fn next_withdrawn(&mut self) -> Option<JobId> {
        self.withdrawn.pop()
    }
}
