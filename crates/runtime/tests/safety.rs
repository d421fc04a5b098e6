//! What a run must not do to the machine, and what must not be left of it.
//!
//! These runs need real-time priorities; where those are refused, the tests say so and pass. That no thread stays
//! real-time and no memory locked is held against every run (`support`).

mod support;

use schedlab_model::*;
use schedlab_runtime::{each_job, sys, Background, Body, Ending, Options};
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::Arc;
use std::time::Duration as Span;
use support::*;

/// The time for which the machine may be starved here: less than the kernel's own remedies take, which let ordinary
/// threads run for a part of each second.
const STARVATION: Span = Span::from_millis(400);

fn counting_forever(steps: &Arc<AtomicU64>) -> Body {
    let steps = Arc::clone(steps);
    each_job(move |_| loop {
        steps.fetch_add(1, SeqCst);
    })
}

fn wait(ms: u64) {
    sys::sleep_until(sys::monotonic_ns() + ms * 1_000_000);
}

/// No thread counts any more, though no thread waits for those that did.
fn assert_standing(steps: &AtomicU64) {
    // A thread that is not on a processor gets the signal when it is.
    wait(100);
    let before = steps.load(SeqCst);
    wait(50);
    assert_eq!(steps.load(SeqCst), before, "a task's code goes on after the run");
}

/// Jobs that never end keep both processors; the machine is given back long before the horizon. A scheduler in the
/// kernel leaves the machine a part of them.
#[test]
fn the_watchdog_ends_a_run_that_starves_the_machine() {
    let steps = Arc::new(AtomicU64::new(0));
    let bodies = (0..2).map(|_| counting_forever(&steps)).collect();
    let options = Options { starvation: STARVATION, backend: Some(GATES), ..Options::default() };
    let tasks = vec![task(9, 10, 10), task(9, 10, 10)];
    let Some(outcome) = (Run { options, ..Run::of(tasks, "G-EDF", 2, 20_000, bodies) }).go() else { return };
    assert_eq!((outcome.ending, &outcome.runaways[..]), (Ending::Starved, &[TaskId(0), TaskId(1)][..]));
    let end = outcome.end().as_ns() / 1_000_000;
    assert!(end >= 300, "one song may be older than the run: {end} ms");
    assert!(end < 800 || is_too_noisy(&outcome), "threads without a priority let the others run: {end} ms");
    assert!(steps.load(SeqCst) > 100_000 || is_too_noisy(&outcome), "they ran until then: {steps:?}");
    assert_standing(&steps);
}

/// Tasks that leave something of each processor are left alone, for however long.
#[test]
fn the_watchdog_leaves_a_busy_machine_alone() {
    let options = Options { starvation: STARVATION, ..Options::default() };
    let tasks = vec![task(6, 10, 10), task(6, 10, 10)];
    let bodies = (0..2).map(|_| each_job(|_| burn(5_000))).collect();
    let Some(outcome) = (Run { options, ..Run::of(tasks, "G-EDF", 2, 1_200, bodies) }).go() else { return };
    assert_eq!(outcome.ending, Ending::Horizon);
}

/// Jobs that are complete after the horizon are no task's chance to begin another one. They keep both processors until
/// then, so that no thread has ended the run yet.
#[test]
fn nothing_begins_after_the_horizon() {
    let begun = Arc::new(AtomicU64::new(0));
    let body = |_| {
        let begun = Arc::clone(&begun);
        each_job(move |_| {
            begun.fetch_add(1, SeqCst);
            burn(8_000);
        })
    };
    let tasks = vec![task(9, 10, 10), task(9, 10, 10)];
    let Some(outcome) = run(tasks, "G-EDF", 2, 205, (0..2).map(body).collect()) else { return };
    let arrived = outcome.summary.jobs_arrived;
    assert!(begun.load(SeqCst) <= arrived, "{begun:?} of {arrived}");
    assert!(outcome.runaways.is_empty());
}

/// A job that never ends is shut in where it is when the run ends.
#[test]
fn a_runaway_stands_still_after_the_run() {
    let steps = Arc::new(AtomicU64::new(0));
    let tasks = vec![task(2, 10, 10)];
    let options = Options { grace: Span::from_millis(50), ..Options::default() };
    let bodies = vec![counting_forever(&steps)];
    let Some(outcome) = (Run { options, ..Run::of(tasks, "P-EDF", 1, 200, bodies) }).go() else { return };
    assert_eq!((outcome.ending, &outcome.runaways[..]), (Ending::Horizon, &[TaskId(0)][..]));
    assert_standing(&steps);
}

/// While it goes on, its memory cannot be paged out.
#[test]
fn memory_is_locked_during_a_run() {
    let most = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&most);
    let look = each_job(move |_| {
        seen.fetch_max(locked_kib(), SeqCst);
    });
    let Some(_) = run(vec![task(5, 50, 50)], "P-EDF", 1, 200, vec![look]) else { return };
    assert!(most.load(SeqCst) > 1_000, "{most:?} KiB are locked");
}

/// Code in the background that needs a moment to end is waited for, and its thread is gone.
#[test]
fn background_threads_end_with_the_run() {
    let ended = Arc::new(AtomicBool::new(false));
    let ends = Arc::clone(&ended);
    let background: Vec<Background> = vec![Box::new(move |over| {
        while !over.load(SeqCst) {
            wait(1);
        }
        wait(100);
        ends.store(true, SeqCst);
    })];
    let bodies = vec![each_job(|_| burn(100))];
    let made = Run { background, ..Run::of(vec![task(1, 10, 10)], "P-EDF", 1, 100, bodies) };
    let Some(outcome) = made.go() else { return };
    assert!(ended.load(SeqCst) && outcome.background[0].is_some(), "{:?}", outcome.background);
}

/// The tracer's rings are read while the run goes on: more goes through them than they hold.
#[test]
fn the_tracer_is_read_during_the_run() {
    let options = Options { passages: 512, ..Options::default() };
    let bodies = vec![each_job(|_| burn(100))];
    let Some(outcome) = (Run { options, ..Run::of(vec![task(1, 2, 2)], "P-EDF", 1, 1_500, bodies) }).go()
    else {
        return;
    };
    assert!(outcome.passages.len() > 600 || is_too_noisy(&outcome), "{}", outcome.passages.len());
    assert_eq!(outcome.traced_lost, 0);
}
