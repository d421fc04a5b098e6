//! Placements of tasks, and whether the processors can hold the tasks at all.

use crate::batch::left_alone;
use crate::errors::bad_input;
use crate::length::Length;
use crate::plain::{plain, Plain};
use crate::scenario::PyScenario;
use pyo3::prelude::*;
use schedlab_lab::advise::other_placement;
use schedlab_lab::results::{by_run, least_servers, placement_of, within_affinities};

#[pymethods]
impl PyScenario {
    /// Returns where each task, or piece of one, runs, with the priorities that a rule gave, and a scenario with these
    /// places; `error` and no scenario where nothing can be placed.
    fn placement(&self, py: Python<'_>) -> PyResult<(Plain, Option<PyScenario>)> {
        let given = self.with(self.scenario.clone());
        let found = left_alone(py, move || placement_of(&given.scenario, &given.catalog))?;
        let (placed, made) = found.map_err(bad_input)?;
        Ok((plain(&placed), made.map(|scenario| self.with(scenario))))
    }

    /// Returns another placement with which all deadlines are proved to be met, in the words of `--placement`, if one
    /// of a short list is such.
    fn other_placement(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        let given = self.with(self.scenario.clone());
        left_alone(py, move || other_placement(&given.scenario, &given.catalog))
    }

    /// Returns the least budget of each server with a subsystem, for periods from, to, and in steps of; and a scenario
    /// with the best ones, if each server has one.
    fn least_servers(
        &self,
        py: Python<'_>,
        periods: Option<(Length, Length, Length)>,
    ) -> PyResult<(Plain, Option<PyScenario>)> {
        let length = |length: Length| length.duration("periods");
        let periods = periods
            .map(|(from, to, step)| PyResult::Ok((length(from)?, length(to)?, length(step)?)))
            .transpose()?;
        let given = self.with(self.scenario.clone());
        let found = left_alone(py, move || least_servers(&given.scenario, &given.catalog, periods))?;
        let (found, made) = found.map_err(bad_input)?;
        Ok((plain(&found), made.map(|scenario| self.with(scenario))))
    }

    /// Returns whether some scheduler holds the tasks, by RUN's reduction (`run`), or within their affinities
    /// (`affinities`).
    fn feasibility(&self, method: &str) -> PyResult<Plain> {
        let found = match method {
            "run" => by_run(&self.scenario),
            "affinities" => within_affinities(&self.scenario),
            other => {
                return Err(bad_input(format!("no method is called \"{other}\"; allowed: run, affinities")))
            }
        };
        Ok(plain(&found.map_err(bad_input)?))
    }
}
