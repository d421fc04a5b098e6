//! Utility-accrual schedulers: drawn schedules, and what holds on random systems.

use crate::support;
use schedlab_model::*;
use schedlab_policy::{all_schedulers, find, Make};
use schedlab_sim::{simulate, NoLocks, Setup};
use schedlab_trace::{Record, Timeline};
use schedlab_workload::arrivals::{job_source, Arrivals, Costs, SourceSpec};
use support::{draw, ideal, misses, platform, policies, run, run_setup, task};

/// The names of all utility-accrual schedulers.
pub fn all() -> Vec<String> {
    let of_utility = all_schedulers().into_iter().filter(|known| matches!(known.make, Make::Utility(_)));
    of_utility.map(|known| known.name).collect()
}

/// A job at 0 and no other: cost, termination time, utility of a step.
fn once(cost: u64, termination: u64, utility: u64) -> Task {
    let height = Utility::from_millionths(utility);
    let function = TimeUtility::Step { height, termination: None };
    Task { utility: Some(function), ..task(cost, 1_000, termination) }
}

#[track_caller]
fn drawn(tasks: Vec<Task>, name: &str, processors: u16, expected: &str) {
    let until = expected.split(" / ").next().unwrap().len() as u64;
    assert_eq!(draw(&run(tasks, name, processors, until), processors, until), expected, "{name}");
}

/// Each algorithm's file draws these.
#[test]
fn drawn_schedules() {
    let late = || vec![once(4, 5, 10), once(2, 6, 12), once(3, 9, 3)];
    // HVDF runs B first, and A cannot be in time any more. EDF would have all in time.
    drawn(late(), "P-HVDF", 1, "BBCCC....");
    drawn(late(), "P-EDF", 1, "AAAABBCCC");
    drawn(vec![once(4, 5, 10), once(3, 6, 12), once(3, 9, 30)], "P-LBESA", 1, "BBBCCC...");
    // A cannot be in time. LBESA would remove B first, if A were offered: but it can accrue nothing.
    let hopeless = || vec![once(5, 4, 20), once(2, 6, 2)];
    drawn(hopeless(), "P-DASA-ND", 1, "BB....");
    drawn(hopeless(), "P-LBESA", 1, "BB....");
    let four = vec![once(4, 4, 8), once(3, 5, 9), once(3, 6, 3), once(3, 7, 12)];
    drawn(four, "gMUA", 2, "AAAADDD / BBBCCC.");
    let three = || vec![once(2, 3, 4), once(2, 3, 2), once(2, 3, 6)];
    drawn(three(), "NG-GUA", 2, "CC. / BB.");
    drawn(three(), "G-GUA", 2, "CC. / AA.");
    let mut dense = vec![once(4, 9, 4), once(2, 9, 6), once(3, 9, 3), once(1, 1, 9)];
    dense[3].offset = Instant::from_ns(1);
    let timeline = run(dense, "NG-HVDF", 2, 9);
    assert_eq!(draw(&timeline, 2, 9), "BBCCC.... / AAAA.....");
    assert_eq!(misses(&timeline).len(), 1, "D is given up at 2, before B's processor is free for it");
}

/// Example `tuf-differ`: LBESA sheds a job that DASA-ND keeps.
#[test]
fn lbesa_and_dasa_differ() {
    let jobs = || vec![once(5, 7, 13), once(1, 6, 1), once(5, 9, 17), once(4, 12, 16), once(5, 11, 15)];
    drawn(jobs(), "P-LBESA", 1, "CCCCCDDDD...");
    drawn(jobs(), "P-DASA-ND", 1, "BCCCCCDDDD..");
}

/// A job is given up at its termination time and not before, and the next job of its task begins.
#[test]
fn late_jobs_are_given_up() {
    let mut late = vec![once(3, 2, 1), once(1, 9, 1)];
    late[0].period = Duration::from_ns(4);
    let timeline = run(late, "G-HVDF", 1, 8);
    assert_eq!(draw(&timeline, 1, 8), "BA..AA..");
    let aborts: Vec<u64> = aborted(&timeline).map(|(at, _)| at.as_ns()).collect();
    assert_eq!(aborts, [2, 6]);
    assert_eq!(misses(&timeline).len(), 2);
}

/// At 10 A is complete, and the first job of B is given up. The second one of B arrives, denser than C: a decision
/// knows of it, although a job that has started keeps its processor.
#[test]
fn the_job_after_one_that_is_given_up_is_known_at_once() {
    let mut jobs = vec![once(10, 40, 100), once(5, 10, 20), once(5, 40, 5)];
    jobs[1].period = Duration::from_ns(10);
    jobs[1].leave = Instant::from_ns(20);
    for name in ["NP-HVDF", "NC-HVDF", "NG-HVDF"] {
        drawn(jobs.clone(), name, 1, "AAAAAAAAAABBBBBCCCCC");
    }
}

/// All that becomes ready in a cluster at an instant is known to its decision: no job is linked there before.
#[test]
fn no_job_is_linked_before_all_of_its_instant_are_ready() {
    let mut aborts = 0;
    let all = all();
    for seed in 0..1_400 {
        let name = &all[seed as usize % all.len()];
        let processors = if seed % 3 == 0 { 4 } else { 2 };
        let platform = platform(find(name).unwrap().scope, processors, 2);
        let tasks = random_tasks(seed, platform.clusters.len() as u16);
        let mut linked = vec![None; platform.clusters.len()];
        for (at, record) in &random_run(&tasks, name, processors, seed, true).records {
            match record {
                Record::Link { cpu, .. } => linked[platform.cluster_of(*cpu).index()] = Some(*at),
                Record::Ready { job, cluster, .. } => {
                    assert_ne!(linked[cluster.index()], Some(*at), "{name}, seed {seed}: {job} at {at}")
                }
                Record::Abort { .. } => aborts += 1,
                _ => {}
            }
        }
    }
    assert!(aborts > 10_000, "power: {aborts}");
}

/// A job that is given up while it suspends itself does not come back when its suspension would end.
#[test]
fn a_suspended_job_is_given_up() {
    let execute = Step::Execute(Work::from_ns(1));
    let program = vec![execute, Step::Suspend(Duration::from_ns(4)), execute];
    let suspends = Task { program, suspension: Suspension::Segmented, ..once(2, 3, 1) };
    let timeline = run(vec![suspends, once(7, 9, 1)], "P-LBESA", 1, 9);
    assert_eq!(draw(&timeline, 1, 9), "ABBBBBBB.");
    assert_eq!(aborted(&timeline).map(|(at, job)| (at.as_ns(), job.task.0)).collect::<Vec<_>>(), [(3, 0)]);
    assert!(!timeline.records.iter().any(|(_, record)| matches!(record, Record::Resume { .. })));
}

/// Where utility falls with time, the order is by what a completion is worth when it is possible.
#[test]
fn decaying_utilities_are_those_of_the_completion() {
    let line = |height: u64, termination| TimeUtility::Linear {
        height: Utility::from_millionths(height),
        last: Utility::ZERO,
        termination: Some(Duration::from_ns(termination)),
    };
    // A's completion at 4 is worth 1,000 (4/8); B's at 3 is worth 700 (7/10) of the same work: A has 125 a unit, B 163.
    let with = |cost, function| Task { utility: Some(function), ..task(cost, 1_000, 100) };
    drawn(vec![with(4, line(1_000, 8)), with(3, line(700, 10))], "P-HVDF", 1, "BBBAAAA.");
    // A completion at 7 is worth an eighth.
    let timeline = run(vec![with(4, line(1_000, 8)), with(3, line(700, 10))], "P-HVDF", 1, 20);
    let tasks = [with(4, line(1_000, 8)), with(3, line(700, 10))];
    assert_eq!(accrued(&timeline, &tasks), 125 + 490);
}

fn aborted(timeline: &Timeline) -> impl Iterator<Item = (Instant, JobId)> + '_ {
    timeline.records.iter().filter_map(|(at, record)| match record {
        Record::Abort { job } => Some((*at, *job)),
        _ => None,
    })
}

/// The sum of utilities, in millionths.
fn accrued(timeline: &Timeline, tasks: &[Task]) -> u64 {
    let mut arrivals = std::collections::BTreeMap::new();
    let mut sum = 0;
    for (at, record) in &timeline.records {
        match record {
            Record::Arrival { job, .. } => {
                arrivals.insert((job.task.0, job.number), *at);
            }
            Record::Complete { job } => {
                let elapsed = *at - arrivals[&(job.task.0, job.number)];
                sum += tasks[job.task.index()].utility_after(elapsed).as_millionths();
            }
            _ => {}
        }
    }
    sum
}

/// Numbers of a seed.
struct Draw(u32);

impl Draw {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        u64::from(self.0 >> 8) % limit
    }

    /// Tasks of a load of about `percent` of one processor each ten.
    fn tasks(&mut self, count: u64, costs: u64, clusters: u16) -> Vec<Task> {
        let one = |index| {
            let (cost, period) = (1 + self.below(costs), 4 + self.below(16));
            let (cost, deadline) = (cost.min(period), period);
            let mut task = once(cost, deadline, 1 + self.below(9));
            task.period = Duration::from_ns(period);
            task.offset = Instant::from_ns(self.below(6));
            task.cluster = ClusterId(index as u16 % clusters);
            task
        };
        (0..count).map(one).collect()
    }

    fn function(&mut self, task: &Task) -> TimeUtility {
        let limit = task.relative_deadline.as_ns();
        let mut some = |limit| 1 + self.below(limit);
        let (height, termination) =
            (Utility::from_millionths(some(50)), Some(Duration::from_ns(some(2 * limit))));
        match some(4) {
            1 => TimeUtility::Step { height, termination },
            2 => TimeUtility::Linear { height, last: Utility::ZERO, termination },
            3 => TimeUtility::Exponential { height, half_life: Duration::from_ns(some(limit)), termination },
            _ => {
                let middle = Duration::from_ns(some(limit));
                TimeUtility::Piecewise(vec![
                    (Duration::ZERO, height),
                    (middle, height),
                    (middle * 2, Utility::ZERO),
                ])
            }
        }
    }
}

/// Tasks with any functions, in underload or overload.
pub fn random_tasks(seed: u32, clusters: u16) -> Vec<Task> {
    let mut draw = Draw(seed);
    let count = 3 + draw.below(8);
    let mut tasks = draw.tasks(count, 12, clusters);
    for task in &mut tasks {
        task.utility = Some(draw.function(task));
    }
    tasks
}

const HORIZON: u64 = 300;

/// The same jobs under any scheduler: some cost less than their WCET, some arrive late.
fn random_run(tasks: &[Task], name: &str, processors: u16, seed: u32, varied: bool) -> Timeline {
    let setup = ideal(tasks.to_vec(), platform(find(name).unwrap().scope, processors, 2), HORIZON);
    if !varied {
        return run_setup(setup, name);
    }
    let spec = |task: &Task| SourceSpec {
        arrivals: Arrivals::SporadicUniform { max: Duration::from_ns(5), like: None },
        costs: Costs::Between(Work::from_ns(1), task.wcet),
    };
    let specs: Vec<SourceSpec> = tasks.iter().map(spec).collect();
    let source = job_source(tasks, &specs, seed.into()).unwrap();
    let mut timeline = Timeline::default();
    let Setup { platform, tasks, .. } = &setup;
    let made = policies(name, platform, tasks);
    simulate(setup, made, NoLocks, source, &mut timeline);
    timeline
}

/// When each job executes, wherever: task, job, from, to.
fn executions(timeline: &Timeline) -> Vec<(u32, u32, u64, u64)> {
    let mut open = std::collections::BTreeMap::new();
    let mut all: Vec<(u32, u32, u64, u64)> = Vec::new();
    for (at, record) in &timeline.records {
        match record {
            Record::Dispatch { job, .. } => {
                open.insert((job.task.0, job.number), at.as_ns());
            }
            Record::Preempt { job, .. } | Record::Complete { job } | Record::Abort { job } => {
                let (task, number) = (job.task.0, job.number);
                let Some(from) = open.remove(&(task, number)) else { continue };
                // One that moves goes on.
                match all.iter_mut().find(|known| (known.0, known.1, known.3) == (task, number, from)) {
                    Some(known) => known.3 = at.as_ns(),
                    None => all.push((task, number, from, at.as_ns())),
                }
            }
            _ => {}
        }
    }
    all.retain(|(.., from, to)| from < to);
    all.sort_unstable();
    all
}

/// In underload, with steps at the deadlines, LBESA and DASA-ND are EDF, gMUA and NG-GUA are global EDF: the same
/// jobs execute at the same times, whatever they really cost; on one processor the records are the same. Underload:
/// if each job needs its WCET, all are in time.
#[test]
fn underload_is_edf() {
    let cases: [(&str, &[&str], u16); 4] = [
        ("P-EDF", &["P-LBESA", "P-DASA-ND"], 1),
        ("P-EDF", &["P-LBESA", "P-DASA-ND"], 3),
        ("G-EDF", &["gMUA", "NG-GUA"], 3),
        ("C-EDF", &["C-gMUA", "C-NG-GUA"], 4),
    ];
    for (edf, others, processors) in cases {
        let scope = find(edf).unwrap().scope;
        let clusters = platform(scope, processors, 2).clusters.len() as u16;
        let (mut tried, mut seed) = (0, 0);
        while tried < 150 {
            seed += 1;
            let mut draw = Draw(seed);
            let count = 2 + draw.below(2 * u64::from(processors));
            let tasks = draw.tasks(count, 9, clusters);
            if !misses(&run_setup(ideal(tasks.clone(), platform(scope, processors, 2), HORIZON), edf))
                .is_empty()
            {
                continue;
            }
            for varied in [false, true] {
                let expected = random_run(&tasks, edf, processors, seed, varied);
                if !misses(&expected).is_empty() {
                    continue; // Other arrivals are another underload.
                }
                for name in others {
                    let found = random_run(&tasks, name, processors, seed, varied);
                    let same = executions(&found) == executions(&expected);
                    assert!(same, "{name} and {edf} on {processors}, seed {seed}");
                    let whole = found == expected;
                    assert!(whole || processors > 1, "{name} and {edf}, seed {seed}: other records");
                }
                tried += 1;
            }
        }
    }
}

/// Whatever the load and the functions: no job executes past its termination time, and those that are not complete by
/// then are given up just then, once. The utility never exceeds the sum of the largest ones.
#[test]
fn no_job_goes_on_after_its_termination() {
    let (mut aborts, mut worth) = (0, 0);
    let all = all();
    for seed in 0..1_200 {
        let name = &all[seed as usize % all.len()];
        let processors = if seed % 3 == 0 { 4 } else { 2 };
        let clusters = platform(find(name).unwrap().scope, processors, 2).clusters.len() as u16;
        let tasks = random_tasks(seed, clusters);
        let timeline = random_run(&tasks, name, processors, seed, true);
        aborts += check_terminations(&timeline, &tasks, &format!("{name}, seed {seed}"));
        let arrived = timeline.records.iter().filter_map(|(_, record)| match record {
            Record::Arrival { job, .. } => {
                Some(tasks[job.task.index()].time_utility().largest().as_millionths())
            }
            _ => None,
        });
        let sum = accrued(&timeline, &tasks);
        assert!(sum <= arrived.sum(), "{name}, seed {seed}");
        worth += sum;
    }
    assert!(aborts > 10_000 && worth > 100_000, "power: {aborts}, {worth}");
}

/// How many jobs are given up.
fn check_terminations(timeline: &Timeline, tasks: &[Task], what: &str) -> usize {
    let mut ends = std::collections::BTreeMap::new();
    let mut aborts = 0;
    for (at, record) in &timeline.records {
        match record {
            Record::Arrival { job, .. } => {
                ends.insert((job.task.0, job.number), *at + tasks[job.task.index()].termination());
            }
            Record::Dispatch { job, .. } => {
                assert!(*at < ends[&(job.task.0, job.number)], "{what}: {job} at {at}")
            }
            Record::Complete { job } => {
                let end = ends.remove(&(job.task.0, job.number)).expect("it ends once");
                assert!(*at <= end, "{what}: {job} completes at {at}, after {end}");
            }
            Record::Abort { job } => {
                let end = ends.remove(&(job.task.0, job.number)).expect("it ends once");
                assert!(*at >= end, "{what}: {job} is given up at {at}, before {end}");
                aborts += 1;
            }
            _ => {}
        }
    }
    let left = ends.iter().find(|((task, number), end)| {
        // One that waits for the one before it is given up when its turn comes.
        end.as_ns() < HORIZON && (*number == 0 || !ends.contains_key(&(*task, number - 1)))
    });
    assert_eq!(left, None, "{what}: neither complete nor given up");
    aborts
}

/// What an algorithm sees of the first jobs at 0.
fn at_their_arrival(tasks: &[Task]) -> Vec<schedlab_policy::utility::Candidate> {
    let job = |(index, task): (usize, &Task)| schedlab_policy::utility::Candidate {
        id: JobId::new(TaskId(index as u32), 0),
        termination: Instant::ZERO + task.termination(),
        remaining: task.wcet,
        load: task.wcet,
        utility: task.utility_after(task.wcet.at_unit_speed()).as_millionths(),
        waits_for: None,
    };
    tasks.iter().enumerate().map(job).filter(|job| job.utility > 0).collect()
}

/// On one processor with steps, a job that is in the schedule when nothing else arrives any more is in time. So are at
/// least the jobs that the decision at 0 kept, and they are worth as much.
#[test]
fn a_scheduled_job_is_in_time_unless_something_arrives() {
    use schedlab_policy::utility::{DecisionMemory, Queues, DASA_ND, LBESA};
    let (mut shed, mut kept) = (0, 0);
    for seed in 0..4_000 {
        let mut draw = Draw(seed);
        let count = 1 + draw.below(7) as usize;
        let tasks: Vec<Task> =
            (0..count).map(|_| once(1 + draw.below(6), 1 + draw.below(20), 1 + draw.below(9))).collect();
        let jobs = at_their_arrival(&tasks);
        for (name, algorithm) in [("P-LBESA", LBESA), ("P-DASA-ND", DASA_ND)] {
            let mut queues = Queues::new(1, count);
            (algorithm.decide)(Instant::ZERO, &jobs, &mut queues, &mut DecisionMemory::new(count, 1));
            let done = support::completions(&run(tasks.clone(), name, 1, 50));
            for index in &queues.all()[0] {
                let wanted = jobs[*index as usize].id.task.0;
                assert!(done.iter().any(|(task, ..)| *task == wanted), "{name}, seed {seed}: T{wanted}");
            }
            kept += queues.all()[0].len();
            shed += count - queues.all()[0].len();
        }
    }
    assert!(shed > 5_000 && kept > 10_000, "power: {shed}, {kept}");
}

/// On several processors that does not hold of the published algorithms. They distribute anew at each completion, and a
/// job that executes has become denser meanwhile.
#[test]
fn a_global_decision_may_shed_at_a_completion_what_one_before_kept() {
    use schedlab_policy::utility::{DecisionMemory, Queues, UtilityKind, G_GUA, G_MUA};
    let kept = |algorithm: UtilityKind, tasks: &[Task]| {
        let mut queues = Queues::new(2, tasks.len());
        let mut memory = DecisionMemory::new(tasks.len(), 2);
        (algorithm.decide)(Instant::ZERO, &at_their_arrival(tasks), &mut queues, &mut memory);
        queues.all().to_vec()
    };
    let done = |tasks, name| support::completions(&run(tasks, name, 2, 50));

    // At 3, D is the densest and A the next, and beside them C would be late.
    let four = vec![once(6, 10, 18), once(3, 3, 12), once(3, 6, 6), once(4, 6, 10)];
    assert_eq!(kept(G_GUA, &four), [[1, 2], [3, 0]]);
    assert_eq!(done(four, "G-GUA"), [(0, 0, 9), (1, 0, 3), (3, 0, 4)]);

    // At 2, C, which was shed at 0, is before A by termination time. A is behind E then, and less dense.
    let five = vec![once(6, 11, 12), once(2, 5, 4), once(4, 9, 4), once(1, 12, 1), once(6, 8, 12)];
    assert_eq!(kept(G_MUA, &five), [[1, 0], [4, 3]]);
    assert_eq!(done(five, "gMUA"), [(1, 0, 2), (2, 0, 6), (3, 0, 7), (4, 0, 6)]);
}
