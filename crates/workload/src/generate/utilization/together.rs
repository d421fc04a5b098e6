//! Samplers of the utilizations of a whole set, so that they have a given sum.

use crate::generate::GenerateError;
use crate::random::Random;
use crate::ratio::Ratio;
use crate::words::SpecError;
use core::fmt;
use std::sync::Arc;

/// A distribution of the utilizations of all tasks of a set.
pub(super) trait Joint: fmt::Debug + Send + Sync {
    /// Makes the sampler for sets of `tasks` tasks with this total; an error if they cannot have it.
    fn sampler(&self, tasks: u32, total: Ratio) -> Result<Sampler, SpecError>;
}

/// Draws sets of one number of tasks and one total.
pub(super) trait DrawSet: fmt::Debug + Send + Sync {
    /// Draws the next set's utilizations in place of those in `out`.
    fn draw_into(&self, random: &mut Random, out: &mut Vec<f64>) -> Result<(), GenerateError>;
}

/// A distribution of the utilizations of all tasks of a set.
#[derive(Clone, Debug)]
pub struct JointUtilizations(Arc<dyn Joint>);

impl JointUtilizations {
    pub(super) fn new(joint: impl Joint + 'static) -> Self {
        JointUtilizations(Arc::new(joint))
    }

    /// Makes the sampler for sets of `tasks` tasks with this total; an error if they cannot have it.
    pub(in crate::generate) fn sampler(&self, tasks: u32, total: Ratio) -> Result<Sampler, SpecError> {
        self.0.sampler(tasks, total)
    }
}

/// Draws the utilizations of sets of one number of tasks and one total.
#[derive(Clone, Debug)]
pub(in crate::generate) struct Sampler(Arc<dyn DrawSet>);

impl Sampler {
    pub(super) fn new(draws: impl DrawSet + 'static) -> Self {
        Sampler(Arc::new(draws))
    }

    /// Draws the next set's utilizations in place of those in `out`.
    pub(in crate::generate) fn draw_into(
        &self,
        random: &mut Random,
        out: &mut Vec<f64>,
    ) -> Result<(), GenerateError> {
        self.0.draw_into(random, out)
    }
}
