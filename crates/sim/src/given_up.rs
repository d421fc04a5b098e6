//! Jobs of a live run that were given up, for their threads.

use schedlab_model::JobId;

/// What threads have to be told of jobs that were given up.
#[derive(Clone, Debug, Default)]
pub(crate) struct GivenUp {
    /// Costs are not known: threads say when their jobs are complete.
    costs_are_open: bool,
    /// Then, whether a thread that asks for a resource can go on without it.
    may_go_without: bool,
    /// Then, jobs that were given up and whose threads have not heard of it: at most one of each task.
    unheard: Vec<JobId>,
    /// Of jobs that were given up, those that do not get what they asked for, and whose threads have not heard of it.
    withdrawn: Vec<JobId>,
}

impl GivenUp {
    /// Those of a live run of so many tasks.
    pub(crate) fn live(tasks: usize) -> Self {
        GivenUp {
            costs_are_open: true,
            may_go_without: false,
            unheard: Vec::with_capacity(tasks),
            withdrawn: Vec::with_capacity(tasks),
        }
    }

    /// Threads that ask for a resource can go on without it.
    pub(crate) fn let_go_without(&mut self) {
        self.may_go_without = true;
    }

    /// True if requests can be withdrawn: those of a simulation, and of threads that can go on without what they asked
    /// for.
    pub(crate) fn may_withdraw(&self) -> bool {
        !self.costs_are_open || self.may_go_without
    }

    /// True if costs are not known.
    pub(crate) fn costs_are_open(&self) -> bool {
        self.costs_are_open
    }

    /// The thread of `job` has to hear that it was given up.
    pub(crate) fn tell(&mut self, job: JobId) {
        self.unheard.push(job);
    }

    /// The thread of `job`, which was given up, has to hear that it does not get what it asked for.
    pub(crate) fn withdraw(&mut self, job: JobId) {
        self.withdrawn.push(job);
    }

    /// The next job whose thread has to hear that.
    pub(crate) fn next_withdrawn(&mut self) -> Option<JobId> {
        self.withdrawn.pop()
    }

    /// The next job whose thread has to hear that it was given up.
    pub(crate) fn next_given_up(&mut self) -> Option<JobId> {
        self.unheard.pop()
    }
}
