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

use crate::backlog::Backlog;
use crate::decisions::Decisions;
use crate::order::Order;
use crate::setup::ClusterSetup;
use crate::Policy;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{
    BitSet, CpuId, Event, HeapKey, Instant, Invariant, Job, JobId, Jobs, Occupant, Priority, TaskId,
};

/// A job and its effective priority in one number: the priority's rank, the task whose id breaks ties (another
/// than the job's own if the priority is inherited or a ceiling), and the job's task, counted on from the one after
/// that, so that a job with its own priority goes after all who have it from it. No two live jobs compare equal.
#[derive(Clone, Copy, Debug)]
struct Entry(u128);

impl Entry {
    /// Goes before every job: none is there.
    const IDLE: Entry = Entry(0);

    #[inline]
    fn new(job: JobId, priority: Priority) -> Self {
        let tie = priority.tie().task.0;
        let after_tie = job.task.0.wrapping_sub(tie).wrapping_sub(1);
        let tie_and_task = u64::from(tie) << 32 | u64::from(after_tie);
        Entry(u128::from(priority.rank()) << 64 | u128::from(tie_and_task))
    }

    #[inline]
    fn task(self) -> TaskId {
        let tie = (self.0 >> 32) as u32;
        TaskId((self.0 as u32).wrapping_add(tie).wrapping_add(1))
    }
}

impl HeapKey for Entry {
    #[inline]
    fn goes_before(self, other: Entry) -> bool {
        self.0 < other.0
    }
}

/// A processor, and what is linked there: no job, if it is another cluster's.
#[derive(Clone, Copy, Debug)]
struct Place {
    entry: Entry,
    job: Occupant,
    is_ours: bool,
}

/// By processor, from the cluster's first to its last one: who is linked there.
#[derive(Clone, Debug)]
struct Links {
    first: u16,
    places: Vec<Place>,
    idle_places: BitSet,
    /// How many they are: as few as processors, so counting is not checked.
    idle: usize,
    /// How many processors the cluster has.
    processors: usize,
    /// No linked job is less urgent. One that was may be gone.
    bound: Entry,
}

impl Links {
    fn new(cpus: &[CpuId]) -> Self {
        let first = cpus.first().map_or(0, |cpu| cpu.0);
        let span = cpus.last().map_or(0, |cpu| usize::from(cpu.0 - first) + 1);
        let empty = Place { entry: Entry::IDLE, job: Occupant::NOBODY, is_ours: false };
        let (mut places, mut idle_places) = (vec![empty; span], BitSet::new(span));
        for cpu in cpus {
            let at = usize::from(cpu.0 - first);
            places[at].is_ours = true;
            idle_places.insert(at);
        }
        Links { first, places, idle_places, idle: cpus.len(), processors: cpus.len(), bound: Entry::IDLE }
    }

    /// Where `cpu` is in the list; beyond its end, if it lies before all of the cluster's.
    #[inline(always)]
    fn place_of(&self, cpu: CpuId) -> u16 {
        cpu.0.wrapping_sub(self.first)
    }

    #[inline(always)]
    fn cpu_of(&self, at: u16) -> CpuId {
        CpuId(self.first.wrapping_add(at))
    }

    /// True if the place is a processor of the cluster.
    #[inline]
    fn has(&self, at: u16) -> bool {
        self.places.get(usize::from(at)).is_some_and(|place| place.is_ours)
    }

    /// True if the place is an idle processor of the cluster.
    #[inline]
    fn is_idle(&self, at: u16) -> bool {
        self.places.get(usize::from(at)).is_some_and(|place| place.is_ours && !place.job.is_some())
    }

    /// The lowest idle place. Only asked while there is one.
    #[inline(always)]
    fn first_idle(&self) -> u16 {
        self.idle_places.first().expect("room was made") as u16
    }

    /// The least urgent linked job's entry, if that job gives way to `top`. Only asked while no processor is idle.
    #[inline]
    fn displaced_by(&mut self, top: Entry) -> Option<Entry> {
        if top.goes_before(self.bound) {
            self.bound = Entry(self.places.iter().map(|place| place.entry.0).fold(0, u128::max));
        }
        Some(self.bound).filter(|least_urgent| top.goes_before(*least_urgent))
    }

    /// Links `job` to an idle place, whose processor this is.
    #[inline(always)]
    fn set(&mut self, at: u16, entry: Entry, job: JobId) -> CpuId {
        let place = &mut self.places[usize::from(at)];
        assert!(!place.job.is_some(), "{job} is linked where another job is");
        (place.entry, place.job) = (entry, Occupant::job(job));
        self.idle_places.remove(at.into());
        self.idle = self.idle.wrapping_sub(1);
        self.admit(entry);
        self.cpu_of(at)
    }

    /// A job that is linked now is as urgent as that.
    #[inline(always)]
    fn admit(&mut self, entry: Entry) {
        if self.bound.goes_before(entry) {
            self.bound = entry;
        }
    }

    /// Makes a busy place idle.
    #[inline(always)]
    fn clear(&mut self, at: u16) {
        let place = &mut self.places[usize::from(at)];
        (place.entry, place.job) = (Entry::IDLE, Occupant::NOBODY);
        self.idle_places.insert(at.into());
        self.idle = self.idle.wrapping_add(1);
    }

    /// Where `job` is linked: mostly where it executes or did last.
    #[inline(always)]
    fn find(&self, job: &Job) -> Option<u16> {
        let wanted = Occupant::job(job.id);
        let last = job.last_cpu.map(|cpu| self.place_of(cpu));
        let has_it = |at: &u16| self.places.get(usize::from(*at)).is_some_and(|place| place.job == wanted);
        last.filter(has_it).or_else(|| self.search(wanted))
    }

    #[cold]
    fn search(&self, wanted: Occupant) -> Option<u16> {
        self.places.iter().position(|place| place.job == wanted).map(|at| at as u16)
    }
}

/// Keeps the most urgent ready jobs of one cluster linked to its processors.
#[derive(Clone, Debug)]
pub struct Clustered {
    order: Order,
    preemptive: bool,
    links: Links,
    /// Ready jobs that are linked nowhere.
    backlogged: Backlog<Entry>,
    /// A job became ready, or more or less urgent, since the last decision: only then may one give way to another.
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
    fn withdraw(&mut self, job: JobId, jobs: &Jobs) {
        match self.links.find(jobs.get(job)) {
            Some(at) => self.links.clear(at),
            None => {
                self.backlogged.remove_where(|entry| entry.task() == job.task);
            }
        }
    }

    /// The effective priority of `job` is another now.
    fn reorder(&mut self, job: JobId, jobs: &Jobs) {
        let entry = Entry::new(job, jobs.get(job).effective);
        match self.links.find(jobs.get(job)) {
            None => {
                // A job that is neither linked nor backlogged is suspended: it will be admitted anew.
                if self.backlogged.remove_where(|known| known.task() == job.task).is_some() {
                    self.backlogged.push(entry);
                }
            }
            Some(at) => {
                self.links.places[usize::from(at)].entry = entry;
                self.links.admit(entry);
            }
        }
        self.urgencies_changed = true;
    }

    /// Collects in `incoming` the jobs that are to be linked, and makes room for each.
    fn select(&mut self, jobs: &Jobs, out: &mut Decisions) {
        while let Some(top) = self.backlogged.peek() {
            if self.links.idle > self.incoming.len() {
                self.backlogged.pop();
            } else if self.urgencies_changed && self.preemptive && self.incoming.len() < self.links.processors
            {
                // All who are linked are busy: the least urgent of them may have to give way.
                let Some(displaced) = self.links.displaced_by(top) else { break };
                let at = self.links.find(jobs.of_task(displaced.task())).expect("it is linked");
                self.backlogged.pop();
                self.backlogged.push(displaced);
                self.links.clear(at);
                out.look(self.links.cpu_of(at));
            } else {
                break;
            }
            self.incoming.push(top);
        }
        self.urgencies_changed = false;
    }

    /// Links the incoming jobs: first those whose last processor is free, then the others, by rising processor.
    fn place_incoming(&mut self, jobs: &Jobs, out: &mut Decisions) {
        if let [entry] = self.incoming[..] {
            if !self.link_where_last(entry, jobs, out) {
                self.link_or_swap(entry, jobs, out);
            }
            return self.incoming.clear();
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
    #[inline]
    fn link_where_last(&mut self, entry: Entry, jobs: &Jobs, out: &mut Decisions) -> bool {
        let job = jobs.of_task(entry.task());
        let Some(cpu) = job.last_cpu else { return false };
        let at = self.links.place_of(cpu);
        let may_be = self.links.is_idle(at);
        if may_be {
            self.link(entry, job.id, at, out);
        }
        may_be
    }

    /// Links a job to the first idle processor. If it is scheduled elsewhere, it stays there, and who is linked there
    /// goes to the idle one.
    #[inline(always)]
    fn link_or_swap(&mut self, entry: Entry, jobs: &Jobs, out: &mut Decisions) {
        let (job, free) = (jobs.of_task(entry.task()), self.links.first_idle());
        match job.scheduled_on.map(|cpu| self.links.place_of(cpu)) {
            Some(at) if at != free && self.links.has(at) => self.swap(entry, job.id, at, free, out),
            _ => self.link(entry, job.id, free, out),
        }
    }

    #[cold]
    fn swap(&mut self, entry: Entry, job: JobId, at: u16, free: u16, out: &mut Decisions) {
        let other = self.links.places[usize::from(at)];
        self.links.clear(at);
        self.link(entry, job, at, out);
        self.link(other.entry, other.job.get().expect("its last processor was not idle"), free, out);
    }

    #[inline(always)]
    fn link(&mut self, entry: Entry, job: JobId, at: u16, out: &mut Decisions) {
        out.look(self.links.set(at, entry, job));
    }
}

impl Policy for Clustered {
    #[inline(always)]
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        let processors = self.links.processors as u32;
        Priority::new(self.order.rule.point(job, jobs, processors), job)
    }

    /// Always inlined: most callers know which event it is, and some events are nothing to this policy.
    #[inline(always)]
    fn note(&mut self, _: Instant, event: Event, jobs: &Jobs) {
        match event {
            Event::Ready(job) | Event::Resumed(job) => self.admit(job, jobs),
            Event::Completed(job) | Event::Suspended(job) | Event::Aborted(job) => self.withdraw(job, jobs),
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
        if self.urgencies_changed || self.links.idle > 1 {
            self.select(jobs, out);
            self.place_incoming(jobs, out);
        } else if self.links.idle == 1 {
            // Mostly a job is complete, and another one takes its place.
            if let Some(top) = self.backlogged.pop() {
                self.link_or_swap(top, jobs, out);
            }
        }
    }

    #[inline]
    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.links.places[usize::from(self.links.place_of(cpu))].job.get()
    }

    fn promises(&self) -> &'static [Invariant] {
        if self.preemptive {
            &[Invariant::WorkConserving, Invariant::RespectsPriority]
        } else {
            &[Invariant::WorkConserving, Invariant::NonPreemptive]
        }
    }
}
