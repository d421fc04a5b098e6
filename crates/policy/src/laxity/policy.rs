//! The policy of a scheduler that decides by laxity: it ranks the ready jobs, and links the most urgent ones.

use crate::chosen::Chosen;
use crate::decisions::Decisions;
use crate::only_execute;
use crate::setup::{ClusterSetup, SetupError};
use crate::Policy;
use alloc::vec::Vec;
use schedlab_model::{CpuId, Duration, Event, Instant, Invariant, Job, JobId, Jobs, Priority};

/// Time to a job's deadline less the execution that it may still need, in nanoseconds; below zero if it is late.
#[derive(Clone, Copy, Debug)]
pub(super) struct Laxity(pub(super) i128);

/// A way to decide by laxity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaxityRule {
    /// Urgency of a job in a cluster of so many processors: the smaller pair goes first, ties by job id.
    pub(super) urgency: fn(Laxity, &Job, u32) -> (i128, u64),
    /// Time after now at which the rule looks at the ready jobs again, unless a job arrives or completes before.
    pub(super) next: fn(&Ranked<'_>) -> Option<Instant>,
}

/// A ready job after its urgency.
type Rank = ((i128, u64), JobId);

/// The ready jobs of a cluster at a decision that lets some of them wait.
#[derive(Debug)]
pub(super) struct Ranked<'a> {
    /// Time of the decision.
    pub(super) now: Instant,
    /// The platform's quantum.
    pub(super) quantum: Duration,
    jobs: &'a Jobs,
    /// The most urgent jobs, one for each processor.
    chosen: &'a [Rank],
    /// The others, at least one.
    waiting: &'a [Rank],
}

impl Ranked<'_> {
    /// Returns the least laxity of the waiting jobs that have some.
    pub(super) fn least_laxity_of_waiting(&self) -> Option<Duration> {
        let positive = self.laxities(self.waiting).filter(|rest| *rest > 0);
        positive.min().and_then(|rest| u64::try_from(rest).ok()).map(Duration::from_ns)
    }

    /// Returns the greatest laxity of the chosen jobs in nanoseconds.
    pub(super) fn greatest_laxity_of_chosen(&self) -> Option<i128> {
        self.laxities(self.chosen).max()
    }

    /// Returns the earliest absolute deadline of the waiting jobs.
    pub(super) fn first_deadline_of_waiting(&self) -> Option<Instant> {
        self.waiting.iter().map(|(_, id)| self.jobs.get(*id).absolute_deadline).min()
    }

    fn laxities<'a>(&'a self, of: &'a [Rank]) -> impl Iterator<Item = i128> + 'a {
        of.iter().map(|(_, id)| laxity(self.jobs.get(*id), self.now).0)
    }
}

/// Keeps the most urgent ready jobs of one cluster linked to its processors.
#[derive(Clone, Debug)]
pub(crate) struct ByLaxity {
    rule: LaxityRule,
    chosen: Chosen,
    processors: usize,
    quantum: Duration,
    /// The jobs that may execute.
    ready: Vec<JobId>,
    ranked: Vec<Rank>,
}

impl ByLaxity {
    /// An idle cluster, or an error if some jobs do more than execute.
    pub(crate) fn new(rule: LaxityRule, setup: &ClusterSetup<'_>) -> Result<Self, SetupError> {
        only_execute::plain(setup)?;
        let (tasks, processors) = (setup.tasks.len(), setup.cpus.len());
        Ok(ByLaxity {
            rule,
            chosen: Chosen::new(setup),
            processors,
            quantum: setup.platform.quantum,
            ready: Vec::with_capacity(tasks),
            ranked: Vec::with_capacity(tasks),
        })
    }

    fn forget(&mut self, job: JobId) {
        self.chosen.forget(job);
        if let Some(index) = self.ready.iter().position(|known| *known == job) {
            self.ready.swap_remove(index);
        }
    }

    /// Chooses the most urgent jobs. Returns the time of the next decision, if some jobs must wait.
    fn choose(&mut self, now: Instant, jobs: &Jobs) -> Option<Instant> {
        if self.ready.len() <= self.processors {
            self.chosen.renew(self.ready.iter().copied());
            return None;
        }
        self.ranked.clear();
        for &id in &self.ready {
            let job = jobs.get(id);
            let urgency = (self.rule.urgency)(laxity(job, now), job, self.processors as u32);
            self.ranked.push((urgency, id));
        }
        self.ranked.select_nth_unstable(self.processors);
        let (chosen, waiting) = self.ranked.split_at(self.processors);
        self.chosen.renew(chosen.iter().map(|(_, id)| *id));
        (self.rule.next)(&Ranked { now, quantum: self.quantum, jobs, chosen, waiting })
    }
}

/// The laxity of a job that is taken to need its WCET.
fn laxity(job: &Job, now: Instant) -> Laxity {
    let left = job.wcet.as_ns().saturating_sub(job.service(now).as_ns());
    Laxity(i128::from(job.absolute_deadline.as_ns()) - i128::from(now.as_ns()) - i128::from(left))
}

impl Policy for ByLaxity {
    /// Orders by absolute deadline. The priority only shows in traces; decisions do not read it.
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        Priority::new(jobs.get(job).absolute_deadline.as_ns().min(Priority::MAX_POINT), job)
    }

    fn note(&mut self, _: Instant, event: Event, _: &Jobs) {
        match event {
            Event::Ready(job) | Event::Resumed(job) => self.ready.push(job),
            Event::Completed(job) | Event::Suspended(job) | Event::Aborted(job) => self.forget(job),
            Event::Timer(_) => self.chosen.timer_went_off(),
            Event::PriorityChanged(_)
            | Event::Dispatched { .. }
            | Event::Undispatched { .. }
            | Event::BudgetExhausted(_)
            | Event::Joined(_)
            | Event::Left(_) => {}
        }
    }

    fn decide(&mut self, now: Instant, jobs: &Jobs, out: &mut Decisions) {
        let next = self.choose(now, jobs);
        self.chosen.tell(next, jobs, out);
    }

    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.chosen.on(cpu)
    }

    fn promises(&self) -> &'static [Invariant] {
        &[Invariant::WorkConserving]
    }
}
