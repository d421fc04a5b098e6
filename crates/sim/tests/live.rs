//! The live engine, told at the right instants what jobs do, does what the simulator did: a recorded run can be
//! replayed.

use crate::locks;
use crate::support;

use locks::random::{system, Random, Shape};
use locks::*;
use schedlab_model::*;
use schedlab_policy::find;
use schedlab_sim::{Input, Live, Setup};
use schedlab_trace::{Record, Timeline};
use support::*;

/// Stretches all times by about a thousand, so that hardly any two things happen at once.
fn stretched(mut tasks: Vec<Task>, random: &mut Random) -> Vec<Task> {
    for task in &mut tasks {
        task.period = Duration::from_ns(task.period.as_ns() * 1_000 + random.below(997));
        task.relative_deadline =
            Duration::from_ns(task.relative_deadline.as_ns() * 1_000 + random.below(997));
        task.offset = Instant::from_ns(task.offset.as_ns() * 1_000 + random.below(997));
        task.leave = Instant::from_ns(60_000);
        for step in &mut task.program {
            if let Step::Execute(work) = step {
                *work = Work::from_ns(work.as_ns() * 1_000 + random.below(997));
            }
        }
    }
    tasks
}

/// What the record says that a job did by itself.
fn input(record: &Record) -> Option<(JobId, Input)> {
    match *record {
        Record::Complete { job } => Some((job, Input::Complete)),
        Record::Request { job, resource, units } => Some((job, Input::Request(resource, units))),
        Record::Release { job, resource, units } => Some((job, Input::Release(resource, units))),
        _ => None,
    }
}

/// The live engine does not know what jobs cost.
fn forget_cost((_, record): &mut (Instant, Record)) {
    if let Record::Arrival { cost, .. } = record {
        *cost = Work::ZERO;
    }
}

/// Threads tell one thing after the other; at one instant the simulator does some things in another order.
fn several_act_at_once(recorded: &Timeline) -> bool {
    let acts = recorded.records.iter().filter(|(_, record)| input(record).is_some());
    let times: Vec<Instant> = acts.map(|(at, _)| *at).collect();
    times.windows(2).any(|pair| pair[0] == pair[1])
}

fn replayed(
    recorded: &Timeline,
    setup: Setup,
    resources: &[Resource],
    scheduler: &str,
    make: Make,
) -> Timeline {
    let locks = locks(&setup, resources, scheduler, make);
    let policies = policies(scheduler, &setup.platform, &setup.tasks);
    let source = periodic(&setup.tasks);
    let horizon = setup.horizon;
    let mut live = Live::new(setup, policies, locks, source, Timeline::default());
    for (at, record) in &recorded.records {
        if let Some((job, input)) = input(record) {
            assert!(live.report(*at, job, input), "{job} is not scheduled at {at}");
        }
    }
    live.finish(horizon);
    live.into_sink()
}

#[test]
fn inputs_alone_determine_the_run() {
    let cases: [(&str, Make, u16); 7] = [
        ("P-EDF", make!("msrp"), 2),
        ("P-RM", make!("mpcp"), 2),
        ("G-EDF", make!("pip"), 2),
        ("NG-EDF", make!("pip"), 2),
        ("P-RM", make!("pcp"), 1),
        ("P-EDF", make!("srp"), 1),
        ("G-FIFO", make!("pip"), 2),
    ];
    for (scheduler, make, processors) in cases {
        let mut inputs = 0;
        for seed in 0..300 {
            let system = system(seed, Shape { processors, units: 1, depth: 1 });
            let tasks = stretched(system.tasks, &mut Random(seed));
            let mut setup = ideal(tasks, platform(find(scheduler).unwrap().scope, processors, 2), 300_000);
            if setup.platform.clusters.len() == 1 {
                setup.tasks.iter_mut().for_each(|task| task.cluster = ClusterId(0));
            }
            let mut recorded = run_locked(setup.clone(), &system.resources, scheduler, make);
            recorded.records.iter_mut().for_each(forget_cost);
            if several_act_at_once(&recorded) {
                continue;
            }
            let again = replayed(&recorded, setup, &system.resources, scheduler, make);
            let differ = again.records.iter().zip(&recorded.records).find(|(a, b)| a != b);
            assert!(differ.is_none(), "{scheduler}, seed {seed}: {differ:?}");
            assert_eq!(again.records.len(), recorded.records.len(), "{scheduler}, seed {seed}");
            inputs += recorded.records.iter().filter(|(_, record)| input(record).is_some()).count();
        }
        assert!(inputs > 1_000, "{scheduler}: only {inputs} inputs");
    }
}

/// A decision overtakes what a thread says: nothing happens until the job is scheduled again.
#[test]
fn a_preempted_job_is_not_heard() {
    let tasks = vec![Task { offset: Instant::from_ns(10), ..task(5, 100, 50) }, task(20, 100, 90)];
    let setup = ideal(tasks, Platform::partitioned(1), 100);
    let policies = policies("P-EDF", &setup.platform, &setup.tasks);
    let source = periodic(&setup.tasks);
    let mut live = Live::new(setup, policies, schedlab_sim::NoLocks, source, Timeline::default());
    let (urgent, other) = (JobId::new(TaskId(0), 0), JobId::new(TaskId(1), 0));
    assert_eq!((live.scheduled(CpuId(0)), live.next()), (Some(other), Instant::from_ns(10)));
    assert!(!live.report(Instant::from_ns(12), other, Input::Complete));
    assert_eq!(live.scheduled(CpuId(0)), Some(urgent));
    assert!(live.report(Instant::from_ns(15), urgent, Input::Suspend));
    assert!(live.report(Instant::from_ns(18), other, Input::NpEnter));
    live.wake(Instant::from_ns(20), urgent);
    assert_eq!(live.scheduled(CpuId(0)), Some(other), "a non-preemptive section delays the preemption");
    assert!(live.report(Instant::from_ns(22), other, Input::NpExit));
    assert_eq!(live.scheduled(CpuId(0)), Some(urgent));
    assert!(live.report(Instant::from_ns(30), urgent, Input::Complete));
    assert!(live.report(Instant::from_ns(31), other, Input::Complete));
    let summary = live.finish(Instant::from_ns(100));
    let timeline = live.into_sink();
    assert_eq!((summary.jobs_completed, summary.jobs_missed), (2, 0));
    assert_eq!(completions(&timeline), [(0, 0, 30), (1, 0, 31)]);
}

/// A source that knows no job of the first task.
struct AllButTheFirst<J>(J);

impl<J: JobSource> JobSource for AllButTheFirst<J> {
    fn next_job(&mut self, task: TaskId, program: &mut Vec<Step>) -> Option<NextJob> {
        (task != TaskId(0)).then(|| self.0.next_job(task, program)).flatten()
    }
}

/// Jobs that no source knows arrive when they are let arrive, also at other times than now, one after the other.
#[test]
fn jobs_that_no_source_knows_arrive_as_they_are_let() {
    let at = Instant::from_ns;
    let tasks = vec![task(5, 20, 10), Task { leave: at(150), ..task(5, 50, 50) }];
    let setup = ideal(tasks, Platform::partitioned(1), 200);
    let policies = policies("P-EDF", &setup.platform, &setup.tasks);
    let source = AllButTheFirst(periodic(&setup.tasks));
    let mut live = Live::new(setup, policies, schedlab_sim::NoLocks, source, Timeline::default());
    let (event, first) = (TaskId(0), JobId::new(TaskId(0), 0));
    assert_eq!((live.next_arrival(event), live.has_left(event)), (Instant::NEVER, false));
    assert!(live.report(at(5), JobId::new(TaskId(1), 0), Input::Complete));
    assert_eq!(live.let_arrive(event, at(3)), Some((first, at(6))), "what has happened stays");
    assert_eq!(live.let_arrive(event, at(30)), None, "one is still to arrive");
    live.advance(at(7));
    assert_eq!(live.scheduled(CpuId(0)), Some(first));
    let second = JobId::new(event, 1);
    assert_eq!(live.let_arrive(event, at(40)), Some((second, at(40))));
    assert_eq!(live.next(), at(40), "it happens by itself");
    assert!(live.report(at(45), first, Input::Complete));
    assert_eq!(live.scheduled(CpuId(0)), Some(second), "it waited for its turn");
    assert!(live.report(at(48), second, Input::Complete));
    assert_eq!(live.let_arrive(event, at(200)), None, "the run ends by then");
    assert_eq!(live.let_arrive(TaskId(1), at(300)), None);
    assert!(live.let_arrive(event, at(160)).is_some());
    live.finish(at(200));
    let arrived = |(at, record): &(Instant, Record)| match record {
        Record::Arrival { job, absolute_deadline, .. } if job.task == event => {
            Some((at.as_ns(), absolute_deadline.as_ns()))
        }
        _ => None,
    };
    let arrivals: Vec<_> = live.into_sink().records.iter().filter_map(arrived).collect();
    assert_eq!(arrivals, [(6, 16), (40, 50), (160, 170)]);
}
