//! Distributions of the values of single tasks: utilizations or periods.

use crate::random::Random;
use core::fmt;
use std::sync::Arc;

/// Draws the value of one task after the other.
pub(super) trait Draw<T>: fmt::Debug + Send + Sync {
    /// Draws the next task's value, which depends on the random numbers alone.
    fn draw(&self, random: &mut Random) -> T;
}

/// A distribution of one task's utilization (`f64`) or period in nanoseconds (`u64`).
#[derive(Clone, Debug)]
pub struct TaskDistribution<T>(Arc<dyn Draw<T>>);

impl<T> TaskDistribution<T> {
    pub(super) fn new(draws: impl Draw<T> + 'static) -> Self {
        TaskDistribution(Arc::new(draws))
    }

    /// Draws the value of the next task: a utilization from about 0 to 1, or a period above 0.
    #[inline]
    pub fn draw(&self, random: &mut Random) -> T {
        self.0.draw(random)
    }
}
