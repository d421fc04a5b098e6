//! A completed job has received exactly its cost.
//!
//! Service is the time during which a job occupies a processor that does nothing for the system, and
//! does not spin. Reloading caches is an overhead, so it gives no service. A cost of zero is unknown.

use super::{Predicate, Violation, Violations};
use crate::scene::Scene;
use schedlab_model::Instant;
use schedlab_trace::Record;

pub(super) struct CompletedJobsReceivedTheirCost;

impl Predicate for CompletedJobsReceivedTheirCost {
    fn concerns(&self, record: &Record) -> bool {
        matches!(record, Record::Complete { .. })
    }

    fn see(&mut self, scene: &Scene, at: Instant, record: &Record, found: &mut Violations) {
        let Record::Complete { job } = *record else { return };
        let Some(live) = scene.job(job).filter(|live| !live.cost.is_zero()) else { return };
        let received = scene.service(live, at);
        let error = received.as_ns().abs_diff(live.cost.as_ns());
        if error > scene.tolerance.as_ns() {
            let what = format!("{job} completes after receiving {received} of its cost {}", live.cost);
            found.add(Violation::new(at, job, live.on, what));
        }
    }
}
