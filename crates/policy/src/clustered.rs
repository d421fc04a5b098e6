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

use crate::decisions::Decisions;
use crate::order::Order;
use crate::setup::ClusterSetup;
use crate::Policy;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{CpuId, Event, Heap, HeapKey, Instant, Invariant, JobId, Jobs, Priority, TaskId};

/// A job and its effective priority in one number: the priority's rank, the task whose id breaks ties (another
/// than the job's own if the priority is inherited or a ceiling), and the job's task, counted on from the one after
/// that, so that a job with its own priority goes after all who have it from it. No two live jobs compare equal.
#[derive(Clone, Copy, Debug)]
struct Entry(u128);

impl Entry {
    /// Goes before every job: nobody is there.
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

const UNLINKED: u16 = u16::MAX;

/// By place: who is linked there.
#[derive(Clone, Debug)]
struct Links {
    jobs: Vec<Option<JobId>>,
    entries: Vec<Entry>,
    /// A bit for each idle place.
    idle_places: Vec<u64>,
    idle: usize,
}

impl Links {
    fn new(places: usize) -> Self {
        let idle_in = |word: usize| u64::MAX >> (64 - (places - 64 * word).min(64));
        Links {
            jobs: vec![None; places],
            entries: vec![Entry::IDLE; places],
            idle_places: (0..places.div_ceil(64)).map(idle_in).collect(),
            idle: places,
        }
    }

    #[inline]
    fn job(&self, at: u16) -> Option<JobId> {
        self.jobs[usize::from(at)]
    }

    #[inline]
    fn is_idle(&self, at: u16) -> bool {
        self.entries[usize::from(at)].0 == Entry::IDLE.0
    }

    /// The lowest idle place. Only asked while there is one.
    #[inline]
    fn first_idle(&self) -> u16 {
        let word = self.idle_places.iter().position(|word| *word != 0).expect("room was made");
        (64 * word) as u16 + self.idle_places[word].trailing_zeros() as u16
    }

    /// The least urgent linked job's entry. Only asked while there is one.
    #[inline]
    fn least_urgent(&self) -> Entry {
        Entry(self.entries.iter().map(|entry| entry.0).fold(0, u128::max))
    }

    /// Links `job` to an idle place.
    #[inline]
    fn set(&mut self, at: u16, entry: Entry, job: JobId) {
        let before = core::mem::replace(&mut self.entries[usize::from(at)], entry);
        assert_eq!(before.0, Entry::IDLE.0, "{job} is linked where another job is");
        self.jobs[usize::from(at)] = Some(job);
        self.idle_places[usize::from(at / 64)] &= !(1 << (at % 64));
        self.idle -= 1;
    }

    /// Makes the place idle: whose it was.
    #[inline]
    fn clear(&mut self, at: u16) -> Entry {
        self.jobs[usize::from(at)] = None;
        self.idle_places[usize::from(at / 64)] |= 1 << (at % 64);
        self.idle += 1;
        core::mem::replace(&mut self.entries[usize::from(at)], Entry::IDLE)
    }
}

/// Keeps the most urgent ready jobs of one cluster linked to its processors.
#[derive(Clone, Debug)]
pub struct Clustered {
    order: Order,
    preemptive: bool,
    cpus: Vec<CpuId>,
    /// By processor of the platform: its place in `cpus`.
    place: Vec<u16>,
    links: Links,
    /// By task: the number of its live job, and the place where it is linked.
    live: Vec<(u32, u16)>,
    /// Ready jobs that are linked nowhere.
    backlogged: Heap<Entry>,
    /// A job became ready, or more or less urgent, since the last decision: only then may one give way to another.
    urgencies_changed: bool,
    incoming: Vec<Entry>,
}

impl Clustered {
    /// An idle cluster under `order`.
    pub fn new(order: Order, preemptive: bool, setup: &ClusterSetup<'_>) -> Self {
        let processors = usize::from(setup.platform.processors());
        let mut place = vec![UNLINKED; processors];
        for (at, cpu) in setup.cpus.iter().enumerate() {
            place[cpu.index()] = at as u16;
        }
        Clustered {
            order,
            preemptive,
            cpus: setup.cpus.to_vec(),
            place,
            links: Links::new(setup.cpus.len()),
            live: vec![(0, UNLINKED); setup.tasks.len()],
            backlogged: Heap::with_capacity(setup.tasks.len()),
            urgencies_changed: false,
            incoming: Vec::with_capacity(setup.cpus.len()),
        }
    }

    #[inline]
    fn admit(&mut self, job: JobId, jobs: &Jobs) {
        let live = &mut self.live[job.slot()];
        live.0 = job.number;
        assert_eq!(live.1, UNLINKED, "{job} is linked before it is ready");
        self.backlogged.push(Entry::new(job, jobs.get(job).effective));
        self.urgencies_changed = true;
    }

    /// Forgets `job` until it is admitted again.
    #[inline]
    fn withdraw(&mut self, job: JobId) {
        let at = core::mem::replace(&mut self.live[job.slot()].1, UNLINKED);
        if at == UNLINKED {
            self.backlogged.remove_where(|entry| entry.task() == job.task);
        } else {
            self.links.clear(at);
        }
    }

    #[inline]
    fn link(&mut self, entry: Entry, job: JobId, at: u16) {
        self.live[job.slot()].1 = at;
        self.links.set(at, entry, job);
    }

    /// The effective priority of `job` is another now.
    fn reorder(&mut self, job: JobId, jobs: &Jobs) {
        let entry = Entry::new(job, jobs.get(job).effective);
        match self.live[job.slot()].1 {
            UNLINKED => {
                // A job that is neither linked nor backlogged is suspended: it will be admitted anew.
                if self.backlogged.remove_where(|known| known.task() == job.task).is_some() {
                    self.backlogged.push(entry);
                }
            }
            at => self.links.entries[usize::from(at)] = entry,
        }
        self.urgencies_changed = true;
    }

    /// Collects in `incoming` the jobs that are to be linked, and makes room for each.
    #[inline]
    fn select(&mut self, out: &mut Decisions) {
        while let Some(top) = self.backlogged.peek() {
            if self.links.idle > self.incoming.len() {
                self.backlogged.pop();
            } else if self.urgencies_changed && self.preemptive && self.incoming.len() < self.cpus.len() {
                // All who are linked are busy: the least urgent of them may have to give way.
                let displaced = self.links.least_urgent();
                if !top.goes_before(displaced) {
                    break;
                }
                let at = core::mem::replace(&mut self.live[displaced.task().index()].1, UNLINKED);
                self.backlogged.replace_top(displaced);
                self.links.clear(at);
                out.look(self.cpus[usize::from(at)]);
            } else {
                break;
            }
            self.incoming.push(top);
        }
        self.urgencies_changed = false;
    }

    /// Links the incoming jobs: first those whose last processor is free, then the others, by rising processor.
    #[inline]
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
        let job = self.job(entry);
        let Some(cpu) = jobs.get(job).last_cpu else { return false };
        let at = self.place[cpu.index()];
        let may_be = at != UNLINKED && self.links.is_idle(at);
        if may_be {
            self.link(entry, job, at);
            out.look(cpu);
        }
        may_be
    }

    /// Links a job to the first idle processor. If it is scheduled elsewhere, it stays there, and who is linked there
    /// goes to the idle one.
    #[inline]
    fn link_or_swap(&mut self, entry: Entry, jobs: &Jobs, out: &mut Decisions) {
        let (job, free) = (self.job(entry), self.links.first_idle());
        if let Some(cpu) = jobs.get(job).scheduled_on {
            let at = self.place[cpu.index()];
            if at != UNLINKED && at != free {
                let other = self.links.clear(at);
                self.link(entry, job, at);
                self.link(other, self.job(other), free);
                out.look(cpu);
                out.look(self.cpus[usize::from(free)]);
                return;
            }
        }
        self.link(entry, job, free);
        out.look(self.cpus[usize::from(free)]);
    }

    #[inline]
    fn job(&self, entry: Entry) -> JobId {
        let task = entry.task();
        JobId::new(task, self.live[task.index()].0)
    }
}

impl Policy for Clustered {
    #[inline]
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        let processors = self.cpus.len() as u32;
        Priority::new(self.order.rule.point(jobs.get(job), jobs.task(job.task), processors), job)
    }

    /// Always inlined: most callers know which event it is, and some events are nothing to this policy.
    #[inline(always)]
    fn note(&mut self, _: Instant, event: Event, jobs: &Jobs) {
        match event {
            Event::Ready(job) | Event::Resumed(job) => self.admit(job, jobs),
            Event::Completed(job) | Event::Suspended(job) | Event::Aborted(job) => self.withdraw(job),
            Event::PriorityChanged(job) => self.reorder(job, jobs),
            Event::Dispatched { .. }
            | Event::Undispatched { .. }
            | Event::Timer(_)
            | Event::BudgetExhausted(_)
            | Event::Joined(_)
            | Event::Left(_) => {}
        }
    }

    #[inline]
    fn decide(&mut self, _: Instant, jobs: &Jobs, out: &mut Decisions) {
        self.select(out);
        self.place_incoming(jobs, out);
    }

    #[inline]
    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.links.job(self.place[cpu.index()])
    }

    fn promises(&self) -> &'static [Invariant] {
        if self.preemptive {
            &[Invariant::WorkConserving, Invariant::RespectsPriority]
        } else {
            &[Invariant::WorkConserving, Invariant::NonPreemptive]
        }
    }
}
