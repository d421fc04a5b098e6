//! Waiting jobs are granted a resource in the protocol's order: the longest waiting first, or the most urgent by base
//! or by effective priority.
//!
//! Judged among those who were made to wait by a request and still wait for the same resource.

use super::{Predicate, Violation, Violations};
use crate::scene::Scene;
use schedlab_model::{Instant, JobId, Priority, ResourceId};
use schedlab_trace::{about, Record, SuspendReason};

/// Order of two waiters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    Fifo,
    ByBase,
    ByEffective,
}

/// A job that waits.
#[derive(Clone, Copy)]
struct Waiter {
    job: JobId,
    resource: ResourceId,
}

pub(super) struct GrantsInOrder {
    rule: Rule,
    /// Waiters, the longest waiting first.
    waiters: Vec<Waiter>,
    /// Base priorities of live jobs.
    base: Vec<(JobId, Priority)>,
}

impl GrantsInOrder {
    pub(super) fn new(rule: Rule) -> Self {
        GrantsInOrder { rule, waiters: Vec::new(), base: Vec::new() }
    }

    fn base_of(&self, job: JobId) -> Option<Priority> {
        self.base.iter().find(|(known, _)| *known == job).map(|(_, base)| *base)
    }

    /// True if `other`, which has waited longer or shorter than `job`, ought to go before it.
    fn goes_before(&self, scene: &Scene, other: (usize, JobId), job: (usize, JobId)) -> bool {
        let higher =
            |a: Option<Priority>, b: Option<Priority>| a.zip(b).is_some_and(|(a, b)| a.is_higher_than(b));
        let effective = |job| scene.job(job).and_then(|live| live.priority);
        match self.rule {
            Rule::Fifo => other.0 < job.0,
            Rule::ByBase => higher(self.base_of(other.1), self.base_of(job.1)),
            Rule::ByEffective => higher(effective(other.1), effective(job.1)),
        }
    }

    fn grant(
        &mut self,
        scene: &Scene,
        at: Instant,
        job: JobId,
        resource: ResourceId,
        found: &mut Violations,
    ) {
        let place = self.waiters.iter().position(|waiter| waiter.job == job && waiter.resource == resource);
        let Some(place) = place else { return };
        let mut others = self.waiters.iter().enumerate().filter(|(_, other)| other.resource == resource);
        let passed = others.find(|(at, other)| self.goes_before(scene, (*at, other.job), (place, job)));
        if let Some((_, passed)) = passed {
            let why = match self.rule {
                Rule::Fifo => "has waited longer",
                Rule::ByBase => "has a higher base priority",
                Rule::ByEffective => "has a higher priority",
            };
            let what =
                format!("{job} is granted {resource} although {}, which waits for it too, {why}", passed.job);
            found.add(Violation::new(at, job, None, what));
        }
        self.waiters.remove(place);
    }
}

impl Predicate for GrantsInOrder {
    fn see(&mut self, scene: &Scene, at: Instant, record: &Record, found: &mut Violations) {
        match *record {
            Record::Ready { job, priority, .. } => self.base.push((job, priority)),
            Record::Spin { job, resource }
            | Record::Suspend { job, reason: SuspendReason::Resource(resource) } => {
                // A spinner that suspends itself after a while keeps its place.
                let is_new = !self.waiters.iter().any(|waiter| waiter.job == job);
                self.waiters.extend(is_new.then_some(Waiter { job, resource }));
            }
            Record::Acquire { job, resource, .. } => self.grant(scene, at, job, resource, found),
            // It asks again, and waits anew if it has to.
            Record::Request { job, .. } => self.waiters.retain(|waiter| waiter.job != job),
            Record::Complete { job } | Record::Abort { job } => {
                self.waiters.retain(|waiter| waiter.job != job);
                self.base.retain(|(known, _)| *known != job);
            }
            // Without a grant before: it will ask again.
            Record::Resume { job } => self.waiters.retain(|waiter| waiter.job != job),
            about![
                Arrival, GiveUp, Miss, Link, Dispatch, Preempt, Suspend, Move, Delay, Release, urgencies,
                attempts, machine
            ] => {}
        }
    }
}
