//! Records never go back in time.

use super::{Found, Predicate, Violation};
use crate::context::Context;
use crate::scene::Scene;
use schedlab_model::{Duration, Instant};
use schedlab_trace::Record;

pub(super) struct TimeIsMonotone {
    tolerance: Duration,
}

impl TimeIsMonotone {
    pub(super) fn new(context: &Context) -> Self {
        TimeIsMonotone { tolerance: context.tolerance }
    }
}

impl Predicate for TimeIsMonotone {
    fn see(&mut self, scene: &Scene, at: Instant, _: &Record, found: &mut Found) {
        if scene.now.saturating_since(at) > self.tolerance {
            found.add(Violation::new(at, None, None, format!("a record follows one of time {}", scene.now)));
        }
    }
}
