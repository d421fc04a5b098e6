//! What the scheduler by quanta knows of threads: those on their way to sleep, those whose next job begins while they
//! execute, and those that it does not take.

use super::running::{begin, now, share, TestTask, MS};
use crate::support::{alone, become_fifo, bind, bind_to, clock_ns, processors, settings, sleep_ms, until};
use schedlab_scx::{KernelEvent, QuantumScheduler, QuantumSettings, QuantumShare, Settings};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};

fn of(quantum: u64, timeout_ms: u32) -> QuantumSettings {
    let all: Vec<u32> = (0..processors()).collect();
    let common = Settings { timeout_ms, ..settings() };
    QuantumSettings { common, ..QuantumSettings::of(&all, quantum, 1) }
}

/// A thread has published a job of the next minute, and loses its quantum before it sleeps. If it had to wait for its
/// next quantum, the kernel would eject the scheduler.
#[test]
fn a_thread_on_its_way_to_sleep_needs_no_quantum() {
    let _alone = alone();
    become_fifo(60);
    let arrives = Arc::new(AtomicBool::new(false));
    let says = arrives.clone();
    let late = 60_000 * MS;
    let task = TestTask::doing(share(1, 2), move |turn| {
        turn.scheduler.publish(turn.index, 2, (late, late), None);
        // Twelve quanta.
        let begin = clock_ns(libc::CLOCK_THREAD_CPUTIME_ID);
        while clock_ns(libc::CLOCK_THREAD_CPUTIME_ID) - begin < 120 * MS && !turn.is_over() {}
        says.store(true, SeqCst);
        while !turn.is_over() {
            sleep_ms(20);
        }
        2
    });
    let run = begin(&of(10 * MS, 2_000), vec![task]);
    until(60_000, || arrives.load(SeqCst) || run.scheduler.ending().is_some());
    assert!(run.scheduler.ending().is_none(), "{:?}", run.scheduler.ending());
    assert!(arrives.load(SeqCst), "it reaches its sleep");
    run.end();
}

/// A thread loses its quantum after it has published its next job, and before it sleeps: it goes on in that job's first
/// quantum, sleeps for a moment, and is there again. That is no suspension of the job, whose quantum it keeps: only a
/// job whose thread is still asleep at the end of its quantum is suspended.
#[test]
fn the_sleep_before_a_job_does_not_suspend_it() {
    let _alone = alone();
    become_fifo(60);
    let quantum = 10 * MS;
    let task = TestTask::doing(share(1, 6), move |turn| {
        for job in 2..=12_u32 {
            let release = u64::from(job - 1) * 6 * quantum;
            turn.scheduler.publish(turn.index, job, (release, release), None);
            // Into the first quantum of the next job.
            while now() < turn.zero + release {}
            sleep_ms(1);
            while !turn.scheduler.has_begun(turn.index) {}
        }
        12
    });
    let mut run = begin(&of(quantum, 30_000), vec![task]);
    run.go_on(1_000);
    let records = run.end();
    let (mut end, mut jobs) = (0, 0);
    for record in records {
        if let KernelEvent::Given { .. } = record.what {
            (end, jobs) = (record.at + quantum, record.job);
        }
        assert!(
            record.what != KernelEvent::Resumed || record.at >= end,
            "it was there before {end}: {record:?}"
        );
    }
    assert_eq!(jobs, 12);
}

/// A thread that executes all the time publishes job after job: only what it has executed since the kernel let a job
/// begin counts for its budget. A job may have used it up only if it was there for so long.
#[test]
fn a_job_does_not_overrun_by_what_its_thread_did_before() {
    let _alone = alone();
    become_fifo(60);
    let (quantum, budget) = (10 * MS, 15 * MS);
    let begun = Arc::new(Mutex::new(vec![0; 32]));
    let seen = begun.clone();
    let task = TestTask::doing(QuantumShare { budget: Some(budget), ..share(1, 1) }, move |turn| {
        let spin_until = |at: u64| while now() < turn.zero + at {};
        for job in 2..=30_u32 {
            let release = u64::from(job - 1) * quantum;
            spin_until(release - 4 * MS);
            turn.scheduler.publish(turn.index, job, (release, release), None);
            // The next job begins meanwhile, if no decision is late.
            spin_until(release + 3 * MS);
            while !turn.scheduler.has_begun(turn.index) {}
            seen.lock().unwrap()[job as usize] = now();
        }
        30
    });
    let mut run = begin(&of(quantum, 30_000), vec![task]);
    run.go_on(600);
    let zero = run.zero;
    let records = run.end();
    let mut begun = begun.lock().unwrap().clone();
    begun[31] = now();
    assert!(begun[30] > 0, "all jobs were there");
    for record in records {
        let KernelEvent::Overran { .. } = record.what else { continue };
        let job = record.job as usize;
        // No job begins before its release, and none is looked at after the next one has begun.
        let longest = begun[job + 1] - (zero + (job as u64 - 1) * quantum);
        assert!(longest > budget, "job {job} was there for up to {} us: {record:?}", longest / 1_000);
    }
}

/// The threads of tasks may execute on the scenario's processors alone; the thread that arms timers has its own
/// processors afterwards.
#[test]
fn processors_of_threads_are_looked_at_and_given_back() {
    let _alone = alone();
    let settings = QuantumSettings { common: Settings::of(1), ..QuantumSettings::of(&[0], 10 * MS, 1) };
    let (scheduler, _) = QuantumScheduler::load(&settings).expect("this kernel takes the scheduler");
    // SAFETY: it takes no memory.
    let thread = unsafe { libc::gettid() };
    bind_to((1 << processors()) - 1);
    let refused = scheduler.adopt(thread, 1, &share(1, 2)).expect_err("it may execute elsewhere");
    assert_eq!(refused.kind(), std::io::ErrorKind::InvalidInput);
    bind(1);
    scheduler.start_at(now());
    // SAFETY: it takes no memory.
    assert!(until(1_000, || unsafe { libc::sched_getcpu() } == 1), "where it was before");
    bind_to((1 << processors()) - 1);
    drop(scheduler);
}
