//! Runs whose threads are interrupted to decide.
//!
//! These runs need real-time priorities; where those are refused, the tests say so and pass.

mod support;

use schedlab_model::*;
use schedlab_runtime::{each_job, sys, Body, Options, Outcome};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;
use support::*;

fn interrupted() -> Options {
    Options { interrupts: true, ..Options::default() }
}

/// The number of times that a thread of this process gave its processor up or lost it.
fn switches() -> u64 {
    // SAFETY: all bytes zero is a valid `rusage`, a place for the result.
    let used = unsafe {
        let mut used: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::getrusage(libc::RUSAGE_SELF, &mut used), 0);
        used
    };
    (used.ru_nvcsw + used.ru_nivcsw) as u64
}

/// Twenty tasks of 1 to 10 ms that keep two processors busy for three quarters of the time; and how many switches their
/// run took.
fn twenty(scheduler: &'static str, interrupts: bool) -> Option<(Outcome, u64)> {
    let periods = (0..20).map(|at| 1_000_000 + at * 473_700);
    let task = |(at, period): (u16, u64)| Task {
        cluster: ClusterId(if scheduler.starts_with('P') { at % 2 } else { 0 }),
        ..Task::implicit(Work::from_ns(period / 12), Duration::from_ns(period))
    };
    let tasks: Vec<Task> = (0..).zip(periods).map(task).collect();
    let bodies = tasks.iter().map(|task| task.wcet.as_ns() / 1_100).map(|us| each_job(move |_| burn(us)));
    let (bodies, before) = (bodies.collect(), switches());
    let options = Options { interrupts, backend: Some(GATES), ..Options::default() };
    let outcome = Run { options, ..Run::of(tasks, scheduler, 2, 400, bodies) }.go()?;
    Some((outcome, switches() - before))
}

/// The replay of each run, which `go` holds against it, is exact.
#[test]
fn fewer_threads_switch_if_those_that_execute_are_interrupted() {
    for scheduler in ["G-EDF", "P-RM"] {
        let Some((outcome, interrupted)) = twenty(scheduler, true) else { return };
        let (_, by_timers) = twenty(scheduler, false).expect("the other one ran");
        println!("{scheduler}: {interrupted} switches, {by_timers} without interrupts");
        assert!(outcome.summary.jobs_completed > 1_500 || is_too_noisy(&outcome), "{:?}", outcome.summary);
        assert!(interrupted < by_timers, "{scheduler}: {interrupted}, {by_timers} without");
    }
}

/// Under quanta a timer is set for the ticks of every processor.
#[test]
fn ticks_interrupt_those_that_execute() {
    let tasks: Vec<Task> = (0..4).map(|_| task(2, 5, 5)).collect();
    let bodies: Vec<Body> = tasks.iter().map(|_| each_job(|_| burn(1_000))).collect();
    let options = interrupted();
    let run = Run { options, ..Run::of(tasks, "PD2", 2, 300, bodies) };
    let Some(outcome) = run.go() else { return };
    assert!(outcome.summary.jobs_completed > 200 || is_too_noisy(&outcome), "{:?}", outcome.summary);
}

/// A thread that spins for a resource is in the runtime's code: it reports there. No two are in a section at once.
#[test]
fn who_spins_is_interrupted_too() {
    let r = ResourceId(0);
    let inside = Arc::new(AtomicU64::new(0));
    let most = Arc::new(AtomicU64::new(0));
    let body = |_| -> Body {
        let (inside, most) = (Arc::clone(&inside), Arc::clone(&most));
        each_job(move |context| {
            context.lock(r);
            most.fetch_max(inside.fetch_add(1, Relaxed) + 1, Relaxed);
            burn(300);
            inside.fetch_sub(1, Relaxed);
            context.unlock(r);
        })
    };
    let tasks: Vec<Task> = (0..6)
        .map(|index| Task {
            program: holding(r, 1),
            cluster: ClusterId(index % 2),
            ..task(1, 4 + u64::from(index), 4 + u64::from(index))
        })
        .collect();
    let bodies = (0..6).map(body).collect();
    let locks = |tasks: &[Task], platform: &Platform| make("msrp", tasks, platform);
    let options = interrupted();
    let run = Run { locks, options, ..Run::of(tasks, "P-EDF", 2, 300, bodies) };
    let Some(outcome) = run.go() else { return };
    assert_eq!(most.load(Relaxed), 1, "two threads were in the section");
    assert!(outcome.summary.jobs_completed > 150 || is_too_noisy(&outcome), "{:?}", outcome.summary);
}

/// Code that never calls the runtime, nor returns, is preempted by the decision that it is interrupted for.
#[test]
fn code_that_never_returns_is_preempted_by_its_own_thread() {
    let endless: Body = each_job(|_| loop {
        std::hint::spin_loop();
    });
    let tasks = vec![task(1, 5, 5), task(20, 1_000, 1_000)];
    let options = Options { grace: std::time::Duration::from_millis(50), ..interrupted() };
    let run = Run { options, ..Run::of(tasks, "P-RM", 1, 200, vec![each_job(|_| burn(500)), endless]) };
    let Some(outcome) = run.go() else { return };
    assert!(outcome.summary.jobs_completed >= 38 || is_too_noisy(&outcome), "{:?}", outcome.summary);
    assert_eq!(outcome.runaways, [TaskId(1)]);
}

/// A job sleeps in the kernel, so that the processor is idle though the job is scheduled there. The timer of its thread
/// interrupts the sleep, and the thread decides. The timer thread alone would be 5 ms late.
#[test]
fn a_thread_that_sleeps_in_the_kernel_decides_about_arrivals() {
    let late = Arc::new(std::sync::Mutex::new(Vec::new()));
    let urgent: Body = each_job({
        let late = Arc::clone(&late);
        move |context| {
            let from_arrival = context.now().as_ns() - context.arrival().as_ns();
            late.lock().unwrap().push(from_arrival);
        }
    });
    let sleeper: Body = each_job(|_| sys::sleep_until(sys::monotonic_ns() + 18_000_000));
    let tasks = vec![task(1, 3, 3), task(19, 20, 20)];
    let options = interrupted();
    let run = Run { options, ..Run::of(tasks, "P-RM", 1, 400, vec![urgent, sleeper]) };
    if run.go().is_none() {
        return;
    }
    let mut late = std::mem::take(&mut *late.lock().unwrap());
    late.sort_unstable();
    println!("from arrival to first instruction, of {}: {:?}", late.len(), &late[late.len() / 2..]);
    // The job that sleeps is scheduled: what others execute then is no noise.
    assert!(late.len() > 100 && late[late.len() / 2] < 1_000_000, "{late:?}");
}
