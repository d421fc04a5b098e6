//! What readers of a trace have to know, from the trace's own header.

use crate::prepared;
use schedlab_policy::find;
use schedlab_report::context::UnknownInvariant;
use schedlab_report::Context;
use schedlab_scenario::{Errors, Scenario};
use schedlab_trace::Header;
use std::fmt;

/// Why a header does not say what readers have to know.
#[derive(Clone, Debug)]
pub enum HeaderProblem {
    /// It holds no scenario.
    NoScenario,
    /// Its scenario cannot be read.
    Scenario(Errors),
    /// It promises what nobody knows.
    Promise(UnknownInvariant),
}

impl fmt::Display for HeaderProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeaderProblem::NoScenario => write!(f, "the trace's header holds no scenario"),
            HeaderProblem::Scenario(errors) => write!(f, "the scenario in the trace's header: {errors}"),
            HeaderProblem::Promise(error) => write!(f, "the promises in the trace's header: {error}"),
        }
    }
}

impl std::error::Error for HeaderProblem {}

/// The scenario of a trace, and what readers of its records have to know.
pub fn context_of(header: &Header) -> Result<(Scenario, Context), HeaderProblem> {
    let text = header.get("scenario").ok_or(HeaderProblem::NoScenario)?;
    let scenario = Scenario::parse("scenario", text).map_err(HeaderProblem::Scenario)?;
    // A scheduler of somebody's own has no quanta that anybody knew of.
    let scheduler = find(&scenario.scheduler.name).ok();
    let quanta = scheduler.as_ref().and_then(|scheduler| {
        prepared::quanta(&scenario, scheduler, &prepared::platform(&scenario, scheduler))
    });
    let context = Context {
        quanta,
        tasks: scenario.tasks.iter().map(|task| task.name.clone()).collect(),
        resource_names: scenario.resources.iter().map(|resource| resource.name.clone()).collect(),
        resources: scenario.model_resources(),
        ..Context::of_platform(&scenario.model_platform())
    };
    let promises = header.get("promises").unwrap_or_default();
    let context = context.promising_text(promises).map_err(HeaderProblem::Promise)?;
    Ok((scenario, context))
}
