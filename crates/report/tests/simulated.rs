//! Simulated traces satisfy all invariants, and what is read from them agrees with itself.

use crate::support;

use schedlab_model::*;
use schedlab_report::invariants::check;
use schedlab_report::metrics::Metrics;
use schedlab_report::schedule::Window;
use schedlab_report::why::{why, Cause};
use schedlab_sim::Charges;
use schedlab_trace::{Record, Sink};
use support::*;

const SCHEDULERS: [&str; 10] =
    ["G-EDF", "NG-EDF", "P-EDF", "C-EDF", "NC-FIFO", "G-RM", "P-RM", "G-FIFO", "NP-DM", "SCHED_FIFO"];

fn program(dice: &mut Dice, cost: u64) -> Vec<Step> {
    let first = dice.roll(1, cost);
    let (head, tail) = (Step::Execute(Work::from_ns(first)), Step::Execute(Work::from_ns(cost - first)));
    match dice.roll(0, 5) {
        0 if first < cost => vec![head, Step::Suspend(Duration::from_ns(dice.roll(1, 30))), tail],
        1 if first < cost => vec![head, Step::NpEnter, tail, Step::NpExit],
        2 if first < cost => vec![Step::NpEnter, head, Step::NpExit, tail],
        _ => Vec::new(),
    }
}

fn system(dice: &mut Dice) -> Vec<Task> {
    (0..dice.roll(2, 9))
        .map(|_| {
            let period = dice.roll(20, 200);
            let cost = dice.roll(1, period / 2);
            let mut task = task(cost, period, dice.roll(cost, 2 * period));
            task.offset = Instant::from_ns(dice.roll(0, 60));
            task.program = program(dice, cost);
            if task.program.iter().any(|step| matches!(step, Step::Suspend(_))) {
                task.suspension = Suspension::Segmented;
            }
            task
        })
        .collect()
}

fn charges(dice: &mut Dice, tasks: usize) -> Charges {
    if dice.roll(0, 1) == 0 {
        return Charges::default();
    }
    let lock = if dice.roll(0, 1) == 0 { QueueLock::Ticket } else { QueueLock::Mcs };
    let architecture = [None, Some(Architecture::Concurrent), Some(Architecture::StopTheWorld)];
    let architecture = architecture[dice.roll(0, 2) as usize];
    let mut some = |most| Duration::from_ns(dice.roll(0, most));
    let (preemption, migration) = (some(4), some(6));
    let (hand_over, access) = (some(2), some(2));
    let own = (!some(1).is_zero()).then_some(OwnLock { lock, hand_over });
    let queue = |architecture| own.filter(|_| architecture == Architecture::StopTheWorld);
    let decide = |architecture| Deciding {
        queue: queue(architecture),
        architecture,
        lock,
        hand_over,
        access,
        migration: preemption,
    };
    Charges {
        deciding: architecture.map(decide),
        release: some(2),
        scheduling: some(2),
        context_switch: some(2),
        tick: some(2),
        ipi: some(3),
        push: some(3),
        pull: some(3),
        cache_related_preemption: vec![preemption; tasks],
        cache_related_migration: vec![migration; tasks],
        by_pair: None,
        scheduling_by_ready: Vec::new(),
    }
}

pub fn each_system(mut look: impl FnMut(&str, Simulated)) {
    for seed in 1..=60u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let (tasks, m) = (system(&mut dice), dice.roll(1, 4) as u16);
        let charges = charges(&mut dice, tasks.len());
        for name in SCHEDULERS {
            look(&format!("{name}, seed {seed}"), simulated(tasks.clone(), name, m, charges.clone(), 1_500));
        }
    }
}

#[test]
fn simulated_traces_satisfy_all_invariants() {
    let mut judged = 0;
    each_system(|what, simulated| {
        let verdict = check(&simulated.context, simulated.timeline.records.iter().copied());
        for outcome in &verdict.outcomes {
            let name = outcome.invariant.name();
            assert!(outcome.holds(), "{what}: {name}: {:#?}", &outcome.found.violations[..1]);
        }
        assert!(verdict.ended && verdict.lost_at.is_none());
        judged += verdict.records;
    });
    assert!(judged > 100_000, "{judged} records are too few to mean anything");
}

#[test]
fn metrics_agree_with_the_simulator_and_with_the_drawn_schedule() {
    each_system(|what, simulated| {
        let mut metrics = Metrics::new(0, simulated.context.clusters.len());
        let records = &simulated.timeline.records;
        records.iter().for_each(|(at, record)| metrics.record(*at, *record));
        let (all, summary) = (metrics.all_tasks(), simulated.summary);
        let counted = (all.arrived, all.completed, all.missed);
        assert_eq!(counted, (summary.jobs_arrived, summary.jobs_completed, summary.jobs_missed), "{what}");
        assert_eq!(all.unfinished, all.arrived - all.completed, "{what}");
        let schedule = schedule_of(&simulated.context, records.iter().copied(), Window::ALL);
        for (index, cpu) in metrics.processors().iter().enumerate() {
            let drawn = schedule.segments.iter().filter(|segment| segment.cpu.index() == index);
            let drawn: u64 = drawn.map(|segment| (segment.to - segment.from).as_ns()).sum();
            let system = schedule.overheads.iter().filter(|overhead| overhead.cpu.index() == index);
            let system: u64 = system.map(|overhead| (overhead.to - overhead.from).as_ns()).sum();
            assert_eq!(
                (cpu.occupied(), cpu.overheads(), cpu.total()),
                (drawn, system, 1_500),
                "{what}, P{index}"
            );
        }
    });
}

#[test]
fn every_response_time_is_explained_and_own_work_is_the_cost() {
    let mut explained = 0;
    each_system(|what, simulated| {
        let records = &simulated.timeline.records;
        let arrivals = records.iter().filter_map(|(_, record)| match record {
            Record::Arrival { job, cost, .. } => Some((*job, *cost)),
            _ => None,
        });
        for (job, cost) in arrivals.step_by(7) {
            let why = why(&simulated.context, job, records.iter().copied()).unwrap();
            let parts = why.parts();
            let sum = parts.iter().fold(Duration::ZERO, |sum, (_, length)| sum + *length);
            assert_eq!(sum, why.response_time(), "{what}, {job}");
            let own =
                parts.iter().find(|(cause, _)| *cause == Cause::Own).map_or(0, |(_, length)| length.as_ns());
            let completed = why.ending == schedlab_report::why::JobEnding::Completed;
            assert!(own == cost.as_ns() || !completed && own <= cost.as_ns(), "{what}, {job}: {parts:#?}");
            let idle = parts.iter().any(|(cause, _)| *cause == Cause::Idle);
            assert!(!idle, "{what}, {job}: these schedulers are work-conserving: {parts:#?}");
            explained += 1;
        }
    });
    assert!(explained > 2_000, "{explained}");
}
