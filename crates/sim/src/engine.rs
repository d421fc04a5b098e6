//! The main loop of the engine, from one instant to the next.
//!
//! This file holds the state and the basic operations: to record, to notify policies and protocols of events, and to
//! carry out the effects that a protocol wants. The files in the folder handle the events. Each calls those after it:
//!
//! ```text
//! by itself       alone, events, releases
//! by a protocol   effects
//! by a decision   deciding, stops, overruns, aborts
//! on processors   dispatch, queue_moves, architecture
//! to steps        requests, execution, serving, sections
//! to jobs         completion, suspension, readiness, priorities, occupation
//! ```
//!
//! Effects of a protocol may cause events of which it is notified again: `apply_effects` carries out one effect after
//! another.

mod aborts;
mod alone;
mod architecture;
mod completion;
mod deciding;
mod dispatch;
mod effects;
mod events;
mod execution;
mod looks;
mod occupation;
mod overruns;
mod priorities;
mod queue_moves;
mod readiness;
mod releases;
mod requests;
mod sections;
mod serving;
mod stops;
mod suspension;

use crate::behaviour::Source;
use crate::budgets::Budgets;
use crate::clusters::Clusters;
use crate::deciders::Deciders;
use crate::given_up::GivenUp;
use crate::job_table::JobTable;
use crate::locks::Locking;
use crate::overheads::Overheads;
use crate::processors::Processors;
use crate::progress::Progress;
use crate::recording::Recording;
use crate::setup::{Setup, Summary};
use crate::streams::Streams;
use crate::timers::{Kind, Timers};
use crate::workspace::Parts;
use schedlab_lock::{Inheritance, LockProtocol, Turn};
use schedlab_model::{ClusterId, CpuId, Duration, Event, Instant, JobId, TaskId};
use schedlab_policy::Policy;
use schedlab_trace::{Record, Sink};

/// Number of instants between two calls of the watcher.
const WATCH_EVERY: u64 = 1 << 16;

/// Outcome of handling an execution that ends alone at its instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alone {
    /// Nothing was handled and the instant was not begun, because something else happens by itself, too.
    Not,
    /// The execution has ended, and the rest of the instant is still to be handled.
    Begun,
    /// The instant is handled completely.
    Done,
}

/// A simulation: its parts, each with a state of its own, and the time.
///
/// A run that is not `WHOLE` has no overheads, and its jobs have no steps: they only execute, without locks or
/// suspensions. Code that only steps and overheads need is not compiled into it. Most experiments are of this kind, and
/// take half the instructions.
pub(crate) struct Engine<P, L, J: Source, S, const WHOLE: bool> {
    pub now: Instant,
    pub setup: Setup,
    pub jobs: JobTable,
    /// Progress of the live job, by task.
    pub progress: Vec<Progress<J::Behaviour>>,
    pub streams: Streams<J>,
    pub timers: Timers,
    pub budgets: Budgets,
    pub given_up: GivenUp,
    pub processors: Processors<WHOLE>,
    pub overheads: Overheads,
    /// Processors that take turns to decide, if deciding takes more than the overhead of scheduling.
    pub deciders: Deciders,
    pub clusters: Clusters<P>,
    pub locks: Locking<L>,
    /// Inheritance of priorities among jobs; only `priorities` reads and changes it.
    inheritance: Inheritance,
    pub recording: Recording<S>,
}

impl<P: Policy, L: LockProtocol, J: Source, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// Makes the system at time zero, in the memory of `parts`.
    pub(crate) fn new(
        parts: Parts<J::Behaviour>,
        setup: Setup,
        policies: Vec<P>,
        locks: L,
        source: J,
        sink: S,
    ) -> Self {
        let (tasks, clusters) = (setup.tasks.len(), setup.platform.clusters.len());
        let processors = usize::from(setup.platform.processors());
        assert_eq!(policies.len(), clusters, "one policy per cluster");
        for task in &setup.tasks {
            assert!(task.cluster.index() < clusters, "a task's cluster exists");
        }
        let Parts { mut jobs, mut progress, mut timers, mut budgets, mut overheads, mut inheritance, .. } =
            parts;
        jobs.renew(&setup.tasks);
        progress.iter_mut().for_each(Progress::renew);
        progress.resize_with(tasks, Progress::new);
        inheritance.renew(tasks);
        timers.renew(clusters, 2 * tasks + processors);
        budgets.renew(&setup.tasks, setup.overruns);
        overheads.renew(processors, tasks, !setup.charges.are_none());
        let mut clusters = parts.clusters.renewed(policies, processors, tasks);
        clusters.decisions.take_moves(!(setup.charges.push + setup.charges.pull).is_zero());
        Engine {
            now: Instant::ZERO,
            jobs,
            progress,
            streams: parts.streams.renewed(&setup, source),
            timers,
            budgets,
            given_up: GivenUp::default(),
            processors: parts.processors.renewed(&setup.platform, tasks),
            overheads,
            deciders: Deciders::new(setup.charges.deciding, setup.charges.scheduling, &setup.platform),
            clusters,
            locks: parts.locks.renewed(locks, tasks, processors),
            inheritance,
            recording: Recording::new(sink),
            setup,
        }
    }

    /// Returns the engine's memory, for another system.
    pub(crate) fn into_parts(self) -> Parts<J::Behaviour> {
        Parts {
            jobs: self.jobs,
            progress: self.progress,
            streams: self.streams.with(()),
            timers: self.timers,
            budgets: self.budgets,
            processors: self.processors.counted(),
            overheads: self.overheads,
            clusters: self.clusters.with(Vec::new()),
            locks: self.locks.with(()),
            inheritance: self.inheritance,
        }
    }

    /// Sets the timers that are known from the start, and handles the instant zero, at which every policy decides.
    pub(crate) fn start(&mut self) {
        for index in 0..self.setup.tasks.len() as u32 {
            let (join, leave) =
                (self.setup.tasks[index as usize].join, self.setup.tasks[index as usize].leave);
            if join > Instant::ZERO {
                self.timers.push(join, Kind::Join, index);
            }
            if leave < Instant::NEVER {
                self.timers.push(leave, Kind::Leave, index);
            }
            if WHOLE && self.is_server(TaskId(index)) {
                self.locks.use_servers();
            } else {
                self.streams.fetch(TaskId(index));
            }
        }
        if self.setup.charges.tick > Duration::ZERO {
            for cpu in self.processors.ids() {
                let first = self.setup.platform.next_boundary(cpu, Instant::ZERO);
                self.timers.push(first, Kind::Tick, cpu.0.into());
            }
        }
        for cluster in 0..self.clusters.len() as u16 {
            self.clusters.touch(ClusterId(cluster));
        }
        self.do_instant(true);
    }

    pub(crate) fn run(&mut self, watch: &mut dyn FnMut(Instant) -> bool) -> Summary {
        self.start();
        while let Some(instants) = self.step_before(self.setup.horizon) {
            if instants % WATCH_EVERY == 0 && !watch(self.now) {
                return self.recording.stop();
            }
        }
        self.now = self.setup.horizon;
        self.complete_at_horizon();
        self.end_run()
    }

    /// Handles the next instant at which something happens by itself, and those before it at which one execution alone
    /// ends. Returns the number of all instants so far; `None` if nothing else happens before `limit`.
    #[inline(always)]
    pub(crate) fn step_before(&mut self, limit: Instant) -> Option<u64> {
        // Most often one execution ends and nothing else happens, which needs only a part of the order of events.
        let other = self.streams.arrivals.first().min(self.timers.next());
        if WHOLE {
            match self.end_alone(other.min(limit)) {
                Alone::Not => {}
                Alone::Begun => {
                    self.do_instant(false);
                    return Some(self.recording.summary.instants);
                }
                Alone::Done => {
                    self.processors.settle();
                    return Some(self.recording.summary.instants);
                }
            }
        }
        let end = self.processors.ends().first();
        let next = end.min(other);
        if next >= limit {
            return None;
        }
        self.begin_instant(next);
        if WHOLE || end >= other || !self.complete_alone() {
            self.do_instant(true);
        }
        Some(self.recording.summary.instants)
    }

    /// Begins the instant `now`, at which something happens.
    #[inline(always)]
    pub(crate) fn begin_instant(&mut self, now: Instant) {
        self.now = now;
        self.recording.begin_instant();
    }

    /// Returns the next instant at which something happens by itself.
    #[inline(always)]
    pub(crate) fn next_instant(&self) -> Instant {
        self.processors.ends().first().min(self.streams.arrivals.first()).min(self.timers.next())
    }

    /// Handles all events of this instant in their order: those that happen by themselves if `by_itself`, and
    /// everything that follows until nothing is left to do.
    #[inline(always)]
    pub(crate) fn do_instant(&mut self, by_itself: bool) {
        if by_itself {
            if self.processors.ends().first() == self.now {
                self.end_segments();
            }
            if self.streams.arrivals.first() == self.now {
                self.take_arrivals();
            }
            if self.timers.next() == self.now {
                self.take_timers();
            }
        }
        loop {
            if WHOLE && self.locks.has_effects() {
                // The protocol may want effects because a job began or ceased to occupy a processor.
                self.apply_effects();
            }
            if self.streams.are_becoming_ready() {
                self.make_ready();
            } else if WHOLE && self.locks.are_requests() {
                self.make_requests();
            } else if self.clusters.are_touched() {
                self.decide();
            } else if let Some(look) = self.next_look() {
                self.look(look);
            }
            if !self.is_more_to_do() {
                break;
            }
        }
        self.processors.settle();
    }

    /// True if something is left to do at this instant. Checked first, because most often nothing is.
    #[inline(always)]
    fn is_more_to_do(&self) -> bool {
        WHOLE && self.locks.has_effects() || self.is_more_after_effects()
    }

    /// True if something is left to do at this instant, given that the protocol wants no effects.
    #[inline(always)]
    fn is_more_after_effects(&self) -> bool {
        (WHOLE && self.locks.are_requests())
            | self.streams.are_becoming_ready()
            | self.clusters.are_touched()
            | self.processors.are_looks()
    }

    /// Completes jobs whose work is done exactly at the horizon; nothing new begins there.
    fn complete_at_horizon(&mut self) {
        for cpu in self.processors.ids() {
            if self.processors.ends().at(cpu) == self.now && self.processors.is_executing(cpu) {
                self.end_execution(cpu);
                self.end_job_if_done(cpu);
            }
        }
    }

    /// Ends the run: records the misses of unfinished jobs that are late by now, and the end.
    pub(crate) fn end_run(&mut self) -> Summary {
        for index in 0..self.setup.tasks.len() {
            self.settle_unfinished(TaskId(index as u32));
        }
        self.record(Record::End);
        self.recording.summary
    }

    /// True if the machine takes something for itself.
    #[inline(always)]
    fn has_overheads(&self) -> bool {
        WHOLE && self.overheads.exist()
    }

    /// Notifies the protocol of an event, then the policy of `cluster`, which decides later at this instant.
    #[inline(always)]
    fn tell(&mut self, cluster: ClusterId, event: Event) {
        if WHOLE {
            self.tell_locks(event);
        }
        self.tell_policy(cluster, event);
        if WHOLE {
            self.apply_effects();
        }
    }

    /// Notifies the protocol and the policy of `cluster` of an event that needs no decision and has no immediate
    /// effects.
    #[inline(always)]
    fn inform(&mut self, cluster: ClusterId, event: Event) {
        if WHOLE {
            self.tell_locks(event);
        }
        self.clusters.inform(cluster, self.now, event, &self.jobs);
    }

    /// Notifies the policy of `cluster` of an event that the protocol itself has caused, or already knows.
    #[inline(always)]
    fn tell_policy(&mut self, cluster: ClusterId, event: Event) {
        self.clusters.tell(cluster, self.now, event, &self.jobs);
    }

    /// Calls the protocol with the current time and the job table.
    #[inline(always)]
    fn with_locks<T>(&mut self, ask: impl FnOnce(&mut L, &mut Turn<'_>) -> T) -> T {
        self.locks.ask(self.now, &self.jobs, ask)
    }

    /// Notifies the protocol of `event`.
    #[inline(always)]
    fn tell_locks(&mut self, event: Event) {
        self.locks.tell(self.now, &self.jobs, event);
    }

    /// Carries out the effects that the protocol wants, in order; effects that this causes come after.
    #[inline(always)]
    fn apply_effects(&mut self) {
        if self.locks.has_effects() {
            self.apply_all_effects();
        }
    }

    /// Carries out the effects of what the job did. Most often the only one is that the job becomes preemptable or
    /// non-preemptive. Returns true if something else may happen at this instant because of the effects.
    #[inline(always)]
    fn apply_effects_on(&mut self, job: JobId) -> bool {
        match self.locks.take_only_preemptability(job) {
            Some(preemptable) => self.set_preemptable(job, preemptable),
            None => {
                self.apply_effects();
                true
            }
        }
    }

    #[inline(never)]
    fn apply_all_effects(&mut self) {
        if self.locks.begin_effects() {
            while let Some(effect) = self.locks.next_effect() {
                self.apply_effect(effect);
            }
        }
    }

    /// Returns the job that is linked to `cpu`.
    #[inline(always)]
    pub(crate) fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.clusters.linked(self.processors.cluster_of(cpu), cpu)
    }

    #[inline]
    fn cluster_of(&self, job: JobId) -> ClusterId {
        self.jobs.get(job).cluster
    }

    #[inline]
    pub(crate) fn record(&mut self, record: Record) {
        self.recording.record(self.now, record);
    }
}
