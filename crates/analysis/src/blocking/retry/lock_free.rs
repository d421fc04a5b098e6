//! Lock-free objects: how long a job repeats operations that others overtook.
//!
//! J. Anderson, S. Ramamurthy and K. Jeffay, *Real-time computing with lock-free shared objects*, ACM TOCS 15(2), 1997,
//! for one processor. U. Devi, H. Leontyev and J. Anderson, *Efficient synchronization under global EDF scheduling on
//! multiprocessors*, ECRTS 2006, for several: a bound on retries counts the accesses that may conflict while a job is
//! pending, and these follow from how many jobs arrive.
//!
//! An attempt fails only if an operation of another job on the same object changes it within the attempt. An operation
//! on object q makes at most f_q such changes, of which one fails one attempt at most. Where all is one
//! compare-and-swap, as in these papers, f_q is 1. A queue of Michael and Scott has three
//! ([`schedlab_model::ObjectKind::fails`]), some of which other jobs may make for it.
//!
//! * A job that may execute beside this one, on another processor: each of its operations on an object fails at most
//!   f_q attempts on that object. Its jobs that are pending while this one is arrive within R_i + R_x.
//! * A more urgent job on this one's own processor preempts this one, and is complete before this one goes on.
//!   All its changes are thus within one attempt, and fail that one alone, on one object that both use; with the
//!   attempts that this one stands for, such as one to get a node, at most f_q. It arrives after this one, and is more
//!   urgent: under fixed priorities within R_i - 1, under EDF also within D_i - D_x.
//! * A less urgent job there does not execute while this one is pending. The operation within which it stands still may
//!   have begun to change an object. At most f_q - 1 changes are left, which others make for it.
//!
//! The failed attempts are executed in vain: they count as execution, which keeps the processor from less urgent jobs
//! too. Assumes that operations do not nest.

use crate::blocking::{Case, Requests, Sharing, Terms};
use crate::system::AnalysedOrder;
use schedlab_model::Task;

/// Rule by which jobs of one processor preempt each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnProcessor {
    /// Tasks of smaller levels preempt, whenever they arrive.
    ByLevel,
    /// Jobs with earlier absolute deadlines preempt.
    ByDeadline,
    /// Tasks of one cluster may execute side by side, or their order is not looked at.
    Beside,
}

impl OwnProcessor {
    /// Returns the rule of the scheduler of `case`.
    pub(crate) fn of(case: &Case<'_>) -> Self {
        match case.scheduler.order {
            AnalysedOrder::FixedPriority if case.is_partitioned() => OwnProcessor::ByLevel,
            AnalysedOrder::Edf if case.is_partitioned() => OwnProcessor::ByDeadline,
            AnalysedOrder::FixedPriority
            | AnalysedOrder::Edf
            | AnalysedOrder::FixedPriorityOpenTies
            | AnalysedOrder::AfterArrival
            | AnalysedOrder::Pfair(_)
            | AnalysedOrder::Theorem(_)
            | AnalysedOrder::Unanalysed => OwnProcessor::Beside,
        }
    }

    /// Returns whether a job of `task` may preempt one of `other` on the same processor.
    fn may_be_preempted(self, sharing: &Sharing, task: usize, other: usize) -> bool {
        match self {
            OwnProcessor::ByLevel => sharing.tasks()[task].level < sharing.tasks()[other].level,
            OwnProcessor::ByDeadline | OwnProcessor::Beside => true,
        }
    }

    /// Returns how many jobs of the task at `other` preempt one job of the task at `index` on the same processor;
    /// `None` if they may execute beside it.
    fn preempting(self, sharing: &Sharing, index: usize, other: usize, response: u64) -> Option<u64> {
        let (task, by) = (&sharing.tasks()[index], &sharing.tasks()[other]);
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

/// By task: the longest time that the failed attempts of one job take. `fails` holds, by object, the most attempts that
/// one operation makes fail (one if missing); `responses` bound response times by task.
pub fn bounds(sharing: &Sharing, fails: &[u32], responses: &[u64], own: OwnProcessor) -> Vec<Terms> {
    let all = 0..sharing.tasks().len();
    let of = |task: usize| {
        let others = all.clone().filter(|other| *other != task);
        let repeated = others.map(|other| repeated(sharing, fails, responses, own, (task, other)));
        Terms::new(repeated.fold(0, u64::saturating_add), 0)
    };
    all.clone().map(of).collect()
}

/// Returns the longest time of the attempts of one job of `task` that jobs of `other` make fail.
fn repeated(
    sharing: &Sharing,
    fails: &[u32],
    responses: &[u64],
    own: OwnProcessor,
    (task, other): (usize, usize),
) -> u64 {
    // By object of both: an attempt, how many of them one operation fails, and how many operations there are.
    let both = sharing.requests(other).iter().filter_map(|theirs| {
        let same = |mine: &&Requests| mine.resource == theirs.resource;
        let mine = sharing.requests(task).iter().find(same)?;
        let fails = fails.get(mine.resource as usize).copied().unwrap_or(1);
        Some((mine.length(), u64::from(fails), theirs.count()))
    });
    let same_processor = sharing.tasks()[task].cluster == sharing.tasks()[other].cluster;
    let preempting = own.preempting(sharing, task, other, responses[task]).filter(|_| same_processor);
    match preempting {
        Some(jobs) => {
            let cost = |fails: u64, length: u64| length.saturating_mul(fails);
            let each = both.clone().map(|(length, fails, _)| cost(fails, length)).max().unwrap_or(0);
            let left = both.map(|(length, fails, _)| cost(fails - 1, length)).max().unwrap_or(0);
            let stands_still = own.may_be_preempted(sharing, task, other);
            jobs.saturating_mul(each).saturating_add(if stands_still { left } else { 0 })
        }
        None => {
            let jobs = sharing.jobs_within(other, responses[task], responses[other]);
            let each = both.map(|(length, fails, count)| length.saturating_mul(fails).saturating_mul(count));
            jobs.saturating_mul(each.fold(0, u64::saturating_add))
        }
    }
}

/// The tasks with their failed attempts as execution and nothing to share, if jobs take no longer than `responses`.
pub(super) fn with_retries(case: &Case<'_>, sharing: &Sharing, responses: &[u64]) -> Option<Vec<Task>> {
    let terms = bounds(sharing, case.locking.fails, responses, OwnProcessor::of(case));
    case.tasks.iter().zip(&terms).map(|(task, terms)| terms.as_execution(task)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocking::Sharer;

    /// Tasks of cost, period, cluster, operations and their length.
    fn sharing(tasks: &[(u64, u64, u32, u32, u64)]) -> Sharing {
        let mut sharing = Sharing::new(2, vec![1]);
        for (index, &(cost, period, cluster, count, length)) in tasks.iter().enumerate() {
            let task = Sharer { cost, period, relative_deadline: period, cluster, level: index as u32 };
            sharing.push(task, &[Requests::mutex(0, count, length)]).unwrap();
        }
        sharing
    }

    /// Returns, by task, the time of failed attempts if each operation makes `fails` attempts fail.
    fn repeated_by(fails: u32, sharing: &Sharing, responses: &[u64], own: OwnProcessor) -> Vec<u64> {
        let found = bounds(sharing, &[fails], responses, own);
        found.into_iter().map(|terms| terms.remote.unwrap()).collect()
    }

    fn repeated(sharing: &Sharing, responses: &[u64], own: OwnProcessor) -> Vec<u64> {
        repeated_by(1, sharing, responses, own)
    }

    /// Three times as many on other processors. On the own one, a job that comes between fails three, and the less
    /// urgent job that stands still within an operation has two of its changes left for the more urgent one to meet.
    #[test]
    fn operations_that_change_several_words_fail_several_attempts() {
        let apart = sharing(&[(4, 10, 0, 1, 2), (6, 8, 1, 2, 1)]);
        assert_eq!(repeated_by(3, &apart, &[4, 6], OwnProcessor::ByLevel), [3 * 8, 3]);
        let together = sharing(&[(2, 10, 0, 2, 1), (9, 30, 0, 1, 3)]);
        assert_eq!(repeated_by(3, &together, &[2, 11], OwnProcessor::ByLevel), [2, 9]);
        assert_eq!(repeated_by(3, &together, &[10, 30], OwnProcessor::ByDeadline), [2, 18 + 6]);
        // Two jobs of the one and one of the other arrive within 10 + 4.
        assert_eq!(repeated_by(3, &together, &[4, 10], OwnProcessor::Beside), [3, 2 * 2 * 3 * 3]);
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
