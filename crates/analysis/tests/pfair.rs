//! Pfair feasibility and quantum-based accounting against published examples and golden values.

use crate::golden_overheads;

use golden_overheads::{overheads, records, release_latency, tasks};
use num_traits::ToPrimitive;
use schedlab_analysis::exact::Fraction;
use schedlab_analysis::overheads::jlfp::Accounting;
use schedlab_analysis::overheads::quanta::{self, Densities, Mode, Parameters};
use schedlab_analysis::pfair::{reserve, Share};
use schedlab_analysis::{
    analyze, AnalysedOrder, AnalysedScheduler, Analysis, Answer, Arrivals, Quanta, Reason, System,
};
use schedlab_model::{Alignment, Duration, Instant, Platform, Statistic, Task, Work};
use serde_json::Value;

fn in_microseconds(tasks: Option<Vec<Parameters>>) -> Value {
    let units = |value: &Fraction| value.over(&Fraction::integer(1000)).floor().to_u64().expect("it fits");
    let whole = |task: &Parameters| [&task.cost, &task.period, &task.relative_deadline].map(units);
    tasks.map_or(Value::Bool(false), |tasks| {
        serde_json::to_value(tasks.iter().map(whole).collect::<Vec<_>>()).unwrap()
    })
}

/// Every key of the family `overheads` that is about quanta.
#[test]
fn quantum_based_accounting() {
    let (mut checked, mut accepted) = (0, 0);
    for record in records() {
        let (tasks, overheads) = (tasks(&record), overheads(&record));
        let processors = record["m"].as_u64().unwrap() as u32;
        let quantum = record["quantum"].as_u64().unwrap() * 1000;
        let accounting = Accounting {
            overheads: &overheads,
            statistic: Statistic::Max,
            quantum: Duration::from_ns(quantum),
            processors,
            machine_tasks: tasks.len(),
            release_latency: release_latency(&record),
            polled: Duration::ZERO,
            dedicated_interrupts: record["dedicated_irq"].as_bool().unwrap(),
            switches_in_progress: false,
        };
        let strict = Mode { polled: false, staggered_over: None, densities: Densities::BelowOne };
        let account = |mode| quanta::account(&tasks, &accounting, mode);
        let given: Vec<Parameters> = tasks.iter().map(Parameters::of).collect();
        let whole = Fraction::integer(quantum);
        let ours = [
            ("quantize_wcet", quanta::round_costs(&given, quantum, &whole, Densities::BelowOne)),
            ("quantize_period", quanta::round_periods(&given, quantum, Densities::BelowOne)),
            ("account_for_delayed_release", quanta::delay_releases(&given, &whole, Densities::BelowOne)),
            ("pfair_aligned", account(strict)),
            ("pfair_aligned_periodic", account(Mode { polled: true, ..strict })),
            ("pfair_staggered", account(Mode { staggered_over: Some(processors), ..strict })),
            ("pfair_aligned_weight1_allowed", account(Mode { densities: Densities::UpToOne, ..strict })),
        ];
        for (name, ours) in ours {
            accepted += u32::from(ours.is_some());
            assert_eq!(in_microseconds(ours), record["results"][name], "{} {name}", record["id"]);
            checked += 1;
        }
        let delay = quanta::stagger_delay(quantum, processors);
        let staggered = quanta::delay_releases(&given, &delay, Densities::BelowOne);
        same_fractions(staggered, &record["results"]["account_for_staggering"], &record["id"]);
    }
    assert!(checked > 2800 && accepted > 1000, "{checked} {accepted}");
}

/// The peer's floating point where (m-1)/m of a quantum is no whole number.
fn same_fractions(ours: Option<Vec<Parameters>>, golden: &Value, id: &Value) {
    let Some(ours) = ours else { return assert_eq!(*golden, Value::Bool(false), "{id}") };
    for (task, row) in ours.iter().zip(golden.as_array().unwrap()) {
        for (value, expected) in
            [&task.cost, &task.period, &task.relative_deadline].into_iter().zip(row.as_array().unwrap())
        {
            // Within a thousandth of a microsecond, on either side.
            let expected = (expected.as_f64().unwrap() * 1000.0).round() as i64;
            let (low, high) = (Fraction::integer(expected - 1), Fraction::integer(expected + 1));
            assert!(
                value.compare(&low).is_ge() && value.compare(&high).is_le(),
                "{id}: {value} and {expected}"
            );
        }
    }
}

const MS: u64 = 1_000_000;

fn scheduler(staggered: bool, arrivals: Arrivals) -> AnalysedScheduler<'static> {
    let quanta = Quanta { length: Duration::from_ns(MS), staggered, guaranteed: false, breaks_ties: true };
    AnalysedScheduler {
        order: AnalysedOrder::Pfair(quanta),
        preemptive: true,
        ranks: &[],
        points: &[],
        arrivals,
    }
}

/// Costs and periods in tenths of a millisecond, which is the quantum.
fn tenths(parameters: &[(u64, u64)]) -> Vec<Task> {
    let task = |&(cost, period): &(u64, u64)| {
        Task::implicit(Work::from_ns(cost * MS / 10), Duration::from_ns(period * MS / 10))
    };
    parameters.iter().map(task).collect()
}

fn judge(tasks: &[Task], processors: u16, scheduler: &AnalysedScheduler<'_>) -> schedlab_analysis::Analysis {
    analyze(tasks, &Platform::global(processors), scheduler).unwrap()
}

/// X, Y and Z of litmus-rt-2006, figure 1: under PD2 no deadline is missed, under S-PD2 some are, by at most half a
/// quantum; X has room for that in its last quantum.
#[test]
fn three_tasks_of_figure_1() {
    let xyz = tenths(&[(15, 30), (20, 30), (40, 60)]);
    let aligned = judge(&xyz, 2, &scheduler(false, Arrivals::Periodic));
    assert_eq!(aligned.hard, Answer::Schedulable);
    let half = |n: u64| Some(Duration::from_ns(n * MS / 2));
    assert_eq!(aligned.response_times, [half(5), half(6), half(12)]);
    let staggered = judge(&xyz, 2, &scheduler(true, Arrivals::Periodic));
    assert_eq!((staggered.hard, staggered.soft), (Answer::Unknown, Answer::Schedulable));
    assert_eq!(staggered.tardiness, [half(0), half(1), half(1)]);
    let system = System::global(&xyz, 2, &scheduler(true, Arrivals::Periodic)).unwrap();
    assert_eq!(reserve::guaranteed(&xyz, &system), None);
    let shares: Vec<_> = system.tasks.iter().map(|task| Share::guaranteed(task, &system).unwrap()).collect();
    assert_eq!(
        shares.iter().map(|share| (share.quanta, share.slots)).collect::<Vec<_>>(),
        [(2, 3), (2, 2), (4, 5)]
    );
    // On three processors they fit, and are guaranteed.
    let three = System::global(&xyz, 3, &scheduler(true, Arrivals::Periodic)).unwrap();
    let told = reserve::guaranteed(&xyz, &three).unwrap();
    assert_eq!(told[1].relative_deadline, Duration::from_ns(2 * MS));
}

/// Why the test of feasibility answers as it does.
fn reason_of_pfair(found: &Analysis) -> &Reason {
    let mut verdicts = found.clusters[0].verdicts.iter();
    &verdicts.find(|verdict| verdict.test == "pfair").expect("it speaks of Pfair schedulers").reason
}

/// At exactly m, and above by the least that there is.
#[test]
fn feasibility_is_exact() {
    let hard = |tasks: &[(u64, u64)], m| judge(&tenths(tasks), m, &scheduler(false, Arrivals::Periodic)).hard;
    assert_eq!(hard(&[(20, 30), (20, 30), (20, 30)], 2), Answer::Schedulable);
    assert_eq!(hard(&[(20, 30), (20, 30), (21, 30)], 2), Answer::Unschedulable);
    // Weight 1 is legal.
    assert_eq!(hard(&[(30, 30), (50, 50)], 2), Answer::Schedulable);
    assert_eq!(hard(&[(30, 30), (50, 50), (1, 1000)], 2), Answer::Unschedulable);
    // 2 quanta every 3.5 are fewer than m as they are, and more where the period is rounded down.
    let rounded = judge(&tenths(&[(20, 35); 2]), 1, &scheduler(false, Arrivals::Periodic));
    assert_eq!(rounded.hard, Answer::Unschedulable);
    let rounded = judge(&tenths(&[(5, 19), (5, 21)]), 1, &scheduler(false, Arrivals::Periodic));
    assert_eq!((rounded.hard, rounded.soft), (Answer::Unschedulable, Answer::Unschedulable));
    let rounded = judge(&tenths(&[(10, 19), (10, 29)]), 1, &scheduler(false, Arrivals::Periodic));
    assert_eq!(rounded.hard, Answer::Unknown);
    assert!(matches!(reason_of_pfair(&rounded), Reason::WeightsDoNotFit(_)));
}

/// 1/2 until 41 ms, then 3/4, beside 1/4: never above one processor, though all three weights are. The change is at 50
/// ms.
#[test]
fn a_task_has_one_weight_at_a_time() {
    let ms = |n: u64| Instant::from_ns(n * MS);
    let changed = |join: u64| {
        let mut tasks = tenths(&[(50, 100), (30, 40), (10, 40)]);
        tasks[0].leave = ms(40) + Duration::from_ns(1);
        (tasks[1].join, tasks[1].offset) = (ms(join), ms(join));
        tasks
    };
    for staggered in [false, true] {
        let scheduler = scheduler(staggered, Arrivals::Periodic);
        let found = judge(&changed(50), 1, &scheduler);
        assert_eq!((found.hard, found.soft), (Answer::Schedulable, Answer::Schedulable));
        let bounds: Vec<_> = found.response_times.iter().map(|bound| bound.unwrap().as_ns() / MS).collect();
        assert_eq!(bounds, [10, 4, 4]);
        // A slot earlier the windows of the former weight have not ended: the scheduler refuses it.
        let early = judge(&changed(49), 1, &scheduler);
        assert_eq!((early.hard, early.soft), (Answer::Unknown, Answer::Unknown));
        assert!(matches!(reason_of_pfair(&early), Reason::WeightsDoNotFit(_)));
        // With jitter the last windows may end later than planned.
        let mut late = changed(60);
        late[0].jitter = Duration::from_ns(MS);
        let found = judge(&late, 1, &scheduler);
        assert_eq!((found.hard, found.soft), (Answer::Unknown, Answer::Unknown));
        assert_eq!(reason_of_pfair(&found), &Reason::WeightNeededWhenJoined);
        // Where there is room for all, it does not matter.
        late[1].wcet = Work::from_ns(MS);
        assert_eq!(judge(&late, 1, &scheduler).soft, Answer::Schedulable);
    }
}

/// Sporadic jobs wait for a boundary: a deadline is safe only if its task gets fewer slots.
#[test]
fn arrivals_between_boundaries_wait() {
    let tasks = tenths(&[(20, 50), (15, 50)]);
    let sporadic = scheduler(false, Arrivals::Sporadic);
    let found = judge(&tasks, 1, &sporadic);
    assert_eq!((found.hard, found.soft), (Answer::Unknown, Answer::Schedulable));
    let late = Some(Duration::from_ns(MS - 1));
    assert_eq!(found.tardiness, [late, Some(Duration::from_ns(MS / 2 - 1))]);
    let system = System::global(&tasks, 1, &sporadic).unwrap();
    let told = reserve::guaranteed(&tasks, &system).unwrap();
    let slots: Vec<u64> = told.iter().map(|task| task.relative_deadline.as_ns() / MS).collect();
    // The second needs half of its last quantum only, but not the nanosecond less than one that it waits.
    assert_eq!(slots, [4, 4]);
    let own = judge(
        &told
            .iter()
            .zip(&tasks)
            .map(|(told, task)| Task { relative_deadline: task.relative_deadline, ..told.clone() })
            .collect::<Vec<_>>(),
        1,
        &sporadic,
    );
    assert_eq!(own.hard, Answer::Unknown);
}

/// Jitter of less than a slot costs a slot where arrivals are at boundaries, and shares blocks.
#[test]
fn jitter_is_added_and_blocks_are_shared() {
    let mut tasks = tenths(&[(20, 50)]);
    tasks[0].jitter = Duration::from_ns(1);
    let found = judge(&tasks, 1, &scheduler(false, Arrivals::Periodic));
    // A slot of waiting, five of windows, one more from the middle of a block.
    assert_eq!(found.response_times, [Some(Duration::from_ns(7 * MS))]);
    tasks[0].offset = Instant::from_ns(1);
    let found = judge(&tasks, 1, &scheduler(false, Arrivals::Periodic));
    assert_eq!(found.response_times, [Some(Duration::from_ns(7 * MS))]);
}

/// The whole offset is not Delta: processor k's is rounded down.
#[test]
fn lateness_comes_from_the_actual_offsets() {
    let quanta =
        |ns| Quanta { length: Duration::from_ns(ns), staggered: true, guaranteed: false, breaks_ties: true };
    let offset = |ns, m| schedlab_analysis::pfair::largest_offset(quanta(ns), m).as_ns();
    assert_eq!((offset(1000, 4), offset(1000, 3), offset(10, 1)), (750, 666, 0));
    let platform =
        Platform { alignment: Alignment::Staggered, quantum: Duration::from_ns(1000), ..Platform::global(3) };
    assert_eq!(platform.quantum_offset(schedlab_model::CpuId(2)).as_ns(), 666);
}
