//! Lock-free objects: how long a job repeats operations that others overtook.
//!
//! J. Anderson, S. Ramamurthy and K. Jeffay, *Real-time computing with lock-free shared objects*, ACM TOCS 15(2), 1997,
//! for one processor. U. Devi, H. Leontyev and J. Anderson, *Efficient synchronization under global EDF scheduling on
//! multiprocessors*, ECRTS 2006, for several: a bound on retries counts the accesses that may conflict while a job is
//! pending, and these follow from how many jobs arrive.
//!
//! An attempt fails only if another job commits an operation on the same object within it. Attempts of one job are apart
//! in time, so each commit of another job fails at most one of them.
//!
//! * A job that may execute beside this one, on another processor: each of its operations on an object fails at most one
//!   attempt on that object. Its jobs that are pending while this one is arrive within R_i + R_x.
//! * A job that executes on this one's own processor only: it preempts this one, and is complete before this one goes on.
//!   All its commits are thus within one attempt, and fail that one alone, on one object that both use. It arrives
//!   after this one, and is more urgent: under fixed priorities within R_i - 1, under EDF also within D_i - D_x.
//!
//! The failed attempts are executed in vain: they count as execution, which keeps the processor from less urgent jobs too.
//! Assumes that operations do not nest.

use crate::blocking::{Case, Request, Sharing, Terms};
use crate::system::Order;
use schedlab_model::Task;

/// Who preempts whom on one processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnProcessor {
    /// Smaller levels, whenever they arrive.
    ByLevel,
    /// Earlier absolute deadlines.
    ByDeadline,
    /// Tasks of one cluster may execute side by side, or their order is not looked at.
    Beside,
}

impl OwnProcessor {
    /// That of a case.
    pub fn of(case: &Case<'_>) -> Self {
        match case.scheduler.order {
            Order::FixedPriority if case.is_partitioned() => OwnProcessor::ByLevel,
            Order::Edf if case.is_partitioned() => OwnProcessor::ByDeadline,
            Order::FixedPriority | Order::Edf | Order::AfterArrival | Order::Pfair(_) | Order::Unanalysed => {
                OwnProcessor::Beside
            }
        }
    }

    /// How many jobs of the task at `other` preempt one job of the task at `at`, on the same processor; `None` if they
    /// may execute beside it.
    fn preempting(self, sharing: &Sharing, at: usize, other: usize, response: u64) -> Option<u64> {
        let (task, by) = (&sharing.tasks()[at], &sharing.tasks()[other]);
        let after_arrival = response.saturating_sub(1);
        let within = match self {
            OwnProcessor::Beside => return None,
            OwnProcessor::ByLevel if by.level < task.level => after_arrival,
            OwnProcessor::ByLevel => 0,
            OwnProcessor::ByDeadline => {
                let closer = task.relative_deadline.saturating_sub(by.relative_deadline);
                // Of what arrives at the end of that, the release may come as much later.
                let released = if closer == 0 { 0 } else { closer.saturating_add(sharing.release_delay()) };
                released.min(after_arrival)
            }
        };
        Some(within.div_ceil(by.period))
    }
}

/// By task: how long the failed attempts of one job take at most. `responses` bound response times by task.
pub fn bounds(sharing: &Sharing, responses: &[u64], own: OwnProcessor) -> Vec<Terms> {
    let all = 0..sharing.tasks().len();
    let of = |at: usize| {
        let others = all.clone().filter(|other| *other != at);
        let repeated = others.map(|other| repeated(sharing, responses, own, (at, other)));
        Terms::new(repeated.fold(0, u64::saturating_add), 0)
    };
    all.clone().map(of).collect()
}

/// How long attempts of one job of the task at `at` take that jobs of the task at `other` fail.
fn repeated(sharing: &Sharing, responses: &[u64], own: OwnProcessor, (at, other): (usize, usize)) -> u64 {
    let both = sharing.requests(other).iter().filter_map(|theirs| {
        let same = |mine: &&Request| mine.resource == theirs.resource;
        sharing.requests(at).iter().find(same).map(|mine| (mine.length(), theirs.count()))
    });
    let same_processor = sharing.tasks()[at].cluster == sharing.tasks()[other].cluster;
    let preempting = own.preempting(sharing, at, other, responses[at]).filter(|_| same_processor);
    match preempting {
        Some(jobs) => jobs.saturating_mul(both.map(|(length, _)| length).max().unwrap_or(0)),
        None => {
            let jobs = sharing.jobs_within(other, responses[at], responses[other]);
            let each = both.map(|(length, count)| length.saturating_mul(count));
            jobs.saturating_mul(each.fold(0, u64::saturating_add))
        }
    }
}

/// The tasks with their failed attempts as execution and nothing to share, if jobs take no longer than `responses`.
pub(super) fn with_retries(case: &Case<'_>, sharing: &Sharing, responses: &[u64]) -> Option<Vec<Task>> {
    let terms = bounds(sharing, responses, OwnProcessor::of(case));
    case.tasks.iter().zip(&terms).map(|(task, terms)| terms.as_execution(task)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocking::Sharer;

    /// Tasks of cost, period, cluster, operations and their length.
    fn sharing(tasks: &[(u64, u64, u32, u32, u64)]) -> Sharing {
        let mut sharing = Sharing::new(2, vec![1]);
        for (at, &(cost, period, cluster, count, length)) in tasks.iter().enumerate() {
            let task = Sharer { cost, period, relative_deadline: period, cluster, level: at as u32 };
            sharing.push(task, &[Request::mutex(0, count, length)]).unwrap();
        }
        sharing
    }

    fn repeated(sharing: &Sharing, responses: &[u64], own: OwnProcessor) -> Vec<u64> {
        bounds(sharing, responses, own).into_iter().map(|terms| terms.remote.unwrap()).collect()
    }

    /// On one processor each arrival of a more urgent job, however many operations it has, fails one attempt.
    #[test]
    fn on_one_processor_a_job_that_preempts_fails_one_attempt() {
        let sharing = sharing(&[(2, 10, 0, 2, 1), (9, 30, 0, 1, 3)]);
        assert_eq!(repeated(&sharing, &[2, 11], OwnProcessor::ByLevel), [0, 3]);
        assert_eq!(repeated(&sharing, &[2, 12], OwnProcessor::ByLevel), [0, 6]);
        // A job that arrives 20 after it or later has no earlier deadline.
        assert_eq!(repeated(&sharing, &[10, 30], OwnProcessor::ByDeadline), [0, 6]);
        assert_eq!(repeated(&sharing, &[10, 11], OwnProcessor::ByDeadline), [0, 3]);
    }

    /// Elsewhere each operation counts: of jobs that arrive within 6 + 4 there are two of the one, one of the other.
    #[test]
    fn on_other_processors_each_operation_fails_one_attempt() {
        let sharing = sharing(&[(4, 10, 0, 1, 2), (6, 8, 1, 2, 1)]);
        for own in [OwnProcessor::ByLevel, OwnProcessor::ByDeadline, OwnProcessor::Beside] {
            assert_eq!(repeated(&sharing, &[4, 6], own), [2 * 2 * 2, 1]);
        }
    }

    #[test]
    fn side_by_side_the_cluster_does_not_matter() {
        let together = sharing(&[(4, 10, 0, 1, 2), (6, 8, 0, 2, 1)]);
        assert_eq!(repeated(&together, &[4, 6], OwnProcessor::Beside), [8, 1]);
    }
}
