//! The stack resource policy: T. P. Baker, "Stack-based scheduling of realtime processes", Real-Time Systems 3(1),
//! 1991.
//!
//! A job may start only if its preemption level is above the system ceiling, the highest ceiling of all resources
//! that are in use; from then on no request is ever denied.

use crate::support::*;
use schedlab_lock::{Effect, LockProtocol, Reply, Section, Turn};
use schedlab_model::*;
use schedlab_sim::simulate;
use schedlab_trace::{Record, SuspendReason, Timeline};

#[derive(Default)]
struct Srp {
    /// By task: smaller is a higher level (the relative deadline under EDF).
    level: Vec<u64>,
    /// By resource: the level of its most urgent user.
    ceiling: Vec<u64>,
    in_use: Vec<ResourceId>,
    gated: Vec<JobId>,
}

impl Srp {
    fn system_ceiling(&self) -> u64 {
        self.in_use.iter().map(|resource| self.ceiling[resource.index()]).min().unwrap_or(u64::MAX)
    }
}

impl LockProtocol for Srp {
    fn request(&mut self, Section { resource, .. }: Section, _: &mut Turn<'_>) -> Reply {
        assert!(!self.in_use.contains(&resource), "the gate keeps out jobs that could be denied");
        self.in_use.push(resource);
        Reply::Granted
    }

    fn release(&mut self, Section { resource, .. }: Section, turn: &mut Turn<'_>) {
        self.in_use.retain(|used| *used != resource);
        let ceiling = self.system_ceiling();
        let (open, shut) = self.gated.drain(..).partition(|job| self.level[job.task.index()] < ceiling);
        self.gated = shut;
        for job in open {
            turn.out.push(Effect::Admit(job));
        }
    }

    fn note(&mut self, event: Event, turn: &mut Turn<'_>) {
        if let Event::Ready(job) = event {
            if self.level[job.task.index()] >= self.system_ceiling() {
                self.gated.push(job);
                turn.out.push(Effect::Hold(job));
            }
        }
    }
}

/// C holds R1 and then also R0; A (which uses R0) and B (which uses R1) arrive meanwhile. B could be denied R1 from
/// the start, A could be denied R0 only while C holds it: A preempts C before that, B waits at the gate.
#[test]
fn jobs_wait_at_the_gate_and_never_at_a_resource() {
    let (r0, r1) = (ResourceId(0), ResourceId(1));
    let execute = |ns| Step::Execute(Work::from_ns(ns));
    let section = |r, ns| vec![execute(1), Step::Request(r, 1), execute(ns), Step::Release(r, 1), execute(1)];
    let mut tasks = vec![task(3, 100, 10), task(4, 100, 20), task(8, 100, 30)];
    tasks[0].program = section(r0, 1);
    tasks[1].program = section(r1, 2);
    tasks[2].program = vec![
        execute(1),
        Step::Request(r1, 1),
        execute(3),
        Step::Request(r0, 1),
        execute(2),
        Step::Release(r0, 1),
        Step::Release(r1, 1),
        execute(2),
    ];
    tasks[0].offset = Instant::from_ns(3);
    tasks[1].offset = Instant::from_ns(2);
    let srp = Srp { level: vec![10, 20, 30], ceiling: vec![10, 20], ..Srp::default() };
    let setup = ideal(tasks, Platform::global(1), 30);
    let policies = policies("G-EDF", &setup.platform, &setup.tasks);
    let (source, mut timeline) = (periodic(&setup.tasks), Timeline::default());
    simulate(setup, policies, srp, source, &mut timeline);
    assert_eq!(draw(&timeline, 1, 16), "CCCAAACCCBBBBCC.");
    let gate = Record::Suspend { job: JobId::new(TaskId(1), 0), reason: SuspendReason::HeldBack };
    assert!(timeline.records.contains(&(Instant::from_ns(2), gate)));
}
