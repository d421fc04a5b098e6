//! A server among the tasks of its cluster, with its clients' jobs.
//!
//! The first client, in the order of the clients, is as urgent as the server while that has budget, and all other
//! clients wait behind. So a trace shows the urgency that each job has at each time.

use super::setup::BudgetServer;
use super::{share, Grant, Replenishment};
use crate::decisions::{Annotation, Decisions};
use crate::order::{Order, Rule};
use crate::timer::Timer;
use alloc::boxed::Box;
use alloc::vec::Vec;
use schedlab_model::{Band, Instant, JobId, Jobs, Priority, TaskId, Work};

/// Priority point of clients in the background.
const BACKGROUND: u64 = 0;

/// Priority point of clients that wait.
const WAITS: u64 = Priority::MAX_POINT;

/// A server with its clients' jobs.
pub(super) struct Server {
    /// Index of the server among those of all processors.
    pub(super) index: u32,
    /// Bandwidth in parts of a processor.
    pub(super) parts: u64,
    /// Place, among the processors of the cluster, where a client executed last.
    pub(super) home: usize,
    pub(super) rule: Box<dyn Replenishment>,
    /// Priority point of the server, if that is fixed.
    pub(super) fixed_point: Option<u64>,
    pub(super) is_in_background: bool,
    /// Order of the clients among themselves, if it is not that of arrival.
    pub(super) within: Option<Rule>,
    /// Jobs that are ready, by their points among the clients.
    pub(super) queue: Vec<(u64, JobId)>,
    /// The first job, once the rule knows of it.
    pub(super) begun: Option<JobId>,
    /// A client whose next job becomes ready at this instant, and was pending before.
    pub(super) awaited: Option<TaskId>,
    /// The server's timer, whose key is the server's place among those of its cluster.
    pub(super) timer: Timer,
    /// The job whose budget the engine counts, and what is left of that.
    pub(super) counted: Option<(JobId, Work)>,
    /// Budget that was used since the trace last heard of it.
    pub(super) untold: Work,
    /// Budget and deadline as the trace knows them.
    pub(super) told: Option<(Work, Instant)>,
}

impl Server {
    /// An idle server, the one at `place` of its cluster. Until a client executes, its home is that of a processor in
    /// turn, of so many `processors`.
    pub(super) fn new(
        (place, index): (u32, u32),
        setup: &BudgetServer,
        order: Order,
        (whole, processors): (u64, usize),
    ) -> Server {
        let fixed_point = match order.rule {
            Rule::Fixed(key) => Some(key(&setup.as_task())),
            Rule::Deadline | Rule::AfterArrival(_) | Rule::HeavyFirst(_) | Rule::Unanalysed(_) => None,
        };
        Server {
            index,
            home: place as usize % processors.max(1),
            parts: share::parts(setup.budget, setup.period, whole),
            rule: setup.kind.rule(setup.budget, setup.period, setup.relative_deadline, whole),
            fixed_point,
            is_in_background: setup.is_in_background || setup.kind.is_in_background(),
            within: setup.order.within().map(|order| order.rule),
            queue: Vec::with_capacity(setup.clients.len()),
            begun: None,
            awaited: None,
            timer: Timer::of(place),
            counted: None,
            untold: Work::ZERO,
            told: None,
        }
    }

    /// The first client's job.
    pub(super) fn first(&self) -> Option<JobId> {
        self.queue.first().map(|(_, job)| *job)
    }

    /// True if some client's job is pending.
    pub(super) fn is_pending(&self) -> bool {
        !self.queue.is_empty() || self.awaited.is_some()
    }

    /// Takes a job that may execute from now on.
    pub(super) fn admit(&mut self, job: JobId, now: Instant, jobs: &Jobs) {
        if !self.is_pending() {
            self.rule.wake(now);
        }
        if self.awaited == Some(job.task) {
            self.awaited = None;
        }
        let arrival = jobs.get(job).arrival.as_ns();
        let entry = (self.within.map_or(arrival, |rule| rule.point(job, jobs, 1)), job);
        let place = self.queue.partition_point(|known| *known < entry);
        self.queue.insert(place, entry);
    }

    /// Lets a job go that may not execute any longer.
    pub(super) fn leave(&mut self, job: JobId, now: Instant, jobs: &Jobs) {
        self.queue.retain(|(_, known)| *known != job);
        if jobs.of_task(job.task).has_successor {
            self.awaited = Some(job.task);
        }
        if !self.is_pending() {
            self.rule.rest(now);
        }
    }

    /// Brings the rule up to `now`, after all events of the instant.
    pub(super) fn settle(&mut self, now: Instant, jobs: &Jobs) {
        if let Some(job) = self.first().filter(|job| self.begun != Some(*job)) {
            let entry = jobs.get(job);
            self.rule.begin(entry.arrival, entry.wcet);
            self.begun = Some(job);
        }
        self.rule.settle(now, self.is_pending());
    }

    /// Adds to the trace what clients have used since the last call.
    pub(super) fn tell_use(&mut self, out: &mut Decisions) {
        let used = core::mem::take(&mut self.untold);
        if used.is_zero() {
            return;
        }
        out.annotate(Annotation::ServerUse { server: self.index, used });
        if let Some((left, _)) = &mut self.told {
            *left -= used;
        }
    }

    /// Adds the server's budget and deadline to the trace if they are not what the trace knows. A server that grants
    /// nothing keeps its deadline, and one that had no job yet has none.
    pub(super) fn tell_budget(&mut self, out: &mut Decisions) {
        let (left, absolute_deadline) = match self.rule.grant() {
            Grant::Budget { left, absolute_deadline } => {
                let known = absolute_deadline.filter(|deadline| *deadline > Instant::ZERO);
                (left.unwrap_or(Work::ZERO), known.unwrap_or(Instant::NEVER))
            }
            Grant::Nothing => (Work::ZERO, self.told.map_or(Instant::NEVER, |(_, deadline)| deadline)),
        };
        if self.told != Some((left, absolute_deadline)) {
            self.told = Some((left, absolute_deadline));
            out.annotate(Annotation::ServerBudget { server: self.index, left, absolute_deadline });
        }
    }

    /// The server's priority point while it has budget.
    pub(super) fn point(&self) -> Option<u64> {
        let due = |grant| match grant {
            Grant::Budget { absolute_deadline, .. } => absolute_deadline,
            Grant::Nothing => None,
        };
        self.fixed_point.or_else(|| Some(due(self.rule.grant())?.as_ns().min(Priority::MAX_POINT)))
    }

    /// The priority of the first job, and the budget that the engine is to count while it executes.
    pub(super) fn standing(&self, job: JobId) -> (Priority, Option<Work>) {
        match self.rule.grant() {
            Grant::Budget { left, .. } => {
                let point = self.point().expect("a server with budget has an urgency");
                (Priority::new(point, job), left)
            }
            Grant::Nothing if self.is_in_background => {
                (Priority::in_band(Band::Background, BACKGROUND, job), None)
            }
            Grant::Nothing => (waiting(job), None),
        }
    }
}

/// Priority of a client that waits.
pub(super) fn waiting(job: JobId) -> Priority {
    Priority::in_band(Band::Background, WAITS, job)
}

/// True for the priority of a client that waits.
pub(super) fn waits(priority: Priority) -> bool {
    priority.band() == Band::Background && priority.point() == WAITS
}
