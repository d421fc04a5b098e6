//! Staggered PD2 in the simulator: the sets of aligned PD2, late by less than a quantum, safe.

use crate::support;
use schedlab_model::*;
use schedlab_policy::pfair::Affinity;
use schedlab_policy::{find, ClusterSetup};
use schedlab_sim::{simulate, NoLocks};
use schedlab_trace::{Record, Timeline};
use serde_json::Value;
use support::golden::{golden, numbers};
use support::*;

fn staggered(processors: u16, quantum: u64) -> Platform {
    Platform {
        quantum: Duration::from_ns(quantum),
        alignment: Alignment::Staggered,
        ..Platform::global(processors)
    }
}

/// When whom a processor occupies: task, from, until.
fn stretches(timeline: &Timeline, processors: u16) -> Vec<Vec<(u32, u64, u64)>> {
    let mut all = vec![Vec::new(); processors.into()];
    let mut on: Vec<Option<(JobId, u64)>> = vec![None; processors.into()];
    for (at, record) in &timeline.records {
        let ended = match record {
            Record::Dispatch { cpu, job } => {
                on[cpu.index()] = Some((*job, at.as_ns()));
                continue;
            }
            Record::Preempt { job, .. } | Record::Complete { job } | Record::Suspend { job, .. } => {
                Some(*job)
            }
            Record::End => None,
            _ => continue,
        };
        for (place, stretches) in on.iter_mut().zip(&mut all) {
            if place.is_some_and(|(job, _)| ended.is_none() || ended == Some(job)) {
                let (job, since) = place.take().unwrap();
                stretches.push((job.task.0, since, at.as_ns()));
            }
        }
    }
    all
}

/// By slot, each processor's own: a bit for each task that executes in it.
fn sets(timeline: &Timeline, platform: &Platform, slots: u64) -> Vec<u64> {
    let mut sets = vec![0; slots as usize];
    for (cpu, stretches) in stretches(timeline, platform.processors()).into_iter().enumerate() {
        let offset = platform.quantum_offset(CpuId(cpu as u16)).as_ns();
        for (task, from, until) in stretches {
            let (first, last) = (
                (from - offset) / platform.quantum.as_ns(),
                (until - offset).div_ceil(platform.quantum.as_ns()),
            );
            (first..last.min(slots)).for_each(|slot| sets[slot as usize] |= 1 << task);
        }
    }
    sets
}

fn no_task_is_on_two_processors(timeline: &Timeline, processors: u16) {
    let mut all: Vec<_> = stretches(timeline, processors).concat();
    all.sort_unstable();
    for pair in all.windows(2) {
        let ((task, _, until), (other, from, _)) = (pair[0], pair[1]);
        assert!(task != other || until <= from, "{pair:?}");
    }
}

/// How late the latest job is, in nanoseconds; every job that arrived is complete.
fn lateness(timeline: &Timeline) -> u64 {
    let mut due = std::collections::BTreeMap::new();
    let mut worst = 0;
    for (at, record) in &timeline.records {
        match record {
            Record::Arrival { job, absolute_deadline, .. } => {
                due.insert(*job, *absolute_deadline);
            }
            Record::Complete { job } => {
                let due = due.remove(job).expect("it arrived");
                worst = worst.max(at.saturating_since(due).as_ns());
            }
            _ => {}
        }
    }
    worst
}

fn systems() -> impl Iterator<Item = (Value, Vec<Task>, u16, u64)> {
    golden("pfair").step_by(3).map(|record| {
        let weights: Vec<Vec<u64>> = record["weights"].as_array().unwrap().iter().map(numbers).collect();
        let tasks = weights.iter().map(|w| task(60 * w[0], 60 * w[1], 60 * w[1])).collect();
        let (m, slots) = (record["m"].as_u64().unwrap() as u16, record["H"].as_u64().unwrap());
        (record, tasks, m, slots)
    })
}

/// Full costs: the sets of slots are aligned PD2's, jobs late by (M-1)/M quantum at most.
#[test]
fn periodic_jobs_run_in_the_golden_slots() {
    let (mut compared, mut late) = (0, 0);
    for (record, tasks, m, slots) in systems() {
        let platform = staggered(m, 60);
        let timeline = run_setup(ideal(tasks, platform.clone(), 60 * (slots + 1)), "S-PD2");
        let expected = numbers(&record["results"]["pd2_slots"]);
        assert_eq!(sets(&timeline, &platform, slots), expected, "{}", record["id"]);
        no_task_is_on_two_processors(&timeline, m);
        let lateness = lateness(&timeline);
        let last = platform.quantum_offset(CpuId(m - 1)).as_ns();
        assert!(lateness <= last, "{}: {lateness}", record["id"]);
        late += usize::from(lateness == last && m > 1);
        compared += 1;
    }
    assert!(compared > 200 && late > 50, "{compared}, {late} reach the bound");
}

/// The platform's own alignment does not matter.
#[test]
fn quanta_are_staggered_whatever_the_platform_says() {
    for (_, tasks, m, slots) in systems().step_by(40) {
        let aligned = Platform { alignment: Alignment::Aligned, ..staggered(m, 60) };
        let one = run_setup(ideal(tasks.clone(), aligned, 60 * slots), "S-PD2");
        let other = run_setup(ideal(tasks, staggered(m, 60), 60 * slots), "S-PD2");
        assert_eq!(one, other);
    }
}

/// LITMUS^RT, RTSS 2006, fig. 1(d): with staggered quanta, some job deadline is missed, by half a quantum at most.
/// Which jobs miss depends on the assignment to processors; the golden examples list all.
#[test]
fn litmus_2006_figure_1d() {
    let tasks = vec![task(3, 6, 6), task(4, 6, 6), task(8, 12, 12)];
    let timeline = run_setup(ideal(tasks, staggered(2, 2), 16), "S-PD2");
    let missed: Vec<String> = misses(&timeline)
        .iter()
        .filter(|job| job.number < 2)
        .map(|job| format!("{}{}", ["X", "Y", "Z"][job.task.index()], job.number + 1))
        .collect();
    let path = format!("{}/../../tests/golden/worked_examples.json", env!("CARGO_MANIFEST_DIR"));
    let examples: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let all = examples["examples"].as_array().unwrap();
    let figure = all.iter().find(|example| example["id"] == "litmus06-fig1").unwrap();
    let sets = &figure["expected"]["S_PD2"]["job_miss_sets_over_all_BTB_respecting_processor_assignments"];
    assert!(sets.as_array().unwrap().contains(&serde_json::json!(missed)), "{missed:?} is not among {sets}");
    assert_eq!(lateness(&timeline), 1);
}

/// A small generator, the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.0) * u128::from(bound)) >> 64) as u64
    }
}

/// Sporadic jobs of at most their WCET, some of which suspend themselves halfway.
struct Sporadic {
    tasks: Vec<Task>,
    next: Vec<u64>,
    random: Random,
    /// Arrivals at quantum boundaries only, of this length.
    grain: u64,
    suspends: bool,
}

impl JobSource for Sporadic {
    fn next_job(&mut self, task: TaskId, program: &mut Vec<Step>) -> Option<NextJob> {
        let parameters = &self.tasks[task.index()];
        let late = if self.random.below(3) == 0 { self.random.below(7) * self.grain } else { 0 };
        let arrival = Instant::from_ns(self.next[task.index()] + late);
        self.next[task.index()] = arrival.as_ns() + parameters.period.as_ns();
        let wcet = parameters.wcet.as_ns();
        let cost = if self.random.below(2) == 0 { wcet } else { 1 + self.random.below(wcet) };
        if self.suspends && cost > 1 && self.random.below(4) == 0 {
            program.push(Step::Execute(Work::from_ns(cost / 2)));
            program.push(Step::Suspend(Duration::from_ns(1 + self.random.below(100))));
            program.push(Step::Execute(Work::from_ns(cost - cost / 2)));
        }
        Some(NextJob { arrival, release: arrival, cost: Work::from_ns(cost) })
    }
}

const AFFINITIES: [Affinity; 3] =
    [Affinity::BackToBack, Affinity::LastScheduled, Affinity::DirectedMigration];

fn simulate_sporadic(
    tasks: &[Task],
    platform: &Platform,
    (name, affinity): (&str, Affinity),
    seed: u64,
    grain: u64,
    suspends: bool,
) -> Timeline {
    let source =
        Sporadic { tasks: tasks.to_vec(), next: vec![0; tasks.len()], random: Random(seed), grain, suspends };
    let policies = policies_under(affinity, name, platform, tasks);
    let mut timeline = Timeline::default();
    simulate(ideal(tasks.to_vec(), platform.clone(), 20_000), policies, NoLocks, source, &mut timeline);
    timeline
}

/// Sporadic arrivals at boundaries, full sets, short jobs: aligned schedulers miss nothing.
#[test]
fn sporadic_jobs_meet_their_deadlines_when_aligned() {
    for (seed, (record, tasks, m, _)) in systems().enumerate() {
        let platform = Platform { alignment: Alignment::Aligned, ..staggered(m, 60) };
        for name in ["PD2", "ER-PD2", "PF", "PD"] {
            let timeline =
                simulate_sporadic(&tasks, &platform, (name, Affinity::default()), seed as u64, 60, false);
            assert_eq!(misses(&timeline), [], "{} {name}", record["id"]);
        }
    }
}

/// Sporadic arrivals at boundaries and short jobs: late by (M-1)/M quantum at most. Arrivals between boundaries and
/// suspensions besides: no task is on two processors all the same.
#[test]
fn sporadic_jobs_are_safe_when_staggered() {
    let mut late = 0;
    for (seed, (record, tasks, m, _)) in systems().enumerate() {
        let platform = staggered(m, 60);
        let under = ("S-PD2", AFFINITIES[seed % AFFINITIES.len()]);
        let timeline = simulate_sporadic(&tasks, &platform, under, seed as u64, 60, false);
        no_task_is_on_two_processors(&timeline, m);
        let lateness = lateness(&timeline);
        assert!(lateness <= platform.quantum_offset(CpuId(m - 1)).as_ns(), "{}: {lateness}", record["id"]);
        late += usize::from(lateness > 0);
        let timeline = simulate_sporadic(&tasks, &platform, under, seed as u64, 13, true);
        no_task_is_on_two_processors(&timeline, m);
    }
    assert!(late > 20);
}

#[test]
fn staggered_scheduling_refuses_no_affinity() {
    let platform = staggered(2, 60);
    let tasks = [task(60, 120, 120)];
    let refusal = |affinity| {
        let cpus = &platform.clusters[0].cpus;
        let setup = ClusterSetup {
            cluster: ClusterId(0),
            cpus,
            platform: &platform,
            tasks: &tasks,
            affinity,
            supertasks: &[],
            throttling: None,
        };
        find("S-PD2").unwrap().policy(&setup).err().map(|error| error.to_string())
    };
    let reason =
        "affinity \"none\" does not go with staggered quanta: those of consecutive slots overlap, so a task could be \
                  on two processors at once; allowed: back-to-back, last-scheduled, directed-migration";
    assert_eq!(refusal(Affinity::None).as_deref(), Some(reason));
    for affinity in [Affinity::MostRecent, Affinity::MostRecentAvailable] {
        let why = refusal(affinity).expect("it is refused");
        assert!(why.contains("all tasks of the slot say which gets it"), "{why}");
    }
    for affinity in AFFINITIES {
        assert_eq!(refusal(affinity), None);
    }
}
