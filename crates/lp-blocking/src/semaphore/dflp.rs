//! The DFLP: requests are executed by agents on the processor where the resource lives, first come first served.
//!
//! Brandenburg, RTAS 2013 (the protocol: *Blocking optimality in distributed real-time locking protocols*, LITES 1(2),
//! 2014).

use super::columns::{own_requests, Columns};
use crate::program::LinearProgram;
use schedlab_analysis::blocking::Sharing;

/// The program whose optimum bounds the blocking of one job of the task at `index`; `homes` by resource.
pub fn program(sharing: &Sharing, responses: &[u64], index: usize, homes: &[u32]) -> LinearProgram {
    let mut program = LinearProgram::default();
    let own = &sharing.tasks()[index];
    let columns = Columns::add_distributed(&mut program, sharing, responses, index, homes);
    let counts = own_requests(sharing, index);
    let all = counts.iter().fold(0, |sum: u64, count| sum.saturating_add(*count));
    for task in columns.by_task() {
        for parts in task {
            // First come first served: one request of each task is issued before each of the job's.
            program.at_most([parts.direct], counts[parts.resource]);
        }
        // So it is for the agents of one processor together, since they are boosted in the order of requests.
        for home in 0..sharing.clusters() {
            let there = |resource: usize| homes[resource] == home;
            let issued =
                (0..counts.len()).filter(|resource| there(*resource)).map(|resource| counts[resource]);
            let parts = task.iter().filter(|parts| there(parts.resource));
            program.at_most(parts.flat_map(|parts| [parts.direct, parts.indirect]), issued.sum());
        }
        let other = &sharing.tasks()[task[0].task];
        if other.cluster == own.cluster && other.level > own.level {
            // A less urgent job of this processor issues requests only while the job is not ready: one is left when the
            // job arrives, and one each time that it goes on. Agents here have no other chance: while the job
            // executes, none of them has anything to do.
            let here = task.iter().filter(|parts| homes[parts.resource] == own.cluster);
            let parts = here.flat_map(|parts| [parts.direct, parts.indirect, parts.preempting]);
            program.at_most(parts, all.saturating_add(1));
        }
    }
    program
}
