//! No jobs wait for each other in a circle, each for a resource of one unit that the next one holds.

use super::{Predicate, Violation, Violations};
use crate::context::Context;
use crate::deadlock::Deadlocks;
use crate::scene::Scene;
use schedlab_model::{Instant, JobId};
use schedlab_trace::{Record, Sink};

pub(super) struct NoDeadlock {
    deadlocks: Deadlocks,
}

impl NoDeadlock {
    pub(super) fn new(context: &Context) -> Self {
        NoDeadlock { deadlocks: Deadlocks::new(context) }
    }
}

impl Predicate for NoDeadlock {
    fn see(&mut self, _: &Scene, at: Instant, record: &Record, found: &mut Violations) {
        self.deadlocks.record(at, *record);
        for deadlock in self.deadlocks.found.drain(..) {
            let first = deadlock.circle[0];
            let names: Vec<String> = deadlock.jobs()[1..].iter().map(JobId::to_string).collect();
            let (job, wants) = (first.job, first.wants);
            let what = match names.is_empty() {
                true => format!("{job} waits for {wants}, which it holds itself"),
                false => format!("{job} waits for {wants} and so for itself, by way of {}", names.join(", ")),
            };
            found.add(Violation::new(at, job, None, what));
        }
    }
}
