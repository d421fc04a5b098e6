//! Analysis against a simulator that knows nothing of it: unit steps, written from the definitions.
//!
//! No set called schedulable misses, no bound is exceeded, and what an exact test refuses does miss.

use schedlab_analysis::decide::Scratch;
use schedlab_analysis::registry::TESTS;
use schedlab_analysis::uniprocessor::demand::Demands;
use schedlab_analysis::uniprocessor::{demand_criterion, qpa};
use schedlab_analysis::{
    analyze, AnalysedOrder, AnalysedScheduler, Analysis, Answer, Arrivals, Budget, Reason, System,
};
use schedlab_model::{ClusterId, Duration, Instant, Platform, Point, Suspension, Task, TaskId, Work};

struct Mixer(u64);

impl Mixer {
    fn upto(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % (most + 1)
    }

    fn among(&mut self, choices: &[u64]) -> u64 {
        choices[self.upto(choices.len() as u64 - 1) as usize]
    }
}

const HORIZON: u64 = 480;

/// One job to come.
struct Job {
    arrival: u64,
    release: u64,
    left: u64,
    /// Suspends itself for `.1` once `.0` units are left.
    suspension: (u64, u64),
    resumes: u64,
    begun: bool,
}

/// How jobs use the freedom that the task model leaves them.
#[derive(Clone, Copy, PartialEq)]
enum Run {
    /// Synchronous, periodic, longest costs, no jitter, no suspension.
    Plain,
    /// Everything at random within its bounds.
    Random,
    /// Each first job as late as its jitter allows, later ones at once; longest costs.
    Late,
}

/// The jobs of a task; if `exactly`, they arrive exactly a period apart, from the task's offset on.
fn jobs_of(task: &Task, run: Run, exactly: bool, random: &mut Mixer) -> Vec<Job> {
    let (cost, period) = (task.wcet.as_ns(), task.period.as_ns());
    let (jitter, suspended) = (task.jitter.as_ns(), task.suspension_bound().as_ns());
    let mut arrival = if run == Run::Random { random.upto(10) } else { 0 };
    if exactly {
        arrival = task.offset.as_ns();
    } else if run == Run::Late {
        // All first releases coincide.
        arrival = 20 - jitter;
    }
    let mut jobs = Vec::new();
    while arrival < HORIZON {
        let (delay, left, suspension) = match run {
            Run::Plain => (0, cost, (0, 0)),
            Run::Late => (if jobs.is_empty() { jitter } else { 0 }, cost, (cost, suspended)),
            Run::Random => {
                let left = if random.upto(1) == 0 { cost } else { 1 + random.upto(cost - 1) };
                (random.upto(jitter), left, (1 + random.upto(left - 1), random.upto(suspended)))
            }
        };
        let release = arrival + delay;
        jobs.push(Job { arrival, release, left, suspension, resumes: 0, begun: false });
        arrival += period
            + if !exactly && run == Run::Random && random.upto(3) == 0 { random.upto(period) } else { 0 };
    }
    jobs.reverse();
    jobs
}

/// The longest response time of each task; jobs unfinished at the end count up to then.
fn simulate(
    tasks: &[Task],
    ranks: &[u32],
    m: usize,
    scheduler: &AnalysedScheduler,
    run: Run,
    random: &mut Mixer,
) -> Vec<u64> {
    // No preemptive test here makes use of periodic arrivals: they have to hold for sporadic ones as well.
    let exactly = !scheduler.preemptive && scheduler.arrivals == Arrivals::Periodic;
    let mut queues: Vec<Vec<Job>> = tasks.iter().map(|task| jobs_of(task, run, exactly, random)).collect();
    let mut worst = vec![0; tasks.len()];
    for now in 0..HORIZON {
        let mut ready = Vec::new();
        for (task, queue) in queues.iter_mut().enumerate() {
            let Some(job) = queue.last_mut() else { continue };
            if job.arrival <= now {
                worst[task] = worst[task].max(now + 1 - job.arrival);
            }
            if job.release <= now && job.left == job.suspension.0 && job.suspension.1 > 0 {
                job.resumes = now + std::mem::take(&mut job.suspension.1);
            }
            if job.release > now || job.resumes > now {
                continue;
            }
            // In parts of a nanosecond under fair lateness.
            let point = match scheduler.order {
                AnalysedOrder::Edf => job.arrival + tasks[task].relative_deadline.as_ns(),
                AnalysedOrder::FixedPriority => ranks[task].into(),
                // Another one of the equals goes first at each instant.
                AnalysedOrder::FixedPriorityOpenTies => u64::from(ranks[task]) << 8 | random.upto(255),
                AnalysedOrder::AfterArrival => {
                    scheduler.points[task].of_arrival(Instant::from_ns(job.arrival))
                }
                AnalysedOrder::Unanalysed | AnalysedOrder::Pfair(_) | AnalysedOrder::Theorem(_) => {
                    unreachable!("no such system is drawn here")
                }
            };
            let yields = scheduler.preemptive || !job.begun;
            ready.push((yields, point, task));
        }
        ready.sort_unstable();
        for &(_, _, task) in ready.iter().take(m) {
            let job = queues[task].last_mut().unwrap();
            (job.left, job.begun) = (job.left - 1, true);
            if job.left == 0 {
                queues[task].pop();
            }
        }
    }
    worst
}

fn random_tasks(random: &mut Mixer, m: u64, deadlines: u64, freedoms: bool) -> Vec<Task> {
    let count = 1 + random.upto(m + 4);
    let mut load = 0;
    let mut tasks = Vec::new();
    for _ in 0..count {
        let period = random.among(&[2, 3, 4, 6, 8, 12, 16, 24, 48]);
        let share = 1 + random.upto(2);
        let cost = 1 + random.upto((period - 1) / share);
        load += 48 * cost / period;
        if load > 48 * m + 2 {
            break;
        }
        let relative_deadline = match deadlines {
            0 => period,
            1 => period - random.upto(period - cost),
            _ => cost + random.upto(2 * period),
        };
        let mut task = Task::constrained(
            Work::from_ns(cost),
            Duration::from_ns(period),
            Duration::from_ns(relative_deadline),
        );
        if freedoms && random.upto(2) == 0 {
            task.jitter = Duration::from_ns(random.upto(period / 3 + 1));
        }
        if freedoms && random.upto(3) == 0 {
            task.suspension = Suspension::Dynamic(Duration::from_ns(random.upto(period / 4 + 1)));
        }
        task.priority_point = Duration::from_ns((5 * cost + 3 * period + relative_deadline) % (2 * period));
        tasks.push(task);
    }
    tasks
}

#[derive(Default, Debug)]
struct Power {
    sets: u32,
    schedulable: u32,
    unschedulable: u32,
    bounded: u32,
    closest: f64,
}

fn check(
    tasks: &[Task],
    ranks: &[u32],
    m: u16,
    scheduler: &AnalysedScheduler,
    random: &mut Mixer,
    power: &mut Power,
) -> Analysis {
    let analysis = analyze(tasks, &Platform::global(m), scheduler).unwrap();
    power.sets += 1;
    power.schedulable += u32::from(analysis.hard == Answer::Schedulable);
    power.bounded += u32::from(analysis.response_times.iter().all(Option::is_some));
    for run in [Run::Plain, Run::Late, Run::Random, Run::Random] {
        let seen = simulate(tasks, ranks, m.into(), scheduler, run, random);
        for ((task, &seen), bound) in tasks.iter().zip(&seen).zip(&analysis.response_times) {
            let late = seen > task.relative_deadline.as_ns();
            assert!(
                !(late && analysis.hard == Answer::Schedulable),
                "{scheduler:?} m={m} {tasks:#?} {analysis:#?}"
            );
            if let Some(bound) = bound {
                assert!(seen <= bound.as_ns(), "{seen} {scheduler:?} m={m} {tasks:#?} {analysis:#?}");
                power.closest = power.closest.max(seen as f64 / bound.as_ns() as f64);
            }
        }
    }
    analysis
}

fn scheduler(order: AnalysedOrder, preemptive: bool, ranks: &[u32]) -> AnalysedScheduler<'_> {
    AnalysedScheduler { order, preemptive, ranks, points: &[], arrivals: Arrivals::Periodic }
}

/// An order, whether it is preemptive, and where points lie on so many processors.
type Kind = (AnalysedOrder, bool, fn(&Task, u32) -> Point);

#[test]
fn what_is_proved_holds() {
    let mut random = Mixer(88_172_645_463_325_252);
    let none = |_: &Task, _: u32| Point::whole(0);
    // Fair lateness.
    let fair = |task: &Task, m: u32| {
        let earlier = task.wcet.as_ns() * u64::from(m - 1);
        let after = (task.relative_deadline.as_ns() * u64::from(m)).saturating_sub(earlier);
        Point { after, parts: m }
    };
    let given = |task: &Task, _: u32| Point::whole(task.priority_point.as_ns());
    let kinds: [Kind; 8] = [
        (AnalysedOrder::Edf, true, none),
        (AnalysedOrder::Edf, false, none),
        (AnalysedOrder::FixedPriority, true, none),
        (AnalysedOrder::FixedPriority, false, none),
        (AnalysedOrder::AfterArrival, true, none),
        (AnalysedOrder::AfterArrival, false, none),
        (AnalysedOrder::AfterArrival, true, fair),
        (AnalysedOrder::AfterArrival, true, given),
    ];
    for (order, preemptive, point) in kinds {
        for m in 1..=4u16 {
            let mut power = Power::default();
            for set in 0..600u64 {
                let tasks = random_tasks(&mut random, m.into(), set % 3, set % 2 == 1);
                let ranks: Vec<u32> = tasks.iter().map(|_| random.upto(3) as u32).collect();
                let arrivals = if set % 4 < 2 { Arrivals::Periodic } else { Arrivals::Sporadic };
                let points: Vec<Point> = tasks.iter().map(|task| point(task, m.into())).collect();
                let scheduler =
                    AnalysedScheduler { arrivals, points: &points, ..scheduler(order, preemptive, &ranks) };
                check(&tasks, &ranks, m, &scheduler, &mut random, &mut power);
            }
            println!("{order:?} preemptive={preemptive} m={m}: {power:?}");
            assert!(power.schedulable > 100 && power.closest > 0.9, "{power:?}");
        }
    }
}

/// Of equal priorities another one goes first at each instant, which is worse than any rule that chooses one.
#[test]
fn bounds_of_equal_priorities_hold_whichever_goes_first() {
    let mut random = Mixer(2_685_821_657_736_338_717);
    let mut power = Power::default();
    for set in 0..2_400u64 {
        let mut tasks = random_tasks(&mut random, 1, set % 3, set % 2 == 1);
        tasks.iter_mut().for_each(|task| task.suspension = Suspension::None);
        let ranks: Vec<u32> = tasks.iter().map(|_| random.upto(2) as u32).collect();
        let scheduler = scheduler(AnalysedOrder::FixedPriorityOpenTies, true, &ranks);
        check(&tasks, &ranks, 1, &scheduler, &mut random, &mut power);
    }
    assert!(power.schedulable > 400 && power.closest > 0.99, "{power:?}");
}

/// Synchronous sets without jitter: the simulated worst case is the analysed one, to the nanosecond.
#[test]
fn exact_tests_are_exact() {
    let mut random = Mixer(1_442_695_040_888_963_407);
    let mut power = Power::default();
    for set in 0..3000 {
        let tasks = random_tasks(&mut random, 1, set % 3, false);
        let ranks: Vec<u32> = tasks.iter().map(|_| random.upto(3) as u32).collect();
        for order in [AnalysedOrder::Edf, AnalysedOrder::FixedPriority] {
            let scheduler = scheduler(order, true, &ranks);
            let analysis = check(&tasks, &ranks, 1, &scheduler, &mut random, &mut power);
            assert_ne!(analysis.hard, Answer::Unknown, "{tasks:?}");
            let overloaded = analysis.soft == Answer::Unschedulable;
            if overloaded {
                continue;
            }
            let seen = simulate(&tasks, &ranks, 1, &scheduler, Run::Plain, &mut random);
            let misses = tasks.iter().zip(&seen).any(|(task, &seen)| seen > task.relative_deadline.as_ns());
            assert_eq!(misses, analysis.hard == Answer::Unschedulable, "{order:?} {tasks:?}");
            if order == AnalysedOrder::FixedPriority {
                let bounds: Vec<_> = analysis.response_times.iter().map(|b| b.unwrap().as_ns()).collect();
                assert_eq!(seen, bounds, "{tasks:?}");
            }
            power.unschedulable += u32::from(misses);
        }
    }
    println!("{power:?}");
    assert!(power.schedulable > 1000 && power.unschedulable > 300, "{power:?}");
}

/// With jitter too: sporadic arrivals reach the worst case of demand, so that refusing is right.
#[test]
fn qpa_is_enumeration() {
    let mut random = Mixer(7_046_029_254_386_353_131);
    let (mut accepted, mut refused) = (0, 0);
    for set in 0..4000 {
        let tasks = random_tasks(&mut random, 1, set % 3, true);
        let edf = AnalysedScheduler { arrivals: Arrivals::Sporadic, ..AnalysedScheduler::EDF };
        let system = System::global(&tasks, 1, &edf).unwrap();
        let (fast, slow) = ((qpa::TEST.run)(&system), (demand_criterion::TEST.run)(&system));
        assert_eq!(fast.answer, slow.answer, "{tasks:?}");
        accepted += u32::from(fast.answer == Answer::Schedulable);
        if fast.answer == Answer::Unschedulable && matches!(fast.reason, Reason::DemandExceeds { .. }) {
            let seen = simulate(&tasks, &[], 1, &edf, Run::Late, &mut random);
            let late = |(task, &seen): (&Task, &u64)| seen > task.relative_deadline.as_ns();
            assert!(tasks.iter().zip(&seen).any(late), "{tasks:?}");
            refused += 1;
        }
    }
    assert!(accepted > 500 && refused > 100, "{accepted} {refused}");
}

/// What a test answers without words is what it says, whatever the scratch served before.
#[test]
fn accepting_is_answering_schedulable() {
    let mut random = Mixer(1_234_567_890_123);
    let mut scratch = Scratch::default();
    let mut system = System::empty();
    let mut accepted = vec![0; TESTS.len()];
    for set in 0..3_000 {
        let processors = 1 + (set / 3 % 2) as u32;
        let tasks = random_tasks(&mut random, processors.into(), set % 3, set % 2 == 0);
        let ranks: Vec<u32> = (0..tasks.len() as u32).collect();
        let points = vec![Point::whole(0); tasks.len()];
        for order in [AnalysedOrder::Edf, AnalysedOrder::FixedPriority, AnalysedOrder::AfterArrival] {
            let scheduler = AnalysedScheduler {
                arrivals: Arrivals::Sporadic,
                points: &points,
                ..scheduler(order, set % 5 > 0, &ranks)
            };
            let ids = (0..tasks.len() as u32).map(TaskId);
            system.refill(&tasks, ids, processors, &scheduler, Duration::ZERO).unwrap();
            for (place, test) in TESTS.iter().enumerate().filter(|(_, test)| (test.applies)(&system)) {
                // Those that explore all schedules take too long here, and answer by their words alone.
                if test.name.starts_with("schedule_abstraction") {
                    continue;
                }
                let answer = (test.run)(&system).answer;
                let accepts = test.accepts(&system, &mut scratch);
                assert_eq!(accepts, answer == Answer::Schedulable, "{} {tasks:?}", test.name);
                accepted[place] += u32::from(accepts);
            }
        }
    }
    let reached = |name| accepted[TESTS.iter().position(|test| test.name == name).unwrap()];
    assert!(reached("qpa") > 200 && reached("edf_utilization") > 100, "{accepted:?}");
}

/// Where demand ever exceeds time, it does so below each of the limits, whichever the walk uses.
#[test]
fn each_limit_alone_is_enough() {
    let mut random = Mixer(3_935_559_000_370_003_845);
    let (mut by_slack, mut by_period, mut latest) = (0, 0, 0);
    for _ in 0..60_000 {
        let tasks: Vec<Task> = random_tasks(&mut random, 1, 2, true);
        let system = System::global(&tasks, 1, &AnalysedScheduler::EDF).unwrap();
        let Ok(demands) = Demands::new(&system) else { continue };
        if demands.load().is_gt() {
            continue;
        }
        // 48 is a hyperperiod; no relative deadline is beyond 3 periods.
        let Some(first) = (1..=48 * 5).find(|&t| demands.within(t) > u128::from(t)) else { continue };
        let limit = demands.limit(&mut Budget::default());
        assert!(limit.shortest().is_some());
        by_slack += u32::from(limit.from_slack.is_some());
        by_period += u32::from(limit.busy_period.is_some());
        for bound in [limit.from_slack, limit.busy_period].into_iter().flatten() {
            assert!(first < bound, "{first} {limit:?} {tasks:?}");
            latest = latest.max(1000 * first / bound);
        }
    }
    println!("{by_slack} {by_period} {latest}");
    assert!(by_slack > 500 && by_period > 500 && latest > 900);
}

/// Each cluster for itself; offsets and leaving take back a refusal, not an acceptance.
#[test]
fn clusters_and_doubts() {
    let task = |cost, period, cluster| Task {
        cluster: ClusterId(cluster),
        ..Task::implicit(Work::from_ns(cost), Duration::from_ns(period))
    };
    let tasks = [task(2, 3, 0), task(1, 3, 0), task(2, 5, 1), task(4, 7, 1)];
    let fp = scheduler(AnalysedOrder::FixedPriority, true, &[0, 1, 0, 1]);
    let analysis = analyze(&tasks, &Platform::partitioned(2), &fp).unwrap();
    let answers: Vec<_> = analysis.clusters.iter().map(|cluster| cluster.hard).collect();
    assert_eq!(answers, [Answer::Schedulable, Answer::Unschedulable]);
    assert_eq!(analysis.hard, Answer::Unschedulable);

    let mut offset = tasks.clone();
    offset[3].offset = Instant::from_ns(2);
    assert_eq!(analyze(&offset, &Platform::partitioned(2), &fp).unwrap().hard, Answer::Unknown);
    let sporadic = AnalysedScheduler { arrivals: Arrivals::Sporadic, ..fp };
    assert_eq!(analyze(&offset, &Platform::partitioned(2), &sporadic).unwrap().hard, Answer::Unschedulable);

    let mut leaves = tasks.clone();
    leaves[3].leave = Instant::from_ns(1_000);
    assert_eq!(analyze(&leaves, &Platform::partitioned(2), &fp).unwrap().hard, Answer::Unknown);
    leaves[3].leave = Instant::ZERO;
    assert_eq!(analyze(&leaves, &Platform::partitioned(2), &fp).unwrap().hard, Answer::Schedulable);
}
