//! Batches of simulations, which go on in the background while Python reads further scenarios.

use crate::batch::{awaited, threads_of};
use crate::errors::bad_input;
use crate::plain::PlainOrError;
use crate::scenario::PyScenario;
use pyo3::prelude::*;
use schedlab_batch::{simulate_all, Control, Failure, Simulated, SimulationRow};
use std::convert::Infallible;
use std::sync::mpsc::{channel, Receiver};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};

/// Result of `simulate_all`.
type Found = Result<Vec<Result<Simulated, String>>, Failure<Infallible>>;

/// Simulations that have begun.
#[pyclass(frozen, name = "Simulations", module = "schedlab._native")]
pub(crate) struct PySimulations {
    scenarios: Arc<Vec<Py<PyScenario>>>,
    control: Arc<Control>,
    found: Mutex<Receiver<Found>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[pymethods]
impl PyScenario {
    /// Begins to simulate each of `scenarios` on `threads` threads (0: one for each processor).
    #[staticmethod]
    fn simulations(scenarios: Vec<Py<PyScenario>>, check: bool, threads: usize) -> PyResult<PySimulations> {
        let (scenarios, control) = (Arc::new(scenarios), Arc::new(Control::default()));
        let (send, receive) = channel();
        let (given, heard) = (Arc::clone(&scenarios), Arc::clone(&control));
        let work = move || {
            let pairs: Vec<_> = given.iter().map(|one| (&one.get().scenario, &*one.get().catalog)).collect();
            // If no thread awaits it any longer, the answer is dropped.
            let _ = send.send(simulate_all(&pairs, check, threads_of(threads), &heard));
        };
        let thread = Mutex::new(Some(Builder::new().spawn(work)?));
        Ok(PySimulations { scenarios, control, found: Mutex::new(receive), thread })
    }
}

#[pymethods]
impl PySimulations {
    /// Waits for all rows and returns them, with the errors of wrong scenarios in their places; `progress` gets the
    /// number of those that are done.
    fn wait(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<Vec<PlainOrError>> {
        let tell = || {
            // A policy in Python that raised an exception ends the batch.
            self.scenarios.iter().find_map(|one| one.get().failure.take()).map_or(Ok(()), Err)?;
            let done = self.control.done();
            progress.as_ref().map_or(Ok(()), |progress| progress.call1(py, (done,)).map(drop))
        };
        let found = awaited(py, &self.found, &self.control, &tell)?;
        tell()?;
        let found = found.map_err(|_| bad_input("the simulations were stopped"))?;
        Ok(found.into_iter().map(|one| one.map(SimulationRow::from).into()).collect())
    }

    /// Ends the simulations soon, and returns when they have ended.
    fn stop(&self, py: Python<'_>) {
        self.control.stop();
        let thread = self.thread.lock().expect("no thread panics with it").take();
        if let Some(thread) = thread {
            // A thread that panicked has said so.
            let _ = py.detach(|| thread.join());
        }
    }
}

impl Drop for PySimulations {
    fn drop(&mut self) {
        self.control.stop();
    }
}
