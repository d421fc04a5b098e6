//! Batches of random task sets, drawn and judged on all processors, and their answers as Arrow columns that Python
//! reads where they are.

use crate::errors::bad_input;
use crate::table::ArrowTable;
use pyo3::prelude::*;
use schedlab_batch::{table_of_sets, Control, Failure};
use schedlab_lab::batch::{Measure, Question, Sets};
use schedlab_lab::Catalog;
use schedlab_scenario::OverheadProfile;
use schedlab_workload::generate::{Accesses, Spec};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError};
use std::sync::Mutex;
use std::time::Duration;

/// A batch of random sets, its number of threads (0: one for each processor), and the callback for progress.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Batch {
    utilizations: String,
    periods: String,
    deadlines: String,
    stop: String,
    /// Rule by which tasks use shared resources; `none`: tasks share nothing.
    accesses: String,
    /// The text of the overheads file that questions call `given`.
    overheads: Option<String>,
    seed: u64,
    first: u64,
    end: u64,
    processors: u16,
    questions: Vec<String>,
    /// Measure that is answered for each question.
    measure: String,
    threads: usize,
    progress: Option<Py<PyAny>>,
}

/// Returns the number of threads that are asked for; one for each processor where that is 0.
pub(crate) fn threads_of(asked: usize) -> usize {
    match asked {
        0 => std::thread::available_parallelism().map_or(1, Into::into),
        some => some,
    }
}

/// Name by which a question refers to the overheads that are given beside it.
const GIVEN: &str = "given";

/// Interval at which a waiting caller gets progress, and may end the work.
const PATIENCE: Duration = Duration::from_millis(100);

/// Does `work` on another thread. Meanwhile this thread reports progress and handles Ctrl-C.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Control) -> T + Send,
) -> PyResult<T> {
    let control = Control::default();
    let tell = || progress.map_or(Ok(()), |progress| progress.call1(py, (control.done(),)).map(drop));
    let (send, receive) = channel();
    let receive = Mutex::new(receive);
    let found = std::thread::scope(|scope| -> PyResult<T> {
        let works = || drop(send.send(work(&control)));
        std::thread::Builder::new().spawn_scoped(scope, works)?;
        awaited(py, &receive, &control, &tell)
    })?;
    tell()?;
    Ok(found)
}

/// Does `work`, which cannot be stopped, on another thread, while this one handles Ctrl-C. After Ctrl-C the work is
/// left alone: it ends with the process at the latest.
pub(crate) fn left_alone<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (send, receive) = channel();
    // If no thread awaits it any longer, the answer is dropped.
    std::thread::Builder::new().spawn(move || drop(send.send(work())))?;
    awaited(py, &Mutex::new(receive), &Control::default(), &|| Ok(()))
}

/// Waits for what another thread sends. Meanwhile this thread reports progress and handles Ctrl-C, which stops
/// `control`.
pub(crate) fn awaited<T: Send>(
    py: Python<'_>,
    receive: &Mutex<Receiver<T>>,
    control: &Control,
    tell: &dyn Fn() -> PyResult<()>,
) -> PyResult<T> {
    loop {
        let wait = || receive.lock().expect("no other thread receives").recv_timeout(PATIENCE);
        match py.detach(wait) {
            Ok(found) => return Ok(found),
            Err(RecvTimeoutError::Disconnected) => panic!("work ends with an answer"),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(error) = py.check_signals().and_then(|()| tell()) {
            control.stop();
            return Err(error);
        }
    }
}

/// Draws the sets of `batch` and answers all questions for each of them.
#[pyfunction]
pub(crate) fn judge_sets(py: Python<'_>, batch: Batch) -> PyResult<ArrowTable> {
    judge_sets_with(py, batch, Catalog::shipped())
}

/// Judges sets as [`judge_sets`] does, with questions and distributions that may name entries of `catalog`.
pub(crate) fn judge_sets_with(py: Python<'_>, batch: Batch, mut catalog: Catalog) -> PyResult<ArrowTable> {
    if let Some(text) = &batch.overheads {
        let no_files = |_: &str| Err("the text cannot refer to files".to_owned());
        let given = OverheadProfile::parse_with("overheads", text.as_bytes().to_vec(), &no_files);
        catalog = catalog.with_overheads(GIVEN, given.map_err(bad_input)?).map_err(bad_input)?;
    }
    let (utilization, periods) = (batch.utilizations, batch.periods);
    let spec = Spec { utilization, periods, deadlines: batch.deadlines, stop: batch.stop };
    let generator = catalog.generator(&spec).map_err(bad_input)?;
    let questions = batch.questions.iter().map(|text| Question::parse(text, &catalog));
    let questions: Vec<Question> = questions.collect::<Result<_, _>>().map_err(bad_input)?;
    let accesses: Accesses = batch.accesses.parse().map_err(bad_input)?;
    let (seed, processors) = (batch.seed, batch.processors);
    let sets = Sets { generator: &generator, accesses: &accesses, seed, processors, questions: &questions };
    let measure: Measure = batch.measure.parse().map_err(bad_input)?;
    let (range, names, threads) = (batch.first..batch.end, &batch.questions, threads_of(batch.threads));
    let judge = |control: &Control| table_of_sets(&sets, measure, range, names, threads, control);
    match watched(py, batch.progress.as_ref(), judge)? {
        Ok(table) => Ok(ArrowTable(table)),
        Err(Failure::Failed(set, error)) => Err(bad_input(format!("set {set}: {error}"))),
        Err(Failure::Stopped) => Err(bad_input("the batch was stopped")),
    }
}
