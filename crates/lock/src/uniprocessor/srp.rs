//! SRP: the stack resource policy, with resources of several units, per processor.
//!
//! T. P. Baker, "Stack-based scheduling of realtime processes", Real-Time Systems 3(1), 1991. A job starts only if no
//! more urgent job waits to start and its preemption level is above the system ceiling, the highest ceiling of all
//! resources; from then on no request is ever denied, no job is blocked once it has started, and nothing deadlocks.
//!
//! A job that resumes from a self-suspension starts anew.
//!
//! In the model, a request, a job that becomes ready and a release take O(n h) for n tasks and h held sections, and
//! a release O(k) more for each job that may start, of k jobs that wait to start. A job is blocked by one outermost
//! section at most.

use crate::contract::{
    Ceilings, Effect, GrantOrder, Level, LockError, LockSetup, Nesting, OnLinux, Preemption, Protocol, Reach,
    Section, Turn, Waiting,
};
use crate::shared::ceilings::CeilingTable;
use crate::shared::denying::{Denial, Denying, LockTable};
use crate::shared::highest::highest;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{ClusterId, Event, JobId, JobState, Jobs, LockingClass, Work};

/// Entry of "srp" in the list of protocols.
pub(crate) const SRP: Protocol = Protocol {
    name: "srp",
    summary: "stack resource policy, several units (Baker 1991)",
    waiting: Waiting::Never,
    reach: Reach::Local,
    ceilings: Ceilings::Levels,
    grants: GrantOrder::None,
    preemption: Preemption::Ceiling,
    nesting: Nesting::Any,
    several_units: true,
    deadlock_free: true,
    blocks_once: true,
    class: LockingClass::Stack,
    on_linux: OnLinux::Nothing,
    make: |setup| Ok(Box::new(Srp::new(setup)?)),
};

/// The preemption test of each processor, with the state on which its ceilings depend.
#[derive(Clone, Debug)]
pub struct PreemptionTest {
    /// By task: its preemption level.
    level: Vec<Level>,
    ceilings: CeilingTable,
    /// Jobs that wait to start.
    held_back: Vec<JobId>,
    /// By task: the service that its job had received when it passed the test.
    received: Vec<Work>,
}

/// The stack resource policy.
pub(crate) type Srp = Denying<PreemptionTest>;

impl Srp {
    /// Needs preemption levels, each resource on one processor, and no suspension in sections.
    pub(crate) fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        let usage = setup.usage()?;
        setup.demand_local(&usage, "SRP")?;
        Self::for_locals(setup, "SRP")
    }

    /// Makes the protocol for local resources, for a protocol that treats the others by itself.
    pub(crate) fn for_locals(setup: &LockSetup<'_>, protocol: &'static str) -> Result<Self, LockError> {
        let usage = setup.usage()?;
        setup.demand_partitions(protocol)?;
        setup.demand_no_suspension(&usage, protocol)?;
        let level = setup.levels(protocol)?;
        let test = PreemptionTest {
            ceilings: CeilingTable::new(&usage, &level),
            level,
            held_back: Vec::with_capacity(setup.tasks.len()),
            received: vec![Work::ZERO; setup.tasks.len()],
        };
        Ok(Denying::under(test, setup, &usage))
    }
}

impl PreemptionTest {
    /// Returns the highest ceiling of the resources that jobs of `cluster` hold.
    fn system_ceiling(&self, cluster: ClusterId, table: &LockTable, jobs: &Jobs) -> Level {
        let held = table.holders.iter().filter(|held| jobs.get(held.job).cluster == cluster);
        let ceilings =
            held.map(|held| self.ceilings.ceiling(held.resource, table.holders.free(held.resource)));
        ceilings.fold(Level::LOWEST, Level::higher_of)
    }

    /// Tests a job that is about to start: it waits, or goes through.
    fn examine(&mut self, job: JobId, table: &LockTable, turn: &mut Turn<'_>) {
        let jobs = turn.jobs;
        let entry = jobs.get(job);
        let ceiling = self.system_ceiling(entry.cluster, table, jobs);
        let mut held_back = self.held_back.iter().map(|other| jobs.get(*other));
        let second = held_back
            .any(|other| other.cluster == entry.cluster && other.effective.is_higher_than(entry.effective));
        if second || !self.level[job.task.index()].is_higher_than(ceiling) {
            self.held_back.push(job);
            turn.out.push(Effect::Hold(job));
        } else {
            self.received[job.task.index()] = entry.received;
        }
    }

    /// Admits the jobs that may start now, the most urgent first, up to the first that may not.
    fn admit(&mut self, cluster: ClusterId, table: &LockTable, turn: &mut Turn<'_>) {
        let jobs = turn.jobs;
        let ceiling = self.system_ceiling(cluster, table, jobs);
        loop {
            let here =
                (0..self.held_back.len()).filter(|&index| jobs.get(self.held_back[index]).cluster == cluster);
            let priority = |index: usize| jobs.get(self.held_back[index]).effective;
            match highest(here, priority) {
                Some(index) if self.level[self.held_back[index].task.index()].is_higher_than(ceiling) => {
                    let job = self.held_back.remove(index);
                    self.received[job.task.index()] = jobs.get(job).received;
                    turn.out.push(Effect::Admit(job));
                }
                _ => return,
            }
        }
    }

    /// Holds back the jobs that passed the test before `holder` raised the ceiling, are more urgent, and have not run
    /// since.
    fn hold_back(&mut self, holder: JobId, table: &LockTable, turn: &mut Turn<'_>) {
        let jobs = turn.jobs;
        let holder = jobs.get(holder);
        let ceiling = self.system_ceiling(holder.cluster, table, jobs);
        for job in jobs.live() {
            let has_run = job.scheduled_on.is_some() || job.received != self.received[job.id.task.index()];
            let is_here = job.cluster == holder.cluster && job.state == JobState::Ready;
            if is_here
                && !has_run
                && job.effective.is_higher_than(holder.effective)
                && !self.level[job.id.task.index()].is_higher_than(ceiling)
                && table.holders.of(job.id).next().is_none()
            {
                self.held_back.push(job.id);
                turn.out.push(Effect::Hold(job.id));
            }
        }
    }
}

impl Denial for PreemptionTest {
    fn holds(&mut self, wanted: Section, table: &LockTable, turn: &mut Turn<'_>) {
        self.hold_back(wanted.job, table, turn);
    }

    fn releases(&mut self, given: Section, table: &LockTable, turn: &mut Turn<'_>) {
        self.admit(turn.jobs.get(given.job).cluster, table, turn);
    }

    #[inline]
    fn notes(&mut self, event: Event, table: &LockTable, turn: &mut Turn<'_>) {
        match event {
            Event::Ready(job) | Event::Resumed(job) => self.examine(job, table, turn),
            Event::Aborted(job) => {
                self.held_back.retain(|held_back| *held_back != job);
                self.admit(turn.jobs.get(job).cluster, table, turn);
            }
            Event::Completed(_)
            | Event::Suspended(_)
            | Event::PriorityChanged(_)
            | Event::Dispatched { .. }
            | Event::Undispatched { .. }
            | Event::Timer(_)
            | Event::BudgetExhausted(_)
            | Event::Joined(_)
            | Event::Left(_) => {}
        }
    }
}
