//! Events that happen by themselves: activities end, and timers are due.

use super::Engine;
use crate::behaviour::Source;
use crate::phase::Phase;
use crate::processors::Activity;
use crate::timers::{Due, Kind};
use schedlab_lock::LockProtocol;
use schedlab_model::{ClusterId, CpuId, Event, JobId, OverheadKind, TaskId, TimerKey};
use schedlab_policy::Policy;
use schedlab_trace::{Record, Sink};

impl<P: Policy, L: LockProtocol, J: Source, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// Ends all activities that are due at this instant: first unlocks on every processor, then the rest, by processor.
    #[inline(always)]
    pub(super) fn end_segments(&mut self) {
        if !WHOLE {
            while let Some(cpu) = self.processors.take_end(self.now) {
                self.end_plain_execution(cpu);
            }
            return;
        }
        let mut due = None;
        while let Some(cpu) = self.processors.ends().next_due(self.now, due) {
            if self.processors.is_executing(cpu) {
                self.end_execution(cpu);
            }
            due = Some(cpu);
        }
        due = None;
        while let Some(cpu) = self.processors.ends().next_due(self.now, due) {
            self.end_activity(cpu);
            due = Some(cpu);
        }
    }

    pub(super) fn end_activity(&mut self, cpu: CpuId) {
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

    /// Ends the execution of a job without steps, which is complete or has used up its budget.
    #[inline(always)]
    fn end_plain_execution(&mut self, cpu: CpuId) {
        if self.budgets.are_used() {
            self.account(cpu);
            self.processors.end(cpu);
            self.check_budget(cpu);
            return self.go_on(cpu);
        }
        // Without budgets, an execution ends only if the job is complete.
        let (job, cluster) = self.processors.ending(cpu);
        self.processors.end_job(cpu);
        self.jobs.receive(job, self.now);
        self.complete_off(cpu, job, cluster);
    }

    /// Ends the first execution of this instant. If nothing else happens and the policy names the job that takes the
    /// processor over, that job is dispatched, and no other part of the instant's order has anything to do. Returns
    /// false if there is more to do.
    #[inline(always)]
    pub(super) fn complete_alone(&mut self) -> bool {
        let Some(cpu) = self.processors.take_end(self.now) else { return false };
        let (job, cluster) = self.processors.ending(cpu);
        let is_all = !self.budgets.are_used()
            && self.processors.ends().first() > self.now
            && self.streams.of_mut(job.task).end_last_job(self.now);
        let link = is_all.then(|| self.clusters.take_over(cluster, job, cpu, &self.jobs)).flatten();
        let Some(link) = link else {
            self.end_plain_execution(cpu);
            return false;
        };
        self.complete_known(job);
        match link.get() {
            Some(next) => self.dispatch_instead(cpu, next),
            None => {
                self.processors.end_job(cpu);
                true
            }
        }
    }

    /// Handles all timers of this instant, in their documented order.
    pub(super) fn take_timers(&mut self) {
        while let Some(Due { kind, id, extra, .. }) = self.timers.pop_due(self.now) {
            match kind {
                Kind::Tick => self.tick(CpuId(id as u16)),
                Kind::Release => self.release(JobId::new(TaskId(id), extra)),
                Kind::Resume | Kind::Policy | Kind::Join | Kind::Leave | Kind::Look => {
                    // Jobs become ready before the events that come after in the order.
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
                if self.progress[id as usize].phase() == Phase::Sleeps(self.now) {
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
                self.overheads.end_call(cpu, self.now);
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
