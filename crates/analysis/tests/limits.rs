//! Large numbers: ten thousand tasks, parameters of hours in nanoseconds, and what is refused.

use schedlab_analysis::registry::{TESTS, YARDSTICKS};
use schedlab_analysis::{analyze, Answer, Arrivals, Bounds, Order, Scheduler, System, SystemError};
use schedlab_model::{
    ClusterId, Duration, Platform, ReleasePoint, ResourceId, Step, Suspension, Task, TaskId, Work,
};

const HOUR: u64 = 3_600_000_000_000;

fn task(cost: u64, period: u64, relative_deadline: u64) -> Task {
    Task::constrained(Work::from_ns(cost), Duration::from_ns(period), Duration::from_ns(relative_deadline))
}

/// Periods of about five hours without common divisors.
fn many(count: u64, load: u64) -> Vec<Task> {
    let of = |at: u64| {
        let period = 5 * HOUR - 104_729 * at;
        task(load * period / count / 1000 * 1000 + at, period, period)
    };
    (0..count).map(of).collect()
}

#[test]
fn ten_thousand_tasks_of_hours() {
    let ranks: Vec<u32> = (0..10_000).rev().collect();
    for (load, m) in [(1, 1), (1, 2), (4, 4)] {
        let tasks = many(10_000, load);
        for order in [Order::Edf, Order::FixedPriority, Order::Fifo, Order::FairLateness, Order::Gel] {
            for preemptive in [true, false] {
                let scheduler = Scheduler { order, preemptive, ranks: &ranks, arrivals: Arrivals::Periodic };
                let analysis = analyze(&tasks, &Platform::global(m), &scheduler).unwrap();
                assert_eq!(analysis.response_times.len(), 10_000);
                if load < u64::from(m) && order == Order::Edf {
                    assert_eq!(analysis.soft, Answer::Schedulable);
                }
            }
        }
    }
}

/// Sums that equal the bound exactly force the exact path, whatever the number of tasks.
#[test]
fn exact_equality_with_many_tasks() {
    let tasks: Vec<Task> = (1..=2000).map(|at| task(5 * at, 10_000 * at, 10_000 * at)).collect();
    let mut more = tasks.clone();
    more[7] = task(5 * HOUR / 2000 + 1, 5 * HOUR, 5 * HOUR);
    let hard = |tasks: &[Task]| analyze(tasks, &Platform::global(1), &Scheduler::EDF).unwrap().hard;
    assert_eq!((hard(&tasks), hard(&more)), (Answer::Schedulable, Answer::Unschedulable));
}

#[test]
fn the_largest_parameters_do_not_overflow() {
    let longest = System::LONGEST.as_ns();
    for (cost, period, relative_deadline) in
        [(longest, longest, longest), (longest, 1, 1), (1, 1, longest), (longest, 1, longest), (0, 1, 1)]
    {
        let mut extreme = task(cost, period, relative_deadline);
        extreme.jitter = Duration::from_ns(longest);
        extreme.suspension = Suspension::Dynamic(Duration::from_ns(longest));
        let calm = task(cost, period, relative_deadline);
        for tasks in [vec![extreme.clone(); 3], vec![calm.clone(); 3], vec![extreme, calm]] {
            for order in [Order::Edf, Order::FixedPriority, Order::Fifo, Order::FairLateness, Order::Gel] {
                for (m, preemptive) in [(1, true), (1, false), (2, true), (2, false)] {
                    let scheduler =
                        Scheduler { order, preemptive, ranks: &[0, 1, 2], arrivals: Arrivals::Sporadic };
                    let system = System::global(&tasks, m, &scheduler).unwrap();
                    for test in TESTS.iter().chain(YARDSTICKS).filter(|test| (test.applies)(&system)) {
                        let verdict = (test.run)(&system);
                        assert!(!verdict.reason.is_empty(), "{}", test.name);
                    }
                }
            }
        }
    }
}

#[test]
fn bad_input_is_named() {
    let analyzed = |tasks: &[Task]| analyze(tasks, &Platform::global(2), &Scheduler::EDF).err();
    let id = TaskId(1);
    let good = task(1, 2, 2);
    assert_eq!(
        analyzed(&[good.clone(), task(1, 0, 2)]),
        Some(SystemError::ZeroLength { task: id, field: "period" })
    );
    let none = SystemError::ZeroLength { task: id, field: "relative_deadline" };
    assert_eq!(analyzed(&[good.clone(), task(1, 2, 0)]), Some(none));
    let long = SystemError::TooLong { task: id, field: "wcet" };
    assert_eq!(analyzed(&[good.clone(), task(u64::MAX, 2, 2)]), Some(long));
    assert_eq!(long.to_string(), "T1: wcet must be at most 2251799813685.247us for analysis");
    let mut lost = good.clone();
    lost.cluster = ClusterId(1);
    assert_eq!(analyzed(&[good.clone(), lost]), Some(SystemError::NoSuchCluster(id)));
    let ranks = [0];
    let fp = Scheduler { order: Order::FixedPriority, ranks: &ranks, ..Scheduler::EDF };
    let error = analyze(&[good.clone(), good], &Platform::global(2), &fp).err();
    assert_eq!(error, Some(SystemError::NoRank(id)));
}

/// What is not accounted for makes every sufficient test say unknown.
#[test]
fn requests_and_sections_are_not_ignored() {
    for step in [Step::Request(ResourceId(0), 1), Step::NpEnter] {
        let mut locks = task(1, 10, 10);
        locks.program = vec![step, Step::Execute(Work::from_ns(1))];
        let tasks = [locks, task(1, 10, 10), task(1, 10, 10)];
        for order in [Order::Edf, Order::FixedPriority, Order::Fifo, Order::FairLateness, Order::Gel] {
            for (m, preemptive) in [(1, true), (1, false), (2, true), (2, false), (3, true)] {
                let scheduler =
                    Scheduler { order, preemptive, ranks: &[0, 1, 2], arrivals: Arrivals::Periodic };
                let analysis = analyze(&tasks, &Platform::global(m), &scheduler).unwrap();
                assert_eq!(
                    (analysis.hard, analysis.soft),
                    (Answer::Unknown, Answer::Unknown),
                    "{order:?} {m}"
                );
                assert!(analysis.response_times.iter().all(Option::is_none));
                assert!(!analysis.clusters[0].reason.is_empty());
            }
        }
    }
}

/// A release at a tick may be a quantum late.
#[test]
fn ticks_delay_releases() {
    let tasks = [task(3_000_000, 10_000_000, 4_000_000), task(1_000_000, 20_000_000, 20_000_000)];
    let mut platform = Platform::partitioned(1);
    assert_eq!(analyze(&tasks, &platform, &Scheduler::EDF).unwrap().hard, Answer::Schedulable);
    platform.releases = ReleasePoint::Tick;
    assert_eq!(analyze(&tasks, &platform, &Scheduler::EDF).unwrap().hard, Answer::Schedulable);
    platform.quantum = Duration::from_ns(1_000_001);
    // The delay may not occur, so that this is no proof of a miss.
    assert_eq!(analyze(&tasks, &platform, &Scheduler::EDF).unwrap().hard, Answer::Unknown);
    let system = System::global(&tasks, 1, &Scheduler::EDF).unwrap();
    assert!(system.worst_case_doubt().is_none());
}

/// The schedulers without a hard test say so.
#[test]
fn schedulers_without_a_test_say_unknown() {
    let tasks = [task(1, 10, 10), task(1, 10, 10), task(1, 10, 10)];
    let ranks = [0, 1, 2];
    for (order, preemptive, arrivals, soft) in [
        (Order::FixedPriority, false, Arrivals::Sporadic, Answer::Unknown),
        (Order::Fifo, true, Arrivals::Periodic, Answer::Schedulable),
        (Order::Edf, false, Arrivals::Sporadic, Answer::Schedulable),
    ] {
        let scheduler = Scheduler { order, preemptive, ranks: &ranks, arrivals };
        let analysis = analyze(&tasks, &Platform::global(2), &scheduler).unwrap();
        assert_eq!((analysis.hard, analysis.soft), (Answer::Unknown, soft));
        for verdict in &analysis.clusters[0].verdicts {
            let bounds = matches!(verdict.bounds, Bounds::ResponseTime(_));
            assert!(!bounds || verdict.test == "compliant_vector");
        }
    }
    let overloaded = [task(9, 10, 10), task(9, 10, 10), task(9, 10, 10)];
    let late = [task(6, 10, 5)];
    for order in [Order::FixedPriority, Order::Fifo] {
        let scheduler = Scheduler { order, preemptive: true, ranks: &ranks, arrivals: Arrivals::Periodic };
        let of = |tasks: &[Task]| analyze(tasks, &Platform::global(2), &scheduler).unwrap();
        assert_eq!(
            (of(&overloaded).hard, of(&overloaded).soft),
            (Answer::Unschedulable, Answer::Unschedulable)
        );
        assert_eq!(of(&late).hard, Answer::Unschedulable);
    }
}

/// Overheads are charged more than once: exceeding a limit with them proves nothing.
#[test]
fn inflation_takes_back_refusals_only() {
    let of = |tasks: &[Task]| {
        analyze(tasks, &Platform::partitioned(1), &Scheduler::EDF).unwrap().of_inflated_tasks()
    };
    let refused = of(&[task(9, 10, 10), task(9, 10, 10)]);
    assert_eq!((refused.hard, refused.soft), (Answer::Unknown, Answer::Unknown));
    assert!(refused.clusters[0].reason.ends_with("; but the tasks were inflated"));
    assert!(refused.clusters[0].verdicts.iter().all(|verdict| verdict.answer == Answer::Unknown));
    assert_eq!(of(&[task(5, 10, 10), task(5, 10, 10)]).hard, Answer::Schedulable);
}
