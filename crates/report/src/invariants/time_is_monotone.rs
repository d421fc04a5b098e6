//! Records never go back in time.

use super::{Predicate, Violation, Violations};
use crate::scene::Scene;
use schedlab_model::Instant;
use schedlab_trace::Record;

pub(super) struct TimeIsMonotone;

impl Predicate for TimeIsMonotone {
    fn see(&mut self, scene: &Scene, at: Instant, _: &Record, found: &mut Violations) {
        if scene.now.saturating_since(at) > scene.tolerance {
            found.add(Violation::new(at, None, None, format!("a record follows one of time {}", scene.now)));
        }
    }
}
