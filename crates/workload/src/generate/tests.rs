//! Whole generators: exact results for fixed seeds, stopping rules, errors.

use super::*;
use crate::load::Load;
use crate::ratio::Ratio;
use core::cmp::Ordering;

fn spec(utilization: &str, periods: &str, deadlines: &str, stop: &str) -> Result<Generator, SpecError> {
    let [utilization, periods, deadlines, stop] = [utilization, periods, deadlines, stop].map(String::from);
    Generator::parse(&Spec { utilization, periods, deadlines, stop })
}

fn implicit(utilization: &str, stop: &str) -> Generator {
    spec(utilization, "uniform 10ms 100ms", "implicit", stop).unwrap()
}

fn rows(tasks: &[Task]) -> Vec<(u64, u64, u64)> {
    let row = |t: &Task| (t.wcet.as_ns(), t.period.as_ns(), t.relative_deadline.as_ns());
    tasks.iter().map(row).collect()
}

/// 64-bit FNV-1a of everything drawn, so that a change in the last bit of anything is noticed.
fn fingerprint(generator: &Generator) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for index in 0..50 {
        for (wcet, period, relative_deadline) in rows(&generator.generate(2006, index).unwrap()) {
            for byte in [wcet, period, relative_deadline].into_iter().flat_map(u64::to_le_bytes) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
        }
    }
    hash
}

fn of_utilizations(tasks: &[Task]) -> Load {
    let mut load = Load::default();
    tasks.iter().for_each(|task| load.add((task.wcet.as_ns(), task.period.as_ns())));
    load
}

/// Sets that studies publish. The numbers of the first set were computed by a second implementation.
#[test]
fn the_same_seed_gives_the_same_sets_everywhere() {
    let first = spec("uniform-medium", "uniform 10ms 100ms", "constrained", "trim 1").unwrap();
    assert_eq!(
        rows(&first.generate(1, 0).unwrap()),
        [
            (19383122, 79888656, 53273758),
            (2167924, 13277505, 6342539),
            (8414114, 54254649, 17755555),
            (16223497, 68753992, 66453693),
            (4467202, 30813321, 27316673),
            (1622216, 27936031, 18574207),
        ]
    );
    let kinds = [
        ("uniform-light", "log-uniform 1ms 1s", "mild", "discard-above 4", 11845322630303179457),
        ("exponential-heavy", "uniform 10ms 100ms step 1ms", "arbitrary", "trim 4", 2576490558013136581),
        (
            "bimodal",
            "choice 5ms 10ms:3",
            "constrained",
            "discard-at-cap 3.2 max-tasks 100",
            16659894030813214944,
        ),
        ("uunifast-discard", "automotive angle-dropped", "implicit", "tasks 10 total 2", 6157313557459232641),
        ("randfixedsum", "automotive angle-at 15ms", "implicit", "tasks 10 total 7.9", 15807645301091413298),
    ];
    let found = kinds.map(|(u, p, d, s, _)| fingerprint(&spec(u, p, d, s).unwrap()));
    assert_eq!(found, kinds.map(|(.., hash)| hash));
}

/// Set `i` depends on the seed and `i` alone, and the deadline rule leaves WCETs and periods alone.
#[test]
fn sets_do_not_depend_on_each_other() {
    let generator = implicit("uniform-medium", "trim 4");
    let forwards: Vec<_> = (0..20).map(|i| generator.generate(9, i).unwrap()).collect();
    let backwards: Vec<_> = (0..20).rev().map(|i| generator.generate(9, i).unwrap()).collect();
    assert!(forwards.iter().eq(backwards.iter().rev()));
    assert_ne!(forwards[0], forwards[1]);
    assert_ne!(forwards[0], generator.generate(10, 0).unwrap());

    let other = spec("uniform-medium", "uniform 10ms 100ms", "arbitrary", "trim 4").unwrap();
    let pairs = |tasks: &[Task]| tasks.iter().map(|t| (t.wcet, t.period)).collect::<Vec<_>>();
    assert_eq!(pairs(&forwards[3]), pairs(&other.generate(9, 3).unwrap()));
}

/// litmus-rt-2006: exactly the total, as far as whole nanoseconds allow.
#[test]
fn trimming_meets_the_total_and_never_exceeds_it() {
    let (mut exact, total) = (0, Ratio::whole(4));
    for (utilization, periods) in [
        ("uniform-light", "uniform 10ms 100ms"),
        ("uniform-heavy", "choice 10ms 20ms 50ms"),
        ("bimodal", "choice 10ms"),
    ] {
        let generator = spec(utilization, periods, "implicit", "trim 4").unwrap();
        for index in 0..200 {
            let tasks = generator.generate(1, index).unwrap();
            let load = of_utilizations(&tasks);
            let last = tasks.last().unwrap().period.as_ns();
            assert_ne!(load.compare_with((0, 1), total), Ordering::Greater);
            assert_eq!(load.compare_with((1, last), total), Ordering::Greater);
            exact += u32::from(load.compare_with((0, 1), total) == Ordering::Equal);
        }
    }
    assert!(exact >= 200, "with a single period the total is met to the last bit: {exact}");
}

/// The cap on the number of tasks ends a set below its total, and then nothing is reduced.
#[test]
fn trimming_stops_at_the_largest_number_of_tasks() {
    let all = implicit("uniform-light", "trim 4").generate(1, 0).unwrap();
    let some = implicit("uniform-light", "trim 4 max-tasks 10").generate(1, 0).unwrap();
    assert_eq!(some, all[..10]);
}

/// block-or-not-2008: "until either a specified cap was reached or 100 tasks were generated, and by then
/// discarding the last-added task", so there are never more than 99.
#[test]
fn discarding_at_a_cap_discards_in_either_case() {
    let all = implicit("uniform-medium", "tasks 200").generate(1, 0).unwrap();
    let few = implicit("uniform-medium", "discard-at-cap 3.2 max-tasks 100").generate(1, 0).unwrap();
    assert_eq!(few, all[..few.len()]);
    let cap = "3.2".parse().unwrap();
    assert_eq!(of_utilizations(&few).compare_with((0, 1), cap), Ordering::Less);
    assert_ne!(of_utilizations(&all[..=few.len()]).compare_with((0, 1), cap), Ordering::Less);
    let light = implicit("uniform-light", "discard-at-cap 12.8 max-tasks 100").generate(1, 0).unwrap();
    assert_eq!(light.len(), 99);
}

/// "Reached" (2008) and "exceeded" (2011) differ where the total is met exactly: ten tasks of a tenth.
#[test]
fn reaching_is_not_exceeding() {
    let tenth = |stop: Stop| {
        let mut tasks = Vec::new();
        stop.fill(&mut tasks, &mut Load::default(), || (0.1, 10)).unwrap();
        tasks.len()
    };
    assert_eq!(tenth("discard-above 1".parse().unwrap()), 10);
    assert_eq!(tenth("discard-at-cap 1 max-tasks 100".parse().unwrap()), 9);
    assert_eq!(tenth("trim 1".parse().unwrap()), 10);
    assert_eq!(tenth("trim 0.95".parse().unwrap()), 9, "half a nanosecond is no task");
    assert_eq!(tenth("tasks 7".parse().unwrap()), 7);
}

/// chronos-scalability-2011: the total is never exceeded, and one more task would have.
#[test]
fn discarding_above_stays_below() {
    let all = implicit("BHB", "tasks 60").generate(5, 3).unwrap();
    let kept = implicit("BHB", "discard-above 12").generate(5, 3).unwrap();
    assert_eq!(kept, all[..kept.len()]);
    assert_ne!(of_utilizations(&kept).compare_with((0, 1), Ratio::whole(12)), Ordering::Greater);
    assert_eq!(
        of_utilizations(&all[..=kept.len()]).compare_with((0, 1), Ratio::whole(12)),
        Ordering::Greater
    );
}

#[test]
fn costs_are_rounded_to_the_nearest_nanosecond_and_at_least_one() {
    let wcet = |u, period| task(u, period).wcet.as_ns();
    assert_eq!([wcet(0.25, 9), wcet(0.25, 10), wcet(0.25, 11)], [2, 3, 3]);
    assert_eq!([wcet(0.0, 10), wcet(1e-9, 10), wcet(1.0, MAX_PERIOD_NS)], [1, 1, MAX_PERIOD_NS]);
}

#[test]
fn deadlines_stay_in_their_range_and_use_all_of_it() {
    let mut random = Random::stream(1, Purpose::Deadlines, 0);
    for (rule, low, high) in [
        (Deadlines::Implicit, 10, 10),
        (Deadlines::Mild, 7, 10),
        (Deadlines::Constrained, 3, 10),
        (Deadlines::Arbitrary, 3, 17),
    ] {
        let drawn: Vec<u64> = (0..1_000).map(|_| rule.draw(3, 10, &mut random)).collect();
        assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&low), Some(&high)), "{rule:?}");
    }
}

/// Bounds and sums of the distributions over whole sets, at the limits too.
#[test]
fn sets_drawn_together_have_their_sum() {
    for (utilization, tasks, total) in [
        ("uunifast-discard", 10, 2.5),
        ("uunifast-discard max 0.5", 8, 1.0),
        ("uunifast-discard", 1, 1.0),
        ("randfixedsum", 1, 0.3),
        ("randfixedsum", 2, 1.0),
        ("randfixedsum", 10, 10.0),
        ("randfixedsum", 40, 39.5),
        ("randfixedsum", 700, 12.25),
        ("randfixedsum 0.1 0.4", 10, 1.0),
        ("randfixedsum 0.1 0.4", 10, 4.0),
        ("randfixedsum 0.1 0.4", 16, 3.7),
        ("bounded-sum 3 0.1 0.2 13 0.1 0.4", 16, 3.7),
        ("bounded-sum 40 0 1", 40, 12.5),
    ] {
        let generator =
            spec(utilization, "choice 1000000s", "implicit", &format!("tasks {tasks} total {total}"))
                .unwrap();
        let (min, max) = if utilization.contains("0.4") { (0.1, 0.4) } else { (0.0, 1.0) };
        let max = if utilization.contains("0.5") { 0.5 } else { max };
        for index in 0..50 {
            let set = generator.generate(1, index).unwrap();
            let drawn: Vec<f64> = set.iter().map(|t| t.wcet.as_ns() as f64 / MAX_PERIOD_NS as f64).collect();
            let sum: f64 = drawn.iter().sum();
            assert_eq!(drawn.len(), tasks);
            assert!((sum - total).abs() <= 1e-13 * tasks as f64 * total.max(1.0), "{utilization} {sum}");
            assert!(drawn.iter().all(|u| (min - 1e-14..=max + 1e-14).contains(u)), "{utilization} {drawn:?}");
        }
    }
}

#[test]
fn gives_up_rather_than_run_forever() {
    let hopeless = implicit("uunifast-discard", "tasks 30 total 29.9");
    let gave_up = hopeless.generate(1, 0).unwrap_err().to_string();
    assert!(
        gave_up.starts_with("uunifast-discard threw away 100000 sets in a row; the total is too"),
        "{gave_up}"
    );
    let endless = implicit("uniform 0 0.000000001", "discard-above 48");
    assert_eq!(endless.generate(1, 0), Err(GenerateError::TooManyTasks));
}

/// Each group's tasks stand in its place of the set, and keep its range.
#[test]
fn groups_keep_their_ranges_in_their_order() {
    let generator =
        spec("bounded-sum 4 0.5 0.9 6 0 0.2", "choice 1000000s", "implicit", "tasks 10 total 3").unwrap();
    for index in 0..50 {
        let set = generator.generate(1, index).unwrap();
        let drawn: Vec<f64> = set.iter().map(|t| t.wcet.as_ns() as f64 / MAX_PERIOD_NS as f64).collect();
        assert!((drawn.iter().sum::<f64>() - 3.0).abs() < 1e-12, "{drawn:?}");
        assert!(drawn[..4].iter().all(|u| (0.5..=0.9).contains(u)), "{drawn:?}");
        assert!(drawn[4..].iter().all(|u| *u <= 0.2), "{drawn:?}");
    }
}

#[test]
fn every_name_can_be_used() {
    for (name, ..) in utilization::NAMES {
        assert!(!implicit(name, "trim 4").generate(1, 1).unwrap().is_empty(), "{name}");
    }
    for (name, ..) in periods::NAMES {
        let tasks = spec("BLU", name, "mild", "tasks 5").unwrap().generate(1, 1).unwrap();
        assert_eq!(tasks.len(), 5, "{name}");
    }
    for (text, stop) in [
        ("trim 4", Stop::Trim { total: Ratio::whole(4), max_tasks: None }),
        ("trim 3.9 max-tasks 8", Stop::Trim { total: Ratio::new(39, 10).unwrap(), max_tasks: Some(8) }),
        ("discard-above 2", Stop::DiscardAbove { total: Ratio::whole(2) }),
        ("tasks 5 total 2", Stop::Tasks { tasks: 5, total: Some(Ratio::whole(2)) }),
    ] {
        assert_eq!(text.parse(), Ok(stop));
    }
}

#[test]
fn errors_name_the_field_the_value_and_what_is_allowed() {
    let fails = |u: &str, p: &str, d: &str, s: &str| spec(u, p, d, s).unwrap_err().to_string();
    let (u, p, d, s) = ("uniform-light", "uniform 10ms 100ms", "implicit", "trim 4");
    for (message, expected) in [
        (fails("unifrom", p, d, s), "utilizations: unknown `unifrom`; allowed: `uniform MIN MAX`"),
        (fails("uniform 0.1", p, d, s), "utilizations: the largest utilization is missing"),
        (
            fails("uniform 0.4 0.1", p, d, s),
            "utilizations: the range is 0.4 to 0.1; allowed: 0 <= MIN < MAX <= 1",
        ),
        (fails("uniform 0.4 1.1", p, d, s), "utilizations: the range is 0.4 to 1.1"),
        (
            fails("uniform -0.4 1", p, d, s),
            "utilizations: `-0.4` is not the smallest utilization; allowed: a number",
        ),
        (fails("exponential 0 0.1 0.4", p, d, s), "utilizations: the mean is 0; allowed: 0.000001 and above"),
        (fails("bimodal 0.1 0.2 0.3 0.4 0:0", p, d, s), "utilizations: `0:0` is not the weights"),
        (fails("uniform 0.1 0.2 0.3", p, d, s), "utilizations: `0.3` is too much"),
        (
            fails("uunifast-discard max 2", p, d, s),
            "utilizations: the largest utilization is 2; allowed: above 0",
        ),
        (fails(u, "uniform 100ms 10ms", d, s), "periods: the longest period is 10 ms; allowed: 100 ms"),
        (
            fails(u, "uniform 10 100", d, s),
            "periods: `10` is not the shortest period; allowed: a positive number",
        ),
        (fails(u, "uniform 10ms 100ms step 3ms", d, s), "periods: the step is 3 ms; allowed: what divides"),
        (fails(u, "uniform 10ms 9999999s", d, s), "periods: a period is 9999999 s; allowed: up to"),
        (fails(u, "automotive", d, s), "periods: `angle-dropped` or `angle-at PERIOD` is missing"),
        (fails(u, "choice", d, s), "periods: a period is missing"),
        (fails(u, "choice 5ms:0", d, s), "periods: `0` is not a weight; allowed: a whole number from 1"),
        (
            fails(u, p, "harsh", s),
            "deadlines: unknown `harsh`; allowed: implicit, mild, constrained, arbitrary",
        ),
        (fails(u, p, d, "trim"), "stop: the total utilization is missing"),
        (fails(u, p, d, "trim 0"), "stop: the total utilization is 0; allowed: above 0"),
        (fails(u, p, d, "tasks 0"), "stop: `0` is not the number of tasks; allowed: a whole number from 1"),
        (fails(u, p, d, "tasks 100001"), "stop: the number of tasks is 100001; allowed: from 1 to 100000"),
        (fails(u, p, d, "tasks 5 total 2"), "stop: a number of tasks with a total needs a distribution over"),
        (
            fails("randfixedsum", p, d, "trim 4"),
            "stop: uunifast-discard, randfixedsum and bounded-sum need `tasks N total",
        ),
    ] {
        assert!(message.starts_with(expected), "{message}\nshould start with\n{expected}");
    }
}

#[test]
fn numbers_and_totals_have_to_fit_the_distribution() {
    let fails = |u: &str, s: &str| spec(u, "uniform 10ms 100ms", "implicit", s).unwrap_err().to_string();
    for (message, expected) in [
        (fails("bounded-sum", "trim 4"), "utilizations: the number of tasks of a range is missing"),
        (fails("bounded-sum 3 0.1", "trim 4"), "utilizations: the largest utilization is missing"),
        (
            fails("bounded-sum 501 0 1", "trim 4"),
            "utilizations: the number of tasks of a range is 501; allowed: from 1",
        ),
        (fails("bounded-sum 3 0 1", "trim 4"), "stop: uunifast-discard, randfixedsum and bounded-sum need"),
        (
            fails("bounded-sum 3 0 1 2 0.5 0.9", "tasks 4 total 2"),
            "stop: the number of tasks is 4; allowed: 5, as many as have a range",
        ),
        (
            fails("bounded-sum 300 0 1 300 0.5 0.9", "tasks 600 total 200"),
            "stop: the number of tasks is 600; allowed: 1 to 500 for this distribution",
        ),
        (
            fails("bounded-sum 1 0.25 0.5 1 0.5 0.75", "tasks 2 total 0.75"),
            "stop: the total utilization is 3/4; allowed: above 0.75, below 1.25 for these ranges",
        ),
        (fails("randfixedsum", "tasks 3 total 4"), "stop: the total utilization is 4; allowed: 0 to 3 for 3"),
        (
            fails("randfixedsum", "tasks 5000 total 4"),
            "stop: the number of tasks is 5000; allowed: 1 to 2000",
        ),
    ] {
        assert!(message.starts_with(expected), "{message}\nshould start with\n{expected}");
    }
}
