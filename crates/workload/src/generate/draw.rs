//! What is drawn of one task at a time: a utilization or a period.

use crate::random::Random;
use core::fmt;
use std::sync::Arc;

/// Draws the value of one task after the other.
pub(super) trait Draw<T>: fmt::Debug + Send + Sync {
    /// The next task's value: the same of the same random numbers.
    fn draw(&self, random: &mut Random) -> T;
}

/// A distribution of one task's utilization (`f64`) or period in nanoseconds (`u64`).
#[derive(Clone, Debug)]
pub struct TaskDistribution<T>(Arc<dyn Draw<T>>);

impl<T> TaskDistribution<T> {
    pub(super) fn new(draws: impl Draw<T> + 'static) -> Self {
        TaskDistribution(Arc::new(draws))
    }

    /// The value of the next task: a utilization above 0 or so, and at most 1; a period above 0.
    #[inline]
    pub fn draw(&self, random: &mut Random) -> T {
        self.0.draw(random)
    }
}
