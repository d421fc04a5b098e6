//! Whether the engine grants critical sections in the order in which threads took the locks.

use crate::record::inputs::EngineInput;
use crate::record::lock_records::LockSection;
use schedlab_model::{Instant, JobId, TaskId};
use schedlab_sim::Input;
use schedlab_trace::Record;
use std::collections::BTreeMap;

/// Number of outermost `sections`, by mutex in the order in which threads acquired it, that the engine granted before
/// one that comes before them there. Sections whose requests do not count when they were made do not count here: that
/// depends on other decisions. Decisions and inputs are those of all domains.
pub(crate) fn granted_otherwise<'a>(
    sections: &[LockSection],
    decisions: &[(Instant, Record)],
    inputs: impl Iterator<Item = &'a (Instant, JobId, EngineInput)>,
) -> u64 {
    let mut asked: BTreeMap<JobId, Vec<Instant>> = BTreeMap::new();
    for (at, job, what) in inputs {
        if matches!(what, EngineInput::Reported(Input::Request(..))) {
            asked.entry(*job).or_default().push(*at);
        }
    }
    let mut granted: BTreeMap<JobId, Vec<usize>> = BTreeMap::new();
    for (place, (_, record)) in decisions.iter().enumerate() {
        if let Record::Acquire { job, .. } = record {
            granted.entry(*job).or_default().push(place);
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
            grant_of[place] = granted.get(&section.job).and_then(|grants| grants.get(number).copied());
        }
    }
    let mut before: BTreeMap<usize, usize> = BTreeMap::new();
    let mut count = 0;
    for (section, grant) in sections.iter().zip(grant_of) {
        let Some(grant) = grant.filter(|_| !section.is_nested && section.acquired.is_some()) else {
            continue;
        };
        let before = before.entry(section.mutex).or_insert(grant);
        count += u64::from(grant < *before);
        *before = grant.max(*before);
    }
    count
}

#[cfg(test)]
mod tests;
