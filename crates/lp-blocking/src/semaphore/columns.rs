//! Columns of every semaphore's program: each request of another task blocks in three ways, at most once.
//!
//! Brandenburg, RTAS 2013, section III. Requests of one task for one resource have the same length and stand in the
//! same constraints, so their parts are summed up to one column. More urgent tasks of the same processor have no
//! columns: their execution is interference, whatever they hold.

use crate::program::LinearProgram;
use schedlab_analysis::blocking::Sharing;

/// The three parts of one task's requests for one resource.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    /// Task of the requests.
    pub task: usize,
    /// Resource of the requests.
    pub resource: usize,
    /// Column: the job waits for this resource.
    pub direct: usize,
    /// Column: the job waits for another resource, whose holder this request preempts.
    pub indirect: usize,
    /// Column: the job is ready, and this request executes in its place.
    pub preempting: usize,
}

/// All columns, by task, then resource.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    /// Parts in order of tasks.
    pub parts: Vec<Parts>,
}

impl Columns {
    /// Adds the columns of all tasks that may block one of the task at `index`, each request once. Requests execute
    /// where they are issued: nothing on another processor preempts, and more urgent jobs of the same one never block.
    pub(crate) fn add(
        program: &mut LinearProgram,
        sharing: &Sharing,
        responses: &[u64],
        index: usize,
    ) -> Columns {
        let own = &sharing.tasks()[index];
        let mut columns = Columns::default();
        for (task, other) in sharing.tasks().iter().enumerate() {
            let local = other.cluster == own.cluster;
            if task != index && !(local && other.level < own.level) {
                columns.add_task(program, sharing, responses, index, task, |_| local);
            }
        }
        columns
    }

    /// Adds the columns where requests execute on the processor of their resource: any other task's request may block.
    pub(crate) fn add_distributed(
        program: &mut LinearProgram,
        sharing: &Sharing,
        responses: &[u64],
        index: usize,
        homes: &[u32],
    ) -> Columns {
        let own = sharing.tasks()[index].cluster;
        let mut columns = Columns::default();
        for task in (0..sharing.tasks().len()).filter(|task| *task != index) {
            columns.add_task(program, sharing, responses, index, task, |resource| homes[resource] == own);
        }
        columns
    }

    fn add_task(
        &mut self,
        program: &mut LinearProgram,
        sharing: &Sharing,
        responses: &[u64],
        index: usize,
        task: usize,
        preempts: impl Fn(usize) -> bool,
    ) {
        let jobs = sharing.jobs_within(task, responses[index], responses[task]);
        for request in sharing.requests(task) {
            let resource = request.resource as usize;
            let count = jobs.saturating_mul(request.count());
            let direct = program.column(request.length(), count);
            let indirect = program.column(request.length(), count);
            let preempting = program.column(request.length(), if preempts(resource) { count } else { 0 });
            program.at_most([direct, indirect, preempting], count);
            self.parts.push(Parts { task, resource, direct, indirect, preempting });
        }
    }

    /// The columns of one task at a time.
    pub(crate) fn by_task(&self) -> impl Iterator<Item = &[Parts]> {
        self.parts.chunk_by(|a, b| a.task == b.task)
    }
}

/// Returns how often one job of `task` requests each resource.
pub(crate) fn own_requests(sharing: &Sharing, task: usize) -> Vec<u64> {
    let mut counts = vec![0; sharing.units().len()];
    for request in sharing.requests(task) {
        counts[request.resource as usize] += request.count();
    }
    counts
}
