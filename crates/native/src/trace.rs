//! Traces, as Python sees them: checked, measured, explained, drawn, exported.

mod difference;
mod drawn;
mod export;

pub(crate) use drawn::PyDrawn;

use crate::errors::{bad_input, invariant};
use crate::length::Length;
use crate::plain::{plain, Plain};
use crate::scenario::PyScenario;
use crate::signals::{Ear, Heeding};
use crate::table::{self, ArrowTable};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use schedlab_account::{Account, JobAccount, RealRun};
use schedlab_lab::{context_of, Prepared};
use schedlab_model::{Duration, Instant, JobId, TaskId};
use schedlab_report::deadlock::Deadlocks;
use schedlab_report::export::JobRows;
use schedlab_report::files::{Asked, Indexing};
use schedlab_report::invariants::Checker;
use schedlab_report::metrics::Metrics;
use schedlab_report::schedule::{Lanes, Schedule, ScheduleRecorder, Segment, Window};
use schedlab_report::search::{TimeOfJob, WorstJob};
use schedlab_report::why::{Explainer, Why};
use schedlab_report::{lines, Context, TraceFile, TraceFileError};
use schedlab_scenario::foreign::{self, Wanted};
use schedlab_trace::{Backend, Header, Life, Record, RunRecord, Sink, Timeline};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Place of a trace's bytes.
enum Source {
    Memory(Vec<u8>),
    File(String),
}

/// A trace; immutable.
#[pyclass(frozen, name = "Trace", module = "schedlab._native")]
pub(crate) struct PyTrace {
    source: Source,
    header: Header,
    pub(crate) context: Context,
}

impl PyTrace {
    /// A trace that was just made.
    pub(crate) fn of_memory(bytes: Vec<u8>) -> PyResult<Self> {
        Self::open(Source::Memory(bytes))
    }

    fn open(source: Source) -> PyResult<Self> {
        let opened = stream(&source)?;
        let header = opened.header().clone();
        drop(opened);
        let (_, context) = context_of(&header).map_err(|problem| wrong(&source, problem))?;
        Ok(PyTrace { source, header, context })
    }

    /// Hands all records to `sink`.
    pub(crate) fn play<S: Sink>(&self, sink: S) -> PyResult<S> {
        Ok(self.play_to_the_end(sink)?.0)
    }

    /// Hands all records to `sink`, and returns it with the time of the last record.
    fn play_to_the_end<S: Sink>(&self, mut sink: S) -> PyResult<(S, Instant)> {
        let mut stream = stream(&self.source)?;
        stream.play(&mut sink).map_err(|error| unreadable(&self.source, error))?;
        Ok((sink, stream.now()))
    }

    /// Iterates over the records.
    pub(crate) fn items(&self) -> PyResult<impl Iterator<Item = PyResult<(Instant, Record)>> + '_> {
        Ok(stream(&self.source)?.map(|item| item.map_err(|error| unreadable(&self.source, error))))
    }

    /// Hands the records to `take`, until it returns that it has enough.
    pub(crate) fn records(&self, mut take: impl FnMut(Instant, Record) -> bool) -> PyResult<()> {
        let found = stream(&self.source)?.each_record(|at, record, _| take(at, record));
        found.map_err(|error| unreadable(&self.source, error))
    }

    /// Hands records to `take`; of a file, only those from which everything `asked` can be known.
    fn records_for(&self, asked: Asked, mut take: impl FnMut(Instant, Record) -> bool) -> PyResult<()> {
        match &self.source {
            Source::Memory(_) => self.records(take),
            Source::File(path) => {
                let mut ear = Ear::default();
                let take = |at, record| ear.goes_on() && take(at, record);
                let found = Indexing::default().records(Path::new(path), &self.context, asked, take);
                ear.or(found.map_err(|error| unreadable(&self.source, error)))
            }
        }
    }

    /// Returns which job occupied which processor when.
    pub(crate) fn all_segments(&self) -> PyResult<Vec<Segment>> {
        Ok(self.schedule(Instant::ZERO, Instant::NEVER, None)?.segments)
    }

    /// The scheduler's name.
    pub(crate) fn scheduler(&self) -> &str {
        self.header.get("scheduler").unwrap_or("an unknown scheduler")
    }
}

/// Counts jobs as they arrive and end.
struct EndOfJobs {
    from: Instant,
    /// Number of jobs that are still to arrive.
    jobs: usize,
    open: BTreeSet<JobId>,
    at: Instant,
}

impl EndOfJobs {
    /// Returns false once enough jobs have arrived and ended.
    fn goes_on(&mut self, at: Instant, record: Record) -> bool {
        match record.life() {
            Some(Life::Arrival(job, _)) if at >= self.from && self.jobs > 0 => {
                self.jobs -= 1;
                self.open.insert(job);
            }
            Some(Life::Completion(job) | Life::Abort(job)) => {
                self.open.remove(&job);
            }
            Some(Life::Arrival(..) | Life::Miss(_)) | None => {}
        }
        self.at = at;
        self.jobs > 0 || !self.open.is_empty()
    }
}

fn wrong(source: &Source, error: impl std::fmt::Display) -> PyErr {
    match source {
        Source::Memory(_) => bad_input(error),
        Source::File(path) => bad_input(format!("{path}: {error}")),
    }
}

/// Returns the reason why records cannot be read, which may be the exception of a signal.
fn unreadable(source: &Source, error: TraceFileError) -> PyErr {
    match error {
        TraceFileError::Io(error) if error.get_ref().is_some_and(|inner| inner.is::<PyErr>()) => error.into(),
        error => wrong(source, error),
    }
}

/// Reads the id of a job, such as `T3J7`.
fn job_named(id: &str) -> PyResult<JobId> {
    lines::parse_job(id).ok_or_else(|| {
        bad_input(format!("\"{id}\" is not a job; allowed: a task and a number, such as T3J7"))
    })
}

fn stream(source: &Source) -> PyResult<TraceFile<Box<dyn Read + '_>>> {
    let reader: Box<dyn Read + '_> = match source {
        Source::Memory(bytes) => Box::new(bytes.as_slice()),
        Source::File(path) => Box::new(File::open(path).map_err(|error| wrong(source, error))?),
    };
    let reader: Box<dyn Read + '_> = Box::new(Heeding(reader));
    TraceFile::open(reader).map_err(|error| unreadable(source, error))
}

#[pymethods]
impl PyTrace {
    #[new]
    fn new(content: Vec<u8>) -> PyResult<Self> {
        Self::of_memory(content)
    }

    /// Opens the trace in a file, which is read anew for each question.
    #[staticmethod]
    fn read(path: String) -> PyResult<Self> {
        let mut head = Vec::new();
        // What a pipe has given cannot be read again.
        let is_file = std::fs::metadata(&path).is_ok_and(|found| found.is_file());
        if let Some(file) = is_file.then(|| File::open(&path).ok()).flatten() {
            // What cannot be read is told by the reader of traces.
            let _ = file.take(foreign::LOOKED_AT as u64).read_to_end(&mut head);
        }
        foreign::refuse(&path, &head, Wanted::Trace).map_err(bad_input)?;
        Self::open(Source::File(path))
    }

    /// The trace as it stands in a file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        match &self.source {
            Source::Memory(bytes) => Ok(PyBytes::new(py, bytes)),
            Source::File(path) => {
                let bytes = std::fs::read(path).map_err(|error| wrong(&self.source, error))?;
                Ok(PyBytes::new(py, &bytes))
            }
        }
    }

    /// Backend that decided in the run; `None` if a trace of an older format does not name it.
    fn backend(&self) -> Option<&'static str> {
        self.header.backend().map(Backend::name)
    }

    /// Names and texts of the trace's header.
    fn header(&self) -> BTreeMap<String, String> {
        self.header.entries().map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
    }

    /// Checks the universal invariants and those promised, or only those named.
    fn check(&self, invariants: Option<Vec<String>>) -> PyResult<Plain> {
        let checker = match invariants {
            Some(names) => {
                let wanted = names.iter().map(|name| invariant(name)).collect::<Result<Vec<_>, _>>();
                Checker::only(&self.context, &wanted.map_err(bad_input)?)
            }
            None => Checker::new(&self.context),
        };
        Ok(plain(&self.play(checker)?.finish().results()))
    }

    /// Accounts for a real run of `scenario` by its trace; `None` if the trace has no switches of the kernel.
    fn account(&self, py: Python<'_>, scenario: &PyScenario) -> PyResult<Option<Plain>> {
        let Some((prepared, run)) = self.real_run(py, scenario)? else { return Ok(None) };
        let account = Account::of(&prepared, &run, true, &mut |_| {});
        let account = account.map_err(|error| wrong(&self.source, error))?;
        Ok(Some(plain(&account.result())))
    }

    /// Metrics of jobs and processors.
    fn metrics(&self) -> PyResult<Plain> {
        let empty = Metrics::new(self.context.tasks.len(), self.context.clusters.len())
            .with_utilities(&self.context.worths);
        let both = (empty, Deadlocks::new(&self.context));
        let ((mut metrics, deadlocks), last) = self.play_to_the_end(both)?;
        // What is kept of a killed run has no end of its own.
        metrics.settle(last);
        Ok(plain(&metrics.result(&deadlocks, self.scheduler(), &self.context)))
    }

    /// One row per job, by task and number.
    fn jobs(&self) -> PyResult<ArrowTable> {
        let mut rows = self.play(JobRows::default())?.finish();
        rows.sort_unstable_by_key(|row| row.job);
        table::of_jobs(&rows, &self.context).map_err(|problem| wrong(&self.source, problem))
    }

    /// The job, of one task or of all, that was latest or came closest to its deadline, if the schedule ends at
    /// `horizon_ns`.
    fn worst_job(&self, task: Option<u32>, horizon_ns: u64) -> PyResult<Option<String>> {
        let worst = WorstJob::new(task.map(TaskId), Instant::from_ns(horizon_ns));
        Ok(self.play(worst)?.finish().map(|job| job.to_string()))
    }

    /// Time from a job's arrival to its completion, or else to its deadline; `None` if it did not arrive.
    fn span(&self, job: &str) -> PyResult<Option<(u64, u64)>> {
        let id = job_named(job)?;
        let mut span = TimeOfJob::new(id);
        self.records_for(Asked::Job(id), |at, record| {
            span.record(at, record);
            !span.is_done()
        })?;
        Ok(span.finish().map(|(from, to)| (from.as_ns(), to.as_ns())))
    }

    /// Returns which job occupied which processor when, up to `until_ns`.
    fn segments(&self, until_ns: Option<u64>) -> PyResult<ArrowTable> {
        let until = until_ns.map_or(Instant::NEVER, Instant::from_ns);
        let schedule = self.schedule(Instant::ZERO, until, None)?;
        table::of_segments(&schedule.segments).map_err(|problem| wrong(&self.source, problem))
    }

    /// A job's response time as parts that sum to it; for a real run of `scenario` also the time that was taken from
    /// the job, `None` if the kernel was not asked; and all of it as text.
    fn why(
        &self,
        py: Python<'_>,
        job: &str,
        scenario: Option<PyRef<'_, PyScenario>>,
    ) -> PyResult<(Plain, Option<Plain>, String)> {
        let why = self.explain(job)?;
        let mut text = why.text(&self.context);
        let run = scenario.map(|scenario| self.real_run(py, &scenario)).transpose()?.flatten();
        let lost = run.map(|(prepared, run)| JobAccount::of(&prepared, &run, why.job)).transpose();
        let lost = lost.map_err(|error| wrong(&self.source, error))?.flatten();
        if let Some(lost) = &lost {
            text += &lost.to_string();
        }
        Ok((plain(&why.result()), lost.map(|lost| plain(&lost.result())), text))
    }

    /// Returns the rows for a picture, from `start_ns` up to `until_ns`; refuses more than `most` boxes, lines and
    /// arrows.
    fn drawing(&self, start_ns: u64, until_ns: Option<u64>, most: Option<usize>) -> PyResult<Plain> {
        let until = until_ns.map_or(Instant::NEVER, Instant::from_ns);
        let schedule = self.schedule(Instant::from_ns(start_ns), until, most)?;
        Ok(plain(&schedule.drawing()))
    }

    /// Returns a drawing for a page, from `start_ns` up to `until_ns`; refuses more than `most` boxes, lines and
    /// arrows.
    fn drawn(&self, start_ns: u64, until_ns: Option<u64>, most: usize) -> PyResult<PyDrawn> {
        let until = until_ns.map_or(Instant::NEVER, Instant::from_ns);
        Ok(PyDrawn::of(&self.schedule(Instant::from_ns(start_ns), until, Some(most))?))
    }

    /// The names of the resources that the scenario knows.
    fn resources(&self) -> Vec<String> {
        self.context.resource_names.clone()
    }

    /// Time at which the first `jobs` jobs that arrive from `start_ns` on are complete, or else the end of the trace.
    fn end_of_jobs(&self, start_ns: u64, jobs: usize) -> PyResult<u64> {
        let mut end =
            EndOfJobs { from: Instant::from_ns(start_ns), jobs, open: BTreeSet::new(), at: Instant::ZERO };
        self.records_for(Asked::From(end.from), |at, record| end.goes_on(at, record))?;
        Ok(end.at.as_ns())
    }

    /// Returns the first difference of two traces: the record, and the occupants of a processor.
    fn difference(&self, other: &PyTrace, tolerance_ns: u64) -> PyResult<Plain> {
        Ok(plain(&difference::of(self, other, Duration::from_ns(tolerance_ns))?))
    }

    /// The schedule drawn as `text`, `svg` or `tikz`, with a lane for each of the `processors` or `tasks`. Text is
    /// folded to lines of at most `width` letters.
    fn draw(
        &self,
        format: &str,
        lanes: &str,
        start: Option<Length>,
        until: Option<Length>,
        most: Option<usize>,
        width: Option<usize>,
    ) -> PyResult<String> {
        let time = |given: Option<Length>, field: &str, otherwise: Instant| match given {
            Some(length) => length.duration(field).map(|since| Instant::ZERO + since),
            None => Ok(otherwise),
        };
        let lanes = match lanes {
            "processors" => Lanes::Processors,
            "tasks" => Lanes::Tasks,
            other => return Err(bad_input(format!("lanes: \"{other}\"; allowed: processors, tasks"))),
        };
        let from = time(start, "from", Instant::ZERO)?;
        let schedule = self.schedule(from, time(until, "until", Instant::NEVER)?, most)?;
        match format {
            "text" => Ok(match width {
                Some(width) => schedule.folded_text(&self.context, lanes, schedule.exact_unit(), width),
                None => schedule.text(&self.context, lanes, schedule.exact_unit()),
            }),
            "svg" => Ok(schedule.svg(&self.context, lanes)),
            "tikz" => Ok(schedule.tikz(&self.context, lanes)),
            other => Err(bad_input(format!("no drawing is called \"{other}\"; allowed: text, svg, tikz"))),
        }
    }
}

impl PyTrace {
    /// Returns the schedule in the window, unless it has more than `most` boxes, lines and arrows.
    pub(crate) fn schedule(&self, from: Instant, to: Instant, most: Option<usize>) -> PyResult<Schedule> {
        let Some(window) = Window::new(from, to) else {
            return Err(bad_input(format!("the drawing would end at {to}, not after its begin at {from}")));
        };
        let mut recorder = ScheduleRecorder::new(&self.context, window);
        let mut full = None;
        self.records_for(Asked::From(from), |at, record| {
            if most.is_some_and(|most| recorder.size() > most) {
                full = Some(at);
            }
            recorder.record(at, record);
            full.is_none() && !recorder.is_past(at)
        })?;
        match (full, most) {
            (Some(at), Some(most)) if at <= from => Err(bad_input(format!(
                "at {from} alone, there are more than {most} boxes, lines and arrows. Allowed: a later window, \
                 or a page, which holds more (schedlab view)"
            ))),
            (Some(at), Some(most)) => Err(bad_input(format!(
                "from {from} on, the first {most} boxes, lines and arrows end at {at}. More cannot be drawn. \
                 Allowed: a window that ends by then, or a shorter one that begins later"
            ))),
            (None, _) | (_, None) => Ok(recorder.finish()),
        }
    }

    /// Reads the real run in the trace, prepared; `None` if the kernel was not asked.
    fn real_run(&self, py: Python<'_>, scenario: &PyScenario) -> PyResult<Option<(Prepared, RealRun)>> {
        let timeline = self.play(Timeline::default())?;
        let is_asked =
            |(_, record): &(Instant, Record)| matches!(record, Record::Run(RunRecord::Switches { .. }));
        if !timeline.records.iter().any(is_asked) {
            return Ok(None);
        }
        let prepared = scenario.prepare(py)?;
        let run = RealRun::of(&prepared, &self.header, timeline.records);
        Ok(Some((prepared, run.map_err(|problem| wrong(&self.source, problem))?)))
    }

    fn explain(&self, job: &str) -> PyResult<Why> {
        let id = job_named(job)?;
        let mut explainer = Explainer::new(&self.context, id);
        self.records_for(Asked::Job(id), |at, record| {
            explainer.record(at, record);
            !explainer.is_done()
        })?;
        explainer.finish().map_err(|error| wrong(&self.source, error))
    }
}
