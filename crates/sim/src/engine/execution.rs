//! Execution of jobs: their steps, one after another.

use super::Engine;
use crate::behaviour::{Behaviour, Next, Source};
use crate::phase::Doing;
use schedlab_lock::{LockProtocol, Section};
use schedlab_model::{at_mut, CpuId, JobId, Occupant, Step, Work};
use schedlab_policy::Policy;
use schedlab_trace::{Record, Sink};

impl<P: Policy, L: LockProtocol, J: Source, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// Lets the scheduled job of `cpu` do its next step, and all steps that take no time.
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
                Next::Suspend(length) => return self.suspend_itself(cpu, job, length),
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

    /// Lets a job without steps execute, or complete if nothing is left.
    #[inline(always)]
    pub(super) fn go_on_plainly(&mut self, cpu: CpuId, job: JobId) {
        match self.progress[job.task.index()].behaviour().left().is_zero() {
            true => self.complete_at_once(cpu, job),
            false => self.execute(cpu, job),
        }
    }

    #[inline]
    pub(crate) fn next_step(&self, job: JobId) -> Next {
        self.progress[job.task.index()].behaviour().next()
    }

    fn do_immediate(&mut self, job: JobId, step: Step) {
        match (step, self.progress[job.task.index()].doing()) {
            (Step::Release(resource, _), Doing::Attempt) => return self.end_attempt(job, resource),
            (Step::Serve(resource), Doing::Section) => {
                let (client, units) = self.locks.client_of(job.task);
                return self.end_service(job, Section { job: client, resource, units });
            }
            (_, Doing::ItsOwn | Doing::Attempt | Doing::Section) => {}
        }
        if matches!(step, Step::Release(..) | Step::NpExit) {
            self.progress[job.task.index()].unlock();
        }
        match step {
            Step::Release(resource, units) => {
                self.leave_section(Section { job, resource, units });
                return;
            }
            Step::NpEnter | Step::NpExit => {
                self.set_preemptable(job, matches!(step, Step::NpExit));
            }
            Step::Execute(_) | Step::Serve(_) => {}
            Step::Suspend(_) | Step::Request(..) => unreachable!("they take time"),
        }
        self.progress[job.task.index()].advance();
    }

    /// Releases what the job holds in `section` and advances to its next step. Returns the execution in that step, and
    /// whether something else may happen at this instant because of the release.
    #[inline(always)]
    pub(super) fn leave_section(&mut self, section: Section) -> (Work, bool) {
        let Section { job, resource, units } = section;
        self.recording.record(self.now, Record::Release { job, resource, units });
        self.jobs.set_holder(resource, None);
        let may_follow = self.end_section(section);
        (at_mut(&mut self.progress, job.task.index()).leave_section(), may_follow)
    }

    /// Prepares the next request of the job. If it unlocked something at this instant, the job that this resumes may be
    /// more urgent, so the decision comes first: otherwise two sections without work between them could delay others
    /// twice.
    fn approach_request(&mut self, cpu: CpuId, job: JobId) {
        self.processors.idle(cpu);
        if self.progress[job.task.index()].take_unlocked() {
            self.processors.look_soon(cpu);
        } else {
            self.locks.expect_request(cpu);
        }
    }

    #[inline(always)]
    pub(super) fn execute(&mut self, cpu: CpuId, job: JobId) {
        let progress = at_mut(&mut self.progress, job.task.index());
        // A section is never interrupted by a budget.
        let is_in_section = WHOLE && (progress.is_in_section() || !self.jobs.get(job).is_preemptable());
        if WHOLE {
            progress.take_unlocked();
        }
        let left = progress.behaviour().left();
        let segment = if is_in_section { left } else { self.budgets.limit(job.task, left) };
        self.jobs.execute(job, self.now);
        self.processors.execute(cpu, self.now, self.now + segment.at_unit_speed());
    }

    /// Accounts for the segment that ends now, and does the unlocks that follow it.
    #[inline]
    pub(super) fn end_execution(&mut self, cpu: CpuId) {
        self.account(cpu);
        let job = self.processors.busy_with(cpu);
        if self.progress[job.task.index()].end_execution() {
            self.unlock_all(job);
        }
    }

    /// Does the job's next steps as long as they unlock something.
    pub(super) fn unlock_all(&mut self, job: JobId) {
        while let Next::Immediate(step @ (Step::Release(..) | Step::Serve(_) | Step::NpExit)) =
            self.next_step(job)
        {
            self.do_immediate(job, step);
        }
    }

    /// Completes a job at the horizon if it has received all its cost.
    pub(super) fn end_job_if_done(&mut self, cpu: CpuId) {
        // A release at this instant may have let the job go on elsewhere; it is then not complete before it runs there.
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
}
