//! The threads that execute while the scheduler decides, under either architecture.

mod support;

use schedlab_model::*;
use schedlab_policy::{Decisions, Policy};
use schedlab_runtime::{each_job, sys, Architecture, Body, Options, Outcome};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::SeqCst;
use support::*;

/// Number of steps of all tasks' code.
static STEPS: AtomicU64 = AtomicU64::new(0);
/// Decisions during which it did something.
static DISTURBED: AtomicU64 = AtomicU64::new(0);
/// All decisions.
static DECISIONS: AtomicU64 = AtomicU64::new(0);

/// The time in which a decision looks for threads that execute, in nanoseconds.
const LOOK: u64 = 30_000;

/// A policy that looks, before it decides, whether any task's code executes meanwhile.
struct Watching(Box<dyn Policy>);

impl Policy for Watching {
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        self.0.priority(job, jobs)
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs) {
        self.0.note(now, event, jobs);
    }

    fn decide(&mut self, now: Instant, jobs: &Jobs, out: &mut Decisions) {
        let (before, until) = (STEPS.load(SeqCst), sys::monotonic_ns() + LOOK);
        while sys::monotonic_ns() < until {
            std::hint::spin_loop();
        }
        DISTURBED.fetch_add(u64::from(STEPS.load(SeqCst) != before), SeqCst);
        DECISIONS.fetch_add(1, SeqCst);
        self.0.decide(now, jobs, out);
    }

    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.0.linked(cpu)
    }

    fn promises(&self) -> &'static [Invariant] {
        self.0.promises()
    }
}

/// Decisions that a task's code disturbed, and all decisions, of tasks that keep two processors busy for two thirds
/// of the time.
fn decide(architecture: Architecture) -> Option<(u64, u64, Outcome)> {
    let tasks: Vec<Task> = [5, 7, 10, 14, 20].map(|period| task(period / 4, period, period)).to_vec();
    let step = || {
        let until = sys::thread_cpu_ns() + 1_200_000;
        while sys::thread_cpu_ns() < until {
            STEPS.fetch_add(1, SeqCst);
        }
    };
    let bodies: Vec<Body> = tasks.iter().map(|_| each_job(move |_| step())).collect();
    let options = Options { architecture, ..Options::default() };
    DISTURBED.store(0, SeqCst);
    DECISIONS.store(0, SeqCst);
    let watch = |policy| Box::new(Watching(policy)) as Box<dyn Policy>;
    let outcome = Run { watch, options, ..Run::of(tasks, "G-EDF", 2, 500, bodies) }.go()?;
    Some((DISTURBED.load(SeqCst), DECISIONS.load(SeqCst), outcome))
}

/// The replay of each run, which `go` holds against it, decides once more.
#[test]
fn no_task_executes_while_one_decides_for_a_world_that_stands() {
    let Some((disturbed, decisions, outcome)) = decide(Architecture::StopTheWorld) else { return };
    assert_eq!(disturbed, 0, "of {decisions} decisions");
    assert!(outcome.summary.jobs_completed > 250 || is_too_noisy(&outcome), "{:?}", outcome.summary);
    assert!(outcome.runaways.is_empty());
    let (disturbed, decisions, outcome) = decide(Architecture::Concurrent).expect("the other one ran");
    assert!(disturbed > 50 || is_too_noisy(&outcome), "{disturbed} of {decisions} decisions");
    assert!(outcome.summary.jobs_completed > 250 || is_too_noisy(&outcome), "{:?}", outcome.summary);
}

#[test]
fn without_priorities_the_world_does_not_stand() {
    let options =
        Options { architecture: Architecture::StopTheWorld, unprivileged: true, ..Options::default() };
    let run = Run { options, ..Run::of(vec![task(1, 10, 10)], "G-EDF", 1, 10, vec![each_job(|_| ())]) };
    assert!(run.attempt().is_err(), "it is refused");
}
