//! Large numbers: ten thousand tasks, parameters of hours in nanoseconds, and what is refused.

use schedlab_analysis::registry::{TESTS, YARDSTICKS};
use schedlab_analysis::sentences::Ns;
use schedlab_analysis::steps::Show;
use schedlab_analysis::{
    analyze, analyze_by, AnalysedOrder, AnalysedScheduler, Answer, Arrivals, Bounds, Guarantee, Reason,
    Sides, System, SystemError, Test, Verdict,
};
use schedlab_model::{
    ClusterId, Duration, Platform, Point, ReleasePoint, ResourceId, Step, Suspension, Task, TaskId, Work,
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

/// The orders, with priority points: those of FIFO and of fair lateness where they lie a constant after the arrival.
fn orders(tasks: &[Task], m: u32) -> [(AnalysedOrder, Vec<Point>); 4] {
    let fair = |task: &Task| {
        let earlier = u128::from(task.wcet.as_ns()) * u128::from(m - 1);
        let after = (u128::from(task.relative_deadline.as_ns()) * u128::from(m)).saturating_sub(earlier);
        Point { after: u64::try_from(after).unwrap(), parts: m }
    };
    [
        (AnalysedOrder::Edf, Vec::new()),
        (AnalysedOrder::FixedPriority, Vec::new()),
        (AnalysedOrder::AfterArrival, vec![Point::whole(0); tasks.len()]),
        (AnalysedOrder::AfterArrival, tasks.iter().map(fair).collect()),
    ]
}

#[test]
fn ten_thousand_tasks_of_hours() {
    let ranks: Vec<u32> = (0..10_000).rev().collect();
    for (load, m) in [(1, 1), (1, 2), (4, 4)] {
        let tasks = many(10_000, load);
        for (order, points) in orders(&tasks, m.into()) {
            for preemptive in [true, false] {
                let scheduler = AnalysedScheduler {
                    order,
                    preemptive,
                    ranks: &ranks,
                    points: &points,
                    arrivals: Arrivals::Periodic,
                };
                let analysis = analyze(&tasks, &Platform::global(m), &scheduler).unwrap();
                assert_eq!(analysis.response_times.len(), 10_000);
                if load < u64::from(m) && order == AnalysedOrder::Edf {
                    assert_eq!(analysis.soft, Answer::Schedulable);
                }
            }
        }
    }
}

/// Sums that equal the bound exactly force the exact path, whatever the number of tasks.
#[test]
fn exact_equality_with_many_tasks() {
    let tasks: Vec<Task> = (1..=2000).map(|n| task(5 * n, 10_000 * n, 10_000 * n)).collect();
    let mut more = tasks.clone();
    more[7] = task(5 * HOUR / 2000 + 1, 5 * HOUR, 5 * HOUR);
    let hard = |tasks: &[Task]| analyze(tasks, &Platform::global(1), &AnalysedScheduler::EDF).unwrap().hard;
    assert_eq!((hard(&tasks), hard(&more)), (Answer::Schedulable, Answer::Unschedulable));
}

/// What is known of a set whatever a test says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Truth {
    /// EDF meets all deadlines on one processor.
    Fits,
    /// More is asked for than the processors can do.
    Overload,
    /// Neither is known.
    Open,
}

/// Sets of `count` tasks with parameters of hours, for `m` processors.
fn sets_of_hours(count: u64, m: u64) -> Vec<(&'static str, Truth, Vec<Task>)> {
    // Each task has the same share of the processors, in whole nanoseconds.
    let unit = HOUR / count * m;
    let exactly =
        |factor: u64| task(unit * factor, HOUR / count * count * factor, HOUR / count * count * factor);
    let equal: Vec<Task> = (0..count).map(|_| exactly(3)).collect();
    let mixed: Vec<Task> = (0..count).map(|n| exactly(1 + n % 7)).collect();
    let with = |tasks: &[Task], change: &dyn Fn(&mut Task)| {
        let mut tasks = tasks.to_vec();
        tasks.iter_mut().for_each(change);
        tasks
    };
    let mut over = mixed.clone();
    over[count as usize / 2].wcet = Work::from_ns(over[count as usize / 2].wcet.as_ns() + 1);
    let double = |task: &mut Task| task.relative_deadline = Duration::from_ns(2 * task.period.as_ns() + 1);
    let close =
        |task: &mut Task| task.relative_deadline = Duration::from_ns(task.period.as_ns() - HOUR / 100);
    let half = |task: &mut Task| {
        task.wcet = Work::from_ns(task.wcet.as_ns() / 2);
        task.relative_deadline = Duration::from_ns(task.period.as_ns() / 2 + 1);
    };
    vec![
        ("U = m, equal deadlines", Truth::Fits, equal),
        ("U = m", Truth::Fits, mixed.clone()),
        ("U = m and a nanosecond more", Truth::Overload, over),
        ("U = m, D > T", Truth::Fits, with(&mixed, &double)),
        ("U = m, D < T", Truth::Open, with(&mixed, &close)),
        ("U = m / 2, D < T", Truth::Fits, with(&mixed, &half)),
        ("no common divisor", Truth::Open, many(count, m)),
    ]
}

/// Each test on each set, under every order and on one processor and on several: nothing known is contradicted.
fn nothing_known_is_contradicted(count: u64) {
    let ranks: Vec<u32> = (0..count as u32).rev().collect();
    let (mut proved, mut refuted) = (0, 0);
    for m in [1, 4] {
        for (name, truth, tasks) in sets_of_hours(count, m) {
            for (order, points) in orders(&tasks, m as u32) {
                for preemptive in [true, false] {
                    let scheduler = AnalysedScheduler {
                        order,
                        preemptive,
                        ranks: &ranks,
                        points: &points,
                        arrivals: Arrivals::Periodic,
                    };
                    let system = System::global(&tasks, m as u32, &scheduler).unwrap();
                    let is_optimal = order == AnalysedOrder::Edf && preemptive && m == 1;
                    for test in TESTS.iter().chain(YARDSTICKS).filter(|test| (test.applies)(&system)) {
                        let verdict = (test.run)(&system);
                        proved += u32::from(verdict.answer == Answer::Schedulable);
                        refuted += u32::from(verdict.answer == Answer::Unschedulable);
                        let what = || format!("{}: {name}, {order:?} on {m}: {}", test.name, verdict.reason);
                        assert!(
                            truth != Truth::Overload || verdict.answer != Answer::Schedulable,
                            "{}",
                            what()
                        );
                        assert!(
                            truth != Truth::Fits || !is_optimal || verdict.answer != Answer::Unschedulable,
                            "{}",
                            what()
                        );
                        if let Bounds::ResponseTime(bounds) = &verdict.bounds {
                            let least = |(bound, task): (&Option<Duration>, &Task)| {
                                bound.is_none_or(|bound| bound.as_ns() >= task.wcet.as_ns())
                            };
                            assert!(bounds.iter().zip(&tasks).all(least), "{}", what());
                        }
                    }
                }
            }
        }
    }
    assert!(proved > 50 && refuted > 20, "{proved} proved, {refuted} refuted");
}

#[test]
#[ignore = "19 s of processor time: each change runs a hundred tasks, `make soak` these"]
fn no_test_is_wrong_about_ten_thousand_tasks() {
    nothing_known_is_contradicted(10_000);
}

#[test]
fn no_test_is_wrong_about_a_hundred_tasks() {
    nothing_known_is_contradicted(100);
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
            for (order, points) in orders(&tasks, 2) {
                for (m, preemptive) in [(1, true), (1, false), (2, true), (2, false)] {
                    let scheduler = AnalysedScheduler {
                        order,
                        preemptive,
                        ranks: &[0, 1, 2],
                        points: &points,
                        arrivals: Arrivals::Sporadic,
                    };
                    let system = System::global(&tasks, m, &scheduler).unwrap();
                    for test in TESTS.iter().chain(YARDSTICKS).filter(|test| (test.applies)(&system)) {
                        let verdict = (test.run)(&system);
                        assert!(!verdict.reason.to_string().is_empty(), "{}", test.name);
                    }
                }
            }
        }
    }
}

#[test]
fn bad_input_is_named() {
    let analyzed = |tasks: &[Task]| analyze(tasks, &Platform::global(2), &AnalysedScheduler::EDF).err();
    let id = TaskId(1);
    let good = task(1, 2, 2);
    assert_eq!(
        analyzed(&[good.clone(), task(1, 0, 2)]),
        Some(SystemError::ZeroLength { task: id, field: "period" })
    );
    let none = SystemError::ZeroLength { task: id, field: "relative_deadline" };
    assert_eq!(analyzed(&[good.clone(), task(1, 2, 0)]), Some(none));
    let longest = System::LONGEST.as_ns();
    let long = SystemError::TooLong { task: id, field: "wcet", length: Ns(longest + 3_600_000_000_000) };
    assert_eq!(analyzed(&[good.clone(), task(longest + 3_600_000_000_000, 2, 2)]), Some(long));
    assert_eq!(long.to_string(), "T1: wcet is 31539600 s, but analysis takes at most a year (31536000 s)");
    let mut lost = good.clone();
    lost.cluster = ClusterId(1);
    assert_eq!(analyzed(&[good.clone(), lost]), Some(SystemError::NoSuchCluster(id)));
    let ranks = [0];
    let fp =
        AnalysedScheduler { order: AnalysedOrder::FixedPriority, ranks: &ranks, ..AnalysedScheduler::EDF };
    let error = analyze(&[good.clone(), good], &Platform::global(2), &fp).err();
    assert_eq!(error, Some(SystemError::NoRank(id)));
    let fifo = AnalysedScheduler {
        order: AnalysedOrder::AfterArrival,
        points: &[Point::whole(0)],
        ..AnalysedScheduler::EDF
    };
    let error = analyze(&[task(1, 2, 2), task(1, 2, 2)], &Platform::global(2), &fifo).err();
    assert_eq!(error, Some(SystemError::NoPoint(id)));
}

/// Of tests of a user's own, one may be wrong.
#[test]
fn tests_that_contradict_each_other_are_named() {
    const fn own(name: &'static str, run: fn(&System) -> Verdict) -> Test {
        let (guarantee, applies, source) = (Guarantee::Hard, |_: &System| true, "none");
        Test { name, guarantee, exact: true, assumptions: &[], source, cost: "1", applies, run }
    }
    const FITS: Test = own("fits", |_| FITS.schedulable(Reason::ProvedOtherwise, Bounds::None));
    const FAILS: Test = own("fails", |_| FAILS.unschedulable(Reason::ProvedOtherwise, Bounds::None));
    let platform = Platform::global(1);
    let by = |tests: &[&Test]| {
        analyze_by(tests, &[task(1, 2, 2)], &platform, &AnalysedScheduler::EDF, Show::Nothing)
    };
    assert_eq!(by(&[&FAILS]).unwrap().hard, Answer::Unschedulable);
    let error = by(&[&FAILS, &FITS]).unwrap_err();
    assert_eq!(error, SystemError::Contradiction { proves: "fits", refutes: "fails" });
    assert_eq!(error.to_string(), "test \"fits\" proves what test \"fails\" refutes: one of them is wrong");
}

/// What is not accounted for makes every sufficient test say unknown.
#[test]
fn requests_and_sections_are_not_ignored() {
    for step in [Step::Request(ResourceId(0), 1), Step::NpEnter] {
        let mut locks = task(1, 10, 10);
        locks.program = vec![step, Step::Execute(Work::from_ns(1))];
        let tasks = [locks, task(1, 10, 10), task(1, 10, 10)];
        for (order, points) in orders(&tasks, 2) {
            for (m, preemptive) in [(1, true), (1, false), (2, true), (2, false), (3, true)] {
                let scheduler = AnalysedScheduler {
                    order,
                    preemptive,
                    ranks: &[0, 1, 2],
                    points: &points,
                    arrivals: Arrivals::Periodic,
                };
                let analysis = analyze(&tasks, &Platform::global(m), &scheduler).unwrap();
                assert_eq!(
                    (analysis.hard, analysis.soft),
                    (Answer::Unknown, Answer::Unknown),
                    "{order:?} {m}"
                );
                assert!(analysis.response_times.iter().all(Option::is_none));
            }
        }
    }
}

/// A release at a tick may be a quantum late.
#[test]
fn ticks_delay_releases() {
    let tasks = [task(3_000_000, 10_000_000, 4_000_000), task(1_000_000, 20_000_000, 20_000_000)];
    let mut platform = Platform::partitioned(1);
    assert_eq!(analyze(&tasks, &platform, &AnalysedScheduler::EDF).unwrap().hard, Answer::Schedulable);
    platform.releases = ReleasePoint::Tick;
    assert_eq!(analyze(&tasks, &platform, &AnalysedScheduler::EDF).unwrap().hard, Answer::Schedulable);
    platform.quantum = Duration::from_ns(1_000_001);
    // The delay may not occur, so that this is no proof of a miss.
    assert_eq!(analyze(&tasks, &platform, &AnalysedScheduler::EDF).unwrap().hard, Answer::Unknown);
    let system = System::global(&tasks, 1, &AnalysedScheduler::EDF).unwrap();
    assert!(system.worst_case_doubt().is_none());
}

/// The schedulers without a test of deadlines say so, unless bounds on tardiness leave none.
#[test]
fn schedulers_without_a_test_say_unknown() {
    let tasks = [task(1, 10, 10), task(1, 10, 10), task(1, 10, 10)];
    let ranks = [0, 1, 2];
    let (yes, open) = (Answer::Schedulable, Answer::Unknown);
    for (order, preemptive, arrivals, expected) in [
        (AnalysedOrder::FixedPriority, false, Arrivals::Sporadic, (open, open)),
        (AnalysedOrder::AfterArrival, true, Arrivals::Periodic, (yes, yes)),
        (AnalysedOrder::Unanalysed, true, Arrivals::Periodic, (open, open)),
        (AnalysedOrder::Edf, false, Arrivals::Sporadic, (open, yes)),
    ] {
        let scheduler =
            AnalysedScheduler { order, preemptive, ranks: &ranks, points: &[Point::whole(0); 3], arrivals };
        let analysis = analyze(&tasks, &Platform::global(2), &scheduler).unwrap();
        assert_eq!((analysis.hard, analysis.soft), expected);
        for verdict in &analysis.clusters[0].verdicts {
            let bounds = matches!(verdict.bounds, Bounds::ResponseTime(_));
            assert!(!bounds || verdict.test == "compliant_vector");
        }
    }
    let overloaded = [task(9, 10, 10), task(9, 10, 10), task(9, 10, 10)];
    let late = [task(6, 10, 5)];
    for order in [AnalysedOrder::FixedPriority, AnalysedOrder::AfterArrival, AnalysedOrder::Unanalysed] {
        let scheduler = AnalysedScheduler {
            order,
            preemptive: true,
            ranks: &ranks,
            points: &[Point::whole(0); 3],
            arrivals: Arrivals::Periodic,
        };
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
        analyze(tasks, &Platform::partitioned(1), &AnalysedScheduler::EDF)
            .unwrap()
            .of_inflated_tasks(tasks, tasks)
    };
    let refused = of(&[task(9, 10, 10), task(9, 10, 10)]);
    assert_eq!((refused.hard, refused.soft), (Answer::Unknown, Answer::Unknown));
    let verdicts = &refused.clusters[0].verdicts;
    assert!(verdicts.iter().all(|verdict| verdict.answer == Answer::Unknown));
    let said =
        Reason::Utilization(Sides::of_processors(vec![(9, 10); 2], 1, false)).but(Reason::TasksWereInflated);
    assert!(verdicts.iter().any(|verdict| verdict.reason == said), "{verdicts:?}");
    assert_eq!(of(&[task(5, 10, 10), task(5, 10, 10)]).hard, Answer::Schedulable);
}
