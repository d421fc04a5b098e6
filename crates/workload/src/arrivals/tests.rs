//! What every source promises, over random tasks and all rules; and what each rule is for.

use super::*;
use crate::random::{Purpose, Random};
use crate::ratio::Ratio;
use crate::words::SpecError;
use schedlab_model::{Duration, Instant, NextJob, ResourceId};
use strum::VariantArray;

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

fn arrivals(spec: &str, task: Task, n: usize) -> Vec<u64> {
    let spec = SourceSpec { arrivals: spec.parse().unwrap(), ..SourceSpec::default() };
    random_jobs(task, spec, n).iter().map(|(job, _)| job.arrival.as_ns() / 1_000).collect()
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
    assert_eq!(arrivals("periodic", late.clone(), 3), [25, 35, 45]);
    let first = jobs(&mut PeriodicSource::new(&[late]).unwrap(), 1)[0].0;
    assert_eq!(first.arrival, Instant::from_ns(25_000));
}

/// Time ends at 2^64 ns; sources end before it rather than wrap or panic.
#[test]
fn sources_end_with_time() {
    let mut last = Task::implicit(work(1), Duration::from_ns(u64::MAX / 2));
    last.jitter = Duration::from_ns(u64::MAX);
    assert_eq!(jobs(&mut PeriodicSource::new(&[last.clone()]).unwrap(), 9).len(), 3);
    for pattern in ["periodic", "sporadic uniform 1s", "sporadic exponential 1s", "bursts 4 idle 1s"] {
        let spec = SourceSpec { arrivals: pattern.parse().unwrap(), ..SourceSpec::default() };
        assert!(random_jobs(last.clone(), spec.clone(), 9).len() <= 3, "{pattern}");
        let spec = SourceSpec { jitter: ReleaseJitter::Latest, ..spec };
        assert!(random_jobs(last.clone(), spec, 9).len() <= 1, "{pattern}");
    }
    let far = Arrivals::Synchronized { every: Duration::from_ns(u64::MAX / 4 * 3), active: us(1) };
    let spec = SourceSpec { arrivals: far, ..SourceSpec::default() };
    assert_eq!(random_jobs(last, spec, 9).len(), 2);
}

/// A spec and a task for it, drawn over all rules.
fn any(random: &mut Random) -> (Task, SourceSpec) {
    let mut task = task(random.between(1, 50), random.between(50, 100));
    task.offset = Instant::from_ns(random.below(100_000));
    task.jitter = us(random.below(60));
    let arrivals = ["periodic", "sporadic uniform 50us", "sporadic exponential 50us", "bursts 4 idle 300us"];
    let synchronized = "synchronized every 500us for 200us";
    let arrivals = arrivals.get(random.below(5) as usize).unwrap_or(&synchronized).parse().unwrap();
    let least = Work::from_ns(random.between(1, task.wcet.as_ns()));
    let half = Ratio::new(1, 2).unwrap();
    let costs = [
        Costs::Wcet,
        Costs::Fixed(least),
        Costs::Fraction(half),
        Costs::Uniform(least),
        Costs::UniformFraction(half),
        Costs::List(vec![least, task.wcet]),
    ];
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
    let spec = SourceSpec {
        arrivals_of: None,
        arrivals,
        jitter: ReleaseJitter::VARIANTS[random.below(5) as usize],
        costs: costs[random.below(6) as usize].clone(),
        suspensions: SelfSuspensions::VARIANTS[random.below(3) as usize],
        overruns: false,
    };
    (task, spec)
}

/// What a program does: service, suspension, and whether it suspends inside a section.
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

/// The same jobs whatever is asked in between, and with other tasks beside.
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
    let with = |costs: &str, jitter| {
        let arrivals = "sporadic uniform 50us".parse().unwrap();
        let spec = SourceSpec { arrivals, jitter, costs: costs.parse().unwrap(), ..SourceSpec::default() };
        let mut task = task(20, 100);
        task.jitter = us(10);
        random_jobs(task, spec, 20).iter().map(|(job, _)| job.arrival).collect::<Vec<_>>()
    };
    assert_eq!(with("wcet", ReleaseJitter::None), with("uniform 1us", ReleaseJitter::Uniform));
}

#[test]
fn sporadic_delays_have_their_mean() {
    for (spec, mean) in [("sporadic uniform 40us", 20.0), ("sporadic exponential 20us", 20.0)] {
        let n = 20_000;
        let times = arrivals(spec, task(1, 10), n);
        let delay = *times.last().unwrap() as f64 / n as f64 - 10.0;
        // The standard deviation of a delay is at most its mean.
        assert!((delay - mean).abs() < 5.0 * mean / (n as f64).sqrt(), "{spec}: {delay}");
    }
}

/// After idling, jobs come as close as they may.
#[test]
fn bursts_are_as_dense_as_allowed() {
    let times = arrivals("bursts 5 idle 200ms", task(1, 10), 2_000);
    let gaps: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let longest = gaps.split(|gap| *gap != 10).map(<[u64]>::len).max();
    assert_eq!(longest, Some(4), "five jobs in a row, now and then");
    assert!(gaps.iter().any(|gap| *gap > 150_000) && gaps.iter().all(|gap| (10..=200_010).contains(gap)));
}

#[test]
fn synchronized_tasks_arrive_together_again_and_again() {
    let pattern = "synchronized every 100us for 35us";
    assert_eq!(arrivals(pattern, task(1, 10), 6), [0, 10, 20, 30, 100, 110]);
    let up_to_a_job = "synchronized every 100us for 30us";
    assert_eq!(arrivals(up_to_a_job, task(1, 10), 4), [0, 10, 20, 100], "the end is not part of it");
    assert_eq!(arrivals(pattern, task(1, 40), 4), [0, 100, 200, 300]);
    assert_eq!(arrivals(pattern, task(1, 130), 3), [0, 130, 300]);
}

#[test]
fn listed_jobs_arrive_as_listed() {
    let mut late = task(1, 10);
    late.join = Instant::from_ns(7_000);
    assert_eq!(arrivals("at 0us 5us 7us 7us 30us", late, 9), [7, 7, 30]);
    let spec = SourceSpec { arrivals: "at 5us 4us".parse().unwrap(), ..SourceSpec::default() };
    let error = RandomSource::new(&[task(1, 10)], &[spec], 1).unwrap_err();
    assert_eq!(error, SourceError::UnorderedArrivals(TaskId(0)));
}

/// What studies publish; a change here changes every random simulation.
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
    assert_eq!(hash, 6_034_090_538_752_373_615);
}

#[test]
fn jitter_rules_do_what_they_are_for() {
    let delays = |jitter| {
        let mut task = task(1, 100);
        task.jitter = us(7);
        let found = random_jobs(task, SourceSpec { jitter, ..SourceSpec::default() }, 200);
        found.iter().map(|(job, _)| (job.release - job.arrival).as_ns()).collect::<Vec<_>>()
    };
    assert!(delays(ReleaseJitter::None).iter().all(|delay| *delay == 0));
    assert!(delays(ReleaseJitter::Latest).iter().all(|delay| *delay == 7_000));
    let first = delays(ReleaseJitter::FirstLate);
    assert_eq!((first[0], first[1..].iter().max()), (7_000, Some(&0)));
    let late = delays(ReleaseJitter::Extreme).iter().filter(|delay| **delay == 7_000).count();
    assert!((65..135).contains(&late), "half of 200, within five standard errors: {late}");
    let between = delays(ReleaseJitter::Uniform);
    assert!(between.iter().filter(|delay| (1..7_000).contains(*delay)).count() > 190);
}

#[test]
fn costs_follow_their_rule() {
    let costs = |text: &str| {
        let spec = SourceSpec { costs: text.parse().unwrap(), ..SourceSpec::default() };
        random_jobs(task(20, 100), spec, 300).iter().map(|(job, _)| job.cost.as_ns()).collect::<Vec<_>>()
    };
    assert_eq!(costs("wcet")[..2], [20_000, 20_000]);
    assert_eq!(costs("fixed 3us")[..2], [3_000, 3_000]);
    assert_eq!(costs("fraction 1/3")[0], 6_667);
    assert_eq!(costs("fraction 0")[0], 1);
    assert_eq!(costs("list 5us 6us 7us")[..4], [5_000, 6_000, 7_000, 5_000]);
    for (text, least) in
        [("uniform 10us", 10_000), ("uniform-fraction 0.5", 10_000), ("between 5us 20us", 5_000)]
    {
        let (low, high) = (costs(text).into_iter().min().unwrap(), costs(text).into_iter().max().unwrap());
        assert!((least..least + 500).contains(&low) && (19_500..=20_000).contains(&high), "{text}");
    }
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
    let mut random = Random::stream(1, Purpose::Suspensions, 0);
    let mut write = |pieces: &[(u64, Duration)]| {
        let mut out = Vec::new();
        SelfSuspensions::Worst.write_program(&worst, (work(4), work(8)), pieces, &mut random, &mut out);
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
fn the_worst_dynamic_suspension_is_the_whole_bound() {
    let mut suspending = task(20, 100);
    suspending.suspension = Suspension::Dynamic(us(30));
    let found = random_jobs(suspending.clone(), SourceSpec::default(), 100);
    assert!(found.iter().all(|(_, program)| totals(program).1 == us(30)));
    assert!(found.iter().any(|(_, program)| program.len() == 7), "three pieces, now and then");
    let never = SourceSpec { suspensions: SelfSuspensions::Never, ..SourceSpec::default() };
    assert!(random_jobs(suspending, never, 100).iter().all(|(_, program)| program.is_empty()));
}

#[test]
fn refuses_what_cannot_be_meant() {
    let specs = [SourceSpec::default()];
    let fails = |task: &Task, spec: &SourceSpec| {
        RandomSource::new(std::slice::from_ref(task), std::slice::from_ref(spec), 1).unwrap_err()
    };
    let (zero, good) = (TaskId(0), task(10, 100));
    let with = |costs: &str| SourceSpec { costs: costs.parse().unwrap(), ..SourceSpec::default() };
    assert_eq!(fails(&task(1, 0), &specs[0]), SourceError::NoPeriod(zero));
    assert_eq!(fails(&task(0, 1), &specs[0]), SourceError::NoCost(zero));
    assert_eq!(PeriodicSource::new(&[task(1, 0)]).unwrap_err(), SourceError::NoPeriod(zero));
    let overrun = SourceError::Overrun { task: zero, cost: work(11), wcet: work(10) };
    assert_eq!(fails(&good, &with("fixed 11us")), overrun);
    assert_eq!(fails(&good, &with("list 1us 11us")), overrun);
    let wanted = SourceSpec { overruns: true, ..with("fixed 11us") };
    assert_eq!(random_jobs(good.clone(), wanted, 1)[0].0.cost, work(11));
    assert_eq!(fails(&good, &SourceSpec { overruns: true, ..with("uniform 11us") }), overrun);
    assert_eq!(
        fails(&good, &SourceSpec { costs: Costs::List(vec![]), ..with("wcet") }),
        SourceError::NoCost(zero)
    );

    let range = SourceError::NoRange { task: zero, least: work(3), most: work(2) };
    assert_eq!(fails(&good, &with("between 3us 2us")), range);

    let mut wrong = good.clone();
    wrong.program = vec![Step::Execute(work(9))];
    let cost = SourceError::ProgramCost { task: zero, program: Some(work(9)), wcet: work(10) };
    assert_eq!(fails(&wrong, &specs[0]), cost);
    wrong.program = vec![Step::Execute(work(10)), Step::Suspend(us(1))];
    assert_eq!(fails(&wrong, &specs[0]), SourceError::UnannouncedSuspension(zero));
    let number = SourceError::WrongNumberOfSpecs { tasks: 2, specs: 1 };
    assert_eq!(RandomSource::new(&[good.clone(), good], &specs, 1).unwrap_err(), number);
}

#[test]
fn texts_are_read_and_written() {
    for text in [
        "periodic",
        "sporadic uniform 2.5ms",
        "sporadic exponential 40us",
        "bursts 10 idle 50ms",
        "synchronized every 1s for 200ms",
        "at 0ns 7ms 12ms",
    ] {
        assert_eq!(text.parse::<Arrivals>().unwrap().to_string(), text);
    }
    for text in [
        "wcet",
        "fixed 1ms",
        "fraction 1/2",
        "uniform 7ns",
        "between 1ms 2ms",
        "uniform-fraction 1/2",
        "list 1ms 2ms",
    ] {
        assert_eq!(text.parse::<Costs>().unwrap().to_string(), text);
    }
    let message = |error: SpecError| error.to_string();
    assert!(message("poisson".parse::<Arrivals>().unwrap_err())
        .starts_with("arrivals: unknown `poisson`; allowed"));
    assert_eq!(message("bursts 3".parse::<Arrivals>().unwrap_err()), "arrivals: idle is missing");
    assert!(message("late".parse::<ReleaseJitter>().unwrap_err()).ends_with("extreme, latest, first-late"));
    assert_eq!(message("list".parse::<Costs>().unwrap_err()), "costs: the cost is missing");
    assert!(message("always".parse::<SelfSuspensions>().unwrap_err()).contains("worst, random, never"));
}
