//! The engine in real time: costs are unknown, and threads say what their jobs do.
//!
//! The Linux runtime drives the very engine that simulates. What happens by itself (arrivals, timers of the policy,
//! budgets) happens at its own instant, however late the clock that tells of it; what a job does is an [`Input`] at the
//! instant at which it was told. Inputs alone determine every link, so a recorded run can be replayed.

use crate::behaviour::{Next, OpenEnded, Told};
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

/// What a running job does, as its thread says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// It is complete. Not heard once it was given up: its thread has to find out first.
    Complete,
    /// It was given up, and has handed everything back.
    HandedBack,
    /// It asks for units of a resource.
    Request(ResourceId, u32),
    /// It gives units of a resource back.
    Release(ResourceId, u32),
    /// Its attempt on this object failed, and it tries again: so says the object.
    Retry(ResourceId),
    /// It enters a non-preemptive section.
    NpEnter,
    /// It leaves a non-preemptive section.
    NpExit,
    /// It waits for something that schedlab does not know.
    Suspend,
    /// It is complete, and its task has no further arrival.
    Leave,
}

impl Input {
    /// The resource that it is about.
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
            | Input::Leave => None,
        }
    }
}

/// An engine that follows a clock.
pub struct Live<P, L, J: JobSource, S> {
    engine: Engine<P, L, OpenEnded<J>, S, true>,
}

impl<P: Policy, L: LockProtocol, J: JobSource, S: Sink> Live<P, L, J, S> {
    /// The system at time zero, all its policies having decided. Of `source`, only arrivals and releases matter.
    ///
    /// Panics as [`simulate`](crate::simulate) does. The horizon's distance from time zero is at most 146 years.
    pub fn new(setup: Setup, policies: Vec<P>, locks: L, source: J, sink: S) -> Self {
        let tasks = setup.tasks.len();
        let mut engine = Engine::new(Parts::default(), setup, policies, locks, OpenEnded(source), sink);
        engine.given_up = GivenUp::of(tasks);
        engine.start();
        Live { engine }
    }

    /// Threads that ask for a resource can go on without it. Where the protocol withdraws requests, a job that is given
    /// up does not get what it has asked for, nor what it asks for then: [`Live::next_withdrawn`] says so.
    pub fn let_go_without(&mut self) {
        self.engine.given_up.may_go_without = true;
    }

    /// When something happens next by itself: be told by then, with [`Live::advance`].
    pub fn next(&self) -> Instant {
        self.engine.next_instant()
    }

    /// When something is likely to happen by itself after [`Live::next`]: the caller may prepare for it.
    pub fn next_but_one(&self) -> Instant {
        let (engine, next) = (&self.engine, self.next());
        let streams = &engine.streams;
        let known = [engine.processors.ends().first(), engine.timers.next(), streams.arrivals.first()];
        let later = known.into_iter().filter(|at| *at > next);
        later.fold(streams.arrivals.second(), Instant::min)
    }

    /// The processor whose timer ought to tell of [`Live::next`]: where the job is released, or its budget ends.
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

    /// When the next job of `task` arrives; never if there is none.
    pub fn next_arrival(&self, task: TaskId) -> Instant {
        self.engine.streams.of(task).next().arrival
    }

    /// The last instant at which something happened.
    pub fn now(&self) -> Instant {
        self.engine.now
    }

    /// All that happens by itself up to `now`, each at its own instant, and not from the horizon on.
    pub fn advance(&mut self, now: Instant) {
        let limit = Instant::from_ns(now.as_ns().saturating_add(1)).min(self.engine.setup.horizon);
        while self.engine.step_before(limit).is_some() {}
    }

    /// `job` does `input` now. False, and nothing happened, if the job is not scheduled any more: a decision came
    /// before that its thread had not heard of. It has to wait until it is, and say so again.
    ///
    /// Panics if the job ends a section that it is not in.
    pub fn tell(&mut self, now: Instant, job: JobId, input: Input) -> bool {
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

    /// When grabs are said that have not been heard: after all that has happened, before all that happens by itself
    /// next (unless not a nanosecond lies between), and otherwise as late as possible.
    pub fn time_of_grabs(&self, now: Instant) -> Instant {
        let ns = Duration::from_ns(1);
        let before_next = Instant::from_ns(self.next().as_ns().saturating_sub(1));
        now.min(before_next).max(self.now() + ns)
    }

    /// `job`, which is scheduled, did `input` without saying so, and is heard `at` this instant. All grabs of one
    /// decision are heard at one instant, before all else that happens there. It is a request that is granted at once,
    /// or the start of a non-preemptive section.
    ///
    /// Panics if the job is not scheduled.
    pub fn grab(&mut self, at: Instant, job: JobId, input: Input) {
        while self.engine.step_before(at).is_some() {}
        let cpu = self.scheduled_on(job).expect("who grabs something is scheduled");
        self.engine.begin_instant(at);
        self.engine.account(cpu);
        self.do_input(cpu, job, input);
        self.engine.do_instant(false);
    }

    /// True if `job` operates on a lock-free object.
    pub fn attempts(&self, job: JobId) -> bool {
        self.engine.progress[job.task.index()].doing() == Doing::Attempt
    }

    /// The mutex that `resource` is part of, if threads may take it by themselves.
    pub fn free_mutex(&self, resource: ResourceId) -> Option<usize> {
        self.engine.locks.free_mutex(resource)
    }

    /// True if that `job` does `input` now concerns no other processor than its own, so that what was grabbed elsewhere
    /// need not be said before. So it is with the end of a section where nothing happens by itself by then, and the
    /// links stand: who loses the processor holds nothing and is to be nowhere else, and who gets it does not ask for
    /// anything at once.
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
            Input::Complete | Input::HandedBack => Told::IsComplete,
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
            Input::Release(resource, units) => Told::Does(Step::Release(resource, units)),
            Input::Retry(resource) => {
                if engine.progress[job.task.index()].doing() == Doing::Attempt {
                    engine.record(Record::Retry { job, resource });
                }
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

    /// What `job` waited for, unknown to schedlab, has happened. Nothing happens if it does not wait so.
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

    /// Who should execute on `cpu`, non-preemptive sections considered.
    pub fn scheduled(&self, cpu: CpuId) -> Option<JobId> {
        self.engine.processors.job_on(cpu).get()
    }

    /// Who is to execute on `cpu` as soon as no section keeps its processor from it.
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

    /// The next job that was given up after it had begun, since this was asked last. Its thread has to clean up.
    pub fn next_given_up(&mut self) -> Option<JobId> {
        self.engine.given_up.next_unheard()
    }

    /// The next job that was given up and does not get what it asked for, since this was asked last.
    pub fn next_withdrawn(&mut self) -> Option<JobId> {
        self.engine.given_up.next_withdrawn()
    }

    /// True if `task` has no job any more, and never will.
    pub fn has_left(&self, task: TaskId) -> bool {
        self.engine.streams.of(task).has_left()
    }

    /// The live (or next) job of `task`.
    pub fn job(&self, task: TaskId) -> &Job {
        self.engine.jobs.of_task(task)
    }

    /// Where records go.
    pub fn sink_mut(&mut self) -> &mut S {
        &mut self.engine.recording.sink
    }

    /// Ends the run at `now`, which is not after the horizon: who is late by then has missed its deadline.
    pub fn finish(&mut self, now: Instant) -> Summary {
        self.advance(now);
        self.engine.now = now.max(self.engine.now);
        self.engine.end_run()
    }

    /// Where the records went.
    pub fn into_sink(self) -> S {
        self.engine.recording.sink
    }
}
