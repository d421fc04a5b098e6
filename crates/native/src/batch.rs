//! Batches of random task sets, drawn and judged without a detour through Python.

use crate::errors::bad_input;
use pyo3::prelude::*;
use schedlab_lab::batch::{judge, Question};
use schedlab_lab::batch_locks::{judge_locks as judge_locked, LockQuestion};
use schedlab_workload::generate::{Accesses, Generator, Spec};

/// Number of tasks by set; answers by question, then by set.
type Answers = (Vec<usize>, Vec<Vec<bool>>);

/// Draws the sets from `first` up to `stop_at` of `seed` and asks each of them all `questions`.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "a generator's four parts and a batch's five, called once")]
pub fn judge_sets(
    py: Python<'_>,
    utilizations: String,
    periods: String,
    deadlines: String,
    stop: String,
    seed: u64,
    first: u64,
    stop_at: u64,
    processors: u16,
    questions: Vec<String>,
) -> PyResult<Answers> {
    let spec = Spec { utilization: utilizations, periods, deadlines, stop };
    let generator = Generator::parse(&spec).map_err(bad_input)?;
    let asked = questions.iter().map(|text| text.parse()).collect::<Result<Vec<Question>, _>>();
    let asked = asked.map_err(bad_input)?;
    let judged =
        py.detach(|| judge(&generator, seed, first..stop_at, processors, &asked)).map_err(bad_input)?;
    let by_question = |number: usize| judged.iter().map(|set| set.proved[number]).collect();
    Ok((judged.iter().map(|set| set.tasks).collect(), (0..asked.len()).map(by_question).collect()))
}

/// Number of tasks by set; bounds on tardiness in nanoseconds by question, then by set.
type LockAnswers = (Vec<usize>, Vec<Vec<Option<u64>>>);

/// As [`judge_sets`], of sets with shared resources, with questions that name locking protocols.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "a generator's five parts and a batch's five, called once")]
pub fn judge_locks(
    py: Python<'_>,
    utilizations: String,
    periods: String,
    deadlines: String,
    stop: String,
    accesses: String,
    seed: u64,
    first: u64,
    stop_at: u64,
    processors: u16,
    questions: Vec<String>,
) -> PyResult<LockAnswers> {
    let spec = Spec { utilization: utilizations, periods, deadlines, stop };
    let generator = Generator::parse(&spec).map_err(bad_input)?;
    let accesses: Accesses = accesses.parse().map_err(bad_input)?;
    let asked = questions.iter().map(|text| text.parse()).collect::<Result<Vec<LockQuestion>, _>>();
    let asked = asked.map_err(bad_input)?;
    let judged = py
        .detach(|| judge_locked(&generator, &accesses, seed, first..stop_at, processors, &asked))
        .map_err(bad_input)?;
    let bound = |set: &schedlab_lab::batch_locks::JudgedLocks, number: usize| {
        set.tardiness[number].map(|tardiness| tardiness.as_ns())
    };
    let by_question = |number: usize| judged.iter().map(|set| bound(set, number)).collect();
    Ok((judged.iter().map(|set| set.tasks).collect(), (0..asked.len()).map(by_question).collect()))
}
