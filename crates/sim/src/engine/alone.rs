//! The usual case of jobs with steps: one execution ends, and nothing else happens by itself at that instant.
//!
//! Its job then mostly begins or ends a critical section, and executes on. So nothing is undone for it and then done
//! again: its processor does not become idle meanwhile, and its request waits for no other.

use super::{Alone, Engine, WATCH_EVERY};
use crate::behaviour::{Behaviour, Source};
use crate::phase::{Doing, Phase};
use schedlab_lock::{LockProtocol, Section};
use schedlab_model::{at_mut, CpuId, Instant, JobId, Occupant, Step, Work};
use schedlab_policy::Policy;
use schedlab_trace::Sink;

impl<P: Policy, L: LockProtocol, J: Source, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// Ends executions one after another, each alone at its instant, as long as nothing follows from them, `before`
    /// that instant. What is left to do of the last one.
    #[inline(always)]
    pub(super) fn end_alone(&mut self, before: Instant) -> Alone {
        loop {
            self.processors.settle();
            let first = self.processors.ends().first();
            if first >= before {
                return Alone::Not;
            }
            let Some((cpu, others)) = self.processors.alone_to_end(first) else { return Alone::Not };
            self.begin_instant(first);
            if self.budgets.are_used() {
                self.end_execution(cpu);
                self.end_activity_if_there(cpu);
                return Alone::Begun;
            }
            loop {
                let Some(end) = self.end_step(cpu) else { return Alone::Begun };
                if self.recording.summary.instants % WATCH_EVERY == 0 {
                    return Alone::Done;
                }
                // Mostly a section's end is the next thing after its beginning.
                if end >= before.min(others) {
                    break;
                }
                self.begin_instant(end);
            }
        }
    }

    /// What the job unlocked may have taken the processor away.
    fn end_activity_if_there(&mut self, cpu: CpuId) {
        if self.processors.ends().at(cpu) == self.now {
            self.end_activity(cpu);
        }
    }

    // What follows gives when the processor's next execution ends, if nothing else is to be done at this instant.
    // What the protocol wants has been done.

    /// The job of `cpu` has executed a step of its, or all that it needs, and no budget cuts it.
    #[inline(always)]
    fn end_step(&mut self, cpu: CpuId) -> Option<Instant> {
        let job = self.processors.pass(cpu, self.now);
        let progress = at_mut(&mut self.progress, job.task.index());
        match progress.end_step() {
            Some(Step::Release(resource, units)) if progress.doing() == Doing::ItsOwn => {
                let (left, may_follow) = self.leave_section(Section { job, resource, units });
                if left.is_zero() {
                    at_mut(&mut self.progress, job.task.index()).unlock();
                }
                self.execute_on_or_rest(cpu, job, left, may_follow)
            }
            Some(Step::Request(resource, units)) => self.enter_section(cpu, Section { job, resource, units }),
            None if !progress.hands_back() => self.complete_step(cpu, job),
            _ => {
                let left = progress.begin_step();
                self.execute_on_or_rest(cpu, job, left, false)
            }
        }
    }

    /// The job, which executed, goes on with an execution for so long, or with something else if that is nothing.
    /// Something else may happen at this instant, or nothing does.
    #[inline(always)]
    fn execute_on_or_rest(
        &mut self,
        cpu: CpuId,
        job: JobId,
        left: Work,
        may_follow: bool,
    ) -> Option<Instant> {
        if left.is_zero() || may_follow && self.is_more_after_effects() {
            self.go_on_with_others(cpu, job, left);
            return None;
        }
        Some(self.execute_on(cpu, left))
    }

    /// The job, which executes, and has unlocked nothing before another step at this instant, goes on so for so long:
    /// until when.
    #[inline(always)]
    fn execute_on(&mut self, cpu: CpuId, left: Work) -> Instant {
        let end = self.now + left.at_unit_speed();
        self.processors.execute_on(cpu, end);
        end
    }

    /// The job goes on, unless what it gave back has taken its processor away, and other jobs may do something now.
    #[inline(never)]
    fn go_on_with_others(&mut self, cpu: CpuId, job: JobId, left: Work) {
        if self.processors.ends().at(cpu) != self.now {
            return;
        }
        if left.is_zero() {
            self.account(cpu);
            self.unlock_all(job);
            return self.end_activity_if_there(cpu);
        }
        self.execute_on(cpu, left);
        self.happen_on(cpu);
    }

    /// The job, which executes, makes its request.
    #[inline(always)]
    fn enter_section(&mut self, cpu: CpuId, section: Section) -> Option<Instant> {
        self.happen_on(cpu);
        let (left, may_follow) = self.make_request(cpu, section)?;
        let has_to_look = may_follow && self.has_to_look(cpu, section.job);
        if has_to_look || left.is_zero() {
            self.begin_rest(cpu, has_to_look);
            return None;
        }
        Some(self.execute_on(cpu, left))
    }

    /// The job, which holds what it asked for, has something else to do, or its processor has.
    #[inline(never)]
    fn begin_rest(&mut self, cpu: CpuId, has_to_look: bool) {
        self.stop_activity(cpu);
        match has_to_look {
            true => self.processors.look_soon(cpu),
            false => self.go_on(cpu),
        }
    }

    /// The job is complete. If its policy says who takes the processor over, that one is dispatched at once.
    #[inline(always)]
    fn complete_step(&mut self, cpu: CpuId, job: JobId) -> Option<Instant> {
        let cluster = self.processors.cluster_of(cpu);
        let is_all = !self.has_overheads()
            && !self.locks.hear_all()
            && self.jobs.get(job).cluster == cluster
            && self.streams.of_mut(job.task).end_last_job(self.now);
        let link = if is_all { self.clusters.take_over(cluster, job, cpu, &self.jobs) } else { None };
        let Some(link) = link else {
            self.complete_with_others(cpu, job);
            return None;
        };
        self.complete_known(job);
        match link.get() {
            Some(next) => self.continue_instead(cpu, next),
            None => {
                self.processors.vacate(cpu);
                Some(Instant::NEVER)
            }
        }
    }

    /// The job is complete, and its policy decides with all else that happens.
    #[inline(never)]
    fn complete_with_others(&mut self, cpu: CpuId, job: JobId) {
        self.happen_on(cpu);
        self.complete(cpu, job);
    }

    /// The job is linked where another one is complete, and goes on there.
    #[inline(always)]
    fn continue_instead(&mut self, cpu: CpuId, job: JobId) -> Option<Instant> {
        self.recording.record_dispatch(self.now, cpu, job);
        let progress = at_mut(&mut self.progress, job.task.index());
        progress.load();
        let left = progress.behaviour().left();
        if progress.phase() == Phase::GoesOn && !left.is_zero() {
            self.jobs.run(job, cpu, self.now);
            progress.take_unlocked();
            let end = self.now + left.at_unit_speed();
            self.processors.run_instead(cpu, job, self.now, end);
            return Some(end);
        }
        self.jobs.occupy(job, cpu);
        self.continue_with_rest(cpu, job);
        None
    }

    /// The same of a job that has something else to do.
    #[inline(never)]
    fn continue_with_rest(&mut self, cpu: CpuId, job: JobId) {
        self.processors.vacate(cpu);
        self.processors.link(cpu, Occupant::job(job));
        self.processors.occupy(cpu, job);
        self.run_scheduled(cpu, job);
    }
}
