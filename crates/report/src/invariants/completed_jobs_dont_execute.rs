//! A job does not execute after its completion or abort.

use super::{Predicate, Violation, Violations};
use crate::scene::Scene;
use schedlab_model::Instant;
use schedlab_trace::Record;

pub(super) struct CompletedJobsDontExecute;

impl Predicate for CompletedJobsDontExecute {
    fn concerns(&self, record: &Record) -> bool {
        matches!(record, Record::Dispatch { .. })
    }

    fn see(&mut self, scene: &Scene, at: Instant, record: &Record, found: &mut Violations) {
        let Record::Dispatch { cpu, job } = *record else { return };
        if scene.is_done(job) {
            found.add(Violation::new(
                at,
                job,
                cpu,
                format!("{job} is dispatched on {cpu} after it was done"),
            ));
        }
    }
}
