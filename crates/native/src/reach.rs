//! How far proofs about many scenarios reach: in processors, and in costs.

use crate::batch::{threads_of, watched};
use crate::scenario::PyScenario;
use pyo3::prelude::*;
use schedlab_batch::{each, Control};
use schedlab_lab::reach::{breakdown, required_processors};

/// By scenario: the least number of processors, from those that its utilization takes up to `most`, on which all
/// deadlines are proved to be met; by any test, or by `tests`.
#[pyfunction]
pub(crate) fn required_processors_of(
    py: Python<'_>,
    scenarios: Vec<Py<PyScenario>>,
    most: u16,
    tests: Option<Vec<String>>,
    threads: usize,
) -> PyResult<Vec<Option<u16>>> {
    of_all(py, &scenarios, tests.as_deref(), threads, |given| {
        required_processors(&given.scenario, &given.catalog, most, tests.as_deref())
    })
}

/// By scenario: a factor of all costs, in ten-thousandths, with which deadlines are proved to be met, and with the next
/// larger one are not.
#[pyfunction]
pub(crate) fn breakdown_of(
    py: Python<'_>,
    scenarios: Vec<Py<PyScenario>>,
    tests: Option<Vec<String>>,
    threads: usize,
) -> PyResult<Vec<u32>> {
    of_all(py, &scenarios, tests.as_deref(), threads, |given| {
        breakdown(&given.scenario, &given.catalog, tests.as_deref()).0
    })
}

/// Returns the result of `find` for each scenario, on `threads` threads.
pub(crate) fn of_all<T: Clone + Default + Send>(
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
    let work = |_: &mut (), index: u64, place: &mut [T]| {
        place[0] = find(scenarios[index as usize].get());
        Ok::<(), ()>(())
    };
    let pieces = 0..scenarios.len() as u64;
    let all = |control: &Control| each(pieces, &mut found, 1, threads_of(threads), control, work);
    watched(py, None, all)?.expect("no scenario fails");
    scenarios.iter().find_map(|scenario| scenario.get().failure.take()).map_or(Ok(found), Err)
}
