//! Jobs of a live run that were given up, for their threads. A simulation has none to tell of.

use schedlab_model::JobId;

/// What threads have to be told of jobs that were given up.
#[derive(Clone, Debug, Default)]
pub(crate) struct GivenUp {
    /// A thread that asks for a resource can go on without it.
    pub may_go_without: bool,
    /// Jobs that were given up and whose threads have not heard of it: at most one of each task.
    unheard: Vec<JobId>,
    /// Of jobs that were given up, those that do not get what they asked for, and whose threads have not heard of it.
    withdrawn: Vec<JobId>,
}

impl GivenUp {
    /// Those of so many tasks.
    pub(crate) fn of(tasks: usize) -> Self {
        GivenUp {
            may_go_without: false,
            unheard: Vec::with_capacity(tasks),
            withdrawn: Vec::with_capacity(tasks),
        }
    }

    /// The job is given up, and goes on without what it asked for if that `is_withdrawn`.
    pub(crate) fn tell(&mut self, job: JobId, is_withdrawn: bool) {
        self.unheard.push(job);
        if is_withdrawn {
            self.withdraw(job);
        }
    }

    /// The job, which is given up, goes on without what it asked for.
    pub(crate) fn withdraw(&mut self, job: JobId) {
        self.withdrawn.push(job);
    }

    /// The next job whose thread has to hear that it was given up.
    pub(crate) fn next_unheard(&mut self) -> Option<JobId> {
        self.unheard.pop()
    }

    /// The next job whose thread has to hear that it does not get what it asked for.
    pub(crate) fn next_withdrawn(&mut self) -> Option<JobId> {
        self.withdrawn.pop()
    }
}
