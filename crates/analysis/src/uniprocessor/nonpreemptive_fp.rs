//! Response times of non-preemptive fixed priorities on one processor.
//!
//! L. George, N. Rivierre and M. Spuri, *Preemptive and non-preemptive real-time uniprocessor scheduling*, INRIA
//! RR-2966, 1996, section 4; R. Davis, A. Burns, R. Bril and J. Lukkien, *Controller area network (CAN) schedulability
//! analysis: refuted, revisited and revised*, Real-Time Systems 35(3), 2007: all jobs of the busy period must be looked
//! at, even where D <= T, for a job that cannot be preempted pushes others into the next one. Job q of task i (from 0)
//! begins at the least
//!
//! ```text
//! w(q) = B + q C_i + sum over higher priorities of (floor((w(q) + J_j) / T_j) + 1) C_j
//! R_i  = max over q of w(q) + C_i + J_i - q T_i,   q < ceil((L + J_i) / T_i)
//! L    = B + sum over equal and higher priorities of ceil((L + J_j) / T_j) C_j
//! ```
//!
//! B is the longest cost below, less the nanosecond that it must have begun before. Exact for sporadic arrivals
//! of any deadlines, up to jitter. Self-suspension is refused: a job could be blocked again when it resumes.
//! Pseudo-polynomial.

use super::edf_response_time::{busy_period, JobStream};
use super::response_time::{conclude, LongestResponse};
use crate::assumption::Assumption;
use crate::budget::Budget;
use crate::steps::{
    Computation, GoesBefore, JitterCause, JobsOf, ResponseSteps, Rows, Unwatched, Watch, WindowRule, Windows,
};
use crate::system::{AnalysedOrder, System};
use crate::verdict::{Guarantee, Test, Verdict};

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "np_response_time",
    guarantee: Guarantee::Hard,
    exact: true,
    assumptions: &[
        Assumption::OneProcessorNonPreemptiveFixedPriorities,
        Assumption::JobsInSequence,
        Assumption::NoSelfSuspension,
        Assumption::NoOverheads,
    ],
    source: "George, Rivierre and Spuri, INRIA RR-2966, 1996; Davis et al., RTS 35(3), 2007",
    cost: "pseudo-polynomial; O(n^2) for a step of all fixed points",
    applies: |system| {
        system.processors == 1 && !system.preemptive && system.order == AnalysedOrder::FixedPriority
    },
    run: |system| run(system, &mut Unwatched),
};

/// Terms that the registry's test may evaluate: some milliseconds.
const TERMS: u64 = 1 << 20;

/// Runs the test while `watch` watches.
pub(crate) fn run(system: &System, watch: &mut impl Watch) -> Verdict {
    if let Some(obstacle) = super::unlike_nonpreemptive(system) {
        return TEST.unknown(obstacle);
    }
    let outcomes = outcomes(system, &mut Budget::of(TERMS), watch);
    conclude(&TEST, system, &outcomes, |reason, bounds| {
        super::refuted_by_sporadic_arrivals(&TEST, system, reason, bounds)
    })
}

/// The outcome of each task, in the order of `system.tasks`.
pub(crate) fn outcomes(system: &System, budget: &mut Budget, watch: &mut impl Watch) -> Vec<LongestResponse> {
    let order = system.by_priority();
    let mut outcomes = vec![LongestResponse::Unbounded; order.len()];
    for (place, &index) in order.iter().enumerate() {
        outcomes[index] = watched(system, index, &order[..place], &order[place + 1..], budget, watch);
        if outcomes[index] == LongestResponse::Unbounded {
            watch.end_with(system.tasks[index].id);
            break;
        }
    }
    outcomes
}

/// The outcome of the task at `own` if those at `higher` go before it and those at `lower` after it.
pub(crate) fn between(
    system: &System,
    own: usize,
    higher: &[usize],
    lower: &[usize],
    budget: &mut Budget,
) -> LongestResponse {
    watched(system, own, higher, lower, budget, &mut Unwatched)
}

/// Returns the outcome as [`between`] does while `watch` watches.
fn watched(
    system: &System,
    own: usize,
    higher: &[usize],
    lower: &[usize],
    budget: &mut Budget,
    watch: &mut impl Watch,
) -> LongestResponse {
    let all = JobStream::all(system);
    let blocking = lower.iter().map(|&index| all[index].cost.saturating_sub(1)).max().unwrap_or(0);
    let streams: Vec<JobStream> = higher.iter().chain([&own]).map(|&index| all[index]).collect();
    let found = |worst: Result<u128, LongestResponse>| worst.map_or_else(|end| end, LongestResponse::Bounded);
    if !watch.wants(Some(system.tasks[own].id)) {
        return found(worst(&streams, blocking, budget, &mut Unwatched));
    }
    let shown = |index: &usize| {
        let JobStream { cost, period, jitter, .. } = all[*index];
        let task = system.tasks[*index].id;
        GoesBefore { task, cost, spinning: 0, period, jitter, jitter_cause: JitterCause::Jitter }
    };
    let (rule, due) = (WindowRule::UntilBegin, all[own].relative_deadline);
    let before = higher.iter().map(shown).collect();
    let mut steps = ResponseSteps::new(rule, shown(&own), blocking, due, before);
    let outcome = found(worst(&streams, blocking, budget, &mut steps));
    steps.bound = outcome.bound();
    watch.add(Computation::Response(steps));
    outcome
}

/// The longest response time of the last of `streams`, which the others go before.
fn worst(
    streams: &[JobStream],
    blocking: u64,
    budget: &mut Budget,
    windows: &mut impl Windows,
) -> Result<u128, LongestResponse> {
    let busy = busy_period(streams, blocking, budget, windows)?;
    let Some((own, higher)) = streams.split_last() else { return Err(LongestResponse::Unbounded) };
    let (cost, period, jitter) = (u128::from(own.cost), u128::from(own.period), u128::from(own.jitter));
    let mut worst = cost + jitter;
    let mut begin = 0;
    for job in 0..own.released(busy) {
        let before = u128::from(blocking) + job * cost;
        windows.begin(job as u64 + 1, before);
        let found = begin_of_job(higher, before, begin, budget, windows);
        begin = found.ok_or(LongestResponse::Spent { so_far: worst })?;
        let response = (begin + cost + jitter).saturating_sub(job * period);
        windows.respond(response);
        worst = worst.max(response);
    }
    Ok(worst)
}

/// Returns when a job begins that waits for `before` and for all higher jobs; not before `from`.
fn begin_of_job(
    higher: &[JobStream],
    before: u128,
    from: u128,
    budget: &mut Budget,
    rows: &mut impl Rows,
) -> Option<u128> {
    // A job that is released at that instant goes before, too.
    let next = |begin: u128| {
        let work = |stream: &JobStream| {
            let jobs = stream.released(begin + 1);
            let work = jobs * u128::from(stream.cost);
            rows.jobs(JobsOf { jobs: jobs as u64, work });
            work
        };
        let next = before + higher.iter().map(work).sum::<u128>();
        rows.row(begin, next);
        next
    };
    budget.least_fixed_point(from.max(before), u128::MAX, higher.len() + 1, next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AnalysedScheduler, Answer, Arrivals, Bounds};
    use schedlab_model::{Duration, Task, Work};

    fn system(rows: &[(u64, u64, u64)], arrivals: Arrivals) -> System {
        let task = |&(cost, period, relative_deadline): &(u64, u64, u64)| {
            Task::constrained(
                Work::from_ns(cost),
                Duration::from_ns(period),
                Duration::from_ns(relative_deadline),
            )
        };
        let tasks: Vec<Task> = rows.iter().map(task).collect();
        let ranks: Vec<u32> = (0..tasks.len() as u32).collect();
        let scheduler = AnalysedScheduler {
            order: AnalysedOrder::FixedPriority,
            preemptive: false,
            ranks: &ranks,
            points: &[],
            arrivals,
        };
        System::global(&tasks, 1, &scheduler).unwrap()
    }

    /// The counterexample of Davis et al., section 3.1, in units of 1/100 and with sections that last their time less
    /// nothing: the second job of C is slower than the first.
    #[test]
    fn the_second_job_may_be_the_slowest() {
        let rows = [(100, 250, 250), (100, 350, 325), (100, 350, 325)];
        let found = outcomes(&system(&rows, Arrivals::Sporadic), &mut Budget::default(), &mut Unwatched);
        assert_eq!(found, [199, 299, 350].map(LongestResponse::Bounded));
        let verdict = (TEST.run)(&system(&rows, Arrivals::Sporadic));
        assert_eq!(verdict.answer, Answer::Unschedulable);
        // Whether periodic jobs from zero miss is another question.
        assert_eq!((TEST.run)(&system(&rows, Arrivals::Periodic)).answer, Answer::Unknown);
    }

    /// By hand. (2, 5) with a jitter of 3 is blocked for 3 - 1: it completes 2 + 2 after a release that was 3 late.
    /// Released at 0 and 2, both of its first jobs go before (3, 20): 4 + 3.
    #[test]
    fn jitter_delays_a_job_and_brings_others_together() {
        let mut late = system(&[(2, 5, 20), (3, 20, 20)], Arrivals::Sporadic);
        late.tasks[0].jitter = 3;
        let found = outcomes(&late, &mut Budget::default(), &mut Unwatched);
        assert_eq!(found, [7, 7].map(LongestResponse::Bounded));
    }

    /// No job is blocked by one that begins at the same instant: 1 less.
    #[test]
    fn the_blocker_has_begun_before() {
        let rows = [(1, 10, 3), (3, 10, 10)];
        let verdict = (TEST.run)(&system(&rows, Arrivals::Sporadic));
        let bounds = [3, 4].map(|ns| Some(Duration::from_ns(ns)));
        assert_eq!(verdict.bounds, Bounds::ResponseTime(bounds.to_vec()));
        assert_eq!(verdict.answer, Answer::Schedulable);
    }
}
