//! Exact analysis by exploring what a non-preemptive scheduler may do: schedule-abstraction graphs.
//!
//! After M. Nasri and B. Brandenburg, *An exact and sustainable analysis of non-preemptive scheduling*, RTSS 2017
//! (one processor, exact), and M. Nasri, G. Nelissen and B. Brandenburg, *A response-time analysis for
//! non-preemptive job sets under global scheduling*, ECRTS 2018, with *Response-time analysis of
//! limited-preemptive parallel DAG tasks under global scheduling*, ECRTS 2019 (several processors, sufficient).
//!
//! A set of jobs is given, each with an interval of release times, an interval of costs, an absolute deadline and a
//! fixed priority; all times are whole. A *state* stands for all schedules in which the same jobs have been
//! dispatched: for each k it has an interval in which k processors become free. From a state, job j may be the next to
//! be dispatched if it can start before the scheduler would certainly have dispatched something else:
//!
//! ```text
//! earliest start = max(earliest release of j, earliest time at which a processor is free)
//! latest start   = min(max(latest time at which a processor becomes free,
//!                          earliest time by which some job is certainly released),
//!                      earliest time by which a more urgent one is certainly released, less 1)
//! ```
//!
//! States with the same jobs whose intervals intersect may be merged. On one processor all times of an interval can
//! occur (if no job costs nothing), and the union of intersecting intervals is again an interval: nothing is lost,
//! the completions found are the earliest and latest that can occur, and a late one is traced back to releases and
//! costs that cause it ([`CounterExample`]). On several, merging keeps the interval of each processor and loses how
//! they depend on each other: what is found to be safe is safe.
//!
//! **Merging less than published.** The papers merge all states that intersect. Which states meet first then decides
//! what is lost, and no order is best for all job sets: another order of the same rule gives larger bounds to some jobs
//! and smaller ones to others. Here two states merge at once only if nothing is lost by it. Others merge once three
//! have the same jobs, each with the nearest (`level.rs`). The bounds are at most those of the rule carried on
//! until no two states intersect. First, a part of a state leads to parts of what the state leads to. Second, of two
//! states that intersect, the parts of that rule's states that hold them intersect too, and so are one. By induction
//! each state here lies in one there.
//!
//! Worst-case exponential in the number of jobs, hence a budget, counted in states. If it is spent, states merge as
//! published in a second exploration.

mod concrete;
mod expand;
mod job_set;
mod jobs;
mod level;
mod outcome;
mod periodic;
mod search;
mod test;
mod witness;

pub use crate::counter_example::{Choice, CounterExample};
pub use concrete::{run, Completed};
pub use job_set::{explore_jobs, explore_jobs_as_published};
pub use jobs::{JobSpan, JobsError, Span};
pub use outcome::{Conclusion, Explored};
pub use periodic::{explore_tasks, PeriodicTask, TasksExplored};
pub(crate) use test::{GLOBAL, UNIPROCESSOR};

/// States that an exploration visits at most unless told otherwise: some hundredths of a second of one core.
pub const MOST_STATES: u64 = 1 << 16;
