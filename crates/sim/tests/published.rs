//! Schedules from the literature, drawn as text.

use crate::support;
use support::*;

/// S. Dhall and C. L. Liu, Operations Research 26(1), 1978: light tasks first, and the heavy one is late.
#[test]
fn dhall_effect() {
    check(&[(2, 10, 10), (2, 10, 10), (10, 11, 11)], "G-EDF", 2, "AACCCCCCCCCCCC / BB........AABB");
    check(&[(2, 10, 10), (2, 10, 10), (10, 11, 11)], "G-RM", 2, "AACCCCCCCCAACC / BB........BB..");
}

/// litmus-rt-2006, fig. 1(a): X(1.5,3), Y(2,3), Z(4,6); at 3 ms three jobs tie, and the last in the order misses.
#[test]
fn litmus_2006_fig_1_under_global_edf() {
    let set = [(15, 30, 30), (20, 30, 30), (40, 60, 60)];
    let tasks = || set.iter().map(|&(c, t, d)| task(c, t, d)).collect();
    let preemptive = run(tasks(), "G-EDF", 2, 100);
    let finish = |timeline| {
        completions(timeline).into_iter().filter(|(task, job, _)| *job < if *task == 2 { 1 } else { 2 })
    };
    assert_eq!(
        finish(&preemptive).collect::<Vec<_>>(),
        [(0, 0, 15), (0, 1, 45), (1, 0, 20), (1, 1, 50), (2, 0, 70)]
    );
    // Fig. 1(b): Z runs on without preemption, Y's second job cannot start at 30 and completes at 65.
    let non_preemptive = run(tasks(), "NG-EDF", 2, 100);
    assert_eq!(
        finish(&non_preemptive).collect::<Vec<_>>(),
        [(0, 0, 15), (0, 1, 45), (1, 0, 20), (1, 1, 65), (2, 0, 55)]
    );
}

/// G. Buttazzo, Hard Real-Time Computing Systems: (2,5) and (4,7) under RM and EDF.
#[test]
fn rate_monotonic_versus_edf() {
    let set = [(2, 5, 5), (4, 7, 7)];
    check(&set, "P-RM", 1, "AABBBAABBB");
    check(&set, "P-EDF", 1, "AABBBBAABBBBAA");
    let tasks = || set.iter().map(|&(c, t, d)| task(c, t, d)).collect();
    assert_eq!(misses(&run(tasks(), "P-RM", 1, 35))[0].to_string(), "T1J0");
    assert!(misses(&run(tasks(), "P-EDF", 1, 35)).is_empty());
}

/// B. Andersson and J. Jonsson, RTCSA 2000: a longer period makes another task late under G-RM. As in the
/// example, nothing arrives from the deadline (12) on.
#[test]
fn period_anomaly() {
    let finish = |first_period| {
        let mut tasks = vec![task(2, first_period, first_period), task(2, 4, 4), task(8, 12, 12)];
        tasks.iter_mut().for_each(|task| task.leave = schedlab_model::Instant::from_ns(12));
        let done = completions(&run(tasks, "G-RM", 2, 24));
        done.into_iter().find(|(task, job, _)| (*task, *job) == (2, 0)).unwrap().2
    };
    assert_eq!((finish(3), finish(4)), (12, 14));
}

/// Example `np-anomaly`: under non-preemptive EDF a shorter job makes another one late.
#[test]
fn non_preemptive_anomaly() {
    let finish = |first_cost| {
        let mut tasks = vec![task(first_cost, 100, 10), task(1, 100, 2), task(5, 100, 20)];
        tasks[1].offset = schedlab_model::Instant::from_ns(2);
        let timeline = run(tasks, "NP-EDF", 1, 50);
        let times: Vec<u64> = completions(&timeline).iter().map(|c| c.2).collect();
        (times, misses(&timeline).iter().map(|job| job.task.0).collect::<Vec<_>>())
    };
    assert_eq!(finish(2), (vec![2, 3, 8], vec![]));
    assert_eq!(finish(1), (vec![1, 7, 6], vec![1]));
}

/// C. D. Locke 1986: one more urgent job, and all others are late under EDF.
#[test]
fn edf_domino() {
    let long = 1000;
    let mut tasks: Vec<_> = (1..=4).map(|k| task(2, long, 2 * k)).collect();
    assert!(misses(&run(tasks.clone(), "P-EDF", 1, 100)).is_empty());
    tasks.push(task(1, long, 1));
    let timeline = run(tasks, "P-EDF", 1, 100);
    let times: Vec<u64> = completions(&timeline).iter().map(|c| c.2).collect();
    assert_eq!((times, misses(&timeline).len()), (vec![3, 5, 7, 9, 1], 4));
}

/// Example `np-edf-uni`: non-preemptive EDF over a hyperperiod.
#[test]
fn non_preemptive_edf_on_one_processor() {
    check(&[(1, 4, 4), (2, 6, 6), (3, 12, 12)], "NP-EDF", 1, "ABBCCCABBA..");
}

/// G-FIFO runs in the order of arrivals, whatever the deadlines.
#[test]
fn global_fifo_goes_by_arrival() {
    let mut tasks = vec![task(4, 20, 20), task(4, 20, 20), task(1, 20, 2)];
    tasks[2].offset = schedlab_model::Instant::from_ns(1);
    assert_eq!(draw(&run(tasks, "G-FIFO", 2, 8), 2, 8), "AAAAC... / BBBB....");
}

/// At one instant a completion and a more urgent arrival: the arrival is known before anyone is chosen.
#[test]
fn simultaneous_events_are_decided_once() {
    let mut tasks = vec![task(3, 100, 50), task(3, 100, 60), task(3, 100, 20)];
    tasks[2].offset = schedlab_model::Instant::from_ns(3);
    assert_eq!(draw(&run(tasks, "NG-EDF", 1, 9), 1, 9), "AAACCCBBB");
}
