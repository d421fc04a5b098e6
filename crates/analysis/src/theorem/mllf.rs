//! MLLF on one processor meets what EDF meets: S.-H. Oh and S.-M. Yang, *A modified least-laxity-first scheduling
//! algorithm for real-time tasks*, RTCSA 1998.
//!
//! **Why.** Say that EDF meets all deadlines of some jobs if they need their WCETs. Call h(d) what is left to execute,
//! now, of jobs that are due within d, those that arrive later included. Let job a execute, with a laxity of L and due
//! in D_a = C_a + L. For d < D_a, h(d) <= L, since h(d) + C_a <= h(D_a) <= D_a. Job a goes on for x <= D - L, where D
//! is the time to the first deadline of the jobs that wait. Then:
//!
//! * For d >= D_a, both h(d) and the time to d fall by x.
//! * For D <= d < D_a, the time that is left is d - x >= L >= h(d).
//! * For d < D, h(d) counts jobs alone that arrive after x, because the scheduler decides at arrivals. They are due at
//!   least as long after their arrivals as they take together.
//!
//! So EDF can still meet all deadlines afterwards. A job that needs less than its WCET leaves more time. Which job has
//! the least laxity does not matter to this, but makes D - L positive.
//!
//! The tests of preemptive EDF on one processor are asked. Response times under EDF say nothing of those under MLLF, so
//! that relative deadlines are the bounds.

use crate::assumption::Assumption;
use crate::reason::Reason;
use crate::system::{AnalysedOrder, System};
use crate::uniprocessor;
use crate::verdict::{Answer, Guarantee, Test, Verdict};
use schedlab_model::Theorem;

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "mllf_as_edf",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: &[
        Assumption::OneProcessorMllf,
        Assumption::NoSelfSuspension,
        Assumption::NoBlocking,
        Assumption::NoOverheads,
    ],
    source: "Oh and Yang, RTCSA 1998",
    cost: "that of the last test of EDF that is asked",
    applies: |system| system.theorem() == Some(Theorem::OptimalOnOneProcessor) && system.processors == 1,
    run,
};

fn run(system: &System) -> Verdict {
    if system.needs_blocking() || system.has_suspension() {
        return TEST.unknown(Reason::SuspendsOrIsBlocked);
    }
    let mut edf = system.clone();
    edf.order = AnalysedOrder::Edf;
    let all = uniprocessor::TESTS.iter().copied();
    for test in all.filter(|test| test.guarantee == Guarantee::Hard && (test.applies)(&edf)) {
        if (test.run)(&edf).answer == Answer::Schedulable {
            return TEST.meets_deadlines(system, Reason::ProvedBy { test: test.name });
        }
    }
    TEST.unknown(Reason::ProvedByNone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::AnalysedScheduler;
    use crate::verdict::Bounds;
    use schedlab_model::{Duration, Step, Suspension, Task, Work};

    fn system(tasks: &[Task], processors: u32) -> System {
        let order = AnalysedOrder::Theorem(Theorem::OptimalOnOneProcessor);
        let scheduler = AnalysedScheduler { order, ..AnalysedScheduler::EDF };
        System::global(tasks, processors, &scheduler).unwrap()
    }

    fn tasks(rows: &[(u64, u64, u64)]) -> Vec<Task> {
        let ns = Duration::from_ns;
        rows.iter().map(|&(c, t, d)| Task::constrained(Work::from_ns(c), ns(t), ns(d))).collect()
    }

    fn verdict(rows: &[(u64, u64, u64)]) -> Verdict {
        run(&system(&tasks(rows), 1))
    }

    /// Utilization proves the first set for EDF, demand the second one; the others demand too much.
    #[test]
    fn proofs_of_edf_are_proofs_of_mllf() {
        let proved = verdict(&[(1, 2, 2), (1, 2, 2)]);
        assert_eq!(
            (proved.answer, proved.reason),
            (Answer::Schedulable, Reason::ProvedBy { test: "edf_utilization" })
        );
        let bounds = [2, 2].map(|bound| Some(Duration::from_ns(bound)));
        assert_eq!(proved.bounds, Bounds::ResponseTime(bounds.to_vec()));
        assert_eq!(verdict(&[(2, 9, 3), (5, 9, 7)]).reason, Reason::ProvedBy { test: "qpa" });
        assert_eq!(verdict(&[(2, 9, 3), (5, 9, 6)]).answer, Answer::Unknown);
        assert_eq!(verdict(&[(1, 2, 2), (1, 2, 2), (1, 9, 9)]).answer, Answer::Unknown);
    }

    #[test]
    fn it_speaks_of_one_processor_and_of_jobs_that_only_execute() {
        let mut plain = tasks(&[(1, 4, 4), (1, 4, 4)]);
        assert!((TEST.applies)(&system(&plain, 1)) && !(TEST.applies)(&system(&plain, 2)));
        let suspending = Task { suspension: Suspension::Dynamic(Duration::from_ns(1)), ..plain[0].clone() };
        assert_eq!(run(&system(&[suspending], 1)).reason, Reason::SuspendsOrIsBlocked);
        plain[1].program = vec![Step::NpEnter, Step::Execute(Work::from_ns(1)), Step::NpExit];
        assert_eq!(run(&system(&plain, 1)).reason, Reason::SuspendsOrIsBlocked);
    }
}
