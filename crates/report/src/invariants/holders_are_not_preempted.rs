//! A job that holds a resource keeps its processor until it gives it back: zone-based locking promises it, if sections
//! take no longer than in the scenario.

use super::{Predicate, Violation, Violations};
use crate::context::Context;
use crate::scene::Scene;
use schedlab_model::{Instant, JobId, ResourceId};
use schedlab_trace::{about, Record};
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct HoldersAreNotPreempted {
    overlong: BTreeSet<(JobId, Instant)>,
    /// Times since which jobs hold resources.
    since: BTreeMap<(JobId, ResourceId), Instant>,
}

impl HoldersAreNotPreempted {
    pub(crate) fn new(context: &Context) -> Self {
        HoldersAreNotPreempted { overlong: context.overlong.clone(), since: BTreeMap::new() }
    }

    fn is_overlong(&self, job: JobId, resource: ResourceId) -> bool {
        self.since.get(&(job, resource)).is_some_and(|since| self.overlong.contains(&(job, *since)))
    }
}

impl Predicate for HoldersAreNotPreempted {
    fn see(&mut self, scene: &Scene, at: Instant, record: &Record, found: &mut Violations) {
        let (job, how) = match *record {
            Record::Acquire { job, resource, .. } => {
                self.since.insert((job, resource), at);
                return;
            }
            Record::Release { job, resource, .. } => {
                self.since.remove(&(job, resource));
                return;
            }
            Record::Preempt { job, .. } => (job, "is preempted"),
            Record::Suspend { job, .. } => (job, "gives up its processor"),
            about![
                Link, Dispatch, Resume, Move, Request, Spin, Delay, lives, urgencies, attempts, machine
            ] => return,
        };
        let Some((resource, _, _)) = scene.holdings.iter().find(|(_, holder, _)| *holder == job) else {
            return;
        };
        if matches!(record, Record::Preempt { .. }) && self.is_overlong(job, *resource) {
            found.excused += 1;
            return;
        }
        let cpu = scene.job(job).and_then(|live| live.on);
        found.add(Violation::new(at, job, cpu, format!("{job} {how} while it holds {resource}")));
    }
}
