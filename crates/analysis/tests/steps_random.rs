//! Steps of random systems: showing them changes no verdict, and they add up to it.

use crate::draw::{system, tasks, Freedoms};
use crate::mixer::Mixer;
use schedlab_analysis::exact::Fraction;
use schedlab_analysis::steps::{
    Computation, DemandEnd, DemandSteps, RatioKind, RatioSum, ResponseSteps, Show, WorkSum,
};
use schedlab_analysis::{registry, AnalysedOrder, Answer, Bounds, Quantity, System, Verdict};
use schedlab_model::{Duration, Task, TaskId, Work};
use std::collections::BTreeMap;

/// The tests that hand out steps, with their order and number of processors.
const SHOWN: [(&str, AnalysedOrder, u32); 10] = [
    ("edf_utilization", AnalysedOrder::Edf, 1),
    ("liu_layland", AnalysedOrder::FixedPriority, 1),
    ("hyperbolic", AnalysedOrder::FixedPriority, 1),
    ("response_time", AnalysedOrder::FixedPriority, 1),
    ("response_time_any_tie", AnalysedOrder::FixedPriorityOpenTies, 1),
    ("qpa", AnalysedOrder::Edf, 1),
    ("demand_criterion", AnalysedOrder::Edf, 1),
    ("gfb", AnalysedOrder::Edf, 2),
    ("baker", AnalysedOrder::Edf, 2),
    ("bcl", AnalysedOrder::Edf, 2),
];

fn drawn(random: &mut Mixer, order: AnalysedOrder, processors: u32) -> System {
    let freedoms = Freedoms {
        constrained: random.below(2) == 0,
        arbitrary: processors == 1 && random.below(3) == 0,
        jitter: random.below(3) == 0,
        suspension: random.below(4) == 0,
    };
    let mut tasks = tasks(random, processors.into(), freedoms);
    tasks.sort_by_key(|task| task.period);
    system(&tasks, processors, order, true)
}

/// A fraction that decides, as an exact number; `None` if it is irrational.
fn value(quantity: &Quantity) -> Option<Fraction> {
    let text = quantity.exact()?;
    let (numerator, denominator) = text.split_once('/').unwrap_or((&text, "1"));
    let number = |text: &str| text.parse::<i128>().unwrap();
    Some(Fraction::new(number(numerator), number(denominator)))
}

fn check_sum(sum: &RatioSum) {
    let one = Fraction::integer(1);
    let terms = sum.terms.iter().map(|term| value(&term.value).unwrap());
    let found = match sum.kind {
        RatioKind::Successors => terms.fold(one.clone(), |product, term| product.times(&term.plus(&one))),
        RatioKind::Utilizations | RatioKind::Densities | RatioKind::Loads => {
            Fraction::sum_of(terms.collect())
        }
    };
    assert_eq!(Some(&found), value(sum.sides.left()).as_ref(), "{sum:?}");
    match value(sum.sides.right()) {
        Some(bound) => assert_eq!(found.compare(&bound).is_le(), sum.sides.holds(), "{sum:?}"),
        // Far enough from the irrational bound for floating point to tell.
        None => assert_eq!(sum.sides.left().rounded() <= sum.sides.right().rounded(), sum.sides.holds()),
    }
}

fn check_work(sum: &WorkSum) {
    for term in &sum.terms {
        assert_eq!(term.work, term.jobs * term.cost + term.carried);
        assert_eq!(term.counted, term.work.min(sum.cap));
    }
    assert_eq!(sum.sum, sum.terms.iter().map(|term| term.counted).sum::<u64>());
    assert_eq!(sum.room, sum.processors * sum.cap);
    assert_eq!(sum.holds, sum.sum < sum.room || sum.sum == sum.room && sum.may_be_equal);
}

fn check_response(steps: &ResponseSteps, bound: Option<u64>) {
    let mut worst = 0;
    for window in steps.windows() {
        assert_eq!(
            window.own,
            u128::from(steps.blocking) + u128::from(window.own_jobs) * u128::from(steps.cost)
        );
        let mut before = None;
        for iterate in window.iterates() {
            assert!(before.is_none_or(|before| before == iterate.window), "{steps:?}");
            before = Some(iterate.next);
            for (of, task) in iterate.jobs.iter().zip(&steps.higher) {
                let jobs = (iterate.window + u128::from(task.jitter)).div_ceil(task.period.into());
                assert_eq!((u128::from(of.jobs), of.work), (jobs, jobs * u128::from(task.cost)));
            }
            let work: u128 = iterate.jobs.iter().map(|of| of.work).sum();
            assert_eq!(iterate.next, window.own + work);
        }
        let last = window.iterates().last().unwrap();
        assert!(last.next <= last.window, "the last iterate is a fixed point: {steps:?}");
        let since = u128::from(window.own_jobs - 1) * u128::from(steps.period);
        assert_eq!(window.response, Some(last.window + u128::from(steps.jitter) - since));
        worst = worst.max(window.response.unwrap());
    }
    assert_eq!((steps.bound, bound), (Some(worst), u64::try_from(worst).ok()));
}

fn check_demand(steps: &DemandSteps) {
    let exceeds = |one: &_| {
        let schedlab_analysis::steps::VisitedDeadline { within, demand, .. } = one;
        *demand > u128::from(*within)
    };
    let visited = steps.visited();
    for one in visited.iter().filter(|one| !one.jobs.is_empty()) {
        for (of, task) in one.jobs.iter().zip(&steps.tasks) {
            let jobs = one.within.checked_sub(task.window).map_or(0, |rest| rest / task.period + 1);
            assert_eq!((of.jobs, of.work), (jobs, u128::from(jobs) * u128::from(task.cost)));
        }
        let work: u128 = one.jobs.iter().map(|of| of.work).sum();
        assert_eq!(one.demand, work + u128::from(one.blocking));
    }
    assert_eq!(visited.iter().any(exceeds), steps.end == DemandEnd::Exceeds, "{steps:?}");
    assert!(visited.iter().rev().skip(1).all(|one| !exceeds(one)), "it ends where the demand exceeds");
}

/// Checks the steps of a verdict, and returns how many of each kind there were.
fn check(test: &str, verdict: &Verdict, system: &System, counts: &mut BTreeMap<String, u32>) {
    let steps = verdict.steps.as_ref().unwrap();
    assert!(!steps.is_cut);
    let proved = verdict.answer == Answer::Schedulable;
    let mut holds = Vec::new();
    for computation in &steps.computations {
        match computation {
            Computation::Ratio(sum) => {
                check_sum(sum);
                holds.push(sum.sides.holds());
            }
            Computation::Work(sum) => {
                check_work(sum);
                holds.push(sum.holds);
            }
            Computation::Response(steps) => {
                let Bounds::ResponseTime(bounds) = &verdict.bounds else { panic!("{verdict:?}") };
                let place = system.tasks.iter().position(|task| task.id == steps.task).unwrap();
                check_response(steps, bounds[place].map(|bound| bound.as_ns()));
                holds.push(steps.bound.unwrap() <= steps.relative_deadline.into());
            }
            Computation::Demand(steps) => {
                check_demand(steps);
                holds.push(steps.end == DemandEnd::Fits);
            }
            Computation::Blocking(sum) => panic!("nothing is shared: {sum:?}"),
        }
    }
    let all_hold = holds.iter().all(|holds| *holds);
    *counts.entry(format!("{test} {all_hold}")).or_default() += u32::from(!holds.is_empty());
    // Steps that are there decide. Where a job is late alone, or a level is overloaded, there are none of it.
    if !holds.is_empty() {
        assert!(!proved || all_hold, "{test}: {verdict:?}");
        let has_more = test.starts_with("response_time") && steps.computations.len() < system.tasks.len();
        assert!(proved || !all_hold || has_more, "{test}: {verdict:?}");
    }
}

#[test]
fn steps_add_up_to_the_verdict_that_the_test_gives_unwatched() {
    let mut counts = BTreeMap::new();
    for (test, order, processors) in SHOWN {
        let found = registry::find(test).unwrap();
        for seed in 0..400 {
            let system = drawn(&mut Mixer(seed * 0x9e37_79b9 + 1), order, processors);
            assert!((found.applies)(&system));
            let (plain, shown) = ((found.run)(&system), found.run_showing(&system, Show::All));
            check(test, &shown, &system, &mut counts);
            let one = found.run_showing(&system, Show::Of(TaskId(1)));
            let about = |verdict: &Verdict| {
                let steps = verdict.steps.as_ref().unwrap().computations.iter();
                steps
                    .filter(|one| one.task().is_none_or(|task| task == TaskId(1)))
                    .cloned()
                    .collect::<Vec<_>>()
            };
            assert_eq!(about(&shown), one.steps.as_ref().unwrap().computations);
            for verdict in [shown, one] {
                assert_eq!(Verdict { steps: None, ..verdict }, plain);
            }
        }
    }
    for (test, ..) in SHOWN {
        let of = |holds| counts.get(&format!("{test} {holds}")).copied().unwrap_or(0);
        assert!(of(true) > 20 && of(false) > 20, "{test}: {} and {}", of(true), of(false));
    }
}

/// What is recorded of a test without end is limited; the last turn is the last that there was.
#[test]
fn a_long_computation_is_cut() {
    // The window grows by ever less, a million times.
    let mut given = tasks(&mut Mixer(1), 1, Freedoms::default());
    given.truncate(2);
    let set = |task: &mut Task, cost, period| {
        task.wcet = Work::from_ns(cost);
        (task.period, task.relative_deadline) = (Duration::from_ns(period), Duration::from_ns(period));
    };
    set(&mut given[0], 99_999, 100_000);
    set(&mut given[1], 100_000, 1_000_000_000_000);
    let system = system(&given, 1, AnalysedOrder::FixedPriority, true);
    let verdict = registry::find("response_time").unwrap().run_showing(&system, Show::All);
    assert_eq!(verdict.answer, Answer::Schedulable);
    let steps = verdict.steps.unwrap();
    let Computation::Response(second) = &steps.computations[1] else { panic!("{steps:?}") };
    let [window] = second.windows() else { panic!("one job: {second:?}") };
    assert!(window.iterates().len() < 100_000 && window.left_out() > 50_000, "{}", window.left_out());
    let last = window.iterates().last().unwrap();
    assert_eq!((last.next, Some(last.window)), (last.window, second.bound));
}
