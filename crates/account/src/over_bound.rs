//! Real responses that took longer than their proved bounds, with the reasons.
//!
//! A bound holds for jobs that execute for at most their WCETs, on processors that nothing else takes beyond the
//! overheads. Time that was taken meanwhile explains a response in two ways. Either it is at most the bound and the
//! lost time together. Or the lost time shifted decisions: then no response of the task is above the bound in the
//! schedule without it, and this one is in the same schedule with it.

use crate::results::LongestResponseResult;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// A longest response above its proved bound, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OverBound {
    index: usize,
    job: Option<String>,
    response_time_ns: u64,
    bound_ns: u64,
    /// Whether the time that was taken explains the excess; None if the kernel was not asked.
    explained: Option<bool>,
    /// Processor time by who took it, since the task's processors were last idle.
    taken_ns: BTreeMap<String, u64>,
}

impl OverBound {
    /// Returns the tasks whose longest response was above its bound. Tasks are given as the bound and that response;
    /// `longest` has the run's account of each longest response, if the kernel was asked.
    pub fn of(
        tasks: &[(Option<u64>, Option<u64>)],
        longest: Option<&[Option<LongestResponseResult>]>,
    ) -> Vec<OverBound> {
        let over = |(index, (bound, seen)): (usize, &(Option<u64>, Option<u64>))| {
            let (bound_ns, response_time_ns) = ((*bound)?, (*seen)?);
            let known = longest.and_then(|longest| longest.get(index)?.as_ref());
            (response_time_ns > bound_ns).then(|| OverBound {
                index,
                job: known.map(|known| known.job.clone()),
                response_time_ns,
                bound_ns,
                explained: known.map(|known| is_explained(known, bound_ns)),
                taken_ns: known.map(|known| known.lost_to_ns.clone()).unwrap_or_default(),
            })
        };
        tasks.iter().enumerate().filter_map(over).collect()
    }
}

fn is_explained(longest: &LongestResponseResult, bound: u64) -> bool {
    let shifted =
        longest.lost_ns > 0 && longest.longest_in_schedule_ns <= bound && bound < longest.reconstructed_ns;
    longest.longest_less_lost_ns <= bound || shifted
}
