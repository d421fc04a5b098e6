//! Real threads do what the engine decides.
//!
//! These runs need real-time priorities; where those are refused, the tests say so and pass.

mod support;

use schedlab_model::*;
use schedlab_runtime::Passage;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;
use support::*;

/// Burns the processor for about this long, by what the thread itself has used.
fn burn(us: u64) {
    let until = schedlab_runtime::sys::thread_cpu_ns() + us * 1_000;
    while schedlab_runtime::sys::thread_cpu_ns() < until {
        std::hint::spin_loop();
    }
}

/// The loop never calls us. It makes no step while the urgent job executes.
#[test]
fn a_bare_infinite_loop_is_preempted() {
    let steps = Arc::new(AtomicU64::new(0));
    let (counter, watched) = (Arc::clone(&steps), Arc::clone(&steps));
    let torn = Arc::new(AtomicU64::new(0));
    let seen_torn = Arc::clone(&torn);
    let tasks = vec![task(2, 10, 10), task(90, 1_000, 1_000)];
    let bodies: Vec<schedlab_runtime::Body> = vec![
        Box::new(move |_| {
            let before = watched.load(Relaxed);
            burn(1_000);
            seen_torn.fetch_add(watched.load(Relaxed) - before, Relaxed);
        }),
        Box::new(move |_| loop {
            counter.fetch_add(1, Relaxed);
        }),
    ];
    let Some(outcome) = run(tasks, "P-EDF", 1, 300, bodies) else { return };
    assert_eq!(outcome.runaways, [TaskId(1)]);
    let stopped = |(_, job, passage): &&(Instant, JobId, Passage)| {
        job.task == TaskId(1) && *passage == Passage::Stopped
    };
    assert!(outcome.passages.iter().filter(stopped).count() >= 25);
    assert!(steps.load(Relaxed) > 1_000_000, "the loop runs in between: {steps:?}");
    assert_eq!(torn.load(Relaxed), 0, "the loop ran while the urgent job did");
    let urgent = outcome.release_latencies().iter().filter(|(job, _)| job.task == TaskId(0)).count();
    assert!(urgent >= 28, "{urgent} of 30 jobs");
}

#[test]
fn global_edf_uses_both_processors_and_never_one_job_on_two() {
    let tasks = vec![task(4, 10, 10), task(4, 10, 10), task(4, 10, 10), task(5, 20, 20)];
    let bodies = (0..4)
        .map(|_| Box::new(|_: &mut schedlab_runtime::Context<'_>| burn(3_000)) as schedlab_runtime::Body);
    let Some(outcome) = run(tasks, "G-EDF", 2, 500, bodies.collect()) else { return };
    assert!(outcome.runaways.is_empty());
    assert!(outcome.summary.jobs_completed >= 150, "{:?}", outcome.summary);
    println!("{:?}", latencies(&outcome));
}
