//! A locking protocol, the effects that it wants, and the requests that are about to be made.

use schedlab_lock::{Effect, Effects, Hears, LockProtocol, Reply, Section, Turn};
use schedlab_model::{CpuId, Event, Instant, JobId, Jobs, ResourceId, TaskId};

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
    protocol: L,
    effects: Effects,
    is_applying: bool,
    /// Processors whose running job is about to make a request.
    requests: Vec<CpuId>,
    /// True if tasks execute the sections of others.
    have_servers: bool,
    /// By server task: the job whose section it executes, or did last, and the units of that section.
    clients: Vec<(JobId, u32)>,
    /// The events of which the protocol is notified.
    hears: Hears,
}

impl<L> Locking<L> {
    /// Replaces the protocol by another one, of which no job holds or wants anything, in the same memory.
    pub(crate) fn renewed<M: LockProtocol>(
        mut self,
        protocol: M,
        tasks: usize,
        processors: usize,
    ) -> Locking<M> {
        self.effects.renew(tasks);
        self.requests.clear();
        self.requests.reserve(processors);
        self.clients.clear();
        self.clients.resize(tasks, (JobId::default(), 0));
        let hears = protocol.hears();
        Locking { is_applying: false, have_servers: false, hears, ..self.with(protocol) }
    }

    /// Replaces the protocol, and keeps everything else.
    pub(crate) fn with<M>(self, protocol: M) -> Locking<M> {
        let Locking { effects, is_applying, requests, have_servers, clients, hears, .. } = self;
        Locking { protocol, effects, is_applying, requests, have_servers, clients, hears }
    }
}

impl<L: LockProtocol> Locking<L> {
    /// Calls the protocol, and collects the effects that it wants.
    #[inline(always)]
    pub(crate) fn ask<T>(
        &mut self,
        now: Instant,
        jobs: &Jobs,
        question: impl FnOnce(&mut L, &mut Turn<'_>) -> T,
    ) -> T {
        question(&mut self.protocol, &mut Turn { now, jobs, out: &mut self.effects })
    }

    /// Notifies the protocol of `event`, if it is one of those of which it wants to know.
    #[inline(always)]
    pub(crate) fn tell(&mut self, now: Instant, jobs: &Jobs, event: Event) {
        if self.hears.of(event) {
            self.ask(now, jobs, |protocol, turn| protocol.note(event, turn));
        }
    }

    /// True if the protocol is notified of all events.
    #[inline(always)]
    pub(crate) fn hear_all(&self) -> bool {
        self.hears == Hears::All
    }

    /// Returns the task that executes the sections of this resource for others, if one does.
    pub(crate) fn server_of(&self, resource: ResourceId) -> Option<TaskId> {
        self.protocol.server_of(resource)
    }

    /// Ends the attempt of `job` on a lock-free object; returns true if it succeeds.
    pub(crate) fn commit(&mut self, job: JobId, resource: ResourceId) -> bool {
        self.protocol.commit(job, resource)
    }

    /// Returns the mutex that `resource` is part of, if threads may take it by themselves.
    pub(crate) fn free_mutex(&self, resource: ResourceId) -> Option<usize> {
        self.protocol.free_mutex(resource)
    }

    /// True if the protocol wants something done.
    #[inline]
    pub(crate) fn has_effects(&self) -> bool {
        !self.effects.is_empty()
    }

    /// Begins to carry out effects; returns false if that goes on already, or there are none.
    #[inline]
    pub(crate) fn begin_effects(&mut self) -> bool {
        let begins = !self.is_applying && !self.effects.is_empty();
        self.is_applying |= begins;
        begins
    }

    /// Takes the only effect, if it is that `job` becomes preemptable or non-preemptive; returns true for preemptable.
    #[inline(always)]
    pub(crate) fn take_only_preemptability(&mut self, job: JobId) -> Option<bool> {
        match self.is_applying {
            true => None,
            false => self.effects.pop_only_preemptability(job),
        }
    }

    /// Takes the first effect. If there is none, carrying out has ended.
    pub(crate) fn next_effect(&mut self) -> Option<Effect> {
        let effect = self.effects.pop_first().copied();
        self.is_applying = effect.is_some();
        effect
    }

    /// True if running jobs are about to make requests.
    #[inline(always)]
    pub(crate) fn are_requests(&self) -> bool {
        !self.requests.is_empty()
    }

    /// Notes that the running job of `cpu` is about to make a request.
    pub(crate) fn expect_request(&mut self, cpu: CpuId) {
        self.requests.push(cpu);
    }

    /// Removes the request that the running job of `cpu` was about to make, if any.
    pub(crate) fn forget_request(&mut self, cpu: CpuId) {
        self.requests.retain(|other| *other != cpu);
    }

    /// Sorts the requests, which are made by rising processor.
    pub(crate) fn sort_requests(&mut self) {
        self.requests.sort_unstable_by(|a, b| b.cmp(a));
    }

    /// Takes the processor whose running job makes its request next.
    pub(crate) fn next_request(&mut self) -> Option<CpuId> {
        self.requests.pop()
    }

    /// Notes that tasks execute the sections of others.
    pub(crate) fn use_servers(&mut self) {
        self.have_servers = true;
    }

    /// True if tasks execute the sections of others.
    #[inline(always)]
    pub(crate) fn have_servers(&self) -> bool {
        self.have_servers
    }

    /// Notes that the job of `server` executes the section of `client`, with this many units.
    pub(crate) fn serve(&mut self, server: TaskId, client: JobId, units: u32) {
        self.clients[server.index()] = (client, units);
    }

    /// Returns the job whose section the job of `server` executes, or did last, and the units of that section.
    pub(crate) fn client_of(&self, server: TaskId) -> (JobId, u32) {
        self.clients[server.index()]
    }
}
