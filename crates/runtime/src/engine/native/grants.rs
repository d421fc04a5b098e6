//! Whether the engine grants critical sections in the order in which threads took the locks.

use crate::record::inputs::EngineInput;
use crate::record::lock_records::LockSection;
use schedlab_model::{Instant, JobId, TaskId};
use schedlab_sim::Input;
use schedlab_trace::Record;
use std::collections::BTreeMap;

/// How the engine granted outermost sections, compared with how threads acquired them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Grants {
    /// Outermost sections that threads began.
    pub all: u64,
    /// Outermost sections whose order was compared with that of the engine's grants.
    pub compared: u64,
    /// Compared sections that the engine granted before one that took the lock earlier by the threads' records.
    pub otherwise: u64,
}

/// Compares the order in which the engine granted the outermost `sections` with that in which threads acquired each
/// mutex, which is theirs. Sections whose requests do not count when they were made are not compared: that depends on
/// other decisions. Nor are those that the engine had not granted by the end. Decisions and inputs are those of all
/// domains.
pub(crate) fn granted<'a>(
    sections: &[LockSection],
    decisions: &[(Instant, Record)],
    inputs: impl Iterator<Item = &'a (Instant, JobId, EngineInput)>,
) -> Grants {
    let mut asked: BTreeMap<JobId, Vec<Instant>> = BTreeMap::new();
    for (at, job, what) in inputs {
        if matches!(what, EngineInput::Reported(Input::Request(..))) {
            asked.entry(*job).or_default().push(*at);
        }
    }
    let mut grants_of: BTreeMap<JobId, Vec<usize>> = BTreeMap::new();
    for (place, (_, record)) in decisions.iter().enumerate() {
        if let Record::Acquire { job, .. } = record {
            grants_of.entry(*job).or_default().push(place);
        }
    }
    // A job's sections are granted in the order in which it asks.
    let mut own: Vec<usize> = (0..sections.len()).collect();
    own.sort_by_key(|place| (sections[*place].job, sections[*place].asked, sections[*place].is_nested));
    let (mut number, mut last) = (0, JobId::new(TaskId(u32::MAX), 0));
    let mut grant_of = vec![None; sections.len()];
    for place in own {
        let section = &sections[place];
        number = if section.job == last { number + 1 } else { 0 };
        last = section.job;
        let at = |times: &Vec<Instant>| times.get(number).copied();
        if asked.get(&section.job).and_then(at) == Some(section.asked) {
            grant_of[place] = grants_of.get(&section.job).and_then(|grants| grants.get(number).copied());
        }
    }
    let mut before: BTreeMap<usize, usize> = BTreeMap::new();
    let mut found = Grants::default();
    for (section, grant) in sections.iter().zip(grant_of) {
        if section.is_nested || section.acquired.is_none() {
            continue;
        }
        found.all += 1;
        let Some(grant) = grant else { continue };
        found.compared += 1;
        let before = before.entry(section.mutex).or_insert(grant);
        found.otherwise += u64::from(grant < *before);
        *before = grant.max(*before);
    }
    found
}

#[cfg(test)]
mod tests;
