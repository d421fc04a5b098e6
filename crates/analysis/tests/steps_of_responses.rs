//! Steps of tests that bound response times, as papers print them or as a hand computes them.

use schedlab_analysis::steps::{
    Computation, JitterCause, ResponseSteps, Show, SlackSum, Steps, SweepSteps, WindowRule, WindowSteps,
};
use schedlab_analysis::{registry, AnalysedOrder, AnalysedScheduler, Answer, System};
use schedlab_model::{Duration, Suspension, Task, TaskId, Work};

/// Tasks of cost, period, relative deadline and suspension, by falling priority.
fn system(rows: &[[u64; 4]], processors: u32, order: AnalysedOrder, preemptive: bool) -> System {
    let of = |&[cost, period, due, suspension]: &[u64; 4]| Task {
        suspension: Suspension::Dynamic(Duration::from_ns(suspension)),
        ..Task::constrained(Work::from_ns(cost), Duration::from_ns(period), Duration::from_ns(due))
    };
    let tasks: Vec<Task> = rows.iter().map(of).collect();
    let ranks: Vec<u32> = (0..rows.len() as u32).collect();
    let scheduler = AnalysedScheduler { order, preemptive, ranks: &ranks, ..AnalysedScheduler::EDF };
    System::global(&tasks, processors, &scheduler).unwrap()
}

fn shown(test: &str, system: &System) -> (Answer, Steps) {
    let verdict = registry::find(test).unwrap().run_showing(system, Show::All);
    (verdict.answer, *verdict.steps.expect("the test hands out its steps"))
}

fn response(computation: &Computation) -> &ResponseSteps {
    let Computation::Response(steps) = computation else { panic!("{computation:?}") };
    steps
}

/// The values of an iteration, with the last one twice, as it is found to be fixed.
fn iterates(window: &WindowSteps) -> Vec<u128> {
    let turns = window.iterates();
    turns.iter().map(|turn| turn.window).chain(turns.last().map(|turn| turn.next)).collect()
}

/// R. Davis et al., Real-Time Systems 35(3), 2007, section 3.1, in units of 0.01 ms: messages A (1, 2.5), B (1,
/// 3.5) and
/// C (1, 3.5) ms. C is busy for 7 ms, and its second instance responds after 3.5 ms, beyond its deadline of 3.25 ms.
#[test]
fn the_second_instance_of_davis_et_al_is_the_slowest() {
    let rows = [[100, 250, 250, 0], [100, 350, 325, 0], [100, 350, 325, 0]];
    let system = system(&rows, 1, AnalysedOrder::FixedPriority, false);
    let (_, steps) = shown("np_response_time", &system);
    let [first, _, third] = [0, 1, 2].map(|place| response(&steps.computations[place]));
    assert_eq!((first.rule, first.blocking, first.bound), (WindowRule::UntilBegin, 99, Some(199)));
    let busy = third.busy_period();
    assert_eq!(busy.iter().map(|turn| turn.window).collect::<Vec<_>>(), [300, 400, 600, 700]);
    assert_eq!(busy.last().unwrap().next, 700);
    // 3, 2 and 2 jobs, the own ones last.
    assert_eq!(busy.last().unwrap().jobs.iter().map(|of| of.jobs).collect::<Vec<_>>(), [3, 2, 2]);
    let [one, two] = third.windows() else { panic!("two jobs: {third:?}") };
    assert_eq!((iterates(one), one.own, one.response), (vec![0, 200, 200], 0, Some(300)));
    assert_eq!((iterates(two), two.own), (vec![200, 300, 400, 500, 600, 600], 100));
    assert_eq!((two.response, third.bound, third.relative_deadline), (Some(350), Some(350), 325));
    assert_eq!(steps.ended_with, None);
}

/// An overload ends the test.
#[test]
fn the_test_ends_with_an_overloaded_level() {
    let rows = [[3, 5, 5, 0], [3, 6, 6, 0], [1, 20, 20, 0]];
    for (test, preemptive, order) in [
        ("np_response_time", false, AnalysedOrder::FixedPriority),
        ("response_time", true, AnalysedOrder::FixedPriority),
    ] {
        let (_, steps) = shown(test, &system(&rows, 1, order, preemptive));
        assert_eq!(steps.ended_with, Some(TaskId(1)), "{test}");
    }
}

/// The set (2, 5), (4, 7) by which Buttazzo compares EDF with rate-monotonic priorities, by the definitions of M.
/// Spuri,
/// INRIA RR-2772, 1996: the busy period lasts 14; the first's slowest job is due at 7, with the second's first.
#[test]
fn the_deadlines_of_a_busy_period() {
    let (answer, steps) =
        shown("edf_response_time", &system(&[[2, 5, 5, 0], [4, 7, 7, 0]], 1, AnalysedOrder::Edf, true));
    assert_eq!(answer, Answer::Schedulable);
    let [Computation::Sweep(sweep)] = &steps.computations[..] else { panic!("{steps:?}") };
    let busy = sweep.busy_period();
    assert_eq!(busy.iter().map(|turn| turn.window).collect::<Vec<_>>(), [6, 8, 12, 14]);
    let of = |sweep: &SweepSteps| sweep.visited().iter().map(|one| (one.due, one.done)).collect::<Vec<_>>();
    assert_eq!(of(sweep), [(5, 2), (7, 6), (10, 8), (14, 12), (15, 14)]);
    // By 14, two jobs of each are due, and all are released by 12.
    let jobs = sweep.visited()[3].jobs.iter().map(|of| (of.jobs, of.work)).collect::<Vec<_>>();
    assert_eq!(jobs, [(2, 4), (2, 8)]);
    let bounds: Vec<_> = sweep.tasks.iter().map(|task| (task.bound, task.due)).collect();
    assert_eq!(bounds, [(Some(4), Some(7)), (Some(6), Some(7))]);
}

/// The example of J.-J. Chen, G. Nelissen and W.-H. Huang, ECRTS 2016, section 4, as remembered, every value by hand:
/// (C, S, T) of (4, 5, 10), (6, 1, 19), (4, 0, 50). With suspension as jitter, the third responds within 42; where the
/// second's suspension delays it instead, within 32.
#[test]
fn the_two_choices_of_chen_nelissen_and_huang() {
    let rows = [[4, 10, 10, 5], [6, 19, 19, 1], [4, 50, 50, 0]];
    let (answer, steps) = shown("suspension_aware", &system(&rows, 1, AnalysedOrder::FixedPriority, true));
    assert_eq!((answer, steps.ended_with), (Answer::Schedulable, None));
    let all: Vec<&ResponseSteps> = steps.computations.iter().map(response).collect();
    let found: Vec<_> = all.iter().map(|one| (one.task.0, one.rule, one.bound.unwrap())).collect();
    use WindowRule::{SuspensionAsJitter, SuspensionByRule};
    let expected = [
        (0, SuspensionAsJitter, 9),
        (0, SuspensionByRule, 9),
        (1, SuspensionAsJitter, 15),
        (1, SuspensionByRule, 15),
        (2, SuspensionAsJitter, 42),
        (2, SuspensionByRule, 32),
    ];
    assert_eq!(found, expected);
    assert_eq!(iterates(&all[4].windows()[0]), [4, 14, 24, 28, 32, 38, 42, 42]);
    assert_eq!(iterates(&all[5].windows()[0]), [4, 14, 18, 22, 28, 32, 32]);
    // The nearest task comes first: x = 1, and x = 0.
    let late: Vec<_> =
        all[5].higher.iter().map(|task| (task.task.0, task.jitter, task.jitter_cause)).collect();
    let second = JitterCause::Suspension { below: 1, carried: 0 };
    let first = JitterCause::Suspension { below: 1, carried: 5 };
    assert_eq!(late, [(1, 1, second), (0, 6, first)]);
    // A task whose response is beyond its period ends the test.
    let late = [[4, 10, 10, 5], [6, 12, 12, 1], [4, 50, 50, 0]];
    let (answer, steps) = shown("suspension_aware", &system(&late, 1, AnalysedOrder::FixedPriority, true));
    assert_eq!((answer, steps.ended_with), (Answer::Unknown, Some(TaskId(1))));
}

fn slacks(steps: &Steps) -> Vec<&SlackSum> {
    let computations = steps.computations.iter();
    computations
        .map(|one| match one {
            Computation::Slack(sum) => sum,
            other => panic!("{other:?}"),
        })
        .collect()
}

/// The set (20, 30), (20, 30), (5, 30) of Bertogna, Cirinei and Lipari on two processors: of 20, no more than
/// 30 − 20 + 1 counts, and (11 + 5) / 2 leaves 2 of 10.
#[test]
fn the_slacks_of_bertogna_cirinei_and_lipari() {
    let rows = [[20, 30, 30, 0], [20, 30, 30, 0], [5, 30, 30, 0]];
    let (answer, steps) = shown("bcl_iterative", &system(&rows, 2, AnalysedOrder::Edf, true));
    assert_eq!(answer, Answer::Schedulable);
    let found: Vec<_> = slacks(&steps).iter().map(|sum| (sum.sum, sum.delay, sum.slack)).collect();
    assert_eq!(found, [(16, 8, Some(2)), (16, 8, Some(2)), (40, 20, Some(5))]);
    assert_eq!(slacks(&steps)[0].terms.iter().map(|term| term.counted).collect::<Vec<_>>(), [11, 5]);
}

/// By hand, with (7, 10) and (2, 8) twice on two processors: 4 of each (2, 8) may precede the first's deadline,
/// which is
/// too much, until each is known to complete 2 before its own.
#[test]
fn a_second_round_knows_the_slacks_of_the_first() {
    let rows = [[7, 10, 10, 0], [2, 8, 8, 0], [2, 8, 8, 0]];
    let (answer, steps) = shown("bcl_iterative", &system(&rows, 2, AnalysedOrder::Edf, true));
    assert_eq!(answer, Answer::Schedulable);
    let all = slacks(&steps);
    let found: Vec<_> = all.iter().map(|sum| (sum.round, sum.of.0, sum.sum, sum.delay, sum.slack)).collect();
    let expected = [
        (1, 0, 8, 4, None),
        (1, 1, 9, 4, Some(2)),
        (1, 2, 9, 4, Some(2)),
        (2, 0, 4, 2, Some(1)),
        (2, 1, 9, 4, Some(2)),
        (2, 2, 9, 4, Some(2)),
    ];
    assert_eq!(found, expected);
    let terms =
        |sum: &SlackSum| sum.terms.iter().map(|one| (one.jobs, one.slack, one.carried)).collect::<Vec<_>>();
    assert_eq!(terms(all[0]), [(1, 0, 2), (1, 0, 2)]);
    assert_eq!(terms(all[3]), [(1, 2, 0), (1, 2, 0)]);
}
