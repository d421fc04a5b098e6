//! Tasks that are executed in pieces: what a placement accepts is never late, and traces keep budgets and processors.

use schedlab_analysis::Answer;
use schedlab_lab::{analyze, PrepareError, Prepared};
use schedlab_model::{Duration, Instant, Invariant, TaskId, Work};
use schedlab_report::invariants::Checker;
use schedlab_report::metrics::Metrics;
use schedlab_scenario::{Arrival, CostModel, Scenario, Split, TaskSpec};
use schedlab_workload::Random;

const NAME: &str = "SP-EDF";

/// A scenario of tasks of cost, period and relative deadline in microseconds.
fn scenario(tasks: &[(u64, u64, u64)], processors: u16, split: Split) -> Scenario {
    let us = |length: u64| Duration::from_ns(1_000 * length);
    let task = |(index, &(cost, period, deadline)): (usize, &(u64, u64, u64))| TaskSpec {
        relative_deadline: us(deadline),
        ..TaskSpec::new(format!("t{index}"), Work::done_in(us(cost)), us(period))
    };
    let mut scenario = Scenario::new(tasks.iter().enumerate().map(task).collect());
    scenario.platform.processors = processors;
    scenario.scheduler.name = NAME.to_owned();
    scenario.scheduler.placement.split = split;
    scenario.horizon = Instant::from_ns(4_000_000);
    scenario
}

/// Simulates the scenario, and checks its invariants, deadlines and bounds. Returns the number of migrations.
fn check(prepared: &Prepared, what: &str) -> u64 {
    let mut checker = Checker::new(&prepared.context());
    let mut metrics = Metrics::new(prepared.tasks.len(), prepared.platform.processors().into());
    prepared.simulate((&mut checker, &mut metrics), &mut |_| true).unwrap();
    let verdict = checker.finish();
    let broken: Vec<_> = verdict.outcomes.iter().filter(|outcome| !outcome.holds()).collect();
    assert!(broken.is_empty(), "{what}: {broken:?}");
    assert!(verdict.outcomes.iter().any(|outcome| outcome.invariant == Invariant::PiecesAreKept));
    let analysis = analyze(prepared).unwrap().analysis.unwrap();
    assert_eq!(analysis.hard, Answer::Schedulable, "{what}");
    let mut migrations = 0;
    for (task, bound) in metrics.tasks().iter().zip(&analysis.response_times) {
        assert_eq!(task.missed, 0, "{what}");
        let seen = task.response_time.max().map(Duration::from_ns);
        assert!(seen <= *bound, "{what}: {seen:?} and {bound:?}");
        migrations += task.migrations;
    }
    migrations
}

/// Tasks of which mostly one more than processors need more than half of one: some have to be split.
fn random_tasks(random: &mut Random, processors: u16) -> Vec<(u64, u64, u64)> {
    const PERIODS: [u64; 9] = [40, 50, 60, 100, 120, 150, 200, 300, 400];
    let is_crowded = random.between(0, 3) > 0;
    let count = u64::from(processors) + if is_crowded { 1 } else { random.between(1, 3) };
    let task = |_| {
        let period = PERIODS[random.between(0, 8) as usize];
        if is_crowded {
            let cost = random.between(period * 51 / 100 + 1, period * 63 / 100);
            return (cost, period, period);
        }
        let cost = random.between(1, period * 3 / 5);
        (cost, period, random.between(cost, period))
    };
    (0..count).map(task).collect()
}

fn examine(systems: u64) {
    let (mut accepted, mut split, mut migrations) = (0, 0, 0);
    for seed in 0..systems {
        let random = &mut Random::new(seed, *b"SPLITS..", 0);
        let processors = 2 + (seed % 3) as u16;
        let tasks = random_tasks(random, processors);
        let rule = if seed % 2 == 0 { Split::CEqualsD } else { Split::EdfWm };
        let mut given = scenario(&tasks, processors, rule);
        given.seed = seed;
        for task in &mut given.tasks {
            if random.between(0, 2) == 0 {
                task.arrival =
                    Arrival::Sporadic { delay: Duration::from_ns(random.between(1, 90_000)), like: None };
            }
            task.cost = match random.between(0, 2) {
                0 => CostModel::Uniform(Work::from_ns(1), task.wcet),
                _ => CostModel::Wcet,
            };
        }
        let prepared = match Prepared::new(&given) {
            Ok(prepared) => prepared,
            Err(PrepareError::Unresolved(_)) => continue,
            Err(other) => panic!("{tasks:?}: {other}"),
        };
        accepted += 1;
        split += u64::from(prepared.tasks.iter().any(|task| task.pieces.len() > 1));
        migrations += check(&prepared, &format!("{tasks:?} on {processors}, seed {seed}"));
    }
    assert!(accepted * 3 > systems, "{accepted} accepted");
    assert!(split * 2 > systems && migrations > 10 * split, "{split} split, {migrations} migrations");
}

#[test]
fn what_a_split_accepts_is_never_late() {
    examine(300);
}

#[test]
#[ignore = "9 s, 10,000 systems: each change runs 300, `make soak` these"]
fn what_a_split_accepts_of_ten_thousand_systems_is_never_late() {
    examine(10_000);
}

/// 0.6, 0.6, 0.6 on two processors: the last task is split. The pieces stand in the file, which says the same again;
/// costs may vary, unlike where pieces are tasks of their own.
#[test]
fn pieces_are_stated_and_read_back() {
    for (rule, first) in [(Split::CEqualsD, (40, 40)), (Split::EdfWm, (20, 50))] {
        let mut given = scenario(&[(60, 100, 100); 3], 2, rule);
        given.tasks[2].cost = CostModel::Listed(vec![Work::from_ns(60_000), Work::from_ns(10_000)]);
        let prepared = Prepared::new(&given).unwrap();
        assert_eq!(prepared.tasks.len(), 3);
        assert_eq!(
            prepared.scenario.tasks[..2].iter().map(|task| task.processor).collect::<Vec<_>>(),
            [Some(0), Some(1)]
        );
        let [one, two] = prepared.scenario.tasks[2].pieces[..] else { panic!("two pieces") };
        assert_eq!(one.budget.as_ns() + two.budget.as_ns(), 60_000);
        if rule == Split::CEqualsD {
            assert_eq!(
                (one.budget.as_ns(), one.relative_deadline.as_ns()),
                (1_000 * first.0, 1_000 * first.1)
            );
        }
        assert!(one.cpu != two.cpu && two.begin == one.relative_deadline);
        let again = Scenario::parse("again", &prepared.scenario.to_toml()).unwrap();
        assert_eq!(again, prepared.scenario);
        // Each second job is complete within its first piece.
        let migrations = check(&Prepared::new(&again).unwrap(), "read back");
        assert_eq!(migrations, 20, "of 40 jobs");
    }
}

/// Without a rule tasks are split by C=D; places and rules exclude each other.
#[test]
fn the_rule_and_places_of_ones_own() {
    let tasks = [(60, 100, 100); 3];
    let by = |split| Prepared::new(&scenario(&tasks, 2, split)).unwrap().scenario;
    assert_eq!(by(Split::None), by(Split::CEqualsD));
    let mut given = scenario(&tasks, 2, Split::EdfWm);
    given.tasks[0].processor = Some(1);
    assert!(matches!(Prepared::new(&given), Err(PrepareError::Unresolved(_))));
    // All places are stated: nothing is left to a rule, and the third task is too much for its processor.
    given.scheduler.placement.split = Split::None;
    (given.tasks[1].processor, given.tasks[2].processor) = (Some(0), Some(1));
    let prepared = Prepared::new(&given).unwrap();
    assert_eq!(analyze(&prepared).unwrap().analysis.unwrap().hard, Answer::Unknown);
    let mut metrics = Metrics::new(3, 2);
    prepared.simulate(&mut metrics, &mut |_| true).unwrap();
    let late: Vec<bool> = metrics.tasks().iter().map(|task| task.missed > 0).collect();
    assert_eq!((late[1], late[0] || late[2]), (false, true));
    let too_much = scenario(&[(70, 100, 100); 3], 2, Split::EdfWm);
    assert!(Prepared::new(&too_much).unwrap_err().is_lack_of_room());
}

/// Costs that a job has besides its WCET are no part of what pieces hold, so that nothing is proved.
#[test]
fn overheads_are_not_in_budgets() {
    let given = scenario(&[(60, 100, 100); 3], 2, Split::CEqualsD).with_overheads("paper-2008-4k").unwrap();
    let prepared = Prepared::new(&given).unwrap();
    let analysis = analyze(&prepared).unwrap().analysis;
    assert!(analysis.is_none_or(|analysis| analysis.hard != Answer::Schedulable));
    let mut checker = Checker::new(&prepared.context());
    prepared.simulate(&mut checker, &mut |_| true).unwrap();
    assert!(checker.finish().holds());
    assert_eq!(prepared.tasks[2].pieces.len(), 2, "{}", prepared.scenario.task_name(TaskId(2)));
}
