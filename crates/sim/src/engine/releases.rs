//! The way from an arrival to a release.

use super::serving::own_cost;
use super::Engine;
use crate::behaviour::Source;
use crate::streams::Arrived;
use schedlab_lock::LockProtocol;
use schedlab_model::{at_mut, CpuId, Duration, Instant, JobId, OverheadKind, ReleasePoint, TaskId, Work};
use schedlab_policy::Policy;
use schedlab_trace::{Record, Sink};

impl<P: Policy, L: LockProtocol, J: Source, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// Handles all arrivals of this instant, by task.
    #[inline(never)]
    pub(super) fn take_arrivals(&mut self) {
        self.streams.arrivals.begin_instant();
        while let Some(task) = self.streams.arrivals.take() {
            match WHOLE {
                true => self.arrive(task),
                false => self.arrive_plainly(task),
            }
        }
        self.streams.arrivals.end_instant();
    }

    /// Handles the arrival of a job without steps.
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
        let own = self.locks.have_servers().then(|| {
            let stream = self.streams.of(task);
            own_cost(&self.locks, stream.next_steps(), stream.next().cost)
        });
        // A release by timer without overhead lets the job become ready at once.
        let by_timer =
            self.setup.platform.releases == ReleasePoint::Timer && self.setup.charges.release.is_zero();
        let progress = at_mut(&mut self.progress, task.index());
        let Arrived { job, absolute_deadline, release, cost, is_live } =
            self.streams.begin_arrival(task, self.now, by_timer, progress);
        let needed = own.unwrap_or(cost);
        self.recording.record(self.now, Record::Arrival { job, absolute_deadline, cost: needed });
        if is_live {
            self.install(job, self.now, absolute_deadline, cost, None);
            self.notice_on_releasing_cpu(task);
        } else {
            self.await_release(job, release, cost);
        }
        self.streams.end_arrival(task);
    }

    /// Lets `job`, which arrives now, wait for its release or for its turn.
    fn await_release(&mut self, job: JobId, release: Instant, cost: Work) {
        self.streams.of_mut(job.task).wait(job.number, self.now, cost);
        let noticed = self.release_time(job.task, release);
        if noticed == self.now {
            self.release(job);
        } else {
            self.timers.push_release(noticed, job);
        }
    }

    /// Returns when the release is noticed: at once, or at the first tick of the releasing processor from then on.
    #[inline(always)]
    fn release_time(&self, task: TaskId, release: Instant) -> Instant {
        match self.setup.platform.releases {
            ReleasePoint::Timer => release,
            ReleasePoint::Tick => self.setup.platform.next_boundary(self.releasing_cpu(task), release),
        }
    }

    /// Returns the processor where the task's jobs are released: where its last job ran, because its timer was set
    /// there; at first the processors of the cluster take turns.
    pub(crate) fn releasing_cpu(&self, task: TaskId) -> CpuId {
        let job = self.jobs.of_task(task);
        let cpus = &self.setup.platform.clusters[job.cluster.index()].cpus;
        match job.last_cpu {
            Some(cpu) if self.processors.cluster_of(cpu) == job.cluster => cpu,
            _ => cpus[task.index() % cpus.len()],
        }
    }

    /// Releases `job`, which is noticed at once or after an interrupt.
    pub(super) fn release(&mut self, job: JobId) {
        if !WHOLE || self.setup.charges.release == Duration::ZERO {
            self.mark_released(job);
            self.notice_on_releasing_cpu(job.task);
        } else {
            self.interrupt(self.releasing_cpu(job.task), OverheadKind::Release, Some(job));
        }
    }

    /// Lets the processor whose timer fired react without an inter-processor interrupt.
    #[inline]
    pub(super) fn notice_on_releasing_cpu(&mut self, task: TaskId) {
        if WHOLE && self.setup.charges.ipi > Duration::ZERO {
            let cpu = self.releasing_cpu(task);
            self.overheads.happen(cpu, self.now);
        }
    }
}
