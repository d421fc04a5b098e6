//! Task sets as rows of plain values.

use crate::errors::bad_input;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat};
use schedlab_model::{Duration, Instant, Suspension, TimeUtility, Work};
use schedlab_scenario::{time_utility, Errors, TaskSpec};

/// One row, and where it stands.
struct Row<'a, 'py> {
    at: usize,
    cells: &'a Bound<'py, PyDict>,
}

impl Row<'_, '_> {
    fn cell(&self, column: &str) -> PyResult<Option<Bound<'_, PyAny>>> {
        Ok(self.cells.get_item(column)?.filter(|value| !value.is_none()))
    }

    fn refuse(&self, column: &str, value: &Bound<'_, PyAny>, allowed: &str) -> PyErr {
        let shown = value.repr().map_or_else(|_| "a value".to_owned(), |text| text.to_string());
        bad_input(format!("task[{}].{column}: {shown} is not allowed; allowed: {allowed}", self.at))
    }

    /// A whole number that is not negative. A float that is whole counts: tables with gaps have those. Truth values do not.
    fn number<T: TryFrom<u64>>(&self, column: &str) -> PyResult<Option<T>> {
        let Some(value) = self.cell(column)? else { return Ok(None) };
        let refused = || self.refuse(column, &value, "a whole number from 0, not too large");
        if value.is_instance_of::<PyBool>() {
            return Err(refused());
        }
        let whole = match value.cast::<PyFloat>() {
            Ok(float) if float.value() >= 0.0 && float.value() < 9e15 && float.value().fract() == 0.0 => {
                float.value() as u64
            }
            Ok(_) => return Err(refused()),
            Err(_) => value.extract::<u64>().map_err(|_| refused())?,
        };
        T::try_from(whole).map(Some).map_err(|_| refused())
    }

    fn needed(&self, column: &str) -> PyResult<u64> {
        let missing =
            || bad_input(format!("task[{}].{column}: missing; allowed: whole nanoseconds", self.at));
        self.number(column)?.ok_or_else(missing)
    }

    /// A number, or text as in a scenario file.
    fn utility(&self) -> PyResult<Option<TimeUtility>> {
        let Some(value) = self.cell("utility")? else { return Ok(None) };
        let refused = |errors: Errors| {
            let why = errors.all().first().map_or_else(String::new, |error| error.problem.to_string());
            bad_input(format!("task[{}].utility: {why}", self.at))
        };
        if value.is_instance_of::<PyBool>() {
            return Err(self.refuse("utility", &value, "a number, or text as in a scenario file"));
        }
        if value.is_instance_of::<PyFloat>() && value.extract::<f64>()?.is_nan() {
            return Ok(None); // A table with gaps.
        }
        time_utility(&value.str()?.to_string()).map(Some).map_err(refused)
    }

    fn task(&self) -> PyResult<TaskSpec> {
        let name = match self.cell("name")? {
            Some(value) => value.extract().map_err(|_| self.refuse("name", &value, "a text"))?,
            None => format!("T{}", self.at),
        };
        let (wcet, period) = (self.needed("wcet_ns")?, self.needed("period_ns")?);
        let mut task = TaskSpec::new(name, Work::from_ns(wcet), Duration::from_ns(period));
        if let Some(ns) = self.number("relative_deadline_ns")? {
            task.relative_deadline = Duration::from_ns(ns);
        }
        task.offset = Instant::from_ns(self.number("offset_ns")?.unwrap_or(0));
        task.jitter = Duration::from_ns(self.number("jitter_ns")?.unwrap_or(0));
        match self.number("suspension_ns")? {
            None | Some(0) => {}
            Some(ns) => task.suspension = Suspension::Dynamic(Duration::from_ns(ns)),
        }
        task.working_set = self.number("working_set_bytes")?.unwrap_or(0);
        task.priority = self.number("fixed_priority")?;
        task.priority_point = self.number("priority_point_ns")?.map(Duration::from_ns);
        task.utility = self.utility()?;
        task.processor = self.number("processor")?;
        task.cluster = self.number("cluster")?;
        Ok(task)
    }
}

/// The tasks that `rows` describe.
pub(crate) fn read_tasks(rows: &[Bound<'_, PyDict>]) -> PyResult<Vec<TaskSpec>> {
    rows.iter().enumerate().map(|(at, cells)| Row { at, cells }.task()).collect()
}
