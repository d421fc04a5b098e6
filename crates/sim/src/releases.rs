//! From an arrival to a job that may execute.

use crate::engine::Engine;
use crate::phase::Phase;
use crate::serving::own_cost;
use schedlab_lock::LockProtocol;
use schedlab_model::{
    CpuId, Duration, Event, Instant, JobId, JobSource, JobState, OverheadKind, ReleasePoint, TaskId,
};
use schedlab_policy::Policy;
use schedlab_trace::{Record, Sink, SuspendReason};

impl<P: Policy, L: LockProtocol, J: JobSource, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// Asks the source for the next job of `task`; none arrives from the task's leave or the horizon on.
    #[inline(always)]
    pub(crate) fn fetch_next_job(&mut self, task: TaskId) {
        let state = &mut self.tasks[task.index()];
        if let Some(arrival) = state.stream.fetch(task, &mut self.source) {
            self.arrivals.insert(task, arrival);
        }
    }

    /// All arrivals of this instant, by task.
    #[inline(always)]
    pub(crate) fn take_arrivals(&mut self) {
        while let Some(task) = self.arrivals.take(self.now) {
            self.arrive(task);
            self.fetch_next_job(task);
        }
    }

    #[inline(always)]
    fn arrive(&mut self, task: TaskId) {
        let release = self.release_time(task, self.tasks[task.index()].stream.next().release);
        let (state, entry) = (&mut self.tasks[task.index()], self.jobs.slot_mut(task));
        let next = state.stream.next();
        let number = state.stream.count();
        let absolute_deadline = state.stream.deadline(self.now);
        let job = JobId::new(task, number);
        let cost = match WHOLE {
            true => own_cost(self.locks.protocol(), state.stream.next_steps(), next.cost),
            false => next.cost,
        };
        self.recording.record(self.now, Record::Arrival { job, absolute_deadline, cost });

        let now_ready = release == self.now && (!WHOLE || self.setup.charges.release == Duration::ZERO);
        if now_ready && state.stream.is_empty() {
            if WHOLE {
                state.behaviour.exchange(state.stream.next_steps());
            }
            state.install::<WHOLE>(entry, job, self.now, next.cost, self.any_budget);
            self.becoming_ready.push(task);
            self.notice_on_releasing_cpu(task);
        } else {
            state.stream.wait(number, self.now, next.cost);
            if release == self.now {
                self.release(job);
            } else {
                self.timers.push_release(release, job);
            }
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
            Some(cpu) if self.cpus[cpu.index()].cluster == job.cluster => cpu,
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
            self.cpus[cpu.index()].local_at = self.now;
        }
    }

    /// The release is noticed: the job becomes ready, unless the one before it is not complete.
    pub(crate) fn mark_released(&mut self, job: JobId) {
        self.tasks[job.slot()].stream.release(job.number);
        self.start_pending(job.task);
    }

    /// Makes the oldest arrived job live, if it is released and no other is.
    #[inline]
    pub(crate) fn start_pending(&mut self, task: TaskId) {
        let state = &mut self.tasks[task.index()];
        if !state.stream.has_released() {
            return;
        }
        if state.stream.is_live() {
            self.jobs.slot_mut(task).has_successor = true;
            return;
        }
        let pending = state.stream.take_first();
        state.behaviour.write(pending.steps);
        let job = JobId::new(task, pending.number);
        let entry = self.jobs.slot_mut(task);
        state.install::<WHOLE>(entry, job, pending.arrival, pending.cost, self.any_budget);
        self.becoming_ready.push(task);
    }

    /// All jobs that become ready at this instant, by job id.
    #[inline]
    pub(crate) fn make_ready(&mut self) {
        if self.becoming_ready.len() > 1 && !self.becoming_ready.is_sorted() {
            self.becoming_ready.sort_unstable();
        }
        for next in 0..self.becoming_ready.len() {
            let task = self.becoming_ready[next];
            let entry = self.jobs.of_task(task);
            let (job, cluster) = (entry.id, entry.cluster);
            let priority = self.clusters.priority(cluster, job, &self.jobs);
            let slot = self.jobs.slot_mut(task);
            slot.state = JobState::Ready;
            slot.base = priority;
            slot.effective = priority;
            self.record(Record::Ready { job, priority, cluster });
            if WHOLE {
                self.tell_locks(Event::Ready(job));
                self.apply_effects();
            }
            if WHOLE {
                if self.tasks[task.index()].phase != Phase::Begins {
                    continue; // It is held.
                }
                self.tasks[task.index()].phase = Phase::GoesOn;
            }
            self.tell_policy(cluster, Event::Ready(job));
        }
        self.becoming_ready.clear();
    }

    /// A locking protocol does not let `job` start, or go on.
    pub(crate) fn hold(&mut self, job: JobId) {
        let scheduled_on = self.jobs.get(job).scheduled_on;
        if let Some(cpu) = scheduled_on {
            if self.ends.at(cpu) == self.now && self.would_complete(cpu, job) {
                return; // It completes at this very instant.
            }
            self.stop_activity(cpu);
            self.locks.forget_request(cpu);
            self.looks.insert(cpu);
        }
        self.record(Record::Suspend { job, reason: SuspendReason::Gate });
        if let Some(cpu) = scheduled_on {
            self.leave_cpu(cpu, job);
        }
        self.jobs.slot_mut(job.task).state = JobState::Suspended;
        let is_announced = self.tasks[job.slot()].phase.is_announced();
        self.tasks[job.slot()].phase = Phase::Held { is_announced };
        if is_announced {
            let cluster = self.cluster_of(job);
            self.tell_policy(cluster, Event::Suspended(job));
        }
    }

    /// A held job may start.
    pub(crate) fn admit(&mut self, job: JobId) {
        let Phase::Held { is_announced } = self.tasks[job.slot()].phase else {
            assert!(self.jobs.get(job).scheduled_on.is_some(), "{job} is admitted but was not held");
            return; // It is about to complete.
        };
        self.tasks[job.slot()].phase = Phase::GoesOn;
        self.jobs.slot_mut(job.task).state = JobState::Ready;
        self.record(Record::Resume { job });
        let cluster = self.cluster_of(job);
        let event = if is_announced { Event::Resumed(job) } else { Event::Ready(job) };
        self.tell_policy(cluster, event);
    }

    /// The task's live job is gone: the next one may start, or the task may be gone too.
    pub(crate) fn after_job(&mut self, task: TaskId) {
        if !self.tasks[task.index()].stream.pending().is_empty() {
            self.start_pending(task);
        } else if self.setup.tasks[task.index()].leave <= self.now {
            self.leave_if_done(task);
        }
    }

    /// The task has no further arrival, and leaves once its jobs are gone.
    pub(crate) fn leave_now(&mut self, task: TaskId) {
        self.setup.tasks[task.index()].leave = self.now;
        self.tasks[task.index()].stream.end(self.now);
        self.arrivals.remove(task);
    }

    /// Says that the task has left, once it has no job.
    pub(crate) fn leave_if_done(&mut self, task: TaskId) {
        if self.tasks[task.index()].stream.leave() {
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
        if self.tasks[task.index()].stream.is_live() && deadline <= self.now {
            self.miss(live_id);
        }
        let relative_deadline = self.setup.tasks[task.index()].relative_deadline;
        for at in 0..self.tasks[task.index()].stream.pending().len() {
            let pending = &self.tasks[task.index()].stream.pending()[at];
            let job = JobId::new(task, pending.number);
            if pending.arrival + relative_deadline <= self.now {
                self.miss(job);
            }
        }
    }

    #[cold]
    pub(crate) fn miss(&mut self, job: JobId) {
        self.record(Record::Miss { job });
    }
}
