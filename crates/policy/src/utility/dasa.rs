//! Dependent activity scheduling (DASA), for one processor: R. K. Clark, "Scheduling dependent real-time activities",
//! CMU-CS-90-155, 1990.
//!
//! ```text
//! while jobs wait for each other in a circle:
//!     give up the least dense job of the circle
//! for each job:
//!     its chain: the job, who holds what it waits for, who holds what that one waits for, ...
//!     its density: the utilities of the chain over the times that the chain still needs
//! the schedule is empty
//! for each job by falling density, unless it is in the schedule:
//!     in a copy of the schedule: insert the job by its termination time,
//!     and each other of the chain before the one that waits for it, by the earlier of both termination times
//!     if all of the copy are in time, one after the other: the copy is the schedule
//! run the first
//! ```
//!
//! Each holder in a chain counts with all that it may still need, although it may give the resource back sooner. A
//! release calls for the next decision if another job waits for it. The thesis may also give a holder up where that
//! frees a resource sooner; this one gives jobs up only for circles and at their termination times. The chains make
//! O(n^3) of the O(n^2) of DASA-ND, for n jobs.
//!
//! Jobs as (arrival, cost, termination, utility). C (0, 4, 14, 2) holds R0 from 1 to its end, A (2, 3, 9, 30) wants it
//! at once. B (2, 4, 10, 12) is denser than C, but A with C before it is denser still, and B is not in time with both:
//!
//! ```text
//! P0  CCCCAAA...
//! ```
//!
//! DASA-ND, to which A is not ready at 2, runs B then, and loses A:
//!
//! ```text
//! P0  CCBBBBCC..
//! ```

use super::trees::chain;
use super::{Candidate, UtilityKind};

/// Picks the densest chains that fit, and fills the queue of the first processor.
pub const DASA: UtilityKind = UtilityKind {
    description:
        "by termination time, of the densest jobs that are in time together with those that they wait for",
    decide: |now, jobs, queues, memory| {
        let (begin, queue) = queues.of(0, now);
        memory.chains.decide(begin, jobs, queue);
    },
    preemptive: true,
    is_work_conserving: false,
    follows_holders: true,
};

/// Returns the job to give up because it and others wait for each other in a circle. Another decision follows that.
pub fn deadlocked(jobs: &[Candidate]) -> Option<u32> {
    let returns = |job: u32| chain(jobs, job).last().and_then(|last| jobs[last as usize].waits_for).is_some();
    // A chain that does not end runs into a circle, and is in it after as many steps as there are jobs.
    let on_the_way = (0..jobs.len() as u32).find(|job| returns(*job))?;
    let inside = chain(jobs, on_the_way).last()?;
    let circle = core::iter::once(inside).chain(chain(jobs, inside).skip(1).take_while(|job| *job != inside));
    circle.max_by(|a, b| jobs[*a as usize].by_density(&jobs[*b as usize]))
}
