//! Jobs of a live run that were given up, for their threads.

use schedlab_model::JobId;

/// What threads have to be told of jobs that were given up.
#[derive(Clone, Debug, Default)]
pub(crate) struct GivenUp {
    /// Costs are not known: threads say when their jobs are complete.
    pub costs_are_open: bool,
    /// Then, whether a thread that asks for a resource can go on without it.
    pub may_go_without: bool,
    /// Then, jobs that were given up and whose threads have not heard of it: at most one of each task.
    pub unheard: Vec<JobId>,
    /// Of jobs that were given up, those that do not get what they asked for, and whose threads have not heard of it.
    pub withdrawn: Vec<JobId>,
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

    /// True if requests can be withdrawn: those of a simulation, and of threads that can go on without what they asked
    /// for.
    pub(crate) fn may_withdraw(&self) -> bool {
        !self.costs_are_open || self.may_go_without
    }
}
