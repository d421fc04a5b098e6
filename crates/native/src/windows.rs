//! Pfair windows, listed and drawn; the events of the staggered algorithm.

use crate::errors::bad_input;
use pyo3::prelude::*;
use schedlab_lab::staggered_events::staggered_events as events_of;
use schedlab_lab::windows::{parse_weight, windows as windows_of, TaskModel};
use schedlab_report::schedule::{windows_svg, windows_text};

/// Subtask, eligible, release, deadline, b-bit, group deadline (0 for a light task).
type WindowRow = (u64, u64, u64, u64, bool, u64);

/// The windows of a task, one row per subtask, and both drawings: text and SVG.
#[pyfunction]
pub(crate) fn windows(
    weight: &str,
    early_release: bool,
    delays: Vec<(u64, u64)>,
    absent: Vec<u64>,
    subtasks: Option<u64>,
) -> PyResult<(Vec<WindowRow>, String, String)> {
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

/// Slot, processor, the task that is granted the slot, and the heap that then holds the watched task.
type Event = (u64, usize, Option<u32>, &'static str);

/// Every invocation of `Schedule` before slot `slots`, and the heap that holds task `watched` before the first one.
/// Weights are texts such as `3/10`.
#[pyfunction]
pub(crate) fn staggered_events(
    weights: Vec<String>,
    processors: usize,
    watched: u32,
    slots: u64,
) -> PyResult<(&'static str, Vec<Event>)> {
    let weights = weights.iter().map(|text| parse_weight(text)).collect::<Result<Vec<_>, _>>();
    let weights = weights.map_err(bad_input)?;
    let (before, found) = events_of(&weights, processors, watched, slots).map_err(bad_input)?;
    Ok((before, found.iter().map(|row| (row.slot, row.processor, row.granted, row.place)).collect()))
}
