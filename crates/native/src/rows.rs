//! Task sets as rows of plain values.

use crate::errors::bad_input;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyList, PyTuple};
use schedlab_model::{AbortHandler, Duration, Instant, Suspension, Work};
use schedlab_scenario::{abort_handler, time_utility, Errors, TaskSpec};

/// One row, with its place.
struct PlacedRow<'a, 'py> {
    index: usize,
    cells: &'a Bound<'py, PyDict>,
}

impl PlacedRow<'_, '_> {
    fn cell(&self, column: &str) -> PyResult<Option<Bound<'_, PyAny>>> {
        Ok(self.cells.get_item(column)?.filter(|value| !value.is_none()))
    }

    fn refuse(&self, column: &str, value: &Bound<'_, PyAny>, allowed: &str) -> PyErr {
        let shown = value.repr().map_or_else(|_| "a value".to_owned(), |text| text.to_string());
        bad_input(format!("task[{}].{column}: {shown} is not allowed; allowed: {allowed}", self.index))
    }

    /// Reads a whole number that is not negative. A float that is whole is accepted, because tables with gaps have
    /// those; a truth value is not.
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
            || bad_input(format!("task[{}].{column}: missing; allowed: whole nanoseconds", self.index));
        self.number(column)?.ok_or_else(missing)
    }

    /// Applies `read` to text as in a scenario file, or to a number.
    fn stated<T>(
        &self,
        column: &str,
        allowed: &str,
        read: impl Fn(&str) -> Result<T, Errors>,
    ) -> PyResult<Option<T>> {
        let Some(value) = self.cell(column)? else { return Ok(None) };
        let refused = |errors: Errors| {
            let why = errors.all().first().map_or_else(String::new, |error| error.problem.to_string());
            bad_input(format!("task[{}].{column}: {why}", self.index))
        };
        if value.is_instance_of::<PyBool>() {
            return Err(self.refuse(column, &value, allowed));
        }
        if value.is_instance_of::<PyFloat>() && value.extract::<f64>()?.is_nan() {
            return Ok(None); // A table with gaps.
        }
        read(&value.str()?.to_string()).map(Some).map_err(refused)
    }

    /// Reads an abort handler: text as in a scenario file, or the pair of a cost in ns and a utility.
    fn abort_handler(&self) -> PyResult<Option<AbortHandler>> {
        const COLUMN: &str = "abort_handler";
        const ALLOWED: &str =
            "a pair (cost_ns, utility), or text as in a scenario file, such as { cost = \"1 ms\", utility = 2 }";
        let Some(value) = self.cell(COLUMN)? else { return Ok(None) };
        if !value.is_instance_of::<PyTuple>() && !value.is_instance_of::<PyList>() {
            return self.stated(COLUMN, ALLOWED, abort_handler);
        }
        let refused = || self.refuse(COLUMN, &value, ALLOWED);
        let [cost, utility]: [Bound<'_, PyAny>; 2] = value.extract().map_err(|_| refused())?;
        if cost.is_instance_of::<PyBool>() || utility.is_instance_of::<PyBool>() {
            return Err(refused());
        }
        let cost = cost.extract().map_err(|_| refused())?;
        let handler = abort_handler(&format!("{{ utility = {} }}", utility.str()?)).map_err(|_| refused())?;
        Ok(Some(AbortHandler { cost: Work::from_ns(cost), ..handler }))
    }

    fn task(&self) -> PyResult<TaskSpec> {
        let name = match self.cell("name")? {
            Some(value) => value.extract().map_err(|_| self.refuse("name", &value, "a text"))?,
            None => format!("T{}", self.index),
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
        task.utility = self.stated("utility", "a number, or text as in a scenario file", time_utility)?;
        task.abort_handler = self.abort_handler()?;
        task.processor = self.number("processor")?;
        task.cluster = self.number("cluster")?;
        Ok(task)
    }
}

/// Reads the tasks that `rows` describe.
pub(crate) fn read_tasks(rows: &[Bound<'_, PyDict>]) -> PyResult<Vec<TaskSpec>> {
    rows.iter().enumerate().map(|(index, cells)| PlacedRow { index, cells }.task()).collect()
}
