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
//! PD2 hard paper-2008-4k published   by the published accounting, which is no promise
//! G-EDF hard paper-2008-4k reload=300us   reloads take so long instead
//! P-EDF hard qpa worst_fit_decreasing    placed otherwise
//! ```
//!
//! The answer is whether the guarantee is proved, so of two sets of tests the larger one never proves less.
//! Set `i` of a seed depends on nothing but the generator, the seed and `i`; the answers depend on the set
//! alone. Whoever runs batches, on as many threads as it likes, draws and asks set by set ([`Sets`]).

mod question;

pub(crate) use question::named;
pub use question::{Question, QuestionError, Workspace};

use schedlab_analysis::SystemError;
use schedlab_workload::generate::{GenerateError, Generator};
use schedlab_workload::placement::PlacementError;

/// Why a batch has no answers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// A set could not be drawn.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// A set could not be placed.
    #[error(transparent)]
    Placement(#[from] PlacementError),
    /// A set could not be analysed.
    #[error(transparent)]
    System(#[from] SystemError),
}

/// Random sets, and what is asked of each of them.
#[derive(Clone, Debug)]
pub struct Sets<'a> {
    /// What draws them.
    pub generator: &'a Generator,
    /// Of all sets.
    pub seed: u64,
    /// How many there are for each set.
    pub processors: u16,
    /// What is asked.
    pub questions: &'a [Question],
}

impl Sets<'_> {
    /// Draws set `index` and writes down whether the guarantee of each question is proved; gives its number of tasks.
    pub fn judge(
        &self,
        index: u64,
        workspace: &mut Workspace,
        proved: &mut [bool],
    ) -> Result<u32, BatchError> {
        // Taken out, as questions use the rest of the workspace.
        let mut drawn = std::mem::take(&mut workspace.drawn);
        self.generator.draw(self.seed, index, &mut drawn)?;
        for (question, proved) in self.questions.iter().zip(proved) {
            *proved = question.is_proved(&drawn.tasks, self.processors, workspace)?;
        }
        let tasks = drawn.tasks.len() as u32;
        workspace.drawn = drawn;
        Ok(tasks)
    }
}

#[cfg(test)]
mod tests;
