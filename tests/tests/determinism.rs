//! The same scenario and seed give the same bytes, and the same findings on any number of threads.

use schedlab_lab::Workspace;
use schedlab_model::{CpuId, Event, Instant, Invariant, JobId, Jobs, Occupant, Priority, Suspension, Work};
use schedlab_policy::{Clustered, Decisions, Policy};
use schedlab_tests::draw::{any, with_overheads, Scale};
use schedlab_tests::features::{draw, Wish};
use schedlab_tests::run;
use schedlab_tests::soundness::{examine_many, Power};
use schedlab_trace::Encoder;
use schedlab_workload::Random;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn the_same_system_gives_the_same_bytes() {
    let mut total = 0;
    for case in 0..300 {
        let bytes = || {
            let system = with_overheads(21, case, Scale::Large);
            let mut encoder = Encoder::new();
            run::run_into(&system, &mut encoder);
            encoder.bytes
        };
        let first = bytes();
        assert_eq!(first, bytes(), "case {case}");
        total += first.len();
    }
    assert!(total > 100_000, "only {total} bytes were compared");
}

/// Whole scenarios: locks, Pfair, budgets, servers, joins and suspensions.
#[test]
fn parts_behind_pointers_and_used_memory_give_the_same_bytes() {
    let (mut total, mut used) = (0, Workspace::default());
    for case in 0..150 {
        let scene = draw(&Wish::default(), &mut Random::new(22, *b"Features", case));
        let Ok(prepared) = scene.prepared() else { continue };
        let [mut compiled, mut by_pointers, mut in_used] = core::array::from_fn(|_| Encoder::new());
        prepared
            .simulate_within(&mut Workspace::default(), &mut compiled, &mut |_| true)
            .expect("it is prepared");
        prepared.simulate(&mut by_pointers, &mut |_| true).expect("it is prepared");
        prepared.simulate_within(&mut used, &mut in_used, &mut |_| true).expect("it is prepared");
        assert_eq!(compiled.bytes, by_pointers.bytes, "case {case}");
        assert_eq!(compiled.bytes, in_used.bytes, "case {case}, in memory that the cases before it left");
        total += compiled.bytes.len();
    }
    assert!(total > 100_000, "only {total} bytes were compared");
}

/// The clustered engine, which decides completions that are all that happens on the spot, or with all others.
struct Asked<'a> {
    inner: Clustered,
    on_the_spot: bool,
    answers: &'a AtomicUsize,
}

impl Policy for Asked<'_> {
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        self.inner.priority(job, jobs)
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs) {
        self.inner.note(now, event, jobs);
    }

    fn decide(&mut self, now: Instant, jobs: &Jobs, out: &mut Decisions) {
        self.inner.decide(now, jobs, out);
    }

    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.inner.linked(cpu)
    }

    fn take_over(&mut self, job: JobId, cpu: CpuId, jobs: &Jobs) -> Option<Occupant> {
        let link = self.on_the_spot.then(|| self.inner.take_over(job, cpu, jobs)).flatten();
        self.answers.fetch_add(link.is_some().into(), Ordering::Relaxed);
        link
    }

    fn promises(&self) -> &'static [Invariant] {
        self.inner.promises()
    }
}

/// Also where jobs cost nothing.
#[test]
fn completions_decided_on_the_spot_give_the_same_records() {
    let answers = AtomicUsize::new(0);
    for case in 0..2_000 {
        let mut system = any(23, case, if case % 2 == 0 { Scale::Small } else { Scale::Large });
        for task in &mut system.tasks {
            task.program.clear();
            task.suspension = Suspension::None;
            if case % 5 == 0 && task.period.as_ns() % 3 == 0 {
                task.wcet = Work::ZERO;
            }
        }
        let [on_the_spot, with_others] = [true, false].map(|on_the_spot| {
            let policies = run::policies(&system).into_iter();
            let asked = policies.map(|inner| Asked { inner, on_the_spot, answers: &answers });
            run::run_with(&system, asked.collect())
        });
        assert_eq!(on_the_spot, with_others, "case {case}");
    }
    let answers = answers.into_inner();
    assert!(answers > 20_000, "only {answers} completions were decided on the spot");
}

#[test]
fn threads_change_nothing() {
    let alone = examine_many::<Power>(7, 0..60, 1);
    assert_eq!(alone, examine_many::<Power>(7, 0..60, 2));
    assert_eq!(alone, examine_many::<Power>(7, 0..60, 3));
    assert_eq!((alone.0.systems, alone.1.len()), (60, 0));
}
