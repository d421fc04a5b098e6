//! The published examples of tests/golden/worked_examples.json that these tests can answer.

use schedlab_analysis::exact::Fraction;
use schedlab_analysis::overheads::jlfp::{inflate, inflate_exactly, Accounting, NotInflated};
use schedlab_analysis::steps::Unwatched;
use schedlab_analysis::tardiness::devi_anderson;
use schedlab_analysis::uniprocessor::{demand, examination, hyperbolic, liu_layland, qpa, response_time};
use schedlab_analysis::{
    analyze, multiprocessor, AnalysedOrder, AnalysedScheduler, Answer, Arrivals, Bounds, Budget, System,
};
use schedlab_model::{
    Cost, Duration, OverheadKind, OverheadSpec, Overheads, Platform, Statistic, Task, Work,
};
use serde_json::{json, Value};
use std::cmp::Ordering;
use std::path::PathBuf;

fn example(id: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/worked_examples.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let found = file["examples"].as_array().unwrap().iter().find(|example| example["id"] == id);
    found.unwrap_or_else(|| panic!("no example {id}")).clone()
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

fn tasks(value: &Value) -> Vec<Task> {
    let task = |row: &Value| {
        let row = numbers(row);
        Task::constrained(Work::from_ns(row[0]), Duration::from_ns(row[1]), Duration::from_ns(row[2]))
    };
    value.as_array().unwrap().iter().map(task).collect()
}

/// The tasks as given, by falling priority.
fn fixed_priority(tasks: &[Task]) -> System {
    let ranks: Vec<u32> = (0..tasks.len() as u32).collect();
    let scheduler = AnalysedScheduler {
        order: AnalysedOrder::FixedPriority,
        preemptive: true,
        ranks: &ranks,
        points: &[],
        arrivals: Arrivals::Periodic,
    };
    System::global(tasks, 1, &scheduler).unwrap()
}

fn pairs(tasks: &[Task]) -> Vec<(u64, u64)> {
    tasks.iter().map(|task| (task.wcet.as_ns(), task.period.as_ns())).collect()
}

#[test]
fn response_times_of_the_textbooks() {
    let ids = ["bw-set-D", "bw-set-A", "bw-set-B", "bw-set-C", "buttazzo-dm", "lsd-40-100", "schedcat-rta"];
    for id in ids {
        let (example, implicit) = (example(id), id != "buttazzo-dm");
        let tasks = tasks(&example["system"]["tasks_in_priority_order"]);
        let (system, expected) = (fixed_priority(&tasks), &example["expected"]);
        let windows = response_time::first_windows(&system, &vec![0; tasks.len()], &mut Budget::default());
        assert_eq!(json!(windows), expected["response_time"], "{id}");
        let verdict = (response_time::TEST.run)(&system);
        let answer =
            if expected["schedulable"] == true { Answer::Schedulable } else { Answer::Unschedulable };
        assert_eq!(verdict.answer, answer, "{id}");
        // Late jobs continue: a longer busy window than the deadline still has an end.
        if let Some(endless) = expected.get("fixpoint_ignoring_deadline") {
            let Bounds::ResponseTime(bounds) = verdict.bounds else { panic!("no bounds") };
            let bounds: Vec<_> = bounds.iter().map(|bound| bound.unwrap().as_ns()).collect();
            assert_eq!(json!(bounds[..2]), json!(numbers(endless)[..2]));
            assert!(bounds[2] >= numbers(endless)[2]);
        }
        let utilization = numbers(&expected["utilization"]);
        let exact = Fraction::new(utilization[0], utilization[1]);
        assert_eq!(Fraction::sum(&pairs(&tasks)).compare(&exact), Ordering::Equal, "{id}");
        if implicit {
            assert_eq!(json!(liu_layland::holds(&pairs(&tasks))), expected["liu_layland_passes"], "{id}");
            assert_eq!(json!(hyperbolic::holds(&pairs(&tasks))), expected["hyperbolic_passes"], "{id}");
        }
        for test in [&liu_layland::TEST, &hyperbolic::TEST] {
            let accepts = (test.run)(&system).answer == Answer::Schedulable;
            let name = format!("{}_passes", test.name);
            assert_eq!(json!(accepts), expected[name], "{id} {}", test.name);
        }
    }
}

#[test]
fn the_generic_avionics_platform_of_audsley() {
    let example = example("audsley-gap");
    let mut tasks = tasks(&example["system"]["tasks_in_priority_order"]);
    for (task, jitter) in tasks.iter_mut().zip(numbers(&example["system"]["jitter"])) {
        task.jitter = Duration::from_ns(jitter);
    }
    let (system, blocking) = (fixed_priority(&tasks), numbers(&example["system"]["blocking"]));
    let windows = response_time::first_windows(&system, &blocking, &mut Budget::default());
    assert_eq!(json!(windows), example["expected"]["busy_window_w"]);
    let verdict = response_time::verdict(&system, &blocking, &mut Budget::default(), &mut Unwatched);
    assert_eq!(verdict.answer, Answer::Schedulable);
    let Bounds::ResponseTime(bounds) = verdict.bounds else { panic!("no bounds") };
    let bounds: Vec<_> = bounds.iter().map(|bound| bound.unwrap().as_ns()).collect();
    assert_eq!(json!(bounds), example["expected"]["response_time_w_plus_jitter"]);
}

#[test]
fn rate_monotonic_misses_what_edf_meets() {
    let tasks = tasks(&example("rm-vs-edf")["system"]["tasks"]);
    let ranks = [0, 1];
    let rm = AnalysedScheduler {
        order: AnalysedOrder::FixedPriority,
        preemptive: true,
        ranks: &ranks,
        points: &[],
        arrivals: Arrivals::Periodic,
    };
    let by_rm = analyze(&tasks, &Platform::partitioned(1), &rm).unwrap();
    assert_eq!((by_rm.hard, by_rm.soft), (Answer::Unschedulable, Answer::Schedulable));
    assert_eq!(by_rm.response_times[1], Some(Duration::from_ns(8000)));
    let by_edf = analyze(&tasks, &Platform::partitioned(1), &AnalysedScheduler::EDF).unwrap();
    assert_eq!((by_edf.hard, by_edf.soft), (Answer::Schedulable, Answer::Schedulable));
}

#[test]
fn qpa_walks_as_published() {
    for id in ["qpa-8-tasks", "qpa-8-tasks-overload"] {
        let example = example(id);
        let system = System::global(&tasks(&example["system"]["tasks"]), 1, &AnalysedScheduler::EDF).unwrap();
        let demands = demand::Demands::new(&system).unwrap();
        let limit = demands.limit(&mut Budget::default());
        let (mut steps, expected) = (Vec::new(), &example["expected"]);
        let ending = qpa::walk(&demands, limit.shortest().unwrap(), &mut Budget::default(), |t, h| {
            steps.push((t, h as u64));
        });
        assert_eq!(ending == examination::ExaminationEnd::Meets, expected["schedulable"] == true);
        assert_eq!(json!(steps.len()), expected["iterations"], "{id}");
        if let Some(sequence) = expected.get("sequence_t_h") {
            assert_eq!(json!(steps), *sequence);
            assert_eq!(json!(limit.from_slack), expected["La_ceil"]);
        } else {
            assert_eq!(json!(steps.last()), expected["last_t_h"]);
        }
    }
}

#[test]
fn processor_demand_of_buttazzo() {
    let example = example("pdc-buttazzo");
    let system = System::global(&tasks(&example["system"]["tasks"]), 1, &AnalysedScheduler::EDF).unwrap();
    let demands = demand::Demands::new(&system).unwrap();
    for (t, expected) in example["expected"]["demand_at"].as_object().unwrap() {
        assert_eq!(json!(demands.within(t.parse().unwrap()) as u64), *expected, "at {t}");
    }
    assert_eq!((qpa::TEST.run)(&system).answer, Answer::Schedulable);
    // The density test is too weak here.
    assert_eq!((multiprocessor::gfb::TEST.run)(&system).answer, Answer::Unknown);
}

#[test]
fn tests_of_global_edf() {
    for id in ["bcl-accepts", "gfb-equality", "gedf-all-reject"] {
        let example = example(id);
        let m = example["system"]["m"].as_u64().unwrap() as u32;
        let tasks = tasks(&example["system"]["tasks"]);
        let on = |processors| System::global(&tasks, processors, &AnalysedScheduler::EDF).unwrap();
        let gfb = |m| (multiprocessor::gfb::TEST.run)(&on(m)).answer == Answer::Schedulable;
        let expected = &example["expected"];
        assert_eq!(json!(gfb(m)), expected["GFB"], "{id}");
        if let Some(baker) = expected.get("BAK") {
            let accepts = (multiprocessor::baker::TEST.run)(&on(m)).answer == Answer::Schedulable;
            assert_eq!(json!(accepts), *baker, "{id}");
        }
        if let Some(with_three) = expected.get("GFB_m3") {
            assert_eq!(json!(gfb(3)), *with_three, "{id}");
        }
    }
}

#[test]
fn tardiness_by_devi_and_anderson() {
    for id in ["da-3x(2,3)", "da-5tasks-m3"] {
        let example = example(id);
        let tasks = tasks(&example["system"]["tasks"]);
        let m = example["system"]["m"].as_u64().unwrap() as u32;
        let analysis = analyze(&tasks, &Platform::global(m as u16), &AnalysedScheduler::EDF).unwrap();
        assert_eq!(analysis.soft, Answer::Schedulable, "{id}");
        let expected = &example["expected"];
        let system = System::global(&tasks, m, &AnalysedScheduler::EDF).unwrap();
        let Bounds::Tardiness(bounds) = (devi_anderson::TEST.run)(&system).bounds else {
            panic!("no bounds")
        };
        let ours: Vec<_> = bounds.iter().map(|bound| bound.unwrap().as_ns()).collect();
        // Compliant vectors may only be better.
        let best = analysis.tardiness.iter().map(|bound| bound.unwrap().as_ns());
        assert!(best.zip(&ours).all(|(best, ours)| best <= *ours), "{id}");
        let name = if id == "da-5tasks-m3" { "tardiness_bound" } else { "tardiness_bound_per_task" };
        assert_eq!(json!(ours), expected[name], "{id}");
        if let Some(exact) = expected.get("x_exact") {
            let x = devi_anderson::tardiness_x(&pairs(&tasks), m).unwrap();
            assert_eq!(x.to_string(), format!("{}/{}", exact[0], exact[1]));
        }
    }
}

#[test]
fn preemption_centric_accounting_of_ticks() {
    let example = example("overhead-tick");
    let tasks = tasks(&example["system"]["tasks"]);
    let mut overheads = Overheads::default();
    let tick = Duration::from_ns(example["system"]["tick"].as_u64().unwrap());
    overheads.set(OverheadKind::Tick, OverheadSpec { max: Cost::Constant(tick), ..OverheadSpec::default() });
    let accounting = Accounting {
        overheads: &overheads,
        statistic: Statistic::Max,
        quantum: Duration::from_ns(example["system"]["quantum"].as_u64().unwrap()),
        processors: 1,
        machine_tasks: tasks.len(),
        release_latency: Duration::ZERO,
        polled: Duration::ZERO,
        dedicated_interrupts: false,
        switches_in_progress: false,
    };
    let exact = inflate_exactly(&tasks, &accounting).unwrap();
    let costs: Vec<_> = exact.iter().map(|task| task.cost.to_string()).collect();
    assert_eq!(costs, ["10000", "35000/3"]);
    let whole = inflate(&tasks, &accounting).unwrap();
    let costs: Vec<_> = whole.iter().map(|task| task.wcet.as_ns()).collect();
    assert_eq!(json!(costs), example["expected"]["inflated_cost_rounded_up"]);
    let mean = Accounting { statistic: Statistic::Mean, ..accounting };
    let unchanged = inflate(&tasks, &mean).unwrap();
    assert_eq!(unchanged, tasks);
    let busy = Accounting { quantum: tick, ..accounting };
    assert_eq!(inflate(&tasks, &busy), Err(NotInflated::Interrupts));
}
