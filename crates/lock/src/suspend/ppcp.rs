//! P-PCP: the parallel priority ceiling protocol, for global fixed priorities.
//!
//! A. Easwaran and B. Andersson, "Resource sharing in global fixed-priority preemptive multiprocessor scheduling", RTSS
//! 2009. As the global PIP, but a free resource is granted only if afterwards, for each task more urgent than the job,
//! at most `limit` jobs less urgent than that task hold resources whose ceilings are as high as it: only these could
//! ever run before that task by inheritance. The limit trades the delays of urgent tasks for those of others;
//! on one processor and with a limit of one, this is the rule of the PCP.
//!
//! A limit of one, two processors: C holds R0, which A uses too, when B asks for the free R1 at 1, which A uses as
//! well. B has to wait until C has released R0, or else A could have to wait for both in turn:
//!
//! ```text
//! P0  B..A.A....   A arrives at 2, holds R0 during [3, 4) and R1 during [5, 6)
//! P1  CCCBB.....   C holds R0 during [0, 3), B holds R1 during [3, 5)
//! ```
//!
//! In the model, a request takes O(n h) for n tasks and h held sections. A release takes O(w n h) for w waiting
//! jobs, once more for each job that it lets go on.

use super::gpip::GPIP;
use crate::contract::{LockError, LockSetup, OnLinux, Protocol, Section, Turn};
use crate::shared::denying::{Denial, Denied, Denying, LockTable};
use alloc::boxed::Box;
use alloc::vec::Vec;
use schedlab_model::{JobId, Jobs, LockingClass, Priority};

/// Entry of "ppcp" in the list of protocols.
pub(crate) const PPCP: Protocol = Protocol {
    name: "ppcp",
    summary: "parallel priority ceilings (Easwaran, Andersson 2009)",
    class: LockingClass::ParallelCeilings,
    on_linux: OnLinux::Nothing,
    make: |setup| Ok(Box::new(ParallelPcp::new(setup)?)),
    ..GPIP
};

/// Inheritance with a limit on the number of jobs that can run before a task because of it.
#[derive(Clone, Debug)]
pub struct Limited {
    /// By resource: the priority of its most urgent user.
    ceiling: Vec<Option<Priority>>,
    /// By task: its priority.
    priority: Vec<Priority>,
    limit: usize,
}

/// The parallel priority ceiling protocol.
pub type ParallelPcp = Denying<Limited>;

impl ParallelPcp {
    /// Needs one cluster, fixed priorities, resources of one unit, no nesting, and no suspension in sections. At most
    /// as many jobs as there are processors may run before a task.
    pub(crate) fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        Self::with_limit(setup, usize::from(setup.platform.processors()))
    }

    /// Makes the protocol with another limit, which must be positive.
    pub fn with_limit(setup: &LockSetup<'_>, limit: usize) -> Result<Self, LockError> {
        setup.demand_one_cluster("P-PCP")?;
        setup.demand_flat("P-PCP")?;
        let usage = setup.usage()?;
        let ceiling = setup.priority_ceilings(&usage, "P-PCP")?;
        let limited = Limited { ceiling, priority: setup.fixed_priorities("P-PCP")?, limit };
        Ok(Denying::under(limited, setup, &usage))
    }
}

impl Limited {
    /// True if `held` could run before a task of priority `than` though its holder is less urgent.
    fn may_pass(&self, held: &Section, than: Priority) -> bool {
        let ceiling = self.ceiling[held.resource.index()].expect("it has a user");
        than.is_higher_than(self.priority[held.job.task.index()]) && !than.is_higher_than(ceiling)
    }
}

impl Denial for Limited {
    /// Denies by the resource's holder, or by the least urgent of too many jobs.
    fn denies(&self, wanted: Section, table: &LockTable, _: &Jobs) -> Option<Denied> {
        if let Some(holder) = table.holders.holder(wanted.resource) {
            return Some(Denied::By(holder));
        }
        let passed = self.priority.iter().filter(|than| self.may_pass(&wanted, **than));
        let passing = |than: Priority| table.holders.iter().filter(move |held| self.may_pass(held, than));
        let than = *passed.into_iter().find(|than| passing(**than).count() >= self.limit)?;
        let base = |job: &JobId| self.priority[job.task.index()];
        let who = passing(than).map(|held| held.job);
        who.reduce(|a, b| if base(&a).is_higher_than(base(&b)) { b } else { a }).map(Denied::By)
    }

    fn releases(&mut self, given: Section, _: &LockTable, turn: &mut Turn<'_>) {
        turn.restore(given.job);
    }
}
