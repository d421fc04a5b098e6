//! No request has to wait: a job that starts finds all that it asks for free (NPCS, IPCP, SRP).

use super::{Predicate, Violation, Violations};
use crate::scene::Scene;
use schedlab_model::Instant;
use schedlab_trace::{Record, SuspendReason};

pub(super) struct RequestsAreNeverDenied;

impl Predicate for RequestsAreNeverDenied {
    fn see(&mut self, _: &Scene, at: Instant, record: &Record, found: &mut Violations) {
        if let Record::Spin { job, resource }
        | Record::Suspend { job, reason: SuspendReason::Resource(resource) } = *record
        {
            found.add(Violation::new(at, job, None, format!("{job} has to wait for {resource}")));
        }
    }
}
