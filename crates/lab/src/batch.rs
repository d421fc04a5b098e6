//! Many random task sets, each judged by a few tests: the inner loop of schedulability studies.
//!
//! A [`Question`] names a scheduler, a guarantee and, if wanted, the tests that may answer it and overheads:
//!
//! ```text
//! P-EDF hard                     each processor's tasks, placed first fit by decreasing utilization, by any test
//! G-EDF hard gfb                 by this test alone
//! NG-EDF soft
//! PD2 hard                       quanta of 1 ms; tasks arrive periodically, all at first at time 0
//! S-PD2 hard paper-2008-4k       costs inflated by what this profile charges S-PD2
//! PD2 hard paper-2008-4k:G-EDF   by what it charges G-EDF
//! ```
//!
//! The answer is whether the guarantee is proved, so of two sets of tests the larger one never proves less.
//! Set `i` of a seed depends on nothing but the generator, the seed and `i`; the answers depend on the set
//! alone.

mod charged;
mod question;

pub use question::{Question, QuestionError};

use core::fmt;
use core::ops::Range;
use schedlab_analysis::SystemError;
use schedlab_workload::generate::{GenerateError, Generator};
use schedlab_workload::placement::PlacementError;

/// Why a batch has no answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchError {
    /// A set could not be drawn.
    Generate(GenerateError),
    /// A set could not be placed.
    Placement(PlacementError),
    /// A set could not be analysed.
    System(SystemError),
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BatchError::Generate(error) => error.fmt(f),
            BatchError::Placement(error) => error.fmt(f),
            BatchError::System(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BatchError {}

impl From<GenerateError> for BatchError {
    fn from(error: GenerateError) -> Self {
        BatchError::Generate(error)
    }
}

impl From<PlacementError> for BatchError {
    fn from(error: PlacementError) -> Self {
        BatchError::Placement(error)
    }
}

impl From<SystemError> for BatchError {
    fn from(error: SystemError) -> Self {
        BatchError::System(error)
    }
}

/// One task set of a batch: its size, and the answer to each question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Number of tasks.
    pub tasks: usize,
    /// Whether the guarantee of each question is proved.
    pub proved: Vec<bool>,
}

/// Draws the sets `sets` of `seed` and asks each of them all questions.
pub fn judge(
    generator: &Generator,
    seed: u64,
    sets: Range<u64>,
    processors: u16,
    questions: &[Question],
) -> Result<Vec<Judged>, BatchError> {
    sets.map(|index| {
        let tasks = generator.generate(seed, index)?;
        let proved = questions.iter().map(|question| question.is_proved(&tasks, processors));
        Ok(Judged { tasks: tasks.len(), proved: proved.collect::<Result<_, BatchError>>()? })
    })
    .collect()
}

#[cfg(test)]
mod tests;
