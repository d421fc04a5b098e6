//! The explorations as tests of task sets.

use super::jobs::Span;
use super::outcome::Conclusion;
use super::periodic::{explore_tasks, PeriodicTask};
use super::MOST_STATES;
use crate::assumption::Assumption;
use crate::reason::Reason;
use crate::system::{AnalysedOrder, Arrivals, SporadicTask, System};
use crate::verdict::{Bounds, Guarantee, Test, Verdict};
use schedlab_model::{Duration, Point};

const ASSUMPTIONS: &[Assumption] = &[
    Assumption::NonPreemptiveJobPriorities,
    Assumption::PeriodicWithOffsets,
    Assumption::CostsAtLeastBestCase,
    Assumption::NoSelfSuspension,
    Assumption::NoBlocking,
    Assumption::NoOverheads,
];

/// Entry of this test in the registry: exact on one processor.
pub(crate) static UNIPROCESSOR: Test = Test {
    name: "schedule_abstraction",
    guarantee: Guarantee::Hard,
    exact: true,
    assumptions: ASSUMPTIONS,
    source: "Nasri and Brandenburg, RTSS 2017",
    cost: "exponential; 65,536 states at most",
    applies: |system| applies(system) && system.processors == 1,
    run: |system| run(&UNIPROCESSOR, system),
};

/// Entry of this test in the registry: sufficient on several processors, and refutes by a schedule where it finds one.
pub(crate) static GLOBAL: Test = Test {
    name: "schedule_abstraction_global",
    guarantee: Guarantee::Hard,
    exact: true,
    assumptions: ASSUMPTIONS,
    source: "Nasri, Nelissen and Brandenburg, ECRTS 2018 and 2019",
    cost: "exponential; 65,536 states at most, and as many once more if they are spent",
    applies: |system| applies(system) && system.processors > 1,
    run: |system| run(&GLOBAL, system),
};

fn applies(system: &System) -> bool {
    !system.preemptive
        && matches!(
            system.order,
            AnalysedOrder::Edf | AnalysedOrder::AfterArrival | AnalysedOrder::FixedPriority
        )
}

fn run(test: &Test, system: &System) -> Verdict {
    if let Some(doubt) = refused(system) {
        return test.unknown(doubt);
    }
    let tasks: Vec<PeriodicTask> = system.tasks.iter().map(|task| periodic(task, system.order)).collect();
    let found = explore_tasks(&tasks, system.processors, MOST_STATES);
    match found.outcome {
        Conclusion::Safe => {
            let worst = |span: &Option<Span>| span.map(|span| Duration::from_ns(span.high));
            let bounds = Bounds::ResponseTime(found.responses.iter().map(worst).collect());
            test.schedulable(Reason::NoneLate { states: found.states }, bounds)
        }
        Conclusion::Late(_) if system.release_delay() > 0 => test.unknown(Reason::TicksMayPreventSchedule),
        Conclusion::Late(example) => test.unschedulable_by(example),
        Conclusion::Doubtful => test.unknown(Reason::PerhapsLate),
        Conclusion::OutOfBudget => test.unknown(Reason::StatesSpent { states: MOST_STATES }),
    }
}

/// Reason why a system is not explored.
fn refused(system: &System) -> Option<Reason> {
    if system.arrivals != Arrivals::Periodic {
        return Some(Reason::NotPeriodic);
    }
    let exceeds =
        |point: Point| point.parts > PeriodicTask::LARGEST_SCALE || point.after > PeriodicTask::LATEST_POINT;
    if system.tasks.iter().any(|task| exceeds(task.priority_point)) {
        return Some(Reason::ManyProcessorsForPoints);
    }
    if system.needs_blocking() || system.has_suspension() {
        return Some(Reason::SuspendsOrIsBlocked);
    }
    if system.tasks.iter().any(|task| task.offset > System::LONGEST.as_ns()) {
        return Some(Reason::LongOffset);
    }
    (!system.all_stay()).then_some(Reason::Leaves)
}

fn periodic(task: &SporadicTask, order: AnalysedOrder) -> PeriodicTask {
    let (point, point_scale) = match order {
        AnalysedOrder::Edf => (task.relative_deadline, 1),
        AnalysedOrder::AfterArrival => (task.priority_point.after, task.priority_point.parts),
        AnalysedOrder::FixedPriority => (task.rank.into(), 0),
        AnalysedOrder::FixedPriorityOpenTies
        | AnalysedOrder::Pfair(_)
        | AnalysedOrder::Theorem(_)
        | AnalysedOrder::Unanalysed => {
            unreachable!("the test does not apply")
        }
    };
    PeriodicTask {
        id: task.id,
        offset: task.offset,
        period: task.period,
        relative_deadline: task.relative_deadline,
        jitter: task.jitter,
        cost: Span::new(task.least_cost.max(1).min(task.cost), task.cost),
        point,
        point_scale,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::AnalysedScheduler;
    use crate::verdict::Answer;
    use schedlab_model::{Instant, Task, TaskId, Work};

    fn task(offset: u64, cost: u64, relative_deadline: u64) -> Task {
        let ns = Duration::from_ns;
        let task = Task::constrained(Work::from_ns(cost), ns(30), ns(relative_deadline));
        Task { offset: Instant::from_ns(offset), ..task }
    }

    /// Answers for fixed priorities by falling priority, on one processor.
    fn answer(tasks: &[Task], arrivals: Arrivals, release_delay: u64) -> Answer {
        let scheduler = AnalysedScheduler {
            order: AnalysedOrder::FixedPriority,
            preemptive: false,
            ranks: &[0, 1, 2],
            points: &[],
            arrivals,
        };
        let delay = Duration::from_ns(release_delay);
        let ids = (0..tasks.len() as u32).map(TaskId);
        run(&UNIPROCESSOR, &System::new(tasks, ids, 1, &scheduler, delay).unwrap()).answer
    }

    /// If the first job ends early, the last one begins before the urgent one arrives.
    fn anomaly() -> [Task; 3] {
        [task(0, 3, 30), task(2, 1, 5), task(1, 10, 30)]
    }

    #[test]
    fn an_early_end_makes_a_job_late() {
        let known = anomaly().map(|task| Task { bcet: task.wcet, ..task });
        assert_eq!(answer(&known, Arrivals::Periodic, 0), Answer::Schedulable);
        assert_eq!(answer(&anomaly(), Arrivals::Periodic, 0), Answer::Unschedulable);
    }

    /// The first job does not end at once, so that the urgent one is there when it ends.
    #[test]
    fn a_job_takes_a_nanosecond_at_least() {
        let tasks = [task(0, 3, 30), task(1, 1, 5), task(0, 10, 30)];
        assert_eq!(answer(&tasks, Arrivals::Periodic, 0), Answer::Schedulable);
    }

    #[test]
    fn what_is_not_explored_is_not_refuted() {
        assert_eq!(answer(&anomaly(), Arrivals::Sporadic, 0), Answer::Unknown);
        assert_eq!(answer(&anomaly(), Arrivals::Periodic, 1), Answer::Unknown);
        let mut leaving = anomaly();
        leaving[2].leave = Instant::from_ns(40);
        assert_eq!(answer(&leaving, Arrivals::Periodic, 0), Answer::Unknown);
        assert_eq!(answer(&[task(0, 1, 30)], Arrivals::Sporadic, 0), Answer::Unknown);
    }
}
