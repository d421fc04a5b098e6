//! Jobs that wait for each other in a circle, each for a resource of one unit that the next one holds.
//!
//! A deadlock is a result of a simulation, not an error: plain semaphores and priority inheritance do not prevent it
//! where nested requests cross (L. Sha, R. Rajkumar and J. P. Lehoczky, "Priority inheritance protocols", IEEE
//! Transactions on Computers 39(9), 1990, section III-C).

use crate::context::Context;
use schedlab_model::{Instant, JobId, ResourceId};
use schedlab_trace::{about, Record, Sink, SuspendReason};
use schemars::JsonSchema;
use serde::Serialize;

/// One job of a circle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Id of the job.
    pub job: JobId,
    /// Resource that the job holds and for which the job before it waits.
    pub holds: ResourceId,
    /// Resource for which the job waits and that the job after it holds.
    pub wants: ResourceId,
}

/// Jobs that wait for each other forever, unless one of them is given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// Time at which the last of them began to wait.
    pub at: Instant,
    /// Jobs of the circle: each waits for the next, the last for the first, and the last to wait comes first.
    pub circle: Vec<Link>,
}

impl Deadlock {
    /// The jobs, the last to wait first.
    pub(crate) fn jobs(&self) -> Vec<JobId> {
        self.circle.iter().map(|link| link.job).collect()
    }

    /// Describes in a sentence which job holds and waits for which resource.
    pub fn text(&self, context: &Context) -> String {
        let words = |link: &Link| {
            let [holds, wants] = [link.holds, link.wants].map(|resource| context.resource_name(resource));
            format!("{} holds {holds} and waits for {wants}", context.job_name(link.job))
        };
        format!("deadlock at {}: {}", self.at, self.circle.iter().map(words).collect::<Vec<_>>().join(", "))
    }

    /// The deadlock as plain values.
    pub(crate) fn result(&self, context: &Context) -> DeadlockResult {
        let row = |link: &Link| {
            let [holds, wants] = [link.holds, link.wants].map(|resource| context.resource_name(resource));
            LinkResult { job: link.job.to_string(), holds, wants }
        };
        let circle = self.circle.iter().map(row).collect();
        DeadlockResult { at_ns: self.at.as_ns(), circle, text: self.text(context) }
    }
}

/// A job in a deadlock, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "DeadlockLink")]
struct LinkResult {
    job: String,
    holds: String,
    wants: String,
}

/// Jobs that wait for each other in a circle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Deadlock")]
pub(crate) struct DeadlockResult {
    at_ns: u64,
    circle: Vec<LinkResult>,
    text: String,
}

/// Finds deadlocks in the records that it is given.
#[derive(Clone, Debug, Default)]
pub struct Deadlocks {
    /// By resource: whether it has one unit.
    is_mutex: Vec<bool>,
    /// By resource: its holder.
    holder: Vec<Option<JobId>>,
    /// By task: its waiting job, and the resource for which it waits.
    wanted: Vec<Option<(JobId, ResourceId)>>,
    /// Deadlocks that were found, in order.
    pub found: Vec<Deadlock>,
}

impl Deadlocks {
    /// A search in a system whose resources `context` knows; only those with one unit matter.
    pub fn new(context: &Context) -> Self {
        Deadlocks::default().renewed(context)
    }

    /// A search as [`Deadlocks::new`] makes it, in the memory of this one.
    #[must_use]
    pub fn renewed(mut self, context: &Context) -> Self {
        self.is_mutex.clear();
        self.is_mutex.extend(context.resources.iter().map(|resource| resource.units == 1));
        self.holder.clear();
        self.holder.resize(self.is_mutex.len(), None);
        self.wanted.clear();
        self.found.clear();
        self
    }

    /// Returns the circle in which `job` waits now, starting with it, if there is one.
    pub(crate) fn circle_of(&self, job: JobId) -> Option<Vec<Link>> {
        let mut circle: Vec<Link> = Vec::new();
        let (mut waiter, mut wants) = (job, self.wants(job)?);
        loop {
            let holder = (*self.holder.get(wants.index())?)?;
            // What the waiter itself holds is known when the circle closes.
            circle.push(Link { job: waiter, holds: wants, wants });
            if holder == job {
                break;
            }
            if circle.iter().any(|link| link.job == holder) {
                return None; // A circle further on.
            }
            (waiter, wants) = (holder, self.wants(holder)?);
        }
        let last = circle.len() - 1;
        for index in (0..=last).rev() {
            circle[index].holds = circle[if index == 0 { last } else { index - 1 }].wants;
        }
        Some(circle)
    }

    fn wants(&self, job: JobId) -> Option<ResourceId> {
        self.wanted.get(job.task.index())?.filter(|(waiter, _)| *waiter == job).map(|(_, wants)| wants)
    }

    fn is_mutex(&self, resource: ResourceId) -> bool {
        self.is_mutex.get(resource.index()) == Some(&true)
    }

    fn wait(&mut self, at: Instant, job: JobId, resource: ResourceId) {
        if job.task.index() >= self.wanted.len() {
            self.wanted.resize(job.task.index() + 1, None);
        }
        self.wanted[job.task.index()] = Some((job, resource));
        self.found.extend(self.circle_of(job).map(|circle| Deadlock { at, circle }));
    }

    fn go_on(&mut self, job: JobId) {
        if let Some(wanted) = self.wanted.get_mut(job.task.index()) {
            *wanted = None;
        }
    }
}

impl Sink for Deadlocks {
    fn record(&mut self, at: Instant, record: Record) {
        match record {
            Record::Spin { job, resource }
            | Record::Suspend { job, reason: SuspendReason::Resource(resource) } => {
                self.wait(at, job, resource);
            }
            Record::Acquire { job, resource, .. } => {
                self.go_on(job);
                if self.is_mutex(resource) {
                    self.holder[resource.index()] = Some(job);
                }
            }
            Record::Release { job, resource, .. } if self.is_mutex(resource) => {
                self.holder[resource.index()].take_if(|holder| *holder == job);
            }
            Record::Resume { job } => self.go_on(job),
            Record::Complete { job } | Record::Abort { job } => {
                self.go_on(job);
                for holder in &mut self.holder {
                    holder.take_if(|holder| *holder == job);
                }
            }
            about![
                Arrival, Ready, GiveUp, Miss, Link, Dispatch, Preempt, Suspend, Move, Request, Delay,
                Release, urgencies, attempts, machine
            ] => {}
        }
    }
}
