//! After its set-up no utility-accrual policy allocates anything, nor does the model of Linux's class: measured
//! around each call.

mod support;

use schedlab_model::*;
use schedlab_policy::{all_schedulers, kernel_classes, Decisions, Policy};
use schedlab_sim::{simulate, NoLocks};
use schedlab_trace::Timeline;
use support::*;

/// Calls of `self.0` must not allocate.
struct Measured(Box<dyn Policy>);

fn without_allocating<T>(call: impl FnOnce() -> T) -> T {
    let mut result = None;
    let seen = allocation_counter::measure(|| result = Some(call()));
    assert_eq!(seen.count_total, 0, "a policy allocates");
    result.expect("it was called")
}

impl Policy for Measured {
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        without_allocating(|| self.0.priority(job, jobs))
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs) {
        without_allocating(|| self.0.note(now, event, jobs));
    }

    fn decide(&mut self, now: Instant, jobs: &Jobs, out: &mut Decisions) {
        without_allocating(|| self.0.decide(now, jobs, out));
    }

    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.0.linked(cpu)
    }

    fn promises(&self) -> &'static [Invariant] {
        self.0.promises()
    }
}

/// In overload, so that jobs are shed and given up.
#[test]
fn no_policy_allocates_after_its_set_up() {
    let accrue = all_schedulers().into_iter().filter(|scheduler| scheduler.accrues_utility());
    for scheduler in accrue.chain(kernel_classes().into_iter().filter(|class| class.is_modelled())) {
        let platform = platform(scheduler.scope, 4, 2);
        let clusters = platform.clusters.len() as u16;
        let tasks: Vec<Task> = (0..24)
            .map(|index| Task {
                cluster: ClusterId(index as u16 % clusters),
                ..task(2 + index % 5, 7 + index % 4, 7 + index % 9)
            })
            .collect();
        let setup = ideal(tasks, platform, 400);
        let made = policies(&scheduler.name, &setup.platform, &setup.tasks);
        let source = periodic(&setup.tasks);
        let mut timeline = Timeline::default();
        simulate(setup, made.into_iter().map(Measured).collect(), NoLocks, source, &mut timeline);
        assert!(misses(&timeline).len() > 100, "{} is in overload", scheduler.name);
    }
}

/// The measure itself can fail.
#[test]
#[should_panic(expected = "a policy allocates")]
fn an_allocation_is_seen() {
    without_allocating(|| drop(std::hint::black_box(vec![1u8; 100])));
}
