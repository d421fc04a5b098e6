//! Promises of every source, over random tasks and all rules; and the purpose of each rule.

use super::*;
use crate::random::Purpose;
use schedlab_model::{Instant, NextJob, ResourceId};

fn us(n: u64) -> Duration {
    Duration::from_us(n)
}

fn work(us: u64) -> Work {
    Work::from_ns(us * 1_000)
}

fn task(wcet: u64, period: u64) -> Task {
    Task::implicit(work(wcet), us(period))
}

/// The first `n` jobs of task 0 with their programs.
fn jobs(source: &mut dyn JobSource, n: usize) -> Vec<(NextJob, Vec<Step>)> {
    let next = || {
        let mut program = Vec::new();
        source.next_job(TaskId(0), &mut program).map(|job| (job, program))
    };
    core::iter::from_fn(next).take(n).collect()
}

fn random_jobs(task: Task, spec: SourceSpec, n: usize) -> Vec<(NextJob, Vec<Step>)> {
    jobs(&mut RandomSource::new(&[task], &[spec], 42).unwrap(), n)
}

fn sporadic(max: Duration) -> Arrivals {
    Arrivals::SporadicUniform { max, like: None }
}

fn arrivals(arrivals: Arrivals, task: Task, n: usize) -> Vec<u64> {
    random_jobs(task, SourceSpec { arrivals, ..SourceSpec::default() }, n)
        .iter()
        .map(|(job, _)| job.arrival.as_ns() / 1_000)
        .collect()
}

#[test]
fn periodic_jobs_arrive_at_multiples_of_the_period() {
    let mut with_offset = task(3, 10);
    with_offset.offset = Instant::from_ns(4_000);
    with_offset.leave = Instant::from_ns(34_000);
    let mut source = PeriodicSource::new(&[with_offset.clone()]).unwrap();
    let found = jobs(&mut source, 10);
    let at = |us: u64| Instant::from_ns(us * 1_000);
    let job = |us| (NextJob { arrival: at(us), release: at(us), cost: work(3) }, vec![]);
    assert_eq!(found, [job(4), job(14), job(24)], "none when the task leaves, at 34");
    assert_eq!(random_jobs(with_offset, SourceSpec::default(), 10), found);
}

#[test]
fn a_task_that_joins_late_starts_then() {
    let mut late = task(3, 10);
    late.join = Instant::from_ns(25_000);
    assert_eq!(arrivals(Arrivals::Periodic, late.clone(), 3), [25, 35, 45]);
    let first = jobs(&mut PeriodicSource::new(&[late]).unwrap(), 1)[0].0;
    assert_eq!(first.arrival, Instant::from_ns(25_000));
}

/// Time ends at 2^64 ns; sources end before it rather than wrap or panic.
#[test]
fn sources_end_with_time() {
    let mut last = Task::implicit(work(1), Duration::from_ns(u64::MAX / 2));
    last.jitter = Duration::from_ns(u64::MAX);
    assert_eq!(jobs(&mut PeriodicSource::new(&[last.clone()]).unwrap(), 9).len(), 3);
    for arrivals in [Arrivals::Periodic, sporadic(us(1_000_000))] {
        let spec = SourceSpec { arrivals, ..SourceSpec::default() };
        assert!(random_jobs(last.clone(), spec, 9).len() <= 3);
    }
}

/// A spec and a task for it, drawn over all rules.
fn any(random: &mut Random) -> (Task, SourceSpec) {
    let mut task = task(random.between(1, 50), random.between(50, 100));
    task.offset = Instant::from_ns(random.below(100_000));
    task.jitter = us(random.below(60));
    let least = Work::from_ns(random.between(1, task.wcet.as_ns()));
    let costs = [Costs::Wcet, Costs::Between(least, task.wcet), Costs::List(vec![least, task.wcet])];
    let spec = SourceSpec {
        arrivals: [Arrivals::Periodic, sporadic(us(50))][random.below(2) as usize].clone(),
        costs: costs[random.below(3) as usize].clone(),
    };
    if random.below(2) == 1 {
        let part = random.between(0, task.wcet.as_ns());
        let rest = task.wcet - Work::from_ns(part);
        let lock = ResourceId(0);
        let part = Step::Execute(Work::from_ns(part));
        task.program = vec![
            part,
            Step::Request(lock, 1),
            Step::Execute(rest),
            Step::Release(lock, 1),
            Step::NpEnter,
            Step::NpExit,
        ];
    }
    match random.below(3) {
        0 => {}
        1 => task.suspension = Suspension::Dynamic(us(random.below(40))),
        _ => {
            task.suspension = Suspension::Segmented;
            task.program.insert(0, Step::Suspend(us(7)));
            task.program.push(Step::Suspend(us(random.below(20))));
            if !task.program.iter().any(|step| matches!(step, Step::Execute(_))) {
                task.program.insert(1, Step::Execute(task.wcet));
            }
        }
    }
    (task, spec)
}

/// Returns what a program does in sum: service, suspension, and whether it suspends inside a section.
fn totals(program: &[Step]) -> (Work, Duration, bool) {
    let (mut service, mut suspended, mut open, mut inside) = (Work::ZERO, Duration::ZERO, 0, false);
    for step in program {
        match step {
            Step::Serve(_) => {}
            Step::Execute(work) => {
                assert!(!work.is_zero(), "no step is empty");
                service += *work;
            }
            Step::Suspend(length) => {
                assert!(!length.is_zero(), "no step is empty");
                suspended += *length;
                inside |= open > 0;
            }
            Step::Request(..) | Step::NpEnter => open += 1,
            Step::Release(..) | Step::NpExit => open -= 1,
        }
    }
    assert_eq!(open, 0);
    (service, suspended, inside)
}

#[test]
fn jobs_keep_within_what_their_task_announces() {
    let mut random = Random::stream(31, Purpose::Costs, 0);
    let (mut suspended_jobs, mut cheap_jobs) = (0, 0);
    for _ in 0..1_000 {
        let (task, spec) = any(&mut random);
        let found = random_jobs(task.clone(), spec.clone(), 40);
        assert_eq!(found.len(), 40);
        assert!(found[0].0.arrival >= task.offset);
        for pair in found.windows(2) {
            assert!(pair[1].0.arrival - pair[0].0.arrival >= task.period, "{spec:?}");
        }
        for (job, program) in &found {
            assert!(job.release - job.arrival <= task.jitter, "{spec:?}");
            assert!(!job.cost.is_zero() && job.cost <= task.wcet, "{spec:?}");
            cheap_jobs += u32::from(job.cost < task.wcet);
            if program.is_empty() {
                assert!(task.program.is_empty());
                continue;
            }
            let (service, suspended, inside) = totals(program);
            assert_eq!(service, job.cost, "{spec:?} {program:?}");
            assert!(suspended <= task.suspension_bound() && !inside, "{spec:?} {program:?}");
            suspended_jobs += u32::from(!suspended.is_zero());
        }
    }
    assert!(suspended_jobs > 5_000 && cheap_jobs > 10_000, "{suspended_jobs} {cheap_jobs}");
}

/// Jobs are the same whatever is drawn in between, and with other tasks beside.
#[test]
fn tasks_do_not_depend_on_each_other() {
    let mut random = Random::stream(32, Purpose::Costs, 0);
    let (tasks, specs): (Vec<Task>, Vec<SourceSpec>) = (0..4).map(|_| any(&mut random)).unzip();
    let mut alone = RandomSource::new(&tasks[..1], &specs[..1], 5).unwrap();
    let mut mixed = job_source(&tasks, &specs, 5).unwrap();
    let mut other = RandomSource::new(&tasks[..1], &specs[..1], 6).unwrap();
    let expected = jobs(&mut alone, 50);
    let mut found = Vec::new();
    for (job, _) in &expected {
        for _ in 0..job.cost.as_ns() % 3 {
            mixed.next_job(TaskId(2), &mut Vec::new());
        }
        found.extend(jobs(&mut *mixed, 1));
    }
    assert_eq!(found, expected);
    assert_ne!(jobs(&mut other, 50), expected, "another seed");
}

/// Arrivals stay as they are when costs are drawn differently.
#[test]
fn arrivals_do_not_depend_on_costs() {
    let with = |costs: Costs, jitter| {
        let task = Task { jitter, ..task(20, 100) };
        let spec = SourceSpec { arrivals: sporadic(us(50)), costs };
        random_jobs(task, spec, 20).iter().map(|(job, _)| job.arrival).collect::<Vec<_>>()
    };
    assert_eq!(with(Costs::Wcet, us(0)), with(Costs::Between(work(1), work(20)), us(10)));
}

#[test]
fn sporadic_delays_have_their_mean() {
    let n = 20_000;
    let times = arrivals(sporadic(us(40)), task(1, 10), n);
    let delay = *times.last().unwrap() as f64 / n as f64 - 10.0;
    // The standard deviation of a delay is at most its mean.
    assert!((delay - 20.0).abs() < 5.0 * 20.0 / (n as f64).sqrt(), "{delay}");
}

/// Tasks that share their random numbers arrive together.
#[test]
fn a_task_may_have_the_delays_of_another() {
    let of = |like| SourceSpec {
        arrivals: Arrivals::SporadicUniform { max: us(50), like },
        ..SourceSpec::default()
    };
    let tasks = [task(1, 100), task(2, 100)];
    let times = |like| {
        let mut source = RandomSource::new(&tasks, &[of(None), of(like)], 3).unwrap();
        let mut next = |index| source.next_job(TaskId(index), &mut Vec::new()).unwrap().arrival;
        [0, 1].map(|index| [next(index), next(index), next(index)])
    };
    let [first, second] = times(Some(TaskId(0)));
    assert_eq!(first, second);
    let [first, second] = times(None);
    assert_ne!(first, second);
}

#[test]
fn listed_jobs_arrive_as_listed() {
    let mut late = task(1, 10);
    late.join = Instant::from_ns(7_000);
    let at = |times: &[u64]| Arrivals::Listed(times.iter().map(|us| Instant::from_ns(us * 1_000)).collect());
    assert_eq!(arrivals(at(&[0, 5, 7, 7, 30]), late, 9), [7, 7, 30]);
    let spec = SourceSpec { arrivals: at(&[5, 4]), ..SourceSpec::default() };
    let error = RandomSource::new(&[task(1, 10)], &[spec], 1).unwrap_err();
    assert_eq!(error, SourceError::UnorderedArrivals(TaskId(0)));
}

/// Jobs that studies publish; a change here changes every random simulation.
#[test]
fn the_same_seed_gives_the_same_jobs_everywhere() {
    let mut random = Random::stream(33, Purpose::Costs, 0);
    let (tasks, specs): (Vec<Task>, Vec<SourceSpec>) = (0..60).map(|_| any(&mut random)).unzip();
    let mut source = RandomSource::new(&tasks, &specs, 7).unwrap();
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for round in 0..3_000u32 {
        let mut program = Vec::new();
        let job = source.next_job(TaskId(round % 60), &mut program).unwrap();
        let lengths = program.iter().map(|step| match step {
            Step::Execute(work) => work.as_ns(),
            Step::Suspend(length) => length.as_ns(),
            _ => 0,
        });
        for number in [job.arrival.as_ns(), job.release.as_ns(), job.cost.as_ns()].into_iter().chain(lengths)
        {
            hash = (hash ^ number).wrapping_mul(0x100_0000_01b3).rotate_left(23);
        }
    }
    assert_eq!(hash, 13_132_024_588_756_179_390);
}

#[test]
fn releases_are_anywhere_within_the_jitter() {
    let late = Task { jitter: us(7), ..task(1, 100) };
    let found = random_jobs(late, SourceSpec::default(), 200);
    let delays = found.iter().map(|(job, _)| (job.release - job.arrival).as_ns());
    assert!(delays.filter(|delay| (1..7_000).contains(delay)).count() > 190);
}

#[test]
fn costs_follow_their_rule() {
    let costs = |costs: Costs| {
        let spec = SourceSpec { costs, ..SourceSpec::default() };
        random_jobs(task(20, 100), spec, 300).iter().map(|(job, _)| job.cost).collect::<Vec<_>>()
    };
    assert_eq!(costs(Costs::Wcet)[..2], [work(20); 2]);
    assert_eq!(costs(Costs::List([5, 6, 7].map(work).to_vec()))[..4], [5, 6, 7, 5].map(work));
    // Half of the costs are in [2, 5], and 49 of a hundred in [5, 10].
    let points = vec![(500_000, work(5)), (990_000, work(10))];
    let by_quantiles = costs(Costs::Quantiles { least: work(2), points });
    assert!(by_quantiles.iter().all(|cost| (work(2)..=work(20)).contains(cost)));
    let share =
        |to| by_quantiles.iter().filter(|cost| **cost <= work(to)).count() as f64 / by_quantiles.len() as f64;
    assert!((share(5) - 0.58).abs() < 0.15 && share(10) > 0.9, "{} {}", share(5), share(10));
    let drawn = costs(Costs::Between(work(5), work(20)));
    let (low, high) = (drawn.iter().min().unwrap().as_ns(), drawn.iter().max().unwrap().as_ns());
    assert!((5_000..5_500).contains(&low) && (19_500..=20_000).contains(&high), "{low} {high}");
}

/// A job of half the cost does half of everything, and a dynamic suspension waits for the section's end.
#[test]
fn programs_shrink_in_proportion() {
    let lock = ResourceId(3);
    let worst = [
        Step::Execute(work(4)),
        Step::Request(lock, 1),
        Step::Execute(work(2)),
        Step::Release(lock, 1),
        Step::Execute(work(2)),
    ];
    let write = |pieces: &[(u64, Duration)]| {
        let mut out = Vec::new();
        suspensions::write_program(&worst, (work(4), work(8)), pieces, &mut out);
        out
    };
    let (two, one) = (Step::Execute(work(2)), Step::Execute(work(1)));
    assert_eq!(write(&[]), [two, Step::Request(lock, 1), one, Step::Release(lock, 1), one]);
    assert_eq!(
        write(&[(1_000, us(5)), (2_500, us(6))]),
        [
            one,
            Step::Suspend(us(5)),
            one,
            Step::Request(lock, 1),
            one,
            Step::Release(lock, 1),
            Step::Suspend(us(6)),
            one
        ]
    );
}

#[test]
fn a_dynamic_suspension_is_the_whole_bound() {
    let mut suspending = task(20, 100);
    suspending.suspension = Suspension::Dynamic(us(30));
    let found = random_jobs(suspending, SourceSpec::default(), 100);
    assert!(found.iter().all(|(_, program)| totals(program).1 == us(30)));
    assert!(found.iter().any(|(_, program)| program.len() == 7), "three pieces, now and then");
}

#[test]
fn refuses_what_cannot_be_meant() {
    let specs = [SourceSpec::default()];
    let fails = |task: &Task, spec: &SourceSpec| {
        RandomSource::new(std::slice::from_ref(task), std::slice::from_ref(spec), 1).unwrap_err()
    };
    let (zero, good) = (TaskId(0), task(10, 100));
    let with = |costs: Costs| SourceSpec { costs, ..SourceSpec::default() };
    assert_eq!(fails(&task(1, 0), &specs[0]), SourceError::NoPeriod(zero));
    assert_eq!(fails(&task(0, 1), &specs[0]), SourceError::NoCost(zero));
    assert_eq!(PeriodicSource::new(&[task(1, 0)]).unwrap_err(), SourceError::NoPeriod(zero));
    let overrun = SourceError::Overrun { task: zero, cost: work(11), wcet: work(10) };
    assert_eq!(fails(&good, &with(Costs::List(vec![work(1), work(11)]))), overrun);
    assert_eq!(fails(&good, &with(Costs::Between(work(1), work(11)))), overrun);
    assert_eq!(fails(&good, &with(Costs::List(vec![]))), SourceError::NoCost(zero));
    let range = SourceError::NoRange { task: zero, least: work(3), most: work(2) };
    assert_eq!(fails(&good, &with(Costs::Between(work(3), work(2)))), range);

    let mut wrong = good.clone();
    wrong.program = vec![Step::Execute(work(9))];
    let cost = SourceError::ProgramCost { task: zero, program: Some(work(9)), wcet: work(10) };
    assert_eq!(fails(&wrong, &specs[0]), cost);
    wrong.program = vec![Step::Execute(work(10)), Step::Suspend(us(1))];
    assert_eq!(fails(&wrong, &specs[0]), SourceError::UnannouncedSuspension(zero));
    let number = SourceError::WrongNumberOfSpecs { tasks: 2, specs: 1 };
    assert_eq!(RandomSource::new(&[good.clone(), good], &specs, 1).unwrap_err(), number);
}
