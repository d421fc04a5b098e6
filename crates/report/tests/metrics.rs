//! Metrics of a small trace, worked out by hand.

use crate::support::lines::parse;
use schedlab_model::{Duration, Instant, Task, TimeUtility, Utility, Work};
use schedlab_report::metrics::{Metrics, Worth};
use schedlab_trace::Sink;

fn measured(text: &str) -> Metrics {
    let mut metrics = Metrics::new(0, 0);
    for (at, record) in parse(text) {
        metrics.record(at, record);
    }
    metrics
}

/// T0J0 is preempted and migrates; T0J1 begins elsewhere, attempts an operation twice, and completes 3 late; T1J0 never
/// completes.
const TRACE: &str = "
0 arrival T0J0 10 5
0 arrival T1J0 9 50
0 ready T0J0 10 0
0 dispatch P0 T0J0
2 preempt P0 T0J0
2 ready T1J0 9 0
2 overhead_begin P0 context_switch T1J0
3 dispatch P0 T1J0
4 overhead_end P0 context_switch
4 dispatch P1 T0J0
4 overhead_begin P1 ipi -
5 overhead_begin P1 cache_related_migration T0J0
6 overhead_begin P1 ipi -
7 overhead_end P1 cache_related_migration
7 overhead_end P1 ipi
8 overhead_end P1 ipi
9 complete T0J0
10 arrival T0J1 14 3
10 ready T0J1 14 0
10 dispatch P2 T0J1
11 spin T0J1 R0
13 suspend T0J1 R0
14 dispatch P2 T0J1
15 acquire T0J1 R0 1
15 attempt T0J1 R1
16 retry T0J1 R1
17 commit T0J1 R1
17 complete T0J1
17 miss T0J1
18 arrival T0J2 40 1
19 abort T0J2
20 miss T1J0
20 end
";

#[test]
fn a_small_trace_measures_as_by_hand() {
    let metrics = measured(TRACE);
    let (first, second) = (&metrics.tasks()[0], &metrics.tasks()[1]);
    assert_eq!(
        (first.arrived, first.completed, first.aborted, first.missed, first.unfinished),
        (3, 2, 1, 1, 0)
    );
    assert_eq!((first.preemptions, first.migrations, first.task_migrations, first.suspensions), (1, 1, 1, 1));
    assert_eq!((first.retries, second.retries), (1, 0));
    assert_eq!((first.response_time.max(), first.response_time.sum()), (Some(9), 9 + 7));
    assert_eq!((first.lateness.count(), first.lateness.positive().count()), (2, 1));
    assert_eq!((first.lateness.max_tardiness(), first.lateness.tardiness_sum()), (Some(3), 3));
    assert_eq!((second.arrived, second.unfinished, second.unfinished_lateness, second.missed), (1, 1, 11, 1));
    assert_eq!(second.lateness.max_tardiness(), None);
}

/// The same trace, with steps and lines: completions after 9 and 7, an abort, and a job that is unfinished at 20.
#[test]
fn utility_accrues_at_completions() {
    let ns = Duration::from_ns;
    let task = |function| Task { utility: Some(function), ..Task::implicit(Work::from_ns(1), ns(10)) };
    let units = |units: u64| Utility::from_millionths(1_000_000 * units);
    let line = TimeUtility::Linear { height: units(20), last: Utility::ZERO, termination: Some(ns(10)) };
    let first = Worth::of(&task(line));
    let ratios = |termination| {
        let step = TimeUtility::Step { height: units(7), termination: Some(ns(termination)) };
        let worths = [first.clone(), Worth::of(&task(step))];
        let mut metrics = Metrics::new(2, 3).with_utilities(&worths);
        parse(TRACE).into_iter().for_each(|(at, record)| metrics.record(at, record));
        let (first, second) = (metrics.tasks()[0].clone(), metrics.tasks()[1].clone());
        // 20 (1 - 9/10) and 20 (1 - 7/10) of three times 20; the abort accrues nothing.
        assert_eq!((first.accrued, first.attainable), (8_000_000, 60_000_000));
        assert_eq!(first.accrued_utility_ratio(), Some(8.0 / 60.0));
        assert_eq!(first.deadline_satisfaction_ratio(), Some(0.5));
        let all = metrics.all_tasks();
        assert_eq!((all.accrued, all.attainable), (first.accrued, first.attainable + second.attainable));
        second.accrued_utility_ratio()
    };
    // The other task's job, which arrived at 0, may still accrue something after the end.
    assert_eq!((ratios(21), ratios(20)), (None, Some(0.0)));
    let plain = measured(TRACE);
    assert_eq!((plain.has_utilities(), plain.tasks()[0].accrued_utility_ratio()), (false, None));
}

#[test]
fn processor_time_adds_up() {
    let metrics = measured(TRACE);
    let [p0, p1, p2] = metrics.processors() else { panic!("three processors") };
    assert_eq!((p0.occupied(), p0.idle(), p0.overheads()), (2 + 16, 0, 2));
    assert_eq!((p1.occupied(), p1.idle(), p1.overheads()), (3, 4 + 11, 2), "interrupts hold no processor");
    assert_eq!(
        (p2.occupied(), p2.idle(), p2.overheads()),
        (1 + 2 + 2 + 1, 10 + 1 + 3, 0),
        "to spin is to be busy"
    );
    assert!(metrics.processors().iter().all(|cpu| cpu.total() == 20));
}

#[test]
fn all_tasks_and_processors_are_sums() {
    let metrics = measured(TRACE);
    let (all, cpus) = (metrics.all_tasks(), metrics.all_processors());
    assert_eq!((all.arrived, all.completed, all.missed, all.unfinished), (4, 2, 2, 1));
    assert_eq!((all.lateness.max_tardiness(), all.max_tardiness()), (Some(3), 11));
    assert_eq!((cpus.total(), cpus.overheads()), (60, 4));
}

#[test]
fn a_trace_without_end_is_settled_by_hand_once() {
    let mut metrics = measured("0 arrival T0J0 5 1\n0 dispatch P0 T0J0");
    metrics.settle(Instant::from_ns(8));
    metrics.settle(Instant::from_ns(80));
    assert_eq!((metrics.tasks()[0].unfinished_lateness, metrics.processors()[0].occupied()), (3, 8));
}

#[test]
fn summaries_are_exact_without_distributions() {
    let mut metrics = Metrics::new(2, 3).summaries_only();
    for (at, record) in parse(TRACE) {
        metrics.record(at, record);
    }
    let (full, task) = (measured(TRACE), &metrics.tasks()[0]);
    let whole = &full.tasks()[0];
    assert_eq!((task.response_time.sum(), task.response_time.max()), (16, Some(9)));
    assert_eq!((task.response_time.quantile(1, 2), whole.response_time.quantile(1, 2)), (None, Some(7)));
    assert_eq!(task.lateness, whole.lateness);
}
