//! Response times of preemptive EDF on one processor.
//!
//! M. Spuri, *Analysis of deadline scheduled real-time systems*, INRIA RR-2772, 1996: task i's longest response time
//! occurs in a busy period that all tasks open with their releases together, each first job as late as its jitter
//! allows, and at whose deadline d some job of any task is due. Work due by d ends at the least t > 0 with
//!
//! ```text
//! t = sum over j of min(ceil((t + J_j) / T_j), n_j(d)) C_j,  n_j(d) = floor((d - D_j + J_j) / T_j) + 1 or 0
//! R_i = max over d of t(d) - (d - D_i)
//! ```
//!
//! Spuri lets the jobs of i itself arrive as late as d allows. Releasing them earlier, with all others, changes
//! nothing (N. Guan and W. Yi, *General and efficient response time analysis for EDF scheduling*, DATE 2014): the
//! work due by d is the same, and it ends no later. So one t(d) serves all tasks, and as t(d) never falls, one sweep
//! over all deadlines of the busy period computes all responses, each search beginning where the last one ended.
//! [`approximate`] takes all work due by d, released or not (the same paper): faster, and never less.
//!
//! Exact for sporadic arrivals; a pseudo-polynomial number of deadlines, n terms for each step at each. Self-suspension
//! counts as execution.

use super::response_time::{conclude, LongestResponse};
use crate::assumption::Assumption;
use crate::budget::Budget;
use crate::exact::compare_sum;
use crate::reason::Reason;
use crate::steps::{Computation, JobsOf, Rows, Sweep, SweepSteps, SweptTask, Unwatched, Watch};
use crate::system::System;
use crate::verdict::{Guarantee, Test, Verdict};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "edf_response_time",
    guarantee: Guarantee::Hard,
    exact: true,
    assumptions: &[
        Assumption::OneProcessorEdf,
        Assumption::JobsInSequence,
        Assumption::SuspensionAsExecution,
        Assumption::NoOverheads,
    ],
    source: "Spuri, INRIA RR-2772, 1996; Guan and Yi, DATE 2014",
    cost: "pseudo-polynomial; O(n) for a step at each deadline of a busy period",
    applies: System::is_preemptive_edf_uniprocessor,
    run: |system| run(system, &mut Unwatched),
};

/// Terms that the registry's test may evaluate: a millisecond or two.
const TERMS: u64 = 1 << 19;

/// Runs the test while `watch` watches.
pub(crate) fn run(system: &System, watch: &mut impl Watch) -> Verdict {
    if system.needs_blocking() {
        return TEST.unknown(Reason::SectionsNotCounted);
    }
    let (streams, mut budget) = (JobStream::all(system), Budget::of(TERMS));
    let found = match watch.wants(None) {
        true => shown(system, &streams, &mut budget, watch),
        false => critical(&streams, &mut budget, &mut Unwatched),
    };
    let outcomes = match found {
        Ok(responses) => {
            responses.into_iter().map(|(response, _)| LongestResponse::Bounded(response)).collect()
        }
        Err(none) => vec![none; system.tasks.len()],
    };
    conclude(&TEST, system, &outcomes, |reason, bounds| TEST.refuted(system, reason, bounds))
}

/// Returns what [`critical`] does for the `streams` of `system`, and shows its steps.
fn shown(
    system: &System,
    streams: &[JobStream],
    budget: &mut Budget,
    watch: &mut impl Watch,
) -> Result<Slowest, LongestResponse> {
    let of = |(task, stream): (&crate::SporadicTask, &JobStream)| {
        let JobStream { cost, period, relative_deadline, jitter } = *stream;
        SweptTask { task: task.id, cost, period, relative_deadline, jitter, bound: None, due: None }
    };
    let mut steps = SweepSteps::new(system.tasks.iter().zip(streams).map(of).collect());
    let found = critical(streams, budget, &mut steps);
    for (task, (response, due)) in steps.tasks.iter_mut().zip(found.iter().flatten()) {
        (task.bound, task.due) = (Some(*response), *due);
    }
    watch.add(Computation::Sweep(steps));
    found
}

/// The jobs of one task.
#[derive(Clone, Copy, Debug)]
pub struct JobStream {
    /// Cost C.
    pub cost: u64,
    /// Period T.
    pub period: u64,
    /// Relative deadline D.
    pub relative_deadline: u64,
    /// Release jitter J.
    pub jitter: u64,
}

impl JobStream {
    /// Returns the job streams of `system`, with self-suspension as execution.
    pub fn all(system: &System) -> Vec<JobStream> {
        let of = |task: &crate::SporadicTask| JobStream {
            cost: task.oblivious_cost(),
            period: task.period,
            relative_deadline: task.relative_deadline,
            jitter: task.jitter,
        };
        system.tasks.iter().map(of).collect()
    }

    /// Returns how many jobs are released within the first `t` of a busy period.
    #[inline]
    pub(super) fn released(&self, t: u128) -> u128 {
        (t + u128::from(self.jitter)).div_ceil(u128::from(self.period))
    }
}

/// Longest busy period that is examined (146 years), in ns.
const LONGEST: u128 = 1 << 62;

/// Returns the work of these jobs of a task, and gives it to `rows`.
#[inline(always)]
fn work_of(jobs: u128, stream: &JobStream, rows: &mut impl Rows) -> u128 {
    let work = jobs * u128::from(stream.cost);
    rows.jobs(JobsOf { jobs: jobs as u64, work });
    work
}

/// The longest time that a processor is busy without a pause, if it begins with `blocking`; `rows` takes the turns.
pub(super) fn busy_period(
    streams: &[JobStream],
    blocking: u64,
    budget: &mut Budget,
    rows: &mut impl Rows,
) -> Result<u128, LongestResponse> {
    let utilizations: Vec<_> = streams.iter().map(|stream| (stream.cost, stream.period)).collect();
    if compare_sum(&utilizations, 1).is_gt() {
        return Err(LongestResponse::Unbounded);
    }
    let begin = u128::from(blocking) + streams.iter().map(|stream| u128::from(stream.cost)).sum::<u128>();
    let next = |length: u128| {
        let work = |stream: &JobStream| work_of(stream.released(length), stream, rows);
        let next = u128::from(blocking) + streams.iter().map(work).sum::<u128>();
        rows.row(length, next);
        next
    };
    let found = budget.least_fixed_point(begin, LONGEST, streams.len() + 1, next);
    found.ok_or(LongestResponse::Spent { so_far: 0 })
}

/// All absolute deadlines in rising order, counted from the begin of the busy period and moved by the longest jitter,
/// so that none is negative.
pub(super) struct AbsoluteDeadlines<'a> {
    streams: &'a [JobStream],
    due: BinaryHeap<Reverse<(u128, usize)>>,
    /// By task: the number of jobs that are due until now.
    pub(super) counts: Vec<u128>,
    /// Distance by which the releases were moved.
    pub(super) shift: u128,
}

impl<'a> AbsoluteDeadlines<'a> {
    pub(super) fn new(streams: &'a [JobStream]) -> Self {
        let shift = streams.iter().map(|stream| u128::from(stream.jitter)).max().unwrap_or(0);
        let first =
            |stream: &JobStream| u128::from(stream.relative_deadline) + shift - u128::from(stream.jitter);
        let due = streams.iter().enumerate().map(|(index, stream)| Reverse((first(stream), index))).collect();
        AbsoluteDeadlines { streams, due, counts: vec![0; streams.len()], shift }
    }

    /// Returns the next absolute deadline, and counts all jobs that are due then.
    pub(super) fn next(&mut self) -> Option<u128> {
        let Reverse((absolute_deadline, _)) = *self.due.peek()?;
        while let Some(mut top) = self.due.peek_mut().filter(|top| top.0 .0 == absolute_deadline) {
            let index = top.0 .1;
            self.counts[index] += 1;
            top.0 .0 += u128::from(self.streams[index].period);
        }
        Some(absolute_deadline)
    }
}

/// Response time of a job that no other job delays, by task: no job is faster.
fn alone(streams: &[JobStream]) -> Vec<u128> {
    streams.iter().map(|stream| u128::from(stream.cost) + u128::from(stream.jitter)).collect()
}

/// The longest response time of each task.
pub fn exact(streams: &[JobStream], budget: &mut Budget) -> Result<Vec<u128>, LongestResponse> {
    Ok(critical(streams, budget, &mut Unwatched)?.into_iter().map(|(response, _)| response).collect())
}

/// By task: the longest response time, and when the slowest job is due, counted from the begin of the busy period;
/// `None` if no other job delays it.
pub(crate) type Slowest = Vec<(u128, Option<i128>)>;

/// Returns each task's longest response time and its slowest job; `sweep` takes the turns.
pub(crate) fn critical(
    streams: &[JobStream],
    budget: &mut Budget,
    sweep: &mut impl Sweep,
) -> Result<Slowest, LongestResponse> {
    let busy = busy_period(streams, 0, budget, sweep)?;
    let mut responses: Slowest = alone(streams).into_iter().map(|response| (response, None)).collect();
    let mut upcoming = AbsoluteDeadlines::new(streams);
    let mut end = 0;
    while let Some(absolute_deadline) = upcoming.next() {
        sweep.due(absolute_deadline as i128 - upcoming.shift as i128);
        end = end_of_work(streams, &upcoming.counts, end, budget, sweep)?;
        let mut open = false;
        for ((stream, (response, due)), count) in streams.iter().zip(&mut responses).zip(&upcoming.counts) {
            let own = u128::from(stream.relative_deadline) + upcoming.shift;
            let here = (end + own).saturating_sub(absolute_deadline);
            if *count > 0 && here > *response {
                (*response, *due) = (here, Some(absolute_deadline as i128 - upcoming.shift as i128));
            }
            open |= busy + own > absolute_deadline + *response;
        }
        if !open {
            break;
        }
    }
    Ok(responses)
}

/// Returns when the work of the first `counts` jobs of each task is done, not before `from`.
fn end_of_work(
    streams: &[JobStream],
    counts: &[u128],
    from: u128,
    budget: &mut Budget,
    rows: &mut impl Rows,
) -> Result<u128, LongestResponse> {
    let jobs = || streams.iter().zip(counts);
    let at_once = |(stream, &count): (&JobStream, &u128)| count.min(1) * u128::from(stream.cost);
    let begin = from.max(jobs().map(at_once).sum());
    let next = |end: u128| {
        let work =
            |(stream, &count): (&JobStream, &u128)| work_of(stream.released(end).min(count), stream, rows);
        let next = jobs().map(work).sum();
        rows.row(end, next);
        next
    };
    let found = budget.least_fixed_point(begin, u128::MAX, streams.len() + 1, next);
    found.ok_or(LongestResponse::Spent { so_far: 0 })
}

/// Bounds on the response times: R_i = D_i + max over d of h(d) - d, where h is the demand.
pub fn approximate(streams: &[JobStream], budget: &mut Budget) -> Result<Vec<u128>, LongestResponse> {
    let own = |index: usize| u128::from(streams[index].relative_deadline);
    approximate_from(streams, own, |_, _| true, budget)
}

/// The approximation as SchedCAT computes it: after the first deadline, each admits one more task at most, so that of
/// tasks with equal relative deadlines all but one miss the first of their own deadlines; and it examines deadlines
/// beyond those that matter. Not a bound; here so that results can be compared.
pub fn peer_approximation(streams: &[JobStream], budget: &mut Budget) -> Result<Vec<u128>, LongestResponse> {
    let due_first = |index: usize| u128::from(streams[index].relative_deadline);
    let mut order: Vec<usize> = (0..streams.len()).collect();
    order.sort_by_key(|&index| due_first(index));
    let mut place = vec![0; streams.len()];
    order.iter().enumerate().for_each(|(turn, &index)| place[index] = turn);
    let (mut admitted, mut last) = (0, None);
    let admits = |index: usize, absolute_deadline: u128| {
        if last != Some(absolute_deadline) {
            let next = order.iter().skip(admitted).take_while(|&&next| due_first(next) <= absolute_deadline);
            admitted += if last.is_none() { next.count() } else { next.take(1).count() };
            last = Some(absolute_deadline);
        }
        place[index] < admitted
    };
    let longest = order.last().map_or(0, |&index| due_first(index));
    approximate_from(streams, |_| longest, admits, budget)
}

/// Bounds response times; deadlines of task i are examined up to its `reach` after the busy period.
fn approximate_from(
    streams: &[JobStream],
    reach: impl Fn(usize) -> u128,
    mut admits: impl FnMut(usize, u128) -> bool,
    budget: &mut Budget,
) -> Result<Vec<u128>, LongestResponse> {
    let busy = busy_period(streams, 0, budget, &mut Unwatched)?;
    let mut responses = alone(streams);
    let mut upcoming = AbsoluteDeadlines::new(streams);
    while let Some(absolute_deadline) = upcoming.next() {
        if !budget.spend(streams.len() + 1) {
            return Err(LongestResponse::Spent { so_far: 0 });
        }
        let work = |(stream, &count): (&JobStream, &u128)| count * u128::from(stream.cost);
        let demand: u128 = streams.iter().zip(&upcoming.counts).map(work).sum();
        let mut open = false;
        for (index, stream) in streams.iter().enumerate() {
            let own = u128::from(stream.relative_deadline) + upcoming.shift;
            let within = absolute_deadline < busy + reach(index) + upcoming.shift;
            open |= within;
            if within && admits(index, absolute_deadline) && upcoming.counts[index] > 0 {
                responses[index] = responses[index].max((demand + own).saturating_sub(absolute_deadline));
            }
        }
        if !open {
            break;
        }
    }
    Ok(responses)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn streams(rows: &[(u64, u64, u64, u64)]) -> Vec<JobStream> {
        let of = |&(cost, period, relative_deadline, jitter): &(u64, u64, u64, u64)| JobStream {
            cost,
            period,
            relative_deadline,
            jitter,
        };
        rows.iter().map(of).collect()
    }

    /// (2, 5) and (4, 7): job 2 of the first task is due at 10, after the second's 7; it ends at 8 and arrived at 5.
    /// The worst job of the first arrives at 2, due with the second's first at 7.
    #[test]
    fn a_later_job_may_be_the_slowest() {
        let set = streams(&[(2, 5, 5, 0), (4, 7, 7, 0)]);
        let exact = exact(&set, &mut Budget::default()).unwrap();
        assert_eq!(exact, [4, 6]);
        assert_eq!(approximate(&set, &mut Budget::default()).unwrap(), [4, 6]);
    }

    /// A job that is released 3 late with 2 of work, due at 4, ends at 2: its response is 5.
    #[test]
    fn jitter_counts_from_the_arrival() {
        let set = streams(&[(2, 10, 4, 3), (3, 20, 20, 0)]);
        assert_eq!(exact(&set, &mut Budget::default()).unwrap(), [5, 5]);
    }

    #[test]
    fn overload_and_a_spent_budget_are_told_apart() {
        let set = streams(&[(6, 10, 10, 0), (5, 10, 10, 0)]);
        assert_eq!(exact(&set, &mut Budget::default()), Err(LongestResponse::Unbounded));
        let set = streams(&[(5, 10, 10, 0), (5, 10, 10, 0)]);
        assert_eq!(exact(&set, &mut Budget::of(5)), Err(LongestResponse::Spent { so_far: 0 }));
        assert_eq!(exact(&set, &mut Budget::of(100)).unwrap(), [10, 10]);
    }
}
