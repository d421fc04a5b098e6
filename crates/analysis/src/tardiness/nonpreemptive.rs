//! Tardiness under non-preemptive global EDF.
//!
//! After U. Devi and J. Anderson, *Tardiness bounds under global EDF scheduling on a multiprocessor*,
//! RTSS 2005 (the bound for EDF-NP): if U <= m, no job of task i with an implicit deadline is tardier
//! than x + C_i, where
//!
//! ```text
//! x = (sum of the m largest costs - least cost) / (m - sum of the m - 1 largest utilizations)
//! ```
//!
//! A smaller x circulates, with m - 1 costs in all ([`peer_x`]); two jobs of 100 that begin on two
//! processors just before one of (1, 2) refute it (docs/peers.md). What is proved here, by induction over jobs in
//! priority order, for a job J of task k due at d, with all jobs of priority higher than J tardy by at
//! most x + C. Call jobs of J's priority or higher *D-jobs*, and others *late-comers*.
//!
//! First, let t be the last instant up to d before which not all processors execute D-jobs and no ready
//! D-job waits. After t no late-comer begins, so all processors execute D-jobs or late-comers begun
//! before t. The D-work left at d and the late-comers' work left at d are therefore at most LAG(t), the
//! D-work by which a fluid schedule of rates U_i is ahead at t, plus the late-comers' work left at t.
//! Just before t at most m - 1 tasks execute D-jobs, none waits, and late-comers take what remains of
//! the m processors; a task that executes a D-job has a lag of at most x U_i + C_i, one without pending
//! D-job has none. Together at most x times the m - 1 largest utilizations plus the m largest costs,
//! which is at most m x + C_k by choice of x.
//!
//! Second, J completes by d + x + C_k. If it has not begun at d, either all processors are busy with
//! that work until it begins, at the latest after (m x + C_k - C_J) / m; or some processor is not, and at
//! that instant every pending D-task executes, among them J's predecessor. From then on a completed
//! D-job frees a processor for its successor before any late-comer can take it, so J begins when its
//! predecessor completes, by induction not after d - T_k + x + C_k <= d + x.
//!
//! O(n log n). Jitter and self-suspension are refused: a job could be blocked again when it resumes.

use super::{largest_costs, largest_utilizations, unbounded, verdict, x};
use crate::assumption::Assumption;
use crate::exact::{ceiling_of_sum, Fraction, Pair};
use crate::reason::Reason;
use crate::system::{AnalysedOrder, System};
use crate::verdict::{Guarantee, Test, Verdict};

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "devi_anderson_np",
    guarantee: Guarantee::Soft,
    exact: false,
    assumptions: &[
        Assumption::GlobalNonPreemptiveEdf,
        Assumption::ImplicitDeadlines,
        Assumption::JobsInSequence,
        Assumption::NoJitter,
        Assumption::NoSelfSuspension,
        Assumption::NoOverheads,
    ],
    source: "after Devi and Anderson, RTSS 2005; proved in docs/peers.md",
    cost: "O(n log n)",
    applies: |system| !system.preemptive && system.order == AnalysedOrder::Edf,
    run,
};

fn run(system: &System) -> Verdict {
    if system.has_jitter() || system.has_suspension() {
        return TEST.unknown(Reason::JitterOrSuspension);
    }
    verdict(&TEST, system, tardiness_x)
}

/// x for tasks with these (cost, period), or `None` if U > m or some C > T.
pub fn tardiness_x(utilizations: &[Pair], processors: u32) -> Option<Fraction> {
    if processors == 0 || unbounded(utilizations, processors).is_some() {
        return None;
    }
    let m = processors as usize;
    let busy = largest_utilizations(utilizations, m - 1);
    Some(x(largest_costs(utilizations, m), utilizations, processors, &busy))
}

/// The x that SchedCAT computes for more than one processor: to the L = ceil(U) - 1 largest costs it adds
/// the m - L - 1 largest, not m - L others. Not a bound; here so that results can be compared.
pub fn peer_x(utilizations: &[Pair], processors: u32) -> Option<Fraction> {
    if processors < 2 || unbounded(utilizations, processors).is_some() {
        return None;
    }
    let carried = ceiling_of_sum(utilizations).saturating_sub(1) as usize;
    let busy = largest_utilizations(utilizations, carried.saturating_sub(1));
    let blocking = processors as usize - carried - 1;
    let costs = largest_costs(utilizations, carried) + largest_costs(utilizations, blocking);
    Some(x(costs, utilizations, processors, &busy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;

    /// Two jobs of 100 begin on two processors and keep (1, 2) waiting: at 4 its second job is due, at
    /// 101 it completes. The peer's x + C is 51.
    #[test]
    fn two_long_jobs_refute_the_peer() {
        let tasks = [(1, 2), (100, 150), (100, 150)];
        let observed = 101 - 4;
        assert_eq!(peer_x(&tasks, 2).unwrap().ceiling() + 1, BigInt::from(51));
        assert!(BigInt::from(51) < BigInt::from(observed));
        let x = tardiness_x(&tasks, 2).unwrap();
        assert_eq!(x.lowest_terms(), (BigInt::from(597), BigInt::from(4)));
    }

    /// The test gives no bound for jobs that come late or suspend themselves.
    #[test]
    fn disturbed_jobs_are_not_bounded() {
        use crate::{AnalysedScheduler, Answer};
        use schedlab_model::{Duration, Task, Work};
        let task = Task::implicit(Work::from_ns(1), Duration::from_ns(4));
        let scheduler = AnalysedScheduler { preemptive: false, ..AnalysedScheduler::EDF };
        let mut system = System::global(&[task], 1, &scheduler).unwrap();
        assert_eq!((TEST.run)(&system).answer, Answer::Schedulable);
        system.tasks[0].suspension = 1;
        assert_eq!((TEST.run)(&system).answer, Answer::Unknown);
        system.tasks[0] = crate::SporadicTask { suspension: 0, jitter: 1, ..system.tasks[0] };
        assert_eq!((TEST.run)(&system).answer, Answer::Unknown);
    }

    /// The longest job may have begun on one processor.
    #[test]
    fn one_processor_waits_for_the_longest_job() {
        let x = |tasks: &[Pair]| tardiness_x(tasks, 1).unwrap().lowest_terms();
        assert_eq!(x(&[(1, 4), (7, 20), (3, 10)]), (BigInt::from(6), BigInt::from(1)));
    }
}
