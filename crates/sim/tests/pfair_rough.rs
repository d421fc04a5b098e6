//! Pfair schedulers where nothing is ideal: overheads, suspensions, non-preemptive sections, jitter, joins and leaves.

use crate::support;
use schedlab_model::*;
use schedlab_sim::{simulate, Charges, NoLocks, Setup, Summary};
use schedlab_trace::{Record, Timeline};
use support::*;

const NAMES: [&str; 5] = ["PD2", "S-PD2", "ER-PD2", "PF", "PD"];

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.0) * u128::from(bound)) >> 64) as u64
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }
}

/// Jobs with jitter, of all lengths up to the WCET or a bit above, with sections and suspensions.
struct Rough {
    tasks: Vec<Task>,
    next: Vec<Instant>,
    random: Random,
    overruns: bool,
    ragged: bool,
}

impl Rough {
    fn new(tasks: &[Task], seed: u64, overruns: bool, ragged: bool) -> Self {
        let next = tasks.iter().map(|task| task.join.max(task.offset)).collect();
        Rough { tasks: tasks.to_vec(), next, random: Random(seed), overruns, ragged }
    }

    fn program(&mut self, cost: u64, program: &mut Vec<Step>) {
        let first = 1 + self.random.below(cost - 1);
        let section = self.random.one_in(2);
        program.push(Step::Execute(Work::from_ns(first)));
        if section {
            program.push(Step::NpEnter);
        } else {
            program.push(Step::Suspend(Duration::from_ns(1 + self.random.below(90))));
        }
        program.push(Step::Execute(Work::from_ns(cost - first)));
        if section {
            program.push(Step::NpExit);
        }
    }
}

impl JobSource for Rough {
    fn next_job(&mut self, task: TaskId, program: &mut Vec<Step>) -> Option<NextJob> {
        let (period, wcet) = (self.tasks[task.index()].period, self.tasks[task.index()].wcet.as_ns());
        let mut arrival = self.next[task.index()];
        if self.ragged && self.random.one_in(3) {
            arrival += Duration::from_ns(self.random.below(50));
        }
        self.next[task.index()] = arrival + period;
        let jitter = if self.ragged && self.random.one_in(4) { self.random.below(30) } else { 0 };
        let most = if self.overruns && self.random.one_in(5) { 2 * wcet } else { wcet };
        let cost = 1 + self.random.below(most);
        if cost > 1 && self.random.one_in(3) {
            self.program(cost, program);
        }
        Some(NextJob { arrival, release: arrival + Duration::from_ns(jitter), cost: Work::from_ns(cost) })
    }
}

fn system(random: &mut Random) -> Setup {
    let m = 1 + random.below(4);
    let quantum = 8 + random.below(30);
    let mut tasks = Vec::new();
    // Sixtieths of processors.
    let mut room = 60 * m;
    while room > 0 && tasks.len() < 9 {
        let p = [2, 3, 4, 5, 6, 10][random.below(6) as usize];
        let e = (1 + random.below(p)).min(room * p / 60);
        if e == 0 {
            break;
        }
        room -= (e * 60).div_ceil(p);
        let mut task = task(quantum * e - random.below(quantum), quantum * p, quantum * p);
        if random.one_in(3) {
            task.period += Duration::from_ns(random.below(2 * quantum));
        }
        if random.one_in(4) {
            task.offset = Instant::from_ns(random.below(100));
        }
        if random.one_in(4) {
            task.join = Instant::from_ns(random.below(400));
            task.leave = Instant::from_ns(500 + random.below(800));
        }
        tasks.push(task);
    }
    let most = 1 + quantum / 4;
    let each = |random: &mut Random| (0..tasks.len()).map(|_| ns(random.below(most))).collect();
    let charges = Charges {
        release: ns(random.below(most)),
        scheduling: ns(random.below(most)),
        context_switch: ns(random.below(most)),
        tick: ns(random.below(most)),
        ipi: ns(random.below(most)),
        push: ns(0),
        pull: ns(0),
        cache_related_preemption: each(random),
        cache_related_migration: each(random),
        by_pair: None,
        deciding: None,
        scheduling_by_ready: Vec::new(),
    };
    let charges = if random.one_in(3) { Charges::default() } else { charges };
    let releases = if random.one_in(3) { ReleasePoint::Tick } else { ReleasePoint::Timer };
    let alignment = if random.one_in(2) { Alignment::Staggered } else { Alignment::Aligned };
    let platform = Platform { quantum: ns(quantum), releases, alignment, ..Platform::global(m as u16) };
    Setup { charges, ..ideal(tasks, platform, 4_000) }
}

fn ns(length: u64) -> Duration {
    Duration::from_ns(length)
}

fn check(timeline: &Timeline, summary: Summary, what: &str) {
    let mut on: Vec<Option<JobId>> = vec![None; 8];
    for (at, record) in &timeline.records {
        match record {
            Record::Dispatch { cpu, job } => {
                assert!(
                    !on.iter().any(|other| other.is_some_and(|other| other.task == job.task)),
                    "{what}: {job} at {at}"
                );
                assert_eq!(on[cpu.index()].replace(*job), None, "{what}");
            }
            Record::Preempt { cpu, .. } => on[cpu.index()] = None,
            Record::Complete { job } | Record::Suspend { job, .. } => {
                on.iter_mut().filter(|place| **place == Some(*job)).for_each(|place| *place = None);
            }
            _ => {}
        }
    }
    assert!(summary.jobs_completed > 0, "{what}");
}

#[test]
fn nothing_breaks_and_nobody_is_on_two_processors() {
    let mut completed = 0;
    for seed in 0..600 {
        let setup = system(&mut Random(seed));
        for (index, name) in NAMES.iter().enumerate() {
            let (overruns, ragged) = (seed % 3 == 0, seed % 2 == 0);
            let source = Rough::new(&setup.tasks, seed, overruns, ragged);
            let policies = policies(name, &setup.platform, &setup.tasks);
            let mut timeline = Timeline::default();
            let summary = simulate(setup.clone(), policies, NoLocks, source, &mut timeline);
            check(&timeline, summary, &format!("system {seed} under {}", NAMES[index]));
            completed += summary.jobs_completed;
        }
    }
    assert!(completed > 100_000, "{completed}");
}

/// Weight that leaves is used anew as soon as the windows of the last job end, again and again, at full load.
#[test]
fn joins_and_leaves_at_full_load() {
    let mut random = Random(77);
    for round in 0..120 {
        let m = 1 + round % 4;
        let mut tasks = Vec::new();
        for _ in 0..m {
            for (e, p) in [(2, 3), (1, 3)] {
                // One after another takes the place of the task before.
                let mut at = 0;
                while at < 60 {
                    let blocks = 1 + random.below(5);
                    let mut one = task(10 * e, 10 * p, 10 * p);
                    (one.offset, one.join) = (Instant::from_ns(10 * at), Instant::from_ns(10 * at));
                    one.leave = Instant::from_ns(10 * (at + p * (blocks - 1)) + 1);
                    // The leave is rounded up to a slot, and a block more.
                    at += p * blocks + 1;
                    tasks.push(one);
                }
            }
        }
        for name in NAMES {
            let platform = Platform { quantum: ns(10), ..Platform::global(m as u16) };
            let last = if name == "S-PD2" { 10 - 10u64.div_ceil(m) } else { 0 };
            let timeline = run_setup(ideal(tasks.clone(), platform, 900), name);
            let mut due = std::collections::BTreeMap::new();
            for (at, record) in &timeline.records {
                match record {
                    Record::Arrival { job, absolute_deadline, .. } => {
                        due.insert(*job, *absolute_deadline);
                    }
                    Record::Complete { job } => {
                        assert!(*at <= due.remove(job).unwrap() + ns(last), "{name}: {job} at {at}");
                    }
                    _ => {}
                }
            }
            assert!(due.is_empty(), "{name}: {due:?}");
        }
    }
}
