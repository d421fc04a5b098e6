//! Every golden value of the tests that exist here, from tests/golden/vectors.
//!
//! Golden times are microseconds; tests do not care about the unit, so they are taken for nanoseconds.

use crate::golden_overheads;

use flate2::read::GzDecoder;
use num_traits::ToPrimitive;
use schedlab_analysis::exact::{compare_sum, Fraction};
use schedlab_analysis::overheads::fp;
use schedlab_analysis::overheads::jlfp::{inflate_exactly, Accounting, Inflated};
use schedlab_analysis::steps::Unwatched;
use schedlab_analysis::tardiness::{devi_anderson, gel, nonpreemptive};
use schedlab_analysis::uniprocessor::{demand_criterion, hyperbolic, liu_layland, qpa, response_time};
use schedlab_analysis::{
    multiprocessor, AnalysedOrder, AnalysedScheduler, Answer, Arrivals, Budget, System, Test,
};
use schedlab_model::{Duration, Statistic, Task, TaskId, Work};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

fn records(family: &str) -> impl Iterator<Item = Value> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join(format!("../../tests/golden/vectors/{family}.jsonl.gz"));
    let file = std::fs::File::open(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    BufReader::new(GzDecoder::new(file)).lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap())
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

fn tasks(record: &Value) -> Vec<Task> {
    record["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let row = numbers(row);
            task(row[0], row[1], row[2])
        })
        .collect()
}

fn task(cost: u64, period: u64, relative_deadline: u64) -> Task {
    Task::constrained(Work::from_ns(cost), Duration::from_ns(period), Duration::from_ns(relative_deadline))
}

fn accepts(test: &Test, system: &System) -> bool {
    let verdict = (test.run)(system);
    if test.exact {
        assert_ne!(verdict.answer, Answer::Unknown, "{}", verdict.reason);
    }
    verdict.answer == Answer::Schedulable
}

/// A fixed-priority system in the record's order.
fn by_order(record: &Value, tasks: &[Task]) -> System {
    let mut ranks = vec![0; tasks.len()];
    for (rank, index) in numbers(&record["fp_order"]).into_iter().enumerate() {
        ranks[index as usize] = rank as u32;
    }
    let scheduler = AnalysedScheduler {
        order: AnalysedOrder::FixedPriority,
        preemptive: true,
        ranks: &ranks,
        points: &[],
        arrivals: Arrivals::Sporadic,
    };
    System::global(tasks, 1, &scheduler).unwrap()
}

#[test]
fn edf_on_one_processor() {
    let mut checked = 0;
    for record in records("uni") {
        let system = System::global(&tasks(&record), 1, &AnalysedScheduler::EDF).unwrap();
        let expected = |name: &str| record["results"][name].as_bool();
        if let Some(expected) = expected("edf_qpa") {
            assert_eq!(accepts(&qpa::TEST, &system), expected, "{}", record["id"]);
            checked += 1;
        }
        if let Some(expected) = expected("edf_pdc_ref") {
            assert_eq!(accepts(&demand_criterion::TEST, &system), expected, "{}", record["id"]);
            checked += 1;
        }
    }
    assert!(checked > 1400, "{checked}");
}

#[test]
fn utilization_bounds_of_fixed_priorities() {
    let mut checked = 0;
    for record in records("uni") {
        let pairs: Vec<_> = tasks(&record).iter().map(|t| (t.wcet.as_ns(), t.period.as_ns())).collect();
        if let Some(expected) = record["results"]["liu_layland"].as_bool() {
            assert_eq!(liu_layland::holds(&pairs), expected, "{}", record["id"]);
            checked += 1;
        }
        if let Some(expected) = record["results"]["hyperbolic"].as_bool() {
            assert_eq!(hyperbolic::holds(&pairs), expected, "{}", record["id"]);
            checked += 1;
        }
    }
    assert!(checked > 300, "{checked}");
}

#[test]
fn response_times_of_fixed_priorities() {
    let mut checked = 0;
    for record in records("uni") {
        let tasks = tasks(&record);
        let expected = &record["results"]["fp_rta"];
        if expected.is_null() {
            continue;
        }
        let system = by_order(&record, &tasks);
        let none = vec![0; tasks.len()];
        let windows = response_time::first_windows(&system, &none, &mut Budget::default());
        assert_eq!(serde_json::to_value(windows).unwrap(), expected["resp"], "{}", record["id"]);
        assert_eq!(
            accepts(&response_time::TEST, &system),
            expected["ok"].as_bool().unwrap(),
            "{}",
            record["id"]
        );
        checked += 1;
    }
    assert!(checked > 400, "{checked}");
}

#[test]
fn response_times_with_jitter_and_blocking() {
    let (mut checked, mut longer) = (0, 0);
    for record in records("uni") {
        let expected = &record["results"]["fp_rta_jitter_blocking"];
        if expected.is_null() {
            continue;
        }
        let order = numbers(&record["fp_order"]);
        let mut tasks = tasks(&record);
        let mut blocking = vec![0; tasks.len()];
        let given = numbers(&record["jitter"]).into_iter().zip(numbers(&record["blocking"]));
        for (&task, (jitter, block)) in order.iter().zip(given) {
            tasks[task as usize].jitter = Duration::from_ns(jitter);
            blocking[task as usize] = block;
        }
        let system = by_order(&record, &tasks);
        let windows = response_time::first_windows(&system, &blocking, &mut Budget::default());
        let jitter = |task: u64| system.tasks[task as usize].jitter;
        let responses: Vec<_> =
            windows.iter().zip(&order).map(|(w, &task)| w.map(|w| w + jitter(task))).collect();
        assert_eq!(serde_json::to_value(&responses).unwrap(), expected["resp"], "{}", record["id"]);

        let verdict = response_time::verdict(&system, &blocking, &mut Budget::default(), &mut Unwatched);
        let ok = verdict.answer == Answer::Schedulable;
        assert_eq!(ok, expected["ok"].as_bool().unwrap(), "{}: {}", record["id"], verdict.reason);
        let schedlab_analysis::Bounds::ResponseTime(bounds) = verdict.bounds else { panic!("no bounds") };
        for (&task, first) in order.iter().zip(&responses) {
            let (Some(first), Some(bound)) = (first, bounds[task as usize]) else { continue };
            // The first job of the busy window need not be the slowest.
            assert!(*first <= bound.as_ns(), "{}", record["id"]);
            longer += u32::from(*first < bound.as_ns());
        }
        checked += 1;
    }
    println!("{checked} sets; {longer} tasks whose later job responds later");
    assert!(checked > 400, "{checked}");
}

/// The verdict on each processor of each recorded placement: QPA, and response times in
/// deadline-monotonic order.
#[test]
fn partitions() {
    let mut checked = 0;
    for record in records("partition") {
        let tasks = tasks(&record);
        // Equal deadlines have equal ranks; ties go to the smaller task id anyway.
        let ranks: Vec<u32> = tasks
            .iter()
            .map(|task| tasks.iter().filter(|o| o.relative_deadline < task.relative_deadline).count() as u32)
            .collect();
        let dm = AnalysedScheduler {
            order: AnalysedOrder::FixedPriority,
            ranks: &ranks,
            ..AnalysedScheduler::EDF
        };
        for placement in record["results"].as_object().unwrap().values() {
            for (name, scheduler, test) in
                [("pedf_qpa", &AnalysedScheduler::EDF, &qpa::TEST), ("pdm_rta", &dm, &response_time::TEST)]
            {
                let Some(expected) = placement.get(name).and_then(Value::as_array) else { continue };
                for (bin, expected) in placement["bins"].as_array().unwrap().iter().zip(expected) {
                    let ids = numbers(bin).into_iter().map(|id| TaskId(id as u32));
                    let system = System::new(&tasks, ids, 1, scheduler, Duration::ZERO).unwrap();
                    assert_eq!(Value::Bool(accepts(test, &system)), *expected, "{} {name}", record["id"]);
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 10_000, "{checked}");
}

#[test]
fn global_edf() {
    let mut checked = 0;
    for record in records("gedf") {
        let m = record["m"].as_u64().unwrap() as u32;
        let system = System::global(&tasks(&record), m, &AnalysedScheduler::EDF).unwrap();
        for (name, test) in [("gfb", &multiprocessor::gfb::TEST), ("bak", &multiprocessor::baker::TEST)] {
            if let Some(expected) = record["results"][name].as_bool() {
                assert_eq!(accepts(test, &system), expected, "{} {name}", record["id"]);
                checked += 1;
            }
        }
    }
    assert!(checked > 2900, "{checked}");
}

#[test]
fn tardiness_of_global_edf() {
    let mut checked = 0;
    for record in records("gedf") {
        let m = record["m"].as_u64().unwrap() as u32;
        let pairs: Vec<_> = tasks(&record).iter().map(|t| (t.wcet.as_ns(), t.period.as_ns())).collect();
        let srt = &record["results"]["srt"];
        if srt.is_null() {
            continue;
        }
        let ceiling =
            |x: Option<schedlab_analysis::exact::Fraction>| x.map(|x| x.ceiling().to_u64().unwrap());
        let preemptive = ceiling(devi_anderson::tardiness_x(&pairs, m));
        assert_eq!(serde_json::to_value(preemptive).unwrap(), srt["da_x"], "{}", record["id"]);
        if let Some(expected) = srt.get("da_np_x") {
            let peer = ceiling(nonpreemptive::peer_x(&pairs, m));
            assert_eq!(serde_json::to_value(peer).unwrap(), *expected, "{} np", record["id"]);
        }
        generalized(&record, &pairs, m);
        let proved = ceiling(nonpreemptive::tardiness_x(&pairs, m));
        assert!(proved >= preemptive, "{}", record["id"]);
        if let (Some(x), Some(seen)) = (proved, record["observed"]["NG_EDF_max_tardiness"].as_u64()) {
            let longest = pairs.iter().map(|pair| pair.0).max().unwrap();
            assert!(seen <= x + longest, "{}", record["id"]);
        }
        checked += 1;
    }
    assert!(checked > 1400, "{checked}");
}

/// D - (m - 1) / m C, rounded up.
fn fair_lateness_point(cost: u64, relative_deadline: u64, m: u32) -> u64 {
    relative_deadline - cost * u64::from(m - 1) / u64::from(m)
}

/// C', T', D' in microseconds, the cost rounded up and the others down; nothing if the task then needs more than a
/// processor.
fn in_microseconds(task: &Inflated) -> Option<(u64, u64, u64)> {
    let cost = task.cost.over(&Fraction::integer(1000)).ceiling().to_u64()?;
    let (period, relative_deadline) = (task.period / 1000, task.relative_deadline / 1000);
    let least = period.min(relative_deadline);
    (least > 0 && cost <= least).then_some((cost, period, relative_deadline))
}

/// Compliant vectors for G-EDF and G-FL. Where sums of floating-point utilizations were above m, the peer has nothing.
fn generalized(record: &Value, pairs: &[(u64, u64)], m: u32) {
    let srt = &record["results"]["srt"];
    let bounds = |points: &[u64]| {
        let bounds = gel::responses(pairs, points, m)?;
        Some(bounds.into_iter().map(|bound| bound.unwrap().as_ns()).collect::<Vec<_>>())
    };
    let periods: Vec<u64> = pairs.iter().map(|pair| pair.1).collect();
    let points: Vec<u64> = pairs.iter().map(|&(cost, period)| fair_lateness_point(cost, period, m)).collect();
    assert_eq!(serde_json::to_value(bounds(&periods)).unwrap(), srt["gel_gedf_response"], "{}", record["id"]);
    let full = compare_sum(pairs, m.into()).is_eq() && srt["gel_gfl_response"].is_null();
    if !full {
        assert_eq!(
            serde_json::to_value(bounds(&points)).unwrap(),
            srt["gel_gfl_response"],
            "{}",
            record["id"]
        );
        let points = bounds(&points).map(|_| points);
        assert_eq!(serde_json::to_value(points).unwrap(), srt["gel_gfl_priority_points"], "{}", record["id"]);
    }
}

#[test]
fn overhead_accounting() {
    let (mut checked, mut inflated) = (0, 0);
    for record in golden_overheads::records() {
        let tasks = golden_overheads::tasks(&record);
        let overheads = golden_overheads::overheads(&record);
        let accounting = Accounting {
            overheads: &overheads,
            statistic: Statistic::Max,
            quantum: Duration::from_ns(record["quantum"].as_u64().unwrap() * 1000),
            processors: record["m"].as_u64().unwrap() as u32,
            machine_tasks: tasks.len(),
            release_latency: golden_overheads::release_latency(&record),
            polled: Duration::ZERO,
            dedicated_interrupts: record["dedicated_irq"].as_bool().unwrap(),
            switches_in_progress: false,
        };
        let ours = inflate_exactly(&tasks, &accounting).ok();
        let ours = ours.and_then(|tasks| tasks.iter().map(in_microseconds).collect::<Option<Vec<_>>>());
        let ours = ours.map_or(Value::Bool(false), |tasks| {
            inflated += 1;
            serde_json::to_value(tasks).unwrap()
        });
        assert_eq!(ours, record["results"]["jlfp_quantized"], "{}", record["id"]);
        let charged = fp::charge(&tasks, &accounting).unwrap();
        let row = |task: &Task| {
            let [cost, period] = [task.wcet.as_ns().div_ceil(1000), task.period.as_ns() / 1000];
            [cost, period, task.relative_deadline.as_ns() / 1000, task.jitter.as_ns().div_ceil(1000)]
        };
        let rows: Vec<_> = charged.interrupts.iter().chain(&charged.tasks).map(row).collect();
        assert_eq!(
            serde_json::to_value(rows).unwrap(),
            record["results"]["fp_quantized"],
            "{}",
            record["id"]
        );
        checked += 1;
    }
    assert!(checked > 400 && inflated > 100, "{checked} {inflated}");
}
