//! Batches of random task sets, each judged by a few tests: the inner loop of schedulability studies.
//!
//! A [`Question`] is `SCHEDULER [PROTOCOL] hard|soft WORDS`:
//!
//! ```text
//! P-EDF hard                     each processor's tasks by any test, placed worst fit by decreasing utilization, or
//!                                where that is not proved first fit with the tests at each step
//! P-EDF hard first_fit_decreasing    placed so, and no other way
//! G-EDF hard gfb                 by this test alone
//! P-EDF hard qpa worst_fit_decreasing    placed otherwise
//! C-EDF hard cluster=2           global scheduling of each two processors, placed as in a scenario
//! NG-EDF soft
//! PD2 hard                       quanta of 1 ms; tasks arrive periodically, all at first at time 0
//! PD2 hard quantum=250us         of another length
//! P-RM mpcp hard                 worst fit by decreasing utilization, response times with the bounds of the MPCP
//! P-EDF none hard                the same method for tasks that share nothing
//! P-RM pip-published hard        with the published sums, see `pip::bounds`
//! G-EDF lock-free soft           retries and tardiness together, until neither grows
//! G-EDF wait-free soft           as if nothing were shared
//! ```
//!
//! The protocol decides the method. Without one, tests of independent tasks answer, after any placement. With one, even
//! `none`, the one method that bounds its blocking answers, and tests and placements cannot be named. Both `P-EDF hard`
//! and `P-EDF none hard` judge tasks as if nothing were shared.
//!
//! Overheads follow, of any question:
//!
//! ```text
//! S-PD2 hard paper-2008-4k       costs inflated by what this profile charges S-PD2
//! PD2 hard paper-2008-4k:G-EDF   by what it charges G-EDF
//! P-RM mpcp hard given:locks     what locks and context switches take alone, as resource-protocols-2020 charges
//! G-EDF hard paper-2008-4k reload=300us     each reload takes so long instead
//! G-EDF hard given wss=128KiB               each reload takes what the file says of so large a working set
//! PD2 hard paper-2008-4k published          by the published accounting of Pfair, which is no promise
//! G-EDF fmlp-long soft paper-2008-4k as-in-2008  by the account of that paper, which is no promise
//! ```
//!
//! With a protocol, soft guarantees have mean values and hard ones the largest; without one, both have the largest.
//!
//! The answer is whether the guarantee is proved, so of two sets of tests the larger one never proves less.
//! Set `i` of a seed depends on nothing but the generator, the accesses, the seed and `i`; the answers depend on the
//! set alone. Each batch, on any number of threads, draws and asks set by set ([`Sets`]).

mod charges;
mod error;
mod independent;
mod measure;
mod question;
mod sharing;

pub use error::{BatchError, QuestionError};
pub use measure::Measure;
pub use question::{Question, Workspace};

use schedlab_model::{Resource, Task, TaskId};
use schedlab_workload::generate::{Accesses, Drawn, Generator};

/// A drawn task set, to be judged on a number of processors.
#[derive(Clone, Copy, Debug)]
pub struct Set<'a> {
    /// The tasks; their programs hold their critical sections.
    pub tasks: &'a [Task],
    /// The resources that the programs request.
    pub resources: &'a [Resource],
    /// The number of processors.
    pub processors: u16,
}

impl<'a> Set<'a> {
    /// Makes a set of tasks that share nothing.
    pub fn independent(tasks: &'a [Task], processors: u16) -> Self {
        Set { tasks, resources: &[], processors }
    }
}

/// The random sets of a batch, and the questions that are asked of each.
#[derive(Clone, Debug)]
pub struct Sets<'a> {
    /// The generator that draws the tasks.
    pub generator: &'a Generator,
    /// The generator of the tasks' critical sections.
    pub accesses: &'a Accesses,
    /// The seed of all sets.
    pub seed: u64,
    /// The number of processors for each set.
    pub processors: u16,
    /// The questions.
    pub questions: &'a [Question],
}

/// Memory that is reused from one set to the next.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    drawn: Drawn,
    resources: Vec<Resource>,
    workspace: Workspace,
}

/// The size of a set, whatever the questions are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// Number of tasks.
    pub tasks: u32,
    /// Total utilization of the tasks.
    pub utilization: f64,
}

impl Memory {
    /// Returns the size of the set that was drawn last.
    pub fn size(&self) -> Size {
        let utilization = |task: &Task| task.wcet.as_ns() as f64 / task.period.as_ns() as f64;
        let tasks = &self.drawn.tasks;
        Size { tasks: tasks.len() as u32, utilization: tasks.iter().map(utilization).sum() }
    }
}

impl Sets<'_> {
    /// Draws set `index` and writes the answer to each question; `None` if nothing is proved.
    pub fn answer(
        &self,
        index: u64,
        measure: Measure,
        memory: &mut Memory,
        answers: &mut [Option<u64>],
    ) -> Result<(), BatchError> {
        let Memory { drawn, resources, workspace } = memory;
        self.generator.draw(self.seed, index, drawn)?;
        *resources = self.accesses.draw(&mut drawn.tasks, self.seed, index);
        let set = Set { tasks: &drawn.tasks, resources, processors: self.processors };
        for (question, answer) in self.questions.iter().zip(answers) {
            *answer = measure.of(question, set, workspace)?;
        }
        Ok(())
    }
}

/// Ranks tasks by `key`, ties by task. `order` is working memory.
fn rank_by(key: fn(&Task) -> u64, tasks: &[Task], order: &mut Vec<TaskId>, ranks: &mut Vec<u32>) {
    order.clear();
    order.extend((0..tasks.len() as u32).map(TaskId));
    order.sort_unstable_by_key(|id| (key(&tasks[id.index()]), *id));
    ranks.clear();
    ranks.resize(tasks.len(), 0);
    for (rank, id) in order.iter().enumerate() {
        ranks[id.index()] = rank as u32;
    }
}
