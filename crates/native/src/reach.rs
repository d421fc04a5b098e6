//! How far what is proved of many scenarios reaches: in processors, and in costs.

use crate::batch::threads_of;
use crate::scenario::PyScenario;
use pyo3::prelude::*;
use schedlab_analysis::{Answer, Guarantee};
use schedlab_batch::{each, Control};
use schedlab_lab::processors::required_processors;
use schedlab_lab::sensitivity::{breakdown_by, is_proved, Factor};
use schedlab_lab::{analyze, findings, Prepared};

/// By scenario: the least number of processors, from those that its utilization takes up to `most`, on which all deadlines
/// are proved to be met; by any test, or by `tests`.
#[pyfunction]
pub(crate) fn required_processors_of(
    py: Python<'_>,
    scenarios: Vec<Py<PyScenario>>,
    most: u16,
    tests: Option<Vec<String>>,
    threads: usize,
) -> PyResult<Vec<Option<u16>>> {
    of_all(py, &scenarios, tests.as_deref(), threads, |given| {
        let accepts = |prepared: &Prepared| accepted(prepared, tests.as_deref());
        let shares =
            given.scenario.tasks.iter().map(|task| task.wcet.as_ns() as f64 / task.period.as_ns() as f64);
        // A little less than the total, so that no rounding leaves a number out.
        let least = (shares.sum::<f64>() - 1e-6).ceil().clamp(1.0, f64::from(u16::MAX)) as u16;
        required_processors(&given.scenario, &given.catalog, least..=most, &accepts)
    })
}

/// By scenario: a factor of all costs, in ten-thousandths, with which deadlines are proved to be met, and are not with the
/// next larger one.
#[pyfunction]
pub(crate) fn breakdown_of(
    py: Python<'_>,
    scenarios: Vec<Py<PyScenario>>,
    tests: Option<Vec<String>>,
    threads: usize,
) -> PyResult<Vec<u32>> {
    of_all(py, &scenarios, tests.as_deref(), threads, |given| {
        let accepts = |prepared: &Prepared| accepted(prepared, tests.as_deref());
        let prepared = Prepared::for_analysis(&given.scenario, &given.catalog);
        // Where tasks as they are fit nowhere, smaller ones are not placed.
        prepared.map_or(Factor(0), |prepared| breakdown_by(&prepared, &accepts)).0
    })
}

fn of_all<T: Clone + Default + Send>(
    py: Python<'_>,
    scenarios: &[Py<PyScenario>],
    tests: Option<&[String]>,
    threads: usize,
    find: impl Fn(&PyScenario) -> T + Sync,
) -> PyResult<Vec<T>> {
    for scenario in scenarios {
        scenario.get().check_tests(tests)?;
    }
    let mut found = vec![T::default(); scenarios.len()];
    let work = |_: &mut (), at: u64, place: &mut [T]| {
        place[0] = find(scenarios[at as usize].get());
        Ok::<(), ()>(())
    };
    let pieces = 0..scenarios.len() as u64;
    let all = py.detach(|| each(pieces, &mut found, 1, threads_of(threads), &Control::default(), work));
    all.expect("no scenario fails");
    scenarios.iter().find_map(|scenario| scenario.get().failure.take()).map_or(Ok(found), Err)
}

/// Whether a test proves all deadlines: any, or one of `tests`.
fn accepted(prepared: &Prepared, tests: Option<&[String]>) -> bool {
    let Some(tests) = tests else { return is_proved(prepared) };
    analyze(prepared).is_ok_and(|analysis| {
        findings(prepared, &analysis).iter().any(|found| {
            found.guarantee == Guarantee::Hard
                && found.answer == Answer::Schedulable
                && tests.iter().any(|name| name == found.test)
        })
    })
}
