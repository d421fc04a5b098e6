//! Clusters that decide together: one engine behind one lock.
//!
//! Clusters that share no resource need not decide together: each is a domain of its own, so that P-EDF does not run
//! under one lock.

mod arming;
pub(crate) mod called;
mod core;
mod resources;

use self::called::EventDriven;
use self::core::Core;
use self::resources::{mutexes, served};
use crate::engine::dispatch_lock::EngineLock;
use crate::engine::stop_barrier::StopBarrier;
use crate::engine::surroundings::Surroundings;
use crate::machine::sys;
use crate::options::{Options, RECORDS};
use crate::record::inputs::EngineInput;
use crate::record::recorder::Recorder;
use crate::record::span::{Begun, Measured, Spans, Trigger};
use crate::timers::owner::Arming;
use schedlab_lock::{LockProtocol, Section};
use schedlab_model::{CpuId, Instant, JobId, JobSource, ResourceId, TaskId};
use schedlab_objects::{Due, FastSections, Guard, Mutex};
use schedlab_policy::Policy;
use schedlab_sim::{Input, Live, Setup, Summary};
use schedlab_trace::{Record, Sink};
use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::SeqCst;

/// Number of looks at the engine's lock after which a thread lets others of its priority run.
const LOOKS: u32 = 1_000;

/// The engine of a domain, which writes to an `S`.
pub(crate) type EngineInto<S> = Live<Box<dyn Policy>, Box<dyn LockProtocol>, Box<dyn JobSource + Send>, S>;

type Engine = EngineInto<Recorder>;

/// The parts of which a domain is made.
pub struct DomainSetup {
    /// The processors of the domain's clusters.
    pub cpus: Vec<CpuId>,
    /// By cluster of the platform: its policy. Those of other domains have nothing to do.
    pub policies: Vec<Box<dyn Policy>>,
    /// The domain's locking protocol.
    pub locks: Box<dyn LockProtocol>,
    /// The arrivals of the domain's tasks, and of no others.
    pub source: Box<dyn JobSource + Send>,
    /// True if threads that ask for a resource can go on without it, so that requests of jobs that are given up can be
    /// withdrawn.
    pub may_go_without: bool,
    /// By task: true if a budget server executes its jobs, which then only execute. A task beyond the end is in none.
    pub clients: Vec<bool>,
}

impl DomainSetup {
    /// The domain's engine, which writes to `sink`.
    pub(crate) fn live<S: Sink>(self, system: &Setup, sink: S) -> EngineInto<S> {
        let DomainSetup { policies, locks, source, may_go_without, .. } = self;
        let mut live = Live::new(system.clone(), policies, locks, source, sink);
        if may_go_without {
            live.let_go_without();
        }
        live
    }
}

/// The decisions of a domain, and its inputs.
#[derive(Debug, Default)]
pub struct Decided {
    /// The numbers of jobs.
    pub summary: Summary,
    /// All decisions, by time.
    pub records: Vec<(Instant, Record)>,
    /// The engine's inputs; `None` if they were too many to keep.
    pub inputs: Option<Vec<(Instant, JobId, EngineInput)>>,
    /// The time that the engine's own work took, as far as that was kept.
    pub measured: Measured,
}

/// Time between two attempts to get at an engine at the end of a run, in nanoseconds.
const PATIENCE: u64 = 20_000;

/// Number of failed attempts after which the holder of the engine's lock waits for its own processor.
const ATTEMPTS: u32 = 500;

/// An engine behind its lock, with the state by which threads use it.
pub(crate) struct Domain {
    core: Mutex<EngineLock, Core>,
    /// The time of what happens next by itself, by the monotonic clock.
    due: Due,
    /// The time for which the last timer was set, by the monotonic clock.
    last_due: AtomicU64,
    cpus: Vec<CpuId>,
    /// True if tasks' threads may decide wherever they are.
    interrupts: bool,
    /// The processors that stand still while a thread decides, if the run's architecture stops them.
    stop_barrier: Option<StopBarrier>,
    /// The sections that threads begin without a call of the engine.
    fast_sections: FastSections,
    /// By resource: the mutex that it is part of, if threads may take that in a fast section.
    mutex_of: Vec<Option<usize>>,
    /// By resource: true if a server executes the sections on it.
    served: Vec<bool>,
    /// By task: true if a budget server executes its jobs.
    clients: Vec<bool>,
    /// The tasks whose jobs other threads release.
    event_driven: EventDriven,
}

impl Domain {
    /// A domain that writes to `recorder`, and keeps as many inputs and spans as `options` say. `processors`: the
    /// machine's, by processor of the system.
    pub(crate) fn new(
        setup: DomainSetup,
        system: &Setup,
        recorder: Recorder,
        processors: &[usize],
        options: &Options,
        event_driven: EventDriven,
    ) -> Self {
        let (cpus, clients) = (setup.cpus.clone(), setup.clients.clone());
        // Without priorities, a thread that is let execute may wait for its processor all the same.
        let interrupts = options.interrupts && !options.unprivileged;
        let live = setup.live(system, recorder);
        let mutex_of = mutexes(&live, &system.tasks);
        let served = served(&live, mutex_of.len());
        let count = mutex_of.iter().flatten().max().map_or(0, |most| most + 1);
        let core = Core {
            live,
            scheduled: vec![None; cpus.len()],
            asked: vec![0; count],
            bound: vec![None; system.tasks.len()],
            inputs: Vec::with_capacity(RECORDS),
            inputs_lost: false,
            wakes: Vec::with_capacity(system.tasks.len()),
            wakes_on: cpus[0],
            given_up: Vec::with_capacity(system.tasks.len()),
            arming: Arming::new(cpus.len(), interrupts),
            spans: Spans::new(options.spans),
            horizon: system.horizon,
            ended: false,
        };
        let own = cpus.iter().map(|cpu| processors[cpu.index()]).collect();
        Domain {
            stop_barrier: StopBarrier::of(options.architecture, own),
            core: Mutex::with(options.dispatch_lock.into(), core),
            due: Due::default(),
            interrupts,
            last_due: AtomicU64::new(0),
            fast_sections: FastSections::new(system.tasks.len(), count, cpus.len() == 1),
            cpus,
            mutex_of,
            served,
            clients,
            event_driven,
        }
    }

    /// Reports that the live job of `task` does `input`. False if the job is not scheduled any more: its thread has to
    /// report again once it is.
    ///
    /// The live job may be a later one than the thread believes, if its own was ended at its budget.
    pub(crate) fn report(&self, around: Surroundings<'_>, task: TaskId, input: Input) -> bool {
        let asked = sys::monotonic_ns();
        let mut core = self.decide(self.lock());
        let begun = core.spans.begin(Trigger::Does(task, input), asked);
        let mut now = core.time(around.clock);
        if core.keep_if_over(around, task, now) {
            return false;
        }
        if !core.live.is_local(now, core.live.job(task).id, input)
            && core.notice_fast_sections(self, around.clock)
        {
            now = core.time(around.clock);
            if core.keep_if_over(around, task, now) {
                return false;
            }
        }
        let job = core.live.job(task).id;
        let mutex = input.resource().and_then(|resource| self.mutex_of(resource));
        if let (Some(mutex), Input::Request(..)) = (mutex, input) {
            core.ask(mutex, &self.fast_sections);
        }
        let accepted = core.live.report(now, job, input);
        if accepted {
            core.remember(now, job, EngineInput::Reported(input));
        }
        if let (Some(mutex), true) = (mutex, accepted == matches!(input, Input::Release(..))) {
            // The mutex was given back, or not asked for after all.
            core.ask_no_more(mutex, &self.fast_sections);
        }
        self.carry_out(core, around, Some(task), begun);
        accepted
    }

    /// Has `job` go on at `at`, when its suspension ends. A timer thread reports that, since the job's own thread could
    /// be behind another one.
    pub(crate) fn wake_at(&self, around: Surroundings<'_>, job: JobId, at: Instant) {
        let mut core = self.lock();
        core.wakes.push((at, job));
        self.arm(&mut core, around, Some(job.task));
        drop(core);
        self.catch_up(around, Some(job.task));
    }

    /// The live job of `task`, with its arrival and its absolute deadline. The caller is the task's thread.
    pub(crate) fn live_job(&self, around: Surroundings<'_>, task: TaskId) -> (JobId, Instant, Instant) {
        self.look(around, task, |live| {
            let job = live.job(task);
            (job.id, job.arrival, job.absolute_deadline)
        })
    }

    /// True if `task` has no job any more, and never will. The caller is the task's thread.
    pub(crate) fn has_left(&self, around: Surroundings<'_>, task: TaskId) -> bool {
        self.look(around, task, |live| live.has_left(task))
    }

    /// True if the job of `task` operates on a lock-free object. The caller is the task's thread.
    pub(crate) fn attempts(&self, around: Surroundings<'_>, task: TaskId) -> bool {
        self.look(around, task, |live| live.attempts(live.job(task).id))
    }

    /// The live job of the server `task`, and the section that it executes. The caller is the server's thread.
    pub(crate) fn serving(&self, around: Surroundings<'_>, task: TaskId) -> (JobId, Option<Section>) {
        self.look(around, task, |live| (live.job(task).id, live.served(task)))
    }

    /// True if a server executes the sections on `resource`.
    pub(crate) fn is_served(&self, resource: ResourceId) -> bool {
        self.served.get(resource.index()).copied().unwrap_or(false)
    }

    /// Reads something at the engine for the thread of `task`. A timer thread that found this thread there may have
    /// left the time to it, so the thread also reports that.
    fn look<T>(&self, around: Surroundings<'_>, task: TaskId, see: impl FnOnce(&Engine) -> T) -> T {
        let core = self.lock();
        let seen = see(&core.live);
        drop(core);
        self.catch_up(around, Some(task));
        seen
    }

    /// Reports that what was due at `due` happens. The caller is a timer thread, or the thread of the task `me`, which
    /// waits at its gate or was interrupted.
    ///
    /// The caller never waits for the engine: the thread that holds it may be a task's thread on this very processor,
    /// which the timer thread has preempted.
    pub(crate) fn report_time(&self, around: Surroundings<'_>, due: u64, me: Option<TaskId>) {
        // If nothing is due, another thread has reported it. The thread that changes the due time also sets the timer.
        if self.due.by(sys::monotonic_ns).is_some() {
            self.last_due.store(due, SeqCst);
            self.due.announce();
            self.catch_up(around, me);
        }
    }

    /// Reports that threads have called for jobs. As with the time, the caller never waits for the engine.
    pub(crate) fn report_calls(&self, around: Surroundings<'_>) {
        if self.event_driven.are_waiting() {
            self.last_due.store(sys::monotonic_ns(), SeqCst);
            self.due.announce();
            self.catch_up(around, None);
        }
    }

    /// Reports the time and the calls to the engine for threads that found it busy.
    fn catch_up(&self, around: Surroundings<'_>, me: Option<TaskId>) {
        let enter = || {
            let asked = sys::monotonic_ns();
            self.core.try_lock().map(|core| (asked, core))
        };
        self.due.catch_up(enter, |(asked, core)| {
            let mut core = self.decide(core);
            // A machine that stood still may come back after the horizon: the end of the run deals with what was due.
            if core.ended || core.time(around.clock) >= core.horizon {
                return;
            }
            let mut begun = core.spans.begin(Trigger::Timer(self.last_due.load(SeqCst)), asked);
            core.notice_fast_sections(self, around.clock);
            core.wake_those_due(around.clock);
            core.take_calls(&self.event_driven);
            core.live.advance(around.clock.now());
            if self.event_driven.are_waiting() {
                core.take_calls(&self.event_driven);
                core.live.advance(around.clock.now());
            }
            Begun::choose(&mut begun);
            let raised = core.open_and_shut(&self.cpus, around, me);
            core.disarm_before(asked);
            self.arm(&mut core, around, me);
            core.end_span(begun);
            drop(core);
            raised.restore(around);
        });
    }

    fn carry_out(
        &self,
        mut core: Decision<'_>,
        around: Surroundings<'_>,
        me: Option<TaskId>,
        mut begun: Option<Begun>,
    ) {
        Begun::choose(&mut begun);
        let raised = core.open_and_shut(&self.cpus, around, me);
        self.arm(&mut core, around, me);
        core.end_span(begun);
        drop(core);
        raised.restore(around);
        self.catch_up(around, me);
    }

    /// Sets the timer for what happens next by itself, and chooses the thread that owns it.
    fn arm(&self, core: &mut Core, around: Surroundings<'_>, me: Option<TaskId>) {
        let (due, on) = core.next(around.clock);
        self.due.expect(due.unwrap_or(u64::MAX), || core.arm(&self.cpus, around, me, (due, on)));
    }

    /// True if tasks' threads may decide wherever they are.
    pub(crate) fn interrupts(&self) -> bool {
        self.interrupts
    }

    /// Begins a decision. Until the decision is dropped, fast sections are noticed, and the other processors stand
    /// still where the run's architecture stops them.
    fn decide<'d>(&'d self, core: Guard<'d, EngineLock, Core>) -> Decision<'d> {
        self.fast_sections.begin();
        // No processor stands still any more once the run has ended.
        let stop_barrier = self.stop_barrier.as_ref().filter(|_| !core.ended);
        stop_barrier.inspect(|stop_barrier| stop_barrier.stop());
        Decision { fast_sections: &self.fast_sections, stop_barrier, core }
    }

    /// The processors that stand still while a thread decides, if the run's architecture stops them.
    pub(crate) fn stop_barrier(&self) -> Option<&StopBarrier> {
        self.stop_barrier.as_ref()
    }

    /// The sections that threads begin without a call of the engine.
    pub(crate) fn fast_sections(&self) -> &FastSections {
        &self.fast_sections
    }

    /// The mutex that `resource` is part of, if threads may take it in a fast section.
    #[inline]
    pub(crate) fn mutex_of(&self, resource: ResourceId) -> Option<usize> {
        self.mutex_of.get(resource.index()).copied().flatten()
    }

    /// The tasks whose jobs other threads release.
    pub(crate) fn event_driven(&self) -> &EventDriven {
        &self.event_driven
    }

    /// The domain's first processor.
    pub(crate) fn first(&self) -> CpuId {
        self.cpus[0]
    }

    /// True if `cpu` is one of the domain's.
    pub(crate) fn has(&self, cpu: CpuId) -> bool {
        self.cpus.contains(&cpu)
    }

    /// Locks the engine. The thread that holds it may have slept in the kernel for a moment, and be queued behind this
    /// very thread, which therefore yields now and then.
    fn lock(&self) -> Guard<'_, EngineLock, Core> {
        let mut looks = 0u32;
        self.core.lock_with(|| {
            looks += 1;
            if looks % LOOKS == 0 {
                sys::yield_processor();
            } else {
                std::hint::spin_loop();
            }
        })
    }

    /// Ends all decisions of the domain.
    pub(crate) fn close(&self, around: Surroundings<'_>) {
        self.lock_as_the_end(around).ended = true;
    }

    /// Ends the run at `at`, after it was closed.
    pub(crate) fn finish(&self, around: Surroundings<'_>, at: Instant) -> Decided {
        let mut core = self.lock_as_the_end(around);
        let summary = core.live.finish(at);
        let inputs = std::mem::take(&mut core.inputs);
        Decided {
            summary,
            records: core.live.sink_mut().take(),
            inputs: (!core.inputs_lost).then_some(inputs),
            measured: core.spans.take(),
        }
    }

    fn lock_as_the_end(&self, around: Surroundings<'_>) -> Guard<'_, EngineLock, Core> {
        // The caller may be more urgent than the thread that holds the engine, on the same processor: it must not spin.
        let mut attempts = 0u32;
        loop {
            if let Some(core) = self.core.try_lock() {
                return core;
            }
            attempts += 1;
            if attempts % ATTEMPTS == 0 {
                // A thread whose turn it is at the engine may wait for its processor, behind one of the same priority
                // whose code goes on for ever. Ordinary threads share their processors.
                around.threads.end();
            }
            sys::sleep_until(sys::monotonic_ns() + PATIENCE);
        }
    }
}

/// A decision of the thread that holds the engine. As long as it exists, threads that begin fast sections ask the
/// engine.
struct Decision<'d> {
    fast_sections: &'d FastSections,
    stop_barrier: Option<&'d StopBarrier>,
    core: Guard<'d, EngineLock, Core>,
}

impl Drop for Decision<'_> {
    fn drop(&mut self) {
        // All gates follow the decision; the engine is unlocked after this.
        self.fast_sections.end();
        self.stop_barrier.inspect(|stop_barrier| stop_barrier.go_on());
    }
}

impl Deref for Decision<'_> {
    type Target = Core;

    fn deref(&self) -> &Core {
        &self.core
    }
}

impl DerefMut for Decision<'_> {
    fn deref_mut(&mut self) -> &mut Core {
        &mut self.core
    }
}
