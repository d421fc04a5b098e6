//! Tables as Arrow columns: Python's libraries read them where they are, and Python itself row by row.

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, RecordBatch, RecordBatchIterator, StringArray};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList, PyString};
use pyo3::IntoPyObjectExt;
use schedlab_model::TaskId;
use schedlab_report::export::JobRow;
use schedlab_report::schedule::Segment;
use schedlab_report::Context;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A table for any library that speaks Arrow's C stream interface, such as `pyarrow.table`.
#[pyclass(frozen, name = "ArrowTable", module = "schedlab._native")]
pub(crate) struct ArrowTable(pub RecordBatch);

#[pymethods]
impl ArrowTable {
    /// Returns the stream of the columns themselves, not a copy. A requested schema is ignored, as the interface
    /// allows.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let reader = RecordBatchIterator::new([Ok(self.0.clone())], self.0.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.0.schema_ref().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    /// The values of one column.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let array = self.0.column_by_name(name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        let cells = Cells::of(array);
        PyList::new(py, (0..array.len()).map(|row| cells.value(py, row)).collect::<PyResult<Vec<_>>>()?)
    }

    /// The rows from `start` up to `end`, which is not among them.
    fn rows<'py>(&self, py: Python<'py>, start: usize, end: usize) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let schema = self.0.schema();
        let columns = schema.fields().iter().zip(self.0.columns());
        let columns: Vec<_> =
            columns.map(|(field, array)| (PyString::intern(py, field.name()), Cells::of(array))).collect();
        let row = |index: usize| {
            let row = PyDict::new(py);
            columns.iter().try_for_each(|(name, cells)| row.set_item(name, cells.value(py, index)?))?;
            Ok(row)
        };
        (start..end.min(self.0.num_rows())).map(row).collect()
    }
}

/// Values of a column, of one of the kinds in tables of jobs and segments.
enum Cells<'a> {
    Signed(&'a Int64Array),
    Flag(&'a BooleanArray),
    Text(&'a StringArray),
}

impl<'a> Cells<'a> {
    fn of(array: &'a ArrayRef) -> Self {
        let any = array.as_any();
        let signed = any.downcast_ref().map(Cells::Signed);
        let flag = || any.downcast_ref().map(Cells::Flag);
        let text = || any.downcast_ref().map(Cells::Text);
        signed.or_else(flag).or_else(text).expect("tables have no columns of other kinds")
    }

    /// The value in a row; `None` where there is none.
    fn value<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Cells::Signed(array) => array.is_valid(row).then(|| array.value(row)).into_bound_py_any(py),
            Cells::Flag(array) => array.is_valid(row).then(|| array.value(row)).into_bound_py_any(py),
            Cells::Text(array) => array.is_valid(row).then(|| array.value(row)).into_bound_py_any(py),
        }
    }
}

/// A column: its name, its values, and whether some may be missing.
type Column = (&'static str, ArrayRef, bool);

/// Whole numbers, some of which may be missing. They are signed, so that differences of columns do not wrap. Only a
/// damaged trace has larger ones.
fn maybe<T>(rows: &[T], name: &'static str, value: impl Fn(&T) -> Option<i128>) -> Result<Column, String> {
    let beyond = |value| format!("a time of {value} ns; allowed in tables: below 2^63");
    let signed = |value| i64::try_from(value).map_err(|_| beyond(value));
    let values = rows.iter().map(|row| value(row).map(signed).transpose());
    Ok((name, Arc::new(values.collect::<Result<Int64Array, _>>()?), true))
}

fn whole<T>(rows: &[T], name: &'static str, value: impl Fn(&T) -> i128) -> Result<Column, String> {
    let (_, values, _) = maybe(rows, name, |row| Some(value(row)))?;
    Ok((name, values, false))
}

fn flags<T>(rows: &[T], name: &'static str, value: impl Fn(&T) -> bool) -> Column {
    (name, Arc::new(BooleanArray::from(rows.iter().map(value).collect::<Vec<_>>())), false)
}

fn table(columns: Vec<Column>) -> ArrowTable {
    let made = RecordBatch::try_from_iter_with_nullable(columns);
    ArrowTable(made.expect("columns of the same length, each of them as it says"))
}

/// Makes a table with a row for each job. A terminal shows the columns that come first.
pub(crate) fn of_jobs(rows: &[JobRow], context: &Context) -> Result<ArrowTable, String> {
    let mut names: BTreeMap<TaskId, String> = BTreeMap::new();
    for row in rows {
        names.entry(row.job.task).or_insert_with(|| context.task_name(row.job.task));
    }
    let names = StringArray::from_iter_values(rows.iter().map(|row| &names[&row.job.task]));
    Ok(table(vec![
        whole(rows, "task", |row| row.job.task.0.into())?,
        ("name", Arc::new(names), false),
        whole(rows, "job", |row| row.job.number.into())?,
        whole(rows, "arrival_ns", |row| row.arrival.as_ns().into())?,
        maybe(rows, "response_time_ns", |row| Some(row.response_time()?.into()))?,
        maybe(rows, "lateness_ns", JobRow::lateness)?,
        flags(rows, "missed", |row| row.missed),
        maybe(rows, "absolute_deadline_ns", |row| Some(row.deadline()?.as_ns().into()))?,
        maybe(rows, "completion_ns", |row| Some(row.completion?.as_ns().into()))?,
        maybe(rows, "cost_ns", |row| Some(row.cost.as_ns().into()).filter(|cost| *cost > 0))?,
        maybe(rows, "start_ns", |row| Some(row.start?.as_ns().into()))?,
        flags(rows, "aborted", |row| row.aborted),
        whole(rows, "preemptions", |row| row.preemptions.into())?,
        whole(rows, "migrations", |row| row.migrations.into())?,
    ]))
}

/// Makes a table with a row for each stretch of time in which a job occupied a processor.
pub(crate) fn of_segments(rows: &[Segment]) -> Result<ArrowTable, String> {
    Ok(table(vec![
        whole(rows, "cpu", |row| row.cpu.0.into())?,
        whole(rows, "task", |row| row.job.task.0.into())?,
        whole(rows, "job", |row| row.job.number.into())?,
        whole(rows, "start_ns", |row| row.from.as_ns().into())?,
        whole(rows, "end_ns", |row| row.to.as_ns().into())?,
    ]))
}
