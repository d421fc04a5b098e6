//! Pfair windows, listed and drawn.

use crate::errors::bad_input;
use pyo3::prelude::*;
use schedlab_lab::windows::{parse_weight, windows as windows_of, TaskModel};
use schedlab_report::schedule::{windows_svg, windows_text};

/// Subtask, eligible, release, deadline, b-bit, group deadline (0 for a light task).
type Row = (u64, u64, u64, u64, bool, u64);

/// The windows of a task, one row per subtask, and both drawings: text and SVG.
#[pyfunction]
#[pyo3(signature = (weight, early_release, delays, absent, subtasks))]
pub fn windows(
    weight: &str,
    early_release: bool,
    delays: Vec<(u64, u64)>,
    absent: Vec<u64>,
    subtasks: Option<u64>,
) -> PyResult<(Vec<Row>, String, String)> {
    let weight = parse_weight(weight).map_err(bad_input)?;
    let model = TaskModel { early_release, delays, absent };
    let found = windows_of(weight, &model, subtasks).map_err(bad_input)?;
    let title = format!("Windows of a task of weight {weight}, by subtask");
    let rows = found
        .iter()
        .map(|w| (w.number, w.eligible, w.release, w.deadline, w.overlaps, w.group_deadline))
        .collect();
    Ok((rows, windows_text(&found), windows_svg(&title, &found)))
}
