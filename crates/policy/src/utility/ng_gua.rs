//! Non-greedy global utility accrual (NG-GUA), for jobs that may wait for each other: P. Garyali, "On best-effort
//! utility accrual real-time scheduling on multiprocessors", Virginia Tech 2010; P. Garyali, M. Dellinger and
//! B. Ravindran, OPODIS 2010. The rules are those of the authors' code in ChronOS Linux (`nggua.c`).
//!
//! ```text
//! while jobs wait for each other in a circle:
//!     give up the least dense job of the circle
//! for each job that waits for none:
//!     its density: the utilities of it and of all that wait for it, over the times that they all still need
//!     when it is due: the earliest termination time of it and of all that wait for it
//! for each of these jobs by when it is due: append it to the queue of the processor with the least load
//! for each queue: while its jobs are not all in time, one after the other: remove the least dense one
//! run the heads
//! ```
//!
//! Jobs that wait for others are in no queue. To be in time, a job has to be complete by its own termination time,
//! which may be later than when it is due. Where no job waits for another one, the decision is gMUA's, and takes as
//! long: O(n log n + n m) for n jobs on m processors. Where jobs wait, the root of each is found in O(c) more, c being
//! the length of the longest chain.
//!
//! Three jobs at 0, as (remaining, termination, utility): A (2, 3, 4), B (2, 3, 2), C (2, 3, 6). C, the last by
//! termination time and id, goes to the first processor, whose queue is not feasible then. A is removed, less dense
//! than C.
//!
//! ```text
//! P0  CC.
//! P1  BB.
//! ```
//!
//! Four jobs at 0: A (3, 8, 30) waits for D, and B (4, 10, 12), C (4, 10, 12), D (2, 14, 2) for none. D is due at 8,
//! before B and C. At 2 A goes first, and B, which has executed, is complete before C begins.
//!
//! ```text
//! P0  DDAAA.....
//! P1  BBBBCCCC..
//! ```
//!
//! A decision that does not see A runs B and C first: D is complete at 6 then, and A is lost. G-GUA does so, too: its
//! queues are by the jobs' own termination times.

use super::gmua::{balance, shed_all};
use super::{Candidate, DecisionMemory, Queues, UtilityKind};
use schedlab_model::Instant;

/// Balances the jobs that wait for none, by when they or those that wait for them are due, then sheds the least dense.
pub const NG_GUA: UtilityKind = UtilityKind {
    description: "as gMUA, with a job's density and termination time counting those that wait for it",
    decide,
    preemptive: true,
    is_work_conserving: false,
    follows_holders: true,
};

fn decide(now: Instant, jobs: &[Candidate], queues: &mut Queues, memory: &mut DecisionMemory) {
    memory.trees.grow(jobs);
    memory.trees.by_due(jobs, &mut memory.sorted);
    balance(now, jobs, queues, memory);
    memory.trees.by_density(jobs, &mut memory.sorted);
    shed_all(now, jobs, queues, memory);
}
