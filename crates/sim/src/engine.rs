//! The main loop: from one instant to the next.

use crate::arrivals::Arrivals;
use crate::clusters::Clusters;
use crate::cpu::{Activity, Cpu};
use crate::deciders::Deciders;
use crate::ends::Ends;
use crate::locks::Locking;
use crate::looks::Looks;
use crate::recording::Recording;
use crate::setup::{Setup, Summary};
use crate::stream::Stream;
use crate::task_state::TaskState;
use crate::timers::{Kind, Timers};
use schedlab_lock::LockProtocol;
use schedlab_model::{ClusterId, CpuId, Duration, Event, Instant, JobId, JobSource, Jobs, TaskId};
use schedlab_policy::Policy;
use schedlab_trace::{Record, Sink};

/// How often the watcher is asked, in instants.
const WATCH_EVERY: u64 = 1 << 16;

/// The whole state of a simulation.
///
/// A run that is not `WHOLE` has no overheads, and its jobs just execute: they have no steps, and so neither locks nor
/// suspensions. What only these need is not compiled into it: most experiments are so, and take half the instructions.
pub(crate) struct Engine<P, L, J, S, const WHOLE: bool> {
    pub now: Instant,
    pub setup: Setup,
    pub jobs: Jobs,
    pub tasks: Vec<TaskState>,
    pub arrivals: Arrivals,
    pub timers: Timers,
    pub cpus: Vec<Cpu>,
    pub ends: Ends,
    pub clusters: Clusters<P>,
    pub locks: Locking<L>,
    pub source: J,
    pub recording: Recording<S>,
    /// Tasks whose next job becomes ready at this instant.
    pub becoming_ready: Vec<TaskId>,
    /// Processors that have to look at their links.
    pub looks: Looks<WHOLE>,
    /// Tasks whose job another processor has to let go of, and the processor that waits for it: one for each task.
    pub awaited: Vec<(TaskId, CpuId)>,
    pub any_budget: bool,
    /// How decisions are made, where that costs more than scheduling.
    pub deciders: Deciders,
}

impl<P: Policy, L: LockProtocol, J: JobSource, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    pub(crate) fn new(setup: Setup, policies: Vec<P>, locks: L, source: J, sink: S) -> Self {
        let (tasks, clusters) = (setup.tasks.len(), setup.platform.clusters.len());
        let processors = usize::from(setup.platform.processors());
        assert_eq!(policies.len(), clusters, "one policy per cluster");
        for task in &setup.tasks {
            assert!(task.cluster.index() < clusters, "a task's cluster exists");
        }
        let cpus = (0..processors as u16).map(|cpu| Cpu::new(setup.platform.cluster_of(CpuId(cpu))));
        Engine {
            now: Instant::ZERO,
            jobs: Jobs::new(setup.tasks.clone()),
            tasks: setup
                .tasks
                .iter()
                .map(|task| {
                    TaskState::new(Stream::new(setup.horizon.min(task.leave), task.relative_deadline))
                })
                .collect(),
            arrivals: Arrivals::new(&setup.tasks),
            timers: Timers::new(clusters, 2 * tasks + processors),
            cpus: cpus.collect(),
            ends: Ends::new(processors),
            clusters: Clusters::new(policies, processors, tasks),
            locks: Locking::new(locks, tasks, processors),
            source,
            recording: Recording::new(sink),
            becoming_ready: Vec::with_capacity(tasks),
            looks: Looks::new(processors),
            awaited: Vec::with_capacity(tasks),
            any_budget: false,
            deciders: Deciders::new(setup.charges.deciding, setup.charges.scheduling, &setup.platform),
            setup,
        }
    }

    /// Arms what is known from the start, and does the instant zero, at which every policy decides.
    pub(crate) fn start(&mut self) {
        self.enforce_wcets();
        for index in 0..self.setup.tasks.len() as u32 {
            let (join, leave) =
                (self.setup.tasks[index as usize].join, self.setup.tasks[index as usize].leave);
            if join > Instant::ZERO {
                self.timers.push(join, Kind::Join, index);
            }
            if leave < Instant::NEVER {
                self.timers.push(leave, Kind::Leave, index);
            }
            let is_server = WHOLE && self.is_server(TaskId(index));
            if !is_server {
                self.fetch_next_job(TaskId(index));
            }
        }
        if self.setup.charges.tick > Duration::ZERO {
            for cpu in 0..self.cpus.len() as u16 {
                let first = self.setup.platform.next_boundary(CpuId(cpu), Instant::ZERO);
                self.timers.push(first, Kind::Tick, cpu.into());
            }
        }
        for cluster in 0..self.clusters.len() as u16 {
            self.clusters.touch(ClusterId(cluster));
        }
        self.do_instant();
    }

    pub(crate) fn run(mut self, watch: &mut dyn FnMut(Instant) -> bool) -> Summary {
        self.start();
        while let Some(instants) = self.step_before(self.setup.horizon) {
            if instants % WATCH_EVERY == 0 && !watch(self.now) {
                self.recording.stop();
                return self.recording.summary();
            }
        }
        self.finish()
    }

    /// Does the next instant at which something happens by itself: how many that makes. `None` if there is none before
    /// `limit`.
    #[inline(always)]
    pub(crate) fn step_before(&mut self, limit: Instant) -> Option<u64> {
        let next = self.next_instant();
        if next >= limit {
            return None;
        }
        self.now = next;
        let instants = self.recording.begin_instant();
        self.do_instant();
        Some(instants)
    }

    /// When something happens next by itself.
    #[inline(always)]
    pub(crate) fn next_instant(&self) -> Instant {
        self.ends.first().min(self.arrivals.first()).min(self.timers.next())
    }

    /// All that happens at this instant, in the written order: executions and overheads that end, arrivals, timers by
    /// their kinds, and what follows from these.
    #[inline(always)]
    pub(crate) fn do_instant(&mut self) {
        if self.ends.first() == self.now {
            self.end_segments();
        }
        if self.arrivals.first() == self.now {
            self.take_arrivals();
        }
        if self.timers.next() == self.now {
            self.take_timers();
        }
        self.settle();
    }

    /// What follows, until nothing is left to do at this instant: jobs become ready, those that run make their requests,
    /// clusters decide, processors look at their links.
    #[inline(always)]
    pub(crate) fn settle(&mut self) {
        loop {
            if WHOLE && self.locks.has_effects() {
                // What a protocol wants because a job began or ceased to occupy a processor.
                self.apply_effects();
            }
            if !self.becoming_ready.is_empty() {
                self.make_ready();
            } else if WHOLE && self.locks.has_requests() {
                self.make_requests();
            } else if self.clusters.are_touched() {
                self.decide();
            } else if let Some(look) = self.next_look() {
                self.look(look);
            } else {
                break;
            }
        }
        self.ends.settle();
    }

    /// What happens at the horizon itself: work that is done by then counts, nothing new begins.
    pub(crate) fn finish(mut self) -> Summary {
        self.now = self.setup.horizon;
        self.complete_at_horizon();
        self.end_run()
    }

    /// Who is late by now has missed its deadline, and no more is recorded.
    pub(crate) fn end_run(&mut self) -> Summary {
        for index in 0..self.tasks.len() {
            self.settle_unfinished(TaskId(index as u32));
        }
        self.record(Record::End);
        self.recording.summary()
    }

    fn complete_at_horizon(&mut self) {
        for cpu in (0..self.cpus.len() as u16).map(CpuId) {
            if self.ends.at(cpu) == self.now && self.cpus[cpu.index()].activity == Activity::Executing {
                self.end_execution(cpu);
                self.end_job_if_done(cpu);
            }
        }
    }

    /// Tells the protocol, then the policy of `cluster`.
    #[inline(always)]
    pub(crate) fn tell(&mut self, cluster: ClusterId, event: Event) {
        if WHOLE {
            self.tell_locks(event);
        }
        self.tell_policy(cluster, event);
        if WHOLE {
            self.apply_effects();
        }
    }

    /// The same for what needs no decision, and nothing to be done at once.
    #[inline(always)]
    pub(crate) fn inform(&mut self, cluster: ClusterId, event: Event) {
        if WHOLE {
            self.tell_locks(event);
        }
        self.clusters.inform(cluster, self.now, event, &self.jobs);
    }

    /// Tells the policy of `cluster` what the protocol itself has brought about, or knows already.
    #[inline(always)]
    pub(crate) fn tell_policy(&mut self, cluster: ClusterId, event: Event) {
        self.clusters.tell(cluster, self.now, event, &self.jobs);
    }

    #[inline]
    pub(crate) fn cluster_of(&self, job: JobId) -> ClusterId {
        self.jobs.get(job).cluster
    }

    #[inline]
    pub(crate) fn record(&mut self, record: Record) {
        self.recording.record(self.now, record);
    }
}
