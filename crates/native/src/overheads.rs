//! Overheads files, as Python writes them.

use crate::errors::bad_input;
use crate::losses::ignored;
use pyo3::prelude::*;
use schedlab_model::{Cost, Duration, ObjectKind, Scheme};
use schedlab_scenario::interchange::schedcat_overheads::read_all;
use schedlab_scenario::{Measured, OfObject, OverheadProfile, Value};
use std::path::PathBuf;

/// Returns SchedCAT's tables of overheads as an overheads file, and what of them is left out. Losses of the kinds
/// `ignore` are no errors.
#[pyfunction]
pub(crate) fn import_overheads(
    files: Vec<(String, Vec<u8>)>,
    ignore: Vec<String>,
) -> PyResult<(String, Vec<String>)> {
    let files = files.iter().map(|(name, bytes)| (name.as_str(), bytes.clone()));
    let read = read_all(files, &ignored(&ignore)?).map_err(bad_input)?;
    Ok((read.value.to_toml(), read.left_out()))
}

/// The overheads file at `path` and those that it extends, as one file that refers to no other.
#[pyfunction]
pub(crate) fn whole_overheads(path: PathBuf) -> PyResult<String> {
    Ok(OverheadProfile::read(&path).map_err(bad_input)?.to_toml())
}

/// A line by the number N of tasks: its value at zero in ns, and its growth for each task in ps.
type Line = (u64, u64);

/// Returns an overheads file for operations on shared objects, given as kind, scheme, the largest value and the mean.
#[pyfunction]
pub(crate) fn overheads_of_objects(
    title: String,
    source: String,
    notes: String,
    lines: Vec<(String, String, Line, Line)>,
) -> PyResult<String> {
    let object = |(kind, scheme, max, mean): (String, String, Line, Line)| {
        let kind = ObjectKind::ALL.into_iter().find(|known| known.name() == kind);
        let scheme = Scheme::ALL.into_iter().find(|known| known.name() == scheme);
        let (Some(kind), Some(scheme)) = (kind, scheme) else {
            return Err(bad_input("an object that is measured has a known kind and scheme"));
        };
        let access = Measured { max: Some(value(max)), mean: Some(value(mean)), ..Measured::default() };
        Ok(OfObject { kind, scheme, access })
    };
    let objects = lines.into_iter().map(object).collect::<PyResult<_>>()?;
    Ok(OverheadProfile { title, source, notes, objects, ..OverheadProfile::default() }.to_toml())
}

fn value((base, per_task_ps): Line) -> Value {
    let base = Duration::from_ns(base);
    Value::Cost(match per_task_ps {
        0 => Cost::Constant(base),
        _ => Cost::Linear { base, per_task_ps },
    })
}
