//! Staggered quanta on two processors: each decides alone, at its own boundaries, half a quantum apart.
//!
//! EDF by quanta: at its boundary a processor takes the ready job of the earliest deadline that the other
//! processor does not hold, for one quantum. What a job leaves of its quantum is wasted.

use crate::support::*;
use schedlab_model::*;
use schedlab_policy::{Decision, Decisions, Policy};
use schedlab_sim::{simulate, NoLocks};
use schedlab_trace::Timeline;

struct Staggered {
    platform: Platform,
    ready: Vec<(Priority, JobId)>,
    links: [Option<JobId>; 2],
    boundary: [bool; 2],
    started: bool,
}

impl Staggered {
    fn forget(&mut self, job: JobId) {
        self.ready.retain(|(_, other)| *other != job);
    }
}

impl Policy for Staggered {
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        Priority::new(jobs.get(job).absolute_deadline.as_ns(), job)
    }

    fn note(&mut self, _: Instant, event: Event, jobs: &Jobs) {
        match event {
            Event::Ready(job) => self.ready.push((jobs.get(job).effective, job)),
            Event::Completed(job) => self.forget(job),
            Event::Timer(key) => self.boundary[key.0 as usize] = true,
            _ => {}
        }
    }

    fn decide(&mut self, now: Instant, _: &Jobs, out: &mut Decisions) {
        for cpu in 0..2 {
            let boundary = self.platform.next_boundary(CpuId(cpu as u16), now);
            if !self.started && boundary > now {
                out.push(Decision::Timer(TimerKey(cpu as u32), Some(boundary)));
            }
            if core::mem::take(&mut self.boundary[cpu]) || (!self.started && boundary == now) {
                let other = self.links[1 - cpu];
                let free = self.ready.iter().filter(|(_, job)| Some(*job) != other);
                let next = free.reduce(|a, b| if b.0.is_higher_than(a.0) { b } else { a });
                self.links[cpu] = next.map(|(_, job)| *job);
                out.look(CpuId(cpu as u16));
                out.push(Decision::Timer(TimerKey(cpu as u32), Some(now + self.platform.quantum)));
            }
        }
        self.started = true;
        for cpu in 0..2 {
            // A completed job frees its processor until the next boundary.
            let gone = |job: JobId| self.ready.iter().all(|(_, other)| *other != job);
            if self.links[cpu].is_some_and(gone) {
                self.links[cpu] = None;
                out.look(CpuId(cpu as u16));
            }
        }
    }

    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.links[cpu.index()]
    }

    fn promises(&self) -> &'static [Invariant] {
        &[]
    }
}

#[test]
fn two_processors_decide_half_a_quantum_apart() {
    let platform =
        Platform { alignment: Alignment::Staggered, quantum: Duration::from_ns(4), ..Platform::global(2) };
    let tasks = vec![task(6, 40, 10), task(4, 40, 20), task(5, 40, 30)];
    let setup = ideal(tasks, platform.clone(), 20);
    let policy =
        Staggered { platform, ready: Vec::new(), links: [None; 2], boundary: [false; 2], started: false };
    let (source, mut timeline) = (periodic(&setup.tasks), Timeline::default());
    simulate(setup, vec![policy], NoLocks, source, &mut timeline);
    // Everything is ready at 0, but processor 1 decides at 2 for the first time. A completes at 6, within its second
    // quantum, whose rest is wasted; C takes processor 1 at 6 and goes on there after its boundary at 10.
    assert_eq!(draw(&timeline, 2, 16), "AAAAAA.......... / ..BBBBCCCCC.....");
}
