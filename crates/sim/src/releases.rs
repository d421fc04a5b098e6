//! From an arrival to a job that may execute.

use crate::engine::Engine;
use crate::phase::Phase;
use crate::serving::own_cost;
use crate::streams::Arrived;
use schedlab_lock::LockProtocol;
use schedlab_model::{
    at_mut, CpuId, Duration, Event, Instant, JobId, JobSource, JobState, OverheadKind, ReleasePoint, TaskId,
    Work,
};
use schedlab_policy::Policy;
use schedlab_trace::{Record, Sink, SuspendReason};

impl<P: Policy, L: LockProtocol, J: JobSource, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// All arrivals of this instant, by task.
    #[inline(never)]
    pub(crate) fn take_arrivals(&mut self) {
        self.streams.begin_arrivals();
        while let Some(task) = self.streams.take_arrival() {
            match WHOLE {
                true => {
                    self.arrive(task);
                    self.streams.fetch(task);
                }
                false => self.arrive_plainly(task),
            }
        }
        self.streams.end_arrivals();
    }

    /// A job without steps arrives.
    #[inline(always)]
    fn arrive_plainly(&mut self, task: TaskId) {
        let by_timer = self.setup.platform.releases == ReleasePoint::Timer;
        let Arrived { job, absolute_deadline, release, cost, is_live } =
            self.streams.arrive(task, self.now, by_timer);
        self.recording.record(self.now, Record::Arrival { job, absolute_deadline, cost });
        if is_live {
            self.install(job, self.now, absolute_deadline, cost, None);
        } else {
            self.await_release(job, release, cost);
        }
    }

    #[inline(always)]
    fn arrive(&mut self, task: TaskId) {
        let stream = self.streams.of_mut(task);
        let (next, number, is_alone) = (stream.next(), stream.count(), stream.is_empty());
        let (job, absolute_deadline) = (JobId::new(task, number), stream.deadline(self.now));
        let cost = own_cost(self.locks.protocol(), stream.next_steps(), next.cost);
        self.recording.record(self.now, Record::Arrival { job, absolute_deadline, cost });

        let is_noticed = self.setup.charges.release.is_zero();
        if is_alone && is_noticed && self.release_time(task, next.release) == self.now {
            self.progress[task.index()].behaviour.exchange(self.streams.of_mut(task).next_steps());
            self.begin_job(job, self.now, next.cost);
            self.notice_on_releasing_cpu(task);
        } else {
            self.await_release(job, next.release, next.cost);
        }
    }

    /// `job`, which arrives now, waits for its release or for its turn.
    fn await_release(&mut self, job: JobId, release: Instant, cost: Work) {
        self.streams.of_mut(job.task).wait(job.number, self.now, cost);
        let noticed = self.release_time(job.task, release);
        if noticed == self.now {
            self.release(job);
        } else {
            self.timers.push_release(noticed, job);
        }
    }

    /// When the job is noticed: at its release, or at the releasing processor's first tick from then on.
    #[inline(always)]
    fn release_time(&self, task: TaskId, release: Instant) -> Instant {
        match self.setup.platform.releases {
            ReleasePoint::Timer => release,
            ReleasePoint::Tick => self.setup.platform.next_boundary(self.releasing_cpu(task), release),
        }
    }

    /// Where the task's jobs are released: where its last job ran, since its timer was set there; at first
    /// the processors of the cluster take turns.
    pub(crate) fn releasing_cpu(&self, task: TaskId) -> CpuId {
        let job = self.jobs.of_task(task);
        let cpus = &self.setup.platform.clusters[job.cluster.index()].cpus;
        match job.last_cpu {
            Some(cpu) if self.processors.cluster_of(cpu) == job.cluster => cpu,
            _ => cpus[task.index() % cpus.len()],
        }
    }

    /// `job` is released: it is noticed at once, or after an interrupt.
    pub(crate) fn release(&mut self, job: JobId) {
        if !WHOLE || self.setup.charges.release == Duration::ZERO {
            self.mark_released(job);
            self.notice_on_releasing_cpu(job.task);
        } else {
            self.interrupt(self.releasing_cpu(job.task), OverheadKind::Release, Some(job));
        }
    }

    /// The processor whose timer fired needs no inter-processor interrupt to hear of it.
    #[inline]
    pub(crate) fn notice_on_releasing_cpu(&mut self, task: TaskId) {
        if WHOLE && self.setup.charges.ipi > Duration::ZERO {
            let cpu = self.releasing_cpu(task);
            self.overheads.happen(cpu, self.now);
        }
    }

    /// The release is noticed: the job becomes ready, unless the one before it is not complete.
    pub(crate) fn mark_released(&mut self, job: JobId) {
        self.streams.of_mut(job.task).release(job.number);
        self.start_pending(job.task);
    }

    /// Makes the oldest arrived job live, if it is released and no other is.
    #[inline]
    pub(crate) fn start_pending(&mut self, task: TaskId) {
        let stream = self.streams.of_mut(task);
        if !stream.has_released() {
            return;
        }
        if stream.is_live() {
            self.jobs.slot_mut(task).has_successor = true;
            return;
        }
        let pending = stream.take_first();
        self.progress[task.index()].behaviour.write(pending.steps);
        self.begin_job(JobId::new(task, pending.number), pending.arrival, pending.cost);
    }

    /// `job`, which arrived then, is live, and becomes ready at this instant.
    pub(crate) fn begin_job(&mut self, job: JobId, arrival: Instant, cost: Work) {
        let stream = self.streams.of_mut(job.task);
        stream.begin_job();
        let (absolute_deadline, has_successor) = (stream.deadline(arrival), stream.has_released());
        self.install(job, arrival, absolute_deadline, cost, Some(has_successor));
    }

    /// The same of one that its stream knows to be live. A job whose turn comes with its arrival waits for no other, and
    /// has no successor yet.
    #[inline(always)]
    fn install(
        &mut self,
        job: JobId,
        arrival: Instant,
        absolute_deadline: Instant,
        cost: Work,
        waited: Option<bool>,
    ) {
        let entry = self.jobs.slot_mut(job.task);
        entry.id = job;
        entry.arrival = arrival;
        entry.absolute_deadline = absolute_deadline;
        entry.received = Work::ZERO;
        entry.np_depth = 0;
        entry.has_successor = waited.unwrap_or(false);
        self.budgets.begin_job(job.task);
        let progress = at_mut(&mut self.progress, job.task.index());
        match WHOLE {
            true => progress.begin(cost),
            false => progress.behaviour.begin_plainly(cost),
        }
        self.streams.become_ready(job.task, waited.is_none());
    }

    /// All jobs that become ready at this instant, by job id.
    #[inline]
    pub(crate) fn make_ready(&mut self) {
        self.streams.sort_ready();
        for at in 0.. {
            let Some(task) = self.streams.ready(at) else { break };
            let entry = self.jobs.of_task(task);
            // Of this very task, so that the entry of the job is looked up once.
            let (job, cluster) = (JobId::new(task, entry.id.number), entry.cluster);
            let priority = self.clusters.priority(cluster, job, &self.jobs);
            let entry = self.jobs.slot_mut(task);
            entry.state = JobState::Ready;
            entry.base = priority;
            entry.effective = priority;
            self.record(Record::Ready { job, priority, cluster });
            if WHOLE {
                self.tell_locks(Event::Ready(job));
                self.apply_effects();
                if self.progress[task.index()].phase != Phase::Begins {
                    continue; // It is held.
                }
                self.progress[task.index()].phase = Phase::GoesOn;
            }
            self.tell_policy(cluster, Event::Ready(job));
        }
        self.streams.clear_ready();
    }

    /// A locking protocol does not let `job` start, or go on.
    pub(crate) fn hold(&mut self, job: JobId) {
        let scheduled_on = self.jobs.get(job).scheduled_on;
        if let Some(cpu) = scheduled_on {
            if self.processors.end_of(cpu) == self.now && self.would_complete(cpu, job) {
                return; // It completes at this very instant.
            }
            self.stop_activity(cpu);
            self.locks.forget_request(cpu);
            self.processors.look_soon(cpu);
        }
        self.record(Record::Suspend { job, reason: SuspendReason::Gate });
        if let Some(cpu) = scheduled_on {
            self.leave_cpu(cpu, job);
        }
        self.jobs.slot_mut(job.task).state = JobState::Suspended;
        let is_announced = self.progress[job.slot()].phase.is_announced();
        self.progress[job.slot()].phase = Phase::Held { is_announced };
        if is_announced {
            let cluster = self.cluster_of(job);
            self.tell_policy(cluster, Event::Suspended(job));
        }
    }

    /// A held job may start.
    pub(crate) fn admit(&mut self, job: JobId) {
        let Phase::Held { is_announced } = self.progress[job.slot()].phase else {
            assert!(self.jobs.get(job).scheduled_on.is_some(), "{job} is admitted but was not held");
            return; // It is about to complete.
        };
        self.progress[job.slot()].phase = Phase::GoesOn;
        self.jobs.slot_mut(job.task).state = JobState::Ready;
        self.record(Record::Resume { job });
        let cluster = self.cluster_of(job);
        let event = if is_announced { Event::Resumed(job) } else { Event::Ready(job) };
        self.tell_policy(cluster, event);
    }

    /// The task's live job is gone: the next one may start, or the task may be gone too.
    pub(crate) fn after_job(&mut self, task: TaskId) {
        if !self.streams.of(task).pending().is_empty() {
            self.start_pending(task);
        } else if self.setup.tasks[task.index()].leave <= self.now {
            self.leave_if_done(task);
        }
    }

    /// The task has no further arrival, and leaves once its jobs are gone.
    pub(crate) fn leave_now(&mut self, task: TaskId) {
        self.setup.tasks[task.index()].leave = self.now;
        self.streams.end(task, self.now);
    }

    /// Says that the task has left, once it has no job.
    pub(crate) fn leave_if_done(&mut self, task: TaskId) {
        if self.streams.of_mut(task).leave() {
            self.record(Record::Leave { task });
            let cluster = self.jobs.of_task(task).cluster;
            self.tell(cluster, Event::Left(task));
        }
    }

    /// At the end: who is unfinished and past its deadline has missed it.
    pub(crate) fn settle_unfinished(&mut self, task: TaskId) {
        let live = self.jobs.of_task(task);
        let (live_id, deadline) = (live.id, live.absolute_deadline);
        // Live, but perhaps not ready: the job before it may have completed at this very instant.
        if self.streams.of(task).is_live() && deadline <= self.now {
            self.miss(live_id);
        }
        for at in 0..self.streams.of(task).pending().len() {
            let stream = self.streams.of(task);
            let pending = &stream.pending()[at];
            let job = JobId::new(task, pending.number);
            if stream.deadline(pending.arrival) <= self.now {
                self.miss(job);
            }
        }
    }

    #[cold]
    pub(crate) fn miss(&mut self, job: JobId) {
        self.record(Record::Miss { job });
    }
}
