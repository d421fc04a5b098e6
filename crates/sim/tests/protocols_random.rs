//! What locking protocols promise, on random systems; and that each rule matters: mutants break the promises.

mod locks;
mod support;

use locks::observed::Observed;
use locks::random::{system, Shape};
use locks::*;
use schedlab_lock::*;
use schedlab_model::*;
use std::panic::catch_unwind;
use support::*;

const UNI: Shape = Shape { processors: 1, units: 1, depth: 3 };

/// How many systems; `LOCK_SYSTEMS` asks for more.
fn systems() -> u64 {
    std::env::var("LOCK_SYSTEMS").map_or(1_500, |count| count.parse().unwrap())
}

fn observe(seed: u64, shape: Shape, scheduler: &str, make: Make) -> Observed {
    let system = system(seed, shape);
    let setup = ideal(system.tasks.clone(), Platform::partitioned(shape.processors), 5_000);
    let observed = Observed::new(&run_locked(setup, &system.resources, scheduler, make), &system.tasks);
    for (resource, most) in &observed.most_held {
        assert!(*most <= system.resources[resource.index()].units, "seed {seed}: too many hold {resource}");
    }
    observed
}

/// No deadlock, and each job waits for at most one outermost section of one less urgent job.
fn blocks_once(seed: u64, shape: Shape, scheduler: &str, make: Make) -> Observed {
    let observed = observe(seed, shape, scheduler, make);
    assert!(observed.unfinished.is_empty(), "seed {seed}: {:?} never end", observed.unfinished);
    for (job, by) in &observed.blocked_by {
        let in_section = by.iter().all(|(_, section)| *section > 0);
        assert!(by.len() <= 1 && in_section, "seed {seed}: {job} is blocked by {by:?}");
    }
    observed
}

#[test]
fn ceilings_and_gates_block_at_most_once_without_deadlock() {
    let cases: [(&str, Make, u64); 7] = [
        ("P-RM", make!(Pcp), 1),
        ("P-FP", make!(Ipcp), 1),
        ("P-RM", make!(Ipcp), 1),
        ("P-RM", make!(Srp), 3),
        ("P-EDF", make!(Srp), 3),
        ("P-RM", make!(Npcs), 1),
        ("P-EDF", make!(Npcs), 1),
    ];
    for (at, (scheduler, make, units)) in cases.into_iter().enumerate() {
        let mut blocked = 0;
        for seed in 0..systems() {
            let observed = blocks_once(seed, Shape { units, ..UNI }, scheduler, make);
            assert!(at == 0 || observed.denied == 0, "seed {seed}: a request is denied");
            blocked += observed.blocked_by.len();
        }
        assert!(blocked as u64 > systems() / 10, "case {at}: only {blocked} jobs were blocked at all");
    }
}

/// Without nesting nothing deadlocks under PIP; with it, some systems do.
#[test]
fn inheritance_deadlocks_only_if_sections_nest() {
    let ends = |seed, depth| observe(seed, Shape { depth, ..UNI }, "P-RM", make!(Pip)).unfinished.is_empty();
    assert!((0..systems()).all(|seed| ends(seed, 1)));
    assert!((0..systems()).any(|seed| !ends(seed, 3)));
}

/// A protocol some of whose effects are lost.
struct Without<L>(L, fn(&Effect) -> bool);

impl<L> Without<L> {
    fn filter(&self, from: &mut Effects, to: &mut Effects) {
        while let Some(effect) = from.pop_first() {
            if !(self.1)(&effect) {
                to.push(effect);
            }
        }
    }
}

impl<L: LockProtocol> LockProtocol for Without<L> {
    fn request(
        &mut self,
        now: Instant,
        job: JobId,
        resource: ResourceId,
        units: u32,
        jobs: &Jobs,
        out: &mut Effects,
    ) -> Request {
        let mut all = Effects::default();
        let answer = self.0.request(now, job, resource, units, jobs, &mut all);
        self.filter(&mut all, out);
        answer
    }

    fn release(
        &mut self,
        now: Instant,
        job: JobId,
        resource: ResourceId,
        units: u32,
        jobs: &Jobs,
        out: &mut Effects,
    ) {
        let mut all = Effects::default();
        self.0.release(now, job, resource, units, jobs, &mut all);
        self.filter(&mut all, out);
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs, out: &mut Effects) {
        let mut all = Effects::default();
        self.0.note(now, event, jobs, &mut all);
        self.filter(&mut all, out);
    }
}

/// The protocol with ceilings that forget the most urgent task.
macro_rules! with_low_ceilings {
    ($protocol:ty) => {
        |setup| {
            let mut tasks = setup.tasks.to_vec();
            tasks[0].program.clear();
            let protocol = <$protocol>::new(&LockSetup { tasks: &tasks, ..*setup })?;
            Ok(Box::new(protocol))
        }
    };
}

#[test]
fn mutants_break_the_promises() {
    let mutants: [(&str, Make); 7] = [
        ("PCP, low ceilings", with_low_ceilings!(Pcp)),
        ("IPCP, low ceilings", with_low_ceilings!(Ipcp)),
        ("SRP, low ceilings", with_low_ceilings!(Srp)),
        ("PCP without inheritance", |setup| {
            Ok(Box::new(Without(Pcp::new(setup)?, |effect| matches!(effect, Effect::Inherit { .. }))))
        }),
        ("IPCP without boosts", |setup| {
            Ok(Box::new(Without(Ipcp::new(setup)?, |effect| matches!(effect, Effect::SetPriority(..)))))
        }),
        ("SRP without a gate", |setup| {
            let gate = |effect: &Effect| matches!(effect, Effect::Hold(_) | Effect::Admit(_));
            Ok(Box::new(Without(Srp::new(setup)?, gate)))
        }),
        ("NPCS, preemptive", |setup| {
            Ok(Box::new(Without(Npcs::new(setup)?, |effect| matches!(effect, Effect::SetPreemptable(..)))))
        }),
    ];
    std::panic::set_hook(Box::new(|_| {}));
    let survivors: Vec<&str> = mutants
        .into_iter()
        .filter(|(_, make)| {
            (0..300).all(|seed| catch_unwind(|| blocks_once(seed, UNI, "P-FP", *make)).is_ok())
        })
        .map(|(name, _)| name)
        .collect();
    let _ = std::panic::take_hook();
    assert!(survivors.is_empty(), "{survivors:?}");
}
