//! The usual case of jobs with steps: one execution ends, and nothing else happens by itself at that instant.
//!
//! Most often its job then begins or ends a critical section and executes on. This path does not undo state that it
//! would set again: the processor does not become idle in between, and the request is not queued behind others.

use super::{Alone, Engine, WATCH_EVERY};
use crate::behaviour::{Behaviour, Source};
use crate::phase::{Doing, Phase};
use schedlab_lock::{LockProtocol, Section};
use schedlab_model::{at_mut, CpuId, Instant, JobId, Occupant, Step, Work};
use schedlab_policy::Policy;
use schedlab_trace::Sink;

impl<P: Policy, L: LockProtocol, J: Source, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// Ends executions one after another, each alone at its instant and before `before`, as long as nothing follows
    /// from them. Returns what is left to do of the last instant.
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
                // A section's end is most often the next event after its beginning.
                if end >= before.min(others) {
                    break;
                }
                self.begin_instant(end);
            }
        }
    }

    /// Ends the activity of `cpu`, unless a job that was unlocked has taken the processor over.
    fn end_activity_if_there(&mut self, cpu: CpuId) {
        if self.processors.ends().at(cpu) == self.now {
            self.end_activity(cpu);
        }
    }

    // The functions below return the end of the processor's next execution, or `None` if more is to be done at this
    // instant. They have carried out the effects that the protocol wants.

    /// Ends a step of the job that executes on `cpu`, or its last one. No budget limits the job.
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

    /// Lets the job execute on for `left`; if that is zero or something else may happen at this instant, leaves the
    /// rest of the instant to the main loop.
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

    /// Lets the executing job execute on for `left`; returns the end. The job has unlocked nothing before another step
    /// at this instant.
    #[inline(always)]
    fn execute_on(&mut self, cpu: CpuId, left: Work) -> Instant {
        let end = self.now + left.at_unit_speed();
        self.processors.execute_on(cpu, end);
        end
    }

    /// Lets the job go on beside other events of this instant, unless a release of its has taken its processor away.
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

    /// Makes the request of the executing job.
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

    /// Ends the execution of a job that holds what it asked for, because it has something else to do, or its processor
    /// has.
    #[inline(never)]
    fn begin_rest(&mut self, cpu: CpuId, has_to_look: bool) {
        self.stop_activity(cpu);
        match has_to_look {
            true => self.processors.look_soon(cpu),
            false => self.go_on(cpu),
        }
    }

    /// Completes the job. If its policy names the job that takes the processor over, that one is dispatched at once.
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

    /// Completes the job, with a decision of its policy after all other events of the instant.
    #[inline(never)]
    fn complete_with_others(&mut self, cpu: CpuId, job: JobId) {
        self.happen_on(cpu);
        self.complete(cpu, job);
    }

    /// Dispatches the job that is linked where another one has just completed.
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

    /// Dispatches a job that has something else to do than to execute, where another one has just completed.
    #[inline(never)]
    fn continue_with_rest(&mut self, cpu: CpuId, job: JobId) {
        self.processors.vacate(cpu);
        self.processors.link(cpu, Occupant::job(job));
        self.processors.occupy(cpu, job);
        self.run_scheduled(cpu, job);
    }
}
