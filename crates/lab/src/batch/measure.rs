//! Measures of a question for each set: whether the guarantee is proved, or how far the proof reaches.
//!
//! RNP, the required number of processors: litmus-rt-2006, section 4.2. Breakdown, the largest factor of all costs that
//! is still accepted: Lehoczky, Sha and Ding, "The rate monotonic scheduling algorithm: exact characterization and
//! average case behavior", RTSS 1989, there of random sets too.

use super::{BatchError, Question, Set, Workspace};
use crate::advise::sensitivity::{last_accepted, scaled, Factor};
use core::str::FromStr;
use schedlab_model::{Duration, Task};

/// The quantity that is computed for each question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The result of [`Question::judge`], in nanoseconds.
    Proof,
    /// The least number of processors, from that of the sets up to this one, for which the guarantee is proved (RNP);
    /// under clustered schedulers, of those numbers that clusters of the question's size share out.
    Processors(u16),
    /// A factor of all costs, in ten-thousandths, with which the guarantee is proved, while it is not with the next
    /// larger one. Sections grow with costs. 0 if not even the smallest factor is accepted.
    Breakdown,
}

impl FromStr for Measure {
    type Err = String;

    /// Reads `proof`, `processors MOST` or `breakdown`.
    fn from_str(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let refused =
            || format!("measure: \"{text}\"; allowed: proof, breakdown, or processors and how many at most");
        match words[..] {
            ["proof"] => Ok(Measure::Proof),
            ["breakdown"] => Ok(Measure::Breakdown),
            ["processors", most] => most.parse().map(Measure::Processors).map_err(|_| refused()),
            _ => Err(refused()),
        }
    }
}

impl Measure {
    /// Computes the measure of `question` for `set`; `None` if nothing is proved.
    pub(super) fn of(
        self,
        question: &Question,
        set: Set<'_>,
        workspace: &mut Workspace,
    ) -> Result<Option<u64>, BatchError> {
        match self {
            Measure::Proof => Ok(question.judge(set, workspace)?.map(Duration::as_ns)),
            Measure::Processors(most) => {
                // A test may fail with more processors, so each number is asked in turn.
                for processors in (set.processors..=most).filter(|number| question.suits(*number)) {
                    if question.judge(Set { processors, ..set }, workspace)?.is_some() {
                        return Ok(Some(processors.into()));
                    }
                }
                Ok(None)
            }
            Measure::Breakdown => {
                let mut failure = None;
                let found = last_accepted(|factor| {
                    let (above, below) = (factor.0.into(), Factor::ONE.0.into());
                    let grown = set.tasks.iter().map(|task| scaled(task, above, below));
                    let Some(tasks) = grown.collect::<Option<Vec<Task>>>() else { return false };
                    let judged = question.judge(Set { tasks: &tasks, ..set }, workspace);
                    let found = judged.unwrap_or_else(|error| {
                        failure.get_or_insert(error);
                        None
                    });
                    found.is_some()
                });
                failure.map_or(Ok(Some(found.0.into())), Err)
            }
        }
    }
}
