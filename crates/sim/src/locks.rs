//! A locking protocol, what it wants done, and who is about to ask it for something.

use schedlab_lock::{Effect, Effects, Hears, Inheritance, LockProtocol, Reply, Section, Turn};
use schedlab_model::{CpuId, Event, Instant, JobId, Jobs};

/// The protocol of task sets that share nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLocks;

impl LockProtocol for NoLocks {
    fn request(&mut self, Section { job, resource, .. }: Section, _: &mut Turn<'_>) -> Reply {
        panic!("{job} requests {resource}, but the task set was said to share nothing");
    }

    fn release(&mut self, Section { job, resource, .. }: Section, _: &mut Turn<'_>) {
        panic!("{job} releases {resource}, but the task set was said to share nothing");
    }

    fn hears(&self) -> Hears {
        Hears::Aborts
    }
}

/// The part of the engine that only jobs with sections need.
#[derive(Default)]
pub(crate) struct Locking<L> {
    pub protocol: L,
    /// Who inherits from whom.
    pub inheritance: Inheritance,
    effects: Effects,
    is_applying: bool,
    /// Processors whose running job is about to make a request.
    pub requests: Vec<CpuId>,
    /// Tasks execute the sections of others.
    pub have_servers: bool,
    /// By task, if it does: the job whose section it executes, or did last, and of how many units.
    pub clients: Vec<(JobId, u32)>,
    /// The events that the protocol hears of.
    pub hears: Hears,
}

impl<L> Locking<L> {
    /// No job holds or wants anything of another protocol, in the same memory.
    pub(crate) fn renewed<M: LockProtocol>(
        mut self,
        protocol: M,
        tasks: usize,
        processors: usize,
    ) -> Locking<M> {
        self.inheritance.renew(tasks);
        self.effects.renew(tasks);
        self.requests.clear();
        self.requests.reserve(processors);
        self.clients.clear();
        self.clients.resize(tasks, (JobId::default(), 0));
        let hears = protocol.hears();
        Locking { is_applying: false, have_servers: false, hears, ..self.with(protocol) }
    }

    /// The same with this protocol.
    pub(crate) fn with<M>(self, protocol: M) -> Locking<M> {
        let Locking { inheritance, effects, is_applying, requests, have_servers, clients, hears, .. } = self;
        Locking { protocol, inheritance, effects, is_applying, requests, have_servers, clients, hears }
    }
}

impl<L: LockProtocol> Locking<L> {
    /// Asks or tells the protocol something. What it wants done is an effect.
    #[inline(always)]
    pub(crate) fn ask<T>(
        &mut self,
        now: Instant,
        jobs: &Jobs,
        question: impl FnOnce(&mut L, &mut Turn<'_>) -> T,
    ) -> T {
        question(&mut self.protocol, &mut Turn { now, jobs, out: &mut self.effects })
    }

    /// Tells the protocol of `event`, if it hears of such.
    #[inline(always)]
    pub(crate) fn tell(&mut self, now: Instant, jobs: &Jobs, event: Event) {
        if self.hears.of(event) {
            self.ask(now, jobs, |protocol, turn| protocol.note(event, turn));
        }
    }

    /// True if the protocol wants something done.
    #[inline]
    pub(crate) fn has_effects(&self) -> bool {
        !self.effects.is_empty()
    }

    /// Begins to carry out effects; false if that goes on already, or there are none.
    #[inline]
    pub(crate) fn begin_effects(&mut self) -> bool {
        let begins = !self.is_applying && !self.effects.is_empty();
        self.is_applying |= begins;
        begins
    }

    /// Takes the effect, if it is the only one, that `job` can be preempted, or no longer: which of these.
    #[inline(always)]
    pub(crate) fn take_only_preemptability(&mut self, job: JobId) -> Option<bool> {
        match self.is_applying {
            true => None,
            false => self.effects.pop_only_preemptability(job),
        }
    }

    /// Takes the effect that comes first. Without one, carrying out has ended.
    pub(crate) fn next_effect(&mut self) -> Option<Effect> {
        let effect = self.effects.pop_first().copied();
        self.is_applying = effect.is_some();
        effect
    }

    /// The running job of `cpu` does not, if it was about to.
    pub(crate) fn forget_request(&mut self, cpu: CpuId) {
        self.requests.retain(|other| *other != cpu);
    }

    /// Requests are made by rising processor.
    pub(crate) fn sort_requests(&mut self) {
        self.requests.sort_unstable_by(|a, b| b.cmp(a));
    }
}
