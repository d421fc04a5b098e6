//! Dispatching: processors switch to the jobs that are linked to them, at a cost.
//!
//! A processor that looks at its link pays for scheduling, then for switching, then dispatches. Interrupts
//! (releases, ticks) occupy it at once, one after another; the job that is scheduled there waits.

use super::Engine;
use crate::behaviour::{Behaviour, Source};
use crate::phase::{Caches, Phase};
use crate::processors::Activity;
use schedlab_lock::LockProtocol;
use schedlab_model::{
    at, at_mut, CpuId, Duration, Event, Instant, JobId, JobState, Occupant, OverheadKind, Work,
};
use schedlab_policy::Policy;
use schedlab_trace::{Record, Sink};

/// A processor's look at its link: the linked job and the scheduled one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    cpu: CpuId,
    link: Occupant,
    scheduled: Occupant,
}

impl<P: Policy, L: LockProtocol, J: Source, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// Records the link of `cpu` if it has changed. Returns the look that is due, and true if the processor may look at
    /// once, without an inter-processor interrupt.
    #[inline(always)]
    pub(super) fn record_link(&mut self, cpu: CpuId, link: Occupant) -> (Look, bool) {
        let look = Look { cpu, link, scheduled: self.processors.job_on(cpu) };
        let at_once = self.looks_at_once(cpu);
        if self.processors.link(cpu, link) {
            self.record(Record::Link { cpu, job: link.get() });
        }
        (look, at_once)
    }

    /// Takes the next processor that has to look, and returns its look.
    #[inline(always)]
    pub(super) fn next_look(&mut self) -> Option<Look> {
        let cpu = self.processors.take_look()?;
        Some(self.look_at(cpu))
    }

    #[inline(always)]
    pub(super) fn look_at(&self, cpu: CpuId) -> Look {
        Look { cpu, link: self.linked(cpu).into(), scheduled: self.processors.job_on(cpu) }
    }

    /// Compares the processor's link with what it runs, and reacts: dispatches, switches, or lets its job go on.
    #[inline(always)]
    pub(super) fn look(&mut self, look: Look) {
        if !WHOLE {
            return if look.link == look.scheduled { self.keep(look.cpu) } else { self.switch(look) };
        }
        if !self.has_overheads() {
            return if self.must_switch(look) { self.switch(look) } else { self.keep(look.cpu) };
        }
        let cpu = look.cpu;
        if self.processors.is_in_overhead(cpu) {
            return; // It will look when the overhead ends.
        }
        if let Some((kind, job)) = self.next_move(cpu) {
            return self.begin_overhead(cpu, kind, Some(job));
        }
        let scheduler_ran = self.overheads.take_scheduler_ran(cpu);
        if let Some(job) = self.overheads.take_switched_to(cpu) {
            if self.may_dispatch(cpu, job) {
                return self.dispatch(cpu, job);
            }
        }
        if !self.must_switch(look) || self.deciders.works_on(cpu) || self.is_on_its_way(look.link) {
            self.keep(cpu);
        } else if scheduler_ran
            || self.deciders.stop_the_world()
            || self.setup.charges.scheduling == Duration::ZERO
        {
            self.switch(look);
        } else {
            self.overheads.run_scheduler(cpu);
            self.begin_overhead(cpu, OverheadKind::Scheduling, look.link.get());
        }
    }

    /// Lets the scheduled job, if there is one, go on after a pause.
    #[inline(always)]
    pub(super) fn keep(&mut self, cpu: CpuId) {
        let is_paused = self.processors.activity(cpu) == Activity::Idle;
        let Some(job) = self.processors.job_on(cpu).get().filter(|_| is_paused) else { return };
        if WHOLE {
            if let Some(kind) = self.progress[job.task.index()].take_reload() {
                let rest = self.overheads.rest_of_reload(job.task);
                return self.begin_reload(cpu, kind, rest, job);
            }
        }
        self.run_scheduled(cpu, job);
    }

    /// True if another job than the scheduled one is linked, and the scheduled one can be preempted.
    #[inline(always)]
    pub(super) fn must_switch(&self, look: Look) -> bool {
        let may_go = |job| self.jobs.get(job).is_preemptable();
        look.link != look.scheduled && look.scheduled.get().is_none_or(may_go)
    }

    /// Preempts the scheduled job and begins the switch to the linked one.
    #[inline(always)]
    fn switch(&mut self, Look { cpu, link, scheduled }: Look) {
        if let Some(job) = scheduled.get() {
            self.preempt(cpu, job);
        }
        let Some(job) = link.get() else { return };
        if !WHOLE {
            return self.dispatch_plainly(cpu, job);
        }
        if self.jobs.get(job).scheduled_on.is_some() {
            self.processors.await_job(cpu, job);
        } else if !self.has_overheads() || self.switching(cpu, self.jobs.get(job).last_cpu) == Duration::ZERO
        {
            self.dispatch(cpu, job);
        } else {
            self.begin_overhead(cpu, OverheadKind::ContextSwitch, Some(job));
        }
    }

    #[inline(always)]
    pub(super) fn preempt(&mut self, cpu: CpuId, job: JobId) {
        if self.has_overheads() {
            self.stop_activity(cpu);
        }
        self.record(Record::Preempt { cpu, job });
        if WHOLE {
            self.progress[job.task.index()].unload();
            self.locks.forget_request(cpu);
        }
        self.leave_cpu(cpu, job);
    }

    /// Dispatches a job without steps, which begins to execute.
    #[inline(always)]
    fn dispatch_plainly(&mut self, cpu: CpuId, job: JobId) {
        if self.jobs.get(job).scheduled_on.is_some() {
            return self.processors.await_job(cpu, job);
        }
        self.record(Record::Dispatch { cpu, job });
        let segment = self.budgets.limit(job.task, at(&self.progress, job.task.index()).behaviour().left());
        let Some(until) = self.begin_plainly(cpu, job, segment) else {
            return self.dispatch_for_nothing(cpu, job);
        };
        let cluster = self.processors.run(cpu, job, self.now, until);
        self.inform(cluster, Event::Dispatched { job, cpu });
    }

    /// Dispatches a job without steps where another one has just completed. Its policy knows of this, and there are no
    /// budgets. Returns false if something is left to do at this instant.
    #[inline(always)]
    pub(super) fn dispatch_instead(&mut self, cpu: CpuId, job: JobId) -> bool {
        self.recording.record_dispatch(self.now, cpu, job);
        match self.begin_plainly(cpu, job, at(&self.progress, job.task.index()).behaviour().left()) {
            Some(until) => {
                self.processors.run_instead(cpu, job, self.now, until);
                true
            }
            None => {
                self.processors.end_job(cpu);
                self.processors.link(cpu, Occupant::job(job));
                self.dispatch_for_nothing(cpu, job);
                !self.is_more_to_do()
            }
        }
    }

    /// Starts the execution of a job without steps, whose dispatch is recorded, for `segment`. Returns the end; `None`
    /// if `segment` is zero.
    #[inline(always)]
    fn begin_plainly(&mut self, cpu: CpuId, job: JobId, segment: Work) -> Option<Instant> {
        if segment.is_zero() {
            self.jobs.occupy(job, cpu);
            return None;
        }
        self.jobs.run(job, cpu, self.now);
        Some(self.now + segment.at_unit_speed())
    }

    /// Completes a job that needs no execution and whose dispatch is recorded: a rare case, kept apart.
    #[cold]
    fn dispatch_for_nothing(&mut self, cpu: CpuId, job: JobId) {
        self.processors.occupy(cpu, job);
        self.inform(self.processors.cluster_of(cpu), Event::Dispatched { job, cpu });
        self.complete_at_once(cpu, job);
    }

    #[inline(always)]
    fn dispatch(&mut self, cpu: CpuId, job: JobId) {
        self.record(Record::Dispatch { cpu, job });
        let entry = self.jobs.of_task(job.task);
        let came_from = entry.last_cpu;
        let has_started = !entry.received.is_zero();
        self.jobs.occupy(job, cpu);
        let caches = at_mut(&mut self.progress, job.task.index()).load();
        self.processors.occupy(cpu, job);
        self.inform(self.processors.cluster_of(cpu), Event::Dispatched { job, cpu });
        // A job that has not executed yet has loaded nothing, so it pays no reload.
        if self.has_overheads() && has_started {
            if let Some((kind, cost)) = self.reload(job, caches, came_from, cpu) {
                return self.begin_reload(cpu, kind, cost, job);
            }
        }
        self.run_scheduled(cpu, job);
    }

    /// Returns what a job that has executed before pays for its caches: after a migration, or after a preemption on the
    /// spot.
    fn reload(
        &self,
        job: JobId,
        caches: Caches,
        from: Option<CpuId>,
        to: CpuId,
    ) -> Option<(OverheadKind, Duration)> {
        let (task, charges) = (job.task.index(), &self.setup.charges);
        let (kind, cost) = match from.filter(|from| *from != to) {
            Some(from) => (OverheadKind::CacheRelatedMigration, charges.migration(task, from, to)),
            None if caches == Caches::Cold => {
                let cost = charges.cache_related_preemption.get(task).copied().unwrap_or(Duration::ZERO);
                (OverheadKind::CacheRelatedPreemption, cost)
            }
            None => return None,
        };
        (cost > Duration::ZERO).then_some((kind, cost))
    }

    fn begin_reload(&mut self, cpu: CpuId, kind: OverheadKind, cost: Duration, job: JobId) {
        self.record(Record::OverheadBegin { cpu, kind, job: Some(job) });
        self.processors.begin(cpu, Activity::Reloading(kind), self.now);
        self.processors.end_at(cpu, self.now + cost);
    }

    /// Lets the scheduled job go on from its phase.
    #[inline(always)]
    pub(super) fn run_scheduled(&mut self, cpu: CpuId, job: JobId) {
        if !WHOLE {
            return self.go_on_plainly(cpu, job);
        }
        let progress = &mut self.progress[job.task.index()];
        match progress.phase() {
            Phase::SpinsUntil(at) if at <= self.now => {
                progress.turn_to_ask();
                self.go_on(cpu);
            }
            Phase::SpinsUntil(at) => self.spin(cpu, at),
            Phase::Spins => self.spin(cpu, Instant::NEVER),
            // Most often the job executes.
            Phase::GoesOn if !progress.behaviour().left().is_zero() => self.execute(cpu, job),
            Phase::GoesOn | Phase::AsksAgain => self.go_on(cpu),
            phase @ (Phase::Begins
            | Phase::AwaitsGrant
            | Phase::Sleeps(_)
            | Phase::WaitsElsewhere
            | Phase::Held { .. }) => unreachable!("{job} is scheduled in {phase:?}"),
        }
    }

    /// Lets an interrupt occupy `cpu`, now or after the overheads that already do.
    pub(super) fn interrupt(&mut self, cpu: CpuId, kind: OverheadKind, job: Option<JobId>) {
        if self.processors.is_in_overhead(cpu) {
            self.overheads.wait(cpu, (kind, job));
        } else {
            self.begin_overhead(cpu, kind, job);
        }
    }

    fn begin_overhead(&mut self, cpu: CpuId, kind: OverheadKind, job: Option<JobId>) {
        self.pause(cpu);
        self.record(Record::OverheadBegin { cpu, kind, job });
        self.processors.begin(cpu, Activity::Overhead(kind), self.now);
        self.overheads.begin(cpu, job);
        match kind {
            OverheadKind::Release | OverheadKind::Scheduling => self.begin_deciding(cpu, kind),
            OverheadKind::ContextSwitch => {
                let last = job.and_then(|job| self.jobs.get(job).last_cpu);
                self.processors.end_at(cpu, self.now + self.switching(cpu, last));
            }
            OverheadKind::Tick => self.processors.end_at(cpu, self.now + self.setup.charges.tick),
            OverheadKind::Push | OverheadKind::Pull => {
                self.processors.end_at(cpu, self.now + self.cost_of_move(kind));
            }
            OverheadKind::Ipi
            | OverheadKind::CacheRelatedPreemption
            | OverheadKind::CacheRelatedMigration
            | OverheadKind::LockAcquire
            | OverheadKind::LockRelease
            | OverheadKind::SyscallEntry
            | OverheadKind::SyscallExit => unreachable!("{} is not an interrupt", kind.name()),
        }
    }

    /// Pauses the scheduled job for an overhead. A request that it was about to make comes afterwards.
    fn pause(&mut self, cpu: CpuId) {
        if let Activity::Reloading(kind) = self.processors.activity(cpu) {
            // The job pays the rest of the reload after the overhead, as work of its own.
            let job = self.processors.busy_with(cpu);
            let rest = self.processors.ends().at(cpu) - self.now;
            self.record(Record::OverheadEnd { cpu, kind });
            self.progress[job.task.index()].interrupt_reload(kind);
            self.overheads.interrupt_reload(job.task, rest);
        }
        self.account(cpu);
        self.locks.forget_request(cpu);
    }

    /// Ends an overhead with its consequence; then the next interrupt begins, or the processor looks at its link once
    /// the decision of this instant is made.
    pub(super) fn end_overhead(&mut self, cpu: CpuId, kind: OverheadKind) {
        self.record(Record::OverheadEnd { cpu, kind });
        self.processors.idle(cpu);
        if matches!(kind, OverheadKind::Release | OverheadKind::Scheduling) {
            self.end_deciding(cpu, kind);
        }
        let about = self.overheads.end(cpu, self.now);
        if kind == OverheadKind::Release {
            self.mark_released(about.expect("a release is about a job"));
        } else if kind == OverheadKind::ContextSwitch {
            self.overheads.switch_to(cpu, about);
        } else if matches!(kind, OverheadKind::Push | OverheadKind::Pull) {
            self.end_move(cpu, about.expect("a move is about a job"));
        }
        match self.overheads.next_waiting(cpu) {
            Some((kind, job)) => self.begin_overhead(cpu, kind, job),
            None => self.processors.look_soon(cpu),
        }
    }

    /// True if the job that the processor has just switched to is still the one that should run there.
    fn may_dispatch(&self, cpu: CpuId, job: JobId) -> bool {
        self.linked(cpu) == Some(job)
            && !self.processors.job_on(cpu).is_some()
            && self.jobs.of_task(job.task).id == job
            && self.jobs.get(job).state == JobState::Ready
            && self.jobs.get(job).scheduled_on.is_none()
            && !self.overheads.is_moving(job.task)
    }
}
