//! Non-preemptive EDF on one processor.
//!
//! K. Jeffay, D. Stanat and C. Martel, *On non-preemptive scheduling of periodic and sporadic tasks*, RTSS 1991; L.
//! George, N. Rivierre and M. Spuri, *Preemptive and non-preemptive real-time uniprocessor scheduling*, INRIA RR-2966,
//! 1996, sections 5 and 6: sporadic tasks of any deadlines are schedulable exactly if U <= 1 and, for all t,
//!
//! ```text
//! h(t) + b(t) <= t,   b(t) = the longest cost, less 1 ns, of a task with D > t
//! ```
//!
//! where h is the demand ([`super::demand`]). The sum never falls: a cost that leaves b enters h not later. So quick
//! processor-demand analysis holds for it. From the longest D on b is zero, and the limits for h alone count.
//!
//! [`responses`] bounds response times as the same report does: a job that arrives at a in a busy period and is due at
//! d = a + D_i begins at the least
//!
//! ```text
//! w = b(d) + floor((a + J_i) / T_i) C_i + sum over others of min(floor((w + J_j) / T_j) + 1, n_j(d)) C_j
//! ```
//!
//! Self-suspension is refused: a job could be blocked again when it resumes. Pseudo-polynomial.

use super::demand::Demands;
use super::edf_response_time::{busy_period, AbsoluteDeadlines, JobStream};
use super::examination::ExaminationEnd;
use super::qpa::walk_blocked;
use super::response_time::{conclude, LongestResponse};
use crate::assumption::Assumption;
use crate::budget::Budget;
use crate::reason::Reason;
use crate::sentences::Ns;
use crate::steps::Unwatched;
use crate::system::{AnalysedOrder, System};
use crate::verdict::{Bounds, Guarantee, Test, Verdict};

/// Entry of this test in the registry for the demand.
pub static DEMAND: Test = Test {
    name: "np_edf_demand",
    guarantee: Guarantee::Hard,
    exact: true,
    assumptions: &[
        Assumption::OneProcessorNonPreemptiveEdf,
        Assumption::JitterShortensDeadlines,
        Assumption::NoSelfSuspension,
        Assumption::NoOverheads,
    ],
    source: "Jeffay, Stanat and Martel, RTSS 1991; George, Rivierre and Spuri, INRIA RR-2966, 1996",
    cost: "pseudo-polynomial; usually a handful of steps of O(n)",
    applies,
    run: examine,
};

/// Entry of this test in the registry for response times.
pub(crate) static RESPONSE_TIME: Test = Test {
    name: "np_edf_response_time",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: &[
        Assumption::OneProcessorNonPreemptiveEdf,
        Assumption::JobsInSequence,
        Assumption::NoSelfSuspension,
        Assumption::NoOverheads,
    ],
    source: "George, Rivierre and Spuri, INRIA RR-2966, 1996",
    cost: "pseudo-polynomial; O(n) for a step at each deadline of a busy period",
    applies,
    run,
};

/// Terms that the registry's test of response times may evaluate: a millisecond or two.
const TERMS: u64 = 1 << 19;

fn applies(system: &System) -> bool {
    system.processors == 1 && !system.preemptive && system.order == AnalysedOrder::Edf
}

/// The longest cost of a job due after `t`, less the time for which it must have executed already.
fn blocking(streams: &[JobStream], t: u128) -> u64 {
    let later = streams.iter().filter(|stream| u128::from(stream.relative_deadline) > t);
    later.map(|stream| stream.cost.saturating_sub(1)).max().unwrap_or(0)
}

fn examine(system: &System) -> Verdict {
    if let Some(obstacle) = super::unlike_nonpreemptive(system) {
        return DEMAND.unknown(obstacle);
    }
    let refuted = |reason: Reason| match system.has_jitter() {
        // A task counts as blocking and as demand at once, by its deadlines with jitter and without.
        true => DEMAND.unknown(reason.but(Reason::JitterOverApproximated)),
        false => super::refuted_by_sporadic_arrivals(&DEMAND, system, reason, Bounds::None),
    };
    let demands = match Demands::new(system) {
        Ok(demands) => demands,
        Err(late) => return refuted(late.reason()),
    };
    if demands.load().is_gt() {
        return refuted(Reason::Utilization(demands.utilization()));
    }
    let mut budget = Budget::default();
    let Some(limit) = demands.limit(&mut budget).shortest() else {
        return DEMAND.unknown(Reason::NoLimit);
    };
    let streams = JobStream::all(system);
    let longest = streams.iter().map(|stream| stream.relative_deadline).max().unwrap_or(0);
    let delays = |t: u64| blocking(&streams, t.into());
    match walk_blocked(&demands, limit.max(longest + 1), delays, &mut budget, &mut Unwatched) {
        ExaminationEnd::Meets => DEMAND.meets_deadlines(system, Reason::BlockedDemandFits),
        ExaminationEnd::Exceeds { t, demand } => {
            refuted(Reason::BlockedDemandExceeds { within: Ns(t), demand: Ns(demand) })
        }
        ExaminationEnd::Spent => DEMAND.unknown(Reason::BudgetOfDemandSpent),
    }
}

fn run(system: &System) -> Verdict {
    if let Some(obstacle) = super::unlike_nonpreemptive(system) {
        return RESPONSE_TIME.unknown(obstacle);
    }
    let outcomes = match responses(&JobStream::all(system), &mut Budget::of(TERMS)) {
        Ok(responses) => responses.into_iter().map(LongestResponse::Bounded).collect(),
        Err(none) => vec![none; system.tasks.len()],
    };
    conclude(&RESPONSE_TIME, system, &outcomes, |reason, bounds| RESPONSE_TIME.unknown_with(reason, bounds))
}

/// A bound on the response time of each task.
pub(crate) fn responses(streams: &[JobStream], budget: &mut Budget) -> Result<Vec<u128>, LongestResponse> {
    let busy = busy_period(streams, blocking(streams, 0), budget, &mut Unwatched)?;
    let alone = |stream: &JobStream| u128::from(stream.cost) + u128::from(stream.jitter);
    let mut responses: Vec<u128> = streams.iter().map(alone).collect();
    let mut upcoming = AbsoluteDeadlines::new(streams);
    while let Some(absolute_deadline) = upcoming.next() {
        // Between the deadlines of two jobs that matter may lie billions of others: a year has so many milliseconds.
        if !budget.spend(streams.len() + 1) {
            return Err(LongestResponse::Spent { so_far: 0 });
        }
        let blocking = blocking(streams, absolute_deadline.saturating_sub(upcoming.shift));
        let mut open = false;
        for (index, stream) in streams.iter().enumerate() {
            let own = u128::from(stream.relative_deadline) + upcoming.shift;
            // The job arrives at `absolute_deadline - own`, while the processor is busy.
            let within = absolute_deadline < busy + own;
            open |= within;
            if within && upcoming.counts[index] > 0 {
                let begin = begin_of_job(streams, &upcoming.counts, index, blocking, budget)?;
                let end = begin + u128::from(stream.cost);
                responses[index] = responses[index].max((end + own).saturating_sub(absolute_deadline));
            }
        }
        if !open {
            break;
        }
    }
    Ok(responses)
}

/// Returns when the last of the jobs of task `own` that `counts` counts begins.
fn begin_of_job(
    streams: &[JobStream],
    counts: &[u128],
    own: usize,
    blocking: u64,
    budget: &mut Budget,
) -> Result<u128, LongestResponse> {
    let before = u128::from(blocking) + (counts[own] - 1) * u128::from(streams[own].cost);
    let next = |begin: u128| {
        let work = |(index, stream): (usize, &JobStream)| match index == own {
            true => 0,
            // A job that is released at that instant goes before, too.
            false => stream.released(begin + 1).min(counts[index]) * u128::from(stream.cost),
        };
        before + streams.iter().enumerate().map(work).sum::<u128>()
    };
    let found = budget.least_fixed_point(before, u128::MAX, streams.len() + 1, next);
    found.ok_or(LongestResponse::Spent { so_far: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AnalysedScheduler, Answer, Arrivals};
    use schedlab_model::{Duration, Task, Work};

    fn answer(rows: &[(u64, u64, u64)], arrivals: Arrivals) -> Answer {
        let task = |&(cost, period, relative_deadline): &(u64, u64, u64)| {
            Task::constrained(
                Work::from_ns(cost),
                Duration::from_ns(period),
                Duration::from_ns(relative_deadline),
            )
        };
        let tasks: Vec<Task> = rows.iter().map(task).collect();
        let scheduler = AnalysedScheduler { preemptive: false, arrivals, ..AnalysedScheduler::EDF };
        (DEMAND.run)(&System::global(&tasks, 1, &scheduler).unwrap()).answer
    }

    /// (4, 10) may have begun a nanosecond before (2, 5) arrives: 3 + 2 <= 5 fits, 4 + 2 does not.
    #[test]
    fn the_blocker_has_begun_before() {
        assert_eq!(answer(&[(2, 5, 5), (4, 10, 10)], Arrivals::Sporadic), Answer::Schedulable);
        assert_eq!(answer(&[(2, 5, 5), (5, 10, 10)], Arrivals::Sporadic), Answer::Unschedulable);
        assert_eq!(answer(&[(2, 5, 5), (5, 10, 10)], Arrivals::Periodic), Answer::Unknown);
    }

    /// A blocker due at the same time does not block: it is a part of the demand.
    #[test]
    fn a_blocker_that_is_due_as_early_demands() {
        assert_eq!(answer(&[(2, 12, 6), (4, 12, 6)], Arrivals::Sporadic), Answer::Schedulable);
    }
}
