//! Jobs that execute: their steps, and how each ends.

use crate::behaviour::Next;
use crate::engine::Engine;
use crate::phase::{Doing, Phase};
use crate::processors::Activity;
use crate::timers::{Due, Kind};
use schedlab_lock::{LockProtocol, Section};
use schedlab_model::{
    at_mut, ClusterId, CpuId, Event, JobId, JobSource, JobState, Occupant, OverheadKind, Step, TaskId,
    TimerKey,
};
use schedlab_policy::Policy;
use schedlab_trace::{Record, Sink, SuspendReason};

impl<P: Policy, L: LockProtocol, J: JobSource, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// All activities that end at this instant: first unlocks on every processor, then the rest, by processor.
    #[inline(always)]
    pub(crate) fn end_segments(&mut self) {
        if !WHOLE {
            while let Some(cpu) = self.processors.take_end(self.now) {
                self.end_plain_execution(cpu);
            }
            return;
        }
        let mut due = None;
        while let Some(cpu) = self.processors.next_to_end(self.now, due) {
            if self.processors.is_executing(cpu) {
                self.end_execution(cpu);
            }
            due = Some(cpu);
        }
        due = None;
        while let Some(cpu) = self.processors.next_to_end(self.now, due) {
            self.end_activity(cpu);
            due = Some(cpu);
        }
    }

    /// Accounts for the segment that ends now and does the unlocks that follow it.
    #[inline]
    pub(crate) fn end_execution(&mut self, cpu: CpuId) {
        self.account(cpu);
        let job = self.processors.busy_with(cpu);
        if !self.progress[job.slot()].behaviour.end_execution() {
            return;
        }
        while let Next::Immediate(step @ (Step::Release(..) | Step::Serve(_) | Step::NpExit)) =
            self.next_step(job)
        {
            self.do_immediate(job, step);
        }
    }

    fn end_activity(&mut self, cpu: CpuId) {
        match self.processors.activity(cpu) {
            Activity::Executing => {
                self.overheads.happen(cpu, self.now);
                if self.budgets.are_used() {
                    self.check_budget(cpu);
                }
                self.go_on(cpu);
            }
            Activity::Reloading(kind) => {
                self.record(Record::OverheadEnd { cpu, kind });
                self.processors.idle(cpu);
                self.processors.look_soon(cpu);
            }
            Activity::Overhead(kind) => self.end_overhead(cpu, kind),
            Activity::Spinning => {
                self.processors.idle(cpu);
                self.processors.look_soon(cpu);
            }
            Activity::Idle => unreachable!("it has no end"),
        }
    }

    /// The same for a job without steps: it has nothing left to do, or used up its budget.
    #[inline(always)]
    fn end_plain_execution(&mut self, cpu: CpuId) {
        if self.budgets.are_used() {
            self.account(cpu);
            self.processors.end(cpu);
            self.check_budget(cpu);
            return self.go_on(cpu);
        }
        // Nothing ends an execution but that the job is done.
        let (job, received, cluster) = self.processors.end_job(cpu, self.now);
        self.jobs.slot_mut(job.task).received += received;
        self.complete_off(cpu, job, cluster);
    }

    /// The scheduled job of `cpu` does its next step, and all that take no time.
    #[inline]
    pub(crate) fn go_on(&mut self, cpu: CpuId) {
        let job = self.processors.busy_with(cpu);
        if !WHOLE {
            return self.go_on_plainly(cpu, job);
        }
        loop {
            match self.next_step(job) {
                Next::Execute => return self.execute(cpu, job),
                Next::Complete => return self.complete(cpu, job),
                Next::Suspend => return self.suspend_itself(cpu, job),
                Next::Request => return self.approach_request(cpu, job),
                Next::Immediate(step) => {
                    self.do_immediate(job, step);
                    if self.processors.job_on(cpu) != Occupant::job(job) {
                        return; // What it released lets it go on elsewhere.
                    }
                }
            }
        }
    }

    /// The same for a job without steps.
    #[inline(always)]
    pub(crate) fn go_on_plainly(&mut self, cpu: CpuId, job: JobId) {
        match self.progress[job.slot()].behaviour.left().is_zero() {
            true => self.complete_at_once(cpu, job),
            false => self.execute(cpu, job),
        }
    }

    /// The job is about to request something. If it unlocked something at this instant, the job that it lets go may be
    /// more urgent: the decision comes first, or two sections without work between them would delay others twice.
    fn approach_request(&mut self, cpu: CpuId, job: JobId) {
        self.processors.idle(cpu);
        if core::mem::take(&mut self.progress[job.slot()].unlocked) {
            self.processors.look_soon(cpu);
        } else {
            self.locks.request_soon(cpu);
        }
    }

    /// At the horizon: a job that has received all its cost is complete.
    pub(crate) fn end_job_if_done(&mut self, cpu: CpuId) {
        // What it released at this instant may have let it go elsewhere: it is not complete before it runs there.
        let Some(job) = self.processors.job_on(cpu).get() else { return };
        while let Next::Immediate(step) = self.next_step(job) {
            self.do_immediate(job, step);
            if self.processors.job_on(cpu) != Occupant::job(job) {
                return;
            }
        }
        if self.next_step(job) == Next::Complete {
            self.complete(cpu, job);
        }
    }

    /// True if the job that executes on `cpu`, until now, has nothing left to do.
    pub(crate) fn would_complete(&mut self, cpu: CpuId, job: JobId) -> bool {
        self.account(cpu);
        self.progress[job.slot()].behaviour.ends_here()
    }

    #[inline]
    pub(crate) fn next_step(&self, job: JobId) -> Next {
        self.progress[job.slot()].behaviour.next()
    }

    fn do_immediate(&mut self, job: JobId, step: Step) {
        match (step, self.progress[job.slot()].doing) {
            (Step::Release(resource, _), Doing::Attempt) => return self.end_attempt(job, resource),
            (Step::Serve(resource), Doing::Section { client, units }) => {
                return self.end_service(job, Section { job: client, resource, units });
            }
            (_, Doing::ItsOwn | Doing::Attempt | Doing::Section { .. }) => {}
        }
        self.progress[job.slot()].unlocked |= matches!(step, Step::Release(..) | Step::NpExit);
        match step {
            Step::Release(resource, units) => {
                self.record(Record::Release { job, resource, units });
                self.progress[job.slot()].held -= 1;
                self.jobs.set_holder(resource, None);
                self.end_section(Section { job, resource, units });
            }
            Step::NpEnter => self.set_preemptable(job, false),
            Step::NpExit => self.set_preemptable(job, true),
            Step::Execute(_) | Step::Serve(_) => {}
            Step::Suspend(_) | Step::Request(..) => unreachable!("they take time"),
        }
        self.progress[job.slot()].behaviour.advance();
    }

    #[inline(always)]
    fn execute(&mut self, cpu: CpuId, job: JobId) {
        let (progress, entry) = (at_mut(&mut self.progress, job.slot()), self.jobs.slot_mut(job.task));
        // A critical section is never cut.
        let is_in_section = WHOLE && (progress.held > 0 || entry.np_depth > 0);
        if WHOLE {
            progress.unlocked = false;
        }
        let left = progress.behaviour.left();
        let segment = if is_in_section { left } else { self.budgets.limit(job.task, left) };
        entry.executing = true;
        entry.accounted = self.now;
        self.processors.execute(cpu, self.now, self.now + segment.at_unit_speed());
    }

    /// Credits the scheduled job with what it received until now, and stops it.
    #[inline(always)]
    pub(crate) fn account(&mut self, cpu: CpuId) {
        let Some((job, received)) = self.processors.received(cpu, self.now) else { return };
        let entry = self.jobs.slot_mut(job.task);
        entry.executing = false;
        entry.received += received;
        at_mut(&mut self.progress, job.slot()).behaviour.receive(received);
        self.budgets.spend(job.task, received);
    }

    /// The job needs nothing: a rare case, kept apart from the loop.
    #[cold]
    pub(crate) fn complete_at_once(&mut self, cpu: CpuId, job: JobId) {
        self.complete(cpu, job);
    }

    /// The job, which has received all its cost, is done.
    #[inline(always)]
    fn complete(&mut self, cpu: CpuId, job: JobId) {
        if WHOLE && self.progress[job.slot()].hands_back {
            return self.end_abort(job);
        }
        self.account(cpu);
        let cluster = self.processors.vacate(cpu);
        self.complete_off(cpu, job, cluster);
    }

    /// The same of a job that has let go of `cpu`, a processor of `cluster`.
    #[inline(always)]
    fn complete_off(&mut self, cpu: CpuId, job: JobId, cluster: ClusterId) {
        self.record(Record::Complete { job });
        let entry = self.jobs.slot_mut(job.task);
        entry.scheduled_on = None;
        entry.executing = false;
        let (is_late, its_cluster) = (entry.absolute_deadline < self.now, entry.cluster);
        self.inform(cluster, Event::Undispatched { job, cpu });
        self.processors.end_await(job);
        self.jobs.slot_mut(job.task).state = JobState::Absent;
        let may_follow = self.streams.of_mut(job.task).end_job(self.now);
        if is_late {
            self.miss(job);
        }
        self.tell(its_cluster, Event::Completed(job));
        if may_follow {
            self.after_job(job.task);
        }
    }

    /// The job lets go of its processor.
    #[inline(always)]
    pub(crate) fn leave_cpu(&mut self, cpu: CpuId, job: JobId) {
        self.account(cpu);
        let cluster = self.processors.vacate(cpu);
        let entry = self.jobs.slot_mut(job.task);
        entry.scheduled_on = None;
        entry.executing = false;
        self.inform(cluster, Event::Undispatched { job, cpu });
        self.processors.end_await(job);
    }

    fn suspend_itself(&mut self, cpu: CpuId, job: JobId) {
        let progress = &mut self.progress[job.slot()];
        let Some(Step::Suspend(length)) = progress.behaviour.step() else { unreachable!("checked") };
        let at = self.now + length;
        progress.phase = Phase::Sleeps(at);
        self.timers.push(at, Kind::Resume, job.task.0);
        self.suspend(cpu, job, SuspendReason::Itself);
    }

    /// The job gives up its processor until it is resumed.
    pub(crate) fn suspend(&mut self, cpu: CpuId, job: JobId, reason: SuspendReason) {
        self.record(Record::Suspend { job, reason });
        self.leave_cpu(cpu, job);
        self.jobs.slot_mut(job.task).state = JobState::Suspended;
        let cluster = self.cluster_of(job);
        self.tell(cluster, Event::Suspended(job));
    }

    /// The job goes on with the step after the one at which it was suspended.
    pub(crate) fn resume(&mut self, job: JobId) {
        self.progress[job.slot()].behaviour.advance();
        self.make_resumed(job);
    }

    /// The job may execute again.
    pub(crate) fn make_resumed(&mut self, job: JobId) {
        self.progress[job.slot()].phase = Phase::GoesOn;
        self.jobs.slot_mut(job.task).state = JobState::Ready;
        self.record(Record::Resume { job });
        let cluster = self.cluster_of(job);
        self.tell(cluster, Event::Resumed(job));
    }

    /// A reload in progress ends early, with its record.
    pub(crate) fn stop_activity(&mut self, cpu: CpuId) {
        match self.processors.activity(cpu) {
            Activity::Reloading(kind) => {
                self.record(Record::OverheadEnd { cpu, kind });
                self.processors.idle(cpu);
            }
            Activity::Executing => {
                self.account(cpu);
                self.processors.idle(cpu);
            }
            Activity::Spinning => self.processors.idle(cpu),
            Activity::Idle | Activity::Overhead(_) => {}
        }
    }

    /// All timers of this instant, in their written order.
    pub(crate) fn take_timers(&mut self) {
        while let Some(Due { kind, id, extra, .. }) = self.timers.pop_due(self.now) {
            match kind {
                Kind::Tick => self.tick(CpuId(id as u16)),
                Kind::Release => self.release(JobId::new(TaskId(id), extra)),
                Kind::Resume | Kind::Policy | Kind::Join | Kind::Leave | Kind::Look => {
                    // Everything that becomes ready does so before the events that come after in the order.
                    if self.streams.are_becoming_ready() {
                        self.make_ready();
                    }
                    self.take_late_timer(kind, id, extra);
                }
            }
        }
    }

    fn take_late_timer(&mut self, kind: Kind, id: u32, extra: u32) {
        match kind {
            Kind::Resume => {
                // An aborted job is not resumed, and its successor does not wait for this timer.
                let job = self.jobs.of_task(TaskId(id)).id;
                if self.progress[id as usize].phase == Phase::Sleeps(self.now) {
                    self.resume(job);
                    self.notice_on_releasing_cpu(job.task);
                }
            }
            Kind::Policy => {
                let cluster = ClusterId(id as u16);
                self.tell(cluster, Event::Timer(TimerKey(extra)));
            }
            Kind::Join => {
                let task = TaskId(id);
                self.record(Record::Join { task });
                let cluster = self.jobs.of_task(task).cluster;
                self.tell(cluster, Event::Joined(task));
            }
            Kind::Leave => self.leave_if_done(TaskId(id)),
            Kind::Look => {
                let cpu = CpuId(id as u16);
                self.overheads.hear_call(cpu, self.now);
                if !self.hear_of_stop(cpu) {
                    self.processors.look_soon(cpu);
                }
            }
            Kind::Tick | Kind::Release => unreachable!("they were taken before"),
        }
    }

    fn tick(&mut self, cpu: CpuId) {
        self.record(Record::Quantum { cpu });
        self.timers.push(self.now + self.setup.platform.quantum, Kind::Tick, cpu.0.into());
        self.interrupt(cpu, OverheadKind::Tick, None);
    }
}
