//! Real threads do what the engine decides.
//!
//! These runs need real-time priorities; where those are refused, the tests say so and pass.

mod support;

use schedlab_account::Agreement;
use schedlab_lock::LockProtocol;
use schedlab_model::*;
use schedlab_runtime::{each_job, sys, Ending, Passage};
use schedlab_trace::Record;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;
use support::*;

/// The loop never calls us. It makes no step while the urgent job executes.
#[test]
fn a_bare_infinite_loop_is_preempted() {
    let steps = Arc::new(AtomicU64::new(0));
    let (counter, watched) = (Arc::clone(&steps), Arc::clone(&steps));
    let torn = Arc::new(AtomicU64::new(0));
    let seen_torn = Arc::clone(&torn);
    let tasks = vec![task(2, 10, 10), task(90, 1_000, 1_000)];
    let bodies: Vec<schedlab_runtime::Body> = vec![
        each_job(move |_| {
            let before = watched.load(Relaxed);
            burn(1_000);
            seen_torn.fetch_add(watched.load(Relaxed) - before, Relaxed);
        }),
        each_job(move |_| loop {
            counter.fetch_add(1, Relaxed);
        }),
    ];
    let Some(outcome) = run(tasks, "P-EDF", 1, 300, bodies) else { return };
    assert_eq!(outcome.runaways, [TaskId(1)]);
    let stopped = |(_, job, passage): &&(Instant, JobId, Passage)| {
        job.task == TaskId(1) && *passage == Passage::Stopped
    };
    let stopped = outcome.passages.iter().filter(stopped).count();
    assert!(stopped >= 25 || is_too_noisy(&outcome), "{stopped} of 30");
    assert!(steps.load(Relaxed) > 1_000_000 || is_too_noisy(&outcome), "the loop runs in between: {steps:?}");
    assert_eq!(torn.load(Relaxed), 0, "the loop ran while the urgent job did");
    let urgent = outcome.release_latencies().iter().filter(|(job, _)| job.task == TaskId(0)).count();
    assert!(urgent >= 28 || is_too_noisy(&outcome), "{urgent} of 30 jobs");
}

#[test]
fn global_edf_uses_both_processors_and_never_one_job_on_two() {
    let tasks = vec![task(4, 10, 10), task(4, 10, 10), task(4, 10, 10), task(5, 20, 20)];
    let bodies = (0..4).map(|_| each_job(|_| burn(3_000)));
    let Some(outcome) = run(tasks, "G-EDF", 2, 500, bodies.collect()) else { return };
    assert!(outcome.runaways.is_empty());
    assert!(outcome.summary.jobs_completed >= 150 || is_too_noisy(&outcome), "{:?}", outcome.summary);
    println!("{:?}", latencies(&outcome));
    let Some(agreement) = Agreement::of(&real_run(&outcome)) else { return };
    let us = |all: &[Duration], part: f64| all[((all.len() - 1) as f64 * part) as usize].as_ns() / 1_000;
    for all in [&agreement.starts, &agreement.stops] {
        println!("{} {} {} {} us", all.len(), us(all, 0.5), us(all, 0.99), us(all, 1.0));
    }
    println!("{} {:?} {}", agreement.never_ran, agreement.unasked, agreement.missing);
    assert_eq!((agreement.on_two, agreement.missing), (0, 0));
    assert!(agreement.starts.len() > 140 || is_too_noisy(&outcome), "{}", agreement.starts.len());
}

/// Critical sections are as long as they say; two tasks on two processors share a resource under three protocols.
#[test]
fn threads_exclude_each_other_under_any_protocol() {
    type Make = fn(&[Task], &Platform) -> Box<dyn LockProtocol>;
    let makes: [(&str, Make); 3] = [
        ("P-EDF", |tasks, platform| make("msrp", tasks, platform)),
        ("G-EDF", |tasks, platform| make("fmlp-long", tasks, platform)),
        ("G-EDF", |tasks, platform| make("fmlp-short", tasks, platform)),
    ];
    for (scheduler, locks) in makes {
        let inside = Arc::new(AtomicU64::new(0));
        let overlaps = Arc::new(AtomicU64::new(0));
        let r = ResourceId(0);
        let partitioned = scheduler.starts_with('P');
        let tasks: Vec<Task> = (0..4u16)
            .map(|at| Task {
                program: holding(r, 2),
                cluster: ClusterId(if partitioned { at % 2 } else { 0 }),
                ..task(2, 8 + u64::from(at), 8 + u64::from(at))
            })
            .collect();
        let bodies = tasks.iter().map(|_| {
            let (inside, overlaps) = (Arc::clone(&inside), Arc::clone(&overlaps));
            each_job(move |context| {
                burn(200);
                context.lock(r);
                overlaps.fetch_add(inside.fetch_add(1, Relaxed), Relaxed);
                burn(500);
                inside.fetch_sub(1, Relaxed);
                context.unlock(r);
                burn(200);
            })
        });
        let bodies = bodies.collect();
        let run = Run { locks, ..Run::of(tasks, scheduler, 2, 400, bodies) };
        let Some(outcome) = run.go() else { return };
        assert_eq!(overlaps.load(Relaxed), 0, "{scheduler}");
        assert!(
            outcome.summary.jobs_completed >= 130 || is_too_noisy(&outcome),
            "{scheduler}: {:?}",
            outcome.summary
        );
        let waits = |(_, record): &&(Instant, schedlab_trace::Record)| {
            matches!(record, schedlab_trace::Record::Spin { .. } | schedlab_trace::Record::Suspend { .. })
        };
        let waits = outcome.decisions.iter().filter(waits).count();
        assert!(waits > 5 || is_too_noisy(&outcome), "{scheduler}: some have to wait, {waits}");
    }
}

/// A panic ends the run; what happened before is there.
#[test]
fn a_crash_ends_the_run() {
    let crash = |context: &mut schedlab_runtime::Context<'_>| {
        assert!(context.job().number < 5, "this task crashes on purpose");
        burn(500);
    };
    let bodies: Vec<schedlab_runtime::Body> = vec![each_job(crash), each_job(|_| burn(500))];
    let Some(outcome) = run(vec![task(1, 10, 10), task(1, 10, 10)], "G-EDF", 1, 5_000, bodies) else {
        return;
    };
    assert_eq!(outcome.ending, Ending::Crashed(TaskId(0)));
    assert!(outcome.end() < Instant::from_ns(1_000_000_000), "{}", outcome.end());
    assert!(outcome.summary.jobs_completed >= 10, "{:?}", outcome.summary);
}

/// A task that returns leaves: its jobs that arrived meanwhile end at once, and the others go on.
#[test]
fn a_task_leaves_when_its_code_returns() {
    let leaver: schedlab_runtime::Body = Box::new(|context| {
        for number in 0..5 {
            assert!(context.next_job() && context.job().number == number);
            assert_eq!(context.arrival(), Instant::from_ns(u64::from(number) * 10_000_000));
            assert_eq!(context.absolute_deadline(), context.arrival() + Duration::from_ns(10_000_000));
        }
        burn(25_000); // Two more arrive.
    });
    let bodies = vec![leaver, each_job(|_| burn(500))];
    let Some(outcome) = run(vec![task(1, 10, 10), task(1, 10, 10)], "G-EDF", 2, 300, bodies) else { return };
    assert!(outcome.ending == Ending::Horizon && outcome.runaways.is_empty());
    let of_leaver = outcome.decisions.iter().filter(
        |(_, record)| matches!(record, schedlab_trace::Record::Complete { job } if job.task == TaskId(0)),
    );
    let count = of_leaver.count();
    assert!((6..12).contains(&count), "{count}: five, and those that arrived during the last");
    let left = |(_, record): &&(Instant, schedlab_trace::Record)| {
        matches!(record, schedlab_trace::Record::Leave { task: TaskId(0) })
    };
    assert_eq!(outcome.decisions.iter().filter(left).count(), 1);
    assert!(outcome.summary.jobs_completed >= 30 || is_too_noisy(&outcome), "{:?}", outcome.summary);
}

/// Any task may end the run.
#[test]
fn a_task_ends_the_run() {
    let bodies = vec![each_job(|context| {
        if context.job().number == 3 {
            context.end_run();
        }
    })];
    let Some(outcome) = run(vec![task(1, 10, 10)], "P-EDF", 1, 60_000, bodies) else { return };
    assert_eq!(outcome.ending, Ending::Stopped);
    assert!(outcome.summary.jobs_completed >= 4 && outcome.end() < Instant::from_ns(5_000_000_000));
}

/// Ordinary threads get what the tasks leave; one whose code does not end is left behind.
#[test]
fn background_threads_use_what_is_left() {
    let rounds = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&rounds);
    let background: Vec<schedlab_runtime::Background> = vec![Box::new(move |over| {
        while !over.load(std::sync::atomic::Ordering::SeqCst) {
            counter.fetch_add(1, Relaxed);
        }
    })];
    let options = schedlab_runtime::Options::default();
    let bodies = vec![each_job(|_| burn(2_000))];
    let made = Run { background, options, ..Run::of(vec![task(3, 10, 10)], "P-EDF", 1, 300, bodies) };
    let Some(outcome) = made.go() else { return };
    assert!(rounds.load(Relaxed) > 0 && outcome.background[0].is_some_and(|got| got > Duration::ZERO));
    assert!(outcome.summary.jobs_completed >= 28 || is_too_noisy(&outcome), "{:?}", outcome.summary);
}

/// Without priorities jobs are late at times, but gates and engine agree all the same.
#[test]
fn an_unprivileged_run_keeps_its_gates() {
    let options =
        schedlab_runtime::Options { unprivileged: true, backend: Some(GATES), ..Default::default() };
    let bodies = vec![each_job(|_| burn(500)), each_job(|_| burn(500))];
    let tasks = vec![task(2, 20, 20), task(2, 20, 20)];
    let outcome = Run { options, ..Run::of(tasks, "G-EDF", 2, 300, bodies) }.go();
    let outcome = outcome.expect("it needs no privilege");
    assert!(
        outcome.ending == Ending::Horizon && (outcome.summary.jobs_completed >= 10 || is_too_noisy(&outcome)),
        "{:?}",
        outcome.summary
    );
}

/// The tracer's records say when and where each job passed its gate.
#[test]
fn the_tracer_says_where_jobs_passed() {
    let bodies = vec![each_job(|_| burn(500))];
    let Some(outcome) = run(vec![task(1, 10, 10)], "P-EDF", 1, 200, bodies) else { return };
    assert_eq!(outcome.traced_lost, 0);
    let passed =
        outcome.passages.iter().filter(|(.., passage)| *passage == Passage::Passed(CpuId(0))).count();
    assert!(passed >= 18 || is_too_noisy(&outcome), "{passed} of 20");
}

/// The lengths of suspensions of the first task's jobs, in nanoseconds, the shortest first.
fn suspensions(outcome: &schedlab_runtime::Outcome) -> Vec<u64> {
    let mut since = None;
    let mut lengths = Vec::new();
    for (at, record) in &outcome.decisions {
        match record {
            Record::Suspend { job, .. } if job.task == TaskId(0) => since = Some(*at),
            Record::Resume { job } if job.task == TaskId(0) => lengths.push((*at - since.unwrap()).as_ns()),
            _ => {}
        }
    }
    lengths.sort_unstable();
    lengths
}

/// A job that suspended itself goes on when its time comes, though a less urgent one executes on its processor by then.
#[test]
fn a_suspension_ends_while_another_job_executes() {
    let tasks = vec![task(2, 20, 20), task(90, 200, 200)];
    let bodies: Vec<schedlab_runtime::Body> = vec![
        each_job(|context| {
            burn(1_000);
            context.suspend(Duration::from_ms(5));
            burn(1_000);
        }),
        each_job(|_| burn(80_000)),
    ];
    let Some(outcome) = run(tasks, "P-EDF", 1, 400, bodies) else { return };
    let lengths = suspensions(&outcome);
    assert!(lengths.len() >= 18 || is_too_noisy(&outcome), "{lengths:?}");
    assert!(lengths.first().is_none_or(|least| *least >= 5_000_000), "{lengths:?}");
    let half = lengths.get(lengths.len() / 2);
    assert!(half.is_some_and(|half| *half < 6_500_000) || is_too_noisy(&outcome), "{lengths:?}");
}

/// A job that waits for longer than any clock counts does not come back, and harms no other job.
#[test]
fn a_suspension_may_outlast_the_run() {
    let tasks = vec![task(1, 20, 20), task(1, 20, 20)];
    let bodies: Vec<schedlab_runtime::Body> =
        vec![each_job(|context| context.suspend(Duration::from_ns(u64::MAX))), each_job(|_| burn(100))];
    let Some(outcome) = run(tasks, "P-EDF", 1, 200, bodies) else { return };
    assert_eq!(outcome.ending, Ending::Horizon);
    let completed = outcome.summary.jobs_completed;
    assert!(completed <= 10, "only the other task's are, not {completed}");
    assert!(completed == 10 || is_too_noisy(&outcome), "{completed} of the other task's");
}

/// The second task spins for what the first holds on the other processor, and is preempted there by the third: the
/// trace says so.
#[test]
fn who_is_preempted_while_it_spins_is_seen_to_stop() {
    let r = ResourceId(0);
    let cluster = |index| ClusterId(u16::from(index > 0));
    let mut tasks = vec![task(40, 1_000, 1_000), task(40, 1_000, 1_000), task(1, 10, 5)];
    for (index, task) in tasks.iter_mut().enumerate() {
        task.cluster = cluster(index);
        if index < 2 {
            task.program = holding(r, 40);
        }
    }
    let bodies: Vec<schedlab_runtime::Body> = vec![
        each_job(move |context| {
            context.lock(r);
            burn(60_000);
            context.unlock(r);
        }),
        each_job(move |context| {
            burn(1_000);
            context.lock(r);
            context.unlock(r);
        }),
        each_job(|_| burn(500)),
    ];
    let locks: fn(&[Task], &Platform) -> Box<dyn LockProtocol> =
        |tasks, platform| make("spin-fifo-preemptable", tasks, platform);
    let Some(outcome) = (Run { locks, ..Run::of(tasks, "P-EDF", 2, 100, bodies) }).go() else { return };
    let mut on: Option<JobId> = None;
    let mut preempted = 0;
    for (at, record) in outcome.trace() {
        match record {
            schedlab_trace::Record::Dispatch { cpu: CpuId(1), job } => {
                assert_eq!(on.replace(job), None, "{job} is dispatched at {at}");
            }
            schedlab_trace::Record::Preempt { cpu: CpuId(1), job } => {
                preempted += u32::from(job.task == TaskId(1));
                on = None;
            }
            schedlab_trace::Record::Complete { job } if on == Some(job) => on = None,
            _ => {}
        }
    }
    assert!(preempted >= 3 || is_too_noisy(&outcome), "{preempted} preemptions");
}

/// A suspension may be over before the thread that has set a timer for its end is done with that. The job goes on all
/// the same, though another one executes by then.
#[test]
fn a_suspension_may_be_over_at_once() {
    let tasks = vec![task(2, 10, 10), task(40, 100, 100)];
    let bodies: Vec<schedlab_runtime::Body> = vec![
        each_job(|context| (0..40).for_each(|at| context.suspend(Duration::from_ns(1 + 200 * at)))),
        each_job(|_| burn(40_000)),
    ];
    let Some(outcome) = run(tasks, "P-EDF", 1, 400, bodies) else { return };
    let lengths = suspensions(&outcome);
    let longest = lengths.last().expect("there are some");
    assert!(
        lengths.len() > 500 && *longest < 20_000_000 || is_too_noisy(&outcome),
        "{longest}, {}",
        lengths.len()
    );
}

/// A thread that says that its attempt failed asks the engine first whether it makes one. Were it stopped there, all
/// others would wait behind it.
#[test]
fn who_retries_is_not_stopped_at_the_engine() {
    let r = ResourceId(0);
    let retries = move |_| -> schedlab_runtime::Body {
        each_job(move |context| {
            context.lock(r);
            let until = sys::thread_cpu_ns() + 500_000;
            while sys::thread_cpu_ns() < until {
                context.retry(r);
            }
            context.unlock(r);
        })
    };
    let end = std::thread::spawn(move || {
        let tasks: Vec<Task> =
            (0..6).map(|at| Task { program: holding(r, 1), ..task(1, 3 + at, 3 + at) }).collect();
        let bodies = (0..6).map(retries).collect();
        let locks: fn(&[Task], &Platform) -> Box<dyn LockProtocol> =
            |tasks, platform| make("wait-free", tasks, platform);
        Run { locks, ..Run::of(tasks, "G-EDF", 2, 1_000, bodies) }.go().map(|outcome| outcome.ending)
    });
    let patience = sys::monotonic_ns() + 20_000_000_000;
    while !end.is_finished() && sys::monotonic_ns() < patience {
        sys::sleep_until(sys::monotonic_ns() + 10_000_000);
    }
    assert!(end.is_finished(), "the run does not end");
    assert!(end.join().unwrap().is_none_or(|ending| ending == Ending::Horizon));
}
