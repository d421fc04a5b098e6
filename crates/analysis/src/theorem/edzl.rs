//! EDZL meets what global EDF meets: M. Park, S. Han, H. Kim, S. Cho and Y. Cho, *Comparison of deadline-based
//! scheduling algorithms for periodic real-time tasks on multiprocessor*, IEICE Transactions on Information and Systems
//! E88-D(3), 2005.
//!
//! **Why.** Say that EDF meets all deadlines whatever jobs cost up to their WCETs. The two schedules of the same
//! arrivals and costs are the same until EDZL first chooses a job for its lack of laxity that EDF leaves waiting. Let
//! that job need its WCET: no scheduler knows better before it completes, so that EDF's schedule up to there is what it
//! was. The job then has as much to execute as time to its deadline, EDF lets it wait, and it is late, which was
//! excluded. So there is no such job, and EDZL's schedule is EDF's, bounds on response times included. Ties go by job
//! id under both.
//!
//! All tests of preemptive EDF on the system's processors are asked, but those that explore the schedules of one set of
//! costs.

use crate::assumption::Assumption;
use crate::multiprocessor::{self, one_each};
use crate::reason::Reason;
use crate::system::{AnalysedOrder, System};
use crate::uniprocessor;
use crate::verdict::{Answer, Guarantee, Test, Verdict};
use schedlab_model::Theorem;

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "edzl_as_edf",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: &[
        Assumption::GlobalEdzl,
        Assumption::DelaysAsExecutionOrSuspension,
        Assumption::NoOverheads,
    ],
    source: "Park et al., IEICE Transactions E88-D(3), 2005",
    cost: "that of the last test of EDF that is asked",
    applies: |system| system.theorem() == Some(Theorem::MeetsWhatEdfMeets),
    run,
};

fn run(system: &System) -> Verdict {
    let mut edf = system.clone();
    edf.order = AnalysedOrder::Edf;
    let all = [&one_each::TEST].into_iter().chain(multiprocessor::TESTS.iter().copied());
    let all = all.chain(uniprocessor::TESTS.iter().copied());
    let asked = all.filter(|test| test.guarantee == Guarantee::Hard && (test.applies)(&edf));
    for test in asked {
        let Verdict { answer, bounds, .. } = (test.run)(&edf);
        if answer == Answer::Schedulable {
            return TEST.schedulable(Reason::ProvedBy { test: test.name }, bounds);
        }
    }
    TEST.unknown(Reason::ProvedByNone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::AnalysedScheduler;
    use schedlab_model::{Duration, Task, Work};

    fn verdict(tasks: &[(u64, u64)], processors: u32) -> Verdict {
        let task =
            |&(cost, period): &(u64, u64)| Task::implicit(Work::from_ns(cost), Duration::from_ns(period));
        let tasks: Vec<Task> = tasks.iter().map(task).collect();
        let order = AnalysedOrder::Theorem(Theorem::MeetsWhatEdfMeets);
        let scheduler = AnalysedScheduler { order, ..AnalysedScheduler::EDF };
        let system = System::global(&tasks, processors, &scheduler).unwrap();
        assert!((TEST.applies)(&system));
        run(&system)
    }

    /// GFB proves the first set for EDF; EDF misses a deadline of the second one, which EDZL meets; one processor has
    /// tests of its own.
    #[test]
    fn proofs_of_edf_are_proofs_of_edzl() {
        let proved = verdict(&[(1, 2), (1, 2), (1, 2)], 2);
        assert_eq!((proved.answer, proved.reason), (Answer::Schedulable, Reason::ProvedBy { test: "gfb" }));
        assert_eq!(verdict(&[(2, 3), (2, 3), (2, 3)], 2).answer, Answer::Unknown);
        assert_eq!(verdict(&[(1, 2), (1, 2)], 1).answer, Answer::Schedulable);
        assert_eq!(verdict(&[(1, 2), (1, 2), (1, 9)], 1).answer, Answer::Unknown);
    }
}
