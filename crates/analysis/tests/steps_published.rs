//! Steps of computations as textbooks and papers print them. Golden values are in tests/golden/worked_examples.json.

use schedlab_analysis::steps::{
    BlockingRule, BlockingSum, Computation, DemandEnd, RatioKind, RatioSum, Recorder, ResponseSteps, Show,
    Steps, WorkSum,
};
use schedlab_analysis::uniprocessor::response_time;
use schedlab_analysis::{
    analyze_with_locks, registry, AnalysedOrder, AnalysedScheduler, Answer, Budget, Quantity, System,
};
use schedlab_model::{Duration, LockingClass, Platform, Resource, ResourceId, Step, Task, TaskId, Work};
use serde_json::Value;
use std::path::PathBuf;

fn example(id: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/worked_examples.json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let all: Value = serde_json::from_str(&text).unwrap();
    let lists = all.as_object().unwrap().values().filter_map(Value::as_array);
    let found = lists.flatten().find(|one| one["id"] == id);
    found.unwrap_or_else(|| panic!("there is no example {id}")).clone()
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

/// Rows of cost, period and relative deadline.
fn tasks(rows: &[[u64; 3]]) -> Vec<Task> {
    let of = |&[cost, period, due]: &[u64; 3]| {
        Task::constrained(Work::from_ns(cost), Duration::from_ns(period), Duration::from_ns(due))
    };
    rows.iter().map(of).collect()
}

fn rows_of(value: &Value) -> Vec<[u64; 3]> {
    value.as_array().unwrap().iter().map(|row| numbers(row).try_into().unwrap()).collect()
}

/// The tasks by falling priority under fixed priorities.
fn fixed(rows: &[[u64; 3]]) -> System {
    let ranks: Vec<u32> = (0..rows.len() as u32).collect();
    let order = AnalysedOrder::FixedPriority;
    let scheduler = AnalysedScheduler { order, ranks: &ranks, ..AnalysedScheduler::EDF };
    System::global(&tasks(rows), 1, &scheduler).unwrap()
}

fn edf(rows: &[[u64; 3]], processors: u32) -> System {
    System::global(&tasks(rows), processors, &AnalysedScheduler::EDF).unwrap()
}

/// The answer and the steps of a test.
fn shown(test: &str, system: &System, show: Show) -> (Answer, Steps) {
    let verdict = registry::find(test).unwrap().run_showing(system, show);
    (verdict.answer, *verdict.steps.expect("the test hands out its steps"))
}

fn responses(steps: &Steps) -> Vec<&ResponseSteps> {
    let mut found = Vec::new();
    for computation in &steps.computations {
        if let Computation::Response(steps) = computation {
            found.push(steps);
        }
    }
    found
}

fn only_sum(steps: &Steps) -> &RatioSum {
    let [Computation::Ratio(sum)] = &steps.computations[..] else { panic!("one sum: {steps:?}") };
    sum
}

/// w0, w1, ... of the window of the first `own_jobs` jobs, with the last value twice, as it is found to be fixed.
fn iterates(steps: &ResponseSteps, own_jobs: u64) -> Vec<u64> {
    let window = steps.windows().iter().find(|window| window.own_jobs == own_jobs).unwrap();
    assert_eq!(window.left_out(), 0);
    let of = window.iterates().iter().map(|one| one.window);
    of.chain(window.iterates().last().map(|last| last.next)).map(|window| window as u64).collect()
}

/// Burns and Wellings, process set D: w of c is 5, 11, 14, 17, 20, 20.
#[test]
fn the_iterates_of_burns_and_wellings() {
    let rows = [[3, 7, 7], [3, 12, 12], [5, 20, 20]];
    let (answer, steps) = shown("response_time", &fixed(&rows), Show::All);
    assert_eq!(answer, Answer::Schedulable);
    let of_each = responses(&steps);
    assert_eq!(iterates(of_each[0], 1), [3, 3]);
    assert_eq!(iterates(of_each[1], 1), [3, 6, 6]);
    assert_eq!(iterates(of_each[2], 1), [5, 11, 14, 17, 20, 20]);
    assert_eq!(of_each[2].bound, Some(20));
    // w2 = 5 + ceil(11/7) 3 + ceil(11/12) 3 = 5 + 6 + 3.
    let second = &of_each[2].windows()[0].iterates()[1];
    let terms: Vec<_> = second.jobs.iter().map(|of| (of.jobs, of.work)).collect();
    assert_eq!((second.window, terms, second.next), (11, vec![(2, 6), (1, 3)], 14));
    assert_eq!(of_each[2].windows()[0].own, 5);
    // One task alone.
    let (_, of_b) = shown("response_time", &fixed(&rows), Show::Of(TaskId(1)));
    assert_eq!(responses(&of_b), [of_each[1]]);
}

/// Buttazzo's example of deadline-monotonic priorities: the fourth task's response is 5, 6, 7, 9, 10, 10 from the sum
/// of all costs on.
#[test]
fn the_iterates_of_buttazzo() {
    let found = example("buttazzo-dm");
    let rows = rows_of(&found["system"]["tasks_in_priority_order"]).into_iter();
    let rows: Vec<[u64; 3]> = rows.map(|row| row.map(|microseconds| microseconds / 1000)).collect();
    let (_, steps) = shown("response_time", &fixed(&rows), Show::All);
    let bounds: Vec<_> = responses(&steps).iter().map(|one| one.bound.unwrap() as u64 * 1000).collect();
    assert_eq!(bounds, numbers(&found["expected"]["response_time"]));
    assert_eq!(iterates(responses(&steps)[3], 1), [1, 5, 6, 7, 9, 10, 10]);
}

/// J. Lehoczky, RTSS 1990: of seven jobs in the busy window of (62, 100) below (26, 70), the fifth is the slowest.
#[test]
fn the_fifth_job_of_lehoczky_is_the_slowest() {
    let (_, steps) = shown("response_time", &fixed(&[[26, 70, 70], [62, 100, 120]]), Show::All);
    let second = responses(&steps)[1];
    let each: Vec<_> = second.windows().iter().map(|window| window.response.unwrap()).collect();
    assert_eq!(each, [114, 102, 116, 104, 118, 106, 94]);
    assert_eq!(second.bound, Some(118));
    assert_eq!(iterates(second, 1), [62, 88, 114, 114]);
}

/// Audsley et al., 1993: the windows of 18 avionics tasks with blocking and jitter.
#[test]
fn the_windows_of_the_generic_avionics_platform() {
    let found = example("audsley-gap");
    let rows = rows_of(&found["system"]["tasks_in_priority_order"]);
    let mut system = fixed(&rows);
    for (task, jitter) in system.tasks.iter_mut().zip(numbers(&found["system"]["jitter"])) {
        task.jitter = jitter;
    }
    let mut watch = Recorder::of(Show::All);
    let blocking = numbers(&found["system"]["blocking"]);
    let verdict = response_time::verdict(&system, &blocking, &mut Budget::default(), &mut watch);
    assert_eq!(verdict.answer, Answer::Schedulable);
    let steps = watch.into_steps();
    let windows = responses(&steps).into_iter().map(|one| *iterates(one, 1).last().unwrap());
    assert_eq!(windows.collect::<Vec<_>>(), numbers(&found["expected"]["busy_window_w"]));
    let bounds: Vec<u64> = responses(&steps).iter().map(|one| one.bound.unwrap() as u64).collect();
    assert_eq!(bounds, numbers(&found["expected"]["response_time_w_plus_jitter"]));
    assert!(responses(&steps).iter().zip(blocking).all(|(one, term)| one.blocking == term));
}

/// F. Zhang and A. Burns, 2009: seven deadlines of eight tasks are visited.
#[test]
fn the_deadlines_of_zhang_and_burns() {
    let found = example("qpa-8-tasks");
    let rows = rows_of(&found["system"]["tasks"]);
    let (answer, steps) = shown("qpa", &edf(&rows, 1), Show::All);
    assert_eq!(answer, Answer::Schedulable);
    let [Computation::Demand(steps)] = &steps.computations[..] else { panic!("{steps:?}") };
    let visited: Vec<_> = steps.visited().iter().map(|one| vec![one.within, one.demand as u64]).collect();
    let published = found["expected"]["sequence_t_h"].as_array().unwrap().iter().map(numbers);
    assert_eq!(visited, published.collect::<Vec<_>>());
    assert_eq!(steps.limit, found["expected"]["La_ceil"].as_u64().unwrap());
    // The busy period of 16984 is longer, so that it is not sought further.
    assert_eq!((steps.known.from_slack, steps.known.busy_period), (Some(steps.limit), None));
    assert_eq!(steps.end, DemandEnd::Fits);
    // h(26) = (floor((26 - 16) / 12) + 1) 2 = 2, of the sixth task alone.
    let last: Vec<_> = steps.visited()[6].jobs.iter().map(|of| (of.jobs, of.work)).collect();
    assert_eq!(last, [(0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (1, 2), (0, 0), (0, 0)]);
}

/// Buttazzo's example of the processor demand: every deadline below the limit, by enumeration.
#[test]
fn the_demand_of_buttazzo() {
    let found = example("pdc-buttazzo");
    let (_, steps) = shown("demand_criterion", &edf(&rows_of(&found["system"]["tasks"]), 1), Show::All);
    let [Computation::Demand(steps)] = &steps.computations[..] else { panic!("{steps:?}") };
    let published = found["expected"]["demand_at"].as_object().unwrap();
    let found = steps.visited().iter().map(|one| (one.within.to_string(), one.demand as u64));
    let found: Vec<_> = found.collect();
    assert!(found.len() == 5 && found.iter().all(|(within, _)| published.contains_key(within)), "{found:?}");
    for (within, demand) in found {
        assert_eq!(published[&within].as_u64(), Some(demand), "{within}");
    }
}

/// Burns and Wellings' set D: 3/7 + 3/12 + 5/20 = 13/14, above 3 (2^(1/3) - 1); the product is 10/7 5/4 5/4.
#[test]
fn the_sums_of_liu_and_layland_and_of_the_hyperbolic_bound() {
    let system = fixed(&[[3, 7, 7], [3, 12, 12], [5, 20, 20]]);
    let (answer, steps) = shown("liu_layland", &system, Show::All);
    let sum = only_sum(&steps);
    assert_eq!((answer, sum.sides.holds(), sum.kind), (Answer::Unknown, false, RatioKind::Utilizations));
    let terms: Vec<_> = sum.terms.iter().map(|term| term.value.exact().unwrap()).collect();
    assert_eq!(terms, ["3/7", "1/4", "1/4"]);
    assert_eq!(sum.sides.left().exact().as_deref(), Some("13/14"));
    assert_eq!((sum.sides.right(), sum.sides.right().exact()), (&Quantity::LiuLayland(3), None));
    assert_eq!(sum.sides.texts(), ("92.86%".to_owned(), "77.98%".to_owned()));
    let (answer, steps) = shown("hyperbolic", &system, Show::All);
    let product = only_sum(&steps);
    assert_eq!((answer, product.kind), (Answer::Unknown, RatioKind::Successors));
    assert_eq!(product.sides.left().exact().as_deref(), Some("125/56"));
    assert_eq!((product.sides.right().rounded(), product.sides.holds()), (2.0, false));
}

/// Goossens, Funk and Baruah, with equality: 3/2, at most 2 - 1/2.
#[test]
fn the_sum_of_goossens_funk_and_baruah() {
    let found = example("gfb-equality");
    let (answer, steps) = shown("gfb", &edf(&rows_of(&found["system"]["tasks"]), 2), Show::All);
    let sum = only_sum(&steps);
    let exact = [sum.sides.left(), sum.sides.right()].map(|side| side.exact().unwrap());
    let published = ["U", "bound"].map(|name| {
        let fraction = numbers(&found["expected"][name]);
        format!("{}/{}", fraction[0], fraction[1])
    });
    assert_eq!((answer, exact), (Answer::Schedulable, published));
    let (answer, steps) = shown("edf_utilization", &edf(&[[1, 2, 2], [1, 3, 3]], 1), Show::All);
    let exact = only_sum(&steps).sides.left().exact();
    assert_eq!((answer, exact.as_deref()), (Answer::Schedulable, Some("5/6")));
}

/// By hand, after Baker's Theorem 12: for the first, min(1, 9/10) + 1/5 = 11/10, at most 2 (1 - 9/10) + 9/10; for the
/// second, min(1, 9/10 + 7/5) + 1/5 = 6/5, at most 2 (1 - 1/5) + 1/5.
#[test]
fn the_sums_of_baker() {
    let (answer, steps) = shown("baker", &edf(&[[9, 10, 10], [1, 5, 5]], 2), Show::All);
    assert_eq!(answer, Answer::Schedulable);
    let mut found = Vec::new();
    for computation in &steps.computations {
        let Computation::Load(sum) = computation else { panic!("{computation:?}") };
        let exact = [sum.sides.left(), sum.sides.right()].map(|side| side.exact().unwrap());
        let terms: Vec<_> = sum.terms.iter().map(|term| term.value.exact().unwrap()).collect();
        let given = sum.terms.iter().map(|term| [term.cost, term.period, term.relative_deadline]);
        assert_eq!(given.collect::<Vec<_>>(), [[9, 10, 10], [1, 5, 5]]);
        assert_eq!([sum.cost, sum.relative_deadline], [[9, 10], [1, 5]][sum.of.index()]);
        found.push((sum.of.0, terms, exact));
    }
    let expected = [
        (0, ["9/10", "1/5"].map(str::to_owned).to_vec(), ["11/10", "11/10"].map(str::to_owned)),
        (1, ["1", "1/5"].map(str::to_owned).to_vec(), ["6/5", "9/5"].map(str::to_owned)),
    ];
    assert_eq!((found.as_slice(), steps.ended_with), (expected.as_slice(), None));
    // For the first of three tasks (2, 3), 2/3 + 2/3 + 2/3 is above 2 (1 - 2/3) + 2/3.
    let (answer, steps) = shown("baker", &edf(&[[2, 3, 3]; 3], 2), Show::All);
    assert_eq!(answer, Answer::Unknown);
    assert_eq!((steps.computations.len(), steps.ended_with), (1, Some(TaskId(0))));
}

/// Bertogna, Cirinei and Lipari, of the shape of ECRTS 2005: (20, 30) twice and (5, 30) on two processors.
#[test]
fn the_work_of_bertogna_cirinei_and_lipari() {
    let (answer, steps) = shown("bcl", &edf(&[[20, 30, 30], [20, 30, 30], [5, 30, 30]], 2), Show::All);
    assert_eq!(answer, Answer::Schedulable);
    let works: Vec<&WorkSum> = steps
        .computations
        .iter()
        .map(|one| if let Computation::Work(sum) = one { sum } else { panic!("{one:?}") })
        .collect();
    let counted = |sum: &WorkSum| sum.terms.iter().map(|term| term.counted).collect::<Vec<_>>();
    // Of 20 no more than 30 - 20 counts.
    assert_eq!((works[0].cap, counted(works[0]), works[0].sum, works[0].room), (10, vec![10, 5], 15, 20));
    assert_eq!((works[2].cap, counted(works[2]), works[2].sum, works[2].room), (25, vec![20, 20], 40, 50));
    let first = works[0].terms[0];
    assert_eq!((first.jobs, first.carried, first.work), (1, 0, 20));
    // The test ends with the first task for which the condition fails.
    let (answer, steps) = shown("bcl", &edf(&[[2, 3, 3]; 3], 2), Show::All);
    assert_eq!((answer, steps.computations.len()), (Answer::Unknown, 1));
    assert_eq!(steps.ended_with, Some(TaskId(0)));
}

/// Buttazzo's table of four tasks and three semaphores, and the sections that count.
#[test]
fn the_blocking_of_buttazzos_table() {
    let found = example("blocking-table");
    let sections: Vec<Vec<u64>> =
        found["system"]["critical_sections"].as_array().unwrap().iter().map(numbers).collect();
    let task = |lengths: &Vec<u64>| {
        let steps =
            (0u32..).zip(lengths).filter(|(_, length)| **length > 0).flat_map(|(resource, length)| {
                let id = ResourceId(resource);
                [Step::Request(id, 1), Step::Execute(Work::from_ns(*length)), Step::Release(id, 1)]
            });
        let cost = lengths.iter().sum();
        let plain = tasks(&[[cost, 1_000_000, 1_000_000]]).remove(0);
        Task { program: steps.collect(), ..plain }
    };
    let tasks: Vec<Task> = sections.iter().map(task).collect();
    let cases = [
        (
            LockingClass::Inheritance,
            "pip_response_time",
            numbers(&found["expected"]["PIP_lower_bound_terms"]["Bl"]),
        ),
        (LockingClass::Ceilings, "pcp_response_time", numbers(&found["expected"]["PCP"])),
        (LockingClass::ImmediateCeilings, "pcp_response_time", numbers(&found["expected"]["IPCP"])),
        (LockingClass::Stack, "srp_response_time", numbers(&found["expected"]["SRP"])),
    ];
    for (class, method, expected) in cases {
        let scheduler = AnalysedScheduler {
            order: AnalysedOrder::FixedPriority,
            ranks: &[0, 1, 2, 3],
            ..AnalysedScheduler::EDF
        };
        let locking = schedlab_analysis::blocking::Locking {
            protocol: "of the test",
            class,
            resources: &[Resource { units: 1 }; 3],
            short: &[false; 3],
            attempts: &[],
            fails: &[],
            mutexes: &[],
        };
        let platform = Platform::partitioned(1);
        let analysis = analyze_with_locks(&tasks, &platform, &scheduler, locking, &[], Show::All).unwrap();
        let verdict = analysis.clusters[0].verdicts.iter().find(|one| one.test == method).unwrap();
        let steps = verdict.steps.as_ref().unwrap();
        let mut sums: Vec<&BlockingSum> = Vec::new();
        for computation in &steps.computations {
            if let Computation::Blocking(sum) = computation {
                sums.push(sum);
            }
        }
        assert_eq!(sums.iter().map(|sum| sum.total).collect::<Vec<_>>(), expected, "{method}");
        for sum in &sums {
            let counting = sum.candidates.iter().filter(|one| one.counts);
            assert_eq!(counting.map(|one| one.section.length).sum::<u64>(), sum.total, "{method}");
        }
        // The first task is blocked by the second's 9 on B, or by the longest of each.
        let counting = sums[0].candidates.iter().filter(|one| one.counts);
        let counting: Vec<_> = counting.map(|one| (one.section.task.0, one.section.resource.0)).collect();
        match sums[0].rule {
            BlockingRule::Longest => assert_eq!(counting, [(1, 1)]),
            BlockingRule::LongestOfEachTask => assert_eq!(counting, [(1, 1), (2, 0), (3, 0)]),
        }
        // Then the response times with this blocking.
        let with: Vec<_> = responses(steps).iter().map(|one| (one.blocking, one.bound)).collect();
        assert_eq!(with.iter().map(|(blocking, _)| *blocking).collect::<Vec<_>>(), expected, "{method}");
        let bounds = analysis.response_times.iter().map(|bound| bound.map(|bound| bound.as_ns().into()));
        assert_eq!(with.iter().map(|(_, bound)| *bound).collect::<Vec<_>>(), bounds.collect::<Vec<_>>());
    }
}
