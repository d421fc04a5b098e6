//! Any policy, which gives jobs up at some time, by one timer per task.

use schedlab_model::*;
use schedlab_policy::{Decision, Decisions, Policy};
use std::sync::Arc;

/// The timers below are the policy's own.
const FIRST_KEY: u32 = 1_000;

fn key_of(job: JobId) -> TimerKey {
    TimerKey(FIRST_KEY + job.task.0)
}

/// When a job is given up.
pub type When = Arc<dyn Fn(&Job) -> Instant + Send + Sync>;

/// A policy, except that late jobs do not go on.
pub struct GivingUp {
    inner: Box<dyn Policy>,
    when: When,
    timers: Vec<(TimerKey, Option<Instant>)>,
    late: Vec<JobId>,
}

impl GivingUp {
    /// At their absolute deadlines.
    pub fn late_jobs(policies: Vec<Box<dyn Policy>>) -> Vec<GivingUp> {
        Self::at(policies, Arc::new(|job| job.absolute_deadline))
    }

    /// At any time after they are ready.
    pub fn at(policies: Vec<Box<dyn Policy>>, when: When) -> Vec<GivingUp> {
        let giving_up =
            |inner| GivingUp { inner, when: Arc::clone(&when), timers: Vec::new(), late: Vec::new() };
        policies.into_iter().map(giving_up).collect()
    }
}

impl Policy for GivingUp {
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        self.inner.priority(job, jobs)
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs) {
        match event {
            Event::Timer(key) if key.0 >= FIRST_KEY => {
                self.late.push(jobs.of_task(TaskId(key.0 - FIRST_KEY)).id);
                return;
            }
            Event::Ready(job) => {
                let at = (self.when)(jobs.get(job));
                self.timers.push((key_of(job), Some(at.max(now + Duration::from_ns(1)))));
            }
            Event::Completed(job) => self.timers.push((key_of(job), None)),
            _ => {}
        }
        self.inner.note(now, event, jobs);
    }

    fn decide(&mut self, now: Instant, jobs: &Jobs, out: &mut Decisions) {
        self.timers.drain(..).for_each(|(key, at)| out.push(Decision::Timer(key, at)));
        self.late.drain(..).for_each(|job| out.push(Decision::Abort(job)));
        self.inner.decide(now, jobs, out);
    }

    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.inner.linked(cpu)
    }

    fn promises(&self) -> &'static [Invariant] {
        self.inner.promises()
    }
}
