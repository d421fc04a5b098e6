//! Steps of random systems: showing them changes no verdict, and they add up to it.

use crate::draw::{system, tasks, Freedoms};
use crate::mixer::Mixer;
use schedlab_analysis::exact::Fraction;
use schedlab_analysis::steps::{
    Computation, DemandEnd, DemandSteps, LoadSum, RatioKind, RatioSum, ResponseSteps, Show, SlackSum,
    SweepSteps, WindowRule, WorkSum,
};
use schedlab_analysis::{registry, AnalysedOrder, Answer, Bounds, Quantity, System, Verdict};
use schedlab_model::{Duration, Task, TaskId, Work};
use std::collections::BTreeMap;

/// The tests that hand out steps, with their order and number of processors.
const SHOWN: [(&str, AnalysedOrder, u32); 14] = [
    ("edf_utilization", AnalysedOrder::Edf, 1),
    ("liu_layland", AnalysedOrder::FixedPriority, 1),
    ("hyperbolic", AnalysedOrder::FixedPriority, 1),
    ("response_time", AnalysedOrder::FixedPriority, 1),
    ("response_time_any_tie", AnalysedOrder::FixedPriorityOpenTies, 1),
    ("np_response_time", AnalysedOrder::FixedPriority, 1),
    ("suspension_aware", AnalysedOrder::FixedPriority, 1),
    ("edf_response_time", AnalysedOrder::Edf, 1),
    ("qpa", AnalysedOrder::Edf, 1),
    ("demand_criterion", AnalysedOrder::Edf, 1),
    ("gfb", AnalysedOrder::Edf, 2),
    ("baker", AnalysedOrder::Edf, 2),
    ("bcl", AnalysedOrder::Edf, 2),
    ("bcl_iterative", AnalysedOrder::Edf, 2),
];

fn drawn(random: &mut Mixer, test: &str, order: AnalysedOrder, processors: u32) -> System {
    let (preemptive, suspends) = (test != "np_response_time", test == "suspension_aware");
    let freedoms = Freedoms {
        constrained: random.below(2) == 0,
        arbitrary: processors == 1 && random.below(3) == 0,
        jitter: random.below(3) == 0,
        suspension: preemptive && (suspends || random.below(4) == 0),
    };
    let mut tasks = tasks(random, processors.into(), freedoms);
    tasks.sort_by_key(|task| task.period);
    if suspends {
        tasks[0].suspension = schedlab_model::Suspension::Dynamic(Duration::from_ns(1));
    }
    system(&tasks, processors, order, preemptive)
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
        RatioKind::Utilizations | RatioKind::Densities => Fraction::sum_of(terms.collect()),
    };
    assert_eq!(Some(&found), value(sum.sides.left()).as_ref(), "{sum:?}");
    match value(sum.sides.right()) {
        Some(bound) => assert_eq!(found.compare(&bound).is_le(), sum.sides.holds(), "{sum:?}"),
        // Far enough from the irrational bound for floating point to tell.
        None => assert_eq!(sum.sides.left().rounded() <= sum.sides.right().rounded(), sum.sides.holds()),
    }
}

fn check_load(sum: &LoadSum) {
    let number = |ns: u64| Fraction::integer(ns);
    let due = number(sum.relative_deadline);
    let lambda = Fraction::new(sum.cost, sum.relative_deadline);
    for term in &sum.terms {
        let stretch = sum.relative_deadline + term.period - term.relative_deadline;
        let regular = Fraction::new(term.cost, term.period).times(&number(stretch));
        let carried = number(term.cost).minus(&lambda.times(&number(term.period)));
        let both = if carried.compare(&number(0)).is_gt() { regular.plus(&carried) } else { regular };
        let share = both.over(&due);
        let share = if share.compare(&number(1)).is_gt() { number(1) } else { share };
        assert!(share.compare(&value(&term.value).unwrap()).is_eq(), "{sum:?}");
    }
    let found = Fraction::sum_of(sum.terms.iter().map(|term| value(&term.value).unwrap()).collect());
    assert!(found.compare(&value(sum.sides.left()).unwrap()).is_eq());
    assert_eq!(found.compare(&value(sum.sides.right()).unwrap()).is_le(), sum.sides.holds(), "{sum:?}");
}

fn check_slack(sum: &SlackSum) {
    for term in &sum.terms {
        assert_eq!(term.jobs, sum.within / term.period);
        assert_eq!(term.carried, (sum.within % term.period).saturating_sub(term.slack).min(term.cost));
        assert_eq!(term.counted, (term.jobs * term.cost + term.carried).min(sum.room + 1));
    }
    assert_eq!(sum.sum, sum.terms.iter().map(|term| term.counted).sum::<u64>());
    assert_eq!((sum.delay, sum.slack), (sum.sum / sum.processors, sum.room.checked_sub(sum.delay)));
}

fn check_sweep(steps: &SweepSteps, bounds: &[Option<Duration>]) {
    for one in steps.visited() {
        let mut work = 0;
        for (of, task) in one.jobs.iter().zip(&steps.tasks) {
            let released = (one.done + u128::from(task.jitter)).div_ceil(task.period.into());
            let window = i128::from(task.relative_deadline) - i128::from(task.jitter);
            let due =
                if one.due < window { 0 } else { (one.due - window) as u128 / u128::from(task.period) + 1 };
            assert_eq!(u128::from(of.jobs), released.min(due), "{steps:?}");
            assert_eq!(of.work, u128::from(of.jobs) * u128::from(task.cost));
            work += of.work;
        }
        assert_eq!(work, one.done, "the work is done when it ends");
    }
    for (task, bound) in steps.tasks.iter().zip(bounds) {
        assert_eq!(task.bound.map(|bound| bound as u64), bound.map(Duration::as_ns));
        let alone = u128::from(task.cost + task.jitter);
        let slowest = steps.visited().iter().find(|one| Some(one.due) == task.due);
        let response =
            |done: u128, due: i128| (done as i128 - due + i128::from(task.relative_deadline)) as u128;
        assert_eq!(task.bound, Some(slowest.map_or(alone, |one| response(one.done, one.due))));
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

/// Checks the windows; returns whether a bound was found.
fn check_response(steps: &ResponseSteps) -> bool {
    // An overloaded level has no busy period.
    if steps.windows().is_empty() {
        return steps.bound.is_some();
    }
    let mut worst = 0;
    let begins = steps.rule == WindowRule::UntilBegin;
    // A bound beyond the period is none where tasks suspend themselves.
    let may_lack = matches!(steps.rule, WindowRule::SuspensionAsJitter | WindowRule::SuspensionByRule);
    for window in steps.windows() {
        let own_jobs = u128::from(window.own_jobs) - u128::from(begins);
        assert_eq!(window.own, u128::from(steps.blocking) + own_jobs * u128::from(steps.cost));
        let mut before = None;
        for iterate in window.iterates() {
            assert!(before.is_none_or(|before| before == iterate.window), "{steps:?}");
            before = Some(iterate.next);
            for (of, task) in iterate.jobs.iter().zip(&steps.higher) {
                let within = iterate.window + u128::from(begins) + u128::from(task.jitter);
                let jobs = within.div_ceil(task.period.into());
                assert_eq!((u128::from(of.jobs), of.work), (jobs, jobs * u128::from(task.cost)));
            }
            let work: u128 = iterate.jobs.iter().map(|of| of.work).sum();
            assert_eq!(iterate.next, window.own + work);
        }
        if may_lack && window.response.is_none() {
            return steps.bound.is_some();
        }
        let last = window.iterates().last().unwrap();
        assert!(last.next <= last.window, "the last iterate is a fixed point: {steps:?}");
        let since = u128::from(window.own_jobs - 1) * u128::from(steps.period);
        let rest = u128::from(if begins { steps.cost } else { 0 });
        assert_eq!(window.response, Some(last.window + rest + u128::from(steps.jitter) - since));
        worst = worst.max(window.response.unwrap());
    }
    assert_eq!(steps.bound, Some(worst));
    true
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
    let (mut least, mut last_round) = (BTreeMap::new(), BTreeMap::new());
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
            Computation::Load(sum) => {
                check_load(sum);
                holds.push(sum.sides.holds());
            }
            Computation::Slack(sum) => {
                check_slack(sum);
                last_round.insert(sum.of, sum.slack.is_some());
            }
            Computation::Response(steps) => {
                let Bounds::ResponseTime(bounds) = &verdict.bounds else { panic!("{verdict:?}") };
                let place = system.tasks.iter().position(|task| task.id == steps.task).unwrap();
                check_response(steps);
                let bound = bounds[place].map(|bound| u128::from(bound.as_ns()));
                let least = least.entry(steps.task).or_insert((None, bound, steps.relative_deadline));
                least.0 = [least.0, steps.bound].into_iter().flatten().min();
            }
            Computation::Sweep(steps) => {
                let Bounds::ResponseTime(bounds) = &verdict.bounds else { panic!("{verdict:?}") };
                if steps.tasks.iter().all(|task| task.bound.is_some()) {
                    check_sweep(steps, bounds);
                    let is_in_time = |task: &schedlab_analysis::steps::SweptTask| {
                        task.bound.unwrap() <= task.relative_deadline.into()
                    };
                    holds.push(steps.tasks.iter().all(is_in_time));
                }
            }
            Computation::Demand(steps) => {
                check_demand(steps);
                holds.push(steps.end == DemandEnd::Fits);
            }
            Computation::Blocking(_) | Computation::Delays(_) => panic!("nothing is shared: {computation:?}"),
        }
    }
    for (found, bound, due) in least.into_values() {
        assert_eq!(found, bound, "{verdict:?}");
        holds.push(found.is_some_and(|bound| bound <= due.into()));
    }
    holds.extend(last_round.into_values());
    let all_hold = holds.iter().all(|holds| *holds);
    *counts.entry(format!("{test} {all_hold}")).or_default() += u32::from(!holds.is_empty());
    // Steps that are there decide. Where a job is late alone, or a level is overloaded, there are none of it.
    if !holds.is_empty() {
        assert!(!proved || all_hold, "{test}: {verdict:?}");
        let has_more = test.contains("response_time") && steps.computations.len() < system.tasks.len();
        assert!(proved || !all_hold || has_more, "{test}: {verdict:?}");
    }
}

#[test]
fn steps_add_up_to_the_verdict_that_the_test_gives_unwatched() {
    let mut counts = BTreeMap::new();
    for (test, order, processors) in SHOWN {
        let found = registry::find(test).unwrap();
        for seed in 0..400 {
            let system = drawn(&mut Mixer(seed * 0x9e37_79b9 + 1), test, order, processors);
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
        assert!(of(true) > 10 && of(false) > 10, "{test}: {} and {}", of(true), of(false));
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
