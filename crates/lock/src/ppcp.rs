//! P-PCP: the parallel priority ceiling protocol, for global fixed priorities.
//!
//! A. Easwaran and B. Andersson, "Resource sharing in global fixed-priority preemptive multiprocessor scheduling", RTSS
//! 2009. As the global PIP, but a free resource is granted only if afterwards, for each task more urgent than the job,
//! at most `limit` jobs less urgent than that task hold resources whose ceilings are as high as it: only these could
//! ever run before that task by inheritance. The limit trades the delays of urgent tasks for those of others;
//! on one processor and with a limit of one, this is the rule of the PCP.
//!
//! A limit of one, two processors: C holds R0, which A uses too, when B asks for the free R1 at 1, which A uses as well.
//! B has to wait until C has released R0, or else A could have to wait for both in turn:
//!
//! ```text
//! P0  B..A.A....   A arrives at 2, holds R0 during [3, 4) and R1 during [5, 6)
//! P1  CCCBB.....   C holds R0 during [0, 3), B holds R1 during [3, 5)
//! ```

use crate::effects::{Effect, Effects};
use crate::holders::{Held, Holders};
use crate::lock_error::LockError;
use crate::registry::{Ceilings, GrantOrder, Nesting, Preemption, Protocol, Reach, Waiting};
use crate::setup::LockSetup;
use crate::wait_queue::{ByPriority, WaitQueue};
use crate::{LockProtocol, Request};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{Event, Instant, JobId, Jobs, Priority, ResourceId};

/// "ppcp" in the list of protocols.
pub(crate) const PPCP: Protocol = Protocol {
    name: "ppcp",
    summary: "parallel priority ceilings (Easwaran, Andersson 2009)",
    waiting: Waiting::Suspends,
    reach: Reach::Global,
    ceilings: Ceilings::Priorities,
    grants: GrantOrder::ByEffective,
    preemption: Preemption::Inherited,
    nesting: Nesting::Never,
    several_units: false,
    deadlock_free: true,
    blocks_once: false,
    make: |setup| Ok(Box::new(ParallelPcp::new(setup)?)),
};

/// Inheritance with a limit on how many can run before a task because of it.
#[derive(Clone, Debug)]
pub struct ParallelPcp {
    /// By resource: the priority of its most urgent user.
    ceiling: Vec<Option<Priority>>,
    /// By task.
    priority: Vec<Priority>,
    limit: usize,
    holders: Holders,
    waiting: WaitQueue<ByPriority>,
    /// By task: what its job waits for, if it does.
    wanted: Vec<ResourceId>,
}

impl ParallelPcp {
    /// Needs one cluster, fixed priorities, resources of one unit, no nesting, and no suspension in sections. As many
    /// as there are processors may run before a task.
    pub fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        Self::with_limit(setup, usize::from(setup.platform.processors()))
    }

    /// The same with another limit, which is positive.
    pub fn with_limit(setup: &LockSetup<'_>, limit: usize) -> Result<Self, LockError> {
        setup.demand_one_cluster("P-PCP")?;
        setup.demand_flat("P-PCP")?;
        let usage = setup.usage()?;
        Ok(ParallelPcp {
            ceiling: setup.priority_ceilings(&usage, "P-PCP")?,
            priority: setup.fixed_priorities("P-PCP")?,
            limit,
            holders: Holders::new(setup.resources, usage.requests),
            waiting: WaitQueue::new(setup.tasks.len(), ByPriority),
            wanted: vec![ResourceId(0); setup.tasks.len()],
        })
    }

    /// True if `held` could run before a task of priority `than` though its holder is less urgent.
    fn may_pass(&self, held: &Held, than: Priority) -> bool {
        let ceiling = self.ceiling[held.resource.index()].expect("it has a user");
        than.is_higher_than(self.priority[held.job.slot()]) && !than.is_higher_than(ceiling)
    }

    /// Whom `job` has to wait for before it may have `resource`: its holder, or the least urgent of too many.
    fn blocker(&self, job: JobId, resource: ResourceId) -> Option<JobId> {
        if let Some(holder) = self.holders.holder(resource) {
            return Some(holder);
        }
        let would_hold = Held { job, resource, units: 1 };
        let passed = self.priority.iter().filter(|than| self.may_pass(&would_hold, **than));
        let mut too_many = passed.filter(|than| {
            self.holders.iter().filter(|held| self.may_pass(held, **than)).count() >= self.limit
        });
        let than = *too_many.next()?;
        let who = self.holders.iter().filter(|held| self.may_pass(held, than)).map(|held| held.job);
        let base = |job: &JobId| self.priority[job.slot()];
        who.reduce(|a, b| if base(&a).is_higher_than(base(&b)) { b } else { a })
    }

    /// Grants what can be granted now, the most urgent first; the others may have a new one to wait for.
    fn serve(&mut self, jobs: &Jobs, out: &mut Effects) {
        for _ in 0..self.wanted.len() {
            let may = |job: &JobId| self.blocker(*job, self.wanted[job.slot()]).is_none();
            let first = |a: JobId, b: JobId| {
                if jobs.get(b).effective.is_higher_than(jobs.get(a).effective) {
                    b
                } else {
                    a
                }
            };
            let Some(job) = self.waiting.iter().filter(may).reduce(first) else { break };
            self.waiting.remove(job, jobs);
            self.holders.take(job, self.wanted[job.slot()], 1);
            out.push(Effect::Grant(job, self.wanted[job.slot()]));
        }
        for job in self.waiting.iter() {
            if let Some(holder) = self.blocker(job, self.wanted[job.slot()]) {
                out.push(Effect::Inherit { holder, from: job });
            }
        }
    }
}

impl LockProtocol for ParallelPcp {
    fn request(
        &mut self,
        _: Instant,
        job: JobId,
        resource: ResourceId,
        units: u32,
        _: &Jobs,
        out: &mut Effects,
    ) -> Request {
        match self.blocker(job, resource) {
            None => {
                self.holders.take(job, resource, units);
                Request::Granted
            }
            Some(holder) => {
                self.wanted[job.slot()] = resource;
                self.waiting.push(job);
                out.push(Effect::Inherit { holder, from: job });
                Request::Suspend
            }
        }
    }

    fn release(
        &mut self,
        _: Instant,
        job: JobId,
        resource: ResourceId,
        units: u32,
        jobs: &Jobs,
        out: &mut Effects,
    ) {
        self.holders.give(job, resource, units);
        out.push(Effect::Restore(job));
        self.serve(jobs, out);
    }

    fn note(&mut self, _: Instant, event: Event, jobs: &Jobs, out: &mut Effects) {
        if let Event::Aborted(job) = event {
            self.waiting.remove(job, jobs);
            self.holders.forget(job);
            self.serve(jobs, out);
        }
    }
}
