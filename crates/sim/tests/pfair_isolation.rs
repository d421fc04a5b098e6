//! Under Pfair schedulers no task pays for what another does.

use crate::support;
use schedlab_model::*;
use schedlab_sim::{simulate, Charges, NoLocks, Setup};
use schedlab_trace::{Record, Timeline};
use support::*;

const NAMES: [&str; 5] = ["PD2", "S-PD2", "ER-PD2", "PF", "PD"];
const QUANTUM: u64 = 20;

/// The schedulers that promise this on so many processors: without ties, EPDF does on two at most.
fn names(processors: u16) -> impl Iterator<Item = &'static str> {
    NAMES.into_iter().chain((processors <= 2).then_some("EPDF"))
}

fn platform(processors: u16) -> Platform {
    Platform { quantum: Duration::from_ns(QUANTUM), ..Platform::global(processors) }
}

fn of_weight(quanta: u64, slots: u64) -> Task {
    task(QUANTUM * quanta, QUANTUM * slots, QUANTUM * slots)
}

/// Weights that add up to the number of processors.
fn full_systems() -> Vec<(u16, Vec<(u64, u64)>)> {
    vec![
        (1, vec![(3, 4), (1, 4)]),
        (2, vec![(3, 4), (2, 3), (1, 3), (1, 4)]),
        (2, vec![(5, 6), (5, 12), (3, 4)]),
        (3, vec![(2, 3), (2, 3), (2, 3), (1, 2), (1, 2)]),
        (4, vec![(5, 6), (5, 6), (11, 12), (11, 12), (1, 2)]),
        (4, vec![(5, 12), (5, 12), (3, 4), (3, 4), (5, 12), (3, 4), (1, 2)]),
    ]
}

/// The processors' latest boundary after the common one.
fn stagger(name: &str, processors: u16) -> u64 {
    if name == "S-PD2" {
        QUANTUM * (u64::from(processors) - 1) / u64::from(processors)
    } else {
        0
    }
}

/// All jobs but those of task 0 are complete in time, staggering included.
#[track_caller]
fn others_are_in_time(timeline: &Timeline, last: u64, what: &str) {
    let mut due = std::collections::BTreeMap::new();
    let mut complete = 0;
    for (at, record) in &timeline.records {
        match record {
            Record::Arrival { job, absolute_deadline, .. } => {
                due.insert(*job, *absolute_deadline + Duration::from_ns(last));
            }
            Record::Complete { job } => {
                let due = due.remove(job).unwrap();
                assert!(job.task.0 == 0 || *at <= due, "{what}: {job} at {at}, due {due}");
                complete += 1;
            }
            _ => {}
        }
    }
    let end = timeline.records.last().unwrap().0;
    assert!(due.iter().all(|(job, due)| job.task.0 == 0 || *due > end), "{what}: {due:?}");
    assert!(complete > 50, "{what}");
}

/// Deadlines before the next arrival: the weight is that of the deadline.
#[test]
fn constrained_deadlines_are_met() {
    for (m, weights) in full_systems() {
        let twice =
            |&(e, p): &(u64, u64)| Task { period: Duration::from_ns(2 * QUANTUM * p), ..of_weight(e, p) };
        let tasks: Vec<Task> = weights.iter().map(twice).collect();
        for name in names(m) {
            let timeline = run_setup(ideal(tasks.clone(), platform(m), 600 * QUANTUM), name);
            others_are_in_time(&timeline, stagger(name, m), name);
            assert!(name == "S-PD2" || misses(&timeline).is_empty());
        }
    }
}

/// Task 0 suspends itself in each job, for all lengths, within quanta and at their ends.
#[test]
fn who_suspends_itself_delays_nobody_else() {
    for (m, weights) in full_systems() {
        for length in (1..120).step_by(7) {
            for first in [7, QUANTUM, QUANTUM + 7] {
                let mut tasks: Vec<Task> = weights.iter().map(|&(e, p)| of_weight(e, p)).collect();
                let rest = tasks[0].wcet - Work::from_ns(first);
                let pause = Step::Suspend(Duration::from_ns(length));
                tasks[0].program = vec![Step::Execute(Work::from_ns(first)), pause, Step::Execute(rest)];
                tasks[0].suspension = Suspension::Segmented;
                for name in names(m) {
                    let timeline = run_setup(ideal(tasks.clone(), platform(m), 300 * QUANTUM), name);
                    others_are_in_time(&timeline, stagger(name, m), &format!("{name} {weights:?} {length}"));
                }
            }
        }
    }
}

/// Jobs of task 0 need a quantum more than their WCET, so that they end anywhere in a block.
struct Overrunning {
    tasks: Vec<Task>,
    next: Vec<u64>,
}

impl JobSource for Overrunning {
    fn next_job(&mut self, task: TaskId, _: &mut Vec<Step>) -> Option<NextJob> {
        let parameters = &self.tasks[task.index()];
        let arrival = Instant::from_ns(self.next[task.index()]);
        self.next[task.index()] += parameters.period.as_ns();
        let more = if task.0 == 0 { QUANTUM } else { 0 };
        Some(NextJob { arrival, release: arrival, cost: Work::from_ns(more + parameters.wcet.as_ns()) })
    }
}

fn received(timeline: &Timeline, task: u32) -> u64 {
    let (mut sum, mut since) = (0, None);
    for (at, record) in &timeline.records {
        match record {
            Record::Dispatch { job, .. } if job.task.0 == task => since = Some(*at),
            Record::Preempt { job, .. } | Record::Complete { job } if job.task.0 == task => {
                sum += (*at - since.take().unwrap()).as_ns();
            }
            Record::End => sum += since.map_or(0, |since| (*at - since).as_ns()),
            _ => {}
        }
    }
    sum
}

/// A task that always has work receives its share, to within two quanta, and no more: early release aside.
#[test]
fn who_overruns_keeps_its_share() {
    for (m, weights) in full_systems() {
        for name in names(m) {
            let tasks: Vec<Task> = weights.iter().map(|&(e, p)| of_weight(e, p)).collect();
            let source = Overrunning { tasks: tasks.clone(), next: vec![0; tasks.len()] };
            let policies = policies(name, &platform(m), &tasks);
            let mut timeline = Timeline::default();
            let setup = ideal(tasks, platform(m), 600 * QUANTUM);
            simulate(setup, policies, NoLocks, source, &mut timeline);
            others_are_in_time(&timeline, stagger(name, m), name);
            let (e, p) = weights[0];
            let (share, got) = (600 * QUANTUM * e / p, received(&timeline, 0));
            assert!(got + 2 * QUANTUM >= share, "{name} {weights:?}: {got} of {share}");
            assert!(got <= share + p * QUANTUM, "{name} {weights:?}: {got} of {share}");
        }
    }
}

/// Switches take time out of quanta, so jobs need more of them than their WCET says: they go on all the same.
#[test]
fn overheads_make_jobs_late_and_stop_nobody() {
    for name in names(2) {
        for m in 1..=4u16 {
            let tasks = vec![task(2 * QUANTUM, 2 * QUANTUM + 10, 2 * QUANTUM + 10); m.into()];
            let charges = Charges { context_switch: Duration::from_ns(1), ..Charges::default() };
            let setup = Setup { charges, ..ideal(tasks, platform(m), 400 * QUANTUM) };
            let timeline = run_setup(setup, name);
            for cpu in 0..u32::from(m) {
                let done = completions(&timeline).iter().filter(|(task, ..)| *task == cpu).count();
                assert!(done > 60, "{name} on {m}: task {cpu} completes {done} jobs");
            }
        }
    }
}
