//! Contents of another tool's file that a scenario cannot hold.

use crate::errors::bad_input;
use pyo3::prelude::*;
use schedlab_scenario::interchange::{Ignored, Loss};

/// Reads the kinds of losses of these names.
pub(crate) fn ignored(names: &[String]) -> PyResult<Ignored> {
    Ignored::of(names.iter().map(String::as_str)).map_err(bad_input)
}

/// Returns the losses that change no answer, a line each.
pub(crate) fn harmless(losses: &[Loss]) -> Vec<String> {
    let harmless = losses.iter().filter(|loss| !loss.is_told());
    harmless.map(Loss::listed).collect()
}
