//! What is answered to a question for each set: what is proved, or how far the proof reaches.
//!
//! RNP, the required number of processors: litmus-rt-2006, section 4.2. Breakdown, the largest factor of all costs that
//! is still accepted: Lehoczky, Sha and Ding, "The rate monotonic scheduling algorithm: exact characterization and
//! average case behavior", RTSS 1989, there of random sets too.

use super::{BatchError, Memory, Set, Sets};
use crate::advise::sensitivity::{scaled, try_breakdown, Factor};
use core::str::FromStr;
use schedlab_model::Task;

/// What is answered to each question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// What is proved.
    Proof,
    /// The least number of processors, from those of the sets up to this, for which the guarantee is proved (RNP).
    Processors(u16),
    /// A factor of all costs with which the guarantee is proved, and is not with the next larger one.
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

impl Sets<'_> {
    /// Draws set `index` and writes down, by question, how many processors it needs; `None` where `most` are not
    /// enough. Overheads do not depend on the number. Tests need not stay satisfied with more processors, so each is
    /// asked in turn.
    pub fn required_processors(
        &self,
        index: u64,
        most: u16,
        memory: &mut Memory,
        needed: &mut [Option<u16>],
    ) -> Result<(), BatchError> {
        let Memory { drawn, resources, workspace } = self.drawn(index, memory)?;
        for (question, place) in self.questions.iter().zip(needed) {
            *place = None;
            for processors in self.processors..=most {
                let set = Set { tasks: &drawn.tasks, resources, processors };
                if question.judge(set, workspace)?.is_proved() {
                    *place = Some(processors);
                    break;
                }
            }
        }
        Ok(())
    }

    /// Draws set `index` and writes down, by question, the factor of its breakdown; sections grow with costs. 0 if not
    /// even a ten-thousandth of the costs is accepted.
    pub fn breakdown(
        &self,
        index: u64,
        memory: &mut Memory,
        factors: &mut [Factor],
    ) -> Result<(), BatchError> {
        let processors = self.processors;
        let Memory { drawn, resources, workspace } = self.drawn(index, memory)?;
        for (question, place) in self.questions.iter().zip(factors) {
            *place = try_breakdown(|factor| {
                let (above, below) = (factor.0.into(), Factor::ONE.0.into());
                let grown = drawn.tasks.iter().map(|task| scaled(task, above, below));
                let Some(tasks) = grown.collect::<Option<Vec<Task>>>() else { return Ok(false) };
                let set = Set { tasks: &tasks, resources, processors };
                question.judge(set, workspace).map(super::Proof::is_proved)
            })?;
        }
        Ok(())
    }
}
