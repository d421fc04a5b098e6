//! The usual case of jobs with steps: one execution ends, and nothing else happens by itself at that instant.
//!
//! Its job then mostly begins or ends a critical section, and executes on. So nothing is undone for it and then done
//! again: its processor does not become idle meanwhile, and its request waits for no other.

use super::{Alone, Engine};
use crate::phase::{Caches, Doing, Phase};
use schedlab_lock::{LockProtocol, Section};
use schedlab_model::{at_mut, CpuId, JobId, JobSource, Occupant, Step, Work};
use schedlab_policy::Policy;
use schedlab_trace::Sink;

impl<P: Policy, L: LockProtocol, J: JobSource, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// Ends the first execution, if no other activity ends then.
    #[inline(always)]
    pub(super) fn end_alone(&mut self) -> Alone {
        let Some(cpu) = self.processors.alone_to_end(self.now) else { return Alone::Not };
        if !self.budgets.are_used() {
            return self.end_step(cpu);
        }
        self.end_execution(cpu);
        self.end_activity_if_there(cpu);
        Alone::Begun
    }

    /// What the job unlocked may have taken the processor away.
    fn end_activity_if_there(&mut self, cpu: CpuId) {
        if self.processors.end_of(cpu) == self.now {
            self.end_activity(cpu);
        }
    }

    /// The job of `cpu` has executed a step of its, or all that it needs, and no budget cuts it.
    #[inline(always)]
    fn end_step(&mut self, cpu: CpuId) -> Alone {
        let (job, received) = self.processors.pass(cpu, self.now);
        let entry = self.jobs.of_task_mut(job.task);
        entry.received += received;
        entry.accounted = self.now;
        let progress = at_mut(&mut self.progress, job.task.index());
        progress.behaviour.end_step();
        match progress.behaviour.step() {
            Some(Step::Release(resource, units)) if progress.doing == Doing::ItsOwn => {
                self.leave_section(Section { job, resource, units });
                // What it gives back may have taken its processor away.
                match self.processors.end_of(cpu) == self.now {
                    true => self.execute_on_or_rest(cpu, job),
                    false => Alone::Begun,
                }
            }
            Some(Step::Request(resource, units)) => self.enter_section(cpu, Section { job, resource, units }),
            None if !progress.hands_back => self.complete_step(cpu, job),
            _ => self.execute_on_or_rest(cpu, job),
        }
    }

    /// The job, which executes, goes on with an execution, or with something else.
    #[inline(always)]
    fn execute_on_or_rest(&mut self, cpu: CpuId, job: JobId) -> Alone {
        if !self.execute_on(cpu, job) {
            return self.end_rest(cpu, job);
        }
        if self.is_more_to_do() {
            self.happen_on(cpu);
            return Alone::Begun;
        }
        Alone::Done
    }

    /// The job, which executes, goes on with an execution. False if that is not its next step.
    #[inline(always)]
    fn execute_on(&mut self, cpu: CpuId, job: JobId) -> bool {
        let progress = at_mut(&mut self.progress, job.task.index());
        let left = progress.behaviour.left();
        if left.is_zero() {
            return false;
        }
        progress.unlocked = false;
        self.processors.set_end(cpu, self.now + left.at_unit_speed());
        true
    }

    /// The job, which executes, makes its request.
    #[inline(always)]
    fn enter_section(&mut self, cpu: CpuId, section: Section) -> Alone {
        self.happen_on(cpu);
        if !self.make_request(cpu, section) {
            return Alone::Begun;
        }
        let has_to_look = self.has_to_look(cpu);
        if !has_to_look && self.execute_on(cpu, section.job) {
            return Alone::Done;
        }
        self.stop_activity(cpu);
        match has_to_look {
            true => self.processors.look_soon(cpu),
            false => self.go_on(cpu),
        }
        Alone::Begun
    }

    /// The job is complete. If its policy says who takes the processor over, that one is dispatched at once.
    #[inline(always)]
    fn complete_step(&mut self, cpu: CpuId, job: JobId) -> Alone {
        let cluster = self.processors.cluster_of(cpu);
        let is_all = !self.has_overheads()
            && !self.locks.hears_all()
            && self.jobs.get(job).cluster == cluster
            && self.streams.of_mut(job.task).end_last_job(self.now);
        let link = is_all.then(|| self.clusters.take_over(cluster, job, cpu, &self.jobs)).flatten();
        let Some(link) = link else {
            self.happen_on(cpu);
            self.processors.vacate(cpu);
            self.complete_off(cpu, job, cluster);
            return Alone::Begun;
        };
        self.complete_known(job, Work::ZERO);
        match link.get() {
            Some(next) => self.continue_instead(cpu, next),
            None => {
                self.processors.vacate(cpu);
                Alone::Done
            }
        }
    }

    /// The job is linked where another one is complete, and goes on there.
    #[inline(always)]
    fn continue_instead(&mut self, cpu: CpuId, job: JobId) -> Alone {
        self.recording.record_dispatch(self.now, cpu, job);
        let (entry, progress) =
            (self.jobs.of_task_mut(job.task), at_mut(&mut self.progress, job.task.index()));
        entry.scheduled_on = Some(cpu);
        entry.last_cpu = Some(cpu);
        progress.caches = Caches::Warm;
        let left = progress.behaviour.left();
        if progress.phase == Phase::GoesOn && !left.is_zero() {
            entry.executing = true;
            entry.accounted = self.now;
            progress.unlocked = false;
            self.processors.run_instead(cpu, job, self.now, self.now + left.at_unit_speed());
            return Alone::Done;
        }
        self.processors.vacate(cpu);
        self.processors.link(cpu, Occupant::job(job));
        self.processors.occupy(cpu, job);
        self.run_scheduled(cpu, job);
        Alone::Begun
    }

    /// The job has something else to do.
    #[inline(never)]
    fn end_rest(&mut self, cpu: CpuId, job: JobId) -> Alone {
        self.jobs.of_task_mut(job.task).executing = false;
        self.unlock_all(job);
        self.end_activity_if_there(cpu);
        Alone::Begun
    }
}
