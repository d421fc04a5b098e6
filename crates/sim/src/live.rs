//! The engine in real time: costs are unknown, and threads report what their jobs do.
//!
//! The Linux runtime drives the very engine that simulates. Events that happen by themselves (arrivals, timers of the
//! policy, budgets) are handled at their own instants, however late the runtime calls; an action of a job is an
//! [`Input`] at the instant at which its thread reported it. The inputs alone determine every link, so a recorded run
//! can be replayed.

use crate::behaviour::{Behaviour, Next, OpenEnded, Told};
use crate::engine::Engine;
use crate::given_up::GivenUp;
use crate::phase::{Doing, Phase};
use crate::setup::{Setup, Summary};
use crate::timers::{Due, Kind};
use crate::workspace::Parts;
use schedlab_lock::{LockProtocol, Section};
use schedlab_model::{CpuId, Duration, Instant, Job, JobId, JobSource, JobState, ResourceId, Step, TaskId};
use schedlab_policy::Policy;
use schedlab_trace::{Record, Sink, SuspendReason};

/// An action of a running job, as its thread reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// The job is complete. Ignored once the job was given up, because its thread has to be notified of that first.
    Complete,
    /// The job was given up, and has handed everything back.
    HandedBack,
    /// The job asks for units of a resource.
    Request(ResourceId, u32),
    /// The job gives units of a resource back.
    Release(ResourceId, u32),
    /// The job's attempt on this object failed, as the object reports, and it tries again.
    Retry(ResourceId),
    /// The job enters a non-preemptive section.
    NpEnter,
    /// The job leaves a non-preemptive section.
    NpExit,
    /// The job waits for something unknown to schedlab.
    Suspend,
    /// The job is complete, and its task has no further arrival.
    Leave,
    /// The job has used its WCET up, where others count that: see [`Live::leave_budgets_to_inputs`].
    Overran,
}

impl Input {
    /// Returns the resource of a request, release or retry; else `None`.
    pub fn resource(self) -> Option<ResourceId> {
        match self {
            Input::Request(resource, _) | Input::Release(resource, _) | Input::Retry(resource) => {
                Some(resource)
            }
            Input::Complete
            | Input::HandedBack
            | Input::NpEnter
            | Input::NpExit
            | Input::Suspend
            | Input::Leave
            | Input::Overran => None,
        }
    }
}

/// An engine that follows a clock.
pub struct Live<P, L, J: JobSource, S> {
    engine: Engine<P, L, OpenEnded<J>, S, true>,
}

impl<P: Policy, L: LockProtocol, J: JobSource, S: Sink> Live<P, L, J, S> {
    /// Makes the system at time zero, at which all policies have decided. Of `source`, only arrivals and releases
    /// matter.
    ///
    /// Panics as [`simulate`](crate::simulate) does. The horizon's distance from time zero is at most 146 years.
    pub fn new(setup: Setup, policies: Vec<P>, locks: L, source: J, sink: S) -> Self {
        let tasks = setup.tasks.len();
        let mut engine = Engine::new(Parts::default(), setup, policies, locks, OpenEnded(source), sink);
        engine.given_up = GivenUp::of(tasks);
        engine.start();
        Live { engine }
    }

    /// Declares that threads can go on without a resource for which they ask. If the protocol withdraws requests, a job
    /// that is given up gets neither what it has asked for, nor what it asks for later; [`Live::next_withdrawn`]
    /// returns such jobs.
    pub fn let_go_without(&mut self) {
        self.engine.given_up.may_go_without = true;
    }

    /// Declares that jobs use their WCETs up when [`Input::Overran`] says so, and never by themselves. They are treated
    /// as the setup demands.
    pub fn leave_budgets_to_inputs(&mut self) {
        self.engine.budgets.count_nothing();
    }

    /// Returns the next instant at which something happens by itself. [`Live::advance`] has to be called by then.
    pub fn next(&self) -> Instant {
        self.engine.next_instant()
    }

    /// Returns the processor whose timer should fire at [`Live::next`]: where the job is released, or its budget ends.
    pub fn next_on(&self) -> CpuId {
        let engine = &self.engine;
        let next = engine.next_instant();
        if next == Instant::NEVER {
            return CpuId(0);
        }
        if engine.processors.ends().first() == next {
            return engine.processors.ends().alone().unwrap_or(CpuId(0));
        }
        if engine.streams.arrivals.first() == next {
            return engine.streams.arrivals.first_task().map_or(CpuId(0), |task| engine.releasing_cpu(task));
        }
        match engine.timers.peek() {
            Some(Due { kind: Kind::Release | Kind::Resume | Kind::Join | Kind::Leave, id, .. }) => {
                engine.releasing_cpu(TaskId(id))
            }
            Some(Due { kind: Kind::Policy, id, .. }) => engine.setup.platform.clusters[id as usize].cpus[0],
            Some(Due { kind: Kind::Tick | Kind::Look, id, .. }) => CpuId(id as u16),
            None => CpuId(0),
        }
    }

    /// Returns the arrival of the next job of `task`; [`Instant::NEVER`] if there is none.
    pub fn next_arrival(&self, task: TaskId) -> Instant {
        self.engine.streams.of(task).next().arrival
    }

    /// Lets the next job of `task`, of which the source knows none, arrive at `at`, or else just after the last instant
    /// at which something happened. Returns the job and its arrival. `None` if another job of the task is still to
    /// arrive, or if the run ends or the task leaves by then.
    pub fn let_arrive(&mut self, task: TaskId, at: Instant) -> Option<(JobId, Instant)> {
        let at = at.max(self.now() + Duration::from_ns(1));
        let job = self.engine.streams.let_arrive(task, at)?;
        Some((job, at))
    }

    /// Returns the last instant at which something happened.
    pub fn now(&self) -> Instant {
        self.engine.now
    }

    /// Handles all events that happen by themselves up to `now` and before the horizon, each at its own instant.
    pub fn advance(&mut self, now: Instant) {
        let limit = Instant::from_ns(now.as_ns().saturating_add(1)).min(self.engine.setup.horizon);
        while self.engine.step_before(limit).is_some() {}
    }

    /// Applies `input` of `job` at `now`. Returns false, and changes nothing, if a decision of which the thread does
    /// not know has taken the processor from the job, or has given up a job that completes. The thread has to wait
    /// until its job is scheduled, and report again.
    ///
    /// Panics if the job ends a section that it is not in.
    pub fn report(&mut self, now: Instant, job: JobId, input: Input) -> bool {
        let now = now.max(self.engine.now);
        while self.engine.step_before(now).is_some() {}
        // A job that is scheduled at this very instant may do something at once.
        let found = self.scheduled_on(job).or_else(|| {
            self.advance(now);
            self.scheduled_on(job)
        });
        let Some(cpu) = found else { return false };
        if input == Input::Complete && self.is_given_up(job) {
            return false;
        }
        self.engine.begin_instant(now);
        self.engine.account(cpu);
        self.do_input(cpu, job, input);
        self.engine.do_instant(true);
        true
    }

    /// The instant at which fast sections begin that a decision has just noticed: after all that has happened, before
    /// all that happens by itself next (unless not a nanosecond lies between), and otherwise as late as possible.
    pub fn time_of_fast_sections(&self, now: Instant) -> Instant {
        let ns = Duration::from_ns(1);
        let before_next = Instant::from_ns(self.next().as_ns().saturating_sub(1));
        now.min(before_next).max(self.now() + ns)
    }

    /// Begins at the instant `at` the fast section of `job`, which is scheduled and did `input` without reporting it.
    /// All fast sections that one decision meets begin at one instant, before everything else that happens there.
    /// `input` is a request that is granted at once, or the start of a non-preemptive section.
    ///
    /// Panics if the job is not scheduled.
    pub fn begin_fast_section(&mut self, at: Instant, job: JobId, input: Input) {
        while self.engine.step_before(at).is_some() {}
        let cpu = self.scheduled_on(job).expect("a job in a fast section is scheduled");
        self.engine.begin_instant(at);
        self.engine.account(cpu);
        self.do_input(cpu, job, input);
        self.engine.do_instant(false);
    }

    /// True if `job` operates on a lock-free object.
    pub fn attempts(&self, job: JobId) -> bool {
        self.engine.progress[job.task.index()].doing() == Doing::Attempt
    }

    /// Returns the section that the live job of the server `task` executes for another job: the job, its resource and
    /// its units. The server's thread ends it by [`Input::Release`], which completes the server's job if no section is
    /// left.
    pub fn served(&self, task: TaskId) -> Option<Section> {
        let progress = &self.engine.progress[task.index()];
        if !self.engine.streams.of(task).is_live() || progress.doing() != Doing::Section {
            return None;
        }
        let (job, units) = self.engine.locks.client_of(task);
        let (resource, _) = self.engine.progress[job.task.index()].behaviour().wanted()?;
        Some(Section { job, resource, units })
    }

    /// Returns the task that executes the sections on `resource` for others, if one does.
    pub fn server_of(&self, resource: ResourceId) -> Option<TaskId> {
        self.engine.locks.server_of(resource)
    }

    /// Returns the mutex that `resource` is part of, if threads may take it by themselves.
    pub fn free_mutex(&self, resource: ResourceId) -> Option<usize> {
        self.engine.locks.free_mutex(resource)
    }

    /// True if `input` of `job` at `now` concerns no other processor than its own, so that fast sections elsewhere need
    /// not begin before it. This holds for the end of a non-preemptive section if nothing happens by itself by then and
    /// no link changes: a job that loses the processor holds nothing and is linked nowhere else, and a job that gets it
    /// asks for nothing at once.
    pub fn is_local(&self, now: Instant, job: JobId, input: Input) -> bool {
        let may_be = input == Input::NpExit && self.next() > now;
        let Some(cpu) = self.scheduled_on(job).filter(|_| may_be) else { return false };
        let next = self.linked(cpu);
        let mut others = self.engine.processors.ids().filter(|other| *other != cpu);
        next == Some(job)
            || !self.engine.progress[job.task.index()].holds()
                && next.is_none_or(|next| self.engine.next_step(next) == Next::Execute)
                && others.all(|other| self.linked(other) != Some(job))
    }

    fn scheduled_on(&self, job: JobId) -> Option<CpuId> {
        let live = self.engine.jobs.of_task(job.task);
        live.scheduled_on.filter(|_| live.id == job)
    }

    fn do_input(&mut self, cpu: CpuId, job: JobId, input: Input) {
        let engine = &mut self.engine;
        engine.processors.idle(cpu);
        let told = match input {
            Input::Complete => {
                // A job that is complete in a non-preemptive section leaves it, and no other decision lies in
                // between. Its processor may be linked to another job meanwhile.
                for _ in 0..engine.jobs.get(job).np_depth {
                    engine.progress[job.task.index()].unlock();
                    engine.jobs.leave_np(job);
                    engine.record(Record::NpExit { job });
                    engine.processors.look_soon(cpu);
                }
                Told::IsComplete
            }
            Input::HandedBack => Told::IsComplete,
            Input::Leave => {
                engine.leave_now(job.task);
                Told::IsComplete
            }
            Input::Request(resource, units)
                if engine.progress[job.task.index()].hands_back()
                    && engine.is_withdrawn(Section { job, resource, units }) =>
            {
                engine.given_up.withdraw(job);
                Told::Executes
            }
            Input::Request(resource, units) => Told::Does(Step::Request(resource, units)),
            Input::Release(resource, _) if engine.progress[job.task.index()].doing() == Doing::Section => {
                Told::Does(Step::Serve(resource))
            }
            Input::Release(resource, units) => Told::Does(Step::Release(resource, units)),
            Input::Retry(resource) => {
                if engine.progress[job.task.index()].doing() == Doing::Attempt {
                    engine.record(Record::Retry { job, resource });
                }
                Told::Executes
            }
            Input::Overran => {
                engine.record(Record::Budget { job });
                let overrun = engine.setup.overruns;
                engine.enforce(job, overrun);
                Told::Executes
            }
            Input::NpEnter => Told::Does(Step::NpEnter),
            Input::NpExit => Told::Does(Step::NpExit),
            Input::Suspend => {
                let progress = &mut engine.progress[job.task.index()];
                progress.tell(Told::Executes);
                progress.wait_elsewhere();
                return engine.suspend(cpu, job, SuspendReason::Itself);
            }
        };
        engine.progress[job.task.index()].tell(told);
        engine.go_on(cpu);
    }

    /// Resumes `job`, which waited for something unknown to schedlab that has happened. Does nothing if it does not
    /// wait so.
    pub fn wake(&mut self, now: Instant, job: JobId) {
        let now = now.max(self.engine.now);
        while self.engine.step_before(now).is_some() {}
        let live = self.engine.jobs.of_task(job.task);
        let state = &self.engine.progress[job.task.index()];
        if live.id != job || live.state != JobState::Suspended || state.phase() != Phase::WaitsElsewhere {
            return;
        }
        self.engine.begin_instant(now);
        self.engine.make_resumed(job);
        self.engine.do_instant(true);
    }

    /// Returns the job that should execute on `cpu`, non-preemptive sections considered.
    pub fn scheduled(&self, cpu: CpuId) -> Option<JobId> {
        self.engine.processors.job_on(cpu).get()
    }

    /// Returns the job that should execute on `cpu` as soon as no non-preemptive section prevents it.
    pub fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.engine.linked(cpu)
    }

    /// True if the scheduled job waits for a resource on its processor.
    pub fn is_spinning(&self, job: JobId) -> bool {
        self.engine.progress[job.task.index()].phase().is_spinning()
    }

    /// True if `job` was given up, and has not handed everything back.
    pub fn is_given_up(&self, job: JobId) -> bool {
        self.engine.jobs.of_task(job.task).id == job && self.engine.progress[job.task.index()].hands_back()
    }

    /// Takes a job that was given up after it had begun, each such job once. Its thread has to clean up.
    pub fn next_given_up(&mut self) -> Option<JobId> {
        self.engine.given_up.next_unheard()
    }

    /// Takes a job that was given up and does not get what it asked for, each such job once.
    pub fn next_withdrawn(&mut self) -> Option<JobId> {
        self.engine.given_up.next_withdrawn()
    }

    /// True if `task` has no job any more, and never will have.
    pub fn has_left(&self, task: TaskId) -> bool {
        self.engine.streams.of(task).has_left()
    }

    /// Returns the live job of `task`, or its next one.
    pub fn job(&self, task: TaskId) -> &Job {
        self.engine.jobs.of_task(task)
    }

    /// Returns the sink of the records.
    pub fn sink_mut(&mut self) -> &mut S {
        &mut self.engine.recording.sink
    }

    /// Ends the run at `now`, which is not after the horizon. Jobs that are late by then have missed their deadlines.
    pub fn finish(&mut self, now: Instant) -> Summary {
        self.advance(now);
        self.engine.now = now.max(self.engine.now);
        self.engine.end_run()
    }

    /// Ends the engine, and returns the sink of the records.
    pub fn into_sink(self) -> S {
        self.engine.recording.sink
    }
}
