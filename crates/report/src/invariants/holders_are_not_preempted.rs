//! A job that holds a resource keeps its processor until it gives it back: zone-based locking promises it.

use super::{Found, Predicate, Violation};
use crate::scene::Scene;
use schedlab_model::Instant;
use schedlab_trace::Record;

pub(super) struct HoldersAreNotPreempted;

impl Predicate for HoldersAreNotPreempted {
    fn see(&mut self, scene: &Scene, at: Instant, record: &Record, found: &mut Found) {
        let (job, how) = match *record {
            Record::Preempt { job, .. } => (job, "is preempted"),
            Record::Suspend { job, .. } => (job, "gives up its processor"),
            _ => return,
        };
        if let Some((resource, _, _)) = scene.holdings.iter().find(|(_, holder, _)| *holder == job) {
            let cpu = scene.job(job).and_then(|live| live.on);
            found.add(Violation::new(at, job, cpu, format!("{job} {how} while it holds {resource}")));
        }
    }
}
