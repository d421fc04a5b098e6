//! The FMLP+: first come first served, and holders are boosted in the order of their requests.
//!
//! Brandenburg, RTAS 2013. Why each limit holds stands beside it. Limits count requests, and a part of a request is at
//! most one: therefore a limit must not assume that a request is delayed only as far as another one is.

use super::columns::{own_requests, Columns};
use crate::program::LinearProgram;
use schedlab_analysis::blocking::Sharing;

/// The program whose optimum bounds the blocking of one job of the task at `index`.
pub fn program(sharing: &Sharing, responses: &[u64], index: usize) -> LinearProgram {
    let mut program = LinearProgram::default();
    let columns = Columns::add(&mut program, sharing, responses, index);
    let counts = own_requests(sharing, index);
    let local = sharing.is_local();
    let cluster = |task: usize| sharing.tasks()[task].cluster;
    let meetings = |whose: &dyn Fn(usize) -> bool| meetings(sharing, responses, index, whose);
    let suspensions = meetings(&|other| cluster(other) != cluster(index));
    for task in columns.by_task() {
        let (own, home) = (task[0].task, cluster(task[0].task));
        for parts in task {
            // A job that executes finds no local resource taken: its holder would be boosted.
            let taken = if local[parts.resource] { 0 } else { counts[parts.resource] };
            program.at_most([parts.direct], taken);
        }
        // A request is delayed on a processor only while one for the same resource is held there, and each task there
        // has at most one request that was issued before.
        let delayed = meetings(&|other| cluster(other) == home);
        program.at_most(task.iter().flat_map(|parts| [parts.direct, parts.indirect]), delayed);
        let preempted = meetings(&|other| cluster(other) == home && other != own);
        program.at_most(task.iter().map(|parts| parts.indirect), preempted);
        if home == cluster(index) {
            // One request is issued before the job arrives, one before each time that it is suspended.
            let all = task.iter().flat_map(|parts| [parts.direct, parts.indirect, parts.preempting]);
            program.at_most(all, suspensions.saturating_add(1));
        }
    }
    program
}

/// Returns how many requests of one job of the task at `index` meet a request of any of these tasks: each waits for a
/// request of its own, since all before it are complete when it is granted.
pub(super) fn meetings(
    sharing: &Sharing,
    responses: &[u64],
    index: usize,
    whose: impl Fn(usize) -> bool,
) -> u64 {
    let local = sharing.is_local();
    let mut met = vec![0u64; sharing.units().len()];
    for task in (0..sharing.tasks().len()).filter(|task| *task != index && whose(*task)) {
        let jobs = sharing.jobs_within(task, responses[index], responses[task]);
        for request in sharing.requests(task) {
            let sum = &mut met[request.resource as usize];
            *sum = sum.saturating_add(jobs.saturating_mul(request.count()));
        }
    }
    let own = sharing.requests(index).iter().filter(|request| !local[request.resource as usize]);
    own.map(|request| request.count().min(met[request.resource as usize])).fold(0, u64::saturating_add)
}
