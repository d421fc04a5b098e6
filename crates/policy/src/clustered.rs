//! Priority-driven scheduling of one cluster of processors.
//!
//! A cluster of all processors is global scheduling; a cluster of one is partitioned scheduling. The
//! preemptive engine keeps the most urgent ready jobs linked (for EDF on two processors, three jobs
//! A, B, C of cost 2, 2, 10 with deadlines 10, 10, 11: the Dhall effect):
//!
//! ```text
//! P0  AACCCCCCCCCC
//! P1  BB..........
//! ```
//!
//! The non-preemptive engine only fills idle processors (J. M. Calandrino et al., "LITMUS^RT", RTSS 2006, fig. 3).
//! Linking follows LITMUS^RT's G-EDF plugin: a job that is still scheduled elsewhere gets its processor
//! back and the two processors swap their links, so that no job is on two processors and no migration
//! is invented. Ties are broken by job id.
//!
//! With n ready jobs on m processors, a job that becomes ready, or takes the place of one that is complete, costs
//! O(log n). A job that gives way to another one is found in O(m). Where a job that is not linked leaves or changes its
//! priority, it is looked for among all that wait, in O(n).

use crate::backlog::Backlog;
use crate::decisions::Decisions;
use crate::entry::Entry;
use crate::links::Links;
use crate::order::Order;
use crate::setup::ClusterSetup;
use crate::Policy;
use alloc::vec::Vec;
use schedlab_model::{CpuId, Event, Instant, Invariant, JobId, Jobs, Occupant, Priority};

/// Keeps the most urgent ready jobs of one cluster linked to its processors.
#[derive(Clone, Debug)]
pub struct Clustered {
    order: Order,
    preemptive: bool,
    links: Links,
    /// Ready jobs that are linked nowhere.
    backlogged: Backlog<Entry>,
    /// True if a job became ready, or more or less urgent, since the last decision: only then may one give way to
    /// another.
    urgencies_changed: bool,
    incoming: Vec<Entry>,
}

impl Clustered {
    /// An idle cluster under `order`.
    pub fn new(order: Order, preemptive: bool, setup: &ClusterSetup<'_>) -> Self {
        Clustered {
            order,
            preemptive,
            links: Links::new(setup.cpus),
            backlogged: Backlog::new(Entry::IDLE, setup.tasks.len()),
            urgencies_changed: false,
            incoming: Vec::with_capacity(setup.cpus.len()),
        }
    }

    #[inline(always)]
    fn admit(&mut self, job: JobId, jobs: &Jobs) {
        self.backlogged.push(Entry::new(job, jobs.get(job).effective));
        self.urgencies_changed = true;
    }

    /// Forgets `job` until it is admitted again.
    #[inline(always)]
    fn forget(&mut self, job: JobId, jobs: &Jobs) {
        if !self.links.clear_of(job, jobs.get(job).last_cpu) {
            self.backlogged.remove_where(|entry| entry.task() == job.task);
        }
    }

    /// Reads the new effective priority of `job`.
    fn reorder(&mut self, job: JobId, jobs: &Jobs) {
        let entry = Entry::new(job, jobs.get(job).effective);
        match self.links.find(job, jobs.get(job).last_cpu) {
            None => {
                // A job that is neither linked nor backlogged is suspended: it will be admitted anew.
                if self.backlogged.remove_where(|known| known.task() == job.task).is_some() {
                    self.backlogged.push(entry);
                }
            }
            Some(index) => self.links.reorder(index, entry),
        }
        self.urgencies_changed = true;
    }

    /// Takes the job that is to be linked next, besides `others` others, and makes room for it.
    #[inline(always)]
    fn select(&mut self, others: usize, out: &mut Decisions) -> Option<Entry> {
        let top = self.backlogged.peek()?;
        if self.links.idle() > others {
            self.backlogged.pop();
            return Some(top);
        }
        // All who are linked are busy: the least urgent of them may have to give way.
        if !self.urgencies_changed || !self.preemptive || others >= self.links.processors() {
            return None;
        }
        let (displaced, index) = self.links.displaced_by(top)?;
        self.backlogged.replace_top(displaced);
        self.links.clear(index);
        out.look(self.links.cpu_of(index));
        Some(top)
    }

    /// Links the jobs that are to be linked.
    #[inline(always)]
    fn link_all(&mut self, jobs: &Jobs, out: &mut Decisions) {
        let Some(first) = self.select(0, out) else { return };
        match self.select(1, out) {
            Some(second) => self.link_many(first, second, jobs, out),
            None => {
                if !self.link_where_last(first, jobs, out) {
                    self.link_or_swap(first, jobs, out);
                }
            }
        }
    }

    /// Links these two jobs and all further ones: first those whose last processor is free, then the others, by rising
    /// processor.
    fn link_many(&mut self, first: Entry, second: Entry, jobs: &Jobs, out: &mut Decisions) {
        self.incoming.extend([first, second]);
        while let Some(next) = self.select(self.incoming.len(), out) {
            self.incoming.push(next);
        }
        let mut waiting = 0;
        for next in 0..self.incoming.len() {
            let entry = self.incoming[next];
            if !self.link_where_last(entry, jobs, out) {
                self.incoming[waiting] = entry;
                waiting += 1;
            }
        }
        for next in 0..waiting {
            self.link_or_swap(self.incoming[next], jobs, out);
        }
        self.incoming.clear();
    }

    /// Links a job to the processor where its task executed last, if that is free.
    #[inline(always)]
    fn link_where_last(&mut self, entry: Entry, jobs: &Jobs, out: &mut Decisions) -> bool {
        let job = jobs.of_task(entry.task());
        let Some(cpu) = job.last_cpu else { return false };
        let index = self.links.place_of(cpu);
        let may_be = self.links.is_idle(index);
        if may_be {
            self.link(entry, job.id, index, out);
        }
        may_be
    }

    /// Links a job to the first idle processor. If it is scheduled elsewhere, it stays there, and the job that is
    /// linked there moves to the idle processor.
    #[inline(always)]
    fn link_or_swap(&mut self, entry: Entry, jobs: &Jobs, out: &mut Decisions) {
        let (job, free) = (jobs.of_task(entry.task()), self.links.first_idle());
        match job.scheduled_on.map(|cpu| self.links.place_of(cpu)) {
            Some(its) if its != free && self.links.has(its) => self.swap(entry, job.id, its, free, out),
            _ => self.link(entry, job.id, free, out),
        }
    }

    #[cold]
    fn swap(&mut self, entry: Entry, job: JobId, index: u16, free: u16, out: &mut Decisions) {
        let other = self.links.clear(index);
        self.link(entry, job, index, out);
        let its_job = other.job.get().expect("its last processor was not idle");
        self.link(other.entry, its_job, free, out);
    }

    #[inline(always)]
    fn link(&mut self, entry: Entry, job: JobId, index: u16, out: &mut Decisions) {
        out.look(self.links.set(index, entry, job));
    }
}

impl Policy for Clustered {
    #[inline(always)]
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        let processors = self.links.processors() as u32;
        Priority::new(self.order.rule.point(job, jobs, processors), job)
    }

    /// Always inlined: most callers know the kind of event, and this policy ignores some kinds.
    #[inline(always)]
    fn note(&mut self, _: Instant, event: Event, jobs: &Jobs) {
        match event {
            Event::Ready(job) | Event::Resumed(job) => self.admit(job, jobs),
            Event::Completed(job) | Event::Suspended(job) | Event::Aborted(job) => self.forget(job, jobs),
            Event::PriorityChanged(job) => self.reorder(job, jobs),
            Event::Dispatched { .. }
            | Event::Undispatched { .. }
            | Event::Timer(_)
            | Event::BudgetExhausted(_)
            | Event::Joined(_)
            | Event::Left(_) => {}
        }
    }

    #[inline(always)]
    fn decide(&mut self, _: Instant, jobs: &Jobs, out: &mut Decisions) {
        match self.links.idle() {
            // Mostly a job is complete, and another one takes its place.
            1 if !self.urgencies_changed => {
                if let Some(top) = self.backlogged.pop() {
                    self.link_or_swap(top, jobs, out);
                }
            }
            0 if !self.urgencies_changed => {}
            _ => {
                self.link_all(jobs, out);
                self.urgencies_changed = false;
            }
        }
    }

    #[inline(always)]
    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.links.linked(cpu)
    }

    /// Links the first waiting job in place of `job`, which is complete.
    #[inline(always)]
    fn take_over(&mut self, job: JobId, cpu: CpuId, jobs: &Jobs) -> Option<Occupant> {
        let index = self.links.place_of(cpu);
        if self.urgencies_changed || !self.links.is_linked_at(index, Occupant::job(job)) {
            return None;
        }
        let Some(top) = self.backlogged.peek() else {
            self.links.clear(index);
            return Some(Occupant::NOBODY);
        };
        let next = jobs.of_task(top.task());
        if next.scheduled_on.is_some() {
            return None;
        }
        self.backlogged.pop();
        self.links.replace(index, top, next.id);
        Some(Occupant::job(next.id))
    }

    fn promises(&self) -> &'static [Invariant] {
        if self.preemptive {
            &[Invariant::WorkConserving, Invariant::RespectsPriority]
        } else {
            &[Invariant::WorkConserving, Invariant::NonPreemptive]
        }
    }
}
