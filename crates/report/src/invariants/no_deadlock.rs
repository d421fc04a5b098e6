//! No jobs wait for each other in a circle, each for a resource of one unit that the next one holds.

use super::{Found, Predicate, Violation};
use crate::context::Context;
use crate::scene::{Doing, LiveJob, Scene};
use schedlab_model::{Instant, JobId, ResourceId};
use schedlab_trace::{Record, SuspendReason};

pub(super) struct NoDeadlock {
    /// By resource: it has one unit.
    is_mutex: Vec<bool>,
}

impl NoDeadlock {
    pub(super) fn new(context: &Context) -> Self {
        NoDeadlock { is_mutex: context.resources.iter().map(|resource| resource.units == 1).collect() }
    }

    fn holder(&self, scene: &Scene, resource: ResourceId) -> Option<JobId> {
        let is_mutex = self.is_mutex.get(resource.index()).copied().unwrap_or(false);
        is_mutex.then(|| scene.holders(resource).first().copied()).flatten()
    }
}

/// What a job waits for.
fn wanted(job: &LiveJob) -> Option<ResourceId> {
    match job.doing {
        Doing::Suspended(SuspendReason::Resource(resource)) => Some(resource),
        _ => job.spinning,
    }
}

impl Predicate for NoDeadlock {
    fn see(&mut self, scene: &Scene, at: Instant, record: &Record, found: &mut Found) {
        let (job, resource) = match *record {
            Record::Spin { job, resource }
            | Record::Suspend { job, reason: SuspendReason::Resource(resource) } => (job, resource),
            _ => return,
        };
        let mut path = vec![job];
        let mut next = self.holder(scene, resource);
        // A circle that does not come back to the job was there before, and was objected to then.
        while let Some(holder) = next.filter(|holder| *holder == job || !path.contains(holder)) {
            if holder == job {
                let names: Vec<String> = path[1..].iter().map(JobId::to_string).collect();
                let what = match names.is_empty() {
                    true => format!("{job} waits for {resource}, which it holds itself"),
                    false => format!(
                        "{job} waits for {resource} and so for itself, by way of {}",
                        names.join(", ")
                    ),
                };
                return found.add(Violation::new(at, job, None, what));
            }
            path.push(holder);
            next = scene.job(holder).and_then(wanted).and_then(|wanted| self.holder(scene, wanted));
        }
    }
}
